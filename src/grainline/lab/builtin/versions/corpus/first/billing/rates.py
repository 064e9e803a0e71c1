"""What is added to a price."""

VAT = 0.16
LATE = 5.0


def vat(amount):
    """The tax on an amount: one rate for everybody."""
    return amount * VAT


def late_fee(days):
    """What a late payer owes on top: always the same."""
    return LATE if days > 0 else 0.0

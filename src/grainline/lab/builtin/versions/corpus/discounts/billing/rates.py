"""What is added to a price."""

VAT = 0.19
LATE = 5.0


def vat(amount):
    """The tax on an amount: one rate for everybody."""
    return amount * VAT


def late_fee(days):
    """What a late payer owes on top: more for every week that has begun."""
    weeks = -(-days // 7)
    return LATE * max(0, weeks)

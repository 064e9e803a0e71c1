"""What is added to a price."""

VAT = 0.19
LATE = 5.0
MOST = 40.0


def vat(amount):
    """The tax on an amount: one rate for everybody."""
    return amount * VAT


def late_fee(days):
    """What a late payer owes on top: more for every week, but never above forty."""
    weeks = -(-days // 7)
    return min(MOST, LATE * max(0, weeks))

"""What is added to a price."""

from decimal import Decimal

VAT = Decimal("0.19")
LATE = Decimal(5)


def vat(amount):
    """The tax on an amount: one rate for everybody, in decimals."""
    return amount * VAT


def late_fee(days):
    """What a late payer owes on top: more for every week that has begun, in decimals."""
    weeks = -(-days // 7)
    return LATE * max(0, weeks)

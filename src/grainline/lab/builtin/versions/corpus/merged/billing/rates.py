"""What is added to a price."""

from decimal import Decimal

VAT = {"de": Decimal("0.19"), "fr": Decimal("0.20"), "lu": Decimal("0.17")}
LATE = Decimal(5)
MOST = Decimal(40)


def vat(amount, country="de"):
    """The tax on an amount: the rate of the country of the customer, none outside of the union."""
    return amount * VAT.get(country, Decimal(0))


def late_fee(days):
    """What a late payer owes on top: more for every week, never above forty, in decimals."""
    weeks = -(-days // 7)
    return min(MOST, LATE * max(0, weeks))

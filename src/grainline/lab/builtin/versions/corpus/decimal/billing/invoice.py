"""Invoices and how they are numbered."""

from decimal import ROUND_HALF_EVEN, Decimal

from billing.rates import vat

CENT = Decimal("0.01")


class Invoice:
    """Lines of (text, price, count) for one customer; prices are decimals."""

    def __init__(self, customer, lines, year, count, discount=Decimal(0)):
        self.customer = customer
        self.lines = lines
        self.year = year
        self.count = count
        self.discount = discount

    def total(self):
        """The sum of all lines without the discount, and the tax on it, rounded to cents."""
        net = sum((price * count for _, price, count in self.lines), Decimal(0))
        net -= net * self.discount
        return (net + vat(net)).quantize(CENT, ROUND_HALF_EVEN)

    def number(self):
        """The year, a running count and a check digit."""
        digits = f"{self.year}{self.count:05}"
        check = sum(int(digit) * (3 if at % 2 else 1) for at, digit in enumerate(digits)) % 10
        return f"{self.year}-{self.count:05}-{check}"

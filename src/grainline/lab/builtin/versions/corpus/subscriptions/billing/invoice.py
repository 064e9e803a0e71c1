"""Invoices, single and recurring, and how they are numbered."""

from decimal import ROUND_HALF_EVEN, Decimal

from billing.rates import vat

CENT = Decimal("0.01")


class Invoice:
    """Lines of (text, price, count) for one customer; prices are decimals."""

    def __init__(self, customer, lines, year, count, months=0):
        self.customer = customer
        self.lines = lines
        self.year = year
        self.count = count
        self.months = months

    def total(self):
        """The sum of all lines for one month of a subscription, and the tax on it."""
        net = sum((price * count for _, price, count in self.lines), Decimal(0))
        share = net / self.months if self.months else net
        return (share + vat(share)).quantize(CENT, ROUND_HALF_EVEN)

    def number(self):
        """The year and a running count; an S before it for a subscription."""
        mark = "S-" if self.months else ""
        return f"{mark}{self.year}-{self.count:05}"

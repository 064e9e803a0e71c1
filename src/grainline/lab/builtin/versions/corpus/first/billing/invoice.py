"""Invoices and how they are numbered."""

from billing.rates import vat


class Invoice:
    """Lines of (text, price, count) for one customer."""

    def __init__(self, customer, lines, year, count):
        self.customer = customer
        self.lines = lines
        self.year = year
        self.count = count

    def total(self):
        """The sum of all lines and the tax on it."""
        net = sum(price * count for _, price, count in self.lines)
        return net + vat(net)

    def number(self):
        """The year and a running count."""
        return f"{self.year}-{self.count}"

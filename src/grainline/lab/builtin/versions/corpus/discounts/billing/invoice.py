"""Invoices and how they are numbered."""

from billing.rates import vat


class Invoice:
    """Lines of (text, price, count) for one customer."""

    def __init__(self, customer, lines, year, count, discount=0.0):
        self.customer = customer
        self.lines = lines
        self.year = year
        self.count = count
        self.discount = discount

    def total(self):
        """The sum of all lines without the discount, and the tax on it."""
        net = sum(price * count for _, price, count in self.lines)
        net -= net * self.discount
        return net + vat(net)

    def number(self):
        """The year and a running count of five digits."""
        return f"{self.year}-{self.count:05}"

"""A tiny shop as a dataset of its own: two modules, a helper that shares no word with the question."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from grainline.lab.datasets.base import Sources
from grainline.lab.mirror import Checkout
from grainline.lab.questions import Place, Question
from grainline.model.position import LineSpan

PAYMENTS = '''"""Payments of a shop."""

from stock import reserve_item


def total_of(order):
    """Add up the positions."""
    amount = 0
    for position in order.positions:
        amount += position.price * position.count
    return amount


def charge_card(card, order):
    """Charge the card of a customer."""
    for position in order.positions:
        reserve_item(order.warehouse, position)
    return card.gateway.send(total_of(order))


def refund_order(order):
    """Give the money of an order back to the customer."""
    return order.gateway.send(-order.amount)
'''
STOCK = '''"""What lies in the shelves."""


class Shelf:
    """One shelf of a warehouse."""

    def __init__(self, items):
        self.items = items

    def remove(self, item):
        """Take one away."""
        self.items.remove(item)


def reserve_item(warehouse, item):
    """Set an item of a warehouse aside."""
    warehouse.shelf.remove(item)
'''
NOTES = """# Shop

Orders are paid by card.
"""


def place(path: str, start: int, end: int, name: str = "") -> Place:
    """Lines of a file."""
    return Place(path.encode(), LineSpan(start, end), name)


QUESTIONS = (
    Question(
        id="shop/refund",
        repository="shop",
        commit="",
        language="python",
        text="give money back to the customer",
        files=(b"payments.py",),
        functions=(place("payments.py", 21, 23, "refund_order"),),
        kind="one function",
    ),
    Question(
        id="shop/charge",
        repository="shop",
        commit="",
        language="python",
        text="charge the card of a customer",
        files=(b"payments.py",),
        functions=(
            place("payments.py", 14, 18, "charge_card"),
            place("payments.py", 6, 11, "total_of"),
        ),
        kind="needs a callee",
    ),
    Question(
        id="shop/aside",
        repository="shop",
        commit="",
        language="python",
        text="set an item of the warehouse aside",
        files=(b"stock.py",),
        functions=(place("stock.py", 15, 17, "reserve_item"),),
        kind="one function",
        leak_function=True,
    ),
)


class Shop:
    """Written into the scratch folder of a run."""

    name = "shop"
    needs: tuple[str, ...] = ()

    def questions(self, sources: Sources) -> Iterator[Question]:
        """Three."""
        del sources
        return iter(QUESTIONS)

    def checkout(self, group: Sequence[Question], sources: Sources) -> Checkout:
        """A plain folder."""
        return shop(sources.scratch)


def shop(scratch: Path) -> Checkout:
    """The folder as a checkout."""
    folder = scratch / "shop"
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in (("payments.py", PAYMENTS), ("stock.py", STOCK), ("NOTES.md", NOTES)):
        (folder / name).write_text(text, encoding="utf-8")
    return Checkout(repository="shop", commit="", clone=folder, scratch=scratch, trusted=True)

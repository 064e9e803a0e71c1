"""What billing and payroll do on the main branch."""

import datetime
import types
from decimal import Decimal

from billing import ledger, outbox, rates, reminders
from billing.invoice import Invoice
from payroll import salaries

LINES = [("stone", Decimal("10.00"), 3), ("sand", Decimal("0.50"), 4)]


def test_invoices():
    plain = Invoice("ada", LINES, 2023, 17)
    assert plain.total() == Decimal("38.08")
    assert Invoice("ada", LINES, 2023, 17, discount=Decimal("0.5")).total() == Decimal("19.04")
    assert plain.number() == "2023-00017-3"


def test_rates():
    assert rates.vat(Decimal(100)) == 19
    assert rates.vat(Decimal(100), "lu") == 17
    assert rates.vat(Decimal(100), "ch") == 0
    assert [rates.late_fee(days) for days in (0, 1, 8, 70)] == [0, 5, 10, 40]


def test_reminders():
    monday = datetime.date(2023, 10, 2)
    assert reminders.working_days(monday, monday + datetime.timedelta(days=7)) == 5
    sent = [types.SimpleNamespace(sent=monday, name=0), types.SimpleNamespace(sent=monday, name=1)]
    sent[1].sent = monday + datetime.timedelta(days=1)
    today = monday + datetime.timedelta(days=15)
    assert [each.name for each in reminders.overdue(sent, today)] == [0]
    reminders.remind(types.SimpleNamespace(customer="ada"), "pay, please")
    letters = []
    outbox.flush(lambda *letter: letters.append(letter))
    assert letters == [("ada", "pay, please")]
    assert not outbox.WAITING


def test_salaries():
    person = {"band": "B", "years": 6, "months": 11}
    assert salaries.monthly(person) == 3400
    assert salaries.christmas_bonus(person) == 3400
    assert salaries.christmas_bonus({**person, "months": 10}) == 0


def test_the_ledger():
    kept = types.SimpleNamespace(text="")

    class Book:
        def read_text(self):
            return kept.text

        def open(self, mode):
            assert mode == "a"
            return self

        def __enter__(self):
            return self

        def __exit__(self, *args):
            return None

        def write(self, text):
            kept.text += text

    ledger.BOOK = Book()
    for row in ("a", "b", "c"):
        ledger.append(row)
    assert ledger.verify() is None
    kept.text = kept.text.replace('"a"', '"x"')
    assert ledger.verify() == 2

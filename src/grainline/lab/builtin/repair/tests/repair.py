"""What the lending desk does."""

import datetime

from library.catalogue import Catalogue, is_valid
from library.fees import as_text, late_fee, split
from library.loans import Desk
from library.members import Member, age, renew
from library.slips import letter, slip
from library.waiting import WaitingList

DAY = datetime.date(2024, 3, 1)
ISBN = "978-3-16-148410-0"
OTHER = "9780306406157"


def after(days):
    return DAY + datetime.timedelta(days=days)


def raises(error, call, *args):
    try:
        call(*args)
    except error:
        return True
    return False


def desk():
    catalogue = Catalogue()
    catalogue.add(ISBN, "The Long Winter", "Ada Frost")
    catalogue.add(OTHER, "Short Summers", "Bo Hay")
    for number in range(5):
        catalogue.shelve(f"A{number}", ISBN)
    catalogue.shelve("B0", OTHER)
    return Desk(catalogue)


def test_catalogue():
    catalogue = desk().catalogue
    assert is_valid("9783161484100")
    assert not is_valid("9783161484101")
    assert not is_valid("97831614841")
    assert raises(ValueError, catalogue.add, "9783161484101", "x", "y")
    assert catalogue.add("978 3161484100", "another", "name") == "9783161484100"
    assert catalogue.titles["9783161484100"] == ("The Long Winter", "Ada Frost")
    assert raises(LookupError, catalogue.shelve, "C0", "9999999999999")
    assert raises(ValueError, catalogue.shelve, "A0", OTHER)
    assert catalogue.copies_of(ISBN) == ["A0", "A1", "A2", "A3", "A4"]
    assert catalogue.search("LONG frost") == ["9783161484100"]
    assert catalogue.search("long hay") == []
    assert catalogue.search("S") == ["9780306406157", "9783161484100"]


def test_members():
    child = Member("Kim", datetime.date(2008, 3, 2))
    assert age(child.born, DAY) == 15
    assert [child.kind(after(0)), child.kind(after(1))] == ["child", "adult"]
    assert [child.most(after(0)), child.most(after(1))] == [3, 10]
    assert Member("Lee", datetime.date(2020, 1, 1), staff=True).most(DAY) == 30
    card = Member("Mo", datetime.date(1990, 1, 1), expires=DAY)
    assert card.is_active(DAY)
    assert not card.is_active(after(1))
    assert renew(card, after(10)) == after(375)
    assert renew(card, after(20)) == after(740)


def test_lending():
    place, child = desk(), Member("Kim", datetime.date(2015, 1, 1))
    assert place.lend("A0", child, DAY) == after(28)
    assert raises(LookupError, place.lend, "A0", child, DAY)
    place.lend("A1", child, after(-1))
    place.lend("A2", child, after(-2))
    assert place.held_by(child) == ["A2", "A1", "A0"]
    assert raises(PermissionError, place.lend, "A3", child, DAY)
    gone = Member("Mo", datetime.date(1990, 1, 1), expires=after(-1))
    assert raises(PermissionError, place.lend, "A3", gone, DAY)


def test_renewals():
    place, adult = desk(), Member("Mo", datetime.date(1990, 1, 1))
    place.lend("A0", adult, DAY)
    assert place.renew("A0", after(20)) == after(56)
    assert place.renew("A0", after(50)) == after(84)
    assert raises(PermissionError, place.renew, "A0", after(80))
    place.lend("B0", adult, DAY)
    place.waiting.join(OTHER, "Kim")
    assert raises(PermissionError, place.renew, "B0", after(1))


def test_waiting_comes_before_lending():
    place = desk()
    first, second = (Member(name, datetime.date(1990, 1, 1)) for name in ("Mo", "Ida"))
    assert [place.waiting.join(OTHER, name) for name in ("Mo", "Ida", "Mo")] == [1, 2, 1]
    assert raises(PermissionError, place.lend, "B0", second, DAY)
    place.lend("B0", first, DAY)
    assert place.waiting.first(OTHER) == "Ida"
    place.take_back("B0", DAY)
    place.lend("B0", second, DAY)
    assert place.waiting.first(OTHER) is None


def test_lists():
    waiting = WaitingList()
    for isbn, name in (("1", "a"), ("2", "a"), ("2", "b"), ("3", "c"), ("4", "d")):
        waiting.join(isbn, name)
    waiting.leave("4", "d")
    waiting.leave("4", "nobody")
    assert waiting.lengths() == [("2", 2), ("1", 1), ("3", 1)]


def test_returns():
    place, adult = desk(), Member("Mo", datetime.date(1990, 1, 1))
    for mark, days in (("A0", 0), ("A1", 1), ("B0", 1)):
        place.lend(mark, adult, after(days))
    assert place.overdue(after(28)) == []
    assert place.overdue(after(30)) == [("A0", "Mo", 2), ("A1", "Mo", 1), ("B0", "Mo", 1)]
    assert place.take_back("A0", after(38)) == 250
    assert place.take_back("A1", after(32)) == 75
    assert place.take_back("B0", after(20)) == 0
    assert place.fees == {"Mo": 325}


def test_fees():
    assert [late_fee(days) for days in (-3, 0, 2, 3, 60, 61)] == [0, 0, 0, 75, 1500, 1500]
    assert split(1000, 3) == [334, 333, 333]
    assert split(11, 4) == [3, 3, 3, 2]
    assert [as_text(cents) for cents in (0, 1205, 99)] == ["0,00 €", "12,05 €", "0,99 €"]


def test_slips():
    assert slip("Short Summers", DAY) == "Short Summers\ndue 2024-03-01"
    assert slip("x" * 32, DAY).split("\n")[0] == "x" * 32
    assert slip("x" * 40, DAY).split("\n")[0] == "x" * 31 + "…"
    assert letter("Mo", [("Short Summers", 3)], 0) == "Dear Mo,\n- Short Summers, 3 days late"
    assert letter("Mo", [], 205) == "Dear Mo,\nYou owe 2,05 €."

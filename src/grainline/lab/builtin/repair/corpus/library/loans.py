"""Lending and taking back."""

import datetime

from library.fees import late_fee
from library.waiting import WaitingList

DAYS = 28
RENEWALS = 2


class Desk:
    """All loans of a catalogue."""

    def __init__(self, catalogue):
        self.catalogue = catalogue
        self.loans = {}
        self.waiting = WaitingList()
        self.fees = {}

    def lend(self, mark, member, today):
        """Lend a copy; the day on which it is due."""
        if not member.is_active(today):
            raise PermissionError("the card has expired")
        if mark in self.loans:
            raise LookupError(f"{mark} is lent")
        if len(self.held_by(member)) >= member.most(today):
            raise PermissionError("too many books")
        isbn = self.catalogue.copies[mark]
        first = self.waiting.first(isbn)
        if first not in (None, member.name):
            raise PermissionError("somebody waits for it")
        self.waiting.leave(isbn, member.name)
        due = today + datetime.timedelta(days=DAYS)
        self.loans[mark] = [member.name, due, 0]
        return due

    def held_by(self, member):
        """Shelf marks of what a member has, in the order in which it is due."""
        mine = [(due, mark) for mark, (name, due, _) in self.loans.items() if name == member.name]
        return [mark for _, mark in sorted(mine)]

    def renew(self, mark, today):
        """Lend it for longer, from the day it was due; not when somebody waits for it."""
        loan = self.loans[mark]
        if self.waiting.first(self.catalogue.copies[mark]) is not None:
            raise PermissionError("somebody waits for it")
        if loan[2] >= RENEWALS:
            raise PermissionError("it was renewed too often")
        loan[1] += datetime.timedelta(days=DAYS)
        loan[2] += 1
        return loan[1]

    def take_back(self, mark, today):
        """Take a copy back; the fee in cents, which is also put on the account."""
        name, due, _ = self.loans.pop(mark)
        fee = late_fee((today - due).days)
        self.fees[name] = self.fees.get(name, 0) + fee
        return fee

    def overdue(self, today):
        """(shelf mark, member, days late) of everything that is late, the latest first."""
        late = [
            (mark, name, (today - due).days)
            for mark, (name, due, _) in self.loans.items()
            if due < today
        ]
        return sorted(late, key=lambda row: (-row[2], row[0]))

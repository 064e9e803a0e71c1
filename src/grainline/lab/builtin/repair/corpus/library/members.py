"""Members, and how much each may borrow."""

import datetime

MOST = {"child": 3, "adult": 10, "staff": 30}
ADULT_AGE = 16


class Member:
    """Somebody with a card."""

    def __init__(self, name, born, staff=False, expires=None):
        self.name = name
        self.born = born
        self.staff = staff
        self.expires = expires

    def kind(self, today):
        """child, adult or staff on a day."""
        if self.staff:
            return "staff"
        return "adult" if age(self.born, today) >= ADULT_AGE else "child"

    def most(self, today):
        """How many books at once."""
        return MOST[self.kind(today)]

    def is_active(self, today):
        """Whether the card is good on a day; the last day counts."""
        return self.expires is None or today <= self.expires


def age(born, today):
    """Whole years."""
    had_birthday = (today.month, today.day) >= (born.month, born.day)
    return today.year - born.year - (not had_birthday)


def renew(member, today):
    """Another year from the later one of today and the end of the card."""
    start = max(today, member.expires or today)
    member.expires = start + datetime.timedelta(days=365)
    return member.expires

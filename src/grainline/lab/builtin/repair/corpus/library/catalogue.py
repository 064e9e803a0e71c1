"""Books by their number, and how they are found."""

import re

WEIGHTS = (1, 3)


class Catalogue:
    """Titles and copies. A title has a number, a copy a shelf mark."""

    def __init__(self):
        self.titles = {}
        self.copies = {}

    def add(self, isbn, title, author):
        """Take in a title; the same one again changes nothing."""
        isbn = normalise(isbn)
        if not is_valid(isbn):
            raise ValueError(f"{isbn} is no ISBN")
        self.titles.setdefault(isbn, (title, author))
        return isbn

    def shelve(self, mark, isbn):
        """Put a copy of a known title on the shelf."""
        if mark in self.copies:
            raise ValueError(f"{mark} is taken")
        number = normalise(isbn)
        if number not in self.titles:
            raise LookupError(f"no title {number}")
        self.copies[mark] = number

    def copies_of(self, isbn):
        """Shelf marks of all copies of a title, sorted."""
        wanted = normalise(isbn)
        return sorted(mark for mark, own in self.copies.items() if own == wanted)

    def search(self, words):
        """Numbers of titles that hold every word in title or author, whatever its case."""
        terms = [word.casefold() for word in words.split()]
        return sorted(
            isbn
            for isbn, texts in self.titles.items()
            if all(term in " ".join(texts).casefold() for term in terms)
        )


def normalise(isbn):
    """A number without hyphens and blanks."""
    return re.sub(r"[\s-]", "", isbn)


def is_valid(isbn):
    """Whether the check digit of a number of 13 digits is right."""
    if not re.fullmatch(r"\d{13}", isbn):
        return False
    total = sum(int(digit) * WEIGHTS[at % 2] for at, digit in enumerate(isbn))
    return total % 10 == 0

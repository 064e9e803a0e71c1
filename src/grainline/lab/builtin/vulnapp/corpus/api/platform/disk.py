"""Reading from disk, with a bound."""

LIMIT = 10_000_000


def read(place):
    with open(place, "rb") as stream:
        return stream.read(LIMIT)

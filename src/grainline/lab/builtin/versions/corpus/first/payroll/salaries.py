"""What people earn. For the staff office only."""

BASE = 3100


def monthly(person):
    """The monthly salary: a base and 120 for each year of service."""
    return BASE + 120 * person["years"]


def christmas_bonus(person):
    """Half a monthly salary in November."""
    return monthly(person) / 2

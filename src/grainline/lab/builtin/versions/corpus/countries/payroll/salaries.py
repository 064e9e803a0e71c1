"""What people earn. For the staff office only."""

BANDS = {"A": (2500, 3000), "B": (3000, 3800), "C": (3800, 5100)}
YEARS_TO_TOP = 12


def monthly(person):
    """The monthly salary: from the foot of the band to its top in twelve years."""
    low, high = BANDS[person["band"]]
    return low + (high - low) * min(1.0, person["years"] / YEARS_TO_TOP)


def christmas_bonus(person):
    """A whole monthly salary in November, for those who are here since January."""
    return monthly(person) if person["months"] >= 11 else 0

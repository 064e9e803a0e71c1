"""Where parcels are."""

from api.platform import store


def find_parcels(term):
    clause = _matching(term)
    return store.select("parcels", clause)


def _matching(term):
    words = term.split()
    return " AND ".join(f"description LIKE '%{word}%'" for word in words) or "1 = 1"


def find_by_sender(sender):
    return store.select_bound("parcels", "sender = ?", (sender,))


def position(number):
    rows = store.select_bound("scans", "parcel = ?", (number,))
    return rows[-1]["place"] if rows else "unknown"

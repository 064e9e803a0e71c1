"""What being late costs, in cents."""

FREE_DAYS = 2
PER_DAY = 25
MOST = 1500


def late_fee(days):
    """Nothing for two days, then for every day that it is late, never more than a new book."""
    if days <= FREE_DAYS:
        return 0
    return min(MOST, days * PER_DAY)


def split(total, parts):
    """A fee in so many instalments that differ by a cent at most and add up, larger ones first."""
    each, left = divmod(total, parts)
    return [each + 1] * left + [each] * (parts - left)


def as_text(cents):
    """Euros and cents as people write them: 12,05 €."""
    euros, rest = divmod(cents, 100)
    return f"{euros},{rest:02} €"

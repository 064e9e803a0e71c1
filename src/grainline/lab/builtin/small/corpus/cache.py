"""Values kept in memory for a while."""

import functools
import time

ENTRIES = {}


def store(key, value, seconds=60):
    """Keep a value in the cache with a time to live."""
    ENTRIES[key] = (value, time.monotonic() + seconds)


def lookup(key, default=None):
    """Return a cached value that is still fresh."""
    value, expires = ENTRIES.get(key, (default, float("inf")))
    return value if expires > time.monotonic() else default


def invalidate_prefix(prefix):
    """Drop every entry whose key starts with a prefix."""
    for key in [key for key in ENTRIES if key.startswith(prefix)]:
        del ENTRIES[key]


def evict_expired():
    """Free the memory of stale entries; how many there were."""
    now = time.monotonic()
    stale = [key for key, (_, expires) in ENTRIES.items() if expires <= now]
    for key in stale:
        del ENTRIES[key]
    return len(stale)


def memoize(seconds):
    """Remember the results of a function for some seconds."""

    def decorate(function):
        @functools.wraps(function)
        def remembered(*args):
            key = f"{function.__name__}:{args!r}"
            if lookup(key) is None:
                store(key, function(*args), seconds)
            return lookup(key)

        return remembered

    return decorate

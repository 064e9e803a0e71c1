"""Who waits for which title, first come first served."""


class WaitingList:
    """Names by title."""

    def __init__(self):
        self.queues = {}

    def join(self, isbn, name):
        """Wait for a title; the place in the queue, from 1. Nobody stands in it twice."""
        queue = self.queues.setdefault(isbn, [])
        if name not in queue:
            queue.append(name)
        return queue.index(name) + 1

    def first(self, isbn):
        """Who is next, or None."""
        queue = self.queues.get(isbn)
        return queue[0] if queue else None

    def leave(self, isbn, name):
        """Give up the place, if there is one."""
        queue = self.queues.get(isbn, [])
        if name in queue:
            queue.remove(name)

    def lengths(self):
        """Titles by how many wait for them, the most wanted first, ties by number."""
        found = [(isbn, len(queue)) for isbn, queue in self.queues.items() if queue]
        return sorted(found, key=lambda row: (-row[1], row[0]))

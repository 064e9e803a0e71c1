"""Mails that wait for the next working day."""

WAITING = []


def put(address, text):
    """Keep a mail until it is sent."""
    WAITING.append((address, text))


def flush(send):
    """Send everything that waits, oldest first."""
    while WAITING:
        send(*WAITING.pop(0))

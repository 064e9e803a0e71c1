"""Where invoices are kept: a book that is only ever appended to."""

import hashlib
import json
from pathlib import Path

BOOK = Path("ledger.jsonl")


def append(row):
    """Add an invoice to the book, sealed by the digest of the line before."""
    last = BOOK.read_text().splitlines()[-1:] or [""]
    seal = hashlib.sha256(last[0].encode()).hexdigest()
    with BOOK.open("a") as book:
        book.write(json.dumps({"row": row, "seal": seal}) + "\n")


def verify():
    """The number of the first line whose seal is broken, or None."""
    before = ""
    for number, line in enumerate(BOOK.read_text().splitlines(), 1):
        if json.loads(line)["seal"] != hashlib.sha256(before.encode()).hexdigest():
            return number
        before = line
    return None

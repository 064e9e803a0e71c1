"""Where invoices are kept: one JSON file for each year."""

import json
from pathlib import Path

FOLDER = Path("invoices")


def save(year, rows):
    """Write the invoices of a year as JSON."""
    (FOLDER / f"{year}.json").write_text(json.dumps(rows))


def load(year):
    """Read the invoices of a year from JSON."""
    return json.loads((FOLDER / f"{year}.json").read_text())

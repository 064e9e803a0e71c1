"""Where invoices are kept: a table in SQLite."""

import sqlite3

PATH = "invoices.sqlite"


def save(year, rows):
    """Write the invoices of a year into the table."""
    with sqlite3.connect(PATH) as connection:
        rows = [(year, *row) for row in rows]
        connection.executemany("INSERT INTO invoice VALUES (?, ?, ?)", rows)


def load(year):
    """Read the invoices of a year from the table."""
    with sqlite3.connect(PATH) as connection:
        return connection.execute("SELECT * FROM invoice WHERE year = ?", (year,)).fetchall()

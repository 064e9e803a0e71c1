"""The database of the depot."""

import sqlite3

PATH = "/srv/parcels/depot.sqlite"


def select(table, clause):
    statement = f"SELECT * FROM {table} WHERE {clause}"
    return _rows(statement)


def select_bound(table, clause, values):
    statement = f"SELECT * FROM {table} WHERE {clause}"
    return _rows(statement, values)


def _rows(statement, values=()):
    with sqlite3.connect(PATH) as connection:
        connection.row_factory = sqlite3.Row
        return [dict(row) for row in connection.execute(statement, values)]

"""Rows in SQLite: connections, statements, transactions, migrations."""

import contextlib
import sqlite3


def connect(path):
    """Open a database file with foreign keys switched on."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.row_factory = sqlite3.Row
    connection.execute("PRAGMA foreign_keys = ON")
    return connection


def fetch_all(connection, statement, parameters=()):
    """Run a query with bound parameters and return its rows."""
    cursor = connection.execute(statement, parameters)
    return [dict(row) for row in cursor]


@contextlib.contextmanager
def transaction(connection):
    """Commit at the end, or roll back when anything inside fails."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield connection
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def bulk_insert(connection, table, columns, rows):
    """Insert many rows of a table in one go."""
    if not rows:
        return
    marks = ", ".join("?" * len(columns))
    names = ", ".join(columns)
    with transaction(connection):
        connection.executemany(f"INSERT INTO {table} ({names}) VALUES ({marks})", rows)


def apply_migrations(connection, migrations):
    """Bring the schema up to date, step by step, skipping what was done."""
    (done,) = connection.execute("PRAGMA user_version").fetchone()
    for number, script in enumerate(migrations[done:], done + 1):
        with transaction(connection):
            connection.execute(script)
            connection.execute(f"PRAGMA user_version = {number}")

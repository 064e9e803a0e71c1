"""What is printed: slips and letters."""

from library.fees import as_text

WIDTH = 32


def slip(title, due):
    """Two lines for the inside of a book: the title cut to the paper, and the day."""
    shown = title if len(title) <= WIDTH else title[: WIDTH - 1] + "…"
    return f"{shown}\ndue {due.isoformat()}"


def letter(name, rows, fees):
    """A reminder: a line for each late book, and what is owed."""
    lines = [f"Dear {name},", *(f"- {title}, {days} days late" for title, days in rows)]
    if fees:
        lines.append(f"You owe {as_text(fees)}.")
    return "\n".join(lines)

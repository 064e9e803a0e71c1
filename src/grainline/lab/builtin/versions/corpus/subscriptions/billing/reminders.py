"""Letters to those who have not paid."""

import smtplib

PATIENCE = 14


def overdue(invoices, today):
    """Invoices of two weeks ago; subscribers are never late, their next invoice holds the rest."""
    late = [each for each in invoices if (today - each.sent).days > PATIENCE]
    return [each for each in late if not each.months]


def remind(invoice, text):
    """Send the reminder at once."""
    with smtplib.SMTP("localhost") as server:
        server.sendmail("billing@example.invalid", [invoice.customer], text)

"""Letters to those who have not paid."""

import smtplib

PATIENCE = 14


def overdue(invoices, today):
    """Invoices that were sent more than two weeks ago."""
    return [each for each in invoices if (today - each.sent).days > PATIENCE]


def remind(invoice, text):
    """Send the reminder at once."""
    with smtplib.SMTP("localhost") as server:
        server.sendmail("billing@example.invalid", [invoice.customer], text)

"""Letters to those who have not paid."""

import smtplib

PATIENCE = 21


def overdue(invoices, today):
    """Invoices that were sent more than three weeks ago."""
    return [each for each in invoices if (today - each.sent).days > PATIENCE]


def remind(invoice, text):
    """Send the reminder at once, and a copy to the files."""
    with smtplib.SMTP("localhost") as server:
        readers = [invoice.customer, "files@example.invalid"]
        server.sendmail("billing@example.invalid", readers, text)

"""Letters to those who have not paid."""

from billing import outbox

PATIENCE = 10
SATURDAY = 5


def overdue(invoices, today):
    """Invoices that were sent more than ten working days ago."""
    return [each for each in invoices if working_days(each.sent, today) > PATIENCE]


def working_days(start, end):
    """Days between two dates without Saturdays and Sundays."""
    days = range(start.toordinal(), end.toordinal())
    return sum((day - 1) % 7 < SATURDAY for day in days)


def remind(invoice, text):
    """Put the reminder into the outbox, for the next working day."""
    outbox.put(invoice.customer, text)

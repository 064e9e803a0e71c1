"""Paper: labels and receipts go to the printers of the depot."""

import shlex

from api.platform import spool


def print_label(number, printer):
    job = {"file": f"/var/spool/labels/{number}.pdf", "queue": printer}
    spool.submit(job)
    return {"printed": number}


def print_receipt(number, printer):
    queue = shlex.quote(printer)
    job = {"file": f"/var/spool/receipts/{number}.pdf", "queue": queue}
    spool.submit(job)
    return {"printed": number}

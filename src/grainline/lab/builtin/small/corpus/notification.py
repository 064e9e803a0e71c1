"""Messages to users: templates, e-mail, text messages, a queue."""

import logging
import smtplib
import string
import time
from email.message import EmailMessage

log = logging.getLogger(__name__)

QUEUE = []
ATTEMPTS = 3


def render_template(text, values):
    """Fill the placeholders of a template."""
    return string.Template(text).safe_substitute(values)


def send_email(address, subject, body, host="localhost"):
    """Hand an e-mail over to the mail server."""
    message = EmailMessage()
    message["To"] = address
    message["Subject"] = subject
    message.set_content(body)
    with smtplib.SMTP(host) as server:
        server.send_message(message)


def send_sms(gateway, number, text):
    """Send a text message, cut to what a phone shows."""
    gateway.post("/messages", json={"to": number, "text": text[:160]})


def enqueue(send, *args):
    """Put a message into the queue, to be sent later."""
    QUEUE.append((send, args))


def deliver_queue():
    """Send what is queued; retry a failed message with growing pauses."""
    while QUEUE:
        send, args = QUEUE.pop(0)
        for attempt in range(ATTEMPTS):
            try:
                send(*args)
                break
            except OSError:
                time.sleep(2**attempt)
        else:
            log.error("gave up on a message after %d attempts", ATTEMPTS)

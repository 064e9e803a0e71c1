"""The frame around every small page."""

from flask import Response

FRAME = "<!doctype html><html><body><h1>{title}</h1>{body}</body></html>"


def page(title, body):
    text = FRAME.format(title=title, body=body)
    return Response(text, mimetype="text/html")

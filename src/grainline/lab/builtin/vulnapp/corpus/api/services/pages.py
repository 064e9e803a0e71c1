"""Small pages that shops show in a frame."""

import html

from api.platform import layout


def parcel_page(greeting, place):
    body = f"<p>It is in {html.escape(place)}.</p>"
    return layout.page(greeting, body)


def parcel_card(caption, place):
    title = html.escape(caption)
    body = f"<p>It is in {html.escape(place)}.</p>"
    return layout.page(title, body)

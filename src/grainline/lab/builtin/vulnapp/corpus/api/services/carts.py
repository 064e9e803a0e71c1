"""Carts: what is in them, and what it weighs."""

import hashlib
import hmac
import os

from api.platform import codec

KEY = os.environ["CART_KEY"].encode()


def restore(packed):
    cart = codec.unpack(packed)
    return {"items": cart["items"], "weight": weigh(cart)}


def transfer(packed):
    body, _, seal = packed.rpartition(".")
    expected = hmac.new(KEY, body.encode(), hashlib.sha256).hexdigest()
    if not hmac.compare_digest(seal, expected):
        raise PermissionError("the cart was not packed here")
    return {"weight": weigh(codec.unpack(body))}


def weigh(cart):
    return sum(item["grams"] * item["count"] for item in cart["items"])

"""Accounts of depot staff."""

import hashlib

from api.platform import store


def check(name, password):
    rows = store.select_bound("people", "name = ?", (name,))
    digest = hashlib.scrypt(password.encode(), salt=name.encode(), n=2**14, r=8, p=1)
    if not rows or rows[0]["digest"] != digest.hex():
        raise PermissionError(name)
    return rows[0]["id"]

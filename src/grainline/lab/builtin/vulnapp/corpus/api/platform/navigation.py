"""Where a browser goes next."""

from flask import redirect

HOME = "/"


def go_on(target):
    return redirect(target)


def go_home(target):
    if not is_local(target):
        target = HOME
    return redirect(target)


def is_local(target):
    return target.startswith("/") and not target.startswith(("//", "/\\"))

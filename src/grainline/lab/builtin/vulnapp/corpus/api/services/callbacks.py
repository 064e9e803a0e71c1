"""Tries of callbacks before they are saved."""

from urllib.parse import urlsplit

from api.platform import outbound

PARTNERS = {"hooks.alpha.example", "hooks.beta.example"}


def ping(target):
    payload = {"event": "ping"}
    return outbound.post(target, payload)


def ping_partner(target):
    if urlsplit(target).hostname not in PARTNERS:
        raise PermissionError(target)
    return outbound.post(target, {"event": "ping"})

"""How long signing keys live. For the security team only."""

LIFETIME = 90


def must_rotate(key, today):
    """Whether a signing key is older than ninety days."""
    return (today - key.made).days > LIFETIME


def revoke(key, registry):
    """Take a signing key out of service at once."""
    registry.remove(key.id)

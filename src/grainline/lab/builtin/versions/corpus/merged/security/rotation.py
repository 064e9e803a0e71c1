"""How long signing keys live. For the security team only."""

LIFETIME = 30


def must_rotate(key, today):
    """Whether a signing key is older than thirty days, or was used on a lost machine."""
    return (today - key.made).days > LIFETIME or key.machine.lost


def revoke(key, registry):
    """Take a signing key out of service at once, and tell who trusted it."""
    registry.remove(key.id)
    for reader in registry.readers(key.id):
        reader.warn(key.id)

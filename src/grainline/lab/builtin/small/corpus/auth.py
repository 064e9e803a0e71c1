"""Who is asking: passwords, session tokens, roles."""

import base64
import functools
import hashlib
import hmac
import json
import os
import time

SESSION_SECONDS = 3600
REVOKED = set()


def hash_password(password, salt=None):
    """Derive a salted hash that is safe to keep."""
    salt = salt or os.urandom(16)
    digest = hashlib.scrypt(password.encode(), salt=salt, n=2**14, r=8, p=1)
    return salt.hex() + "$" + digest.hex()


def verify_password(password, stored):
    """Tell whether a password belongs to a stored hash."""
    salt = bytes.fromhex(stored.partition("$")[0])
    return hmac.compare_digest(hash_password(password, salt), stored)


def issue_token(user, key):
    """Sign a session token that expires after an hour."""
    claims = {"sub": user["id"], "roles": user["roles"], "exp": time.time() + SESSION_SECONDS}
    body = base64.urlsafe_b64encode(json.dumps(claims).encode()).decode()
    return body + "." + hmac.new(key, body.encode(), "sha256").hexdigest()


def decode_token(token, key):
    """Read the claims of a token, or None when it is forged, expired or revoked."""
    body, _, signature = token.rpartition(".")
    expected = hmac.new(key, body.encode(), "sha256").hexdigest()
    if token in REVOKED or not hmac.compare_digest(signature, expected):
        return None
    claims = json.loads(base64.urlsafe_b64decode(body))
    return claims if claims["exp"] > time.time() else None


def require_role(role):
    """Refuse a handler to callers who do not have a role."""

    def decorate(handler):
        @functools.wraps(handler)
        def guarded(claims, *args):
            if claims is None or role not in claims["roles"]:
                raise PermissionError(role)
            return handler(claims, *args)

        return guarded

    return decorate


def revoke_session(token):
    """Log a session out before it expires."""
    REVOKED.add(token)

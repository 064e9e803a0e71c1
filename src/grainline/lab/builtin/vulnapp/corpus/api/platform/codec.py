"""Values packed into text."""

import base64
import pickle


def pack(value):
    return base64.urlsafe_b64encode(pickle.dumps(value)).decode()


def unpack(text):
    raw = base64.urlsafe_b64decode(text)
    return pickle.loads(raw)

"""Requests to others."""

import requests

SECONDS = 5


def post(url, payload):
    answer = requests.post(url, json=payload, timeout=SECONDS)
    return answer.status_code

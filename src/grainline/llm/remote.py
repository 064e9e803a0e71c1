"""Any OpenAI-compatible endpoint (OpenAI, Ollama, vLLM, TEI gateways): POST URL/chat/completions.

Nothing is sent anywhere unless the user names the URL. The key is read from the environment
variable that the user names, goes into one header and into no message, log or error. Redirects are
refused, for a key must not travel to another host. What comes back is bounded and checked.
"""

from __future__ import annotations

import json
import math
import os
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from email.message import Message as Headers
from typing import IO, Any, cast
from urllib.parse import urlsplit

from grainline.errors import BadInput, ResourceExhausted
from grainline.llm.base import LIMITS, Completion, Limits, Message

MAX_BYTES = 8 << 20  # of an answer
TRIES = 4
LONGEST_WAIT = 30.0  # seconds between two tries
AGAIN = frozenset({408, 409, 425, 429, 500, 502, 503, 504})
"""Answers that mean: not now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """Where a model answers. `url` ends before `/chat/completions`; `key_env` names a variable."""

    url: str
    model: str
    key_env: str = ""


class Remote:
    """A model behind an endpoint."""

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        environ: Mapping[str, str] = os.environ,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        parts = urlsplit(endpoint.url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise BadInput(
                "bad_endpoint",
                "the model's URL is none of http or https",
                subject=_host(endpoint.url),
                hint="like https://host/v1",
            )
        if not endpoint.model:
            raise BadInput("bad_endpoint", "no model is named", hint="--llm-model NAME")
        if parts.username or parts.password:
            raise BadInput(
                "bad_endpoint",
                "the model's URL holds a user or a password",
                subject=parts.hostname,
                hint="put the key into an environment variable and name that: --llm-key-env VAR",
            )
        if endpoint.key_env and not environ.get(endpoint.key_env):
            raise BadInput(
                "no_key", f"the environment variable {endpoint.key_env} is not set or empty"
            )
        self._endpoint = endpoint
        self._key = environ.get(endpoint.key_env, "") if endpoint.key_env else ""
        self._sleep = sleep
        self._opener = urllib.request.build_opener(_NoRedirect)
        self.name = f"{endpoint.model} at {parts.netloc}"

    def complete(
        self, messages: Sequence[Message], *, limits: Limits = LIMITS, seed: int = 0
    ) -> Completion:
        """See `LanguageModel`; tries again when the endpoint is busy, as long as it asks for."""
        body = {
            "model": self._endpoint.model,
            "messages": [{"role": each.role, "content": each.text} for each in messages],
            "max_tokens": limits.tokens,
            "temperature": 0,
            "seed": seed,
        }
        for number in range(1, TRIES + 1):
            try:
                return _completion(self._post(body, limits.seconds))
            except _BusyError as busy:
                if number == TRIES:
                    raise self._exhausted(f"{busy} ({TRIES} tries)") from None
                self._sleep(min(busy.wait or 2.0**number, LONGEST_WAIT))
            except ValueError as error:
                raise self._exhausted(f"its answer cannot be read: {error}") from None
        raise AssertionError("the last try returned or raised")

    def _exhausted(self, said: str) -> ResourceExhausted:
        return ResourceExhausted("endpoint", said, subject=self.name)

    def _post(self, body: Mapping[str, Any], seconds: float) -> bytes:
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        request = urllib.request.Request(
            self._endpoint.url.rstrip("/") + "/chat/completions",
            data=json.dumps(body).encode(),
            headers=headers,
            method="POST",
        )
        try:
            with self._opener.open(request, timeout=seconds) as answer:
                data: bytes = answer.read(MAX_BYTES + 1)
        except urllib.error.HTTPError as error:
            with error:
                raise self._refusal(error) from None
        except (urllib.error.URLError, TimeoutError, ConnectionError) as error:
            raise _BusyError(f"it cannot be reached: {_reason(error)}") from None
        if len(data) > MAX_BYTES:
            raise ValueError(f"more than {MAX_BYTES} bytes")
        return data

    def _refusal(self, error: urllib.error.HTTPError) -> Exception:
        if error.code in AGAIN:
            return _BusyError(f"it answers {error.code}", _wait(error.headers))
        if 300 <= error.code < 400:
            return BadInput(
                "endpoint_moved",
                f"it answers {error.code}, and redirects are not followed",
                subject=self.name,
                hint="name the URL that it points to",
            )
        said = error.read(400).decode("utf-8", "replace").replace("\n", " ")
        said = said.replace(self._key, "KEY") if self._key else said
        return BadInput("endpoint_refused", f"it answers {error.code}: {said}", subject=self.name)


class _BusyError(Exception):
    """Not now; `wait` is what the endpoint asks for, in seconds."""

    def __init__(self, said: str, wait: float = 0.0) -> None:
        super().__init__(said)
        self.wait = wait


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(
        self, req: Any, fp: IO[bytes], code: int, msg: str, headers: Headers, newurl: str
    ) -> None:
        """None: a redirect stays an error."""


def _completion(data: bytes) -> Completion:
    """Raises ValueError for what is no answer of such an endpoint."""
    try:
        row = json.loads(data)
        text = row["choices"][0]["message"]["content"]
    except (KeyError, IndexError, TypeError):
        raise ValueError("it has no choices[0].message.content") from None
    if not isinstance(text, str):
        raise ValueError("choices[0].message.content is no text")
    usage = row.get("usage")
    counts: Mapping[str, Any] = cast("dict[str, Any]", usage) if isinstance(usage, dict) else {}
    return Completion(text, _count(counts, "prompt_tokens"), _count(counts, "completion_tokens"))


def _count(usage: Mapping[str, Any], name: str) -> int:
    value = usage.get(name, 0)
    return value if isinstance(value, int) and value >= 0 else 0


def _wait(headers: Headers) -> float:
    """`Retry-After` in seconds; 0.0 where it is absent or a date."""
    try:
        wait = float(headers.get("Retry-After", "0"))
    except ValueError:
        return 0.0
    return wait if math.isfinite(wait) and wait > 0 else 0.0


def _reason(error: Exception) -> str:
    return str(getattr(error, "reason", error)) or type(error).__name__


def _host(url: str) -> str:
    """What may be shown of a URL that may hold a password."""
    return urlsplit(url).hostname or "(no host)"

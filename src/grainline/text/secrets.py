"""Secrets out of stored bytes, before anything is kept: one filler byte for each byte of one.

Masking works on the stored bytes and keeps their length and their lines, so that every offset and
every line number stays true. It reads ASCII: a secret in UTF-16 or UTF-32 is not seen. Rules are
conservative where a name alone suggests a secret (its value must look random), and strict where
the value has a form of its own. Masking twice changes nothing.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import NamedTuple

from grainline.text.linear import linear

RULES_VERSION = 1
"""Of `mask` and `is_secret_path`; part of every feature version and of the raw to masked map.

1: AWS, PEM, provider tokens, JWT, URL credentials, random values of secret names.
"""

FILLER = b"*"


class SecretSpan(NamedTuple):
    """Masked bytes `[start, end)` and the rule that found them."""

    start: int
    end: int
    rule: str


def mask(data: bytes) -> tuple[bytes, tuple[SecretSpan, ...]]:
    """The masked view of stored bytes, of the same length, and what was masked, in order."""
    if not _ANY.search(data):
        return data, ()
    spans = _merged(sorted(span for rule in _RULES for span in rule(data)))
    if not spans:
        return data, ()
    out = bytearray(data)
    for span in spans:
        out[span.start : span.end] = FILLER * (span.end - span.start)
    return bytes(out), spans


def _merged(spans: list[SecretSpan]) -> tuple[SecretSpan, ...]:
    """The spans without overlaps; the first rule names a merged one."""
    out: list[SecretSpan] = []
    for span in spans:
        if out and span.start < out[-1].end:
            last = out[-1]
            out[-1] = SecretSpan(last.start, max(last.end, span.end), last.rule)
        else:
            out.append(span)
    return tuple(out)


# --------------------------------------------------------------------------- forms of secrets

_TOKENS: tuple[tuple[str, str], ...] = (
    ("aws", r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b"),
    ("github", r"\bgh[pousr]_[A-Za-z0-9]{36,}"),
    ("github", r"\bgithub_pat_[A-Za-z0-9_]{22,}"),
    ("gitlab", r"\bgl(?:pat|rt|dt|ptt|soat|cbt)-[A-Za-z0-9_-]{20,}"),
    ("slack", r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}"),
    ("slack", r"hooks\.slack\.com/services/T[A-Z0-9]{5,}/B[A-Z0-9]{5,}/[A-Za-z0-9]{16,}"),
    ("stripe", r"\b[sr]k_(?:live|test)_[A-Za-z0-9]{16,}"),
    ("stripe", r"\bwhsec_[A-Za-z0-9]{24,}"),
    ("google", r"\bAIza[A-Za-z0-9_-]{35}"),
    ("google", r"\bya29\.[A-Za-z0-9_-]{20,}"),
    ("google", r"\bGOCSPX-[A-Za-z0-9_-]{28}"),
    ("anthropic", r"\bsk-ant-[A-Za-z0-9_-]{20,}"),
    ("openai", r"\bsk-(?:proj-|svcacct-|admin-)[A-Za-z0-9_-]{20,}"),
    ("openai", r"\bsk-[A-Za-z0-9]{32,}"),
    ("huggingface", r"\bhf_[A-Za-z0-9]{34}\b"),
    ("npm", r"\bnpm_[A-Za-z0-9]{36}\b"),
    ("pypi", r"\bpypi-AgE[A-Za-z0-9_-]{50,}"),
    ("sendgrid", r"\bSG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}"),
    ("telegram", r"\b[0-9]{8,10}:AA[A-Za-z0-9_-]{33}\b"),
    ("digitalocean", r"\bdo[opr]_v1_[a-f0-9]{64}"),
    ("shopify", r"\bshp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"),
    ("age", r"\bAGE-SECRET-KEY-1[A-Z0-9]{58}"),
    ("azure", r"\bAccountKey=[A-Za-z0-9+/]{80,}={0,2}"),
    ("jwt", r"\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}"),
)
_PEM_BEGIN = r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
_URL = r"\b[A-Za-z][A-Za-z0-9+.-]{1,30}://[^\s/:@\"'`<>]{0,200}:([^\s/@\"'`<>]{3,})@"
_NAME = (
    r"(?i:passw(?:or)?d|passwd|passphrase|pwd|secret|token|api_?-?key|access_?-?key|auth_?-?key"
    r"|private_?-?key|account_?-?key|encryption_?-?key|signing_?-?key|credential)"
)
_QUOTED = _NAME + (
    r"[\w.-]{0,40}[\"'\]]{0,2}(?:: ?[A-Za-z_][\w.]{0,40})?\s{0,8}(?::=|=>|==|=|:|,)\s{0,8}"
    r"[brfu]{0,2}[\"'`]([^\s\"'`]{12,})[\"'`]"
)
_BARE = (
    _NAME
    + r"[\w.-]{0,40}[\"']?[ \t]{0,8}[:=][ \t]{0,8}([A-Za-z0-9+/_=~!@#%^&*-]{16,})(?:[\s,;\"'`#<]|$)"
)
_AUTHORIZATION = (
    r"(?i:authorization)[\"']?\s{0,4}[:=,]\s{0,4}[\"'`]?(?i:basic|bearer|token)"
    r"[ \t]{1,4}([A-Za-z0-9+/=._~-]{16,})"
)


def _loose(pattern: str) -> str:
    """A wider pattern without long counts: it needs few states, so it stays one pass."""
    pattern = re.sub(r"\{0,\d+\}", "*", pattern)
    pattern = re.sub(r"\{1,\d+\}", "+", pattern)
    return re.sub(r"\{(\d+)(?:,\d*)?\}", lambda n: f"{{{min(int(n[1]), _LOOSE)},}}", pattern)


_LOOSE = 8
_ANY = linear(
    "|".join(
        map(
            _loose,
            [*(form for _, form in _TOKENS), _PEM_BEGIN, _URL, _QUOTED, _BARE, _AUTHORIZATION],
        )
    )
)


def _tokens(data: bytes) -> Iterator[SecretSpan]:
    for found in _ANY_TOKEN.finditer(data):
        for rule, form in _TOKEN_RULES:
            if form.fullmatch(found[0]):
                yield SecretSpan(found.start(), found.end(), f"token:{rule}")
                break


_ANY_TOKEN = linear("|".join(form for _, form in _TOKENS))
_TOKEN_RULES = tuple((rule, re.compile(form.encode())) for rule, form in _TOKENS)

_AWS_ID = linear(_TOKENS[0][1])
_AWS_SECRET = re.compile(rb"(?<![A-Za-z0-9/+=])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])")
_AWS_REACH = 400  # bytes around a key id in which its secret stands


def _aws(data: bytes) -> Iterator[SecretSpan]:
    for found in _AWS_ID.finditer(data):
        low = max(0, found.start() - _AWS_REACH)
        for beside in _AWS_SECRET.finditer(data, low, found.end() + _AWS_REACH):
            if not beside[0].islower() and not beside[0].isupper() and not beside[0].isalpha():
                yield SecretSpan(beside.start(), beside.end(), "aws:secret")


_PEM = linear(_PEM_BEGIN)
_PEM_END = re.compile(rb"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_PEM_LIMIT = 64 * 1024  # bytes; a 16,384-bit RSA key has 13 KB
_PEM_RUN = re.compile(rb"\\[nrt]|([A-Za-z0-9+/=]+)")  # line ends may be written out
_PEM_LINE = 16  # bytes that a line of a key has at least, but for the last
_WORD = 4  # bytes; shorter runs say nothing


def _pem(data: bytes) -> Iterator[SecretSpan]:
    for begin in _PEM.finditer(data):
        limit = min(len(data), begin.end() + _PEM_LIMIT)
        end = _PEM_END.search(data, begin.end(), limit)
        found = _PEM_RUN.finditer(data, begin.end(), end.start() if end else limit)
        runs = [SecretSpan(run.start(1), run.end(1), "pem") for run in found if run.lastindex]
        yield from _key_lines(runs) if end else _open_key(runs)


def _key_lines(runs: list[SecretSpan]) -> Iterator[SecretSpan]:
    """All of a key; of code between the two marks only what is as long as a line of a key."""
    long = sum(run.end - run.start for run in runs if run.end - run.start >= _PEM_LINE)
    total = sum(run.end - run.start for run in runs)
    least = _WORD if long * 10 >= 7 * total else 2 * _PEM_LINE
    return (run for run in runs if run.end - run.start >= least)


def _open_key(runs: list[SecretSpan]) -> Iterator[SecretSpan]:
    """A key whose end is missing goes on as long as its lines follow each other."""
    at = runs[0].start if runs else 0
    for run in runs:
        if run.end - run.start < _PEM_LINE or run.start - at > _PEM_LINE:
            return
        yield run
        at = run.end


_URL_RULE = linear(_URL)
_PLACEHOLDERS = frozenset(
    b"""
    password passwd passw pass pwd secret user username token key apikey xxx xxxx test foo bar baz
    example changeme change_me your_password yourpassword mypassword pass123 password123
    """.split()
)
_TEMPLATE = re.compile(rb"[{}<>]|\$\w|\$\(|%[sd(]|\*{3}|\.\.\.")


def _url(data: bytes) -> Iterator[SecretSpan]:
    for found in _URL_RULE.finditer(data):
        value = found[1]
        if value.lower() not in _PLACEHOLDERS and not _TEMPLATE.search(value):
            yield SecretSpan(found.start(1), found.end(1), "url")


_VALUE_RULES = tuple(map(linear, (_QUOTED, _BARE, _AUTHORIZATION)))


def _values(data: bytes) -> Iterator[SecretSpan]:
    for rule in _VALUE_RULES:
        for found in rule.finditer(data):
            if _looks_random(found[1]):
                yield SecretSpan(found.start(1), found.end(1), "value")


_RULES: tuple[Callable[[bytes], Iterator[SecretSpan]], ...] = (_tokens, _aws, _pem, _url, _values)

# --------------------------------------------------------------------------- what looks random

_RANDOM_LENGTH = 16
_RANDOM_ENTROPY = 3.0  # bits per byte; 16 random hex digits have 3.2, words of that length too
_RANDOM_TURNS = 0.35  # changes of character class per byte: base64 has .6, names and words .1 to .3
_LONGEST_WORD = 7  # letters of one case in a row; random base64 reaches 8 once in 50 values
_HEX = re.compile(rb"(?:[0-9a-f]+|[0-9A-F]+)")
_WORDS = re.compile(rb"[a-z]{8,}|[A-Z]{8,}")
_CLASS = bytes(
    ord("a") if 97 <= b <= 122 else ord("A") if 65 <= b <= 90 else ord("0") if 48 <= b <= 57
    else ord("-") for b in range(256)
)  # fmt: skip


def _looks_random(value: bytes) -> bool:
    """Whether a value is no word, name, path, number or template, but random characters."""
    classes = value.translate(_CLASS)
    digits = classes.count(b"0")
    letters = classes.count(b"a") + classes.count(b"A")
    if len(value) < _RANDOM_LENGTH or digits < 2 or letters < 3 or _TEMPLATE.search(value):
        return False
    if _entropy(value) < _RANDOM_ENTROPY:
        return False
    if _HEX.fullmatch(value):
        return True
    turns = sum(a != b for a, b in pairwise(classes))
    return turns >= _RANDOM_TURNS * len(value) and not _WORDS.search(value)


def _entropy(value: bytes) -> float:
    size = len(value)
    return -sum(n / size * math.log2(n / size) for n in Counter(value).values())


# --------------------------------------------------------------------------- paths

_SECRET_NAMES = frozenset(
    b"""
    .env .envrc .netrc _netrc .pgpass .my.cnf .htpasswd .git-credentials .dockercfg .vault-token
    id_rsa id_dsa id_ecdsa id_ed25519 secring.gpg
    """.split()
)
_SECRET_SUFFIXES = (b".jks", b".keystore", b".p12", b".pfx", b".kdbx", b".kdb", b".ppk", b".bks")
_SECRET_FOLDERS = (b".aws/credentials", b".docker/config.json", b".kube/config")
_SAMPLES = (b".example", b".sample", b".template", b".dist", b".defaults", b".tpl")


def is_secret_path(path: bytes) -> str | None:
    """The rule by which a path names a file of secrets, or None. Such files are not read at all."""
    low = path.lower()
    name = low.rpartition(b"/")[2]
    if name.endswith(_SAMPLES):
        return None
    if name in _SECRET_NAMES:
        return f"path:{name.decode()}"
    if name.startswith(b".env."):
        return "path:.env.*"
    if name.endswith(_SECRET_SUFFIXES):
        return f"path:*.{name.rpartition(b'.')[2].decode()}"
    for folder in _SECRET_FOLDERS:
        if low == folder or low.endswith(b"/" + folder):
            return f"path:{folder.decode()}"
    return None

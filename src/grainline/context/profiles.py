"""Profiles: what a kind of question wants to see, as weights of the expansion rules."""

from __future__ import annotations

import re

from grainline.model.evidence import Profile

# Weights in [0, 1.5], multiplied with a neighbour's own weight; a rule not listed has `_OTHER`.
_OTHER = 0.8
_WEIGHTS: dict[Profile, dict[str, float]] = {
    Profile.INJECTION: {
        "flow": 1.5,
        "helpers": 1.2,
        "callees": 1.2,
        "callers": 1.3,
        "tests": 0.4,
        "docs": 0.3,
        "related": 0.6,
    },
    Profile.LIFETIME: {
        "flow": 0.9,
        "members": 1.3,
        "enclosing": 1.1,
        "helpers": 1.1,
        "callees": 1.1,
        "tests": 0.4,
        "docs": 0.3,
    },
    Profile.PERMISSION: {
        "flow": 1.0,
        "callers": 1.3,
        "helpers": 1.2,
        "callees": 1.2,
        "enclosing": 1.1,
        "docs": 0.5,
    },
    Profile.FAILURE: {
        "flow": 1.0,
        "tests": 1.5,
        "helpers": 1.2,
        "callees": 1.2,
        "callers": 1.1,
        "parts": 1.1,
        "docs": 0.4,
    },
    Profile.UNDERSTANDING: {
        "flow": 1.0,
        "helpers": 1.1,
        "callees": 1.1,
        "definitions": 1.1,
        "signature_types": 1.1,
        "docs": 1.1,
        "tests": 0.9,
    },
    Profile.IMPACT: {
        "flow": 1.0,
        "callers": 1.5,
        "overrides": 1.4,
        "tests": 1.3,
        "helpers": 0.5,
        "callees": 0.5,
        "definitions": 0.5,
        "imports": 0.5,
        "docs": 0.8,
    },
    Profile.COMPLETION: {
        "flow": 0.3,
        "imports": 1.5,
        "signature_types": 1.4,
        "members": 1.3,
        "definitions": 1.1,
        "docs": 0.3,
    },
}

_CUES: tuple[tuple[Profile, re.Pattern[str]], ...] = (
    (
        Profile.INJECTION,
        re.compile(r"\b(inject\w*|xss|sqli|taint\w*|sanit\w+|untrusted)\b|注入", re.IGNORECASE),
    ),
    (
        Profile.PERMISSION,
        re.compile(r"\b(permission\w*|authori[sz]\w+|access control)\b|权限|鉴权", re.IGNORECASE),
    ),
    (
        Profile.LIFETIME,
        re.compile(
            r"\b(leak\w*|use.after.free|double.free|lifetime|dangling)\b|泄漏", re.IGNORECASE
        ),
    ),
    (
        Profile.FAILURE,
        re.compile(
            r"\bTraceback \(most recent|\b\w+(Error|Exception)\b|\b(fails|failing|failure|crash\w*)\b"
            r"|失败|报错|崩溃",
        ),
    ),
    (
        Profile.IMPACT,
        re.compile(
            r"\b(impact|who (calls|uses)|callers of|(the|each|every|any) caller of|what breaks|used by)\b"
            r"|影响|谁调用",
            re.IGNORECASE,
        ),
    ),
)


_DATA = re.compile(
    r"\b(data ?flows?|flows? (in)?to|where (does|do|is|are)\b.{1,80}\b(go|goes|end up|come from|comes from|used)"
    r"|(come|comes|coming) from|reach(es)?|propagat\w+|tainted?|user (input|data))\b"
    r"|数据流|流向|流到|来自哪里|传到|データフロー",
    re.IGNORECASE,
)


def about_data(profile: Profile, query: str) -> bool:
    """Whether a question is about where data comes from or goes to."""
    return profile is Profile.INJECTION or bool(_DATA.search(query))


def resolve(profile: Profile, query: str) -> Profile:
    """`profile`, or for `auto` the first one whose cue the question holds."""
    if profile is not Profile.AUTO:
        return profile
    for found, cue in _CUES:
        if cue.search(query):
            return found
    return Profile.UNDERSTANDING


def weight(profile: Profile, rule: str) -> float:
    """How much `profile` wants what `rule` finds."""
    return _WEIGHTS.get(profile, {}).get(rule, _OTHER)

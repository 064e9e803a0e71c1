"""The seam of language models: messages in, text out, with what it cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol


class Message(NamedTuple):
    """One turn of a conversation."""

    role: Literal["system", "user", "assistant"]
    text: str


class Completion(NamedTuple):
    """What a model wrote. Tokens are its own count; 0 when it does not say."""

    text: str
    prompt_tokens: int = 0
    answer_tokens: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Of one answer: its tokens, and seconds of waiting for it."""

    tokens: int = 1024
    seconds: float = 120.0


LIMITS = Limits()
"""What holds where nothing is said."""


class LanguageModel(Protocol):
    """Writes. `name` says which model it is, and where; it never holds a key."""

    name: str

    def complete(
        self, messages: Sequence[Message], *, limits: Limits = LIMITS, seed: int = 0
    ) -> Completion:
        """The next turn, as steady as the model can be (temperature 0, the seed).

        Raises:
            ResourceExhausted: it did not answer, or not in a way that can be read.
            BadInput: it refused the request itself (a wrong model name, a wrong key).
        """
        ...

"""A model that says what it was told to say: for tests, and for trying a pipeline without a model."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from grainline.llm.base import LIMITS, Completion, Limits, Message


class Scripted:
    """Answers by a function of the last message; remembers what it was asked."""

    name = "scripted"

    def __init__(self, reply: Callable[[str], str]) -> None:
        self._reply = reply
        self.asked: list[tuple[Message, ...]] = []

    def complete(
        self, messages: Sequence[Message], *, limits: Limits = LIMITS, seed: int = 0
    ) -> Completion:
        """Words count as tokens."""
        del limits, seed
        self.asked.append(tuple(messages))
        text = self._reply(messages[-1].text)
        read = sum(len(message.text.split()) for message in messages)
        return Completion(text, read, len(text.split()))

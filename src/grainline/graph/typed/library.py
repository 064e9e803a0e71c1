"""Types that are not there and well known: what their methods give, in a few words each.

    java.util.List<E> < Collection<E>: get(int) E; stream() Stream<E>; ...

A line is a class, `@` before one that a function can stand for: as the first of
its methods. Names are those of the lines
before; a word of one capital that is no variable of the class is a variable of the method.
"""

from __future__ import annotations

import re
from typing import Any, Final

from grainline.graph.typed.program import Function
from grainline.graph.typed.types import BOXES, OBJECT, Bindings, Type, cut, substitute
from grainline.model.ir import ABSTRACT, STATIC, Param

_TOKEN = re.compile(r"[\w.`]+|[<>,\[\]]")
_METHOD = re.compile(r"(static )?(\w+)\(([^)]*)\) ?(\S*)$")


class Row:
    """A class of the library."""

    __slots__ = ("functional", "methods", "name", "supers", "variables")

    def __init__(self, name: str, variables: list[str], *, functional: bool) -> None:
        self.name = name
        self.variables = variables
        self.functional = functional
        self.supers: list[Type] = []
        self.methods: dict[str, list[Function]] = {}


class Library:
    """The classes that a text describes."""

    def __init__(self, text: str) -> None:
        self.rows: dict[str, Row] = {}
        self._simple: dict[str, str] = {}
        self._orders: dict[str, list[Type]] = {}
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        heads = [self._head(line) for line in lines]
        for line, row in zip(lines, heads, strict=True):
            self._body(line, row)

    def _head(self, line: str) -> Row:
        head = line.partition(":")[0].partition(" < ")[0].strip()
        name, _, rest = head.removeprefix("@").partition("<")
        variables = [each.strip() for each in rest.rstrip(">").split(",") if each.strip()]
        row = Row(name, variables, functional=head.startswith("@"))
        self.rows[name] = row
        self._simple.setdefault(name.rpartition(".")[2], name)
        return row

    def _body(self, line: str, row: Row) -> None:
        head, _, body = line.partition(":")
        _, _, above = head.partition(" < ")
        row.supers = [self._type(each, row) for each in _split(above)] if above else []
        if row.name != OBJECT[1]:
            row.supers.append(OBJECT)
        for text in body.split(";"):
            found = _METHOD.match(text.strip())
            if found is None:
                continue
            static, name, given, result = found.groups()
            parts = _split(given)
            starred = bool(parts) and parts[-1].endswith("...")
            types = [self._type(each.removesuffix("..."), row) for each in parts]
            single = row.functional and not any(
                each.flags & ABSTRACT for functions in row.methods.values() for each in functions
            )
            flags = STATIC if static else ABSTRACT if single else 0
            made = Function(
                unit=-1, scope=-1, name=name, owner=-1, flags=flags,
                parameters=[(int(Param.PLAIN), "", -1)] * len(types),
                variables=[], returns=-1, types=tuple(types),
                result=self._type(result, row) if result else ("p", "void"), starred=starred,
            )  # fmt: skip
            row.methods.setdefault(name, []).append(made)

    def _type(self, text: str, row: Row) -> Type:
        """A type as written, without recursion."""
        stack: list[list[Any]] = [[]]
        for token in _TOKEN.findall(text.strip()):
            if token == "<":
                stack.append([])
            elif token == ">":
                arguments = tuple(stack.pop())
                last = stack[-1].pop()
                stack[-1].append((last[0], last[1], arguments) if last else last)
            elif token == "[":
                stack[-1].append(("a", stack[-1].pop()))
            elif token not in ",]":
                stack[-1].append(self._word(token, row))
        return stack[0][0] if stack[0] else None

    def _word(self, word: str, row: Row) -> Type:
        if word in row.variables:
            return ("v", (-1, row.name), word)
        if word in BOXES:
            return ("p", word)
        if len(word) == 1:
            return ("v", (-1, "()"), word)
        return ("x", self._simple.get(word, word), ())

    # -------------------------------------------------------------------------- asking

    def has(self, name: str) -> bool:
        """Whether a dotted name is known."""
        return name in self.rows

    def known(self, kind: Type) -> bool:
        """Whether all that a type has is known."""
        return kind is not None and kind[0] == "x" and kind[1] in self.rows

    def bindings(self, kind: tuple[Any, ...]) -> Bindings:
        """What the arguments of a type say of the variables of its class."""
        row = self.rows.get(kind[1])
        if row is None or len(row.variables) != len(kind[2]):
            return {}
        return {
            ((-1, row.name), name): argument
            for name, argument in zip(row.variables, kind[2], strict=True)
        }

    def supers(self, kind: tuple[Any, ...]) -> list[Type]:
        """The types above one of the library, at once."""
        row = self.rows.get(kind[1])
        if row is None:
            return [OBJECT]
        bindings = self.bindings(kind)
        return [cut(substitute(each, bindings)) for each in row.supers]

    def order(self, kind: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        """A type and all above it."""
        found: list[tuple[Any, ...]] = []
        seen: set[str] = set()
        open_: list[tuple[Any, ...]] = [kind]
        while open_:
            at = open_.pop(0)
            if at[1] in seen:
                continue
            seen.add(at[1])
            found.append(at)
            open_ += [each for each in self.supers(at) if each is not None and each[0] == "x"]
        return found

    def methods(self, kind: Type, name: str) -> list[tuple[Function, Bindings]]:
        """Methods of that name, nearest first, with what variables stand for."""
        if kind is None or kind[0] != "x":
            return []
        found: list[tuple[Function, Bindings]] = []
        for each in self.order(kind):
            row = self.rows.get(each[1])
            if row is not None and name in row.methods:
                bindings = self.bindings(each)
                found += [(function, bindings) for function in row.methods[name]]
        return found

    def function_of(self, kind: Type) -> tuple[Function, Bindings] | None:
        """The method of a type that a function can stand for."""
        if kind is None or kind[0] != "x":
            return None
        for each in self.order(kind):
            row = self.rows.get(each[1])
            if row is not None and row.functional:
                for functions in row.methods.values():
                    if functions[0].flags & ABSTRACT:
                        return functions[0], self.bindings(each)
        return None


def _split(text: str) -> list[str]:
    """Parts between commas outside of `<>`."""
    parts: list[str] = []
    depth, at = 0, 0
    for number, letter in enumerate(text):
        depth += (letter == "<") - (letter == ">")
        if letter == "," and not depth:
            parts.append(text[at:number].strip())
            at = number + 1
    last = text[at:].strip()
    return [*parts, last] if last else parts


FUNCTION: Final = "()"
"""The owner of type variables of methods."""

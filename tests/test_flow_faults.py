"""Rules of data flow that are taken away: a case notices each. Beside Python, the newer languages."""

from __future__ import annotations

import pytest

from test_flow_cases import cases, check

CASES = {each.id: each.values[0] for each in cases()}


def nothing(*_, **__):
    return None


FAULTS = {
    "C: what is handed to a macro ends the code": (
        "shortcuts: C: macros that may or may not run what stands in and behind them",
        "grainline.flow.native.Native.leaves", lambda self, run, op: True,
    ),
    "C++: nothing ends the code": (
        "shortcuts: C++: std::exit, std::abort and what throws",
        "grainline.flow.native.Native.leaves", lambda self, run, op: False,
    ),
    "C#: a parameter of a number is a text": (
        "csharp_values: Parameters of actions: texts, numbers, models, services",
        "grainline.flow.languages.csharp._CSharp.taken", lambda self, solver, place, index: 0,
    ),
    "Kotlin: a parameter of a number is a text": (
        "numbers: Kotlin and PHP: parameters",
        "grainline.flow.solver.is_number", lambda code, at: False,
    ),
    "Rust: an extractor of a number gives a text": (
        "numbers: Rust and Go: extractors and conversions",
        "grainline.flow.solver.is_number", lambda code, at: False,
    ),
    "PHP: a key is what stands under it": (
        "siblings: PHP: a test of a key says nothing of what stands under it",
        "grainline.flow.containers.keys_of", lambda origin: origin,
    ),
    "C#: a part of a part is that of any part": (
        "siblings: C#: groups of an expression",
        "grainline.flow.values._inner", lambda part, key: key,
    ),
    "PHP: the beginning of a key says nothing": (
        "siblings: PHP: any header is what a client sends",
        "grainline.flow.machine.Run._keyed", lambda self, holder, key: (),
    ),
    "Ruby: what is read again is other data": (
        "again: Go, Ruby, C#, JavaScript: the same",
        "grainline.flow.machine.Run.again", lambda self, op, holder, key, found: found,
    ),
    "Python: a route says nothing of its parameters": (
        "numbers: Python: routes and annotations",
        "grainline.flow.outside.converted", lambda code, op: {},
    ),
    "Java: a call that is repeated gives other data": (
        "again: Java: the same parameter of the same request",
        "grainline.flow.machine.Run.asked_again", lambda self, row, op, receiver, values: op,
    ),
    "what is put under a key that is not known is found under any": (
        "keys: Python: a constant key may be another one",
        "grainline.flow.machine.put_under", lambda value, unit, op: value,
    ),
    "a host that is written out is none": (
        "hosts: Java, Go, PHP, C#, Ruby: formats",
        "grainline.flow.outside.beginning", lambda text, others: "",
    ),
    "PHP: no function has a name": (
        "by_name: PHP: variables, call_user_func, callbacks by name",
        "grainline.flow.calls.Calls.through", nothing,
    ),
    "Java: any function literal may be meant": (
        "java_carriers: Helpers: interfaces, inner, anonymous, static, reflection",
        "grainline.flow.calls.Calls._literals", lambda self, receiver, edges: [],
    ),
    "Python: elements stay where they stood": (
        "moves: Python: elements that come to stand elsewhere, or are the rest of a list",
        "grainline.flow.moves.change", nothing,
    ),
    "JavaScript: elements stay where they stood": (
        "moves: JavaScript: elements that come to stand elsewhere",
        "grainline.flow.moves.change", nothing,
    ),
    "PHP: a text that is true is a known one": (
        "moves: PHP: any text is true, and elements that come to stand elsewhere",
        "grainline.flow.languages.php._Php.loose", False,
    ),
}  # fmt: skip


@pytest.mark.parametrize(("case", "place", "fault"), FAULTS.values(), ids=list(FAULTS))
def test_a_rule_that_is_missing_is_noticed(case, place, fault, monkeypatch):
    files = CASES[case]
    check(files)
    monkeypatch.setattr(place, fault)
    with pytest.raises((AssertionError, StopIteration)):
        check(files)

"""What names mean in Kotlin that nothing in the function binds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from grainline.flow.values import NOTHING, Class, Object, Ref, Value, ordered, pointing
from grainline.model.ir import ScopeKind

if TYPE_CHECKING:
    from grainline.flow.machine import Run
    from grainline.flow.program import Place

ALWAYS: Final = ("java.lang", "kotlin", "kotlin.collections", "kotlin.io", "kotlin.text")
"""Packages whose names every file sees."""


def outside(run: Run, name: str) -> list[str]:
    """A name that no import binds: of the package, of the language, or of what a `*` brings."""
    known = run.program.named
    own, stars, imported = run.program.packages[run.unit]
    upper = name[:1].isupper()
    packages = [own, *stars, *ALWAYS] if upper else [*stars, *imported]
    found = [f"{package}.{name}" if package else name for package in packages]
    if upper:
        for each in found:
            if (run.code.language, each) in known:
                return [each]
    return [each for each in found if run.solver.begins(run.code.language, each)] or [name]


def _property(name: str) -> str:
    return name[:1].upper() + name[1:]


def of_property(name: str) -> tuple[str, ...]:
    """Methods of Java that reading and setting a property may call."""
    return f"get{_property(name)}", f"set{_property(name)}"


def getters(run: Run, holder: Value, name: str) -> list[str]:
    """What reading a property calls that Java writes as a method, where rows are about it."""
    language = run.code.language
    found: list[str] = []
    for each in holder.names():
        if run.solver.begins(language, f"{each}.{name}"):
            return []
        known = run.solver.canonical(run, f"{each}.get{_property(name)}")
        if run.solver.begins(language, known):
            found.append(known)
    return found


def setters(run: Run, holder: Value, name: str) -> list[str]:
    """The same for setting it."""
    found = [run.solver.canonical(run, f"{each}.set{_property(name)}") for each in holder.names()]
    return [each for each in found if run.solver.begins(run.code.language, each)]


def has_member(run: Run, holder: Value, name: str) -> bool:
    """Whether what a function literal is called on may have a member of that name."""
    program, language = run.program, run.code.language
    for ref in ordered(holder.refs):
        klass = run.thing(ref).klass if isinstance(ref, Object) else None
        if klass is not None and (program.member(klass, name) or run.solver.has_field(klass, name)):
            return True
    names = holder.names()
    if any(
        run.solver.begins(language, run.solver.canonical(run, f"{each}.{name}")) for each in names
    ):
        return True
    return bool(getters(run, holder, name)) or f"*.{name}" in run.solver.modelled.known(language)


def companion_member(run: Run, holder: Value, name: str) -> Value | None:
    """A member of the object that stands for a class, by the name of the class."""
    for ref in ordered(holder.refs):
        if isinstance(ref, Class) and ref.scope and not run.solver.binds(ref.unit, ref.scope, name):
            found = _of_companion(run, (ref.unit, ref.scope), name)
            if found is not None:
                return found
    return None


def _of_companion(run: Run, klass: Place, name: str) -> Value | None:
    for scope in run.program.companions.get(klass, ()):
        if run.solver.binds(klass[0], scope, name):
            member = run.program.member((klass[0], scope), name)
            if member is None:
                return run.solver.variable_of(run, klass[0], scope, name)
    return None


def unbound(run: Run, op: int, name: str) -> Value | None:
    """`this@Name`, members of companions and of classes above that are not there, other files."""
    if name.startswith(("this@", "super@")):
        return _labelled(run, name.partition("@")[2])
    scope = run.row.parent if run.row.kind != ScopeKind.CLASS else run.scope
    while scope > 0:
        if run.code.scopes[scope].kind == ScopeKind.CLASS:
            found = _of_companion(run, (run.unit, scope), name)
            if found is None:
                found = _inherited(run, op, (run.unit, scope), name)
            if found is not None:
                return found
        scope = run.code.scopes[scope].parent
    return _of_package(run, name)


def _labelled(run: Run, label: str) -> Value:
    """The receiver of a function around, by the name of its class or of itself."""
    scope, names = run.scope, run.code.names
    while scope > 0:
        row = run.code.scopes[scope]
        above = run.code.scopes[row.parent]
        labels = {names[row.name], names[above.name] if above.kind == ScopeKind.CLASS else ""}
        if label in labels:
            if scope == run.scope:
                return run.receiver or NOTHING
            return run.solver.variable(run, scope, "this")
        scope = row.parent
    return NOTHING


def _inherited(run: Run, op: int, klass: Place, name: str) -> Value | None:
    """A member that a class outside gives, where rows are about it."""
    language = run.code.language
    above = run.solver.calls.inherited(run, klass, name).names()
    known: list[Ref] = [each for each in above if run.solver.begins(language, each)]
    if known:
        return pointing(*known)
    bases = [each.removesuffix(f".{name}") for each in above]
    calls = getters(run, Value(refs=frozenset[Ref](bases)), name)
    return run.solver.modelled.call(run, op, calls, None, []) if calls else None


def _of_package(run: Run, name: str) -> Value | None:
    """A variable of another file of the same package."""
    own = run.program.packages[run.unit].own
    for unit in run.program.of_package[run.code.language, own]:
        if unit != run.unit and run.solver.binds(unit, 0, name):
            return run.solver.variable_of(run, unit, 0, name)
    return None

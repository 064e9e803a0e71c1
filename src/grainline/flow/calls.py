"""Calls of functions that are there: which they are, what they get, what comes back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple

from grainline.flow.applying import Application, gathered
from grainline.flow.constants import key as key_of
from grainline.flow.numbers import ENFORCED, is_number
from grainline.flow.rows import TEXT
from grainline.flow.state import Thing
from grainline.flow.summaries import BOTTOM
from grainline.flow.values import (
    GIVEN_RECEIVER,
    MAX_POINTED,
    NOTHING,
    OUTER,
    UNKNOWN,
    Class,
    Function,
    Holding,
    Instance,
    Key,
    Listed,
    Object,
    Origin,
    Ref,
    Source,
    Taint,
    Value,
    harmless,
    join,
    joined,
    merge,
    ordered,
    pointing,
)
from grainline.flow.variables import MAX_REFS
from grainline.model.edge import Tier
from grainline.model.flow import Cut, Role
from grainline.model.ir import (
    ABSTRACT,
    CONSTRUCTOR,
    GETTER,
    STATIC,
    Const,
    Op,
    Param,
    Port,
    ScopeKind,
)

if TYPE_CHECKING:
    from grainline.flow.machine import Run
    from grainline.flow.program import Code, Place, Target
    from grainline.flow.solver import Solver

MAX_TARGETS: Final = 12
"""Functions that one call is followed into; more are a cut."""

FEW_TARGETS: Final = 4
"""The same when much work was done."""

MAX_HELD: Final = 12
"""Elements of a container among which are the functions that a function is looked at again for."""

MAX_KEY: Final = 32
"""Characters of a constant argument that a function is looked at again for."""


class Argument(NamedTuple):
    """One argument: kind of port, keyword, what it holds."""

    kind: int
    key: str
    value: Value
    op: int = -1


class Chosen(NamedTuple):
    """A function that is called, and on what; `makes`: it constructs this instance."""

    place: Place
    receiver: Value | None
    tier: Tier
    makes: bool = False
    variables: Object | None = None


BASE: Final[Key] = "%base"
"""Of an instance: what a base outside was made with, as an element: it is in all that is made of the whole."""


MAKES: Final = frozenset((Op.NEW, Op.CALL, Op.MAKE))
"""Operations that give a new thing."""


def _constant(means: Callable[[Const, str | None], Value], code: Code, op: int) -> Value:
    """The value of an operation that is a constant."""
    _, kind, text = code.ops[op][:3]
    return means(Const(kind), code.names[text] if text >= 0 else None)


def _is_super(run: Run, op: int) -> bool:
    """Whether an operation is the receiver as its base sees it."""
    code, a = run.ops[op][:2]
    if code == Op.CALL:
        code, a = run.ops[a][:2]
    return code == Op.LOAD and run.names[a] == run.semantics.base


def _known(refs: Iterable[object]) -> Iterator[object]:
    """Functions, classes and things outside, without what they are bound to."""
    for ref in refs:
        if isinstance(ref, Function):
            yield ref._replace(receiver=None, variables=None)
        elif isinstance(ref, Class) or (isinstance(ref, str) and not ref.startswith("?")):
            yield ref


class Calls:
    """Calls of one analysis."""

    def __init__(self, solver: Solver) -> None:
        self._solver = solver
        self._program = solver.program
        self._defaults: dict[Place, tuple[tuple[int, Value], ...]] = {}
        self._parameters: dict[Place, list[tuple[int, int, str, int]]] = {}
        self._annotations: dict[int, dict[int, list[int]]] = {}
        self._decorated: dict[Place, dict[int, frozenset[str]]] = {}
        self._begins: dict[Place, dict[str, int]] = {}
        self.bases: dict[Place, tuple[str, ...]] = {}
        """Dotted names of bases that are outside."""

    # ------------------------------------------------------------------ functions

    def has_receiver(self, place: Place) -> bool:
        """Whether a function is called on something."""
        if self._program.scope(place).kind == ScopeKind.CLASS:
            return self._solver.semantics_at(place).bodies
        if any(kind == Param.RECEIVER for _, kind, _, _ in self.parameters(place)):
            return True
        return self._program.is_method(place) and not self._is_static(place)

    def _is_static(self, place: Place) -> bool:
        """Whether a decorator takes the receiver away (`staticmethod`)."""
        return "staticmethod" in self._decorators(place)

    def is_of_class(self, place: Place) -> bool:
        """Whether the receiver of a method is the class itself."""
        return bool(self._program.scope(place).flags & STATIC) or (
            "classmethod" in self._decorators(place)
        )

    def _is_property(self, place: Place) -> bool:
        """Whether reading a member calls it."""
        if self._program.scope(place).flags & GETTER:
            return True
        return not self._decorators(place).isdisjoint(("property", "cached_property"))

    def _decorators(self, place: Place) -> frozenset[str]:
        """Plain names of the decorators of a member of a class."""
        unit, scope = place
        parent = self._program.scope(place).parent
        found = self._decorated.get((unit, parent))
        if found is None:
            code = self._program.codes[unit]
            row = code.scopes[parent]
            named_by: dict[int, set[str]] = {}
            for op in range(row.first, row.last):
                kind, a, b = code.ops[op][:3]
                if kind == Op.DECORATE and code.ops[b][0] == Op.FUNCTION:
                    named = code.ops[a]
                    if named[0] in (Op.LOAD, Op.GETATTR):
                        name = code.names[named[1 if named[0] == Op.LOAD else 2]]
                        named_by.setdefault(code.ops[b][1], set()).add(name)
            found = self._decorated[unit, parent] = {
                each: frozenset(names) for each, names in named_by.items()
            }
        return found.get(scope, frozenset())

    def parameters(self, place: Place) -> list[tuple[int, int, str, int]]:
        """(index, kind, name, annotation) of each parameter; the receiver is -1."""
        found = self._parameters.get(place)
        if found is None:
            unit, scope = place
            code = self._program.codes[unit]
            row = code.scopes[scope]
            rows = [each for each in code.params[row.params : row.params_end]
                    if each[0] != Param.TYPE]  # fmt: skip
            semantics = self._solver.semantics[code.language]
            shift = bool(rows) and (
                rows[0][0] == Param.RECEIVER
                or (semantics.shifted and self._program.is_method(place)
                    and not self._is_static(place))
            )  # fmt: skip
            found = self._parameters[place] = [
                (number - shift, kind, code.names[name], annotation)
                for number, (kind, name, _, annotation, _) in enumerate(rows)
            ]
            word = semantics.variadic
            if word and self._solver.variables.reads(unit, scope, word):
                found.append((len(rows) - shift, Param.STAR, word, -1))
        return found

    def annotations(self, run: Run, index: int) -> list[tuple[int, str]]:
        """(operation, dotted name) of what a parameter of `run` is annotated with."""
        place = (run.unit, run.scope)
        kind = next((kind for at, _, _, kind in self.parameters(place) if at == index), -1)
        found = self.annotating(run.unit, kind)
        return [(op, name) for op in found for name in self.type(run, op).names()]

    def marks(self, place: Place, index: int) -> frozenset[str]:
        """Constant words that a parameter is annotated with."""
        code = self._program.codes[place[0]]
        kind = next((kind for at, _, _, kind in self.parameters(place) if at == index), -1)
        ops = [code.ops[op] for op in self.annotating(place[0], kind)]
        return frozenset(code.names[row[2]].strip('"') for row in ops
                         if row[0] == Op.CONST and row[2] >= 0)  # fmt: skip

    def annotating(self, unit: int, kind: int) -> Sequence[int]:
        """Operations that annotate the parameter whose type the operation `kind` says."""
        if kind < 0:
            return ()
        known = self._annotations.get(unit)
        if known is None:
            known = self._annotations[unit] = {}
            for op in self._program.codes[unit].ops:
                if op[0] == Op.DECORATE:
                    known.setdefault(op[2], []).append(op[1])
        return known.get(kind, ())

    def annotated(self, run: Run, annotation: int) -> Value:
        """An instance of the type that an operation of the scope around evaluates."""
        return self.instance(run, self.type(run, annotation))

    def type(self, run: Run, annotation: int) -> Value:
        """The type that an operation of the scope around evaluates."""
        code = run.code
        op = code.ops[annotation]
        around = op[0] == Op.OPERATE and op[2] < 0 and run.semantics.cells  # `const A &`
        if op[0] == Op.GETITEM or around:
            found = self.type(run, op[1])
            if run.semantics.wrappers and all(isinstance(ref, str) for ref in found.refs):
                inner = self.type(run, op[2])  # members of what it wraps are members of it
                classes = frozenset(ref for ref in inner.refs if isinstance(ref, Class))
                found = Value(refs=found.refs | classes)
            return found
        words: list[str] = []
        at = op
        while at[0] == Op.GETATTR:
            words.append(code.names[at[2]])
            at = code.ops[at[1]]
        if at[0] == Op.IMPORT and run.semantics.wrappers:
            member = code.names[at[2]] if at[2] >= 0 else None
            base = pointing(run.semantics.imported(code.names[at[1]], member, at[3]))
        elif at[0] == Op.LOAD:
            base = self._type_named(run, code.names[at[1]])
        else:
            return NOTHING
        for word in reversed(words):
            values = [self.attribute(run, -1, ref, word) for ref in ordered(base.refs)]
            refs = frozenset[Ref]().union(*(value.refs for value in values)) if values else ()
            base = Value(refs=frozenset(refs))
        return base

    def instance(self, run: Run, kind: Value) -> Value:
        """An instance of a type: of a class that is there, or outside."""
        refs: set[Ref] = set()
        for ref in ordered(kind.refs):
            if isinstance(ref, Class):
                refs.add(Instance(ref.unit, ref.scope))
            elif isinstance(ref, str):
                refs.add(self._solver.canonical(run, f"{ref}()"))
        return Value(refs=frozenset(refs))

    def _type_named(self, run: Run, name: str) -> Value:
        scope = run.row.parent
        while scope >= 0:
            if self._solver.binds(run.unit, scope, name):
                return self._solver.variables.value((run.unit, scope, name))
            scope = run.code.scopes[scope].parent
        return self._solver.outside(run, -1, name)

    # ------------------------------------------------------------------ names

    def attribute(self, run: Run, op: int, ref: object, name: str) -> Value:
        """What the member `name` of a thing is."""
        if isinstance(ref, str):
            return pointing(self._solver.canonical(run, run.semantics.below(ref, name)))
        if isinstance(ref, Class):
            return self._of_class(run, ref, name)
        if isinstance(ref, Object):
            thing = run.thing(ref)
            if thing.klass is not None:
                found = self._program.member(thing.klass, name)
                if found is not None and self._is_property(found):
                    chosen = Chosen(found, pointing(ref), Tier.RESOLVED)
                    return self._into(run, op, chosen, []) or NOTHING
                if found is not None:
                    return pointing(Function(*found, ref))
                known = self._solver.variables.field(thing.klass, name)
                if len(known) >= MAX_REFS and op >= 0:
                    self._solver.cut(run.unit, op, Cut.FAN_OUT, "things that a field may be")
                value = join(Value(refs=known), self._declared(thing.klass, name))
                made = NOTHING if thing.symbol is not None else self.initial(run, ref, name)
                if made.refs:  # not that of the class itself, which all instances would share
                    plain = frozenset(each for each in value.refs if not isinstance(each, Object))
                    value = Value(value.taints, plain | made.refs, value.const)
                return join(value, self.inherited(run, thing.klass, name))
        return NOTHING

    def _of_class(self, run: Run, ref: Class, name: str) -> Value:
        place = (ref.unit, ref.scope)
        if ref.scope:
            found = self._program.member(place, name)
            if found is not None:
                return pointing(Function(*found))
        if not ref.scope:
            module = self._of_module(run, ref.unit, name)
            return NOTHING if module.refs == frozenset((Class(ref.unit, 0),)) else module
        owner = self._solver.variables.owner(self._program, place, name)
        if owner is not None:
            return self._solver.class_variable(run, (*owner, name), name)
        return self.inherited(run, place, name)

    def _declared(self, klass: Place, name: str) -> Value:
        """What the body of a class, or of one above it, gives a field to begin with."""
        for place in self._program.lineage(klass):
            kept = self._solver.variables.kept.get((*place, name))
            if kept is not None:
                refs = frozenset(ref for ref in kept.refs if not isinstance(ref, Object))
                taints: dict[Origin, Taint] = {origin: taint for origin, taint in kept.taints.items()
                          if isinstance(origin, Source)}  # fmt: skip
                return Value(taints, refs)
        return NOTHING

    def initial(self, run: Run, ref: Object, name: str) -> Value:
        """The thing that a field of a new instance begins with, as the body of its class makes one."""
        thing = run.thing(ref)
        key = run.semantics.key(name)
        if thing.klass is None or key in thing.fields or run.state is None:
            return NOTHING
        for unit, scope in self._program.lineage(thing.klass):
            at = self._beginnings((unit, scope)).get(name)
            if at is not None:
                inner = Object((*ref.key, key))
                run.state.heap[inner] = self._begun(unit, at)
                run.state.heap[ref] = thing._replace(fields={**thing.fields, key: pointing(inner)})
                return pointing(inner)
        return NOTHING

    def begun(self, run: Run, ref: Object, name: str) -> Value:
        """The thing that the body of its class makes for a name, the same for every instance."""
        assert run.state is not None
        klass = run.thing(ref).klass
        for unit, scope in () if klass is None else self._program.lineage(klass):
            at = self._beginnings((unit, scope)).get(name)
            if at is not None:
                inner = Object(("class", unit, at))
                run.state.heap[inner] = self._begun(unit, at)
                return pointing(inner)
        return NOTHING

    def _beginnings(self, klass: Place) -> dict[str, int]:
        """Field of the instances of a class -> the operation of its body that makes what it begins with."""
        found = self._begins.get(klass)
        if found is None:
            code, row = self._program.codes[klass[0]], self._program.scope(klass)
            found = self._begins[klass] = {}
            for op in range(row.first, row.last) if row.kind == ScopeKind.CLASS else ():
                kind, a, b = code.ops[op][:3]
                while kind == Op.STORE and b >= 0 and code.ops[b][0] == Op.NARROW:
                    b = code.ops[b][1]
                if kind != Op.STORE or b < 0 or code.ops[b][0] not in MAKES:
                    continue
                name = code.names[a]
                if self._solver.variables.static(self._program, klass, name) is None:
                    found.setdefault(name, b)
        return found

    def _begun(self, unit: int, op: int) -> Thing:
        """A new thing as an operation of a class body makes it: its elements where they are constants."""
        code = self._program.codes[unit]
        kind, _, first, count = code.ops[op][:4]
        if kind != Op.MAKE:
            made = self._program.made.get((unit, code.site(op)), ())
            klass = (made[0].unit, made[0].scope) if len(made) == 1 else None
            return Thing({}, klass=klass, exact=klass is not None)
        constant = self._solver.semantics[code.language].constant
        fields: dict[Key, Value] = {}
        for number, (port, key, item) in enumerate(code.ports[first : first + count]):
            at: Key | None = number
            if port == Port.ITEM:
                word = code.ops[key]
                at = key_of(_constant(constant, code, key).const) if word[0] == Op.CONST else None
            if at is not None and code.ops[item][0] == Op.CONST:
                fields[at] = _constant(constant, code, item)
        listed = len(fields) == count and all(isinstance(each, int) for each in fields)
        return Thing(fields, length=count if listed else None)

    def got(self, run: Run, op: int, holder: Value, value: Value) -> Value:
        """A member that was read: what its function gives, where reading calls it."""
        getters = [ref for ref in value.refs if isinstance(ref, Function)
                   and self._program.scope((ref.unit, ref.scope)).flags & GETTER]  # fmt: skip
        if not getters:
            return value
        rest = Value(value.taints, value.refs - frozenset(getters), value.const, value.facts)
        results = [] if not rest.taints and not rest.refs else [rest]
        for ref in sorted(getters, key=repr):
            receiver = holder if ref.receiver is None else pointing(ref.receiver)
            chosen = Chosen((ref.unit, ref.scope), receiver, Tier.RESOLVED)
            results.append(self._into(run, op, chosen, []) or NOTHING)
        return gathered(results)

    def set(self, run: Run, op: int, holder: Value, name: str, content: Value) -> None:
        """A member is set: where setting calls a function, that runs."""
        assert run.state is not None
        for ref in sorted(holder.refs, key=repr):
            if not isinstance(ref, Object):
                continue
            klass = run.thing(ref).klass
            found = None if klass is None else self._program.member(klass, f"{name}=")
            if found is not None:
                chosen = Chosen(found, pointing(ref), Tier.RESOLVED)
                self._into(run, op, chosen, [Argument(Port.POSITIONAL, "", content)])

    def invoke(
        self, run: Run, op: int, ref: Function, receiver: Value | None, values: list[Value]
    ) -> Value:
        """The result of a function that is called with these values."""
        if receiver is None and ref.receiver is not None:
            receiver = pointing(ref.receiver)
        chosen = Chosen((ref.unit, ref.scope), receiver, Tier.FLOWED)
        arguments = [Argument(Port.POSITIONAL, "", value) for value in values]
        return self._into(run, op, chosen, arguments) or NOTHING

    def outs(self, run: Run, op: int, place: Place, receiver: Value) -> dict[int, Value]:
        """What parameters of a method hold in the end that are variables of whoever calls it."""
        bound = {-1: receiver}
        summary = self._solver.summary(place, self._shape(run, bound))
        applied = Application(run, op, summary, bound, Tier.FLOWED)
        applied.apply()
        return {index: applied.value(value) for index, value in summary.outs.items()}

    def through(self, run: Run, op: int, callee: Value, arguments: list[Argument]) -> Value | None:
        """The result of what a value is known to be, called with these; None where it is nothing known."""
        results: list[Value] = []
        for ref in ordered(callee.refs):
            if isinstance(ref, Function):
                receiver = None if ref.receiver is None else pointing(ref.receiver)
                chosen = Chosen(
                    (ref.unit, ref.scope), receiver, Tier.FLOWED, variables=ref.variables
                )
                results.append(self._into(run, op, chosen, arguments) or NOTHING)
        given = [each.value for each in arguments if each.kind == Port.POSITIONAL]
        if (mine := run.own(op, callee, "call", given)) is not None:
            results.append(mine)
        names = [name for name in callee.names() if not name.startswith("?")]
        if names:
            results.append(self._solver.modelled.call(run, op, names, None, arguments))
        return gathered(results) if results else None

    def construct(
        self, run: Run, op: int, klass: Place, receiver: Value, arguments: list[Argument]
    ) -> None:
        """The body of a class runs for an instance that is there."""
        constructor = self.constructor(run, op, klass)
        self._into(run, op, Chosen(constructor or klass, receiver, Tier.RESOLVED), arguments)

    def inherited(self, run: Run, klass: Place, name: str) -> Value:
        """A member that a base outside has."""
        names: set[Ref] = set()
        for place in self._program.lineage(klass):
            for base in self.bases.get(place, ()):
                names.add(self._solver.canonical(run, f"{base}().{name}"))
        return Value(refs=frozenset(names))

    def imported(self, run: Run, op: int, module: str, member: str | None, flag: int) -> Value:
        """What an import binds: something that is there, else its dotted name."""
        targets = self._program.imports.get((run.unit, run.code.span(op)), [])
        found: list[Value] = []
        for unit, scope in targets:
            kind = self._program.scope((unit, scope)).kind
            if kind == ScopeKind.MODULE:
                found.append(self._of_module(run, unit, member))
            elif kind == ScopeKind.CLASS:
                found.append(pointing(Class(unit, scope)))
            else:
                found.append(pointing(Function(unit, scope)))
        if found:
            value = found[0]
            for other in found[1:]:
                value = join(value, other)
            return value
        if self._program.is_part and (run.unit, run.code.span(op)) in self._program.beyond:
            return NOTHING
        name = run.semantics.imported(module, member, flag)
        whole = module if member is None else f"{module}.{member}"
        modelled = self._solver.modelled
        modelled.imported.add((run.code.language, whole))
        if name == module and name not in run.models.types:
            return pointing(name)  # the package alone is no use of it
        return pointing(modelled.canonical(run, name))

    def _of_module(self, run: Run, unit: int, member: str | None) -> Value:
        """What a module gives under a name, or the module itself."""
        if member is not None:
            for name in self._solver.semantics_at((unit, 0)).exported(member):
                kept = (unit, 0, name) in self._solver.variables.kept
                if kept or self._solver.binds(unit, 0, name):
                    return self._solver.variable_of(run, unit, 0, name)
            whole = self._solver.semantics_at((unit, 0)).whole
            if whole and (unit, 0, whole) in self._solver.variables.kept:
                assert run.state is not None
                everything = self._solver.variable_of(run, unit, 0, whole)
                return run.state.read(everything, run.semantics.key(member))
        return pointing(Class(unit, 0))

    # ------------------------------------------------------------------ calls

    def call(self, run: Run, op: int, row: list[int]) -> Value:
        """The result of a call, after all that it does."""
        callee = run.value(row[1])
        if len(callee.refs) >= MAX_POINTED:
            self._solver.cut(run.unit, op, Cut.FAN_OUT, "functions that a value may be")
        arguments = self._arguments(run, row)
        receiver = self._receiver(run, row[1])
        plain_ones = self._in_places(run, arguments)
        meant = run.semantics.called(run, op, callee, receiver, plain_ones)
        if meant is not None:
            return meant
        given = [each.value for each in plain_ones if each.kind != Port.KEYWORD]
        if (mine := run.own(op, callee, "call", given)) is not None:
            return mine
        chosen = [each for each in self._targets(run, op, row, callee, receiver, arguments)
                  if not run.semantics.is_hidden(self._program.scope(each.place))]  # fmt: skip
        if not chosen and not arguments and receiver is not None:
            component = self._component(run, row[1], receiver)
            if component is not None:
                return component
        results: list[Value] = []
        alive = False
        for each in chosen:
            result = self._into(run, op, each, arguments)
            if result is not None:
                alive = True
                results.append(result)
        known = callee.names()
        if not chosen and self._is_super(run, row[1]):
            known = self._above(run, row[1]) or known
        names = [name for name in known if not name.startswith("?") or not chosen]
        sure = all(each.tier <= Tier.RESOLVED for each in chosen)
        plain = run.ops[row[1]][0] == Op.LOAD
        if chosen and (run.semantics.typed or (sure and plain)):
            names = []  # types or scopes say what is called
        if names or not chosen:
            alive = True
            if not chosen and self._makes_base(run, row[1]):
                self.keep_in_base(run, op, arguments)
            results.append(self._solver.modelled.call(run, op, names, receiver, plain_ones))
        if not alive:
            if run.semantics.leaves(run, op):
                run.state = None
            return NOTHING
        return gathered(results)

    def _above(self, run: Run, callee: int) -> list[str]:
        """What a member of the base is, where that stands outside."""
        klass = self._program.class_of((run.unit, run.scope))
        code, _, name = run.ops[callee][:3]
        if klass is None or code != Op.GETATTR:
            return []
        return self.inherited(run, klass, run.names[name]).names()

    def _makes_base(self, run: Run, callee: int) -> bool:
        """Whether the constructor of a base is called for the receiver."""
        code, a, b = run.ops[callee][:3]
        if code == Op.LOAD:
            return run.names[a] == run.semantics.calls_base or self._is_super(run, callee)
        made = code == Op.GETATTR and run.names[b] in run.semantics.constructors
        return made and (_is_super(run, a) or self._is_super(run, callee))

    @staticmethod
    def keep_in_base(run: Run, op: int, arguments: Sequence[Argument]) -> None:
        """What a base outside gets stays in the instance: its own members may give it (`super(message)`)."""
        assert run.state is not None
        if run.receiver is None:
            return
        taints = merge(run.state.deep(each.value) for each in arguments)
        if taints:
            kept = Value(run.longer(taints, op, Role.PROPAGATOR, "kept"))
            run.put(run.receiver, BASE, kept)

    def of_base(self, run: Run, holder: Value, name: str) -> Value:
        """What a member is that only a base outside has: what that was made with."""
        found = NOTHING
        for ref in ordered(holder.refs):
            thing = run.thing(ref) if isinstance(ref, Object) else None
            if thing is None or thing.klass is None or BASE not in thing.fields:
                continue
            own = self._program.member(thing.klass, name) is not None
            if not own and not self._solver.has_field(thing.klass, name):
                found = join(found, thing.fields[BASE])
        return found

    def _component(self, run: Run, callee: int, receiver: Value) -> Value | None:
        """What `a.b()` is where `b` stands in the header of the class of `a`, and no function does."""
        if run.ops[callee][0] != Op.GETATTR:
            return None
        name = run.names[run.ops[callee][2]]
        classes = [
            run.thing(ref).klass for ref in ordered(receiver.refs) if isinstance(ref, Object)
        ]
        if not classes or any(klass is None or name not in self.header(klass) for klass in classes):
            return None
        assert run.state is not None
        return run.part(receiver, (".", name), run.state.read(receiver, (".", name)))

    def header(self, klass: Place) -> list[str]:
        """Names in the header of a class (a record)."""
        code, row = self._program.codes[klass[0]], self._program.scope(klass)
        return [code.names[each[1]] for each in code.params[row.params : row.params_end]
                if each[0] != Param.TYPE]  # fmt: skip

    @staticmethod
    def _arguments(run: Run, row: list[int]) -> list[Argument]:
        ports = run.code.ports[row[2] : row[2] + row[3]]
        return [
            Argument(kind, run.names[key] if kind == Port.KEYWORD else "", run.value(item), item)
            for kind, key, item in ports
        ]

    @staticmethod
    def _in_places(run: Run, arguments: list[Argument]) -> list[Argument]:
        """The arguments as something outside gets them: one behind the parentheses is the last."""
        word = run.semantics.trailing
        if not word or not any(each.key == word for each in arguments):
            return arguments
        return [each._replace(kind=Port.POSITIONAL, key="") if each.key == word else each
                for each in arguments]  # fmt: skip

    @staticmethod
    def _receiver(run: Run, callee: int) -> Value | None:
        code, a = run.ops[callee][:2]
        if code == Op.LOAD and run.names[a] == run.semantics.calls_base:
            return run.receiver
        if code != Op.GETATTR:
            return run.implied.get(callee)
        return run.receiver if _is_super(run, a) else run.value(a)

    def _targets(
        self,
        run: Run,
        op: int,
        row: list[int],
        callee: Value,
        receiver: Value | None,
        arguments: list[Argument],
    ) -> list[Chosen]:
        if self._is_super(run, row[1]) and self._above(run, row[1]):
            return self._of_edges(run, op, row, receiver, arguments)
        known = [ref for ref in ordered(callee.refs) if isinstance(ref, (Function, Class))]
        code, name = run.ops[row[1]][:2]
        assert run.state is not None
        named = code == Op.LOAD and (not run.semantics.implicit or name in run.state.env)
        if run.semantics.typed and not named and any(isinstance(ref, Function) for ref in known):
            found = self._of_edges(run, op, row, receiver, arguments)
            if found:
                brought = {(ref.unit, ref.scope): ref.variables for ref in known
                           if isinstance(ref, Function)}  # fmt: skip
                return [each._replace(variables=brought.get(each.place)) for each in found]
            return [each for ref in sorted(known, key=repr) if isinstance(ref, Function)
                    for each in self._overloaded(ref, arguments)]  # fmt: skip
        if known:
            return [each for ref in sorted(known, key=repr) for each in self._known(run, op, ref)]
        return self._of_edges(run, op, row, receiver, arguments)

    def _overloaded(self, ref: Function, arguments: list[Argument]) -> list[Chosen]:
        """The function of a name that takes so many arguments, of a class that has several."""
        place = (ref.unit, ref.scope)
        receiver = None if ref.receiver is None else pointing(ref.receiver)
        found = [each for each in self._program.overloads(place)
                 if not self._program.scope(each).flags & ABSTRACT]  # fmt: skip
        fitting = [each for each in found if self._takes(each, len(arguments))]
        return [Chosen(each, receiver, Tier.RESOLVED) for each in fitting or found]

    def _takes(self, place: Place, count: int) -> bool:
        parameters = [kind for index, kind, _, _ in self.parameters(place) if index >= 0]
        return len(parameters) == count or Param.STAR in parameters

    def _of_edges(
        self, run: Run, op: int, row: list[int], receiver: Value | None, arguments: list[Argument]
    ) -> list[Chosen]:
        """What the symbol graph says is called."""
        site = (run.unit, run.code.site(op))
        handed = {(ref.unit, ref.scope) for argument in arguments
                  for ref in argument.value.refs if isinstance(ref, Function)}  # fmt: skip
        edges = [t for t in self._program.calls.get(site, ()) if (t.unit, t.scope) not in handed]
        made = self._program.made.get(site, ())
        if made:
            classes = [Class(target.unit, target.scope) for target in made]
            return [each for ref in classes for each in self._known(run, op, ref)]
        literals = self._literals(receiver, edges) if run.semantics.typed else []
        literals = literals or self._functional(run, row[1], receiver, edges)
        if literals:
            return literals
        found: list[Chosen] = []
        if receiver is None and run.semantics.implicit:
            receiver = self._own(run)
        above = run.semantics.typed and self._is_super(run, row[1])
        bare = run.ops[row[1]][0] == Op.LOAD and receiver is not None and run.semantics.implicit
        for target in edges:
            place = (target.unit, target.scope)
            if bare and receiver is not None:
                receiver = run.around_it(receiver, self._further_out(run, place))
            found.append(Chosen(place, receiver, target.tier))
            found += [
                Chosen(each, receiver, Tier.FLOWED)
                for each in (() if above else self._program.overriders(place))
            ]
        if run.semantics.typed and not above:
            found = self._dispatched(run, receiver, found)
        found = [each for each in dict.fromkeys(found)
                 if not self._program.scope(each.place).flags & ABSTRACT
                 or (len(found) == 1 and not run.semantics.typed)]  # fmt: skip
        most = FEW_TARGETS if self._solver.is_short() else MAX_TARGETS
        if len(found) > most:
            self._solver.cut(run.unit, op, Cut.FAN_OUT, f"{len(found)} targets")
        return found[:most]

    def _further_out(self, run: Run, place: Place) -> int:
        """How many classes further out than the one around the code a function's class is."""
        klass = self._program.class_of(place)
        outer, scope = 0, run.row.parent
        while klass is not None and scope > 0:
            row = run.code.scopes[scope]
            if row.kind == ScopeKind.CLASS:
                if klass in self._program.lineage((run.unit, scope)):
                    return outer
                outer += 1
            scope = row.parent
        return 0

    def _literals(self, receiver: Value | None, edges: Sequence[Target]) -> list[Chosen]:
        """Function literals that a call of the one function of an interface runs."""
        if receiver is None or not any(
            self._program.scope((each.unit, each.scope)).flags & ABSTRACT for each in edges
        ):
            return []
        refs = [ref for ref in ordered(receiver.refs) if not isinstance(ref, str)]
        found = [ref for ref in refs if isinstance(ref, Function)
                 and self._program.scope((ref.unit, ref.scope)).kind == ScopeKind.LAMBDA]  # fmt: skip
        if len(found) != len(refs):
            return []
        return [Chosen((ref.unit, ref.scope), None, Tier.RESOLVED, variables=ref.variables)
                for ref in found]  # fmt: skip

    def _functional(
        self, run: Run, callee: int, receiver: Value | None, edges: Sequence[Target]
    ) -> list[Chosen]:
        """Function literals that the one method of an interface outside calls, with what they bring along."""
        code, _, name = run.ops[callee][:3]
        held = (
            [ref for ref in ordered(receiver.refs) if isinstance(ref, Function)] if receiver else []
        )
        if not held or code != Op.GETATTR or run.names[name] not in run.semantics.functional:
            return []
        if any(
            self._program.scope((each.unit, each.scope)).kind != ScopeKind.LAMBDA for each in edges
        ):
            return []
        return [Chosen((ref.unit, ref.scope), None if ref.receiver is None else pointing(ref.receiver),
                       Tier.FLOWED, variables=ref.variables) for ref in held]  # fmt: skip

    @staticmethod
    def _own(run: Run) -> Value | None:
        """The receiver that a call by a bare name has."""
        receiver = run.receiver
        for word in run.semantics.receivers if receiver is None else ():
            receiver = run.around(word)
        return receiver

    @staticmethod
    def _is_super(run: Run, callee: int) -> bool:
        code, a = run.ops[callee][:2]
        if code == Op.GETATTR:
            code, a = run.ops[a][:2]
        return code == Op.LOAD and run.names[a] in run.semantics.parents

    def _dispatched(self, run: Run, receiver: Value | None, found: list[Chosen]) -> list[Chosen]:
        """Those of several overriding functions that the classes of the receiver have."""
        if receiver is None or len(found) < 2:
            return found
        classes: list[Place] = []
        for ref in ordered(receiver.refs):
            if isinstance(ref, Object):
                thing = run.thing(ref)
                if thing.klass is None or not thing.exact:
                    return found
                classes.append(thing.klass)
        places = {each.place for each in found}
        wanted: set[Place] = set()
        for klass in classes:
            mine = self._program.of_class(klass, places)
            if not mine:
                return found
            wanted |= mine
        return [each for each in found if each.place in wanted] if classes else found

    def _known(self, run: Run, op: int, ref: Function | Class) -> list[Chosen]:
        """A function that the value is known to be, or the constructor of a class."""
        assert run.state is not None
        if isinstance(ref, Function):
            receiver = None if ref.receiver is None else pointing(ref.receiver)
            place = (ref.unit, ref.scope)
            makes = run.ops[op][0] == Op.NEW
            if makes:
                made = Object((run.unit, op))
                run.state.heap[made] = Thing({})
                receiver = pointing(made)
            return [Chosen(place, receiver, Tier.RESOLVED, makes, variables=ref.variables)]
        if not ref.scope:
            return []
        made = Object((run.unit, op))
        klass = (ref.unit, ref.scope)
        run.state.heap[made] = Thing(self._outer(run, klass), klass=klass, exact=True)
        constructor = self.constructor(run, op, klass)
        if constructor is None:
            return [Chosen(klass, pointing(made), Tier.RESOLVED, makes=True)]
        return [Chosen(constructor, pointing(made), Tier.RESOLVED, makes=True)]

    def _outer(self, run: Run, klass: Place) -> dict[Key, Value]:
        """What a new instance of an inner class has of the one that it is made in."""
        row = self._program.scope(klass)
        if (
            not run.semantics.implicit
            or row.flags & STATIC
            or klass[0] != run.unit
            or not row.parent
        ):
            return {}
        around = self._own(run)
        return {} if around is None else {OUTER: Value(refs=around.refs)}

    def constructor(self, run: Run, op: int, klass: Place) -> Place | None:
        """The constructor that makes an instance of a class there."""
        for target in self._program.calls.get((run.unit, run.code.site(op)), ()):
            place = (target.unit, target.scope)
            if self._program.scope(place).flags & CONSTRUCTOR:
                return place
        for name in run.semantics.constructors:
            found = self._program.member(klass, name)
            if found is not None:
                return found
        if run.semantics.cells:
            return self._constructor_of(run, op, klass)
        return None

    def _constructor_of(self, run: Run, op: int, klass: Place) -> Place | None:
        """The first constructor of a class that takes so many arguments, and no other instance."""
        count = run.ops[op][3]
        places = [(klass[0], scope) for scope, row in enumerate(self._program.codes[klass[0]].scopes)
                  if row.parent == klass[1] and row.flags & CONSTRUCTOR]  # fmt: skip
        places += [place for place, owner in self._program.attached.items()
                   if owner == klass and self._program.scope(place).flags & CONSTRUCTOR]  # fmt: skip
        for place in places:
            row = self._program.scope(place)
            copies = count == 1 and self._copies(place, klass)
            if self._takes(place, count) and not row.flags & ABSTRACT and not copies:
                return place
        return None

    def _copies(self, place: Place, klass: Place) -> bool:
        """Whether what a constructor takes is an instance of its class."""
        code = self._program.codes[place[0]]
        kinds = [kind for index, _, _, kind in self.parameters(place) if index >= 0]
        at = code.ops[kinds[0]] if kinds and kinds[0] >= 0 else None
        while at is not None and at[0] == Op.OPERATE and at[2] < 0:
            at = code.ops[at[1]]
        name = self._program.codes[klass[0]].names[self._program.scope(klass).name]
        return at is not None and at[0] == Op.LOAD and code.names[at[1]] == name

    def _into(self, run: Run, op: int, each: Chosen, arguments: list[Argument]) -> Value | None:
        """The result of one callee; None when it never comes back."""
        row = self._program.scope(each.place)
        if row.kind == ScopeKind.CLASS and not self._solver.semantics_at(each.place).bodies:
            return self._plain(run, op, each, arguments)
        caller = (run.unit, run.scope)
        if caller != each.place:
            self._solver.applied.setdefault(each.place, set()).add(caller)
            self._solver.followed.setdefault(caller, set()).add(each.place)
        bound = self._bind(run, each, arguments)
        shape = self._shape(run, bound) + self._held(run, each)
        summary = self._solver.summary(each.place, shape)
        applied = Application(run, op, summary, bound, each.tier, each.variables)
        result = run.semantics.returned(self._solver, each.place, applied.apply())
        code = self._program.codes[each.place[0]]
        if result.taints and code.language in ENFORCED and is_number(code, row.returns):
            result = harmless(result, TEXT)
        for index, value in summary.outs.items():
            self._out(run, op, index, arguments, applied.value(value))
        for index, value in applied.outs.items() if run.state is not None else ():
            self._out(run, op, index, arguments, join(bound.get(index, NOTHING), value))
        if summary.dead and summary is not BOTTOM:
            if not self._recovers(each.place):
                return None
            raised = applied.value(summary.raises)
            result = self._solver.modelled.assumed(run, op, [raised], Cut.DISPATCH, "recover")
        if each.makes:
            assert each.receiver is not None
            given = any(isinstance(ref, Object) for ref in result.refs)
            return join(each.receiver, result) if given else each.receiver
        return result

    def _recovers(self, place: Place) -> bool:
        """Whether a function literal in a function calls what ends a panic."""
        word = self._solver.semantics_at(place).recovers
        code = self._program.codes[place[0]]
        if not word or word not in code.names:
            return False
        wanted = [int(Op.LOAD), code.names.index(word)]
        return any(code.ops[op][:2] == wanted for row in code.scopes if row.parent == place[1]
                   for op in range(row.first, row.last))  # fmt: skip

    @staticmethod
    def _out(run: Run, op: int, index: int, arguments: list[Argument], value: Value) -> None:
        """A variable of the caller holds what a parameter holds in the end."""
        plain = [each for each in arguments if each.kind == Port.POSITIONAL]
        at = plain[index].op if 0 <= index < len(plain) else -1
        if at < 0:
            return
        value = run.step(value, op, Role.RETURN)
        name = run.semantics.place(run, at)
        code, a, b = run.ops[at][:3]
        if name >= 0:
            run.bind(op, name, value)
        elif code == Op.GETATTR:
            run.set_member(run.value(a), run.names[b], value)
        elif code == Op.GETITEM:
            run.write(op, run.value(a), run.value(b), value)

    def _embedded(self, run: Run, receiver: Value, place: Place) -> Value:
        """The part of a thing that a method is called on: the field that is called like its class."""
        klass = self._program.attached.get(place)
        if klass is None:
            return receiver
        key = run.semantics.key(
            self._program.codes[klass[0]].names[self._program.scope(klass).name]
        )
        things = [run.thing(ref) for ref in ordered(receiver.refs) if isinstance(ref, Object)]
        if not things or any(thing.klass == klass or key not in thing.fields for thing in things):
            return receiver
        return joined(thing.fields[key] for thing in things)

    def _plain(self, run: Run, op: int, each: Chosen, arguments: list[Argument]) -> Value:
        """An instance of a class without a constructor: its fields are what it gets, in order."""
        assert run.state is not None
        assert each.receiver is not None
        if self._solver.modelled.is_closed(run, op, each.place, arguments, self.bases):
            return Value(refs=each.receiver.refs)
        fields = self.header(each.place) or self._solver.variables.fields(each.place)
        for number, argument in enumerate(arguments):
            name = argument.key or (fields[number] if number < len(fields) else "")
            key = run.semantics.key(name) if name else None
            run.state.write(each.receiver, key, argument.value)
        return each.receiver

    def _bind(self, run: Run, each: Chosen, arguments: list[Argument]) -> dict[int, Value]:
        assert run.state is not None
        parameters = self.parameters(each.place)
        bound: dict[int, Value] = {}
        positional = [a.value for a in arguments if a.kind == Port.POSITIONAL]
        receiver = each.receiver
        unbound = (
            receiver is None
            and bool(parameters)
            and not self.is_of_class(each.place)
            and parameters[0][0] < 0
        )
        if unbound and positional and parameters[0][1] != Param.RECEIVER:
            receiver = positional.pop(0)
        if receiver is not None:
            receiver = self._embedded(run, receiver, each.place)
        if receiver is not None and (
            not run.semantics.typed
            or self.has_receiver(each.place)
            or GIVEN_RECEIVER in receiver.refs
        ):
            bound[-1] = receiver
        spread = [a.value for a in arguments if a.kind in (Port.STAR, Port.DOUBLE_STAR)]
        named = {a.key: a.value for a in arguments if a.kind == Port.KEYWORD}
        plain = [p for p in parameters if p[0] >= 0]
        for index, kind, name, _ in plain:
            if kind == Param.STAR and name == self._solver.semantics_at(each.place).variadic:
                bound[index] = self._packed(run, (each.place, index), positional)
            elif kind == Param.STAR:
                bound[index] = self._packed(run, (each.place, index), positional[index:])
            elif kind == Param.DOUBLE_STAR:
                rest = {key: value for key, value in named.items()
                        if key not in {p[2] for p in plain}}  # fmt: skip
                bound[index] = self._packed_names(run, (each.place, index), rest)
            elif name in named:
                bound[index] = named[name]
            elif index == plain[-1][0] and run.semantics.trailing in named:
                bound[index] = named[run.semantics.trailing]
            elif index < len(positional) and kind != Param.KEYWORD:
                bound[index] = positional[index]
            elif spread:
                bound[index] = self._spread(run, spread, index, name)
        for index, value in () if spread else self._switches(each.place):
            bound.setdefault(index, value)
        return bound

    def _switches(self, place: Place) -> tuple[tuple[int, Value], ...]:
        """Parameters whose default is true or false, with it: they switch parts of a function."""
        found = self._defaults.get(place)
        if found is None:
            code = self._program.codes[place[0]]
            row = code.scopes[place[1]]
            semantics = self._solver.semantics[code.language]
            defaults: dict[str, Value] = {}
            for _, name, default, _, _ in code.params[row.params : row.params_end]:
                op = code.ops[default] if default >= 0 else None
                if op and op[0] == Op.CONST and op[1] == Const.BOOL and op[2] >= 0:
                    defaults[code.names[name]] = semantics.constant(Const.BOOL, code.names[op[2]])
            found = self._defaults[place] = tuple(
                (index, defaults[name]) for index, _, name, _ in self.parameters(place)
                if name in defaults and index >= 0
            )  # fmt: skip
        return found

    @staticmethod
    def _packed(run: Run, key: object, values: list[Value]) -> Value:
        assert run.state is not None
        ref = Object((run.unit, "star", key))
        run.state.heap[ref] = Thing(dict(enumerate(values)), length=len(values))
        return pointing(ref)

    @staticmethod
    def _packed_names(run: Run, key: object, values: dict[str, Value]) -> Value:
        assert run.state is not None
        ref = Object((run.unit, "star", key))
        fields: dict[Key, Value] = dict(values.items())
        run.state.heap[ref] = Thing(fields)
        return pointing(ref)

    @staticmethod
    def _spread(run: Run, values: list[Value], index: int, name: str) -> Value:
        assert run.state is not None
        found = NOTHING
        for value in values:
            inner = join(run.state.read(value, index), run.state.read(value, name))
            found = inner if found is NOTHING else join(found, inner)
        return found

    @staticmethod
    def _held_functions(thing: Thing) -> Iterator[Holding]:
        """Functions that a container holds, as the shape of arguments says it."""
        held = [thing.rest, *(value for key, value in islice(thing.fields.items(), MAX_HELD)
                              if not isinstance(key, tuple))]  # fmt: skip
        for ref in (ref for value in held for ref in value.refs):
            if isinstance(ref, Function):
                yield Holding(ref._replace(receiver=None, variables=None))

    def _tells(self, run: Run, name: str) -> bool:
        """Whether rows say more of something outside than that it is data."""
        if name.startswith("%"):
            return True
        told = run.semantics.parts or run.semantics.read_once
        if name in run.semantics.plain or (told and name in run.models.reads):
            return False
        return self._solver.begins(run.code.language, name)

    def _held(
        self, run: Run, each: Chosen
    ) -> tuple[tuple[tuple[int, str], object, frozenset[object]], ...]:
        """What is known of the variables of functions around that the function reads."""
        assert run.state is not None
        found: list[tuple[tuple[int, str], object, frozenset[object]]] = []
        if each.place[0] != run.unit:
            return ()
        for scope, name in self._solver.variables.outer(*each.place):
            refs: frozenset[object] = run.held.get((scope, name), frozenset())
            if scope == run.scope:
                value = run.state.env.get(self._solver.name_number(run.unit, name), NOTHING)
                refs = frozenset(_known(value.refs))
            if refs:
                found.append(((scope, name), UNKNOWN, refs))
        return tuple(found)

    def _shape(
        self, run: Run, bound: dict[int, Value]
    ) -> tuple[tuple[int, object, frozenset[object]], ...]:
        """What is known of arguments, beside their data."""
        shape: list[tuple[int, object, frozenset[object]]] = []
        for index, value in sorted(bound.items()):
            refs: set[object] = set()
            for ref in ordered(value.refs):
                if isinstance(ref, Object):
                    klass = run.thing(ref).klass
                    thing = run.thing(ref)
                    if klass is not None:
                        refs.add(Instance(*klass, thing.exact))
                    elif thing.symbol is None:
                        refs.update(self._held_functions(thing))
                elif isinstance(ref, Function):
                    refs.add(ref._replace(receiver=None, variables=None))
                elif not isinstance(ref, str) or self._tells(run, ref):
                    refs.add(ref)
            const = value.const
            plain = isinstance(const, (str, int, bool, type(None))) and not value.taints
            if not isinstance(const, Listed) and not plain:
                const = UNKNOWN
            if isinstance(const, str) and len(const) > MAX_KEY:
                const = UNKNOWN
            if refs or const is not UNKNOWN:
                shape.append((index, const, frozenset(refs)))
        return tuple(shape)

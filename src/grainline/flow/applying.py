"""Summaries of callees in terms of their callers: ports become arguments, effects happen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from grainline.flow import hosts
from grainline.flow.hosts import of_host, shown
from grainline.flow.permission import doubts, selected
from grainline.flow.plans import Later, Mine, Part, Place, Wanted, adds_nothing, through
from grainline.flow.settled import FEW, NO_TESTS, Settled, Tests, is_taken, taken, whole
from grainline.flow.state import Thing
from grainline.flow.summaries import Hit, Summary
from grainline.flow.values import (
    CALLER,
    MAX_POINTED,
    NO_TAINTS,
    NOTHING,
    SELECTED,
    Fact,
    Free,
    Function,
    Key,
    Object,
    Origin,
    Path,
    Port,
    Ref,
    Source,
    Taint,
    Value,
    deepened,
    is_piece,
    join,
    joined,
    merge,
    ordered,
)
from grainline.model.edge import Tier
from grainline.model.flow import Cut
from grainline.model.ir import ScopeKind

if TYPE_CHECKING:
    from grainline.flow.machine import Run


class Application:
    """One summary at one call."""

    def __init__(
        self,
        run: Run,
        op: int,
        summary: Summary,
        arguments: Mapping[int, Value],
        tier: Tier,
        variables: Object | None = None,
    ) -> None:
        assert run.state is not None
        self.run = run
        self.op = op
        self.summary = summary
        self.arguments = arguments
        self.variables = variables
        self.state = run.state
        self._plan = run.solver.plan(summary)
        self._place = Place(run.unit, op, tier)
        self._objects: dict[Object, frozenset[Ref]] = {}
        self._origins = Settled(run.solver)
        self._tested: Tests = NO_TESTS
        """Tests that had been made when origins were settled last."""
        self._settled: dict[int, int] = {}
        """Sets of origins all of which are known, by their numbers, with how many they are here."""
        self._values: dict[int, Value] = {}
        self._carried: dict[tuple[int, int], list[Object]] | None = None
        self.outs: dict[int, Value] = {}
        """By parameter: what is put into variables of the caller that are handed over."""

    def apply(self) -> Value:
        """Let the call happen: sinks, effects, tests; gives the result."""
        self._hits()
        result = self.value(self.summary.result)
        self._effects()
        self._tests()
        raises = self.value(self.summary.raises)
        if self.summary.raises.taints or raises.refs:
            self.run.thrown[-1].append(raises)
            if raises.refs and self.run.raised:  # what is caught is an object of this state
                self.run.raised[-1].append(self.state.copy())
        stores = {key: self.value(value) for key, value in self.summary.stores.items()}
        for (unit, scope, name), mapped in stores.items():
            if (unit, scope) == (self.run.unit, self.run.scope):
                number = self.run.solver.name_number(unit, name)
                old = self.state.env.get(number, NOTHING)
                self.state.env[number] = join(old, mapped)
            else:
                self.run.set_shared((unit, scope, name), mapped)
        return result

    # ------------------------------------------------------------------ values

    def value(self, value: Value) -> Value:
        """A value of the callee as the caller has it."""
        known = self._values.get(id(value))
        if known is None:
            part = self._plan.part(value)
            known = value if part.plain else self._mapped(value, part)
            self._values[id(value)] = known
        return known

    def _mapped(self, value: Value, part: Part) -> Value:
        refs: frozenset[Ref] = value.refs
        if refs:
            found: set[Ref] = set()
            for ref in part.refs:
                if isinstance(ref, Object):
                    found |= self.objects(ref)
                elif isinstance(ref, Function):
                    found |= self._function(ref)
                else:
                    found.add(ref)
            refs = frozenset(found)
        count = self._settle(part.wanted) if part.wanted else 0
        facts = self._facts(value.facts) if value.facts else ()
        if not part.wanted:
            return Value(NO_TAINTS, refs, value.const, facts)
        self.run.spent += count
        return Later(self._place, self._origins, part, refs, value.const, facts)

    def _settle(self, wanted: tuple[Wanted, ...]) -> int:
        """Look up what origins are to the caller, before anything changes that they are read from."""
        count = self._settled.get(id(wanted))
        if count is None:
            count = self._settled[id(wanted)] = sum(map(self._settled_one, wanted))
        return count

    def _settled_one(self, wanted: Wanted) -> int:
        """How many origins of the caller one of the callee is."""
        count = self._origins.count(wanted)
        if count is None:
            origin = wanted[0]
            if is_taken(origin):
                count = self._settled_one(whole(origin))
                if len(self.state.valid) <= FEW:
                    self._origins.put_off(wanted, count, self._tests_now())
                else:
                    data = self._origins[whole(origin)]
                    solver, tests = self.run.solver, self.state.valid
                    self._origins[wanted] = taken(solver, origin, data, tests)
            else:
                found = self._origins[wanted] = self._origin(*wanted)
                count = len(found)
        return count

    def _tests_now(self) -> Tests:
        """The tests that were made up to now, the same object as long as there are no others."""
        valid = self.state.valid
        if self._tested != valid:
            self._tested = dict(valid) if valid else NO_TESTS
        return self._tested

    def _function(self, ref: Function) -> set[Function]:
        """A function with what it brings along."""
        if ref.variables is not None:
            kept = [each for each in self.objects(ref.variables) if isinstance(each, Object)]
            ref = ref._replace(variables=kept[0] if kept else None)
        if ref.receiver is None:
            return {ref}
        bound = [each for each in self.objects(ref.receiver) if isinstance(each, Object)]
        return {ref._replace(receiver=each) for each in bound or (None,)}

    def origins(self, origin: Origin) -> Mine:
        """What an origin of the callee is to the caller, with how it came there."""
        wanted = (origin, False)
        self._settled_one(wanted)
        return self._origins[wanted]

    def _origin(self, origin: Origin, shallow: bool) -> Mine:
        if isinstance(origin, Source):
            return [(origin, Taint(0, None))]
        if isinstance(origin, Port):
            if origin.place <= CALLER.place:
                return self._calling(origin)
            value = self.arguments.get(origin.place, NOTHING)
            return self._read(value, origin.path, shallow)
        held = self._brought(origin)
        if held is not None:
            return self._read(held, origin.path, shallow)
        number = self.run.solver.name_number(origin.unit, origin.name)
        if (origin.unit, origin.scope) == (self.run.unit, self.run.scope):
            mine = self.state.env.get(number, NOTHING)
            return self._read(mine, origin.path, shallow)
        if origin.name in self.run.semantics.receivers and self.run.receiver is not None:
            return self._read(self.run.receiver, origin.path, shallow)
        known = self.state.shared.get((origin.unit, origin.scope, origin.name))
        if known is not None:
            return self._read(known, origin.path, shallow)
        return [(origin, Taint(0, None))]

    def _calling(self, origin: Port) -> Mine:
        """That somebody calls: the same to the caller, or a framework."""
        given = self.arguments.get(origin.place)
        taints = {origin: Taint(0, None)} if given is None else given.taints
        doubted = doubts(self.state)
        return [(mine, taint._replace(clean=self.state.harmless(origin, taint), assumed=doubted))
                for mine, taint in taints.items()]  # fmt: skip

    def _brought(self, origin: Free) -> Value | None:
        """A variable that the function brought along, or one that it was handed."""
        if self.variables is not None:
            return self.run.thing(self.variables).fields.get((".", origin.name))
        if self._carried is None:
            self._carried = self._variables_of_arguments()
        things = self._carried.get((origin.unit, origin.scope), ())
        found = [self.run.thing(each).fields.get((".", origin.name)) for each in things]
        held = [each for each in found if each is not None]
        return joined(held) if held else None

    def _variables_of_arguments(self) -> dict[tuple[int, int], list[Object]]:
        """By function: the variables that functions made in it bring along, which are handed over."""
        found: dict[tuple[int, int], list[Object]] = {}
        given = list(self.arguments.values())
        given += [self.state.read(value, None) for value in given if value.refs]
        for ref in (ref for value in given for ref in ordered(value.refs)):
            if isinstance(ref, Function) and ref.variables is not None:
                around = self.run.solver.program.scope((ref.unit, ref.scope)).parent
                things = found.setdefault((ref.unit, around), [])
                if ref.variables not in things:
                    things.append(ref.variables)
        return found

    def _read(self, value: Value, path: Path, shallow: bool) -> Mine:
        for key in path:
            if key == SELECTED:
                value = Value(selected(self.state.deep(value).items()))
                continue
            if is_piece(key):
                value = Value({deepened(origin, key): taint
                               for origin, taint in self.state.deep(value).items()})  # fmt: skip
                continue
            value = self.run.field(self.op, value, None if key == "*" else key)
        taints = value.taints if shallow else self.state.deep(value)
        return [(origin, _cleaned(taint, hosts.harmless(self.run, origin, taint)))
                for origin, taint in taints.items()]  # fmt: skip

    # ------------------------------------------------------------------ objects

    def objects(self, ref: Object) -> frozenset[Ref]:
        """The objects of the caller that one of the callee is."""
        known = self._objects.get(ref)
        if known is not None:
            return known
        thing = self.summary.heap.get(ref)
        if thing is not None and thing.symbol is not None:
            found = self._existing(thing.symbol)
            self._objects[ref] = found
            return found
        if thing is None:  # nothing was put into it yet, if it is one that was made at all
            empty = Object((self.run.unit, self.op, *ref.key[-2:]))
            self._objects[ref] = frozenset((empty,) if isinstance(ref.key[0], int) else ())
            return self._objects[ref]
        made = Object((self.run.unit, self.op, *ref.key[-2:]))
        self._objects[ref] = frozenset((made,))
        fields = {key: self.value(value) for key, value in thing.fields.items()}
        self.state.heap[made] = Thing(
            fields,
            self.value(thing.rest),
            klass=thing.klass,
            length=thing.length,
            exact=thing.exact,
        )
        return self._objects[ref]

    def _existing(self, symbol: Origin) -> frozenset[Ref]:
        if isinstance(symbol, Port):
            value = self.arguments.get(symbol.place, NOTHING)
        elif isinstance(symbol, Free) and (held := self._brought(symbol)) is not None:
            value = held
        elif isinstance(symbol, Free) and (symbol.unit, symbol.scope) == (
            self.run.unit,
            self.run.scope,
        ):
            number = self.run.solver.name_number(symbol.unit, symbol.name)
            value = self.state.env.get(number, NOTHING)
            if symbol.name in self.run.semantics.receivers and self.run.receiver is not None:
                value = self.run.receiver
        elif isinstance(symbol, Free) and symbol[:3] in self.state.shared:
            value = self.state.shared[symbol[:3]]
        else:
            return frozenset()
        for key in symbol.path:
            if len(value.refs) >= MAX_POINTED:
                self.run.solver.cut(self.run.unit, self.op, Cut.FAN_OUT, "objects")
            if key == SELECTED or is_piece(key):
                return frozenset()
            value = self.run.semantics.inner(self.run, value, None if key == "*" else key)
        return frozenset(ref for ref in value.refs if isinstance(ref, (Object, str)))

    # ------------------------------------------------------------------ effects

    def _effects(self) -> None:
        for ref, thing, keys, takes_arguments in self._plan.effects:
            targets = [each for each in self.objects(ref) if isinstance(each, Object)]
            if not targets and isinstance(thing.symbol, Free) and takes_arguments:
                targets = self._elsewhere(thing.symbol)
            if not targets:
                self._unplaced(thing)
                continue
            if len(targets) > 1:
                targets.sort(key=repr)
            contents = {
                key: self.value(thing.rest if key == "*" else thing.fields.get(key, NOTHING))
                for key in keys
            }
            self.run.spent += len(targets) * len(contents)
            for target in targets:
                self._write(target, contents, sure=len(targets) == 1)

    def _unplaced(self, thing: Thing) -> None:
        """What is put into a parameter whose argument is no thing: into the variable that it may be."""
        symbol = thing.symbol
        if self.run.semantics.pointers and isinstance(symbol, Port) and not symbol.path:
            self.outs[symbol.place] = self.value(thing.rest)

    def _elsewhere(self, symbol: Free) -> list[Object]:
        """What a variable of a module or class leads to, where the callee puts its arguments."""
        solver = self.run.solver
        place = (symbol.unit, symbol.scope)
        if solver.program.scope(place).kind not in (ScopeKind.MODULE, ScopeKind.CLASS):
            return []
        value = solver.variable_of(self.run, *place, symbol.name)
        for key in symbol.path:
            value = self.run.semantics.inner(self.run, value, None if key == "*" else key)
        return [each for each in ordered(value.refs) if isinstance(each, Object)]

    def _write(self, target: Object, contents: Mapping[Key, Value], *, sure: bool) -> None:
        holder = Value(refs=frozenset((target,)))
        for key, content in contents.items():
            if key == "*":
                self.run.put(holder, None, content)
                continue
            known = content if sure else join(content, self.state.read(holder, key))
            self.run.put(holder, key, known)
        old = self.state.heap[target]
        if old.length is not None and any(not isinstance(key, tuple) for key in contents):
            self.state.heap[target] = old._replace(length=None)

    def _tests(self) -> None:
        for origin, (kinds, trail) in self.summary.valid.items():
            if isinstance(origin, Source):
                continue
            for mine, before in self.origins(origin):
                for each, known in self._shown(origin, mine, before, kinds):
                    self.state.validate(each, known, trail)

    def _facts(self, facts: tuple[Fact, ...]) -> tuple[Fact, ...]:
        found: list[Fact] = []
        for fact in facts:
            if not isinstance(fact.origin, Source):
                for mine, before in self.origins(fact.origin):
                    for each, kinds in self._shown(fact.origin, mine, before, fact.kinds):
                        found.append(fact._replace(origin=each, kinds=kinds))
        return tuple(found)

    def _shown(
        self, origin: Origin, mine: Origin, before: Taint, kinds: int
    ) -> Iterator[tuple[Origin, int]]:
        """What a test in the callee shows of data of the caller; the callee has said it of its own hosts."""
        taken = any(map(is_piece, origin.path))
        if taken and isinstance(mine, Free):
            return  # of variables nothing that is taken from them is told apart
        host = 0 if origin.path and is_piece(origin.path[-1]) else of_host(kinds)
        for each, known in shown(self.run, mine, before.trail, kinds, host):
            if known:
                yield each, known

    # ------------------------------------------------------------------ sinks

    def _hits(self) -> None:
        for hit, taint in self._plan.hits:
            reached = self.origins(hit.origin)
            if not reached:
                continue
            self.run.spent += len(reached)
            for mine, before in reached:
                stopped = bool((before.clean | taint.clean) >> hit.kind & 1)
                here = Hit(mine, hit.unit, hit.op, hit.row, hit.kind, stopped)
                known = self.run.hits.get(here)
                if known is None or not adds_nothing(known, before, taint):
                    whole = through(self._place, hit.origin, before, taint)
                    self.run.solver.hit(self.run, here, whole)


def _cleaned(taint: Taint, clean: int) -> Taint:
    return taint if taint.clean == clean else Taint(clean, taint.trail, taint.assumed)


def gathered(values: list[Value]) -> Value:
    """Results of several callees as one."""
    found = joined(values)
    taints = merge(value.taints for value in values)
    return Value(taints, found.refs, found.const, found.facts)

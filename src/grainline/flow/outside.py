"""Calls of what is not there: rows of models say what they do with data, else it is assumed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from grainline.flow import bare, containers, credentials, hosts, lists, own
from grainline.flow.applying import Application
from grainline.flow.formats import beginning, printed, scanned
from grainline.flow.handlers import handlers
from grainline.flow.machine import Run
from grainline.flow.numbers import converted, is_number
from grainline.flow.permission import is_selected
from grainline.flow.regexes import Regex
from grainline.flow.rows import (
    EVERY,
    KINDS,
    RECEIVER,
    RESULT,
    TEXT,
    TEXT_KINDS,
    EntryRow,
    GuardRow,
    PartRow,
    PatternRow,
    SinkRow,
    SourceRow,
    StepRow,
    Where,
)
from grainline.flow.semantics import behind
from grainline.flow.state import State, Thing
from grainline.flow.summaries import Hit, Summary
from grainline.flow.texts import UNSAID, WORDS, replaced
from grainline.flow.values import (
    CALLER,
    NO_TAINTS,
    NOTHING,
    PART,
    UNKNOWN,
    Class,
    Fact,
    Function,
    Listed,
    Object,
    Origin,
    Ref,
    Source,
    Taint,
    Trail,
    Value,
    beside_of,
    choices,
    join,
    joined,
    merge,
    ordered,
    pointing,
)
from grainline.model.edge import Tier, Why
from grainline.model.flow import Cut, Role
from grainline.model.ir import Make, Op, Port

if TYPE_CHECKING:
    from grainline.flow.calls import Argument
    from grainline.flow.program import Code, Place
    from grainline.flow.solver import Shape, Solver

MAX_NAME: Final = 160
"""Characters of a dotted name; longer ones are chains that no row is about."""

CUTS: Final[Mapping[Why, Cut]] = {
    Why.EXTERNAL: Cut.EXTERNAL,
    Why.DYNAMIC: Cut.DISPATCH,
    Why.REFLECTION: Cut.REFLECTION,
    Why.INJECTION: Cut.INJECTION,
    Why.NATIVE: Cut.EXTERNAL,
    Why.MISSING: Cut.DISPATCH,
}


GETS: Final = re.compile(r"(get|is|has)[A-Z_]|to[A-Z_]\w*$")
"""Names of what gives the same each time, as far as nothing is set in between."""

STARTS: Final = frozenset(("*.start", "*.fork"))
"""Methods of a thing that run it."""

SHELLS: Final = frozenset(("sh", "bash", "dash", "ksh", "zsh", "csh", "cmd", "powershell", "pwsh"))
"""Programs whose arguments are programs."""


class Pattern(NamedTuple):
    """A call that is a weakness by itself."""

    unit: int
    op: int
    row: PatternRow


class Site(NamedTuple):
    """One call: where, of what, with what."""

    run: Run
    op: int
    receiver: Value | None
    arguments: Sequence[Argument]

    def holds(self, when: Sequence[str], unless: Sequence[str]) -> bool:
        """Whether conditions of a row are met."""
        return self.run.solver.modelled.holds(self, when, unless)

    def at(self, where: Where) -> list[Value]:
        """The values at a port."""
        found = self._whole(where)
        if where.item < 0:
            return found
        assert self.run.state is not None
        return [self.run.state.read(value, where.item) for value in found]

    def _whole(self, where: Where) -> list[Value]:
        positional = [a.value for a in self.arguments if a.kind == Port.POSITIONAL]
        if where.place == RECEIVER:
            return [] if self.receiver is None else [self.receiver]
        if where.place == EVERY:
            return [argument.value for argument in self.arguments]
        found = [a.value for a in self.arguments if a.key and a.key == where.name]
        if where.name and not found and where.place < 0:
            found = self._option(where.name)
        if 0 <= where.place < len(positional):
            found.append(positional[where.place])
        elif where.place >= 0:
            found += [a.value for a in self.arguments if a.kind == Port.STAR]
        return found

    def operations(self, where: Where) -> list[int]:
        """The operations whose values are arguments at a port."""
        positional = [a.op for a in self.arguments if a.kind == Port.POSITIONAL]
        return positional[where.place : where.place + 1] if where.place >= 0 else []

    def _option(self, name: str) -> list[Value]:
        """What stands under a name in an object that is an argument."""
        key = self.run.semantics.key(name)
        if key != name:
            return []
        return [self.run.thing(ref).fields[key] for argument in self.arguments
                for ref in sorted(argument.value.refs, key=repr)
                if isinstance(ref, Object) and key in self.run.thing(ref).fields]  # fmt: skip


class Outside:
    """What models say, for one analysis."""

    def __init__(self, solver: Solver) -> None:
        self._solver = solver
        self.patterns: dict[tuple[int, int, str], Pattern] = {}
        self._entries: dict[tuple[Place, str], tuple[EntryRow, int]] = {}
        self._entered: dict[Place, list[EntryRow]] = {}
        """Function -> the rows by which it is one."""
        self._routes: dict[Place, dict[str, bool]] = {}
        """Function -> parameters that its routes name, and whether all take only numbers there."""
        self.used: set[tuple[str, str]] = set()
        """(language, name) of what is used and rows are about."""
        self.imported: set[tuple[str, str]] = set()
        """The same of what is imported and not there."""
        self._known: dict[str, frozenset[str]] = {}
        self._members: dict[str, bool] = {}
        self._ends: dict[str, bool] = {}

    # ------------------------------------------------------------------ names

    def canonical(self, run: Run, name: str) -> str:
        """The name that rows know a thing by."""
        types = run.models.types
        name = run.semantics.short(run, name)
        self.use(run, name)
        seen = 0
        while name in types and seen < 4:
            name = types[name]
            seen += 1
        if not seen and "." in name and self._has_members(run.code.language):
            name = types.get(f"*.{name.rpartition('.')[2]}", name)
        return name if len(name) <= MAX_NAME else "?"

    def _has_members(self, language: str) -> bool:
        """Whether rows say what a member of anything is."""
        found = self._members.get(language)
        if found is None:
            types = self._solver.models_of(language).types
            found = self._members[language] = any(name.startswith("*.") for name in types)
        return found

    def _has_ends(self, language: str) -> bool:
        """Whether rows are about how names end."""
        found = self._ends.get(language)
        if found is None:
            names = self.known(language)
            found = self._ends[language] = any(name.startswith("*_") for name in names)
        return found

    def use(self, run: Run, name: str) -> None:
        """Note that a name is used, where rows are about it."""
        if name in self.known(run.code.language):
            self.used.add((run.code.language, name))

    def known(self, language: str) -> frozenset[str]:
        """All names that rows of a language are about."""
        found = self._known.get(language)
        if found is None:
            found = self._known[language] = self._solver.models_of(language).names()
        return found

    # ------------------------------------------------------------------ calls

    def call(
        self,
        run: Run,
        op: int,
        names: list[str],
        receiver: Value | None,
        arguments: Sequence[Argument],
    ) -> Value:
        """The result of a call of something that is not there."""
        site = Site(run, op, receiver, arguments)
        known = self.known(run.code.language)
        if not names or (run.semantics.typed and known.isdisjoint(names)):
            names = [*self._told(run, op), *names]
        candidates = self._candidates(run, names)
        self._find_patterns(site, candidates)
        self._sinks(site, candidates)
        if run.is_over():
            return NOTHING
        permission = self._solver.permission
        permission.operate(site, candidates)
        self._register(site, candidates)
        result = self._result(site, candidates, names)
        if run.models.addresses:
            result = hosts.of_call(site, names, result)
        result = permission.called(site, candidates, result)
        self._hand(site, candidates)
        made = [self.canonical(run, f"{name}()") for name in names]
        refs: frozenset[Ref] = result.refs | frozenset(made)
        if (made or result.taints) and not any(isinstance(ref, Object) for ref in result.refs):
            refs |= {Object((run.unit, op))}
        value = Value(result.taints, refs, result.const, result.facts)
        self._mark(site, candidates, value)
        for name in made:
            read = run.models.reads.get(name)
            if read is not None:
                value = run.sourced(op, value, read.name, read.what)
        value = permission.read(run, op, value, made)
        value = credentials.of_call(site, names, value)
        step = self._step_of(run, candidates)
        if step is not None and step.ends and run.semantics.leaves(run, op):
            if step.raises:
                run.throw(op, joined(each.value for each in site.arguments))
            run.state = None
        return value

    def _told(self, run: Run, op: int) -> list[str]:
        """What the symbol graph calls it."""
        told = self._solver.program.outside.get((run.unit, run.code.site(op)))
        if told is None or told[1] not in (Why.EXTERNAL, Why.NATIVE):
            return []
        found = [self.canonical(run, told[0])]
        klass, _, member = told[0].rpartition(".")
        if run.semantics.typed and klass:
            found.append(f"{self.canonical(run, klass)}().{member}")
        return found

    def _candidates(self, run: Run, names: Sequence[str]) -> list[tuple[str, Tier]]:
        """Names that rows may be found under: as they are, else as the member of anything."""
        for name in names:
            self.use(run, name)
        found = [(name, Tier.RESOLVED) for name in names if not name.startswith("?")]
        for name in names:
            last = name.rpartition(".")[2]
            if "." in name:
                found.append((f"*.{last}", Tier.NAMED))
            if "_" in last and self._has_ends(run.code.language):
                found.append((f"*_{last.rpartition('_')[2]}", Tier.NAMED))
        return list(dict.fromkeys(found))

    def _result(
        self, site: Site, candidates: Sequence[tuple[str, Tier]], names: Sequence[str]
    ) -> Value:
        run, models = site.run, site.run.models
        for name, _ in candidates:
            source = models.sources.get(name)
            if source is not None and self.holds(site, source.when, ()):
                return self._source(site, source)
        for name, _ in candidates:
            guards = models.guards.get(name)
            if guards is not None:
                held = [row for row in guards if self.holds(site, row.when, row.unless)]
                shown = [fact for row in held if row.returns for fact in self._tested(site, row)]
                self._shown(site, shown)
                facts = tuple(
                    fact for row in held if not row.returns for fact in self._tested(site, row)
                )
                step = self._step_of(run, candidates)
                taken = NOTHING if step is None else self._step(site, step)
                return Value(taken.taints, taken.refs, taken.const, facts)
        step = self._step_of(run, candidates)
        about = step is not None and not self._is_sink(run, candidates, step)
        if step is not None and about and not self._lacks_function(site, step):
            return self._step(site, step)
        if any(name in models.entries for name, tier in candidates if tier is Tier.RESOLVED):
            return NOTHING
        if any(name in models.sinks for name, _ in candidates):
            return NOTHING  # what a sink gives is not what it got, unless a row says so
        return self._assumed(site, names)

    @staticmethod
    def _lacks_function(site: Site, step: StepRow) -> bool:
        """Whether a row about methods that call a function is not about this one: it gets data."""
        if step.callback < 0 or not step.name.startswith("*"):
            return False
        values = site.at(Where(step.callback))
        return any(value.taints for value in values) and not any(
            isinstance(ref, (Function, str)) for value in values for ref in value.refs
        )

    @staticmethod
    def _is_sink(run: Run, candidates: Sequence[tuple[str, Tier]], step: StepRow) -> bool:
        """Whether a row about the thing itself makes it a sink, and only one about anything a step."""
        return step.name.startswith("*") and any(
            tier is Tier.RESOLVED and name in run.models.sinks for name, tier in candidates
        )

    @staticmethod
    def _step_of(run: Run, candidates: Sequence[tuple[str, Tier]]) -> StepRow | None:
        for name, _ in candidates:
            step = run.models.steps.get(name)
            if step is not None:
                return step
        return None

    def _source(self, site: Site, row: SourceRow) -> Value:
        result = NOTHING
        for where in row.gives:
            if where.place == RESULT:
                values = [argument.value for argument in site.arguments]
                at = site.run.asked_again(row, site.op, site.receiver or NOTHING, values)
                result = site.run.sourced(site.op, result, row.name, row.what, at)
                continue
            tainted = site.run.sourced(site.op, NOTHING, row.name, row.what)
            for value in site.at(where):
                self._give(site, value, tainted, whole=row.whole)
        if row.format >= 0:
            tainted = site.run.sourced(site.op, NOTHING, row.name, row.what)
            for value, text in _formatted(site, row.format, scanned):
                content = tainted if text else Value(_cleaned(tainted.taints, TEXT))
                self._give(site, value, content, whole=True)
        return result

    def _give(self, site: Site, value: Value, content: Value, *, whole: bool = False) -> None:
        """Data comes into what a call was given: an object, or the variable that is meant."""
        run = site.run
        assert run.state is not None
        if whole:
            value = run.semantics.cleared(run, site, value)
        if any(isinstance(ref, Object) for ref in value.refs) or not run.semantics.pointers:
            run.put(value, None, content)
            return
        for argument in site.arguments:
            name = run.semantics.place(run, argument.op) if argument.value is value else -1
            if name >= 0:
                run.bind(site.op, name, join(value, content))

    def built(
        self, run: Run, op: int, names: Sequence[str], arguments: Sequence[Argument]
    ) -> list[str]:
        """The names of a thing that is written out, after its fields were looked at."""
        site = Site(run, op, None, arguments)
        candidates = self._candidates(run, names)
        self._find_patterns(site, candidates)
        self._sinks(site, candidates)
        return [self.canonical(run, f"{name}()") for name in names]

    def _step(self, site: Site, row: StepRow) -> Value:
        run = site.run
        assert run.state is not None
        if row.callback >= 0:
            return self._with_callback(site, row)
        if row.container:
            whole = site.receiver if row.is_member() else None
            handled = containers.handle(row.container, run, site.op, whole, site.arguments)
            if handled is not None:
                part = run.models.parts.get(row.name)
                return handled if part is None else self._of_part(site, part, handled)
        taken = [value for where in row.takes for value in site.at(where)]
        if row.format >= 0:
            taken += [value for value, text in _formatted(site, row.format, printed) if text]
        taken = [run.as_text(site.op, value) for value in taken]
        if run.is_over():
            return NOTHING
        taints = merge(run.state.deep(value) for value in taken)
        taints = self._without_keys(site, taints)
        note = row.name.removeprefix("*.") + (PART if row.part else "")
        clean = row.clean | (self._replaced(site, row) if row.replaces else 0)
        passed = _cleaned(run.longer(taints, site.op, Role.SANITIZER if clean & ~TEXT_KINDS else
                                     Role.PROPAGATOR, note), clean)  # fmt: skip
        if row.part:
            passed = hosts.parted(run, site.op, passed)
        elif passed and (part := run.models.parts.get(row.name)) is not None:
            passed = hosts.taken_by(site, part, Value(passed)).taints
        result = NOTHING
        for where in row.gives:
            if where.place == RESULT:
                known = site.at(Where(row.constant)) if row.constant != RESULT else ()
                result = Value(passed, const=_expression(known))
                if row.begins != RESULT and passed:
                    result = behind(self._beginning(site, row), result)
            else:
                for value in site.at(where):
                    self._give(site, value, Value(passed), whole=row.whole)
        return result

    @staticmethod
    def _of_part(site: Site, row: PartRow, found: Value) -> Value:
        """What a method of a container gives as a part, and what it put into a new one."""
        assert site.run.state is not None
        heap = site.run.state.heap
        for ref in ordered(found.refs):
            if isinstance(ref, Object) and ref.key[:2] == (site.run.unit, site.op) and ref in heap:
                heap[ref] = heap[ref]._replace(rest=hosts.taken_by(site, row, heap[ref].rest))
        return hosts.taken_by(site, row, found)

    @staticmethod
    def _beginning(site: Site, row: StepRow) -> object:
        """The constant that a text begins with which a call makes of others."""
        whole = site.at(Where(row.begins))
        start = whole[0].const if whole else UNKNOWN
        if not isinstance(start, str):
            return start
        values = [each.value.const for each in site.arguments if each.kind == Port.POSITIONAL]
        return beginning(start, values[row.begins + 1 :])

    def _without_keys(self, site: Site, taints: Mapping[Origin, Taint]) -> Mapping[Origin, Taint]:
        """A credential beside what a call is about is what it is done with, and not in the result."""
        if not any(map(self._is_credential, taints)):
            return taints
        run = site.run
        assert run.state is not None
        if site.receiver is not None and isinstance(site.receiver.const, str):
            return taints  # a text that others are put in
        first = [each.value for each in site.arguments[:1]]
        about = merge(run.state.deep(each) for each in (*first, site.receiver or NOTHING))
        return {origin: taint for origin, taint in taints.items()
                if origin in about or not self._is_credential(origin)}  # fmt: skip

    @staticmethod
    def _replaced(site: Site, row: StepRow) -> int:
        """Kinds that are harmless once a text is replaced."""
        texts = [each for value in site.at(row.of[0]) for each in choices(value.const)]
        by = [each for value in site.at(row.of[1]) for each in choices(value.const)]
        if len(texts) != 1 or len(by) != 1:
            return 0
        text, word = texts[0], row.replaces
        if isinstance(text, Regex):
            text, word = text.pattern, "expression"
        return replaced(text, by[0], word) if isinstance(text, str) else 0

    def _hand(self, site: Site, candidates: Sequence[tuple[str, Tier]]) -> None:
        """Functions that are handed to what is not there may run: here, with nothing known."""
        run = site.run
        step = self._step_of(run, candidates)
        if step is not None and step.container:
            return
        if any(name in run.models.entries for name, _ in candidates):
            return
        self._hand_things(site, candidates)
        for number, argument in enumerate(site.arguments):
            if step is not None and number == step.callback:
                continue
            for ref in sorted(argument.value.refs, key=repr):
                if isinstance(ref, Function) and (ref.unit, ref.scope) != (run.unit, run.scope):
                    self._invoke(run, site.op, ref, [])

    def _hand_things(self, site: Site, candidates: Sequence[tuple[str, Tier]]) -> None:
        """The same of methods that what runs a thing calls (`new Thread(new Task(q))`, `task.start()`)."""
        run = site.run
        things = [argument.value for argument in site.arguments]
        if site.receiver is not None and any(name in STARTS for name, _ in candidates):
            things.append(site.receiver)
        for ref in (ref for value in things for ref in ordered(value.refs)):
            klass = run.thing(ref).klass if isinstance(ref, Object) else None
            lineage = () if klass is None else self._solver.program.lineage(klass)
            if klass is None or not any(self._solver.calls.bases.get(each) for each in lineage):
                continue
            for word in run.semantics.jobs:
                found = self._solver.program.member(klass, word)
                if found is not None and isinstance(ref, Object):
                    self._invoke(run, site.op, Function(*found, ref), [])

    def _with_callback(self, site: Site, row: StepRow) -> Value:
        """A function is called with what the call takes; what it gives is the result, too."""
        run = site.run
        assert run.state is not None
        if row.passes:
            return self._called_back(site, row)
        taken = [value for where in row.takes for value in site.at(where)]
        inner = joined([*(run.state.read(value, None) for value in taken),
                        *(Value(value.taints) for value in taken)])  # fmt: skip
        results = [inner]
        for value in site.at(Where(row.callback)):
            for ref in sorted(value.refs, key=repr):
                if isinstance(ref, Function):
                    results.append(self._invoke(run, site.op, ref, [inner]))
                elif isinstance(ref, str) and not ref.startswith("?"):
                    results.append(self._named(run, site.op, ref, [inner]))
        found = joined(results)
        ref = Object((run.unit, site.op, "each"))
        run.state.write(pointing(ref), None, found)
        return Value(merge((found.taints, run.state.deep(found))), frozenset((ref,)))

    def _called_back(self, site: Site, row: StepRow) -> Value:
        """The same where the row says what the function gets and what the call gives."""
        run = site.run
        assert run.state is not None
        receiver = site.receiver or NOTHING
        taken = [value for where in row.takes for value in site.at(where)]
        if row.takes == (Where(EVERY), Where(RECEIVER)):
            taken = [receiver]
        taken = [own.iterated(run, site.op, value) for value in taken]
        if run.is_over():
            return NOTHING
        element = joined([*(run.state.read(value, None) for value in taken),
                          *(Value(value.taints) for value in taken)])  # fmt: skip
        element = run.step(element, site.op, Role.PROPAGATOR, row.name.removeprefix("*."))
        if len(taken) == 1:
            element = lists.element(run, taken[0], element)
        beside = Value(beside_of(element.taints), element.refs)
        element = hosts.part(run, site.op, element)
        given = site.arguments[row.callback + 1 :]
        result = joined(argument.value for argument in given) if "result" in row.passes else NOTHING
        called = False
        for _ in range(2 if "result" in row.passes else 1):
            values = [beside if word == "beside" else
                      self._passed(site, row, word, element, result) for word in row.passes]  # fmt: skip
            for function in site.at(Where(row.callback)):
                for ref in sorted(function.refs, key=repr):
                    if isinstance(ref, Function):
                        given_back = self._invoke(run, site.op, ref, values)
                        one = not called and "result" not in row.passes
                        result = given_back if one else joined([result, given_back])
                        called = True
                    elif isinstance(ref, str) and not ref.startswith("?"):
                        result = joined([result, self._named(run, site.op, ref, values)])
                        called = True
        if called and row.returns in ("passing", "found"):
            element = run.where(element, result, truth=True)
        if not called:
            result = joined([result, element if "element" in row.passes else receiver])
        return self._given(site, row, receiver, element, result)

    def _passed(self, site: Site, row: StepRow, word: str, element: Value, result: Value) -> Value:
        if word == "source":
            return site.run.sourced(site.op, NOTHING, row.name, row.name)
        known = {"element": element, "receiver": site.receiver or NOTHING, "result": result}
        if word in known:
            return known[word]
        return pointing(word) if word else NOTHING

    def _named(self, run: Run, op: int, name: str, values: list[Value]) -> Value:
        """The result of something outside that is called back."""
        from grainline.flow.calls import Argument

        arguments = [Argument(Port.POSITIONAL, "", value) for value in values[:1]]
        site = Site(run, op, None, arguments)
        candidates = self._candidates(run, [name])
        self._sinks(site, candidates)
        return self._result(site, candidates, [name])

    def _given(
        self, site: Site, row: StepRow, receiver: Value, element: Value, result: Value
    ) -> Value:
        run = site.run
        assert run.state is not None
        if row.returns == "value":
            return result
        if row.returns == "receiver":
            return receiver
        if row.returns in ("element", "found"):
            return element
        if row.returns == "kept":
            key = site.arguments[0].value if site.arguments else NOTHING
            run.write(site.op, receiver, key, result)
            return joined([receiver, result])
        if row.returns == "either":
            return joined([receiver, result])
        if row.returns == "nothing":
            return NOTHING
        if row.returns == "any":
            return Value(facts=lists.of_any(run, result, site.op, site.op + 1))
        ref = Object((run.unit, site.op, "each"))
        content = element if row.returns in ("elements", "passing") else result
        run.state.heap[ref] = Thing({}, content)
        return pointing(ref)

    def _invoke(self, run: Run, op: int, ref: Function, values: list[Value]) -> Value:
        return self._solver.calls.invoke(run, op, ref, None, values)

    def _assumed(self, site: Site, names: Sequence[str]) -> Value:
        """Nothing is known of it: data goes in and comes out, and that is an assumption."""
        run = site.run
        assert run.state is not None
        values = [argument.value for argument in site.arguments]
        if site.receiver is not None:
            values.append(site.receiver)
        taints = merge(run.state.deep(value) for value in values)
        taints = {origin: taint for origin, taint in taints.items()
                  if not self._is_credential(origin)}  # fmt: skip
        if not taints:
            return NOTHING
        return self._supposed(run, site.op, taints, *self._why(run, site.op, names))

    def assumed(self, run: Run, op: int, values: Sequence[Value], why: Cut, name: str) -> Value:
        """What a call gives of which it is not known what it does, as if data went through it."""
        assert run.state is not None
        taints = merge(run.state.deep(value) for value in values)
        return self._supposed(run, op, taints, why, name)

    def _supposed(
        self, run: Run, op: int, taints: Mapping[Origin, Taint], why: Cut, name: str
    ) -> Value:
        self._solver.cut(run.unit, op, why, name)
        place = (run.unit, op, why.value)
        if self._solver.asked is not None:
            self._solver.asked.lose(run, op, Value(taints), why)
        found: dict[Origin, Taint] = {
            origin: Taint(
                taint.clean,
                Trail(run.unit, op, Role.PROPAGATOR, f"{name} (assumed)", taint.trail),
                taint.assumed if place in taint.assumed else (*taint.assumed, place),
            )
            for origin, taint in taints.items()
        }
        return Value(hosts.parted(run, op, found, moves=not GETS.match(name.rpartition(".")[2])))

    def _why(self, run: Run, op: int, names: Sequence[str]) -> tuple[Cut, str]:
        told = self._solver.program.outside.get((run.unit, run.code.site(op)))
        if told is not None:
            return CUTS[told[1]], told[0]
        beyond = self._solver.program.beyond.get((run.unit, run.code.site(op)))
        if beyond is not None:
            part = self._solver.program.is_part
            return (Cut.DEPTH if part else Cut.NO_LANGUAGE), beyond
        known = [name for name in names if not name.startswith("?")]
        if known:
            return Cut.EXTERNAL, known[0]
        return Cut.DISPATCH, names[0].removeprefix("?.") if names else "call"

    # ------------------------------------------------------------------ sinks and tests

    def _sinks(self, site: Site, candidates: Sequence[tuple[str, Tier]]) -> None:
        for name, tier in candidates:
            rows = site.run.models.sinks.get(name, ())
            for row in rows:
                if self.holds(site, row.when, row.unless):
                    for where in row.ports:
                        for value in site.at(where):
                            text = site.run.semantics.handed(site.run, site.op, value)
                            if site.run.is_over():
                                return
                            self.sink(site.run, site.op, row, text, tier)
            if rows:
                return

    def sink(self, run: Run, op: int, row: SinkRow, value: Value, tier: Tier) -> None:
        """Data gets to a sink."""
        assert run.state is not None
        kind = KINDS.index(row.kind)
        for origin, taint in run.state.deep(value).items():
            if is_selected(origin):
                continue  # not the data, but what was found by it
            clean = hosts.harmless(run, origin, taint)
            trail = Trail(run.unit, op, Role.SINK, row.name, taint.trail, tier=tier)
            hit = Hit(origin, run.unit, op, row.name, kind, bool(clean >> kind & 1))
            self._solver.hit(run, hit, Taint(clean, trail, taint.assumed))

    def _tested(self, site: Site, row: GuardRow) -> tuple[Fact, ...]:
        assert site.run.state is not None
        kinds, truth = row.kinds, row.truth
        texts: list[object] = []
        if row.text:
            texts = [each.pattern if isinstance(each, Regex) else each
                     for value in site.at(Where(row.at)) for each in choices(value.const)]  # fmt: skip
            known = [WORDS[row.text](text) for text in texts if isinstance(text, str)]
            kinds = known[0] if len(known) == len(texts) == 1 else UNSAID.get(row.text, 0)
            truth = row.truth is (row.text != "lacks")
        taints = merge(site.run.state.deep(value) for value in site.at(row.port))
        note = row.name.removeprefix("*.")
        host = hosts.guarded(row, texts)
        return hosts.facts(site.run, site.op, Value(taints), kinds, note, truth=truth, host=host,
                           found=row.found)  # fmt: skip

    def is_closed(
        self,
        run: Run,
        op: int,
        klass: Place,
        arguments: Sequence[Argument],
        bases: Mapping[Place, Sequence[str]],
    ) -> bool:
        """Whether a class has only the instances that it names, as rows say of its base: else it raises."""
        rows = [row for name in bases.get(klass, ())
                for row in run.models.guards.get(f"class {name}", ())]  # fmt: skip
        site = Site(run, op, None, arguments)
        self._shown(site, [fact for row in rows for fact in self._tested(site, row)])
        return bool(rows)

    @staticmethod
    def _shown(site: Site, facts: Sequence[Fact]) -> None:
        """The call has returned, so what it tests is so."""
        assert site.run.state is not None
        for fact in facts:
            site.run.state.validate(fact.origin, fact.kinds, fact.trail)

    def _mark(self, site: Site, candidates: Sequence[tuple[str, Tier]], result: Value) -> None:
        """Give things the properties that calls give them."""
        assert site.run.state is not None
        for name, _ in candidates:
            for row in site.run.models.marks.get(name, ()):
                if self.holds(site, row.when, row.unless):
                    whole = [result] if row.port.place == RESULT else site.at(row.port)
                    for value in whole:
                        site.run.state.write(value, (".", f"#{row.mark}"), Value(const=True))

    def holds(self, site: Site, when: Sequence[str], unless: Sequence[str]) -> bool:
        """Whether conditions of a row are met: all of `when`, none of `unless`."""
        return all(self._is(site, text) for text in when) and not any(
            self._is(site, text) for text in unless
        )

    def _is(self, site: Site, condition: str) -> bool:
        """Whether a condition of a row holds.

        `PORT=a|b` (a constant; nothing: not given), `name:PORT=x` (a dotted name that ends so),
        `part:PORT=a|b` (a dotted name with such a part),
        `starts:PORT=x` (a list whose first element is x),
        `marked:PORT=x` (a row of marks gave it x), `list:PORT`, `given:PORT`,
        `has:PORT=x` (something true under the key x), `begins:PORT=x` (a constant), `constant:PORT`, `unknown:PORT`,
        `text:PORT` (data itself, not an object that holds it), `open:PORT` (an object of which
        not all is to be seen), `fixed:PORT` (known, and no
        data in it), `loose:PORT` (a list with something that any text equals), `program:PORT` (a program that is no shell, as the first of a list), `own:PORT` (the host that was asked),
        `field:PORT=A:x|y` (its member A was set, to something called so).
        """
        head, equals, wanted = condition.partition("=")
        word, _, port = head.rpartition(":")
        values = site.at(_where(port))
        if word == "name":
            ends = wanted.split("|")
            names = [name for value in values for name in value.names()]
            return any(name.rpartition(".")[2] in ends for name in names)
        if word == "part":
            wanted_parts = set(wanted.split("|"))
            names = [name.replace("()", "") for value in values for name in value.names()]
            if port == "receiver":
                names += [name.replace("()", "") for name in self._told(site.run, site.op)]
            return any(wanted_parts.intersection(name.split(".")) for name in names)
        if word == "marked":
            assert site.run.state is not None
            things = [Value(refs=value.refs) for value in values]
            marks = [site.run.state.read(thing, (".", f"#{wanted}")).const for thing in things]
            return any(True in choices(mark) for mark in marks)
        if word == "field":
            field, _, meant = wanted.partition(":")
            members = [self._field(site, value, field) for value in values]
            return any(each is not None and _fits(each, meant) for each in members)
        if word == "starts":
            assert site.run.state is not None
            firsts = [site.run.state.read(value, 0).const for value in values]
            spelled = {_spelled(each) for first in firsts for each in choices(first)}
            return bool(spelled & set(wanted.lower().split("|")))
        if word == "begins":
            spelled = {_spelled(each) for value in values for each in choices(value.const)}
            spelled |= {leading(site.run.code, op).lower() for op in site.operations(_where(port))}
            return any(each.startswith(wanted.lower()) for each in spelled)
        if word == "has":
            assert site.run.state is not None
            held = [site.run.state.read(value, wanted).const for value in values]
            return any(True in choices(each) for each in held)
        if equals:
            spelled = {_spelled(each) for value in values for each in choices(value.const)}
            spelled = spelled or ({"?"} if values else {""})
            return bool(spelled & set(wanted.lower().split("|")))
        return any(_HOLDS[word](self, site.run, value) for value in values)

    @staticmethod
    def _field(site: Site, value: Value, name: str) -> Value | None:
        """What a member was set to, None where it was not, or to nothing."""
        key = site.run.semantics.key(name)
        for ref in ordered(value.refs):
            if not isinstance(ref, Object):
                continue
            held = site.run.thing(ref).fields.get(key)
            if held is not None and held.const is not None:
                return held
        return None

    @staticmethod
    def is_program(run: Run, value: Value) -> bool:
        """Whether a constant, or the first of a list, is the name of a program that is no shell."""
        lists = [ref for ref in ordered(value.refs) if isinstance(ref, Object)
                 and run.thing(ref).length is not None]  # fmt: skip
        first = [run.thing(ref).fields.get(0, NOTHING).const for ref in lists] or [value.const]
        words = [str(each).replace("\\", "/").rpartition("/")[2].lower()
                 for const in first for each in choices(const) or ("",)]  # fmt: skip
        return not any(not word or word.removesuffix(".exe") in SHELLS for word in words)

    @staticmethod
    def is_fixed(run: Run, value: Value) -> bool:
        """Whether it is known what a value holds, and that is no data."""
        assert run.state is not None
        known = value.const is not UNKNOWN or any(isinstance(ref, Object) for ref in value.refs)
        return known and not run.solver.lists.holds_data(run, value)

    @staticmethod
    def is_loose(run: Run, value: Value) -> bool:
        """Whether something that any text equals, compared loosely, is to be seen in a list."""
        held = [each for ref in ordered(value.refs) if isinstance(ref, Object)
                for each in (*run.thing(ref).fields.values(), run.thing(ref).rest)]  # fmt: skip
        return any(const is True for each in held for const in choices(each.const))

    @staticmethod
    def is_written(run: Run, value: Value) -> bool:
        """Whether all members of an object are to be seen where it is made."""
        objects = [ref for ref in ordered(value.refs) if isinstance(ref, Object)]
        return bool(objects) and all(
            ref in run.state.heap and run.thing(ref).symbol is None
            for ref in objects if run.state is not None)  # fmt: skip

    @staticmethod
    def is_list(run: Run, value: Value) -> bool:
        """Whether a value is a list that is written out."""
        return any(isinstance(ref, Object) and run.thing(ref).length is not None
                   for ref in value.refs)  # fmt: skip

    def _find_patterns(self, site: Site, candidates: Sequence[tuple[str, Tier]]) -> None:
        for name, _ in candidates:
            for row in site.run.models.patterns.get(name, ()):
                if self.holds(site, row.when, row.unless):
                    key = (site.run.unit, site.op, row.name)
                    self.patterns.setdefault(key, Pattern(site.run.unit, site.op, row))

    def stored(self, run: Run, op: int, holder: Value, name: str, content: Value) -> None:
        """An attribute is set."""
        names = [f"{each}.{name}" for each in holder.names()]
        for each in (*names, f"*.{name}"):
            row = run.models.stores.get(each)
            if row is not None:
                tier = Tier.NAMED if each.startswith("*") else Tier.RESOLVED
                self.sink(run, op, row, content, tier)
                return

    def set_item(self, run: Run, op: int, holder: Value, key: Value, content: Value) -> None:
        """An item is set: its key is told to whoever reads, too."""
        for each in holder.names():
            row = run.models.stores.get(f"{each}[]")
            if row is not None:
                self.sink(run, op, row, content, Tier.RESOLVED)
                self.sink(run, op, row, key, Tier.RESOLVED)
                return

    # ------------------------------------------------------------------ what frameworks call

    def _register(self, site: Site, candidates: Sequence[tuple[str, Tier]]) -> None:
        for name, _ in candidates:
            row = site.run.models.entries.get(name)
            if row is None:
                continue
            positional = [a for a in site.arguments if a.kind in (Port.POSITIONAL, Port.KEYWORD)]
            handed: list[Function] = []
            for number, argument in enumerate(positional):
                if row.argument in (-1, number):
                    assert site.run.state is not None
                    inside = site.run.state.read(argument.value, None)
                    for ref in (*argument.value.refs, *inside.refs):
                        if isinstance(ref, Function):
                            self.entry((ref.unit, ref.scope), row, site.op, site.run.unit)
                            handed.append(ref)
            if row.handler:
                self._solver.permission.around.registered(site, handed, last=row.argument < 0)
            return

    def decorated(self, run: Run, op: int, decorator: Value, what: Value) -> Value:
        """A function or class with a decorator: it stays what it is, and a framework may call it."""
        for name in decorator.names():
            called = name.removesuffix("()")
            row = run.models.entries.get(called)
            if row is None:
                row = run.models.entries.get(f"*.{called.rpartition('.')[2]}")
            if row is not None:
                for ref in ordered(what.refs):
                    if isinstance(ref, Function):
                        self.entry((ref.unit, ref.scope), row, op, run.unit)
                    elif isinstance(ref, Class):
                        for place in self._decorated_members(ref):
                            self.entry(place, row, op, run.unit)
        return what

    def _decorated_members(self, klass: Class) -> list[Place]:
        """Functions of a class that are decorated themselves."""
        code = self._solver.program.codes[klass.unit]
        row = code.scopes[klass.scope]
        found = [code.ops[b][1] for kind, _, b, *_ in code.ops[row.first : row.last]
                 if kind == Op.DECORATE and code.ops[b][0] == Op.FUNCTION]  # fmt: skip
        return [(klass.unit, scope) for scope in dict.fromkeys(found)]

    def entry(self, place: Place, row: EntryRow, op: int, unit: int = -1) -> None:
        """A framework calls a function, as it is told by `op` of a file (-1: its own)."""
        if (place, row.name) not in self._entries:
            self._entries[place, row.name] = (row, op)
            self._entered.setdefault(place, []).append(row)
        if row.handler:
            code = self._solver.program.codes[place[0] if unit < 0 else unit]
            routes = self._routes.setdefault(place, {})
            for name, number in converted(code, op).items():
                routes[name] = number and routes.get(name, True)

    def _is_number(self, place: Place, row: EntryRow, name: str, kind: int) -> bool:
        """Whether a framework hands in a number: the route says so, or the type."""
        if self._routes.get(place, {}).get(name, False):
            return True
        return row.typed and is_number(self._solver.program.codes[place[0]], kind)

    def enter(self) -> None:
        """Call what frameworks call, with what they give."""
        for place, found in handlers(self._solver, {place for place, _ in self._entries}):
            self.entry(place, found, self.definition(place))
        done: set[tuple[Place, str]] = set()
        while len(done) < len(self._entries):
            for key, (row, _) in sorted(self._entries.items(), key=repr):
                if key not in done:
                    done.add(key)
                    if self._solver.is_wanted(key[0]):
                        self._enter(key[0], row)

    def entered_places(self) -> Iterable[Place]:
        """Functions that frameworks call."""
        return (place for place, _ in self._entries)

    def entered(self, place: Place) -> list[Summary]:
        """What a function does as frameworks call it."""
        shapes = {self._handed_over(place, row)[1] for row in self._entered.get(place, ())} or {()}
        return [self._solver.summary(place, shape) for shape in sorted(shapes, key=repr)]

    def _enter(self, place: Place, row: EntryRow) -> None:
        run = Run(self._solver, place[0], 0, State(), None)
        assert run.state is not None
        op = self.definition(place)
        bound, shape = self._handed_over(place, row)
        if row.handler:
            bound[CALLER.place] = self._solver.permission.enter(run, place, op, row.name)
        summary = self._solver.summary(place, shape)
        self._solver.permission.settle(run, summary.hits)
        result = Application(run, op, summary, bound, Tier.RESOLVED).apply()
        self._solver.variables.keep_inside(run.state)
        if row.result:
            self._given_back(run, row, result)

    def _handed_over(self, place: Place, row: EntryRow) -> tuple[dict[int, Value], Shape]:
        """What a framework hands to a function."""
        unit, op = place[0], self.definition(place)
        language = self._solver.program.codes[unit].language
        bound: dict[int, Value] = {}
        shape: list[tuple[int, object, frozenset[object]]] = []
        parameters = self._solver.calls.parameters(place)
        longer = row.more and sum(each[0] >= 0 for each in parameters) > len(row.params)
        params = row.more if longer else row.params
        for index, _, name, kind in parameters:
            given = params[index] if 0 <= index < len(params) else row.rest
            if index < 0 or not given:
                continue
            if given == "source":
                taken = bare.of_type if row.bare else self._solver.semantics[language].taken
                clean = taken(self._solver, place, index)
                if clean is None:
                    continue
                clean |= TEXT if self._is_number(place, row, name, kind) else 0
                origin = Source(unit, op, self._solver.row_number(language, row.name))
                trail = Trail(unit, op, Role.SOURCE, f"parameter of {row.name}")
                bound[index] = Value({origin: Taint(clean, trail)})
            else:
                bound[index] = pointing(given)
                shape.append((index, UNKNOWN, frozenset((given,))))
        return bound, tuple(shape)

    def _given_back(self, run: Run, row: EntryRow, result: Value) -> None:
        """What a handler returns goes to whoever asked."""
        assert run.state is not None
        self._given_kind(row, row.result, self._body(run, result), run)
        self._given_kind(row, "secret", run.state.deep(result), run)

    def _given_kind(
        self, row: EntryRow, word: str, taints: Mapping[Origin, Taint], run: Run
    ) -> None:
        kind = KINDS.index(word)
        for origin, taint in taints.items():
            if word == "secret" and not self._is_credential(origin):
                continue
            last = taint.trail
            if last is None:
                continue
            while last.inner is not None:
                last = last.inner
            clean = bool(taint.clean >> kind & 1)
            trail = Trail(last.unit, last.op, Role.SINK, f"returned to {row.name}", taint.trail)
            hit = Hit(origin, last.unit, last.op, row.name, kind, clean)
            self._solver.hit(run, hit, Taint(taint.clean, trail, taint.assumed))

    def _is_credential(self, origin: Origin) -> bool:
        names = self._solver.row_names
        return isinstance(origin, Source) and names[origin.row][1] == credentials.ROW

    @staticmethod
    def _body(run: Run, result: Value) -> Mapping[Origin, Taint]:
        """Of a tuple the first element is the text; what has names becomes JSON."""
        assert run.state is not None
        if Outside.is_list(run, result):
            return run.state.deep(run.state.read(result, 0))
        return result.taints

    def definition(self, place: Place) -> int:
        """The operation that defines a function."""
        unit, scope = place
        code = self._solver.program.codes[unit]
        row = code.scopes[scope]
        if not scope:
            return min(range(row.first, row.last), key=code.span, default=0)
        parent = code.scopes[row.parent]
        for op in range(parent.first, parent.last):
            if code.ops[op][0] == Op.FUNCTION and code.ops[op][1] == scope:
                return op
        return max(row.first, 0)

    def parameter(self, run: Run, index: int, value: Value) -> Value:
        """A parameter as its function sees it: a source where it is annotated as one."""
        for op, name in self._solver.calls.annotations(run, index):
            row = run.models.reads.get(f"@{name}")
            if row is not None:
                value = run.sourced(op, value, row.name, row.what)
        return value


_HOLDS: Final[Mapping[str, Callable[[Outside, Run, Value], bool]]] = {
    "given": lambda _outside, _run, _value: True,
    "constant": lambda _o, run, value: (
        lists.is_known(run, value)
        if isinstance(value.const, Listed)
        else value.const is not UNKNOWN
    ),
    "unknown": lambda _outside, _run, value: value.const is UNKNOWN,
    "text": lambda _outside, _run, value: bool(value.taints),
    "open": lambda outside, run, value: not outside.is_written(run, value),
    "list": lambda outside, run, value: outside.is_list(run, value),
    "fixed": lambda outside, run, value: outside.is_fixed(run, value),
    "loose": lambda outside, run, value: outside.is_loose(run, value),
    "program": lambda outside, run, value: outside.is_program(run, value),
    "own": lambda _outside, run, value: hosts.is_own(run, value),
}
"""Words of conditions."""


def _fits(value: Value, ends: str) -> bool:
    """Whether a value is, or is called, one of some words; any is, where there are none."""
    words = {name.rpartition(".")[2] for name in value.names()}
    words |= {str(each) for each in choices(value.const)}
    return not ends or not words.isdisjoint(ends.split("|"))


def _expression(known: Sequence[Value]) -> object:
    """The regular expression that a constant is."""
    const = known[0].const if known else UNKNOWN
    return Regex(const, "") if isinstance(const, str) else const


def _formatted(
    site: Site, at: int, told: Callable[[str], tuple[bool, ...]]
) -> list[tuple[Value, bool]]:
    """The arguments behind a format, each with whether it is a text: that where it is not known."""
    plain = [argument.value for argument in site.arguments]
    if at >= len(plain):
        return []
    rest = plain[at + 1 :]
    format_ = plain[at].const
    if not isinstance(format_, str):
        return [(value, True) for value in rest]
    texts = told(format_)
    return list(zip(rest, (*texts, *[True] * (len(rest) - len(texts))), strict=False))


def _where(text: str) -> Where:
    if text == "receiver":
        return Where(RECEIVER)
    return Where(int(text)) if text.lstrip("-").isdigit() else Where(-9, text)


def leading(code: Code, op: int) -> str:
    """What a text begins with that is made where it stands, as far as that is written out."""
    while op >= 0:
        row = code.ops[op]
        if row[0] == Op.CONST:
            return code.names[row[2]].lstrip("\"'`") if row[2] >= 0 else ""
        if row[0] == Op.MAKE and row[1] == Make.TEXT and row[3]:
            op = code.ports[row[2]][2]
        elif row[0] == Op.OPERATE and row[2] >= 0:
            op = row[1]
        else:
            break
    return ""


def _spelled(const: object) -> str:
    return "" if const is UNKNOWN else str(const).lower()


def _cleaned(taints: Mapping[Origin, Taint], kinds: int) -> Mapping[Origin, Taint]:
    if not kinds or not taints:
        return taints or NO_TAINTS
    return {origin: taint._replace(clean=taint.clean | kinds) for origin, taint in taints.items()}

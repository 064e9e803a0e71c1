"""Rust."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from grainline.graph.containers import LIST, argument_of, callback, container_of, give_first
from grainline.graph.parts import Argument, Call
from grainline.graph.rules.base import Idioms, LanguageRules, Method, Types
from grainline.graph.world import World
from grainline.languages.modules.base import Module, Modules
from grainline.languages.modules.rust import RustModules
from grainline.model.ir import FileIr, Op, Port

_NATIVES: Final = """
bool char f32 f64 i8 i16 i32 i64 i128 isize str u8 u16 u32 u64 u128 usize Some None Ok Err Box Vec
String Option Result drop Default Clone Copy Send Sync Sized Drop Fn FnMut FnOnce Iterator
IntoIterator From Into AsRef AsMut ToString ToOwned Eq PartialEq Ord PartialOrd Debug Hash
println! print! eprintln! eprint! format! vec! panic! assert! assert_eq! assert_ne! debug_assert!
debug_assert_eq! write! writeln! todo! unreachable! unimplemented! matches! env! concat! include!
include_str! include_bytes! cfg! dbg! line! file! stringify! thread_local! compile_error!
"""
_TYPES: Final = Types(
    transparent=frozenset(
        ["Box", "Rc", "Arc", "Ref", "RefMut", "Cow", "Pin", "MutexGuard", "Weak", "NonNull"]
    ),
    elements=frozenset(
        [
            *["Option", "Vec", "VecDeque", "Result", "HashSet", "BTreeSet", "BinaryHeap"],
            *["Iterator", "IntoIterator", "DoubleEndedIterator", "Peekable", "RefCell", "Cell"],
            *["Mutex", "RwLock", "OnceCell", "OnceLock", "Poll", "SmallVec", "LinkedList"],
        ]
    ),
    mappings=frozenset(["HashMap", "BTreeMap", "IndexMap"]),
    opaque=frozenset(["PhantomData"]),
)


# ------------------------------------------------------------------------------ containers


def _same(world: World, made: Call, container: int, tier: int) -> None:
    """The elements, in whatever they are handed out."""
    if made.result >= 0:
        world.solver.add(made.result, container, tier)


def _element(world: World, made: Call, container: int, tier: int) -> None:
    if made.result >= 0:
        world.read_item(container, None, made.result, tier)


def _either(world: World, made: Call, container: int, tier: int) -> None:
    """An element, or one that may not be there."""
    _same(world, made, container, tier)
    _element(world, made, container, tier)


def _put(at: int) -> Method:
    def put(world: World, made: Call, container: int, tier: int) -> None:
        argument = argument_of(made, at)
        if argument is not None:
            world.put(argument.node, container, None)

    return put


def _visit(world: World, made: Call, container: int, result: int) -> None:
    """A function among the arguments gets an element."""
    passed = (Argument(Port.POSITIONAL, "", world.items(container)),)
    for argument in made.arguments:
        callback(world, made, argument.node, passed, result)


def _keeping(world: World, made: Call, container: int, tier: int) -> None:
    """Functions look at elements; the result has those elements."""
    _visit(world, made, container, -1)
    _same(world, made, container, tier)


def _mapping(world: World, made: Call, container: int, tier: int) -> None:
    """The result has what the function gives."""
    if made.result < 0:
        _visit(world, made, container, -1)
        return
    results = container_of(world, made, LIST)
    world.solver.add(made.result, results, tier)
    _visit(world, made, container, world.item(results, None))


def _flat(world: World, made: Call, container: int, tier: int) -> None:
    """The result is what the function gives."""
    _visit(world, made, container, made.result)


def _otherwise(world: World, made: Call, container: int, tier: int) -> None:
    _visit(world, made, container, -1)
    _element(world, made, container, tier)


_WORDS: Final[dict[str, str]] = {
    "same": "iter iter_mut into_iter values values_mut into_values get get_mut first last first_mut "
    "last_mut pop pop_front pop_back next next_back nth peek peek_mut as_ref as_mut as_deref "
    "as_deref_mut cloned copied clone rev skip take chain by_ref lock read write ok or collect "
    "to_vec drain peekable step_by fuse into_boxed_slice as_slice as_mut_slice iter_all replace "
    "insert split_at chunks windows to_owned borrow_iter ok_or map_err context with_context await "
    "as_pin_mut try_lock try_borrow try_borrow_mut get_or_init",
    "element": "unwrap expect unwrap_or unwrap_or_default borrow borrow_mut swap_remove into_inner "
    "get_unchecked unwrap_unchecked get_or_insert",
    "either": "remove take max min",
    "keeping": "filter skip_while take_while inspect for_each any all find position retain sort_by "
    "sort_by_key min_by_key max_by_key partition or_else ok_or_else",
    "mapping": "map filter_map map_while",
    "flat": "and_then flat_map map_or map_or_else fold",
    "otherwise": "unwrap_or_else get_or_insert_with",
}
_METHODS: Final[dict[str, Method]] = {
    name: method
    for kind, method in {
        "same": _same,
        "element": _element,
        "either": _either,
        "keeping": _keeping,
        "mapping": _mapping,
        "flat": _flat,
        "otherwise": _otherwise,
    }.items()
    for name in _WORDS[kind].split()
} | {"push": _put(0), "push_back": _put(0), "push_front": _put(0)}


# ------------------------------------------------------------------------------ functions


def _holds(world: World, made: Call, number: int, tier: int) -> None:
    """A container of the argument, if there is one."""
    if made.result < 0:
        return
    container = container_of(world, made, LIST)
    world.solver.add(made.result, container, tier)
    argument = argument_of(made, 0)
    if argument is not None:
        world.solver.copy(argument.node, world.item(container, None), tier)


_BOXES: Final = "Box Rc Arc std::rc.Rc std::sync.Arc Pin"
_HOLDERS: Final = (
    "Vec VecDeque RefCell Mutex RwLock std::cell.RefCell std::sync.Mutex std::sync.RwLock"
)


def _reach(ir: FileIr, path: str, modules: Modules) -> Iterable[Module]:
    """Paths may end in members, so the crate that they begin with is reached as a whole."""
    rows: list[int] = ir.ops[ir.ops[:, 0] == Op.IMPORT, 1].tolist()
    for first in {ir.names[name].partition("::")[0] for name in rows} | {"crate"}:
        yield from modules.find(path, "crate" if first in ("self", "super") else first)


def _is_test(path: str) -> bool:
    return not {"tests", "benches"}.isdisjoint(path.split("/")[:-1])


RULES = LanguageRules(
    languages=("rust",),
    modules=RustModules,
    shaping=frozenset({"Cargo.toml"}),
    reach=_reach,
    natives=frozenset(_NATIVES.split()),
    models={
        **{f"builtins.{word}": _holds for word in ("Some", "Ok")},
        **{f"{word}.new": give_first for word in _BOXES.split()},
        **{f"{word}.new": _holds for word in _HOLDERS.split()},
    },
    methods=_METHODS,
    generates_constructor=True,
    first_declares=True,
    receiver_argument=True,
    hides_members=True,
    passing=frozenset(
        ["clone", "as_ref", "as_mut", "to_owned", "borrow", "borrow_mut", "deref", "deref_mut",
         "by_ref", "lock", "into"]
    ),
    is_test=_is_test,
    types=_TYPES,
    idioms=Idioms(variables="#"),
)  # fmt: skip

r"""Names of PHP: what the words of a file mean in full, by its namespace and its `use`.

Classes are bound under their full name (`A\B\C`), functions under theirs with `()` behind it, both
without a leading backslash; a function that is named in full is loaded with one, since only other
names fall back to the function of no namespace. Properties and variables begin with `$`; variables
of the module, which functions do not see, end in `#0`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, cast

from grainline.languages.lowering.base import Tables, Writer
from grainline.model.ir import GETS, SETS, Const, Op

if TYPE_CHECKING:
    from tree_sitter import Node

LOAD, GETATTR, STORE, CALL = int(Op.LOAD), int(Op.GETATTR), int(Op.STORE), int(Op.CALL)
COMPUTED = b"$$"
"""What stands for a variable of a computed name: no variable is called so."""
LATE = b"static"
"""The operator that makes the class that is meant late of the one around."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What words mean at some place.

    Attributes:
        namespace: without backslashes around it.
        classes: alias, in small letters -> full name; also of namespaces; filled as `use` is met,
            for all places of one namespace.
        functions: the same of functions.
        own: full name of the class around, b"" of none and of those without a name.
        parent: full name of what it extends, where `parent` cannot be told by the order of bases.
        shared: whether what is around is a trait or has no name, so that `self` is who uses it.
        method: 1 in what has `$this`, 2 in a static method, else 0.
        module: whether variables are those of the module.
    """

    namespace: bytes = b""
    classes: dict[bytes, bytes] = field(default_factory=dict[bytes, bytes])
    functions: dict[bytes, bytes] = field(default_factory=dict[bytes, bytes])
    own: bytes = b""
    parent: bytes = b""
    shared: bool = False
    method: int = 0
    module: bool = True


class Target(NamedTuple):
    """What a variable is a reference to: `node`, or an `element` of it; `sure`: whatever way was taken."""

    node: Node
    element: bool
    sure: bool


class PhpWriter(Writer):
    """The state of lowering one file."""

    __slots__ = ("aliases", "context", "targets")

    def __init__(self, text: bytes, tables: Tables) -> None:
        super().__init__(text, tables)
        self.context = Context()
        self.aliases: dict[tuple[int, bytes], bytes] = {}
        """Variable of a scope -> the variable that it is another name of from there on."""
        self.targets: dict[tuple[int, bytes], Target] = {}
        """Variable of a scope -> what is set with it."""


def machine(low: Writer) -> PhpWriter:
    """The state, of which handlers know only the machine."""
    return cast("PhpWriter", low)


def raw(low: Writer, node: Node) -> bytes:
    """The text of a node."""
    return low.text[node.start_byte : node.end_byte]


def words_of(low: Writer, node: Node) -> bytes:
    """A name as written, without space or comments inside of it."""
    if node.child_count == 0:
        return raw(low, node)
    return b"".join(raw(low, node).split())


def last_name(node: Node) -> Node:
    """The last word of a name."""
    while node.type in QUALIFIED and node.named_child_count:
        node = node.named_children[-1]
    return node


QUALIFIED = frozenset({"qualified_name", "relative_name", "namespace_name", "named_type"})
NAMES = QUALIFIED | {"name"}


def within(namespace: bytes, word: bytes) -> bytes:
    """A name inside of a namespace."""
    return namespace + b"\\" + word if namespace else word


def full_name(context: Context, word: bytes) -> bytes:
    """The full name of a class, as written."""
    if word[:1] == b"\\":
        return word[1:]
    first, _, rest = word.partition(b"\\")
    if first.lower() == b"namespace" and rest:
        return within(context.namespace, rest)
    known = context.classes.get(first.lower())
    if known is None:
        return within(context.namespace, word)
    return within(known, rest) if rest else known


def function_name(context: Context, word: bytes) -> bytes:
    """The name under which a function that is called is looked for."""
    if b"\\" in word:
        return b"\\" + full_name(context, word) + b"()"
    known = context.functions.get(word.lower())
    return b"\\" + known + b"()" if known is not None else within(context.namespace, word) + b"()"


def variable_name(low: Writer, node: Node) -> bytes:
    """The name of a variable."""
    return named(low, raw(low, node))


def named(low: Writer, word: bytes) -> bytes:
    """The name of the variable that is written `word` here."""
    alias = machine(low).aliases.get((low.scope, word))
    if alias is not None:
        return alias
    return word + b"#0" if machine(low).context.module and word != b"$this" else word


def put_computed(low: Writer, value: int, node: Node) -> None:
    """Some variable takes the value of a register."""
    place = node.byte_range
    number = low.name(COMPUTED)
    low.emit(STORE, number, value, -1, *place)
    low.emit(Op.LOST, number, 1, SETS, *place)


def get_computed(low: Writer, node: Node) -> int:
    """The register of what some variable holds."""
    number = low.name(COMPUTED)
    low.emit(Op.LOST, number, 1, GETS, *node.byte_range)
    return load(low, COMPUTED, node)


def written_name(low: Writer, node: Node) -> bytes | None:
    """The name of the variable in `${"x"}` and `"${x}"`; None of one that is computed."""
    found = [child for child in node.named_children if not child.is_extra]
    if len(found) != 1:
        return None
    inner = found[0]
    if inner.type == "name":
        return named(low, b"$" + raw(low, inner))
    word = constant_text(low, inner)
    return None if word is None else named(low, b"$" + word)


def constant_text(low: Writer, node: Node) -> bytes | None:
    """What a text in quotes says; None of one with something in it."""
    found = node.named_children
    if node.type not in ("string", "encapsed_string") or len(found) != 1:
        return None
    return raw(low, found[0]) if found[0].type == "string_content" else None


def global_of(low: Writer, node: Node) -> bytes | None:
    """The variable of the module that `$GLOBALS["x"]` is; None of anything else."""
    found = [child for child in node.named_children if not child.is_extra]
    if node.type != "subscript_expression" or len(found) != 2:
        return None
    word = constant_text(low, found[1]) if raw(low, found[0]) == b"$GLOBALS" else None
    return None if word is None else b"$" + word + b"#0"


def load(low: Writer, name: bytes, node: Node) -> int:
    """The register of a name that is read at a node."""
    return low.emit(LOAD, low.name(name), -1, -1, *node.byte_range)


def unknown(low: Writer, node: Node) -> int:
    """The register of something of which nothing is known."""
    return low.emit(Op.CONST, Const.OTHER, -1, -1, *node.byte_range)


def load_class(low: Writer, node: Node, *, making: bool = False) -> int:
    """The register of the class that a name or `self`, `static`, `parent` means.

    Args:
        low: the machine.
        node: the name.
        making: an instance is made, so that what is meant late has to be a class.
    """
    context = machine(low).context
    written = words_of(low, node)
    word = written.lower()
    place = last_name(node)
    if word == b"parent":
        return load(low, context.parent or b"parent", place)
    if word not in (b"self", b"static"):
        return load(low, full_name(context, written), place)
    if word == b"self" and context.own and not context.shared:
        return load(low, context.own, place)
    if not making:
        if not context.method:
            return unknown(low, place)
        return load(low, b"static" if context.method == 2 else b"$this", place)
    if not context.own or context.shared:
        return unknown(low, place)
    known = load(low, context.own, place)
    return low.emit(Op.OPERATE, known, -1, low.name(LATE), *place.byte_range)

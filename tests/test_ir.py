"""The IR: what a lowering says, its bytes, and bytes that lie."""

from __future__ import annotations

import random
import struct
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from grainline.graph.resolve import resolve
from grainline.graph.units import Unit
from grainline.model.ir import TABLES, Arm, Branch, Const, FileIr, Op, Port, ScopeKind
from grainline.model.irbytes import decode_ir, encode_ir
from grainline.model.ircheck import IrError, check_ir
from grainline.model.numbers import name_of
from helpers.graphs import unit

ROOT = Path(__file__).resolve().parent.parent

SOURCES = sorted((ROOT / "src" / "grainline").rglob("*.py"))
SAMPLE = b"""\
import a.b, c as d
from ..x import (y as z, w)
@d(1)
async def g(a, /, b: int = 2, *c, d=3, **e) -> T:
    async with a as b, c() as (d, e):
        q()
    for i, *j in x:
        yield i
    else:
        pass
    try:
        f()
    except (A, B) as e:
        raise X from e
    else:
        n()
    finally:
        del a, b.c
class C(A, metaclass=M):
    x: int = 5
    def f(self):
        global G
        self.y: int = 3
        self.q[1], s = u
l = lambda a, b=1: a
v = {**a, "b": -1, **{k: i for i, k in x if i}}
f"{a!r:>{w}}" "x"
while n := f():
    if not n and x < 4 > 3:
        break
    elif y:
        continue
match x:
    case A(b=c) if g:
        pass
    case {"k": [v, *_]} | 1:
        pass
x += y[1:2, ::3]
"""


def ir_of(text):
    found = unit("a.py", text).ir
    assert isinstance(found, FileIr)
    return found


def spelled(ir, text):
    """Operations as words: the operation and the text at its place."""
    return [
        f"{name_of(Op, code)} {text[start:end].decode().splitlines()[0] if end > start else ''}".strip()
        for code, _, _, _, start, end in ir.ops.tolist()
    ]


def test_operations_stand_in_the_order_of_evaluation():
    text = b"a.b = f(x, k=1)[0]\n"
    assert spelled(ir_of(text), text) == [
        "LOAD f",
        "LOAD x",
        "CONST 1",
        "CALL f(x, k=1)",
        "CONST 0",
        "GETITEM f(x, k=1)[0]",
        "LOAD a",
        "SETATTR b",
    ]


def test_scopes_are_numbered_and_hold_their_operations():
    ir = ir_of(b"class A:\n    def f(self, n=1): return lambda: n\n")
    rows = ir.scope_rows()
    assert [name_of(ScopeKind, row.kind) for row in rows] == [
        "MODULE",
        "CLASS",
        "FUNCTION",
        "LAMBDA",
    ]
    assert [row.parent for row in rows] == [-1, 0, 1, 2]
    assert [ir.names[row.name] for row in rows] == ["", "A", "f", "1"]
    assert [ir.names[name] for name in ir.params[:, 1]] == ["self", "n"]


def test_a_comprehension_has_variables_of_its_own():
    ir = ir_of(b"x = [x for x in y]\nx\n")
    stored = [ir.names[a] for code, a, *_ in ir.ops.tolist() if code == Op.STORE]
    assert stored == ["x#1", "x"]


def test_regions_are_closed_in_their_scope():
    ir = ir_of(SAMPLE)
    for row in ir.scope_rows():
        open_ = []
        for number in range(row.first, row.last):
            code, a, *_ = ir.ops[number].tolist()
            if code in (Op.BRANCH, Op.LOOP):
                open_.append(number)
                assert number < a < row.last
            elif code == Op.END:
                assert open_.pop() == a
        assert not open_


def test_arms_of_a_try_are_told_apart():
    ir = ir_of(b"try: a\nexcept B: c\nelse: d\nfinally: e\n")
    assert [name_of(Arm, a) for code, a, *_ in ir.ops.tolist() if code == Op.ARM] == [
        "BODY", "HANDLER", "AFTER", "FINALLY",
    ]  # fmt: skip
    assert [name_of(Branch, b) for code, _, b, *_ in ir.ops.tolist() if code == Op.BRANCH] == [
        "TRY"
    ]


def test_ports_say_how_an_argument_is_passed():
    ir = ir_of(b"f(a, *b, c=d, **e)\n")
    assert [name_of(Port, kind) for kind in ir.ports[:, 0]] == [
        "POSITIONAL", "STAR", "KEYWORD", "DOUBLE_STAR",
    ]  # fmt: skip


def test_long_constants_are_no_keys():
    ir = ir_of(b"a = 'x' * 3, '" + b"y" * 100 + b"', -1\n")
    kept = [
        (name_of(Const, a), ir.names[b] if b >= 0 else None)
        for code, a, b, *_ in ir.ops.tolist()
        if code == Op.CONST
    ]
    assert kept == [("STR", "x"), ("INT", "3"), ("STR", None), ("INT", "1"), ("INT", "-1")]


def test_the_same_operations_whatever_the_line_endings():
    def shape(text):
        ir = ir_of(text)
        return ir.names, ir.ops[:, :4].tolist(), ir.ports.tolist(), ir.params[:, :4].tolist()

    assert shape(SAMPLE) == shape(SAMPLE.replace(b"\n", b"\r\n"))


@pytest.mark.parametrize("path", SOURCES[::7], ids=lambda path: path.name)
def test_bytes_give_the_ir_back(path):
    text = path.read_bytes()
    ir = ir_of(text)
    assert decode_ir(encode_ir(ir), size=len(text)) == ir


def test_broken_source_is_lowered_too():
    draw = random.Random(7)
    pieces = [b"(", b")", b":", b"@", b"=", b"lambda ", b'"', b"#x\n", b"def ", b"class ", b",",
              b"[", b"*", b" as ", b"case ", b"for ", b"\n  ", b"except ", b"match x:\n"]  # fmt: skip
    for _ in range(300):
        text = bytearray(SAMPLE)
        for _ in range(draw.randrange(1, 6)):
            at = draw.randrange(len(text))
            text[at : at + draw.randrange(4)] = draw.choice(pieces)
        ir = ir_of(bytes(text))
        assert decode_ir(encode_ir(ir), size=len(text)) == ir


def test_deep_source_is_lowered_without_recursion():
    for text in (
        b"x = " + b"(" * 900 + b"1" + b")" * 900,
        b"x = " + b"a." * 900 + b"b",
        b"x = " + b" + ".join([b"a"] * 900),
        b"x" + b"()" * 900,
        b"x = " + b"[" * 900 + b"]" * 900,
    ):
        assert len(ir_of(text + b"\n").ops) > 1


# ------------------------------------------------------------------------------ hostile bytes


def test_every_cut_and_every_flipped_byte_is_refused_or_sound():
    ir = ir_of(SAMPLE)
    data = encode_ir(ir)
    for end in range(0, len(data), 7):
        with pytest.raises(IrError):
            decode_ir(data[:end], size=len(SAMPLE))
    draw = random.Random(3)
    refused = 0
    for _ in range(1500):
        lie = bytearray(data)
        lie[draw.randrange(len(lie))] ^= 1 << draw.randrange(8)
        try:
            found = decode_ir(bytes(lie), size=len(SAMPLE))
        except IrError:
            refused += 1
        else:
            check_ir(found, size=len(SAMPLE))
    assert refused > 500


def lies():
    """(table, row where it matters, column, value) of numbers that refer to nothing."""
    yield "ops", Op.LOAD, 1, 1 << 20
    yield "ops", Op.LOAD, 1, -1
    yield "ops", Op.LOAD, 0, 99
    yield "ops", Op.LOAD, 4, 1 << 20
    yield "ops", Op.CALL, 1, 1 << 20
    yield "ops", Op.CALL, 2, -5
    yield "ops", Op.CALL, 3, 1 << 20
    yield "ops", Op.STORE, 2, 1 << 20
    yield "ops", Op.FUNCTION, 1, 0
    yield "ops", Op.BRANCH, 1, 0
    yield "ops", Op.ARM, 1, 77
    yield "ops", Op.END, 1, 0
    yield "ops", Op.MAKE, 1, 9
    yield "ops", Op.ELEMENT, 2, 99
    yield "ops", Op.CLASS, 1, 1
    yield "ports", 0, 0, 9
    yield "ports", 0, 1, 3
    yield "ports", 0, 2, 1 << 20
    yield "params", 0, 1, 1 << 20
    yield "params", 0, 2, 1 << 20
    yield "scopes", 1, 1, 5
    yield "scopes", 1, 1, -1
    yield "scopes", 1, 6, 0
    yield "scopes", 1, 7, 1 << 20
    yield "scopes", 1, 10, 1 << 20
    yield "scopes", 1, 3, 1 << 20


@pytest.mark.parametrize("lie", list(lies()), ids=str)
def test_a_number_that_refers_to_nothing_is_refused(lie):
    table, row, column, value = lie
    ir = ir_of(SAMPLE)
    rows = np.array(getattr(ir, table))
    at = row if table != "ops" else int(np.flatnonzero(rows[:, 0] == row)[-1])
    rows[at, column] = value
    lying = replace(ir, **{table: rows})
    with pytest.raises(IrError):
        check_ir(lying, size=len(SAMPLE))
    if value != 99:  # a code that is none cannot be written, only come as bytes
        with pytest.raises(IrError):
            decode_ir(encode_ir(lying), size=len(SAMPLE))


def test_what_passes_the_check_can_be_resolved():
    """Numbers of a real IR are mixed up; whatever is accepted goes through the graph."""
    draw = random.Random(5)
    text = SAMPLE + b"@k\ndef k(x=1): return x\nclass D(C):\n  def p(self): return super().f()\n"
    whole = unit("a.py", text)
    other = unit("b.py", b"from a import *\nfrom a import D\nD().p()\n")
    accepted = 0
    for _ in range(700):
        table = draw.choice(["ops", "ops", "ops", "ports", "params", "scopes"])
        rows = np.array(getattr(whole.ir, table))
        row, column = draw.randrange(len(rows)), draw.randrange(rows.shape[1])
        near = rows[row, column] + draw.randrange(-3, 4)
        rows[row, column] = draw.choice([near, rows[draw.randrange(len(rows)), column]])
        ir = replace(whole.ir, **{table: rows})
        try:
            check_ir(ir, size=len(text))
        except IrError:
            continue
        accepted += 1
        resolve([Unit(whole.path, whole.language, ir, whole.outline), other])
    assert accepted > 100


def test_a_value_cannot_come_from_what_follows_or_has_none():
    ir = ir_of(SAMPLE)
    stores = np.flatnonzero(ir.ops[:, 0] == Op.STORE)
    for value in (int(stores[2]), int(stores[1])):
        ops = np.array(ir.ops)
        ops[stores[2], 2] = value
        with pytest.raises(IrError):
            check_ir(replace(ir, ops=ops), size=len(SAMPLE))


def test_counts_that_lie_take_no_memory():
    data = bytearray(encode_ir(ir_of(b"a\n")))
    for at in range(6, 26, 4):
        lie = bytearray(data)
        struct.pack_into("<I", lie, at, (1 << 32) - 1)
        with pytest.raises(IrError):
            decode_ir(bytes(lie), size=2)


def test_tables_are_named_once():
    assert [getattr(ir_of(b"a\n"), table).shape[1] for table in TABLES] == [12, 6, 3, 5]


SCRIPT = b"""\
import d, { e as f } from "m"; import * as ns from 'n'; export * from './x'; export * as q from './y'
export default class A<T extends B> extends C<D> implements E, F {
  static #x: number = 1; constructor(private readonly a: Foo, b?: string, ...c: X[]) { super(a) }
  get z() { return 1 } set z(v) { this.y = v } static async *m<U>(this: A, {a, b: c = 1}: P = {}): Promise<void> { yield* x }
  @dec() h = () => this.x; static { f() } abstract g(): void; [k]() {}
}
for (const [a, , ...b] of xs) { if (a) continue; else break } for (let i = 0; i < 2; i++) {} for (k in o) {}
try { a } catch ({ message }) { b } finally { c }
switch (x) { case 1: f(); break; default: g() }
const { a, ...rest } = b, [x, y = 2] = z, o = { get a() { return 1 }, b, [d]: 2, e() {}, ...f, 'g': () => 1 }
x = y ? a : b ?? c; a?.b?.(); tag`x${y}`; new Foo; new Foo(1, ...a); x ||= 1; [p, q.r, s[0]] = t
interface I<T> extends J, K.L { (x: Foo): Bar; p?: (a: A) => B; m(x: T): U; [k: string]: V }
type T1 = A | B & { x: C }; enum Co { A = 1, B } namespace N { export const x = 1; export function f() {} }
declare module "foo" { export function g(): void } const v = <Foo>bar; v as Foo; v!; v satisfies W
function over(a: string): void; function over(a: any) { let u; { let u = 1; () => u } }
module.exports.k = function () {}; lab: while (1) { continue lab } do { } while (x) throw e
export { v as w, over }; export { z } from './z'; let tt: [A, B?]; let fn: typeof v; async () => await import('x')
"""
SCRIPTS = {
    "a.ts": SCRIPT,
    "a.js": SCRIPT,
    "a.tsx": SCRIPT.replace(b"<Foo>bar", b"<Foo x={1}><b/></Foo>"),
}


@pytest.mark.parametrize("path", SCRIPTS)
def test_bytes_of_a_script_give_it_back(path):
    ir = unit(path, SCRIPTS[path]).ir
    check_ir(ir, size=len(SCRIPTS[path]))
    assert decode_ir(encode_ir(ir), size=len(SCRIPTS[path])) == ir


@pytest.mark.parametrize("path", SCRIPTS)
@pytest.mark.parametrize("seed", range(40))
def test_a_broken_script_has_an_ir_that_can_be_resolved(path, seed):
    draw = random.Random(seed)
    text = bytearray(SCRIPTS[path])
    for _ in range(draw.randrange(1, 12)):
        at = draw.randrange(len(text))
        text[at : at + draw.randrange(1, 20)] = draw.choice(
            [b"", b"{", b"}", b"(", b"class ", b"=>", b"\xff"]
        )
    given = unit(path, bytes(text))
    check_ir(given.ir, size=len(text))
    resolve([given])

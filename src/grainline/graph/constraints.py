"""From the IR of one file to its `Part`: one pass over the operations of every scope."""

from __future__ import annotations

from grainline.graph import bindings, expressions, functions, regions
from grainline.graph.builder import Builder, Step
from grainline.graph.parts import Part
from grainline.graph.rules.base import LanguageRules
from grainline.model.ir import FileIr, Op


def constrain(ir: FileIr, unit: int, base: int, rules: LanguageRules) -> Part:
    """What the file says, as constraints between nodes from `base` on."""
    return Builder(ir, unit, base, rules).run(STEPS, functions.enter)


STEPS: list[Step] = [regions.nothing] * (max(Op) + 1)
for _code, _step in {
    Op.CONST: expressions.const,
    Op.GETATTR: expressions.read_attribute,
    Op.GETITEM: expressions.read_item,
    Op.CALL: expressions.call,
    Op.NEW: expressions.create,
    Op.MAKE: expressions.make,
    Op.FUNCTION: expressions.function,
    Op.CLASS: expressions.klass,
    Op.DECORATE: expressions.decorate,
    Op.OPERATE: expressions.operate,
    Op.EITHER: expressions.either,
    Op.ITER: expressions.iterate,
    Op.ENTER: expressions.enter,
    Op.AWAIT: expressions.wait,
    Op.YIELD: expressions.give,
    Op.ELEMENT: expressions.element,
    Op.REST: expressions.rest,
    Op.NARROW: expressions.narrow,
    Op.IMPORT: expressions.load_module,
    Op.STORE: bindings.store,
    Op.SETATTR: bindings.write_attribute,
    Op.SETITEM: bindings.write_item,
    Op.DELETE: bindings.delete,
    Op.ANNOTATE: bindings.annotate,
    Op.ATTACH: bindings.attach,
    Op.EXPORT: bindings.export,
    Op.RETURN: bindings.give_back,
    Op.RAISE: bindings.throw,
    Op.ASSERT: regions.check,
    Op.BRANCH: regions.branch,
    Op.ARM: regions.arm,
    Op.LOOP: regions.loop,
    Op.END: regions.end,
    Op.BREAK: regions.jump,
    Op.CONTINUE: regions.jump,
}.items():
    STEPS[_code] = _step

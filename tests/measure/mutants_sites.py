"""What a mutant changes: every place of a file's code, outside of words, types, imports and declarations."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

_COMPARE: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE), ast.LtE: (ast.Lt, ast.Gt), ast.Gt: (ast.GtE, ast.LtE), ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,), ast.NotEq: (ast.Eq,), ast.In: (ast.NotIn,), ast.NotIn: (ast.In,), ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}  # fmt: skip
_BINARY: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv, ast.Pow: ast.Mult, ast.BitOr: ast.BitAnd, ast.BitAnd: ast.BitOr,
}  # fmt: skip
_SWAPPED = {
    "min": "max", "max": "min", "floor": "ceil", "ceil": "floor", "any": "all", "all": "any", "minimum": "maximum",
    "maximum": "minimum", "cos": "sin", "sin": "cos",
}  # fmt: skip
_WORDS = {"fault", "UsageError", "Problem", "WritingFailed", "ValueError", "warn", "check_kind", "getLogger", "TypeVar"}
"""Calls that are words or types: nothing in them is changed."""
_CONDITIONS = (ast.Compare, ast.BoolOp, ast.UnaryOp, ast.Constant)  # which have changes of their own
_TOLD = {"help", "metavar", "title", "description", "epilog"}  # arguments that are words


_Change = tuple[ast.expr | ast.stmt, str, str, tuple[str, ...], int]


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change of `path`: bytes `begin` to `end` become `text`; in the function `inside` that starts in line `first`.

    Of a module's or class's own statements `first` is 0. `was` is the line as it is, `now` as it becomes.
    """

    path: str
    line: int
    begin: int
    end: int
    text: str
    kind: str
    inside: str
    first: int
    was: str
    now: str

    @property
    def name(self) -> str:
        """Say which it is, whatever else changes in the file."""
        return f"{self.path} {self.inside}: {self.was} -> {self.now}"

    @property
    def seen(self) -> str:
        """Return what the map calls its function."""
        return f"{self.path}:{self.first}"


def mutants_of(path: str, source: bytes) -> Iterator[Mutant]:
    """Yield every mutant of a file, in order."""
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for node, kind, text, inside, first in _changes(ast.parse(source), (), 0):
        begin = starts[node.lineno - 1] + node.col_offset
        end = starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)
        low, high = starts[node.lineno - 1], starts[node.end_lineno or node.lineno]
        was, head, tail = source[low:high], source[low:begin], source[end:high]
        now = head + text.encode() + tail
        said = [" ".join(each.decode().split()) for each in (was, now)]
        if said[0] != said[1]:
            yield Mutant(path, node.lineno, begin, end, text, kind, ".".join(inside), first, *said)


def _changes(node: ast.AST, inside: tuple[str, ...], first: int) -> Iterator[_Change]:
    """Yield what is replaced: the node, the kind of change, its new text, and the function that it is in."""
    match node:
        case ast.Import() | ast.ImportFrom() | ast.JoinedStr() | ast.Raise() | ast.Assert():
            return
        case ast.FunctionDef(name=name, args=args, body=body) | ast.AsyncFunctionDef(name=name, args=args, body=body):
            inside = (*inside, name)
            for each in (*args.defaults, *filter(None, args.kw_defaults)):
                yield from _changes(each, inside, first)
            for each in body:
                yield from _changes(each, inside, node.lineno)
            return
        case ast.ClassDef(name=name, body=body):
            for each in body:
                yield from _changes(each, (*inside, name), first)
            return
        case ast.AnnAssign(value=value):
            if value is not None:
                yield from _changes(value, inside, first)
            return
        case ast.If(test=ast.Name("TYPE_CHECKING")):
            return
        case ast.Call(func=ast.Name(name)) if name in _WORDS:
            return
        case ast.keyword(arg=name) if name in _TOLD:
            return
        case _:
            pass
    if isinstance(node, (ast.expr, ast.stmt)):
        for kind, changed in _variants(node):
            text = ast.unparse(ast.fix_missing_locations(changed))
            is_bare = isinstance(changed, (ast.stmt, ast.Constant, ast.Slice))
            yield node, kind, text if is_bare else f"({text})", inside, first
    if isinstance(node, (ast.If, ast.While, ast.IfExp)) and not isinstance(node.test, _CONDITIONS):
        yield node.test, "condition", f"(not ({ast.unparse(node.test)}))", inside, first
    for child in ast.iter_child_nodes(node):
        yield from _changes(child, inside, first)


def _variants(node: ast.expr | ast.stmt) -> Iterator[tuple[str, ast.AST]]:
    match node:
        case ast.Compare(left, ops, comparators):
            for i, op in enumerate(ops):
                for other in _COMPARE[type(op)]:
                    yield "comparison", ast.Compare(left, [*ops[:i], other(), *ops[i + 1 :]], comparators)
        case ast.BinOp(left, op, right):
            if type(op) in _BINARY and not (_is_words(left) or _is_words(right)):
                yield "arithmetic", ast.BinOp(left, _BINARY[type(op)](), right)
        case ast.AugAssign(target, op, value):
            if type(op) in _BINARY and not _is_words(value):
                yield "arithmetic", ast.AugAssign(target, _BINARY[type(op)](), value)
        case ast.BoolOp(op, values):
            yield "and, or", ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), values)
        case ast.UnaryOp(ast.Not() | ast.USub(), operand):
            yield "not or sign removed", operand
        case ast.Constant(bool(value)):
            yield "true, false", ast.Constant(not value)
        case ast.Constant(int(value)):
            yield "number", ast.Constant(value + 1)
        case ast.Constant(float(value)):
            yield "number", ast.Constant(2 * value or 1.0)
        case ast.Return(value) if value is not None and not isinstance(value, ast.Constant):
            yield "return", ast.Return(ast.Constant(None))
        case ast.Expr(ast.Call(func=func)) if not (isinstance(func, ast.Name) and func.id in _WORDS | {"print"}):
            yield "call removed", ast.Pass()
        case ast.Slice(lower, upper, step):
            if lower is not None and not isinstance(lower, ast.Constant):
                yield "bound", ast.Slice(ast.BinOp(lower, ast.Add(), ast.Constant(1)), upper, step)
            if upper is not None and not isinstance(upper, ast.Constant):
                yield "bound", ast.Slice(lower, ast.BinOp(upper, ast.Sub(), ast.Constant(1)), step)
        case ast.Call():
            yield from _calls(node)
        case _:
            pass


def _calls(node: ast.Call) -> Iterator[tuple[str, ast.AST]]:
    made = partial(ast.Call, node.func)
    match node.func:
        case ast.Name(name) if name in _SWAPPED:
            yield "swapped", ast.Call(ast.Name(_SWAPPED[name]), node.args, node.keywords)
        case ast.Attribute(value, name) if name in _SWAPPED:
            yield "swapped", ast.Call(ast.Attribute(value, _SWAPPED[name]), node.args, node.keywords)
        case ast.Name("range") if not isinstance(node.args[-1], ast.Constant):
            last = ast.BinOp(node.args[-1], ast.Sub(), ast.Constant(1))
            yield "bound", made([*node.args[:-1], last], node.keywords)
        case _:
            pass
    if len(node.args) > 1 and not _is_words(node.args[-1]) and not isinstance(node.args[-1], ast.Starred):
        yield "argument dropped", made(node.args[:-1], node.keywords)
    for each in node.keywords:
        if each.arg and each.arg not in _TOLD and not _is_words(each.value):
            yield "argument dropped", made(node.args, [other for other in node.keywords if other is not each])


def _is_words(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes)))

"""Formulas of figures: arithmetic over the columns of a drop, for numpy or as JavaScript."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
import numpy.typing as npt

from tower_sim.errors import UsageError, quote

Array = npt.NDArray[Any]

MOST_CHARACTERS = 200

_OPERATIONS: dict[type[ast.AST] | str, tuple[Callable[..., Any], str]] = {
    ast.Add: (np.add, "+"),
    ast.Sub: (np.subtract, "-"),
    ast.Mult: (np.multiply, "*"),
    ast.Div: (np.divide, "/"),
    ast.And: (np.logical_and, "&&"),
    ast.Or: (np.logical_or, "||"),
    ast.Eq: (np.equal, "==="),
    ast.NotEq: (np.not_equal, "!=="),
    ast.Lt: (np.less, "<"),
    ast.LtE: (np.less_equal, "<="),
    ast.Gt: (np.greater, ">"),
    ast.GtE: (np.greater_equal, ">="),
    ast.USub: (np.negative, "-"),
    ast.Not: (np.logical_not, "!"),
    "max": (np.maximum, "Math.max"),
    "min": (np.minimum, "Math.min"),
    "ceil": (np.ceil, "Math.ceil"),
    "floor": (np.floor, "Math.floor"),
}
_ALLOWED = "names, numbers, + - * /, comparisons, and, or, not, max, min, ceil, floor"


@dataclass(frozen=True, slots=True)
class Formula:
    """A parsed formula, whose value for a drop is a number. Conditions are 1 or 0."""

    text: str
    names: frozenset[str]
    tree: ast.expr

    def of(self, column: Callable[[str], Array | float]) -> Array:
        """Return the value, given a function of a name that returns a number or an array. x / 0 is NaN or infinity."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(_value(self.tree, column))

    @property
    def is_whole(self) -> bool:
        """Whether the formula is a whole number if everything that it names is one."""
        return _is_whole(self.tree)

    def javascript(self, column: Callable[[str], str]) -> str:
        """Return the formula in JavaScript. `column` returns the expression of a name."""
        return _script(self.tree, column)


def formula(text: str, what: str = "figure") -> Formula:
    """Return the formula in a text. Raises UsageError, which calls it `what`, if it is not allowed."""
    try:
        if len(text) > MOST_CHARACTERS:
            raise SyntaxError(f"{len(text)} characters; allowed are {MOST_CHARACTERS}")
        tree = ast.parse(text, mode="eval").body
        names = frozenset(_names(tree))
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        reason = error.args[0] if error.args else "it is too deep"
        raise UsageError(f"{what} is {quote(text)}: {reason}; allowed are {_ALLOWED}; mend it") from None
    return Formula(text, names, tree)


def _parts(node: ast.expr) -> tuple[type[ast.AST] | str, list[ast.expr]]:
    """Return an operation's key in _OPERATIONS, and its operands. Raises SyntaxError for one that is not allowed."""
    match node:
        case ast.BinOp(left=a, op=op, right=b) | ast.Compare(left=a, ops=[op], comparators=[b]):
            key, parts = type(op), [a, b]
        case ast.UnaryOp(op=op, operand=a):
            key, parts = type(op), [a]
        case ast.BoolOp(op=op, values=parts):
            key = type(op)
        case ast.Call(func=ast.Name(id=key), args=parts, keywords=[]) if parts:
            if key in ("ceil", "floor") and len(parts) > 1:
                raise SyntaxError(f"{key} takes one number")
        case _:
            key, parts = "", []
    if key not in _OPERATIONS:
        raise SyntaxError(f"{ast.unparse(node)!r} is not understood")
    return key, parts


def _names(node: ast.expr) -> set[str]:
    if isinstance(node, ast.Name):
        return {node.id}
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return set()
    return set[str]().union(*map(_names, _parts(node)[1]))


def _value(node: ast.expr, column: Callable[[str], Array | float]) -> Any:
    if isinstance(node, ast.Name):
        return column(node.id)
    if isinstance(node, ast.Constant):
        return node.value
    key, parts = _parts(node)
    operation, values = _OPERATIONS[key][0], [_value(part, column) for part in parts]
    result = operation(values[0]) if len(values) == 1 and key not in ("max", "min") else reduce(operation, values)
    return result if isinstance(node, ast.BinOp | ast.Call) else 1.0 * result


def _is_whole(node: Any) -> bool:
    match node:
        case ast.Constant(value=value):
            return isinstance(value, int)
        case ast.Call(func=ast.Name(id="ceil" | "floor")) | ast.Compare() | ast.BoolOp() | ast.Name():
            return True
        case ast.BinOp(op=ast.Div()):
            return False
        case _:
            return all(_is_whole(each) for each in ast.iter_child_nodes(node) if isinstance(each, ast.expr))


def _script(node: ast.expr, column: Callable[[str], str]) -> str:
    if isinstance(node, ast.Name):
        return column(node.id)
    if isinstance(node, ast.Constant):
        return repr(node.value)
    key, parts = _parts(node)
    symbol, texts = _OPERATIONS[key][1], [_script(part, column) for part in parts]
    match node:
        case ast.BinOp():
            return f"({texts[0]} {symbol} {texts[1]})"
        case ast.Call():
            return f"{symbol}({', '.join(texts)})"
        case ast.UnaryOp():
            return f"Number({symbol} {texts[0]})"
        case _:
            mark = "!!" if isinstance(node, ast.BoolOp) else ""
            return f"Number({f' {symbol} '.join(mark + text for text in texts)})"

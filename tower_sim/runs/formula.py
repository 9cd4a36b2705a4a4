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

_ARRAYS: dict[type[ast.AST], tuple[Callable[..., Any], str]] = {
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
}
_CALLS: dict[str, tuple[Callable[..., Any], str]] = {
    "max": (np.maximum, "Math.max"),
    "min": (np.minimum, "Math.min"),
    "ceil": (np.ceil, "Math.ceil"),
    "floor": (np.floor, "Math.floor"),
}
_ALLOWED = f"names, numbers, + - * /, comparisons, and, or, not, {', '.join(_CALLS)}"


@dataclass(frozen=True, slots=True)
class Formula:
    """A parsed formula, whose value for a drop is a number. Conditions are 1 or 0."""

    text: str
    names: frozenset[str]
    tree: ast.expr

    def of(self, column: Callable[[str], Array | float]) -> Array:
        """Return the value of the formula. A division by 0 gives NaN or infinity.

        `column` returns the values of a name: a number, or an array of the same shape as all others.
        """
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


def _names(node: ast.expr) -> set[str]:
    """Return the names in a syntax tree. Raises SyntaxError for a part that is not allowed."""
    match node:
        case ast.Name(id=name):
            return {name}
        case ast.Constant(value=value) if type(value) in (int, float):
            return set()
        case ast.BinOp(left=a, op=op, right=b) if type(op) in _ARRAYS:
            parts = [a, b]
        case ast.UnaryOp(op=op, operand=a) if type(op) in _ARRAYS:
            parts = [a]
        case ast.BoolOp(values=values):
            parts = values
        case ast.Compare(left=a, ops=[op], comparators=[b]) if type(op) in _ARRAYS:
            parts = [a, b]
        case ast.Call(func=ast.Name(id=called), args=parts, keywords=[]) if called in _CALLS and parts:
            if called in ("ceil", "floor") and len(parts) > 1:
                raise SyntaxError(f"{called} takes one number")
        case _:
            raise SyntaxError(f"{ast.unparse(node)!r} is not understood")
    return set[str]().union(*map(_names, parts))


def _value(node: Any, column: Callable[[str], Array | float]) -> Any:
    match node:
        case ast.Name(id=name):
            return column(name)
        case ast.Constant(value=value):
            return value
        case ast.BinOp(left=a, op=op, right=b):
            return _ARRAYS[type(op)][0](_value(a, column), _value(b, column))
        case ast.Compare(left=a, ops=[op], comparators=[b]):
            return 1.0 * _ARRAYS[type(op)][0](_value(a, column), _value(b, column))
        case ast.UnaryOp(op=op, operand=a):
            return 1.0 * _ARRAYS[type(op)][0](_value(a, column))
        case ast.BoolOp(op=op, values=values):
            return 1.0 * reduce(_ARRAYS[type(op)][0], (_value(each, column) for each in values))
        case _:
            does, parts = _CALLS[node.func.id][0], [_value(each, column) for each in node.args]
            return does(parts[0]) if isinstance(does, np.ufunc) and does.nin == 1 else reduce(does, parts)


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


def _script(node: Any, column: Callable[[str], str]) -> str:
    match node:
        case ast.Name(id=name):
            return column(name)
        case ast.Constant(value=value):
            return repr(value)
        case ast.BinOp(left=a, op=op, right=b):
            return f"({_script(a, column)} {_ARRAYS[type(op)][1]} {_script(b, column)})"
        case ast.Compare(left=a, ops=[op], comparators=[b]):
            return f"Number({_script(a, column)} {_ARRAYS[type(op)][1]} {_script(b, column)})"
        case ast.UnaryOp(op=op, operand=a):
            return f"Number({_ARRAYS[type(op)][1]} {_script(a, column)})"
        case ast.BoolOp(op=op, values=values):
            return f"Number({f' {_ARRAYS[type(op)][1]} '.join(f'!!{_script(each, column)}' for each in values)})"
        case _:
            return f"{_CALLS[node.func.id][1]}({', '.join(_script(each, column) for each in node.args)})"

"""Formulas of figures: arithmetic over the columns of a drop, for numpy or as JavaScript."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from typing import Any

import numpy as np
import numpy.typing as npt

from tower_sim.errors import UsageError, fault, near, quote
from tower_sim.results.throws import COUNTS, UNKNOWN, Results

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


SHARE = "1"
"""The unit that marks a figure as a share (0 to 1). Its interval is computed as that of a share."""
MEAN, SUM, MOST, SPREAD = "mean", "sum", "most", "spread"
TAKES = (MEAN, SUM, MOST, SPREAD)
PHASES, SETUP, DROPS = "phases", "setup", "drops"
COLUMNS = ("before", *COUNTS)
"""The columns of every drop that formulas may use; see Results."""
OPEN = ("own", "own_out", "colours", "lead", "old_out")
"""The columns that may be UNKNOWN even for drops that a run has."""


@dataclass(frozen=True)
class Figure:
    """A statistic of runs.

    Formulas use COLUMNS, terms of the rules and facts of the game.

    Args:
        key: Its name in documents.
        title: Its name for people.
        unit: The unit of its values; SHARE marks a share.
        says: Its description.
        of: A formula, evaluated for every drop that counts.
        among: The formula of the denominator of a `mean`.
        where: The formula that is true of the drops that count.
        take: A run's value: `mean` (the sum of `of` over the sum of `among`), `sum`, `most` (maximum) or `spread`
            (standard deviation).
        at: The kind of drops that count: `phases` of play, the `setup`, or all `drops`.
        sentence: For players, with {} in the place of the mean; a comparison puts both means there.
        chances: The names of the values 0, 1, ... whose shares of drops are reported too; the last one includes greater
            values.
        minor: Whether it appears in tables only.

    >>> thrown, out = np.array([[[4], [2], [2]]]), np.array([[[1], [3], [2]]])
    >>> runs = Results.of_counts({"thrown": thrown, "out": out, "inside": np.cumsum(thrown - out, axis=1)})
    >>> Figure("out", "cubes that come out", "cubes", of="out").value(runs).tolist()
    [2.5]
    """

    key: str
    title: str
    unit: str
    says: str = ""
    of: str = ""
    among: str = "1"
    where: str = "1"
    take: str = MEAN
    at: str = PHASES
    sentence: str = ""
    chances: tuple[str, ...] = ()
    minor: bool = False

    def __post_init__(self) -> None:
        _ = self.parts  # raises UsageError for a formula that is not understood
        for name, value, known in (("take", self.take, TAKES), ("at", self.at, (PHASES, SETUP, DROPS))):
            if value not in known:
                raise fault(f"{name} of figure {self.key!r}", value, f"one of {', '.join(known)}")

    @property
    def is_share(self) -> bool:
        """Whether the figure is a share, from 0 to 1."""
        return self.unit == SHARE

    @property
    def names(self) -> frozenset[str]:
        """The columns, terms and facts that the formulas use."""
        return frozenset[str]().union(*(each.names for each in self.parts.values()))

    @property
    def needs(self) -> tuple[str, ...]:
        """The columns used that counts by colour may not determine."""
        return tuple(name for name in OPEN if name in self.names)

    def meaning(self, terms: Mapping[str, float]) -> str:
        """Return the description, with the values of `terms` in braces."""
        says = self.says  # of anybody, so that only the terms' own braces mean something
        for name, value in terms.items():
            says = says.replace(f"{{{name}}}", f"{value:g}")
        return says

    def shares(self) -> tuple[Figure, ...]:
        """Return one figure for each of `chances`: the share of phases with this value."""
        last = len(self.chances) - 1
        return tuple(
            Figure(
                f"{self.key}_{i}",
                f"phases with {words} {self.unit.removesuffix('s') if words == '1' else self.unit}",
                SHARE,
                of=f"min({self.of}, {last}) == {i}",
                minor=words != "1",
            )
            for i, words in enumerate(self.chances)
        )

    def by_row(self, runs: Results) -> Array:
        """Return `of` in each row, shape (rows,), or NaN where the drop is not of its kind."""
        of, _, _ = self.columns(runs)
        return of

    def by_phase(self, runs: Results) -> Array:
        """Return `of` in each phase of play, shape (..., phase); NaN for phases that a run lacks."""
        is_phase = np.zeros(runs.longest, bool)
        is_phase[runs.rows.drop[runs.rows.play]] = True
        return runs.grid(self.by_row(runs), np.nan)[..., is_phase]

    def sums(self, runs: Results, drops: tuple[int, int] | None = None) -> tuple[Array, Array]:
        """Return a numerator and a denominator for each run, in the runs' shape; 0 if no drop of the run counts.

        The ratio of their totals is the mean over all runs. For a figure that is no mean, they are its value and 1.
        `drops` limits the drops that count to those from the first number to before the second.
        """
        of, among, counts = self.columns(runs)
        if drops is not None:
            counts &= (drops[0] <= runs.rows.drop) & (runs.rows.drop < drops[1])
        run, of, among = runs.rows.run[counts], of[counts], among[counts]
        number, total = (np.bincount(run, weights, runs.runs) for weights in (None, of))
        there = (number > 0).astype(float)
        if self.take == MEAN:
            there = np.bincount(run, among, runs.runs)
        elif self.take == MOST:
            total = np.full(runs.runs, -np.inf)
            np.maximum.at(total, run, of)
        elif self.take == SPREAD:
            off = of - (total / np.maximum(number, 1))[run]
            total = np.sqrt(np.bincount(run, off * off, runs.runs) / np.maximum(number, 1))
        return np.where(number > 0, total, 0.0).reshape(runs.shape), there.reshape(runs.shape)

    def value(self, runs: Results, none: float = np.nan, drops: tuple[int, int] | None = None) -> Array:
        """Return the value for every run, in the runs' shape, or `none` for a run without a drop that counts."""
        over, under = self.sums(runs, drops)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(under > 0, over / np.where(under > 0, under, 1), none)

    def is_known(self, runs: Results) -> bool:
        """Return whether the runs contain all that the formulas use; False without `of`."""
        if not self.of or not all(runs.knows(name) for name in self.names):
            return False
        if self.at == SETUP and runs.rows.play.all():
            return False
        return all(np.any(runs.column(name) != UNKNOWN) for name in self.needs)

    @property
    def is_whole(self) -> bool:
        """Whether the figure is a whole number in every phase if everything it names is."""
        return self.parts["of"].is_whole and (self.among, self.where) == ("1", "1")

    @property
    def parts(self) -> Mapping[str, Formula]:
        """The parsed formulas; no `of` if the game measures the figure."""
        texts = {"of": self.of, "among": self.among, "where": self.where}
        return {name: _read(text, self.key) for name, text in texts.items() if text or name != "of"}

    def columns(self, runs: Results) -> tuple[Array, Array, Array]:
        """Return the values of `of` and `among`, and which rows count, each of shape (rows,)."""
        is_there = (runs.column("thrown") != UNKNOWN) & ((self.at == DROPS) | (runs.rows.play == (self.at == PHASES)))
        of, among, where = (
            np.broadcast_to(part.of(runs.column), is_there.shape).astype(float) for part in self.parts.values()
        )
        counts = (where != 0) & is_there & np.isfinite(of) & np.isfinite(among)
        for name in self.needs:
            counts &= runs.column(name) != UNKNOWN
        return np.where(is_there, of, np.nan), among, counts


def check(figures: Sequence[Figure], facts: Collection[str], terms: Collection[str]) -> None:
    """Raise UsageError for the first figure that names what is not there, or what is there twice.

    `facts` and `terms` are a game's numbers.
    """
    for figure in figures:
        if not figure.of:
            raise UsageError(f'figure {figure.key!r} has no formula; write of="..."', f"figure {figure.key}")
        for part in figure.parts.values():
            for name in sorted(part.names):
                places, known = [each for each in (COLUMNS, facts, terms) if name in each], (*COLUMNS, *facts, *terms)
                message = f"figure {figure.key!r} names {name!r}"
                if len(places) > 1:
                    message += ", which is a fact and a rule or a count of every turn; allowed is a name of one thing"
                    raise UsageError(f"{message}; rename the fact", f"figure {part.text}")
                if not places:
                    message += f"; allowed are the numbers {', '.join(known)}; change it{near(name, known)}"
                    raise UsageError(message, f"figure {part.text}")


@lru_cache(maxsize=512)
def _read(text: str, key: str) -> Formula:
    return formula(text, f"figure {key!r}")


def table(runs: Results, figures: Sequence[Figure]) -> Array:
    """Return the values for every run, shape (run, figure); 0 where a run has no drop that counts."""
    values = [figure.value(runs, none=0.0) for figure in figures]
    return np.stack(values, -1) if values else np.zeros((*runs.shape, 0))


def script(figures: Sequence[Figure], terms: Sequence[str]) -> str:
    """Return JavaScript code of an array with one object for each figure.

    `of`, `among` and `where` are functions of objects `d` with the columns of a drop and `r` with the `terms`.
    """

    def column(name: str) -> str:
        return f"r.{name}" if name in terms else f"d.{name}"

    def entry(figure: Figure) -> str:
        values = {
            name: getattr(figure, name) for name in ("key", "title", "unit", "says", "take", "at", "minor", "sentence")
        }
        values["isWhole"] = figure.is_whole
        functions = ", ".join(f"{name}: (d, r) => {part.javascript(column)}" for name, part in figure.parts.items())
        return f"{json.dumps(values)[:-1]}, {functions}}}"

    entries = ",\n  ".join(map(entry, figures))
    return f"[\n  {entries},\n]"


def by_key(figures: Sequence[Figure]) -> Mapping[str, Figure]:
    """Return figures by their key."""
    return {figure.key: figure for figure in figures}

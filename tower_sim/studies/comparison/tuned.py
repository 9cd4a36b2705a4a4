"""The result of a search for a wish: typed values, sentences, a table, a document, and a rules file."""

from __future__ import annotations

import math
import os
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from numbers import Real
from pathlib import Path
from typing import Any, cast

from tower_sim.errors import UsageError, check_table, fault, unknown
from tower_sim.games import Row, how_sure, instead
from tower_sim.physics import PhysicsSettings, accuracies, accuracy
from tower_sim.report import Report, Section, Table
from tower_sim.requests import APPARATUS, DEFAULT, GAME, Variant
from tower_sim.results import FEWEST, Cell, Estimate, brief, count_decimals, percent, too_few
from tower_sim.studies.comparison.paired import Comparison, noun, row_json
from tower_sim.studies.comparison.play import RuleValues, Way, as_it_was
from tower_sim.tools import count_noun, one_line, toml_key, toml_text, writing

SCHEMA, VERSION = "tower-sim/wish", 3
BEYOND = 0.05  # share of drops outside of the fitted range from which on the fast model cannot tell
_TOLD = 0.001  # share of drops outside of the fitted range from which on a sentence says so
_NAMED = 6  # side effects that the sentences name
_LISTED = 2  # side effects that a row of the table names


@dataclass(frozen=True, eq=False)
class Reached:
    """A way as judged by games played after the choice: its `comparison` with the first rules (A).

    `means` has the mean of each wished figure with its 95 % interval, `verdicts` what they say. `distance` is that
    from the wishes, in shares of these. `doubt` is the reason why the fast model cannot tell, or empty.
    """

    changes: Way
    comparison: Comparison
    means: Mapping[str, Estimate]
    verdicts: Mapping[str, Verdict]
    distance: float
    doubt: str = ""

    @property
    def variant(self) -> Variant:
        return self.comparison.b

    @property
    def verdict(self) -> Verdict:
        return together(self.verdicts.values())

    @property
    def games(self) -> int:
        return len(self.comparison)

    @property
    def side_effects(self) -> tuple[Row, ...]:
        """The figures that nobody wished for and that surely change (Holm in each table), the largest effect first."""
        changed = ([row for row in rows if row.shown and row.key not in self.means] for rows in self.comparison.groups)
        return tuple(row for rows in changed for row in sorted(rows, key=lambda row: -row.effect))

    def row(self, key: str) -> Row:
        return next(row for rows in self.comparison.groups for row in rows if row.key == key)


def find_best(ways: Sequence[Reached]) -> Reached:
    """Return the way to tell first: one that meets the wish, or else an open one, or else the nearest.

    Among several that meet it, or are open, this is the first of `ways`, which was chosen before they were judged, or
    else the nearest.
    """

    def rank(way: Reached) -> tuple[Any, ...]:
        order = (Verdict.MET, Verdict.OPEN, Verdict.MISSED).index(way.verdict)
        return order, way is not ways[0] or way.verdict is Verdict.MISSED, way.distance, len(way.changes)

    return min(ways, key=rank)


@dataclass(frozen=True, eq=False)
class Tuned:
    """The result of a search for a wish from the rules of `base`; `tune` has an example.

    Args:
        best: The way that is told first.
        ways: It, no change, and others that none beats in changes, distance and side effects; the fewest changes first.
        tried, of: The numbers of ways tried, and of all ways.
        spans: For each wished figure its least and most mean over the ways tried, each with its way.
        alone: For each wished figure whether some way seemed to meet that wish.
        searched: The model of the search.
        games, model, settings: What was asked for; `games` also if they were measured.
        stopped: After Ctrl-C the games played till then, and those that there were to play.
    """

    base: Variant
    wishes: tuple[Wish, ...]
    varied: tuple[RuleValues, ...]
    best: Reached
    ways: tuple[Reached, ...]
    tried: int
    of: int
    spans: Mapping[str, tuple[tuple[float, Way], tuple[float, Way]]]
    alone: Mapping[str, bool]
    searched: str
    seed: int
    games: int
    model: str
    settings: PhysicsSettings | None
    stopped: tuple[int, int] | None

    @property
    def verdict(self) -> Verdict:
        return self.best.verdict

    @property
    def rules(self) -> Any:
        return self.best.variant.rules

    @property
    def changes(self) -> dict[str, str]:
        return dict(self.best.changes)

    @property
    def in_plain_words(self) -> str:
        return " ".join(sentences(self))

    def write(self, path: str | Path) -> None:
        writing.write(path, rules_text(self, path), "rules")

    def to_json(self) -> dict[str, Any]:
        return {
            "schema": SCHEMA,
            "version": VERSION,
            "seed": str(self.seed),
            "model": self.model,
            "games": self.games,
            "interrupted": self.stopped is not None,
            "base": {"name": self.base.name, "file": self.base.file, "set": list(self.base.changes)},
            "wishes": [
                {"key": key, "text": wish.text, "verdict": self.best.verdicts[key], "alone": self.alone[key]}
                for key, wish in zip(self.alone, self.wishes, strict=True)
            ],
            "vary": {vary.key: list(vary.values) for vary in self.varied},
            "searched": {"model": self.searched, "tried": self.tried, "of": self.of},
            "verdict": self.verdict,
            "words": sentences(self),
            "best": self.ways.index(self.best),
            "ways": [_way_json(way) for way in self.ways],
        }


def sentences(tuned: Tuned) -> list[str]:
    """Return what to change, what that reaches and changes besides, and what stands in the way."""
    best = tuned.best
    lines = [_describe_result(tuned), *_describe_side_effects(best)]
    if best.verdict is not Verdict.MET and not best.doubt:
        lines += _describe_obstacles(tuned)
    shares = best.comparison.extrapolated
    if best.doubt:
        lines.append(f"Only physics can tell: {best.doubt}. Add --model physics.")
    elif shares is not None and shares[1] > _TOLD:
        lines.append(
            f"Careful: {percent(shares[1])} of the drops lie outside of what the fast model was fitted to; "
            "--model physics plays them too."
        )
    if tuned.stopped:
        lines.append("Stopped by Ctrl-C after {} of {} games, so there may be better ways.".format(*tuned.stopped))
    return lines


def _describe_result(tuned: Tuned) -> str:
    best = tuned.best
    reached = " and ".join(map(partial(_describe_mean, best), tuned.wishes))
    by = f"in {count_noun(best.games, best.comparison.compared.game.run)} played afresh"
    changes = _list_changes(tuned.base, best.changes)
    is_one = len(tuned.wishes) == 1
    wish, are = ("The wish", "is") if is_one else ("The wishes", "are")
    if best.verdict is Verdict.MET:
        how = f"by {changes}" if best.changes else "without a change"
        return f"{wish} {are} met {how}: {reached}, {by}."
    if best.verdict is Verdict.OPEN:
        few = f" ({too_few(best.games, 'game')})" if best.games < FEWEST else ""
        how = "open" if best.doubt else f"too close to tell{few}"
        return f"Whether {changes} meets the wish{'es' * (not is_one)} is {how}: {reached}, {by}."
    ways = f"the nearest of {tuned.tried} ways that were tried is {changes}" if tuned.tried > 1 else "nothing may vary"
    return f"{wish} {are} not met; {ways}: {reached}, {by}."


def _describe_mean(way: Reached, wish: Wish) -> str:
    row, mean = way.row(wish.key), way.means[wish.key]
    old, value, low, high = (
        f"{number:.{min(max(count_decimals((mean.high - mean.low) / 2, digits=1), 1), 4)}f}"
        for number in (row.mean_a, mean.value, mean.low, mean.high)
    )
    before = f" instead of {old}" * bool(way.changes)
    missed = f", wished {wish.words}" * (way.verdicts[wish.key] is not Verdict.MET)
    return f"{row.title} {value} ({low} to {high}{missed}){before}"


def _describe_side_effects(best: Reached) -> list[str]:
    if not best.changes:
        return []
    run = best.comparison.compared.game.run
    if best.games < FEWEST:
        return [f"What else changes is open: {too_few(best.games, run)}."]
    if not best.side_effects:
        return ["No other figure surely changes."]
    named = [f"{_title(best, row)} {instead(row)}" for row in best.side_effects[:_NAMED]]
    more = len(best.side_effects) - len(named)
    others = f" and {count_noun(more, 'other figure')}" if more else ""
    sure = {how_sure(row) for row in best.side_effects}
    return [
        f"It also changes {', '.join(named)}{others}: {'certain' if sure == {'certain'} else 'certain or very likely'}."
    ]


def _describe_obstacles(tuned: Tuned) -> list[str]:
    obstacles: list[str] = []
    for wish in tuned.wishes:
        if tuned.alone[wish.key]:
            continue
        (least, at_least), (most, at_most) = tuned.spans[wish.key]
        title = tuned.best.row(wish.key).title
        is_low = wish.low > most
        value, way = (most, at_most) if is_low else (least, at_least)
        if least < wish.low and wish.high < most:
            obstacles.append(f"What stands in its way: {title} jumps over {wish.words}; let another rule vary too.")
            continue
        ends = [
            f"{vary.key} = {way[vary.key]} is the last value that it may have here"
            for vary in tuned.varied
            if way.get(vary.key) in (vary.values[:1] + vary.values[-1:])
        ]
        further = f"; {' and '.join(ends)}" if ends else ""
        obstacles.append(
            f"What stands in its way: {title} goes from {brief(least)} to {brief(most)} in the ways that were tried, "
            f"and is {'most' if is_low else 'least'} ({brief(value)}) with {_list_changes(tuned.base, way)}{further}."
        )
    if not obstacles and len(tuned.wishes) > 1:
        obstacles.append(
            "What stands in its way: each wish alone can be met, but no way that was tried meets them together."
        )
    return obstacles


def wish_report(tuned: Tuned) -> Report:
    """Return the report: the sentences, how the games were played, and the ways."""
    best = tuned.best.comparison
    wished = ", ".join(wish.text for wish in tuned.wishes)
    varied = "; ".join(f"{vary.key} {_list_values(vary)}" for vary in tuned.varied)
    whole = "all" if tuned.tried >= tuned.of else f"of {tuned.of}"
    says = [
        f"A is {tuned.base.name}: {noun(tuned.base.apparatus)} {tuned.base.apparatus.name} ({tuned.base.file}).",
        f"What may vary: {varied}. Tried: {count_noun(tuned.tried, 'way')} ({whole}), model {tuned.searched}. "
        f"Every row below: model {best.model}.",
    ]
    head = ["changes", "wish", "rules", *(tuned.best.row(key).title for key in tuned.best.means), "what else changes"]
    ways: list[Sequence[Cell]] = [
        [
            len(way.changes),
            way.verdict,
            _list_changes(tuned.base, way.changes) + " <- told above" * (way is tuned.best),
            *way.means.values(),
            "; ".join(filter(None, [_list_side_effects(way), way.doubt])),
        ]
        for way in tuned.ways
    ]
    note = (
        "In brackets: the 95 % interval of games played after the choice, of each figure alone. met: it lies in the "
        f"wish; = allows {100 * NEAR:g} % on either side. missed: it lies outside. open: neither, or over "
        f"{100 * BEYOND:g} % of the drops lie outside of what the fast model was fitted to. Changes of other figures "
        "are sure (adjusted p of at most 5 %, Holm)."
    )
    return Report(
        f"{best.compared.game.title}, a wish: {wished}; seed {tuned.seed}",
        [tuned.in_plain_words, "\n".join(says)],
        [Section("Ways", table=Table("ways", head, ways)), Section("Notes", note)],
    )


def _list_side_effects(way: Reached) -> str:
    if not way.side_effects:
        return "nothing surely" if way.changes else "nothing"
    named = ", ".join(f"{_title(way, row)} {brief(row.mean_b)}" for row in way.side_effects[:_LISTED])
    more = len(way.side_effects) - _LISTED
    return f"{named}{f' and {more} more' if more > 0 else ''}"


def _title(way: Reached, row: Row) -> str:
    groups = way.comparison.compared.groups
    of = next(group.of for group, rows in zip(groups, way.comparison.groups, strict=True) if row in rows)
    of = of or ("" if row in way.comparison.figures else "cubes out:")
    return f"{of} {row.title}".strip()


def _list_changes(base: Variant, way: Way) -> str:
    changes: list[str] = []
    for key, text in way.items():
        old = as_it_was(base, key)
        before = "nothing" if old is None else old if isinstance(old, str) else toml_text(old)
        after = text[1:-1] if re.fullmatch(r'"[\w. -]+"', text) else text
        changes.append(f"{key} = {after} instead of {before}")
    return " and ".join(changes) or "no change"


def _list_values(vary: RuleValues) -> str:
    if len(vary.values) < 2:
        return " ".join(vary.values) or "(no other value)"
    return one_line(", ".join(vary.values), 60, 20)


def _way_json(way: Reached) -> dict[str, Any]:
    means = {
        key: {
            "mean": mean.value,
            "interval": [mean.low, mean.high],
            "sd": way.row(key).sd_b,
            "verdict": way.verdicts[key],
        }
        for key, mean in way.means.items()
    }
    return {
        "changes": dict(way.changes),
        "verdict": way.verdict,
        "model": way.comparison.model,
        "games": way.games,
        "wishes": means,
        "side_effects": [row_json(row) for row in way.side_effects],
    }


def rules_text(tuned: Tuned, path: str | Path) -> str:
    """Return the text of the rules file `path`: every key, with its default too."""
    path, variant = Path(path), tuned.best.variant
    plain = variant.game.plain(variant.rules)
    first, *others = variant.game.tables
    own = dict(check_table(first, plain.get(first, {})))
    head = {} if variant.game.name == DEFAULT else {GAME: _relative_path(variant.game.file, path) or variant.game.name}
    head |= {APPARATUS: _relative_path(variant.apparatus.file, path) or variant.apparatus.name}
    if isinstance(own.get("name"), str):
        own["name"] = path.stem
    tables: dict[str, Any] = {key: value for key, value in own.items() if isinstance(value, dict)}
    tables |= {key: plain[key] for key in others if key in plain}
    values = {**head, **{key: value for key, value in own.items() if key not in tables and value is not None}}
    words = ["tower-sim", "compare", tuned.base.file, *(f"--set={change}" for change in tuned.base.changes)]
    words += [f"--wish={wish.text}" for wish in tuned.wishes]
    words += [f"--vary={vary.key}={','.join(vary.values)}" for vary in tuned.varied if vary.values]
    words += [f"--games={tuned.games}", f"--model={tuned.model}"]
    if (set_so := tuned.settings) is not None:
        names = [name for name in accuracies(set_so.engine) if accuracy(set_so.engine, name) == set_so]
        words += [f"--engine={set_so.engine}", *(f"--accuracy={name}" for name in names)]
    lines = [
        *(f"# {line}" for line in sentences(tuned)),
        f"# Found by: {shlex.join([*words, f'--seed={tuned.seed}'])}",
        *(f"{toml_key(key)} = {toml_text(value)}" for key, value in values.items()),
        *(f"{toml_key(key)} = {toml_text(value)}" for key, value in tables.items()),
    ]
    return "\n".join(" ".join(line.splitlines()) for line in lines) + "\n"


def _relative_path(file: str | os.PathLike[str] | None, path: Path) -> str:
    return Path(os.path.relpath(file, path.absolute().parent)).as_posix() if file else ""


NEAR = 0.05  # a wish with "=" allows this share of its value on either side; of 0, this share of the sd over games
_FORM = "FIGURE=3, FIGURE>=3, FIGURE<=3 or FIGURE=2.9..3.1"
_WISH = re.compile(r"\s*([\w-]+)\s*(>=|<=|=)\s*(\S+?)\s*(?:\.\.\s*(\S+?)\s*)?\Z")


class Verdict(StrEnum):
    """What games say about a wish."""

    MET = "met"
    """The whole 95 % interval of the mean lies where the wish wants it."""
    MISSED = "missed"
    """The whole interval lies elsewhere."""
    OPEN = "open"
    """The interval crosses the border of the wish."""


@dataclass(frozen=True)
class Wish:
    """The wish that the mean of the figure `key` lies from `low` to `high`, which may be infinite.

    `target` is the one number that was wished for, or None for a range or a limit.
    """

    key: str
    low: float
    high: float
    target: float | None
    text: str

    def border(self, sd: float) -> tuple[float, float]:
        """Return the ends of the band that meets the wish; `sd` is the standard deviation over games."""
        if self.target is None:
            return self.low, self.high
        slack = NEAR * (abs(self.target) or sd)
        return self.target - slack, self.target + slack

    def off(self, mean: float) -> float:
        return max(self.low - mean, mean - self.high, 0.0)

    def verdict(self, low: float, high: float, sd: float) -> Verdict:
        least, most = self.border(sd)
        if least <= low and high <= most:
            return Verdict.MET
        return Verdict.MISSED if high < least or low > most else Verdict.OPEN

    @property
    def words(self) -> str:
        if self.target is not None:
            return brief(self.target)
        if math.isinf(self.high):
            return f"{brief(self.low)} or more"
        return f"{brief(self.high)} or less" if math.isinf(self.low) else f"{self.low:g} to {self.high:g}"


def together(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the verdict on several wishes at once."""
    every = set(verdicts)
    return next((each for each in (Verdict.MISSED, Verdict.OPEN) if each in every), Verdict.MET)


def read_wishes(texts: Sequence[str]) -> tuple[Wish, ...]:
    """Return wishes written as on the command line, at most one for each figure."""
    wishes = tuple(map(_read, texts))
    keys = [wish.key for wish in wishes]
    twice = next((key for key in keys if keys.count(key) > 1), None)
    if twice is not None:
        raise fault("--wish", [*texts], "each figure once", f"write a range, such as {twice}=2.9..3.1")
    if not wishes:
        raise fault("--wish", "nothing", "one wish or more", "write --wish actions=3")
    return wishes


def parse_wishes(wish: Mapping[str, Any]) -> tuple[Wish, ...]:
    """Return the wishes of a table from figures to a number, a text such as ">=3" or "2.9..3.1", or a pair of ends."""
    return read_wishes([f"{key}{_right(key, value)}" for key, value in wish.items()])


def check_known(wishes: Iterable[Wish], known: Iterable[str]) -> None:
    """Raise UsageError for a wish for a figure that is not `known`."""
    for wish in wishes:
        if wish.key not in (every := list(known)):
            raise unknown("--wish", wish.key, every)


def _right(key: str, value: Any) -> str:
    if isinstance(value, str):
        return value if value.lstrip()[:1] in (">", "<", "=") else f"={value}"
    ends = cast("Sequence[object]", value if isinstance(value, (tuple, list)) else [value])
    if len(ends) in (1, 2) and all(isinstance(end, Real) and end is not True and end is not False for end in ends):
        return f"={'..'.join(map(str, ends))}"
    raise fault(f"the wish {key}", cast("object", value), 'a number, ">=3", "<=3" or (2.9, 3.1)')


def _read(text: str) -> Wish:
    found = _WISH.match(text)
    try:
        ends = [float(part) for part in found.groups()[2:] if part is not None] if found else []
    except ValueError:
        ends = []
    if not found or not ends or (len(ends) == 2 and found[2] != "="):
        raise UsageError(f"--wish {text!r}; allowed is {_FORM}; write --wish actions=3")
    if not all(map(math.isfinite, ends)):
        raise UsageError(f"--wish {text!r}; allowed is a finite number; write --wish actions=3")
    key, relation, first, last = found[1], found[2], ends[0], ends[-1]
    if last < first:
        raise fault(f"--wish {key}", f"{first:g}..{last:g}", "a range from less to more", "exchange its ends")
    low, high = (-math.inf if relation == "<=" else first), (math.inf if relation == ">=" else last)
    return Wish(key, low, high, first if relation == "=" and len(ends) == 1 else None, text.strip())

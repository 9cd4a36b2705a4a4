"""What a search came to: in words, as a JSON document, and as a profile that is played with."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from tower_sim.apparatus import space
from tower_sim.design.book import Book
from tower_sim.design.front import Front, table
from tower_sim.design.played import TOLD, Row
from tower_sim.design.towers import BY_NAME
from tower_sim.design.wishes import CLOGGED, GROUPS, Brief, Wish
from tower_sim.statistics import Estimate, average, clopper_pearson

SCHEMA = "tower-sim/design"
VERSION = 1
NEEDS = {"material": "cubes and walls of its own friction and bounce", "hand": "a hand that throws in its own way"}


@dataclass(frozen=True)
class Answer:
    """The tower found: trial `tried` of `book`, what `fresh` games told of it, and the `front` of all known towers.

    `atlas` counts the towers that the search began from; `made_with` are versions and settings, in words.
    """

    asked: Brief
    book: Book
    tried: int
    fresh: tuple[Row, ...]
    front: Front
    atlas: int
    made_with: Mapping[str, str]

    @property
    def numbers(self) -> dict[str, float]:
        """The numbers of the tower."""
        return space.named(self.book.trials[self.tried].numbers)

    def estimate(self, output: str) -> Estimate:
        """Return the mean of an output over the fresh games that tell it, with its interval of 95 %."""
        column = [row[TOLD.index(output)] for row in self.fresh]
        values = [value for value in column if not math.isnan(value)]
        if output == CLOGGED:
            return clopper_pearson(round(sum(values)), len(values))
        return average(values) if values else Estimate(math.nan, math.nan, math.nan, 0)

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        """That of each wish."""
        return tuple(self.estimate(output) for output in self.asked.outputs)

    @property
    def met(self) -> tuple[bool, ...]:
        """Whether each wish is met."""
        return tuple(is_met(*each) for each in zip(self.asked.wishes, self.estimates, strict=True))


def is_met(wish: Wish, found: Estimate) -> bool:
    """Say whether a wish is met: what was found is within a grain of it, or its interval holds it."""
    off = found.value - wish.wanted
    return (
        off <= wish.kind.grain
        if wish.kind.is_most
        else abs(off) <= wish.kind.grain or found.low <= wish.wanted <= found.high
    )


def figure(found: Estimate) -> str:
    """Write a number and the half of its interval, with as many digits as that can carry: 12.1 ± 0.3."""
    half = (found.high - found.low) / 2
    if not math.isfinite(half):
        return f"{found.value:.2f}"
    digits = 2 if half == 0 else min(max(0, -math.floor(math.log10(half))), 3)
    return f"{found.value:.{digits}f} ± {half:.{digits}f}"


def listed(parts: Sequence[str]) -> str:
    """Join parts of a sentence: a, b and c."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def sentences(answer: Answer) -> list[str]:
    """Return what people read first: whether a tower was found, and what it does."""
    wishes = answer.asked.wishes
    wished = listed([wish.said() for wish in wishes])
    if all(answer.met):
        first = f"A tower was found that {wished}."
    else:
        first = f"No tower of this kind was found that {wished}."
    does = [
        f"{wish.kind.words.format(figure(found))} (you wanted {wish.wanted:g})"
        if wish.kind.name != CLOGGED
        else f"clogs in {round(found.value * found.n)} of them"
        for wish, found in zip(wishes, answer.estimates, strict=True)
    ]
    subject = "it" if all(answer.met) else f"the nearest of {len(answer.book.trials)} tried"
    sure = f"In {len(answer.fresh)} fresh games {subject}"
    return [first, f"{sure} {listed(does)}; ± is the half of an interval of 95 %."]


def hints(answer: Answer) -> list[str]:
    """Return what to know or to try: where a wish is not met, and where the tower takes other cubes or hands."""
    held = [name for name, group in GROUPS.items() if all(each in answer.asked.held for each in group)]
    if all(answer.met):
        free = [name for name in GROUPS if name not in held]
        needs = " and ".join(NEEDS[name] for name in free)
        return [f"It takes {needs}: see below. --hold {','.join(free)} seeks one for the usual."] if free else []
    missed = [
        f"--{wish.kind.name}" if not wish.is_tacit else "clogging"
        for wish, met in zip(answer.asked.wishes, answer.met, strict=True)
        if not met
    ]
    ways = "more --rounds look further" + (f", and so does less held than {' and '.join(held)}" if held else "")
    return [f"Not met: {listed(missed)}. That none was found is no proof that there is none; {ways}."]


def words(answer: Answer) -> str:
    """Return the answer for people: sentences, then figures."""
    lines = [*sentences(answer), *hints(answer), ""]
    if not all(answer.met):
        lines += ["The wishes conflict. Known towers that none is nearer than in every wish, the nearest first",
                  "(means as believed after all games; miss: root mean square, 1 is what matters of each wish):", "",
                  *table(answer.front, answer.asked.wishes, answer.tried), ""]  # fmt: skip
    lines.append(f"What it does, in {len(answer.fresh)} fresh games:")
    for output in TOLD:
        lines.append(f"  {BY_NAME[output].title:24} {figure(answer.estimate(output)):>14} {BY_NAME[output].unit}")
    lines += ["", "The tower:"]
    for parameter in space.PARAMETERS:
        held = "  held" if parameter.name in answer.asked.held else ""
        value = f"{answer.numbers[parameter.name]:g} {parameter.unit}"
        lines.append(f"  {parameter.name:16} {value:14} {parameter.words}{held}")
    return "\n".join([*lines, "", how(answer)])


def how(answer: Answer) -> str:
    """Say in a line how the tower was found."""
    book = answer.book
    return (
        f"Found among {len(book.trials)} towers tried in {book.played} games, begun from {answer.atlas} towers of the "
        f"atlas; seed {book.seed}; {', '.join(f'{name} {value}' for name, value in answer.made_with.items())}."
    )


def document(answer: Answer) -> dict[str, Any]:
    """Return the JSON document."""
    wishes = zip(answer.asked.wishes, answer.estimates, answer.met, strict=True)
    return {
        "schema": SCHEMA,
        "version": VERSION,
        "seed": str(answer.book.seed),
        "met": all(answer.met),
        "wishes": [_wish(*each) for each in wishes],
        "does": {output: _plain(answer.estimate(output)) for output in TOLD},
        "tower": answer.numbers,
        "held": dict(answer.asked.held),
        "print_bed_mm": answer.asked.bed,
        "tried": {"towers": len(answer.book.trials), "games": answer.book.played, "atlas": answer.atlas},
        "front": [
            {"source": member.source, "number": member.number, "miss": member.miss,
             "values": dict(zip([w.kind.name for w in answer.asked.wishes], member.values, strict=True))}
            for member in answer.front.members
        ],
        "made_with": dict(answer.made_with),
    }  # fmt: skip


def _wish(wish: Wish, found: Estimate, met: bool) -> dict[str, Any]:
    kind = wish.kind
    said = {"name": kind.name, "wanted": wish.wanted, "tacit": wish.is_tacit, "matters": kind.grain, "met": met}
    return said | _plain(found)


def _plain(found: Estimate) -> dict[str, Any]:
    def finite(value: float) -> float | None:
        return value if math.isfinite(value) else None

    return {"n": found.n, "mean": finite(found.value), "low": finite(found.low), "high": finite(found.high)}


def profile(answer: Answer, base: Mapping[str, Any]) -> str:
    """Return the tower as the TOML of a profile, which begins with comments: what it does, and how sure that is."""
    wished = " ".join(f"--{wish.kind.name} {wish.wanted:g}" for wish in answer.asked.wishes if not wish.is_tacit)
    head = [f"A tower sought by tower-sim design {wished}", *sentences(answer), how(answer)]
    return _with_head(head, answer.numbers, base)


def unconfirmed(book: Book, tried: int, base: Mapping[str, Any]) -> str:
    """Return the nearest tower of a search that was cut short, as a profile whose head says so."""
    head = [
        "A tower of tower-sim design, whose search was cut short: the nearest so far, not confirmed by fresh games.",
        f"Of {len(book.trials)} towers tried in {book.played} games; seed {book.seed}.",
    ]
    return _with_head(head, space.named(book.trials[tried].numbers), base)


def _with_head(head: Sequence[str], numbers: Mapping[str, float], base: Mapping[str, Any]) -> str:
    lines = [f"# {line}" for line in head]
    lines += [f"#   {p.name} = {numbers[p.name]:g} {p.unit}".rstrip() + f": {p.words}" for p in space.PARAMETERS]
    return "\n".join([*lines, *_toml(space.tables(numbers, base))]) + "\n"


def _toml(tables: Mapping[str, Any], path: str = "") -> list[str]:
    """Write tables as TOML: plain values before tables."""
    plain = {key: value for key, value in tables.items() if not isinstance(value, Mapping)}
    lines = ["", f"[{path}]"] if path and plain else []
    lines += [f"{key} = {_value(value)}" for key, value in plain.items()]
    for key, value in tables.items():
        if isinstance(value, Mapping):
            lines += _toml(cast("Mapping[str, Any]", value), f"{path}.{key}" if path else key)
    return lines


def _value(value: object) -> str:
    return json.dumps(value) if isinstance(value, (str, bool, list)) else repr(value)

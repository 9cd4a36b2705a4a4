"""The atlas in words: sentences for players first, then the tables of how well it is known and of indices."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tower_sim.apparatus import space
from tower_sim.design.atlas import Atlas, AtlasPart
from tower_sim.design.effects import COLUMNS, DUMMY, Influences, MainEffect
from tower_sim.design.pictures import NAMED, ranked, said
from tower_sim.study.sobol import Index

MOSTLY = 0.4  # of the total index: a number whose first one is less does more together with others than alone
UNSURE = 0.6  # of what is not chance: an output of which less is told is called unsure
LEADING = 3  # numbers that a sentence names
_STAYS = ("inside", "out", "colours")
_QUESTIONS = {
    "inside": "How many cubes stay inside during play",
    "out": "How many come out in a phase",
    "colours": "How many colours come out, which is how many actions there are to choose from,",
}
CSV_HEAD = "output,number,first,first_error,total,total_error"


def opening(atlas: Atlas) -> str:
    """Say in sentences what matters most for how many stay, how many come out and how many colours, and how sure."""
    parts = [atlas.parts[name] for name in _STAYS if name in atlas.parts]
    lines = [_leading(part, _QUESTIONS[part.output.name]) for part in parts]
    return "\n".join([*lines, _sureness(parts)])


def _sureness(parts: Sequence[AtlasPart]) -> str:
    """Say how much of what is not chance in a game the numbers of a tower tell, and which indices are unsure."""
    shares = ", ".join(f"{100 * min(part.quality.of_the_rest, 1):.0f} % of {part.output.title}" for part in parts)
    unsure = [part.output.title for part in parts if part.quality.of_the_rest < UNSURE]
    said_of = f" What is said of {' and '.join(unsure)} is of the part that is told, and less sure than its errors say."
    return (
        "- How sure: of a tower that was left out, its numbers and the other towers tell, but for chance in its "
        f"games, {shares}.{said_of if unsure else ''}"
    )


def _leading(part: AtlasPart, question: str) -> str:
    """Say what matters most for an output: of the numbers of greatest total index what each does."""
    effects = part.effects
    names = sorted(space.NAMES, key=lambda name: -effects.total[name].value)[:LEADING]
    told = [
        f"**{space.BY_NAME[name].words}** (`{name}`: {does(part, effects.main[name])}; "
        f"{percent(effects.total[name])} of the differences between towers{_mostly(effects, name)})"
        for name in names
    ]
    return f"- {question} depends most on the {', then on the '.join(told)}."


def _mostly(effects: Influences, name: str) -> str:
    alone = effects.first[name].value < MOSTLY * effects.total[name].value
    return ", mostly together with others" if alone else ""


def does(part: AtlasPart, effect: MainEffect) -> str:
    """Say what an output does along a number: from where to where, and how sure where it turns on the way."""
    parameter = space.BY_NAME[effect.name]
    unit = f" {parameter.unit}" if parameter.unit else ""
    value = 2**effect.mean if part.output.is_ratio else effect.mean
    error = value * np.log(2) * effect.error if part.output.is_ratio else effect.error
    named = NAMED.get(effect.name, ("", ""))
    ends = [f"{_figure(value[i], error[i])} {named[i] or f'at {effect.at[i]:.3g}{unit}'}" for i in (0, -1)]
    i = _turn(effect)
    middle = "" if i is None else f", {_figure(value[i], error[i])} at {effect.at[i]:.3g}"
    return f"{ends[0]}{middle}, {ends[1]}"


def _turn(effect: MainEffect) -> int | None:
    """Return where along a number an output is higher, or lower, than at both ends beyond doubt; None for nowhere."""
    mean = effect.mean
    sure = 2 * effect.error
    above = mean - sure - max(mean[0] + sure[0], mean[-1] + sure[-1])
    below = min(mean[0] - sure[0], mean[-1] - sure[-1]) - (mean + sure)
    i = int(np.argmax(np.maximum(above, below)))
    return i if max(above[i], below[i]) > 0 else None


def _figure(value: float, error: float) -> str:
    places = 1 if max(error, 1e-9) >= 0.05 else 2
    return f"{value:.{places}f} ± {max(error, 0.5 * 10**-places):.{places}f}"


def percent(index: Index) -> str:
    """Write an index as a percentage with its standard error."""
    return f"{100 * index.value:.0f} ± {max(100 * index.error, 1):.0f} %"


def quality(atlas: Atlas) -> str:
    """Write the table of outputs: mean and sd over towers, and how well the emulator tells a tower left out."""
    rows = [
        "| output | what it is | mean over towers | sd | towers | told of a tower left out | chance in its games | "
        "told of what is not chance |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for part in atlas.parts.values():
        q, unit = part.quality, part.output.analysed
        rows.append(
            f"| {part.output.title} | {part.output.words} | {part.mean:.2f} {unit} | {part.sd:.2f} | {q.towers} | "
            f"{100 * q.told:.0f} % | {100 * q.chance:.0f} % | {100 * min(q.of_the_rest, 1):.0f} % |"
        )
    return "\n".join(rows)


def numbers() -> str:
    """Write the table of the numbers of a tower: name, range, unit, what it is and what is usual."""
    rows = ["| number | range | unit | what it is | usual |", "|---|---|---|---|---|"]
    for each in space.PARAMETERS:
        unit = each.unit or ("whole" if each.is_count else "-")
        rows.append(f"| `{each.name}` | {each.low:g} to {each.high:g} | {unit} | {each.words} | {each.usual:g} |")
    return "\n".join(rows)


def index_table(atlas: Atlas, shown: int) -> str:
    """Write total indices, with first ones in brackets, of the `shown` numbers that matter most: a column an output."""
    parts = list(atlas.parts.values())
    names = [*ranked(atlas, list(atlas.parts))[:shown], DUMMY]
    rows = [f"| | {' | '.join(part.output.title for part in parts)} |", "|---" * (1 + len(parts)) + "|"]
    for name in names:
        cells = [_cell(part.effects.total[name], part.effects.first[name]) for part in parts]
        rows.append(f"| {said(name)} | {' | '.join(cells)} |")
    return "\n".join(rows)


def _cell(total: Index, first: Index) -> str:
    return f"{100 * total.value:.0f} ± {max(100 * total.error, 1):.0f} ({100 * first.value:.0f})"


def pair_table(atlas: Atlas, shown: int) -> str:
    """Write the strongest pairs over all outputs, `shown` of them, with their indices."""
    every = [(part, pair) for part in atlas.parts.values() for pair in part.effects.pairs]
    every.sort(key=lambda one: -one[1].index.value)
    rows = ["| output | the two | what they do beyond each alone |", "|---|---|---|"]
    for part, pair in every[:shown]:
        rows.append(f"| {part.output.title} | {said(pair.names[0])}, {said(pair.names[1])} | {percent(pair.index)} |")
    return "\n".join(rows)


def csv(atlas: Atlas) -> str:
    """Write every index with its standard error: a row for each output and number, the dummy too."""
    rows = [CSV_HEAD]
    for part in atlas.parts.values():
        for name in COLUMNS:
            first, total = part.effects.first[name], part.effects.total[name]
            figures = (first.value, first.error, total.value, total.error)
            rows.append(",".join([part.output.name, name, *(f"{figure:.5f}" for figure in figures)]))
    return "\n".join(rows) + "\n"

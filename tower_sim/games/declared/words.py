"""What a run of a declared game says to people: a heading, a line a throw, and what it came to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from tower_sim.cubes import Cube, count_by_colour
from tower_sim.games.declared.declaration import Declaration
from tower_sim.games.declared.expressions import COLOUR, NUMBER, WORD
from tower_sim.games.declared.figures import again
from tower_sim.games.declared.play import Throw
from tower_sim.games.declared.readings import Read
from tower_sim.games.declared.rules import DeclaredRules
from tower_sim.games.game import Turn
from tower_sim.outcome import Status

_SHOWN = 8  # colours in a line


def head(rules: DeclaredRules, *, apparatus: str, model: str, seed: int) -> str:
    """Return the lines before a run's first: the game, what its table chose, and what stands in the columns."""
    of = rules.declaration
    chosen = ", ".join(f"{name} {value}" for name, value in rules.values.items())
    first = f"{of.title}, tower {apparatus}, {model}, seed {seed}"
    return "\n".join(line for line in (first, chosen, "drop round phase: thrown, out, inside; what is read") if line)


def line(turn: Turn, rules: DeclaredRules) -> str:
    """Return one throw as a line."""
    if turn.failed is not None:
        return f"{turn.index:4}  {turn.failed}"
    throw: Throw = turn.entry
    begun = f"{throw.index:4} {throw.round:3}  {throw.phase}: "
    emptied = "the tower is emptied, then " if throw.unloaded else ""
    told = f"{len(throw.thrown)} thrown, {_cubes(throw.out)} out, {len(turn.state.residents)} inside"
    read = [f"{name} {_value(read)}" for name, read in throw.read.items() if read.value is not None]
    if throw.effect:
        much = "" if throw.amount is None else f" ({throw.amount})"
        read.append(f"{throw.effect.says}{much}")
    remarks = [str(throw.status)] if throw.status is not Status.SETTLED else []
    remarks += [f"drawn {throw.attempts} times"] if throw.attempts > 1 else []
    return begun + emptied + "; ".join([told, *read, *remarks])


def summary(turns: Sequence[Turn], rules: DeclaredRules) -> str:
    """Return what a run came to: two sentences, the first on what was read, the second on the tower."""
    of = rules.declaration
    landed = [turn for turn in turns if turn.failed is None]
    if not landed:
        return "The game ended before anything was thrown. Nothing was read."
    throws: list[Throw] = [turn.entry for turn in landed]
    device = of.compared_with
    told = [name for name, reading in of.readings.items() if reading.kind in (COLOUR, WORD)]
    name = device.reads if device else next(iter(told or of.readings), "")
    values = [throw.read[name].value for throw in throws if name in throw.read and throw.read[name].value is not None]
    return f"{_read(of, name, values)} {of_tower(landed)}"


def of_tower(landed: Sequence[Turn]) -> str:
    """Say in a sentence what the tower did in turns that landed, of which there is one or more."""
    thrown = sum(turn.entry.attempts > 0 for turn in landed)
    inside = [len(turn.state.residents) for turn in landed]
    mean = sum(inside) / len(inside)
    return f"The tower was thrown {_times(thrown)} and held {mean:.1f} cubes on average, {inside[-1]} at the end."


def _read(of: Declaration, name: str, values: Sequence[object]) -> str:
    """Say what one reading gave, in a sentence."""
    if not name or not values:
        return f"{of.title} was played, and nothing was read." if not name else f"{name} was never read."
    kind = of.readings[name].kind
    if kind == NUMBER:
        numbers = [value for value in values if isinstance(value, int)]
        mean = sum(numbers) / len(numbers)
        return f"{name} was {mean:.1f} on average, {min(numbers)} to {max(numbers)} in {len(numbers)} readings."
    if kind in (COLOUR, WORD):
        words = [str(value) for value in values]
        often = sorted(dict.fromkeys(words), key=lambda word: -words.count(word))[:_SHOWN]
        told = ", ".join(f"{word} {words.count(word)}" for word in often)
        twice = round(again(words) * (len(words) - 1))
        repeated = f"repeated the one before {_times(twice)}" if twice else "never repeated the one before"
        return f"{name} was read {_times(len(words))} ({told}); it {repeated}."
    sizes = [len(cast("tuple[str, ...]", value)) for value in values if isinstance(value, tuple)]
    return f"{name} had {sum(sizes) / len(sizes):.1f} colours on average in {len(sizes)} readings."


def _times(number: int) -> str:
    return {1: "once", 2: "twice"}.get(number, f"{number} times")


def _cubes(cubes: Sequence[Cube]) -> str:
    """Say how many cubes there are of each colour."""
    counts: Mapping[str, int] = count_by_colour(cubes)
    told = [f"{count} {colour}" for colour, count in counts.items()]
    return f"{', '.join(told)}" if 0 < len(told) <= _SHOWN else str(len(cubes))


def _value(read: Read) -> str:
    return (", ".join(read.value) or "none") if isinstance(read.value, tuple) else str(read.value)

"""Matched playback: drops that nobody saw fall, shown by recorded ones with the same counts, coloured anew.

wanted (matching.py) -> Cast: as which cubes -> Bank: which recorded drop -> recoloured: a take of the page
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from tower_sim.cubes import Cube
from tower_sim.outcome import Status
from tower_sim.places import INSIDE, TRAY
from tower_sim.recorder import Draw
from tower_sim.replay.bank import Bank, Found
from tower_sim.replay.cast import Cast
from tower_sim.replay.matching import LEVELS, OUT, THROWN, Wanted, of_outcome, relabelled
from tower_sim.replay.stored import recorded_cubes
from tower_sim.replay.takes import Lying, Matched, ModelCounts, Take
from tower_sim.terminal import counted

SAYS = {
    "exact": "A recorded drop in which as many cubes of each colour go from each floor, and from the hand, to each "
    "floor and out; its cubes are coloured anew.",
    "floors": "A recorded drop in which as many cubes of each colour are thrown, come out and lie on each floor "
    "afterwards; its cubes are coloured anew. Where they lay before may differ.",
    "counts": "A recorded drop in which as many cubes of each colour are inside, thrown and out; its cubes are "
    "coloured anew. On which floors they lie may differ.",
}
NONE = "none"
"""Among the levels that are counted: drops that no recorded one can be shown for."""
_STREAM = 2**31 + 17  # no drop, step or run of a campaign has so great a number
KNOCKS = "knocks"
"""The same: knocks on the table, which are never matched."""


def drawn_from(seed: int) -> np.random.Generator:
    """Return what a run of this seed draws its recorded drops from: nothing else of it is drawn from that."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(_STREAM,)))


class Playback:
    """Shows drops of one run by those of a bank, one after the other, and counts at which levels.

    Random: which of several recorded drops is shown, drawn from `rng`.
    """

    def __init__(self, bank: Bank, rng: np.random.Generator) -> None:
        self.bank = bank
        self.levels: Counter[str] = Counter()
        self._rng = rng
        self._cast = Cast()
        self._asked: list[tuple[int, int, int]] = []

    def takes_of(self, draws: Iterable[Draw]) -> tuple[Take, ...]:
        """Return the takes of what a model drew: its landings, but for drops that throw nothing."""
        takes: list[Take] = []
        for draw in draws:
            if not draw.outcome.status.is_landing:
                continue
            if draw.knock:
                self.levels[KNOCKS] += 1
                asked = self._cast.enter(of_outcome(draw.state, draw.outcome))
                strength = draw.outcome.state.log[-1].strength
                takes.append(self._unseen(asked, "A knock on the table cannot be shown.", "knock", strength))
            elif draw.outcome.thrown:
                takes.append(self.take_of(of_outcome(draw.state, draw.outcome)))
        return tuple(takes)

    def take_of(self, wanted: Wanted) -> Take:
        """Return the take that is shown for what is wanted; one without motion if no recorded drop throws as many."""
        asked = self._cast.enter(wanted)
        self._asked.append(asked.size)
        found = self.bank.find(asked, self._rng)
        self.levels[NONE if found is None else found.level] += 1
        if found is None:
            return self._unseen(asked, "Nothing is seen to fall: no recorded drop throws as many cubes.")
        take = self._shown(asked, found)
        self._cast.leave(each.cube.id for each in take.rest if each.place.startswith(INSIDE))
        return take

    def about(self) -> dict[str, Any]:
        """Return what the page's header says of where its motion is from."""
        known = [*LEVELS, NONE, KNOCKS]
        return {
            "bank": self.bank.name,
            "drops": self.bank.drops,
            "campaign": self.bank.campaign,
            "levels": {level: self.levels[level] for level in known if self.levels[level] or level in LEVELS},
            "says": self._words(),
        }

    def check_shown(self) -> None:
        """Raise UsageError when nothing of the run could be shown."""
        if not any(self.levels[level] for level in LEVELS):
            raise self.bank.nothing_fits(self._asked)

    def _words(self) -> str:
        """Say in plain words what is shown, and how well it fits."""
        number = sum(self.levels[level] for level in LEVELS)
        near = self.levels["nearest"]
        if number == 1:
            said = [f"What falls here fell elsewhere: it is one of {self.bank.drops} recorded drops, coloured anew."]
            said.append("It has the nearest counts; none has the same." if near else "It has the same counts.")
        else:
            said = [
                f"What falls here fell elsewhere: each drop is one of {self.bank.drops} recorded ones, coloured anew.",
                f"{number - near} of {number} drops have the same counts: {self.levels['exact']} from floor to floor, "
                f"{self.levels['floors']} by floor afterwards, {self.levels['counts']} inside and out.",
            ]
            if near:
                said.append(f"For {near} nothing that was recorded has, and the nearest is shown.")
        if none := self.levels[NONE]:
            said.append(f"Of {none} more nothing is shown: no recorded drop throws as many cubes.")
        if knocks := self.levels[KNOCKS]:
            said.append(f"{counted(knocks, 'knock')} on the table cannot be shown.")
        return " ".join(said)

    def _shown(self, asked: Wanted, found: Found) -> Take:
        take = self.bank.take(found)
        numbers = relabelled(asked, recorded_cubes(take), found.level)
        edge = self.bank.apparatus.cube_edge
        cubes = {old: Cube(new, self._cast.colours[new], edge) for old, new in numbers.items()}
        if said := SAYS.get(found.level):
            return recoloured(take, cubes, Matched(found.level, said))
        said = _nearest(asked, take, cubes, found.distance)
        return recoloured(take, cubes, Matched(found.level, said, _given(asked)))

    def _unseen(self, asked: Wanted, said: str, kind: str = "drop", strength: float = 0.0) -> Take:
        """Return a take without motion: what lay inside before and what became of it, all without poses."""
        edge, left = self.bank.apparatus.cube_edge, Counter(asked.out)
        start: list[Lying] = []
        rest: list[Lying] = []
        for sought in sorted(asked.cubes, key=lambda each: each.after != OUT):  # those that are known to be out first
            cube = Cube(sought.number, sought.colour, edge)
            is_out = sought.after == OUT or (sought.after is None and left[sought.colour] > 0)
            left[sought.colour] -= is_out
            if sought.before != THROWN:
                start.append(Lying(cube, sought.before, None))
            rest.append(Lying(cube, TRAY if is_out else sought.after or INSIDE, None))
        inside = {each.cube.id for each in start}
        thrown = tuple(each.cube for each in rest if each.cube.id not in inside)
        self._cast.leave(each.cube.id for each in rest if each.place.startswith(INSIDE))
        matched = Matched(NONE, said, _given(asked))
        return Take(kind, Status.SETTLED, 0, strength, (), thrown, tuple(start), tuple(rest), (), (), matched)


def recoloured(take: Take, cubes: Mapping[int, Cube], matched: Matched) -> Take:
    """Return a take with other cubes in the place of its own, by number; one that has none is left out."""

    def lying(several: Iterable[Lying]) -> tuple[Lying, ...]:
        return tuple(replace(each, cube=cubes[each.cube.id]) for each in several if each.cube.id in cubes)

    happenings = [
        replace(each, cube=None if each.cube is None else cubes[each.cube].id)
        for each in take.happenings
        if each.cube is None or each.cube in cubes
    ]
    return replace(
        take,
        redrawn=(),
        thrown=tuple(cubes[cube.id] for cube in take.thrown),
        start=lying(take.start),
        rest=lying(take.rest),
        tracks=tuple(replace(track, cube=cubes[track.cube].id) for track in take.tracks if track.cube in cubes),
        happenings=tuple(happenings),
        matched=matched,
    )


def _given(asked: Wanted) -> ModelCounts:
    """Return what a model gave."""
    return ModelCounts(dict(+Counter(asked.out)), dict(asked.inside + asked.thrown - Counter(asked.out)))


def _nearest(asked: Wanted, take: Take, cubes: Mapping[int, Cube], distance: int) -> str:
    """Say how a take differs from what is wanted."""
    left_out, missing = len(take.rest) - len(cubes), len(asked.cubes) - len(cubes)
    inside, thrown, out = asked.size
    shown = sum(not each.place.startswith(INSIDE) for each in take.rest)
    said = ["No recorded drop has these counts; this is the nearest."]
    if left_out:
        it_had = counted(inside + left_out, "cube")
        said.append(f"It had {it_had} inside: {left_out} that stayed {_is(left_out)} not drawn.")
    if missing:
        said.append(f"It had only {counted(inside - missing, 'cube')} inside: {missing} {_is(missing)} missing.")
    apart = distance - left_out - missing
    other = (apart - abs(shown - out)) // 2
    if shown != out:
        said.append(f"{shown} of {inside + thrown - missing} cubes come out where {out} should.")
    if other:
        said.append(f"{counted(other, 'cube')} of another colour {'comes' if other == 1 else 'come'} out.")
    return " ".join(said)


def _is(number: int) -> str:
    return "is" if number == 1 else "are"

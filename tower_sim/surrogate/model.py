"""SurrogateModel, a tower that draws results from a fitted distribution.

state -> where each cube lies, and for how long -> law (cascade.py, rounded: table.py) -> which cubes move -> outcome
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from tower_sim.apparatus import Apparatus, as_tower
from tower_sim.drops import BaseModel, Door, knock_strength, no_knocks
from tower_sim.errors import check_kind, check_number, check_whole
from tower_sim.results import Array, Plan, Results
from tower_sim.surrogate.kernel import OUT, drop, law_of, play_games
from tower_sim.surrogate.store import Fitted, as_fitted
from tower_sim.surrogate.table import CROWD, Table, table_of
from tower_sim.values import (
    DROPS,
    INSIDE,
    TRAY,
    Cube,
    Event,
    Landing,
    Outcome,
    Resident,
    Status,
    TowerState,
    check_seed,
    rng_text,
)

_WORDS = 256  # words drawn at a time; the last is used first

_MOST_RUNS, _MOST_FIRST = 10**9, 2**62  # limits of memory, and of run numbers in 64 bits


class SurrogateModel(BaseModel):
    """A DropModel without physics: a cascade, fitted to drops of exactly this apparatus.

    Cubes inside have a region but no pose. Colours do not matter. A knock is refused if the cascade was fitted without
    knocks. An outcome is `extrapolated` if its numbers of cubes lie outside the training data.

    Args:
        apparatus: A tower, as `load` returns it.
        fitted: The fitted law. `open_model` finds it.

    >>> from tower_sim import open_model, supply
    >>> with open_model("amerigo", "surrogate") as model:
    ...     cubes = supply({"blue": 7}, model.cube_edge)
    ...     outcome = model.drop(model.empty(), cubes, np.random.default_rng(7))
    >>> print(len(outcome.emerged), outcome.extrapolated)
    6 False
    """

    name = "surrogate"

    def __init__(self, apparatus: Apparatus, fitted: Fitted) -> None:
        self.shape = as_tower(apparatus)
        self.fitted = as_fitted(fitted)
        self.name = self.fitted.name
        self.table: Table = table_of(fitted.cascade_of(self.shape.digest))
        self.law = law_of(self.table)
        here = frozenset(self.table.regions)
        self._door = Door(SurrogateModel.name, self.shape.name, fitted.digest, self.shape.cube_edge, here)
        self._places = (*(INSIDE + region for region in self.table.regions), TRAY)  # OUT is -1, the last place
        self._floor = {region: i for i, region in enumerate(self.table.regions)}

    def drop(self, state: TowerState, cubes: Sequence[Cube], rng: np.random.Generator) -> Outcome:
        """Throw cubes in; see `DropModel.drop`. Random: words of 32 bits from `rng`."""
        thrown = self._door.check_throw(state, cubes)
        written, end = rng_text(rng), self._moved(state, thrown, rng)
        event = Event("drop", written, thrown, tuple(number for number in end if end[number] == OUT))
        outcome = self._finish(state, event, end)
        return replace(outcome, extrapolated=not self.fitted.covers(len(thrown), len(state.residents)))

    def knock(self, state: TowerState, strength: float, rng: np.random.Generator) -> Outcome:
        """Knock, `strength` in g; see `DropModel.knock`. Random: a word of 32 bits for each cube inside."""
        self._door.enter(state)
        if not self.table.knocks:
            again = ", or fit the surrogate again (tower-sim model fit)"
            no_knocks(strength, "this surrogate was fitted without knocks", again)
        strength, written = knock_strength(strength), rng_text(rng)
        end = self._moved(state, (), rng, max(math.floor(100 * strength + 0.5), 1))
        emerged = tuple(number for number in end if end[number] == OUT)
        outcome = self._finish(state, Event("knock", written, (), emerged, strength), end)
        return replace(outcome, knocked_out=outcome.emerged)

    def sample_runs(self, plan: Plan, runs: int, seed: int, *, first: int = 0, shift: float = 0.0) -> Results:
        """Play many runs of a plan at once.

        Args:
            plan: The cubes that each drop throws, such as `game.plan(rules)`.
            runs: The number of runs.
            seed: A whole number from 0. Run r uses its stream `first` + r, so runs differ from those of `drop`.
            first: The number of the first run.
            shift: Added to the probability that a thrown cube comes out (0 to 1), to test what tells such towers apart.

        Returns:
            Their counts, each of shape (run, drop, colour).

        >>> from tower_sim import open_model
        >>> plan = Plan(("blue", "red"), (7, 7), throws=(-1, 0, 1))
        >>> with open_model("amerigo", "surrogate") as model:
        ...     model.sample_runs(plan, 1000, seed=1).each_colour("inside").sum(2).mean(0).round(1).tolist()
        [3.1, 3.4, 3.6]
        """
        check_kind("plan", plan, Plan, "a Plan", "take that of a game: game.plan(rules)")
        runs, first = check_whole("runs", runs, 1, _MOST_RUNS), check_whole("first", first, 0, _MOST_FIRST)
        shift = check_number("shift", shift, 0, 1, "leave it out for games of this tower")
        width = len(plan.colours)
        colour = np.repeat(np.arange(width), plan.cubes)
        words = np.random.SeedSequence(check_seed(seed)).generate_state(4).astype(np.int64)
        counts = play_games(self.law, colour, np.array(plan.throws), runs, words, first, shift, width)
        return Results.of_counts(dict(zip(("thrown", "out", "inside"), counts, strict=True)), plan=plan)

    def extrapolated(self, counts: Results) -> Array:
        """Return for each drop whether it lies outside the training data, shape (run, drop)."""
        thrown, before = (counts.grid(name).astype(np.int64) for name in ("thrown", "before"))
        width = int(before.max(initial=0)) + 1
        pair = thrown * width + before
        seen = np.bincount(pair.ravel())
        beyond = np.zeros(len(seen), bool)
        for each in np.flatnonzero(seen).tolist():
            beyond[each] = not self.fitted.covers(*divmod(each, width))
        return beyond[pair]

    def _finish(self, state: TowerState, event: Event, end: Mapping[int, int]) -> Outcome:
        landings: list[Landing] = []
        inside: list[Resident] = []
        before = [(x.cube, x.since) for x in state.residents]
        for cube, since in [*before, *((cube, state.drops) for cube in event.thrown)]:
            floor = end[cube.id]
            landings.append(Landing(cube, self._places[floor]))
            if floor != OUT:
                inside.append(Resident(cube, self.table.regions[floor], since))
        after = self._door.made(state.after(inside, event))
        return Outcome(self.name, self.shape.name, Status.SETTLED, event.thrown, tuple(landings), after)

    def _moved(
        self, state: TowerState, thrown: Sequence[Cube], rng: np.random.Generator, step: int = 0
    ) -> dict[int, int]:
        """Return by number where each cube is after a drop, or after a knock of `step` hundredths of g."""
        sizes = [len(event.thrown) for event in state.log if event.kind in DROPS]
        cubes = {
            x.cube.id: (self._floor[x.region], state.drops - x.since, sizes[x.since] >= CROWD) for x in state.residents
        }
        cubes |= {cube.id: (OUT, 0, False) for cube in thrown}
        if not thrown and not (step and cubes):  # nothing moves, and no word is drawn
            return {number: floor for number, (floor, *_) in sorted(cubes.items())}
        order = sorted(cubes)
        known = [cubes[number] for number in order]
        ends = drop(self.law, known, _draw(rng), lambda _: _draw(rng), step)
        return dict(zip(order, ends, strict=True))


def _draw(rng: np.random.Generator) -> Array:
    return rng.integers(0, 1 << 32, _WORDS, np.uint32)[::-1]

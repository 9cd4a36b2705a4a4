"""The tower of one run, which draws all randomness from the run's seed, and the turns that a game yields."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, SupportsIndex

import numpy as np

from tower_sim.drops import Counts, DropModel, Throwing, TooManyFailedDraws, merge_counts, until_landed
from tower_sim.errors import UsageError, as_whole, fault, unknown
from tower_sim.values import Cube, Outcome, TowerState, count_by_colour, in_order, supply

DROP_STREAM, KNOCK_STREAM, GAME_STREAM = 0, 1, 2


class GameTower(Throwing):
    """The tower or ship of one run. Each cube is `inside`, on the `board` of a ship, or `outside`.

    The cubes, given by colour, are numbered from 0. The run's own seed is `seed`, or with `run` one derived from both
    (`game_seed`). Turn i throws with SeedSequence(own seed, spawn_key=(i, 0)), knocks with spawn key (i, 1), and has
    the generator `rng` with (i, 2).
    """

    def __init__(self, model: DropModel, cubes: Mapping[str, int], seed: int, run: int | None = None) -> None:
        self.model: Any = model
        self.cubes = supply(cubes, model.cube_edge)
        self.seed, self.run = seed, run
        self.own_seed = seed if run is None else game_seed(seed, run)
        self.last: Outcome | None = None
        self._state = model.empty()
        self.begin(0)

    def begin(self, turn: int) -> None:
        """Begin a turn. The runner calls this, not the game."""
        self.turn, self.outcomes = turn, ()
        self.rng = np.random.default_rng(self.stream(GAME_STREAM))
        self._acts: list[str] = []

    def reseed(self, seed: int) -> None:
        """Draw everything that is still to come from another seed."""
        self.seed, self.run, self.own_seed = seed, None, seed
        self.rng = np.random.default_rng(self.stream(GAME_STREAM))

    def stream(self, word: int) -> np.random.SeedSequence:
        return np.random.SeedSequence(self.own_seed, spawn_key=(self.turn, word))

    @property
    def out(self) -> dict[str, int]:
        """The cubes that came out in this turn, by colour."""
        return count_by_colour(cube for outcome in self.outcomes for cube in outcome.emerged)

    @property
    def outside(self) -> dict[str, int]:
        """The cubes that can be thrown, by colour."""
        return count_by_colour(self._outside(), list(dict.fromkeys(cube.colour for cube in self.cubes)))

    def pick(self, cubes: Mapping[str, int], how: str = "uniform") -> str:
        """Draw one of `cubes` and return its colour; with `how` = "most" one of the most numerous colours."""
        if how == "most":
            cubes = {colour: 1 for colour, count in cubes.items() if count == max(cubes.values())}
        return next(iter(self.sample(cubes, 1)))

    def sample(self, cubes: Mapping[str, int], number: int) -> dict[str, int]:
        """Draw `number` of `cubes` without replacement, or all if there are fewer; return counts by colour."""
        colours = list(cubes)
        drawn = self.rng.multivariate_hypergeometric([cubes[x] for x in colours], min(number, sum(cubes.values())))
        return {colour: int(count) for colour, count in zip(colours, drawn, strict=True) if count}

    def throw_cubes(self, cubes: Sequence[Cube]) -> Outcome:
        """Throw these individual cubes; use `throw` if only the colours matter."""
        return self._act("throw", partial(self.model.drop, self.state, tuple(cubes)))

    def place(self, colour: str, zone: str) -> Outcome:
        """Put one cube of `colour` from outside into a zone of a ship's board."""
        (cube,) = self._of({colour: 1}, self._outside(), "puts", "outside the tower")
        if not hasattr(self.model, "place"):
            raise fault("model", self.model.name, "one that knows a board", "play the game with a ship and physics")
        return self._act("throw", partial(self.model.place, self.state, cube, zone))

    def take(self, cubes: Mapping[str, int] | None = None, /, **colours: int) -> None:
        """Take cubes out of the tower and off the board by hand, by colour; without counts all of them."""
        there = in_order((*self.state.cubes, *self.state.board.cubes))
        counts = merge_counts(cubes, colours) or count_by_colour(there)
        if any(counts.values()):
            self._state = self.state.take(self._of(counts, there, "takes", "inside or on the board"))

    def keep(self, outcome: Outcome) -> None:
        """Continue from an outcome of the model. Raises UsageError if it lost or doubled a cube."""
        before = {*self._state.cubes, *self._state.board.cubes, *outcome.thrown}
        after = in_order(landing.cube for landing in outcome.landings)
        if in_order(before) != after:
            lost = sorted({cube.id for cube in before} ^ {cube.id for cube in after}) or "one of them"
            allowed = "every cube inside, on the board or thrown once"
            raise fault(f"the cubes that {outcome.model} lost or doubled in turn {self.turn}", lost, allowed, "mend it")
        self.follow(outcome.state, outcome)

    def follow(self, state: TowerState, last: Outcome | None = None) -> None:
        """Continue from a state that the game computed itself, `last` with the outcome of the model."""
        self._state, self.last = state, last
        self.outcomes = (*self.outcomes, last) if last else self.outcomes

    def _do(self, counts: Counts, knock: float | None, seed: SupportsIndex | str | None) -> Outcome:
        if seed is not None:
            raise fault("seed", seed, "none: a run's throws draw from its own seed", "leave it out")
        if knock is not None:
            return self._act("knock", partial(self.model.knock, self.state, knock))
        return self.throw_cubes(self._of(counts, self._outside(), "throws", "outside the tower"))

    def _act(self, act: str, draw: partial[Outcome]) -> Outcome:
        if act in self._acts or self._acts == ["knock"]:
            acts = " and ".join(self._acts)
            raise UsageError(
                f"turn {self.turn} has a {acts} before this {act}; allowed is one throw, then one knock; "
                "yield a Turn between two of them"
            )
        outcome = until_landed(draw, self.stream(KNOCK_STREAM if act == "knock" else DROP_STREAM))
        self._acts.append(act)
        self.keep(outcome)
        return outcome

    def _outside(self) -> list[Cube]:
        there = {*self.state.cubes, *self.state.board.cubes}
        return [cube for cube in self.cubes if cube not in there]

    def _of(self, counts: Counts, some: Iterable[Cube], does: str, where: str) -> tuple[Cube, ...]:
        by_colour: dict[str, list[Cube]] = {cube.colour: [] for cube in self.cubes}
        for cube in some:
            by_colour[cube.colour].append(cube)
        chosen: list[Cube] = []
        for colour, count in counts.items():
            if colour not in by_colour:
                raise unknown("a colour", colour, by_colour, "use a colour of the game's cubes")
            most = len(by_colour[colour])
            number = as_whole(count)
            if number is None or not 0 <= number <= most:
                what = f"the number of {colour} cubes that turn {self.turn} {does}"
                raise fault(what, count, f"0 to {most}, the number {where}", "change the game")
            chosen += by_colour[colour][:number]
        return tuple(in_order(chosen))


def game_seed(root: int, run: int) -> int:
    """Return the 128-bit seed of a run: 4 words of SeedSequence(root, spawn_key=(run,)), lowest first."""
    words = np.random.SeedSequence(root, spawn_key=(run,)).generate_state(4, np.uint32)
    return sum(int(word) << (32 * i) for i, word in enumerate(words))


@dataclass(frozen=True, slots=True)
class Decision:
    """A choice of a player, which a game yields before a turn or within it; it gets one of `options` as the answer.

    `usual` decides when nobody plays. `seen` are numbers that the player sees besides the cubes: by name a value from 0
    and its largest possible value. `player` is the player who is asked, if there are several.
    """

    options: tuple[str, ...]
    usual: str
    seen: Mapping[str, tuple[float, float]] = field(default_factory=dict[str, tuple[float, float]])
    player: str = ""


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of a run, with at most one throw, and after it at most one knock.

    The game sets `says`, a sentence for people, and `facts`, values by name for the dataset. A turn with the fact
    `phase` = `setup` does not count as play. `entry` is for the game's own reports and pictures. `kind` is a word for
    what happened; in a turn of the kind `drop`, datasets list the knock separately.

    The runner sets `index`, from 0, the tower's `state` after the turn, and the `outcomes`. `failed` is the error that
    ended the run early, after five failed draws in a row.
    """

    says: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict[str, Any])
    kind: str = "drop"
    entry: Any = None
    failed: TooManyFailedDraws | None = None
    index: int = 0
    state: TowerState = field(default_factory=partial(TowerState, "", "", ""))
    outcomes: tuple[Outcome, ...] = ()

    @property
    def thrown(self) -> dict[str, int]:
        return count_by_colour(cube for outcome in self.outcomes for cube in outcome.thrown)

    @property
    def out(self) -> dict[str, int]:
        return count_by_colour(cube for outcome in self.outcomes for cube in outcome.emerged)

    @property
    def thrown_out(self) -> dict[str, int]:
        """The cubes that the throw brought out, by colour, without those that a knock released."""
        return count_by_colour(cube for outcome in self.outcomes if outcome.thrown for cube in outcome.emerged)

    @property
    def inside(self) -> dict[str, int]:
        return count_by_colour(self.state.cubes)

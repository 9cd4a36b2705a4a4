"""Chances of the next throw, estimated by many throws from the same state.

    state + cubes --draws--> cubes out by draw and colour --> mean number out and shares

Means and shares have intervals.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from tower_sim.documents import ChancesAnswer, EstimateAnswer, ThrowChances
from tower_sim.drops.contract import BoardModel, DropModel, HandModel
from tower_sim.drops.door import as_cubes, as_model, as_seed, as_state, foreign
from tower_sim.drops.throwing import as_throw
from tower_sim.errors import check_whole, fault
from tower_sim.results import CONFIDENCE, Estimate, average, clopper_pearson
from tower_sim.values import Cube, Event, Outcome, Status, TowerState, count_by_colour, rng_from_text, supply

MOST_DRAWS = 1_000_000
_CUBE = 1e-4  # cubes: means that differ by less count as equal

Array = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class Chances:
    """The results of throwing the same cubes, `thrown` (counts by colour), many times from one state.

    `out` has the numbers of cubes out (draws, colours), without the `left_out` draws that failed five times in a row.
    """

    thrown: dict[str, int]
    colours: tuple[str, ...]
    out: Array
    left_out: int

    @property
    def number(self) -> Estimate:
        """The mean number of cubes out, with its interval; it does not go below 0."""
        mean = average(self.out.sum(1))
        return replace(mean, low=max(mean.low, 0.0))

    @property
    def usual(self) -> tuple[int, int]:
        """The 5 % and the 95 % quantile of the number of cubes out."""
        low, high = np.quantile(self.out.sum(1), [0.05, 0.95], method="inverted_cdf")
        return int(low), int(high)

    def share(self, is_so: Array) -> Estimate:
        """Return the share of draws in which `is_so` (draws,) is true, with its exact interval."""
        return clopper_pearson(int(is_so.sum()), len(is_so))

    @property
    def shares(self) -> dict[str, Estimate]:
        """The shares of draws in which nothing, one colour, or more come out."""
        several = (self.out > 0).sum(1)
        return {
            "nothing": self.share(several == 0),
            "one colour": self.share(several == 1),
            "more than one colour": self.share(several > 1),
        }

    @property
    def each(self) -> dict[str, Estimate]:
        """The share of draws in which at least one cube of a colour comes out, by colour."""
        return {colour: self.share(self.out[:, i] > 0) for i, colour in enumerate(self.colours)}

    def document(self) -> ThrowChances:
        """Return the results as plain JSON values; `by_number` has the shares with 0, 1, 2, ... cubes out."""
        counts = np.bincount(self.out.sum(1)) / len(self.out)
        return {
            "thrown": self.thrown,
            "draws": len(self.out),
            "left_out": self.left_out,
            "out": _plain(self.number),
            "by_number": counts.round(6).tolist(),
            "shares": {name: _plain(share) for name, share in self.shares.items()},
            "each": {colour: _plain(share) for colour, share in self.each.items()},
        }


def estimate_chances(
    model: DropModel,
    state: TowerState,
    options: Sequence[Mapping[str, int]],
    draws: int,
    seed: int,
    tell: Callable[[int], None] = lambda done: None,
) -> list[Chances]:
    """Throw each option (counts by colour) `draws` times, on all cores; `tell` gets the number of throws done.

    Random, from `seed`: draw k of option i has the spawn key (i, k).
    """
    draws = check_whole("draws", draws, 2, MOST_DRAWS, "try 200")
    thrown = [as_throw(each, state, None)[0] for each in options]
    there = sorted({cube.colour for cube in (*state.cubes, *state.board.cubes)})
    colours = tuple(dict.fromkeys([*(colour for each in options for colour in each), *there]))
    chances: list[Chances] = []
    for i, counts in enumerate(thrown):
        cubes = supply(counts, model.cube_edge, first_id=state.next_id)
        rows: list[list[int]] = []
        firsts = ((state, cubes, np.random.SeedSequence(seed, spawn_key=(i, k, 0))) for k in range(draws))
        for k, landed in enumerate(model.drop_many(firsts)):
            tell(i * draws + k + 1)
            if not landed.status.is_landing:
                try:
                    landed = first_landing(partial(model.drop, state, cubes), seed, (i, k))
                except TooManyFailedDraws:
                    continue
            rows.append(list(count_by_colour(landed.emerged, colours).values()))
        out = np.array(rows, int).reshape(len(rows), len(colours))
        chances.append(Chances(counts, colours, out, draws - len(rows)))
    return chances


def make_document(throws: Sequence[Chances], model: DropModel, seed: int) -> ChancesAnswer:
    """Return the document of the chances that were drawn with `model` and `seed`."""
    return {
        "schema": "tower-sim/chances",
        "version": 1,
        "apparatus": model.apparatus,
        "model": model.name,
        "seed": str(seed),
        "throws": [each.document() for each in throws],
    }


def is_more(one: Chances, other: Chances) -> bool:
    """Return whether the mean number out is greater for `one` than for `other`, by more than 1.96 standard errors."""
    a, b = one.out.sum(1), other.out.sum(1)
    error = float(np.hypot(a.std(ddof=1) / len(a) ** 0.5, b.std(ddof=1) / len(b) ** 0.5))
    return float(a.mean() - b.mean()) > max(1.96 * error, _CUBE)


def _plain(estimate: Estimate) -> EstimateAnswer:
    return {"value": estimate.value, "low": estimate.low, "high": estimate.high, "confidence": CONFIDENCE}


_ADVICE = "take a state that the model has made"

MAX_ATTEMPTS = 5


class TooManyFailedDraws(RuntimeError):
    """The error after five failed drops in a row.

    Args:
        outcome: The last outcome.

    >>> from tower_sim import Tower
    >>> with Tower("amerigo", "surrogate", seed=7) as tower:
    ...     outcome = replace(tower.throw(blue=1), status=Status.TIMED_OUT)
    >>> print(TooManyFailedDraws(outcome))
    1 draws in a row were no landing (timed_out)
    """

    def __init__(self, outcome: Outcome) -> None:
        self.outcome = outcome
        statuses = ", ".join(str(status) for status in (*outcome.failures, outcome.status))
        super().__init__(f"{outcome.attempts} draws in a row were no landing ({statuses})")

    def __reduce__(self) -> tuple[type[TooManyFailedDraws], tuple[Outcome]]:
        return type(self), (self.outcome,)


def until_landed(draw: Callable[[np.random.Generator], Outcome], seed: np.random.SeedSequence) -> Outcome:
    """Repeat a draw until its outcome is a landing, at most 5 times.

    Args:
        draw: Takes an rng and returns the outcome of a drop or a knock.
        seed: Attempt i draws from its child with spawn key `(*seed.spawn_key, i)`.

    Returns:
        The landing. Its `failures` are the statuses of the failed attempts.

    Raises:
        TooManyFailedDraws: The last attempt failed.

    >>> from tower_sim import open_model
    >>> with open_model("amerigo", "surrogate") as model:
    ...     cubes = supply({"blue": 7}, model.cube_edge)
    ...     outcome = until_landed(lambda rng: model.drop(model.empty(), cubes, rng), np.random.SeedSequence(7))
    >>> print(outcome.status, len(outcome.emerged))
    settled 5
    """
    seed = as_seed(seed)
    if not callable(draw) or isinstance(draw, type):
        raise fault("draw", draw, "a function that draws", "write lambda rng: model.drop(state, cubes, rng)")
    return first_landing(draw, seed.entropy, seed.spawn_key)


def first_landing(
    draw: Callable[[np.random.Generator], Outcome], entropy: int | Sequence[int] | None, key: tuple[int, ...] = ()
) -> Outcome:
    """Repeat a draw as `until_landed` does, from the entropy and the spawn key of its SeedSequence."""
    failures: list[Status] = []
    while True:
        child = np.random.SeedSequence(entropy, spawn_key=(*key, len(failures)))
        outcome = draw(np.random.default_rng(child))
        if failures:
            outcome = replace(outcome, failures=tuple(failures))
        if outcome.status.is_landing:
            return outcome
        if outcome.attempts == MAX_ATTEMPTS:
            raise TooManyFailedDraws(outcome)
        failures.append(outcome.status)


def knock_then_drop(
    model: DropModel, state: TowerState, strength: float, cubes: Sequence[Cube], seed: np.random.SeedSequence
) -> Outcome:
    """Knock, then throw cubes together with those that the knock released.

    Args:
        model: The model.
        state: The state before the knock.
        strength: The peak lateral acceleration of the knock (g).
        cubes: The cubes to throw; without any, nothing follows the knock.
        seed: The knock draws from its child with one more key 1, the throw from the child with key 0. Each is repeated
            until it lands.

    Returns:
        The outcome of the throw. Released cubes are both `knocked_out` and `thrown`.

    Raises:
        TooManyFailedDraws: Five knocks or five drops in a row failed.

    >>> from tower_sim import Tower
    >>> with Tower("amerigo", "surrogate", seed=7) as tower:
    ...     state = tower.throw(blue=7, red=7).state
    ...     cubes = supply({"white": 2}, tower.model.cube_edge, first_id=state.next_id)
    ...     outcome = knock_then_drop(tower.model, state, 1.5, cubes, np.random.SeedSequence(7))
    >>> print(len(outcome.knocked_out), len(outcome.thrown))
    2 4
    """
    model, cubes, seed = as_model(model), as_cubes(cubes), as_seed(seed)
    streams = [np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, key)) for key in (0, 1)]
    knock = until_landed(lambda rng: model.knock(state, strength, rng), streams[1])
    thrown = (*cubes, *knock.emerged)
    if not cubes:
        return knock
    outcome = until_landed(lambda rng: model.drop(knock.state, thrown, rng), streams[0])
    return replace(outcome, knocked_out=knock.emerged)


def throw(
    model: DropModel, state: TowerState, cubes: Mapping[str, int], seed: int, knock: float | None = None
) -> Outcome:
    """Throw new cubes (counts by colour), after a knock (g) if there is one, until they land.

    They are numbered after all that the state has seen. Raises TooManyFailedDraws.
    """
    thrown = supply(cubes, model.cube_edge, first_id=state.next_id)
    if knock is None:
        return first_landing(partial(model.drop, state, thrown), seed)
    return knock_then_drop(model, state, knock, thrown, np.random.SeedSequence(seed))


def redo(model: DropModel, state: TowerState) -> TowerState:
    """Repeat every event of a state's history from the empty tower.

    Args:
        model: A model equal to the one that made the state.
        state: The state.

    Returns:
        The last state. It equals `state`, unless that was changed or comes from another version.

    >>> from tower_sim import Tower
    >>> with Tower("amerigo", "surrogate", seed=7) as tower:
    ...     outcome = tower.throw(blue=7, red=7)
    ...     redo(tower.model, tower.state) == tower.state
    True
    """
    again, state = as_model(model).empty(), as_state(state)
    if (state.model, state.digest) != (again.model, again.digest):
        raise foreign(state, again.model, again.apparatus, again.digest)
    for event in state.log:
        again = step_again(model, again, event)
    return again


def step_again(model: DropModel, again: TowerState, event: Event) -> TowerState:
    """Repeat one event of a log in `again` and return the state after it."""
    if event.kind == "take":
        return again.take(event.thrown)
    if event.kind == "hand" and hasattr(model, "throw_by_hand"):
        return cast("HandModel", model).throw_by_hand(again, event.thrown, event.launches).state
    rng = rng_from_text(event.rng)
    if event.kind == "knock":
        return model.knock(again, event.strength, rng).state
    if event.kind == "drop":
        return model.drop(again, event.thrown, rng).state
    if event.kind == "place" and hasattr(model, "place"):
        if len(event.thrown) != 1:
            raise fault("number of cubes placed at once in its log", len(event.thrown), "1", _ADVICE)
        return cast("BoardModel", model).place(again, event.thrown[0], event.place, rng).state
    raise fault("an event in the log", event.kind, "one of this model", _ADVICE)

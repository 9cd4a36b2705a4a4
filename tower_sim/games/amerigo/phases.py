"""Amerigo: the rules for the tower, as pure functions of the tower's outcomes.

    storage ---throw_of---> tower ---after---> central ---cleared---> storage     (one phase)
                            tower --knocked--> waiting ---throw_of--> tower

`play` combines the functions above the arrows. A cube past the exit is out, in the tray or on the table next to it. A
cube in the funnel, on a floor or on the ramp is inside. The rulebook mentions only the tray (lines 220, 255).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import Annotated, Any, Literal

from pydantic import Field

from tower_sim.documents import Answer, ApparatusName, Counts, ModelName, Seed, answers
from tower_sim.drops import DropModel, as_model
from tower_sim.errors import fault
from tower_sim.games import GameTower
from tower_sim.games.amerigo.rules import SETUP, Rules, action_points, actions_allowed, as_rules, gold_for_passing
from tower_sim.games.running import has_board
from tower_sim.values import Cube, Outcome, Status, TowerState, check_seed, count_by_colour, in_order


class AmerigoDrop(Answer):
    """One drop of a game of Amerigo; the counts list every colour."""

    index: Annotated[int, Field(ge=0, description="Its number; 0 is the set-up.")]
    round: int
    phase: Annotated[str, Field(description="The colour whose phase it is, or setup.")]
    status: answers.Status
    attempts: int
    skipped: Annotated[bool, Field(description="Whether there was no cube to throw, or none came out.")]
    thrown: Counts
    emerged: Counts
    inside: Counts
    waiting: Annotated[dict[str, int], Field(description="The cubes that a knock released.")]
    actions: list[str]
    action_points: int
    gold: int


class AmerigoGame(Answer):
    """One game of Amerigo, drop by drop."""

    schema: Literal["tower-sim/amerigo-game"]
    version: Literal[2]
    game: Literal["amerigo"]
    seed: Seed
    model: ModelName
    apparatus: ApparatusName
    rules: Annotated[str, Field(description="The name of the rules.")]
    knocks: Annotated[dict[str, float], Field(description="The strength (g) of the knock after a drop, by its number.")]
    drops: Annotated[list[AmerigoDrop], Field(description="The drops in order.")]


@dataclass(frozen=True, slots=True)
class GameState:
    """The place of every cube: in `storage`, in the `tower`, in the `central` area, or `waiting` in the tray.

    `index` is the number of the current drop; drop 0, the set-up, throws all cubes.
    """

    rules: Rules
    storage: tuple[Cube, ...]
    tower: TowerState
    central: tuple[Cube, ...] = ()
    waiting: tuple[Cube, ...] = ()
    index: int = 0

    @property
    def round(self) -> int:
        """The round, from 1; 0 for the set-up."""
        return -(-self.index // len(self.rules.phases))

    @property
    def phase(self) -> str:
        return self.rules.phases[(self.index - 1) % len(self.rules.phases)] if self.index else SETUP

    @property
    def over(self) -> bool:
        return self.index >= self.rules.drops


def start(model: DropModel, rules: Rules) -> GameState:
    """Return the game before its set-up: an empty tower, and every cube in storage.

    Raises UsageError for a model of a ship with a board, which keeps no cubes inside.
    """
    if has_board(as_model(model)):
        allowed = "a tower that keeps cubes, such as amerigo"
        raise fault("apparatus", model.apparatus, allowed, "it is a ship with a board, for battles; take a tower")
    as_rules(rules)
    return GameState(rules, rules.supply(model.cube_edge), model.empty())


def throw_of(state: GameState) -> tuple[Cube, ...]:
    """Return the cubes that the current drop throws, by number; none if it is done or if the storage space is empty.

    Cubes that wait in the tray are never thrown alone. Raises UsageError if the game is over. Source: Amerigo rulebook,
    preparation 4 and course of the game.
    """
    if state.over:
        raise fault("drop", state.index, f"0 to {state.rules.drops - 1}, then the game is over", "start a new game")
    stored = tuple(cube for cube in state.storage if state.phase in (SETUP, cube.colour))
    return tuple(in_order((*stored, *state.waiting))) if stored else ()


def after(state: GameState, outcome: Outcome) -> GameState:
    """Return the game after the current drop: the cubes that came out lie in the central area.

    Raises UsageError if the outcome does not belong to this drop.
    """
    thrown = throw_of(state)
    _check_outcome(state, outcome, thrown)
    storage = tuple(cube for cube in state.storage if cube not in thrown)
    return replace(state, storage=storage, tower=outcome.state, central=outcome.emerged, waiting=())


def knocked(state: GameState, outcome: Outcome) -> GameState:
    """Return the game after a knock on the table: the cubes that it released wait in the tray."""
    _check_outcome(state, outcome, ())
    return replace(state, tower=outcome.state, waiting=(*state.waiting, *outcome.emerged))


def cleared(state: GameState) -> GameState:
    """Return the game at its next drop: the cubes of the central area are back in their storage spaces.

    Raises UsageError if the current drop is not done.
    """
    if left := len(throw_of(state)):
        raise fault(f"cubes to throw in drop {state.index}", left, "0", "throw them, pass the outcome to after")
    return replace(state, storage=tuple(in_order((*state.storage, *state.central))), central=(), index=state.index + 1)


@dataclass(frozen=True, slots=True)
class DropEntry:
    """One drop of a game and the options that it gives. Counts list every colour of the game, in order.

    `round` and `phase` are 0 and `setup` for the set-up. Without a cube to throw, `status` is `settled` and `attempts`
    0. `skipped`: no cube was thrown or came out. `thrown` includes the cubes that had waited in the tray. `inside`,
    `waiting` and `state` are after the knock. `actions`, `action_points` and `gold` are without any token, and empty or
    0 for the set-up.
    """

    index: int
    round: int
    phase: str
    status: Status
    attempts: int
    skipped: bool
    thrown: Mapping[str, int]
    emerged: Mapping[str, int]
    inside: Mapping[str, int]
    waiting: Mapping[str, int]
    actions: tuple[str, ...]
    action_points: int
    gold: int
    failures: tuple[Status, ...]
    knock_failures: tuple[Status, ...]
    state: GameState

    def to_json(self) -> AmerigoDrop:
        beside = ("failures", "knock_failures", "state")
        plain: Any = {item.name: getattr(self, item.name) for item in fields(self) if item.name not in beside}
        return plain | {"status": str(self.status), "actions": list(self.actions)}


def play(model: DropModel, rules: Rules, seed: int) -> Iterator[DropEntry]:
    """Play the tower's part of a game. Raises TooManyFailedDraws after five failed attempts at a drop.

    Args:
        model: The tower.
        rules: The rules. Entry i describes the game after the knock `rules.knocks[i]`.
        seed: A whole number from 0. Drop i draws with the spawn key (i, DROP_STREAM), the knock after it with
            (i, KNOCK_STREAM).

    Yields:
        An entry for each drop: the set-up, then the phases of every round.

    >>> from tower_sim import open_model
    >>> with open_model("amerigo", "surrogate") as model:
    ...     for entry in play(model, Rules(rounds=1), seed=1):
    ...         if entry.index < 3:
    ...             print(entry.phase, entry.emerged["blue"], entry.action_points, entry.gold)
    setup 7 0 0
    blue 5 5 3
    black 1 6 5
    """
    start(model, rules)  # raises its errors here, before the first entry
    tower = GameTower(model, rules.counts, check_seed(seed))

    def entries() -> Iterator[DropEntry]:
        for entry in play_drops(tower, rules):
            yield entry
            tower.begin(entry.index + 1)

    return entries()


def play_drops(tower: GameTower, rules: Rules) -> Iterator[DropEntry]:
    """Yield the entries of a game; the caller begins a new turn of `tower` after each."""
    state = start(tower.model, rules)
    while not state.over:
        entry = drop(tower, state)
        yield entry
        state = cleared(entry.state)


def drop(tower: GameTower, state: GameState) -> DropEntry:
    """Return the entry of the current drop and the knock after it."""
    thrown = throw_of(state)
    outcome = knock = None
    if thrown:
        outcome = tower.throw_cubes(thrown)
        state = after(state, outcome)
    if state.index in state.rules.knocks:
        knock = tower.knock(state.rules.knocks[state.index])
        state = knocked(state, knock)
    rules = state.rules
    emerged = count_by_colour(state.central, rules.colours)
    is_phase = state.phase != SETUP
    return DropEntry(
        index=state.index,
        round=state.round,
        phase=state.phase,
        status=outcome.status if outcome else Status.SETTLED,
        attempts=outcome.attempts if outcome else 0,
        skipped=not state.central,
        thrown=count_by_colour(thrown, rules.colours),
        emerged=emerged,
        inside=count_by_colour(state.tower.cubes, rules.colours),
        waiting=count_by_colour(state.waiting, rules.colours),
        actions=actions_allowed(emerged, rules) if is_phase else (),
        action_points=action_points(emerged) if is_phase else 0,
        gold=gold_for_passing(emerged, rules.gold_divisor) if is_phase else 0,
        failures=outcome.failures if outcome else (),
        knock_failures=knock.failures if knock else (),
        state=state,
    )


def game_json(entries: Iterable[DropEntry], *, seed: int, model: str, apparatus: str, rules: Rules) -> AmerigoGame:
    """Return the document of `play amerigo --json`."""
    return {
        "schema": "tower-sim/amerigo-game",
        "version": 2,
        "seed": str(seed),
        "model": model,
        "apparatus": apparatus,
        "game": "amerigo",
        "rules": rules.name,
        "knocks": {str(drop): strength for drop, strength in rules.knocks.items()},
        "drops": [entry.to_json() for entry in entries],
    }


def _check_outcome(state: GameState, outcome: Outcome, thrown: tuple[Cube, ...]) -> None:
    if not outcome.status.is_landing:
        raise fault("status of the outcome", str(outcome.status), "a landing", "draw again with until_landed")
    before, now = (*thrown, *state.tower.cubes), (*outcome.emerged, *outcome.state.cubes)
    if in_order(outcome.thrown) != in_order(thrown) or in_order(before) != in_order(now):
        allowed = f"{[cube.id for cube in thrown]} and every cube inside once"
        raise fault("throw of the outcome", [cube.id for cube in outcome.thrown], allowed, "drop throw_of(state)")

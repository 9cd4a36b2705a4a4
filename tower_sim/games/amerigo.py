"""Amerigo: the rules that the tower decides, as pure functions of outcomes.

    storage ---throw_of---> tower ---after---> central ---cleared---> storage     (one phase)
                            tower --knocked--> waiting ---throw_of--> tower

The functions named above the arrows are the whole sequence of play; `play` composes them.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from importlib import resources
from pathlib import Path
from types import MappingProxyType
from typing import Any, cast

import numpy as np

from tower_sim.cubes import Cube, count_by_colour, supply
from tower_sim.errors import UsageError, check_whole, fault
from tower_sim.model import DropModel, until_landed
from tower_sim.outcome import Outcome, Status
from tower_sim.state import TowerState

RULES_VERSION = 1
SCHEMA = "tower-sim/amerigo-game"
VERSION = 1
SHIPPED = ("amerigo",)
SETUP = "setup"

# Second word of a spawn key: drop i draws from SeedSequence(seed, spawn_key=(i, DROP_STREAM)), the knock after it
# from (i, KNOCK_STREAM), so that a knock shifts no random number of any drop.
DROP_STREAM = 0
KNOCK_STREAM = 1


@dataclass(frozen=True, slots=True)
class Rules:
    """The part of the game that house rules change; the default is the published game.

    `cubes` is a number for every colour or a table with all of them; an empty `phases` means the order of
    `colours`; an empty `substitute` means that no colour stands in for another.
    Raises UsageError for a value that no game can have.
    Source: Amerigo rulebook, components and course of the game.
    """

    name: str = "amerigo"
    colours: Sequence[str] = ("blue", "black", "red", "brown", "green", "yellow", "white")
    phases: Sequence[str] = ()
    cubes: int | Mapping[str, int] = field(default=7, hash=False)
    rounds: int = 5
    gold_divisor: int = 3
    gold_divisor_with_token: int = 2
    substitute: str = "white"

    def __post_init__(self) -> None:
        colours = _words("colours", self.colours)
        if not colours or len(set(colours)) < len(colours) or not {"", SETUP}.isdisjoint(colours):
            raise fault("colours", [*colours], f"one or more different words, none of them empty or {SETUP!r}")
        phases = _words("phases", self.phases) or colours
        _check_colours("phases", phases, colours)
        if self.substitute != "":
            _check_colours("substitute", [self.substitute], colours, 'write substitute = "" for none')
        _words("name", [self.name])
        for key, least in (("rounds", 0), ("gold_divisor", 1), ("gold_divisor_with_token", 1)):
            check_whole(key, getattr(self, key), least)
        # One form for each meaning, so that rules that play alike compare equal.
        object.__setattr__(self, "colours", colours)
        object.__setattr__(self, "phases", phases)
        object.__setattr__(self, "cubes", _cubes(self.cubes, colours))

    @staticmethod
    def load(path_or_name: str | Path) -> Rules:
        """Read rules from a TOML file, or those shipped under a name (`amerigo`).

        Raises UsageError, in one line that names the file, when it cannot be read or holds what is not allowed.
        """
        shipped = str(path_or_name) in SHIPPED
        file = resources.files("tower_sim.games") / f"{path_or_name}.toml" if shipped else Path(path_or_name)
        try:
            return Rules.from_toml(file.read_text("utf-8"))
        except UsageError as error:
            raise UsageError(f"rules file {str(path_or_name)!r}: {error}") from error
        except (OSError, ValueError) as error:
            allowed = f"a TOML file in UTF-8 or one of {', '.join(SHIPPED)}"
            why = f"try a copy of the shipped amerigo.toml ({type(error).__name__})"
            raise fault("rules file", str(path_or_name), allowed, why) from error

    @staticmethod
    def from_toml(text: str) -> Rules:
        """Read rules from TOML text whose keys are the names of the fields; a key left out keeps its default.

        Raises UsageError for text that is not TOML, an unknown key or a value that is not allowed.
        """
        try:
            table = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise UsageError(f"rules are not TOML: {error}; allowed is 'key = value'; mend that line") from error
        known = [each.name for each in fields(Rules)]
        for key in table:
            if key not in known:
                raise fault("a key of the rules", key, f"one of {', '.join(known)}", "check its spelling")
        return Rules(**table)

    @property
    def counts(self) -> dict[str, int]:
        """How many cubes of each colour there are, in colour order."""
        return dict(self.cubes) if isinstance(self.cubes, Mapping) else dict.fromkeys(self.colours, self.cubes)

    @property
    def drops(self) -> int:
        """How many drops a game has: the set-up and every phase of every round."""
        return 1 + self.rounds * len(self.phases)

    def supply(self, edge: float) -> tuple[Cube, ...]:
        """Make all cubes of the game, of edge `edge` (m), numbered from 0 in colour order; the set-up throws them all.

        Source: Amerigo rulebook, components and preparation 4.
        """
        return supply(self.counts, edge)


@dataclass(frozen=True, slots=True)
class Tokens:
    """The progress tokens of one player that have to do with the cubes in the central area.

    `extra[colour]`: more action points whenever that action is chosen (published: 2 for one colour, 1 for each of two).
    `once[colour]`: more action points for each ship, one time (published: blue 5).
    `exchange`: two colours (published: red, green); when only one is there, the other's action may be chosen instead.
    `gold`: passing pays by `gold_divisor_with_token`. `victory_points`: one for each cube, one time, for an action.
    Source: Amerigo rulebook, progress tokens.
    """

    extra: Mapping[str, int] = field(default_factory=dict[str, int])
    once: Mapping[str, int] = field(default_factory=dict[str, int])
    exchange: tuple[str, ...] = ()
    gold: bool = False
    victory_points: bool = False


@dataclass(frozen=True, slots=True)
class Choice:
    """An action that a player may take: its colour, the colour of the `cubes` that allow it, its action points.

    `points` has the permanent tokens in it; `once` is what a one-shot token would add.
    """

    action: str
    cubes: str
    points: int
    once: int = 0


@dataclass(frozen=True, slots=True)
class Options:
    """What one player may do in a phase: one of `choices`, or pass for `gold`, or spend a token for `victory_points`.

    `victory_points` is 0 without that token. No choices means that the phase is skipped.
    """

    choices: tuple[Choice, ...]
    gold: int
    victory_points: int


def actions_allowed(emerged: Mapping[str, int], rules: Rules) -> tuple[str, ...]:
    """Return the colours that emerged, in colour order: each allows its action.

    Raises UsageError for a colour that the game does not have. Source: Amerigo rulebook, course of the game.
    """
    _check_colours("emerged", emerged, rules.colours)
    return tuple(colour for colour in rules.colours if emerged.get(colour, 0) > 0)


def action_points(emerged: Mapping[str, int]) -> int:
    """Return the action points of a phase: how many cubes the most numerous colour has, 0 when none emerged.

    Source: Amerigo rulebook, course of the game.
    """
    return max(emerged.values(), default=0)


def gold_for_passing(emerged: Mapping[str, int], divisor: int) -> int:
    """Return the gold for passing: one for every `divisor` cubes in the central area, rounded up.

    Source: Amerigo rulebook, gold instead of an action.
    """
    return -(-sum(emerged.values()) // divisor)


def options(
    emerged: Mapping[str, int], rules: Rules, marker: str | None = None, tokens: Tokens | None = None
) -> Options:
    """Say what a player may choose with `tokens`, whose marker stands on colour `marker` (None: not yet advanced).

    Each action is listed once, in colour order. A token adds to the action that is carried out, also when other
    cubes stand in for it: the rulebook does not say, so that is an assumption.
    Raises UsageError for a colour that the game does not have.
    Source: Amerigo rulebook, white action, gold, progress tokens.
    """
    tokens = tokens or Tokens()
    present = actions_allowed(emerged, rules)
    _check_colours("marker", [] if marker is None else [marker], rules.colours)
    _check_colours("tokens", [*tokens.extra, *tokens.once, *tokens.exchange], rules.colours)
    cubes_for = dict(zip(present, present, strict=True))
    if marker is not None and rules.substitute in present:
        cubes_for.setdefault(marker, rules.substitute)
    there = [colour for colour in tokens.exchange if colour in present]
    for action in tokens.exchange if there else ():
        cubes_for.setdefault(action, there[0])
    points = action_points(emerged)
    choices = tuple(
        Choice(action, cubes_for[action], points + tokens.extra.get(action, 0), tokens.once.get(action, 0))
        for action in rules.colours
        if action in cubes_for
    )
    divisor = rules.gold_divisor_with_token if tokens.gold else rules.gold_divisor
    victory_points = sum(emerged.values()) if tokens.victory_points else 0
    return Options(choices, gold_for_passing(emerged, divisor), victory_points)


@dataclass(frozen=True, slots=True)
class GameState:
    """Where every cube of a game is: `storage`, the tower, the `central` area, or `waiting` in the tray.

    `index` numbers the current drop: 0 is the set-up, which throws everything that is in storage.
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
        """The colour whose storage space is thrown; `setup` for the set-up."""
        return self.rules.phases[(self.index - 1) % len(self.rules.phases)] if self.index else SETUP

    @property
    def over(self) -> bool:
        """Whether the last phase of the last round is done."""
        return self.index >= self.rules.drops


def start(model: DropModel, rules: Rules) -> GameState:
    """Return the game before its set-up: an empty tower, and every cube in storage."""
    return GameState(rules, rules.supply(model.cube_edge), model.empty())


def throw_of(state: GameState) -> tuple[Cube, ...]:
    """Return the cubes that the current drop throws, by number; none when it is done or its storage space is empty.

    Cubes that wait in the tray go with the next cubes thrown, and wait on while there are none.
    Raises UsageError when the game is over. Source: Amerigo rulebook, preparation 4 and course of the game.
    """
    if state.over:
        raise fault("drop", state.index, f"0 to {state.rules.drops - 1}, then the game is over", "start a new game")
    stored = tuple(cube for cube in state.storage if state.phase in (SETUP, cube.colour))
    return tuple(sorted((*stored, *state.waiting))) if stored else ()


def after(state: GameState, outcome: Outcome) -> GameState:
    """Return the game after the current drop: what came out lies in the central area, and the players choose.

    Raises UsageError for an outcome that is no landing, or not one of throwing `throw_of(state)` into this tower.
    Source: Amerigo rulebook, course of the game.
    """
    thrown = throw_of(state)
    _check_outcome(state, outcome, thrown)
    storage = tuple(cube for cube in state.storage if cube not in thrown)
    return replace(state, storage=storage, tower=outcome.state, central=outcome.emerged, waiting=())


def knocked(state: GameState, outcome: Outcome) -> GameState:
    """Return the game after a knock on the table: the cubes that it released wait in the tray.

    Raises UsageError for an outcome that is no landing, or not one of a knock on this tower.
    Source: Amerigo rulebook, course of the game.
    """
    _check_outcome(state, outcome, ())
    return replace(state, tower=outcome.state, waiting=(*state.waiting, *outcome.emerged))


def cleared(state: GameState) -> GameState:
    """Return the game at its next drop: the cubes of the central area are back in their storage spaces.

    Raises UsageError when the current drop has cubes that are not thrown yet.
    Source: Amerigo rulebook, course of the game.
    """
    if left := len(throw_of(state)):
        raise fault(f"cubes to throw in drop {state.index}", left, "0", "throw them, pass the outcome to after")
    return replace(state, storage=tuple(sorted((*state.storage, *state.central))), central=(), index=state.index + 1)


@dataclass(frozen=True, slots=True)
class DropEntry:
    """One drop of a game and what it allows; counts list every colour of the game, in order.

    `thrown` includes cubes that had waited in the tray; `emerged` lies in the central area; `inside` and `waiting` are
    counted after the knock that followed, if any. `skipped`: nothing to throw, or nothing came out. A drop with nothing
    to throw is `settled` after 0 `attempts`. `failures` and `knock_failures` are the statuses of draws that were no
    landing. `actions`, `action_points` and `gold` are those of a phase before any token, and nothing for the set-up.
    `state` is the game at that moment, to look closer or to play on from.
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

    def to_json(self) -> dict[str, Any]:
        """Return the entry of `play amerigo --json`, ready for `json.dumps`."""
        beside = ("failures", "knock_failures", "state")
        plain = {each.name: getattr(self, each.name) for each in fields(self) if each.name not in beside}
        return plain | {"status": str(self.status), "actions": list(self.actions)}


def play(
    model: DropModel, rules: Rules, seed: int, knocks: Mapping[int, float] = MappingProxyType({})
) -> Iterator[DropEntry]:
    """Play the tower's part of a game, one entry a drop: the set-up, then the phases of every round.

    `knocks[i]` is the strength (peak lateral acceleration in g) of a knock on the table after drop i and before the
    next; entry i comes after it. All that is random is drawn by `model` from `seed`, a whole number from 0:
    drop i from spawn key (i, DROP_STREAM), the knock after it from (i, KNOCK_STREAM).
    Raises UsageError at once for a seed or a knock's number out of range, and, from the iterator, TooManyFailedDraws.
    Source: Amerigo rulebook, preparation 4 and course of the game.
    """
    check_whole("seed", seed, 0)
    for index in knocks:
        if index not in range(rules.drops):
            raise fault("number of a knock", index, f"a drop's, from 0 to {rules.drops - 1}")
    return _play(model, rules, seed, knocks)


def _play(model: DropModel, rules: Rules, seed: int, knocks: Mapping[int, float]) -> Iterator[DropEntry]:
    def stream(index: int, word: int) -> np.random.SeedSequence:
        return np.random.SeedSequence(seed, spawn_key=(index, word))

    state = start(model, rules)
    while not state.over:
        thrown = throw_of(state)
        drop = knock = None
        if thrown:
            drop = until_landed(partial(model.drop, state.tower, thrown), stream(state.index, DROP_STREAM))
            state = after(state, drop)
        if state.index in knocks:
            blow = partial(model.knock, state.tower, knocks[state.index])
            knock = until_landed(blow, stream(state.index, KNOCK_STREAM))
            state = knocked(state, knock)
        yield _entry(state, thrown, drop, knock)
        state = cleared(state)


def _entry(state: GameState, thrown: tuple[Cube, ...], drop: Outcome | None, knock: Outcome | None) -> DropEntry:
    rules = state.rules
    emerged = count_by_colour(state.central, rules.colours)
    is_phase = state.phase != SETUP
    return DropEntry(
        index=state.index,
        round=state.round,
        phase=state.phase,
        status=drop.status if drop else Status.SETTLED,
        attempts=drop.attempts if drop else 0,
        skipped=not state.central,
        thrown=count_by_colour(thrown, rules.colours),
        emerged=emerged,
        inside=count_by_colour(state.tower.cubes, rules.colours),
        waiting=count_by_colour(state.waiting, rules.colours),
        actions=actions_allowed(emerged, rules) if is_phase else (),
        action_points=action_points(emerged) if is_phase else 0,
        gold=gold_for_passing(emerged, rules.gold_divisor) if is_phase else 0,
        failures=drop.failures if drop else (),
        knock_failures=knock.failures if knock else (),
        state=state,
    )


def game_json(entries: Iterable[DropEntry], *, seed: int, model: str, apparatus: str, rules: Rules) -> dict[str, Any]:
    """Return the document of `play amerigo --json`, ready for `json.dumps`; `model` and `apparatus` are names."""
    head = {"schema": SCHEMA, "version": VERSION, "seed": str(seed), "model": model, "apparatus": apparatus}
    return {**head, "rules": rules.name, "drops": [entry.to_json() for entry in entries]}


def _check_colours(what: str, given: Iterable[str], colours: Sequence[str], advice: str = "check its spelling") -> None:
    for colour in given:
        if colour not in colours:
            raise fault(f"a colour in {what}", colour, f"one of {', '.join(colours)}", advice)


def _check_outcome(state: GameState, outcome: Outcome, thrown: tuple[Cube, ...]) -> None:
    if not outcome.status.is_landing:
        raise fault("status of the outcome", str(outcome.status), "a landing", "draw again with until_landed")
    before, now = (*thrown, *state.tower.cubes), (*outcome.emerged, *outcome.state.cubes)
    if sorted(outcome.thrown) != sorted(thrown) or sorted(before) != sorted(now):
        allowed = f"{[cube.id for cube in thrown]} and every cube inside once"
        raise fault("throw of the outcome", [cube.id for cube in outcome.thrown], allowed, "drop throw_of(state)")


def _words(what: str, value: object) -> tuple[str, ...]:
    words = cast("Sequence[object]", value if isinstance(value, (list, tuple)) else [None])
    if not all(isinstance(word, str) for word in words):
        raise fault(what, cast("object", value), "words in quotes", 'write ["blue", "red"] for a list')
    return cast("tuple[str, ...]", tuple(words))


def _cubes(value: object, colours: tuple[str, ...]) -> int | dict[str, int]:
    if not isinstance(value, Mapping):
        check_whole("cubes", value, 1)
        return cast("int", value)
    counts = dict(cast("Mapping[str, int]", value))
    if set(counts) != set(colours):
        raise fault("cubes", counts, f"a number for each of {', '.join(colours)}", "list them all, 0 for none")
    for colour in colours:
        check_whole(f"cubes of {colour}", counts[colour], 0)
    if not any(counts.values()):
        raise fault("cubes", counts, "one cube or more in all", "give a colour some")
    first = counts[colours[0]]
    return first if set(counts.values()) == {first} else {colour: counts[colour] for colour in colours}

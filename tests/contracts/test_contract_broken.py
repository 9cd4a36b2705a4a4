"""Each check of tower_sim.testing fails, with words that name the promise, for what breaks one."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from support.fakes import CoinTower
from support.ships import DiceShip

from tower_sim.errors import UsageError
from tower_sim.games import Turn
from tower_sim.games.chain import GAME as CHAIN
from tower_sim.physics import Motion, PhysicsSettings
from tower_sim.physics.core import CoreEngine
from tower_sim.testing import check_engine, check_game, check_model
from tower_sim.tools import Column
from tower_sim.values import Cube, Landing, Outcome, Status, TowerState

COUNTER = iter(range(10**9))


class Broken:
    """A model, an engine or a game with one thing done another way: `ways` gets the right one and the arguments."""

    def __init__(self, right: Any, **ways: Any) -> None:
        self._right, self._ways = right, ways

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._right, name)
        if name not in self._ways:
            return found
        way = self._ways[name]
        return (lambda *args, **more: way(found, *args, **more)) if callable(found) else way


def outcomes(change: Callable[[Outcome, TowerState], Outcome]) -> Callable[..., Outcome]:
    return lambda right, state, *args: change(right(state, *args), state)


def drops(change: Callable[[Outcome, TowerState], Outcome], right: Any = None) -> Any:
    return Broken(right or CoinTower(), drop=outcomes(change))


def without_last(outcome: Outcome, _: TowerState) -> Outcome:
    return replace(outcome, landings=outcome.landings[:-1])


def with_event(outcome: Outcome, **values: Any) -> Outcome:
    *past, last = outcome.state.log
    return replace(outcome, state=replace(outcome.state, log=(*past, replace(last, **values))))


def with_place(outcome: Outcome, place: str) -> Outcome:
    first, *others = outcome.landings or (Landing(Cube(0, "red", 0.008), place),)
    return replace(outcome, landings=(replace(first, place=place), *others))


def by_counter(right: Any, state: TowerState, cubes: Sequence[Cube], rng: np.random.Generator) -> Outcome:
    rng.random(next(COUNTER))
    return right(state, cubes, rng)


def spoils_input(right: Any, state: TowerState, cubes: Sequence[Cube], rng: np.random.Generator) -> Outcome:
    outcome = right(state, cubes, rng)
    object.__setattr__(state, "log", ())
    return outcome


def lets_all_in(right: Any, state: TowerState, *args: Any) -> Outcome:
    """Return an outcome even for what is to be refused."""
    try:
        return right(state, *args)
    except UsageError:
        return Outcome("coin", "coin", Status.SETTLED, (), (), state)


def keeps_failed(right: Any, state: TowerState, cubes: Sequence[Cube], rng: np.random.Generator) -> Outcome:
    outcome = right(state, cubes, rng)
    return replace(outcome, status=Status.TIMED_OUT)


def ignores_rng(right: Any, state: TowerState, cubes: Sequence[Cube], rng: np.random.Generator) -> Outcome:
    return with_event(right(state, cubes, np.random.default_rng(1)), rng="")


BROKEN_MODELS: Mapping[str, tuple[Any, str]] = {
    "no name": (Broken(CoinTower(), name="another"), r"empty\(\) must be"),
    "a cube is lost": (drops(without_last), "the cubes that landings account for"),
    "hidden state": (Broken(CoinTower(), drop=by_counter), "the outcome of the same drop from a token"),
    "an rng of its own": (Broken(CoinTower(), drop=ignores_rng), "draws from rng"),
    "the input changes": (Broken(CoinTower(), drop=spoils_input), "the token of the state given to a drop"),
    "a status of its own": (
        drops(lambda x, _: replace(x, status="settled")),  # type: ignore[arg-type]
        "the type of the status",
    ),
    "another model's outcome": (drops(lambda x, _: replace(x, model="x")), "names in an outcome"),
    "thrown is empty": (drops(lambda x, _: replace(x, thrown=())), "the cubes thrown"),
    "a place of its own": (
        drops(lambda x, _: with_place(x, "under the sofa")),
        "a place after a drop that settled is legal",
    ),
    "a state after a failure": (Broken(CoinTower(), drop=keeps_failed), "the state after a failed draw"),
    "never a landing": (CoinTower(failure_rate=1.0), "at least one drop of ten lands"),
    "nobody stays": (
        drops(lambda x, _: replace(x, state=replace(x.state, residents=()))),
        "the cubes in the new state",
    ),
    "no log": (drops(lambda x, s: replace(x, state=replace(x.state, log=s.log))), "the log up to its last event"),
    "a log of knocks": (drops(lambda x, _: with_event(x, kind="knock")), "the last event of the log"),
    "no strength": (
        Broken(CoinTower(), knock=outcomes(lambda x, _: with_event(x, strength=0.0))),
        "the last event of the log",
    ),
    "numbers of numpy": (
        drops(lambda x, _: replace(x, extrapolated=np.bool_(True))),  # type: ignore[arg-type]
        "not JSON serializable",
    ),
    "mistakes pass": (Broken(CoinTower(), drop=lets_all_in), "a cube thrown twice is refused"),
    "odd knocks pass": (Broken(CoinTower(), knock=lets_all_in), "a knock of strength -1 is refused"),
    "an empty board": (
        drops(lambda x, s: replace(x, state=replace(x.state, board=s.board)), DiceShip()),
        "the cubes on the new board",
    ),
    "nothing left lying": (
        drops(lambda x, _: replace(x, lying=x.thrown), DiceShip()),
        "the cubes left lying on the board",
    ),
}


def core(**ways: Any) -> Callable[[PhysicsSettings], Any]:
    return lambda settings: Broken(CoreEngine(settings), **ways)


def shaken(right: Any, bodies: Any) -> Motion:
    """Return the right motion, but for the last digits of a heap of eight, which differ at each call."""
    motion = right(bodies)
    return replace(motion, position=motion.position + 1e-15 * next(COUNTER) * (len(motion.position) == 8))


def wrong_way(right: Any, bodies: Any) -> Motion:
    return right(sorted(bodies))


def nothing(right: Any, *args: Any) -> None:
    """Do nothing."""


BROKEN_ENGINES: Mapping[str, tuple[Any, str]] = {
    "no title": (core(title=""), "title"),
    "half of gravity": (core(set_gravity=lambda right, g: right([x / 2 for x in g])), "the speed of a falling cube"),
    "nobody is sent off": (core(set_velocity=nothing), "the speed of a falling cube"),
    "nobody lies still": (core(lay_to_rest=nothing), "the place of a cube laid to rest"),
    "cubes by number": (core(motion=wrong_way), "places in the order asked for"),
    "nobody wakes": (core(wake=nothing), "heights once a cube is woken"),
    "no boxes": (core(add_boxes=lambda right, _, *pairs: right([], *pairs)), "fell onto the floor"),
    "overlap in the air": (core(overlap=lambda _: 1.0), "the overlap of cubes in the air"),
    "a lock for one": (core(lock=SimpleNamespace()), "context manager"),
    "not the same twice": (core(motion=shaken), "give the same bytes"),
}


def turns(change: Callable[[Turn], Turn]) -> Callable[..., Iterator[Turn]]:
    def play(right: Any, *args: Any) -> Iterator[Turn]:
        run = right(*args)  # which refuses at once
        return (change(turn) for turn in run)

    return play


def late(right: Any, *args: Any) -> Iterator[Turn]:
    yield from right(*args)


def other_run(right: Any, model: Any, rules: Any, seed: int, run: int | None = None) -> Iterator[Turn]:
    return right(model, rules, seed + next(COUNTER) if seed > 0 else seed, run)


def with_a_table(right: Any, rules: Any) -> dict[str, Any]:
    return right(rules) | {"x": {}}


def chain_alone(right: Any, tables: Mapping[str, Any]) -> Any:
    return right({name: table for name, table in tables.items() if name != "x"})


def doubled(turn: Turn) -> Turn:
    residents = turn.state.residents
    return replace(turn, state=replace(turn.state, residents=(*residents, *residents)))


COLUMN = (Column("luck", "int8", False, "luck"),)
TABLES = {"chain": {"drops": 6, "supply": {"red": 20}}}
BROKEN_GAMES: Mapping[str, tuple[Any, str]] = {
    "rules that are no JSON": (Broken(CHAIN, plain=lambda right, rules: {"chain": {1}}), "not JSON serializable"),
    "rules that are forgotten": (Broken(CHAIN, plain=lambda right, rules: {}), r"rules read from their plain\(\)"),
    "tables of others": (Broken(CHAIN, plain=with_a_table, read=chain_alone), "has tables of the game alone"),
    "unknown keys pass": (Broken(CHAIN, read=lambda right, _: right(TABLES)), "a key that chain has not is refused"),
    "refused too late": (Broken(CHAIN, start=late), "before its first turn, is refused"),
    "chance of its own": (Broken(CHAIN, start=other_run), "a run played again"),
    "turns counted from 1": (Broken(CHAIN, start=turns(lambda x: replace(x, index=x.index + 1))), "the numbers of the"),
    "a cube in two places": (Broken(CHAIN, start=turns(doubled)), "each once"),
    "a fact without a column": (Broken(CHAIN, start=turns(lambda x: replace(x, facts={"x": 1}))), "without a column"),
    "a fact that is missing": (Broken(CHAIN, columns=COLUMN), "luck is int8, not None"),
    "a fact of another type": (
        Broken(CHAIN, columns=COLUMN, start=turns(lambda x: replace(x, facts={"luck": True}))),
        "luck is int8, not True",
    ),
    "failures are hidden": (Broken(CHAIN, start=turns(lambda x: replace(x, failed=None))), "the turns with failed set"),
    "two lines a turn": (Broken(CHAIN, ways=Broken(CHAIN.ways, line=lambda *_: "a\nb")), "the lines of a turn"),
    "no words": (Broken(CHAIN, summary=lambda *_: " "), "has a text"),
    "no schema": (Broken(CHAIN, ways=Broken(CHAIN.ways, document_of=lambda *_, **__: {})), "schema"),
    "a figure without a value": (Broken(CHAIN, figures=("x",)), "for each figure"),
}
CHECKS: Sequence[tuple[Mapping[str, tuple[Any, str]], Callable[[Any], None]]] = (
    (BROKEN_MODELS, check_model),
    (BROKEN_ENGINES, lambda kind: check_engine(kind, PhysicsSettings(engine="core"))),
    (BROKEN_GAMES, lambda game: check_game(game, CoinTower(), TABLES)),
)
ALL = [pytest.param(check, *case, id=name) for cases, check in CHECKS for name, case in cases.items()]


@pytest.mark.parametrize(("check", "broken", "words"), ALL)
def test_a_broken_promise_is_named(check: Callable[[Any], None], broken: Any, words: str):
    with pytest.raises((AssertionError, TypeError), match=words):
        check(broken)


def test_a_game_without_an_apparatus_needs_a_model():
    with pytest.raises(UsageError, match="model is nothing; allowed is a model"):
        check_game(CHAIN)

"""Requests: one JSON object read into what is to be done, every field checked; null counts as left out."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, cast

from tower_sim.apparatus.fields import refuse_unknown
from tower_sim.cubes import MAX_CUBES
from tower_sim.errors import check_whole, fault
from tower_sim.games.amerigo import Rules, knocks_of
from tower_sim.games.dead_reckoning.abilities import Ability
from tower_sim.games.dead_reckoning.rulings import Rulings
from tower_sim.games.dead_reckoning.sides import Kind, Setup, read_side
from tower_sim.state import MAX_SEED, TowerState
from tower_sim.variants import read_rules

# One request is answered before the next is read; longer work is a campaign's.
MAX_DROPS = 2_000
MAX_GAMES = 100_000
MAX_HANDLED = 400_000  # cubes times drops of a game: some seconds without physics
PHYSICS = "physics"
MAX_PHYSICS_CUBES = 80  # in the tower and thrown: packed full, drops of 80 took up to 2 s of CPU, of 100 up to 7 s
MAX_PHYSICS_GAMES = 1_000  # battles: about a minute
MAX_PHYSICS_HANDLED = 20_000  # cubes times drops of a game: about half a minute
MAX_WORD = 40
MAX_COLOURS = 100

FIELDS = {
    "hello": (),
    "drop": ("apparatus", "cubes", "state", "knock", "seed", "model"),
    "game": ("apparatus", "rules", "rounds", "knocks", "seed", "model"),
    "battle": (
        "apparatus",
        "cubes",
        "kind",
        "active",
        "sides",
        "provoked",
        "abilities",
        "rulings",
        "games",
        "seed",
        "model",
    ),
}
_DEFAULT_APPARATUS = {"drop": "amerigo", "game": "amerigo", "battle": "dead_reckoning"}


@dataclass(frozen=True, slots=True)
class Hello:
    """Asks what the service has."""


@dataclass(frozen=True, slots=True)
class DropRequest:
    """Asks for a throw of `cubes` (counts by colour), after a knock of strength `knock` (g) if there is one.

    `state` is that before it (None: empty). `apparatus` and `model` are names or paths, `seed` is from 0 to 2^128 - 1.
    """

    apparatus: str
    model: str
    seed: int
    cubes: dict[str, int]
    state: TowerState | None
    knock: float | None


@dataclass(frozen=True, slots=True)
class GameRequest:
    """Asks for a game of Amerigo by `rules`, with `knocks` (g) after drops."""

    apparatus: str
    model: str
    seed: int
    rules: Rules
    knocks: dict[int, float]


@dataclass(frozen=True, slots=True)
class BattleRequest:
    """Asks for a battle of `setup` or, when `games` is not None, for the odds of so many."""

    apparatus: str
    model: str
    seed: int
    setup: Setup
    games: int | None


Request = Hello | DropRequest | GameRequest | BattleRequest


def read_request(given: Mapping[str, Any]) -> Request:
    """Read a request; a seed that is left out is drawn.

    Raises UsageError, in one line, for a field that is unknown, missing, of another type or out of bounds.
    """
    do = given.get("do")
    if not isinstance(do, str) or do not in FIELDS:
        raise fault("do", do, f"one of {', '.join(FIELDS)}", 'write {"do": "drop", "cubes": {"blue": 4}}')
    refuse_unknown(given, dict.fromkeys(["id", "do", *FIELDS[do]]), do)
    request = {key: value for key, value in given.items() if value is not None}
    if do == "hello":
        return Hello()
    apparatus = _text(request, "apparatus", _DEFAULT_APPARATUS[do])
    model = _text(request, "model", "physics")
    seed = _seed(request)
    if do == "drop":
        cubes, knock = _cubes(request), _knock(request)
        if not cubes and knock is None:
            raise fault("cubes", cubes, "a count by colour, unless there is a knock", 'write "cubes": {"blue": 4}')
        state = TowerState.from_token(_text(request, "state", "")) if "state" in request else None
        there = len(state.residents) + len(state.board.lying) if state else 0
        _check_physics(model, "number of cubes, with those in the state", sum(cubes.values()) + there)
        return DropRequest(apparatus, model, seed, cubes, state, knock)
    if do == "game":
        rules, tower = _rules(request)
        knocks = knocks_of(request.get("knocks", {}), rules)
        number = sum(rules.counts.values())
        _check_physics(model, "number of cubes", number)
        most = MAX_PHYSICS_HANDLED if model == PHYSICS else MAX_HANDLED
        _check_most("number of cubes times drops", number * rules.drops, most)
        return GameRequest(_text(request, "apparatus", tower), model, seed, rules, knocks)
    games = request.get("games")
    if games is not None:
        check_whole("games", games, 1)
        _check_most("games", games, MAX_PHYSICS_GAMES if model == PHYSICS else MAX_GAMES)
    setup = _setup(request)
    _check_physics(model, "number of cubes", sum(side.cubes for side in setup.sides))
    return BattleRequest(apparatus, model, seed, setup, games)


def _text(request: Mapping[str, Any], key: str, default: str) -> str:
    value = request.get(key, default)
    if not isinstance(value, str):
        raise fault(key, value, "a text in quotes")
    return value


def _table(request: Mapping[str, Any], key: str, example: str) -> dict[str, Any]:
    value = request.get(key, {})
    if not isinstance(value, dict):
        raise fault(key, value, "an object", f'write "{key}": {example}')
    return cast("dict[str, Any]", value)


def _check_most(what: str, value: int, most: int) -> None:
    if value > most:
        raise fault(what, value, f"up to {most} in one request", "ask for less, or run a campaign")


def _check_physics(model: str, what: str, cubes: int) -> None:
    """Refuse more cubes than physics can handle while the caller waits; the other models are fast."""
    if model == PHYSICS:
        _check_most(what, cubes, MAX_PHYSICS_CUBES)


def _check_words(what: str, words: list[str]) -> None:
    _check_most(f"number of {what}", len(words), MAX_COLOURS)
    for word in words:
        if not 0 < len(word) <= MAX_WORD:
            raise fault(f"a word in {what}", word, f"1 to {MAX_WORD} characters", "shorten it")


def _seed(request: Mapping[str, Any]) -> int:
    """Read the seed; the text of a number may have no more digits than 2^128 has, bar zeros in front."""
    value = request.get("seed", secrets.randbits(128))
    seed = int(value) if isinstance(value, str) and value.isdecimal() and len(value) < 100 else value
    if not isinstance(seed, int) or isinstance(seed, bool) or not 0 <= seed <= MAX_SEED:
        raise fault("seed", value, "a whole number from 0 to 2^128 - 1, or its text", 'write "seed": "7"')
    return seed


def _knock(request: Mapping[str, Any]) -> float | None:
    value = request.get("knock")
    if value is None:
        return None
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        raise fault("knock", value, "a number (peak acceleration in g)", 'write "knock": 1')
    return float(value)


def _cubes(request: Mapping[str, Any]) -> dict[str, int]:
    counts = _table(request, "cubes", '{"blue": 4, "red": 2}')
    _check_words("cubes", list(counts))
    for colour, count in counts.items():
        check_whole(f"cubes of {colour}", count, 0)
    _check_most("number of cubes", sum(counts.values()), MAX_CUBES)
    return counts


def _rules(request: Mapping[str, Any]) -> tuple[Rules, str]:
    """Read `rules`, a table or what `--rules` takes, and `rounds`; return them with the apparatus that they name."""
    given = request.get("rules", "amerigo")
    if isinstance(given, dict):
        table = cast("dict[str, Any]", given)
        refuse_unknown(table, dict.fromkeys([*(each.name for each in fields(Rules)), "apparatus"]), "rules")
        tower = _text(table, "apparatus", _DEFAULT_APPARATUS["game"])
        rules = Rules.from_table({key: table[key] for key in table if key != "apparatus"})
    elif isinstance(given, str):
        rules, tower = read_rules(given)
    else:
        raise fault("rules", given, "a name, the path of a rules file or an object with its keys")
    if "rounds" in request:
        rules = replace(rules, rounds=request["rounds"])
    _check_words("colours", list(rules.colours))
    _check_most("number of cubes", sum(rules.counts.values()), MAX_CUBES)
    _check_most("number of drops", rules.drops, MAX_DROPS)
    return rules, tower


def _setup(request: Mapping[str, Any]) -> Setup:
    cubes = _cubes(request)
    abilities = _table(request, "abilities", '{"green": ["throw:2"]}')
    refuse_unknown(abilities, cubes, "abilities")
    said = _table(request, "sides", '{"green": {"supply": 20, "damage": 1, "pirate": true}}')
    refuse_unknown(said, cubes, "sides")
    sides = tuple(
        read_side(colour, count, said.get(colour), _abilities(abilities.get(colour, []), colour))
        for colour, count in cubes.items()
    )
    rulings = Rulings.from_mapping(_table(request, "rulings", '{"left_board": "lost"}'))
    kind = cast("Kind", _text(request, "kind", "ship"))  # Setup refuses any other
    return Setup(kind, sides, _text(request, "active", ""), rulings, request.get("provoked", False))


def _abilities(given: object, colour: str) -> tuple[Ability, ...]:
    words = cast("list[object]", given) if isinstance(given, list) else [None]
    if not all(isinstance(word, str) and len(word) <= MAX_WORD for word in words):
        allowed = f"a list of texts of up to {MAX_WORD} characters"
        raise fault(f"abilities.{colour}", cast("object", given), allowed, 'write ["throw:2"]')
    return tuple(Ability.parse(str(word)) for word in words)

"""Requests: one JSON object read into what is asked for; null counts as left out, long work is refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, cast

from tower_sim import registry
from tower_sim.apparatus.catalogue import names
from tower_sim.errors import check_whole, fault, near, unknown
from tower_sim.fields import refuse_unknown
from tower_sim.games.game import Game
from tower_sim.games.ways import Asked, check_words
from tower_sim.models import MODELS
from tower_sim.requests import (
    PHYSICS,
    DropRequest,
    OddsRequest,
    PlayRequest,
    Request,
    drawn_seed,
    first_game,
    games,
    read_rules,
    rules_of,
)
from tower_sim.state import MAX_SEED, TowerState

# One request is answered before the next is read; longer work is a campaign's.
MAX_DROPS = 2_000
MAX_GAMES = 100_000
MAX_STATE = 1_000_000  # bytes that a state's token unpacks to: a past of 2,000 drops of 12 cubes
MAX_HANDLED = 400_000  # cubes times drops of a game: some seconds without physics
MAX_PHYSICS_CUBES = 80  # in the tower and thrown: packed full, drops of 80 took up to 2 s of CPU, of 100 up to 7 s
MAX_PHYSICS_GAMES = 1_000  # battles: about a minute
MAX_PHYSICS_HANDLED = 20_000  # cubes times drops of a game: about half a minute

_PLAY = ("game", "rules")
_COMMON = ("seed", "model", "engine", "accuracy")


@dataclass(frozen=True, slots=True)
class Hello:
    """Asks what the service has."""


def fields() -> dict[str, tuple[str, ...]]:
    """Return the fields of every request, beside `id` and `do`: those of our own, then those that games bring along."""
    own = {"hello": (), "drop": ("apparatus", "cubes", "state", "knock", *_COMMON)}
    of_games = {
        game.ways.request: ("apparatus", *game.ways.fields, *(() if game.ways.odds() is None else ("games",)), *_COMMON)
        for game in games()
        if game.ways.request
    }
    return own | of_games | {"play": ("apparatus", *_PLAY, "games", *_COMMON)}


def read_request(given: Mapping[str, Any]) -> Request | Hello:
    """Read a request; a seed that is left out is drawn.

    Raises UsageError, in one line, for a field that is unknown, missing, of another type or out of bounds.
    """
    known = fields()
    do = given.get("do")
    if not isinstance(do, str) or do not in known:
        meant = near(do, known) if isinstance(do, str) else ""
        advice = f'write {{"do": "drop", "cubes": {{"blue": 4}}}}{meant}'
        raise fault("do", do, f"one of {', '.join(known)}", advice)
    refuse_unknown(given, dict.fromkeys(["id", "do", *known[do]]), do)
    request = {key: value for key, value in given.items() if value is not None}
    if do == "hello":
        return Hello()
    if do == "drop":
        return read_drop(request)
    if do == "play":
        return _play(request, registry.get("game", request.get("game")), is_own=False)
    return _play(request, next(game for game in games() if game.ways.request == do), is_own=True)


@cache
def _installed() -> dict[str, tuple[str, ...]]:
    return {"apparatus": tuple(names()), "model": MODELS, "game": registry.names("game")}


def refuse_files(asked: Mapping[str, Any], advice: Callable[[str, object], str], where: str = "") -> None:
    """Raise UsageError for an apparatus, a model, a game or rules that are none of those installed, such as a file.

    Keys of rules count `where` it says. `advice` says what to do instead, by the field and its value.
    """
    installed = _installed()
    for key, allowed in installed.items():
        value = asked.get(key)
        if value is not None and not (isinstance(value, str) and value in allowed):
            raise unknown(f"{where}{key}", value, allowed, advice(key, value))
    rules: object = None if where else asked.get("rules")
    allowed = (*installed["game"], *installed["apparatus"])
    if isinstance(rules, Mapping):
        refuse_files(cast("Mapping[str, Any]", rules), advice, "rules.")
    elif isinstance(rules, str) and rules not in allowed:
        raise unknown("rules", rules, allowed, advice("rules", rules))


def read_drop(request: Mapping[str, Any]) -> DropRequest:
    """Read the fields of a drop, none of them null or unknown. Raises as `read_request` does."""
    apparatus = _text(request, "apparatus", first_game().apparatus)
    model, seed = _text(request, "model", PHYSICS), _seed(request)
    cubes = _cubes(request)
    state = TowerState.from_token(_text(request, "state", ""), MAX_STATE) if "state" in request else None
    asked = DropRequest(apparatus, model, seed, cubes, state, _knock(request), *_physics(request))
    there = len(state.residents) + len(state.board.lying) if state else 0
    _check_physics(model, "number of cubes, with those in the state", sum(cubes.values()) + there)
    return asked


def _play(request: Mapping[str, Any], game: Game, *, is_own: bool) -> PlayRequest | OddsRequest:
    """Read a request of the game's own, or one to play it."""
    model, seed = _text(request, "model", PHYSICS), _seed(request)
    asked = _rules(request, game) if "rules" in request else None
    own = {key: request[key] for key in game.ways.fields if key in request}
    asked = game.ways.of_fields(own, asked) if is_own else asked or Asked(game.read({}))
    cubes, turns = game.most_cubes(asked.rules), game.most_turns(asked.rules)
    _check_most("number of drops", turns, MAX_DROPS)
    _check_physics(model, "number of cubes", cubes)
    most = MAX_PHYSICS_HANDLED if model == PHYSICS else MAX_HANDLED
    _check_most("number of cubes times drops", cubes * turns, most)
    apparatus = _text(request, "apparatus", asked.apparatus or game.apparatus)
    one = PlayRequest(game, asked.rules, apparatus, model, seed, *_physics(request))
    many = request.get("games")
    if many is None:
        return one
    check_whole("games", many, 1)
    _check_most("games", many, MAX_PHYSICS_GAMES if model == PHYSICS else MAX_GAMES)
    return OddsRequest(one, many)


def _rules(request: Mapping[str, Any], game: Game) -> Asked:
    """Read `rules`, a table or what `--rules` takes."""
    given = request["rules"]
    if isinstance(given, dict):
        return rules_of(game, cast("dict[str, Any]", given))
    if not isinstance(given, str):
        raise fault("rules", given, "a name, the path of a rules file or an object with its keys")
    return read_rules(game, given)


def _text(request: Mapping[str, Any], key: str, default: str) -> str:
    value = request.get(key, default)
    if not isinstance(value, str):
        raise fault(key, value, "a text in quotes")
    return value


def _physics(request: Mapping[str, Any]) -> tuple[str | None, str | None]:
    """Read the engine and the accuracy; None where one is left out."""
    engine, accuracy = (_text(request, key, "") if key in request else None for key in ("engine", "accuracy"))
    return engine, accuracy


def _check_most(what: str, value: int, most: int) -> None:
    if value > most:
        raise fault(what, value, f"up to {most} in one request", "ask for less, or run a campaign", "field.too_large")


def _check_physics(model: str, what: str, cubes: int) -> None:
    """Refuse more cubes than physics can handle while the caller waits; the other models are fast."""
    if model == PHYSICS:
        _check_most(what, cubes, MAX_PHYSICS_CUBES)


def _seed(request: Mapping[str, Any]) -> int:
    """Read the seed; the text of a number may have no more digits than 2^128 has, bar zeros in front."""
    value = request.get("seed")
    if value is None:
        return drawn_seed()
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
    value = request.get("cubes", {})
    if not isinstance(value, dict):
        raise fault("cubes", value, "an object", 'write "cubes": {"blue": 4, "red": 2}')
    counts = cast("dict[str, int]", value)
    check_words("cubes", list(counts))
    return counts

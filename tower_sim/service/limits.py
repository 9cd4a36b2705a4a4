"""Limits of one request, so that it is answered soon; longer work is a campaign."""

from __future__ import annotations

from tower_sim.errors import fault
from tower_sim.games.ways import MAX_RUNS, check_words
from tower_sim.models import PHYSICS
from tower_sim.requests import AnyRequest, Odds, Play
from tower_sim.service.codes import TOO_LARGE

MAX_DROPS = 2_000  # of a game
MAX_HANDLED = 400_000  # cubes times drops of a game: some seconds without physics
MAX_PHYSICS_CUBES = 80  # in the tower and thrown: packed full, drops of 80 took up to 2 s of CPU, of 100 up to 7 s
MAX_PHYSICS_GAMES = 1_000  # for battles, about a minute
MAX_PHYSICS_HANDLED = 20_000  # cubes times drops of a game: about half a minute


def check(request: AnyRequest) -> None:
    """Check a request and its limits."""
    request.check()
    is_physics = request.model == PHYSICS
    most = MAX_PHYSICS_HANDLED if is_physics else MAX_HANDLED
    if isinstance(request, Play):
        game, rules = request.played, request.house.rules
        check_words("colours", list(game.cubes(rules)))
        turns, cubes = game.turns(rules), game.most_cubes(rules)
        _check_most("rules", "number of drops", turns, MAX_DROPS)
        _check_most("rules", "number of cubes", cubes, MAX_PHYSICS_CUBES if is_physics else cubes)
        _check_most("rules", "number of cubes times drops", cubes * turns, most)
        _check_most("games", "games", request.games or 1, MAX_PHYSICS_GAMES if is_physics else MAX_RUNS)
        return
    before = request.before
    inside = len(before.residents) + len(before.board.lying) if before else 0
    thrown = [sum(cubes.values()) for cubes, _ in request.choices]
    if is_physics:
        what = "number of cubes, with those in the state"
        _check_most("cubes", what, inside + max(thrown), MAX_PHYSICS_CUBES)
    if isinstance(request, Odds):
        _check_most("times", "number of cubes times throws", request.times * sum(thrown), most)


def _check_most(path: str, what: str, value: int, most: int) -> None:
    if value > most:
        error = fault(what, value, f"up to {most} in one request", "ask for less, or run a campaign", TOO_LARGE)
        error.what = path
        raise error

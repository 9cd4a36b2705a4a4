"""Limits of one request, so that it is answered soon, and the settings of `--limits`."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from pydantic import Field

from tower_sim.documents import Document, read
from tower_sim.errors import fault, quote
from tower_sim.games import MAX_RUNS, check_words
from tower_sim.models import PHYSICS
from tower_sim.requests import APPARATUS, GAME, AnyRequest, Odds, Play
from tower_sim.service.codes import TOO_LARGE
from tower_sim.tools import read_text, toml_table, toml_text

MAX_DROPS = 2_000  # of a game
MAX_HANDLED = 400_000  # cubes times drops of a game: some seconds without physics
MAX_PHYSICS_CUBES = 80  # in the tower and thrown: packed full, drops of 80 took up to 2 s of CPU, of 100 up to 7 s
MAX_PHYSICS_HANDLED = 20_000  # cubes times drops of a game: about half a minute
MAX_GAMES, MAX_PHYSICS_GAMES = MAX_RUNS, 1_000  # in JSON lines
MAX_SHARED_GAMES, MAX_SHARED_PHYSICS_GAMES = 1_000, 50  # over HTTP, where others wait: up to half a minute


class Limits(Document, frozen=True):
    """What the service over HTTP bounds, as in the file of `--limits`."""

    max_body: int = Field(default=2**20, ge=1_000, le=2**22, description="Bytes of a request.")
    workers: int = Field(default=0, ge=0, le=512, description="Requests that are computed at once; 0: one a core.")
    queue: int = Field(default=200, ge=1, le=100_000, description="Requests that wait for their turn.")

    @property
    def threads(self) -> int:
        """How many threads compute."""
        return self.workers or os.cpu_count() or 1


def read_limits(file: str | Path) -> Limits:
    """Return the limits in a TOML file."""
    text = read_text(file, "limits file", advice="give a TOML file of lines such as queue = 200")
    return read(Limits, toml_table(text, f"limits file {quote(str(file))}"), "limits")


def check(request: AnyRequest, *, shared: bool = False) -> None:
    """Check a request and its limits; `shared` are those of HTTP. An error gives the command that has no limits."""
    request.check()
    is_physics = request.model == PHYSICS
    most = MAX_PHYSICS_HANDLED if is_physics else MAX_HANDLED

    def check_most(path: str, what: str, value: int, limit: int) -> None:
        if value > limit:
            error = fault(
                what, value, f"up to {limit} in one request", f"ask for less, or {_advice(request)}", TOO_LARGE
            )
            error.what = path
            raise error

    if isinstance(request, Play):
        game, rules = request.played, request.house.rules
        check_words("colours", list(game.cubes(rules)))
        turns, cubes = game.turns(rules), game.most_cubes(rules)
        many = MAX_SHARED_GAMES if shared else MAX_GAMES
        if is_physics:
            many = MAX_SHARED_PHYSICS_GAMES if shared else MAX_PHYSICS_GAMES
            check_most("rules", "number of cubes", cubes, MAX_PHYSICS_CUBES)
        check_most("rules", "number of drops", turns, MAX_DROPS)
        check_most("rules", "number of cubes times drops", cubes * turns, most)
        check_most("games", "games", request.games or 1, many)
        return
    before = request.before
    inside = len(before.residents) + len(before.board.lying) if before else 0
    thrown = [sum(cubes.values()) for cubes, _ in request.choices]
    if is_physics:
        check_most("cubes", "number of cubes, with those in the state", inside + max(thrown), MAX_PHYSICS_CUBES)
    if isinstance(request, Odds):
        check_most("times", "number of cubes times throws", request.times * sum(thrown), most)


def command(request: AnyRequest) -> str:
    """Return the command that answers a request. It reads a state from the file state.txt."""
    if isinstance(request, Play):
        words = ["play", request.game]
        for key, value in request.rules.items():
            table = cast("Mapping[str, Any]", value if key in request.played.tables else {})
            pairs = {f"{key}.{rule}": table[rule] for rule in table} or {key: value}
            for rule, changed in pairs.items():
                words += ["--set", f"{rule}={toml_text(changed)}"] if key not in (GAME, APPARATUS) else []
        words += ["--games", str(request.games)] if request.games else []
        words += ["--tower", request.tower] if request.tower != request.played.apparatus else []
    else:
        words = ["throw", request.tower]
        for cubes, knock in request.choices:
            words += ["--cubes", ",".join(f"{colour}={number}" for colour, number in cubes.items())] if cubes else []
            words += ["--knock", f"{knock:g}"] if knock is not None else []
        words += ["--times", str(request.times)] if isinstance(request, Odds) else []
        words += ["--state", "@state.txt"] if request.state else []
    chosen = {"model": request.model, "engine": request.engine, "accuracy": request.accuracy, "seed": request.seed}
    words += [word for name, value in chosen.items() if value is not None for word in (f"--{name}", str(value))]
    return shlex.join(["tower-sim", *words])


def _advice(request: AnyRequest) -> str:
    text = command(request)
    return f"run: {text}" if len(text) <= 300 else f"use the command {' '.join(text.split()[:2])}"

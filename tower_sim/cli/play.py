"""Run `tower-sim play` and `page replay`: one run of a game, or the means of many."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any, cast

from tower_sim.apparatus import Apparatus, load
from tower_sim.cli.common import Physics, check_replay, read_seed
from tower_sim.drops import DropModel
from tower_sim.errors import check_whole
from tower_sim.games import FEWEST_DRAWN, MAX_RUNS, Asked, Game, Turn, change, describe_rules
from tower_sim.models import open_model
from tower_sim.requests import Play, check, fill, no_odds, play_document, read_rules, turns
from tower_sim.tools import registry, report_progress, say


def list_rules(name: str) -> None:
    """Print the rules of a game."""
    game: Game = registry.get("game", name)
    print(f"{game.title}: {game.about}. Rules, which --set KEY=VALUE changes:")
    for key, usual, allowed, about in describe_rules(game.Rules):
        default = usual if isinstance(usual, str) else json.dumps(usual)
        text = f"{about} ({allowed}; default: {default})"
        print("\n".join(textwrap.wrap(text, 100, initial_indent=f"  {key}: ", subsequent_indent="      ")))


def play(
    name: str,
    changes: Sequence[str],
    rules_file: str | None,
    games: int | None,
    tower: str | None,
    physics: Physics,
    seed: str | None,
    as_json: bool,
    plot: Path | None,
    replay: Path | None = None,
) -> None:
    """Play one run, or `games` for the means; with `replay`, write a page that shows the cubes fall."""
    game = cast("Game", registry.get("game", name))
    house = read_rules(game, rules_file) if rules_file else Asked(game.read({}))
    rules = change(game, house.rules, changes) if changes else house.rules
    tower_name = tower or house.apparatus or game.apparatus
    model_name, engine, accuracy = physics
    first, *others = game.tables
    tables = game.plain(rules)
    tables = tables[first] | {other: tables[other] for other in others}
    how = {"apparatus": tower_name or None, "model": model_name, "engine": engine, "accuracy": accuracy}
    request = Play.of(game=name, rules=tables, seed=read_seed(seed), **how)
    apparatus = load(tower_name)
    if games is not None:
        check_whole("--games", games, FEWEST_DRAWN if plot else 1, MAX_RUNS)
    if plot is not None:
        from tower_sim.drawing import check_path

        check_path(plot)
    check_replay(replay, request)
    game.check(apparatus)  # before opening a model, whose packages may be missing
    with open_model(apparatus, model_name, request.settings) as model:
        check(request, apparatus, model)
        if games is not None:
            _play_many(request.model_copy(update={"games": games}), model, apparatus, as_json, plot)
        else:
            _play(request, model, apparatus, as_json, plot, replay)


def _play(
    request: Play,
    model: DropModel,
    apparatus: Apparatus,
    as_json: bool,
    plot: Path | None,
    replay: Path | None,
) -> None:
    game, rules = request.played, request.house.rules
    names: dict[str, Any] = {"apparatus": apparatus.name, "model": model.name, "seed": request.seed}
    played: list[Turn] = []
    if not as_json:
        say(game.ways.head(rules, **names))
    with report_progress(game.ways.turns, game.ways.expected(rules)) if as_json else nullcontext() as tell:
        for turn in turns(request, model):
            played.append(turn)
            if tell is None:
                say(game.ways.line(turn, rules), flush=True)
            else:
                tell(len(played))
    if plot is not None:
        game.draw(played, rules, apparatus, plot, title=game.ways.caption(rules, **names))
    if as_json:
        print(json.dumps(play_document(request, played, model)))
    else:
        say(game.summary(played, rules))
    if replay is not None:
        from tower_sim.web import replay as pages

        pages.write(replay, pages.describe_play(request, apparatus, played))
        print(f"replay: {replay}")
    if plot is not None and not as_json:
        print(f"plot: {plot}")


def _play_many(request: Play, model: DropModel, apparatus: Apparatus, as_json: bool, plot: Path | None) -> None:
    many = no_odds(request)
    interrupted = False
    with report_progress(request.played.runs, request.games or 1) as tell:
        try:
            fill(many, request, model, tell)
        except KeyboardInterrupt:
            interrupted = True
    if not many.runs:
        raise KeyboardInterrupt
    if as_json:
        print(json.dumps(many.document()))
    else:
        say(many.words())
    if plot is not None:
        many.draw(apparatus, plot)
        if not as_json:
            print(f"plot: {plot}")
    if interrupted:
        raise KeyboardInterrupt

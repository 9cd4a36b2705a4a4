"""`tower-sim play`: the tower's part of a whole game."""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from typing import Any

from tower_sim.apparatus.catalogue import load
from tower_sim.cli.common import add_apparatus, add_json, add_model, add_plot, add_seed, check_plot, drawn_seed, silent
from tower_sim.cli.common import whole as whole_number
from tower_sim.games import amerigo
from tower_sim.models import open_model
from tower_sim.report import game_head, game_line, game_summary


def add(commands: Any) -> None:
    """Add the command."""
    play = commands.add_parser("play", help="play the tower's part of a whole game")
    play.add_argument("game", choices=["amerigo"], metavar="GAME", help="amerigo")
    add_apparatus(play, "amerigo")
    play.add_argument("--rules", default="amerigo", metavar="FILE", help="house rules as TOML (default: the published)")
    play.add_argument("--rounds", type=whole_number, metavar="N", help="rounds to play (default: the rules' 5)")
    add_model(play)
    add_seed(play)
    add_json(play)
    add_plot(play, "the game")
    play.set_defaults(run=_play)


def _play(options: argparse.Namespace) -> None:
    apparatus = load(options.apparatus)
    rules = amerigo.Rules.load(options.rules)
    if options.rounds is not None:
        rules = replace(rules, rounds=options.rounds)
    seed = drawn_seed(options.seed)
    check_plot(options.save_plot)
    entries: list[amerigo.DropEntry] = []
    say = silent if options.json else print
    with open_model(apparatus, options.model) as model:
        title = f"Amerigo, tower {apparatus.name}, {model.name}, seed {seed}"
        say(title)
        say(game_head(rules))
        for entry in amerigo.play(model, rules, seed):
            entries.append(entry)
            say(game_line(entry, rules), flush=True)
    if options.save_plot is not None:
        from tower_sim.drawing import draw_game

        draw_game(entries, rules, options.save_plot, title=title)
    if options.json:
        document = amerigo.game_json(entries, seed=seed, model=model.name, apparatus=apparatus.name, rules=rules)
        print(json.dumps(document))
    else:
        print(game_summary(entries, rules))
        if options.save_plot is not None:
            print(f"plot: {options.save_plot}")

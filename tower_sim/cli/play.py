"""`tower-sim play`: the tower's part of a whole game."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

from tower_sim.apparatus.catalogue import load
from tower_sim.cli.common import APPARATUS, add_json, add_model, add_plot, add_seed, check_plot, drawn_seed, silent
from tower_sim.cli.common import whole as whole_number
from tower_sim.errors import UsageError, shown
from tower_sim.games import amerigo
from tower_sim.games.amerigo.words import game_head, game_line, game_summary, game_title
from tower_sim.models import open_model
from tower_sim.progress import telling
from tower_sim.terminal import say
from tower_sim.variants import read_rules


def add(commands: Any) -> None:
    """Add the command."""
    play = commands.add_parser("play", help="play the tower's part of a whole game")
    play.add_argument("game", choices=["amerigo"], metavar="GAME", help="amerigo")
    told = f"{APPARATUS} (default: that of the rules, else amerigo)"
    play.add_argument("--apparatus", metavar="NAME|FILE", help=told)
    told = "house rules as TOML, a file that compare takes too (default: the published)"
    play.add_argument("--rules", default="amerigo", metavar="FILE", help=told)
    play.add_argument("--rounds", type=whole_number, metavar="N", help="rounds to play (default: the rules' 5)")
    told = "knock on the table after that drop (0: the set-up), peak acceleration in g, as in 3=0.5; may be repeated"
    play.add_argument("--knock-after", action="append", default=[], metavar="DROP=STRENGTH", help=told)
    add_model(play)
    add_seed(play)
    add_json(play)
    add_plot(play, "the game")
    play.set_defaults(run=_play)


def _play(options: argparse.Namespace) -> None:
    rules, tower = read_rules(options.rules)
    apparatus = load(options.apparatus or tower)
    if options.rounds is not None:
        rules = replace(rules, rounds=options.rounds)
    knocks = _knocks(options.knock_after, rules)
    seed = drawn_seed(options.seed)
    check_plot(options.save_plot)
    entries: list[amerigo.DropEntry] = []
    aloud = silent if options.json else say
    with open_model(apparatus, options.model) as model:
        game = amerigo.play(model, rules, seed, knocks)
        amerigo.check_knocks(model, knocks)
        aloud(game_title(rules, apparatus.name, model.name, seed))
        aloud(game_head(rules))
        with telling("drops", rules.drops) if options.json else nullcontext(_nothing) as tell:
            for entry in game:
                entries.append(entry)
                aloud(game_line(entry, rules), flush=True)
                tell(len(entries))
    names = {"model": model.name, "apparatus": apparatus.name}
    if options.save_plot is not None:
        from tower_sim.games.amerigo.picture import draw_game

        title = f"Amerigo, tower {apparatus.name}, {model.name}, seed {seed}"
        draw_game(entries, rules, options.save_plot, title=title)
    if options.json:
        print(json.dumps(amerigo.game_json(entries, seed=seed, **names, rules=rules, knocks=knocks)))
    else:
        say(game_summary(entries, rules))
        if options.save_plot is not None:
            print(f"plot: {options.save_plot}")


def _knocks(items: Sequence[str], rules: amerigo.Rules) -> Mapping[int, float]:
    """Read `--knock-after`: DROP=STRENGTH, each drop once; raises UsageError."""
    table: dict[str, float] = {}
    for item in items:
        drop, _, text = (part.strip() for part in item.partition("="))
        try:
            strength = float(text)
        except ValueError:
            strength = None
        if strength is None or drop in table:
            allowed = "DROP=STRENGTH, each drop once; try --knock-after 3=0.5"
            raise UsageError(f"--knock-after {shown(item)}; allowed is {allowed}")
        table[drop] = strength
    return amerigo.knocks_of(table, rules)


def _nothing(done: int) -> None:
    """Tell nothing: the lines of the game are printed as it goes."""

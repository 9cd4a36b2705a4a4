"""`tower-sim battle`: one battle of Dead Reckoning, or the odds of many."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from typing import Any

from tower_sim.apparatus.catalogue import load
from tower_sim.apparatus.with_board import with_board
from tower_sim.cli.common import (
    add_apparatus,
    add_json,
    add_model,
    add_plot,
    add_seed,
    check_plot,
    drawn_seed,
    read_cubes,
)
from tower_sim.cli.common import whole as whole_number
from tower_sim.contract import BoardModel
from tower_sim.errors import UsageError, check_whole, shown
from tower_sim.games.dead_reckoning.abilities import Ability
from tower_sim.games.dead_reckoning.battle import Battle
from tower_sim.games.dead_reckoning.battle import play as play_battle
from tower_sim.games.dead_reckoning.battle import start as start_battle
from tower_sim.games.dead_reckoning.document import battle_json
from tower_sim.games.dead_reckoning.odds import Odds
from tower_sim.games.dead_reckoning.policies import when_behind
from tower_sim.games.dead_reckoning.rulings import Rulings
from tower_sim.games.dead_reckoning.sides import KINDS, Setup, parse_said, read_side
from tower_sim.games.dead_reckoning.words import battle_head, battle_summary, odds_report, step_line
from tower_sim.models import BOARD_MODELS, open_board_model
from tower_sim.progress import telling
from tower_sim.terminal import say

MAX_GAMES = 100_000  # more are a campaign's


def add(commands: Any) -> None:
    """Add the command."""
    battle = commands.add_parser("battle", help="fight a battle of Dead Reckoning, or many for the odds")
    battle.add_argument("--cubes", required=True, metavar="COLOUR=N,...", help="each side's, as in purple=6,green=3")
    battle.add_argument("--kind", default="ship", choices=KINDS, help=f"{', '.join(KINDS)}")
    battle.add_argument("--active", default="", metavar="COLOUR", help="whose turn it is (default: the first side)")
    battle.add_argument(
        "--ability", action="append", default=[], metavar="COLOUR=ABILITY", help="as in green=throw:2; may be repeated"
    )
    battle.add_argument(
        "--side",
        action="append",
        default=[],
        metavar="COLOUR=WORDS",
        help="what else a side has, as in green=supply:20,island:2,damage:1,pirate; may be repeated",
    )
    battle.add_argument("--provoked", action="store_true", help="the active ship moved onto the other, a pirate")
    battle.add_argument("--rulings", metavar="FILE", help="rulings as TOML (default: see docs/dead_reckoning.md)")
    battle.add_argument("--games", type=whole_number, metavar="N", help="fight N battles and tell the odds")
    add_apparatus(battle, "dead_reckoning")
    add_model(battle, models=BOARD_MODELS)
    add_seed(battle)
    add_json(battle)
    add_plot(battle, "the board with the cubes")
    battle.set_defaults(run=_battle)


def _battle(options: argparse.Namespace) -> None:
    apparatus = with_board(load(options.apparatus))
    setup = _setup(options)
    least = 2 if options.save_plot else 1  # the errors of the densities drawn are over battles
    if options.games is not None:
        check_whole("--games", options.games, least, MAX_GAMES)
    check_plot(options.save_plot)
    seed = drawn_seed(options.seed)
    with open_board_model(apparatus, options.model) as model:
        if options.games is None:
            battle = _one_battle(start_battle(model, setup, seed), model, aloud=not options.json)
            if options.json:
                print(json.dumps(battle_json(battle)))
            if options.save_plot is not None:
                from tower_sim.games.dead_reckoning.picture import draw_board

                draw_board(apparatus, battle.state, options.save_plot, title=battle_head(battle).splitlines()[0])
        else:
            _many_battles(options, model, setup, seed)
    if options.save_plot is not None and not options.json:
        print(f"plot: {options.save_plot}")


def _one_battle(battle: Battle, model: BoardModel, aloud: bool) -> Battle:
    if aloud:
        say(battle_head(battle))
    for after in play_battle(model, battle, dict.fromkeys(battle.setup.colours, when_behind)):
        battle = after
        if aloud:
            say(step_line(len(battle.steps), battle.steps[-1], battle.setup), flush=True)
    if aloud:
        say(battle_summary(battle))
    return battle


def _many_battles(options: argparse.Namespace, model: BoardModel, setup: Setup, seed: int) -> None:
    """Fight `--games` battles; interrupted, tell the odds of those that were finished."""
    odds = Odds()
    rests: list[tuple[float, float]] = []
    policies = dict.fromkeys(setup.colours, when_behind)
    interrupted = False
    with telling("battles", options.games) as tell:
        try:
            for game in range(options.games):
                *_, battle = play_battle(model, start_battle(model, setup, seed, game), policies)
                odds.add(battle)
                rests += [r.pose.position[:2] for r in battle.state.board.lying if r.pose]
                tell(game + 1)
        except KeyboardInterrupt:
            interrupted = True
    if not odds.games:
        raise KeyboardInterrupt
    document = odds.to_json()
    if options.json:
        print(json.dumps(document))
    else:
        say(odds_report(document))
    if options.save_plot is not None:
        from tower_sim.games.dead_reckoning.picture import draw_densities

        ship = with_board(load(options.apparatus))
        counts = {zone.name: [places[f"zone:{zone.name}"] for places in odds.in_play] for zone in ship.board.zones}
        thrown = [places.total() for places in odds.in_play]
        sides = " against ".join(f"{side.colour} {side.cubes}" for side in setup.sides)
        title = f"{ship.name}, {odds.games} battles, {sides}, {model.name}, seed {seed}"
        draw_densities(ship, rests, counts, thrown, options.save_plot, title=title)
    if interrupted:
        raise KeyboardInterrupt


def _setup(options: argparse.Namespace) -> Setup:
    cubes = read_cubes(options.cubes)
    abilities: dict[str, list[Ability]] = {}
    for colour, text in _of_sides(options.ability, "--ability", "throw:2", cubes):
        abilities.setdefault(colour, []).append(Ability.parse(text))
    said: dict[str, dict[str, object]] = {}
    for colour, text in _of_sides(options.side, "--side", "damage:1,pirate", cubes):
        said.setdefault(colour, {}).update(parse_said(text))
    sides = tuple(
        read_side(colour, count, said.get(colour), tuple(abilities.get(colour, []))) for colour, count in cubes.items()
    )
    rulings = Rulings() if options.rulings is None else Rulings.load(options.rulings)
    return Setup(options.kind, sides, options.active, rulings, options.provoked)


def _of_sides(items: Sequence[str], option: str, example: str, cubes: Mapping[str, int]) -> list[tuple[str, str]]:
    """Read the items COLOUR=TEXT of a repeated option; raises UsageError for a colour that is no side's."""
    found: list[tuple[str, str]] = []
    for item in items:
        colour, _, text = item.partition("=")
        if colour not in cubes:
            raise UsageError(
                f"{option} {shown(item)} names no side; allowed is COLOUR={example} with {' or '.join(cubes)}; "
                f"try {option} {next(iter(cubes), 'purple')}={example}"
            )
        found.append((colour, text))
    return found

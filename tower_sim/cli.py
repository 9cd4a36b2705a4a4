"""The command line: parse, call, print."""

from __future__ import annotations

import argparse
import json
import os
import secrets
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NoReturn

import numpy as np

from tower_sim.apparatus.board import as_ship
from tower_sim.apparatus.catalogue import load, names
from tower_sim.cubes import supply
from tower_sim.errors import UsageError
from tower_sim.games import amerigo
from tower_sim.games.battle import Battle, battle_json, when_behind
from tower_sim.games.battle import play as play_battle
from tower_sim.games.battle import start as start_battle
from tower_sim.games.dead_reckoning import KINDS, Ability, Setup, Side
from tower_sim.games.odds import Odds
from tower_sim.games.rulings import Rulings
from tower_sim.model import BoardModel, TooManyFailedDraws, knock_then_drop, until_landed
from tower_sim.models import open_board_model, open_model
from tower_sim.report import (
    battle_head,
    battle_summary,
    drop_report,
    game_head,
    game_line,
    game_summary,
    odds_report,
    step_line,
)
from tower_sim.state import TowerState

MAX_SEED = 2**128 - 1
_MAX_CUBES = 500


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status: 0 done, 2 the caller's mistake, 1 anything else."""
    try:
        options = _parser().parse_args(arguments)
        run: Callable[[argparse.Namespace], int | None] = options.run
        return run(options) or 0
    except UsageError as error:
        print(f"tower-sim: {error}", file=sys.stderr)
        return 2
    except TooManyFailedDraws as error:
        print(f"tower-sim: {error}; throw fewer cubes or change the apparatus", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("tower-sim: interrupted", file=sys.stderr)
        return 1
    except BrokenPipeError:
        sys.stderr.close()  # the reader of our output has gone; Python would complain while it flushes
        return 1


class _Parser(argparse.ArgumentParser):
    """A parser whose complaints are one line, and the caller's mistake."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}; see {self.prog} --help")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="tower-sim", description="Drop cubes through board-game cube towers, with real physics.")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND", parser_class=_Parser)

    play = commands.add_parser("play", help="play the tower's part of a whole game")
    play.add_argument("game", choices=["amerigo"], metavar="GAME", help="amerigo")
    play.add_argument("--apparatus", default="amerigo", metavar="NAME|FILE", help=_APPARATUS_HELP)
    play.add_argument("--rules", default="amerigo", metavar="FILE", help="house rules as TOML (default: the published)")
    play.add_argument("--rounds", type=int, metavar="N", help="rounds to play (default: the rules' 5)")
    play.add_argument("--save-plot", type=Path, metavar="FILE", help="also draw the game into FILE (.png, .pdf, .svg)")
    _add_common(play)
    play.set_defaults(run=_play)

    drop = commands.add_parser("drop", help="throw cubes once, or knock on the table")
    drop.add_argument("apparatus", metavar="APPARATUS", help=_APPARATUS_HELP)
    drop.add_argument("--cubes", default="", metavar="COLOUR=N,...", help="the cubes to throw, as in blue=4,red=2")
    drop.add_argument("--state", metavar="TOKEN|@FILE", help="the state token of an earlier drop, or a file with it")
    drop.add_argument(
        "--knock", type=float, metavar="STRENGTH", help="knock on the table first; peak acceleration in g"
    )
    _add_common(drop)
    drop.set_defaults(run=_drop)

    battle = commands.add_parser("battle", help="fight a battle of Dead Reckoning, or many for the odds")
    battle.add_argument("--cubes", required=True, metavar="COLOUR=N,...", help="each side's, as in purple=6,green=3")
    battle.add_argument("--kind", default="ship", choices=KINDS, help=f"{', '.join(KINDS)} (default: ship)")
    battle.add_argument("--active", default="", metavar="COLOUR", help="whose turn it is (default: the first side)")
    battle.add_argument(
        "--ability", action="append", default=[], metavar="COLOUR=ABILITY", help="as in green=throw:2; may be repeated"
    )
    battle.add_argument("--rulings", metavar="FILE", help="rulings as TOML (default: see docs/dead_reckoning.md)")
    battle.add_argument("--games", type=int, metavar="N", help="fight N battles and tell the odds")
    battle.add_argument("--apparatus", default="dead_reckoning", metavar="NAME|FILE", help=_APPARATUS_HELP)
    battle.add_argument("--save-plot", type=Path, metavar="FILE", help="also draw the board with the cubes into FILE")
    _add_common(battle)
    battle.set_defaults(run=_battle)

    _add_campaign(commands.add_parser("campaign", help="run thousands of drops that survive anything, and check them"))

    study = commands.add_parser("study", help="write a report on a campaign: statistics with intervals, tables, plots")
    study.add_argument("directory", type=Path, metavar="DIR", help="the campaign's directory")
    study.add_argument("--out", type=Path, required=True, metavar="REPORT_DIR", help="where to write the report")
    study.set_defaults(run=_study)

    calibrate = commands.add_parser("calibrate", help="fit the tower to observations or to your own recorded drops")
    calibrate.add_argument("observations", nargs="+", metavar="OBSERVATIONS", help=".csv of drops, or .toml files")
    calibrate.add_argument("-o", "--output", type=Path, required=True, metavar="PROFILE.toml", help="the profile")
    effort = calibrate.add_mutually_exclusive_group()
    effort.add_argument("--quick", dest="mode", action="store_const", const="quick", help="minutes (default)")
    effort.add_argument("--full", dest="mode", action="store_const", const="full", help="hours: more towers simulated")
    calibrate.add_argument("--seed", type=_seed, default=0, metavar="N", help="0 to 2^128 - 1 (default: 0)")
    calibrate.add_argument("--workers", type=int, metavar="N", help="processes (default: all cores)")
    calibrate.set_defaults(run=_calibrate, mode="quick")

    fairness = commands.add_parser("fairness", help="does your recorded tower behave as a profile predicts?")
    fairness.add_argument("records", metavar="RECORDS.csv", help="your drops; see docs/calibration.md")
    fairness.add_argument("--apparatus", default="amerigo", metavar="NAME|FILE", help=_APPARATUS_HELP)
    fairness.add_argument("--games", type=int, default=24, metavar="N", help="games simulated to compare (default: 24)")
    fairness.add_argument("--seed", type=_seed, default=0, metavar="N", help="0 to 2^128 - 1 (default: 0)")
    fairness.add_argument("--json", action="store_true", help="print one JSON document and nothing else")
    fairness.set_defaults(run=_fairness)

    compare = commands.add_parser("compare", help="compare two variants of Amerigo: what do house rules change?")
    compare.add_argument("a", metavar="A.toml", help="rules, and the tower under 'apparatus'; or amerigo, as published")
    compare.add_argument("b", metavar="B.toml", help="the variant to compare with it")
    compare.add_argument("--games", type=int, required=True, metavar="N", help="pairs of games to play, 2 or more")
    compare.add_argument("--seed", type=_seed, metavar="N", help="0 to 2^128 - 1 (default: drawn, and printed)")
    compare.add_argument(
        "--model", default="surrogate", metavar="MODEL|FILE", help="surrogate (default), physics, two_thirds or a file"
    )
    compare.add_argument("--json", action="store_true", help="print one JSON document and nothing else")
    compare.add_argument("--save-plot", type=Path, metavar="FILE", help="also draw it into FILE (.png, .pdf, .svg)")
    compare.set_defaults(run=_compare)

    serve = commands.add_parser("serve", help="answer other programs: a JSON request a line, a JSON reply a line")
    serve.set_defaults(run=_serve)

    _add_surrogate(commands.add_parser("surrogate", help="the fast stand-in for physics: fit, check and export it"))

    show = commands.add_parser("show", help="draw an apparatus: a 3D view and a dimensioned section")
    show.add_argument("apparatus", metavar="APPARATUS", help=_APPARATUS_HELP)
    show.add_argument("-o", "--output", type=Path, required=True, metavar="FILE", help=".png, .pdf or .svg")
    show.add_argument("--state", metavar="TOKEN|@FILE", help="also draw the cubes of a drop's state")
    show.set_defaults(run=_show)
    return parser


_APPARATUS_HELP = f"a shipped profile ({', '.join(names())}) or a TOML file"


def _add_common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seed", type=_seed, metavar="N", help="0 to 2^128 - 1 (default: drawn, and printed)")
    parser.add_argument(
        "--model", default="physics", metavar="MODEL|FILE", help="physics (default), surrogate, two_thirds or a file"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document and nothing else")


def _add_campaign(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(title="actions", required=True, metavar="ACTION", parser_class=_Parser)
    run = actions.add_parser("run", help="run a campaign file, or go on with it")
    run.add_argument("spec", type=Path, metavar="SPEC.toml", help="the campaign file; see docs/campaigns.md")
    run.add_argument("--out", type=Path, required=True, metavar="DIR", help="the campaign's directory")
    engine = run.add_mutually_exclusive_group()
    every = os.cpu_count() or 1
    engine.add_argument("--workers", type=int, default=every, metavar="N", help=f"processes here (default: {every})")
    engine.add_argument("--dask", default="", metavar="ADDRESS|local", help="a Dask scheduler, or one of our own")
    run.set_defaults(run=_campaign_run)
    status = actions.add_parser("status", help="tell what is done, missing, failed")
    status.add_argument("directory", type=Path, metavar="DIR", help="the campaign's directory")
    status.set_defaults(run=_campaign_status)
    verify = actions.add_parser("verify", help="check every file against the manifest")
    verify.add_argument("directory", type=Path, metavar="DIR", help="the campaign's directory")
    verify.set_defaults(run=_campaign_verify)


def _add_surrogate(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(title="actions", required=True, metavar="ACTION", parser_class=_Parser)
    fit = actions.add_parser("fit", help="fit a surrogate to campaigns of one apparatus")
    fit.add_argument("directories", nargs="+", type=Path, metavar="DIR", help="the campaigns' directories")
    fit.add_argument("-o", "--output", type=Path, required=True, metavar="MODEL.json", help="the model")
    fit.set_defaults(run=_surrogate_fit)
    check = actions.add_parser("check", help="how well does it foretell games that it has not seen?")
    check.add_argument("model", metavar="MODEL.json", help="a fitted model, or the name of a shipped one")
    check.add_argument("directories", nargs="+", type=Path, metavar="DIR", help="the campaigns' directories")
    check.add_argument("--out", type=Path, metavar="REPORT_DIR", help="also write a report with plots")
    check.add_argument("--seed", type=_seed, default=0, metavar="N", help="0 to 2^128 - 1 (default: 0)")
    check.set_defaults(run=_surrogate_check)
    export = actions.add_parser("export", help="write it for other languages: whole numbers only")
    export.add_argument("model", metavar="MODEL.json", help="a fitted model, or the name of a shipped one")
    export.add_argument("--to", required=True, choices=["js", "json"], help="a JavaScript module, or its table alone")
    export.add_argument("-o", "--output", type=Path, required=True, metavar="FILE", help="the file")
    export.set_defaults(run=_surrogate_export)


def _seed(text: str) -> int:
    if not text.isdecimal() or int(text) > MAX_SEED:
        raise argparse.ArgumentTypeError(f"{text!r}; allowed is a whole number from 0 to 2^128 - 1")
    return int(text)


def _play(options: argparse.Namespace) -> None:
    apparatus = load(options.apparatus)
    rules = amerigo.Rules.load(options.rules)
    if options.rounds is not None:
        rules = replace(rules, rounds=options.rounds)
    seed = secrets.randbits(128) if options.seed is None else options.seed
    plot: Path | None = options.save_plot
    if plot is not None:
        from tower_sim.drawing import check_path

        check_path(plot)
    entries: list[amerigo.DropEntry] = []
    say = _silent if options.json else print
    with open_model(apparatus, options.model) as model:
        say(f"Amerigo, tower {apparatus.name}, {model.name}, seed {seed}")
        say(game_head(rules))
        for entry in amerigo.play(model, rules, seed):
            entries.append(entry)
            say(game_line(entry, rules), flush=True)
    if plot is not None:
        from tower_sim.drawing import draw_game

        draw_game(entries, rules, plot, title=f"Amerigo, tower {apparatus.name}, {model.name}, seed {seed}")
    if options.json:
        document = amerigo.game_json(entries, seed=seed, model=model.name, apparatus=apparatus.name, rules=rules)
        print(json.dumps(document))
    else:
        print(game_summary(entries, rules))
        if plot is not None:
            print(f"plot: {plot}")


def _drop(options: argparse.Namespace) -> None:
    apparatus = load(options.apparatus)
    counts = _cubes(options.cubes)
    knock: float | None = options.knock
    if not counts and knock is None:
        raise UsageError("nothing to do: --cubes is empty and there is no --knock; try --cubes blue=4,red=2")
    seed = secrets.randbits(128) if options.seed is None else options.seed
    stream = np.random.SeedSequence(seed)
    with open_model(apparatus, options.model) as model:
        state = _state(options.state) or model.empty()
        thrown = supply(counts, model.cube_edge, first_id=state.next_id)
        if knock is None:
            outcome = until_landed(partial(model.drop, state, thrown), stream)
        else:
            outcome = knock_then_drop(model, state, knock, thrown, stream)
    colours = [*counts, *sorted({cube.colour for cube in state.cubes} - set(counts))]
    if options.json:
        print(json.dumps(outcome.to_json(seed, colours)))
    else:
        print(drop_report(outcome, colours, seed))


def _battle(options: argparse.Namespace) -> None:
    apparatus = as_ship(load(options.apparatus))
    setup = _setup(options)
    least = 2 if options.save_plot else 1  # the errors of the densities drawn are over battles
    if options.games is not None and options.games < least:
        raise UsageError(f"--games is {options.games}; allowed is {least} or more; try --games 200, or leave it out")
    plot: Path | None = options.save_plot
    if plot is not None:
        from tower_sim.drawing import check_path

        check_path(plot)
    seed = secrets.randbits(128) if options.seed is None else options.seed
    with open_board_model(apparatus, options.model) as model:
        if options.games is None:
            battle = _one_battle(start_battle(model, setup, seed), model, say=not options.json)
            if options.json:
                print(json.dumps(battle_json(battle)))
            if plot is not None:
                from tower_sim.drawing import draw_board

                draw_board(apparatus, battle.state, plot, title=battle_head(battle).splitlines()[0])
        else:
            _many_battles(options, model, setup, seed)
    if plot is not None and not options.json:
        print(f"plot: {plot}")


def _one_battle(battle: Battle, model: BoardModel, say: bool) -> Battle:
    if say:
        print(battle_head(battle))
    for after in play_battle(model, battle, dict.fromkeys(battle.setup.colours, when_behind)):
        battle = after
        if say:
            print(step_line(len(battle.steps), battle.steps[-1], battle.setup), flush=True)
    if say:
        print(battle_summary(battle))
    return battle


def _many_battles(options: argparse.Namespace, model: BoardModel, setup: Setup, seed: int) -> None:
    """Fight `--games` battles; interrupted, tell the odds of those that were finished."""
    odds = Odds()
    rests: list[tuple[float, float]] = []
    policies = dict.fromkeys(setup.colours, when_behind)
    interrupted = False
    try:
        for game in range(options.games):
            *_, battle = play_battle(model, start_battle(model, setup, seed, game), policies)
            odds.add(battle)
            rests += [r.pose.position[:2] for r in battle.state.board.lying if r.pose]
            _progress(game + 1, options.games)
    except KeyboardInterrupt:
        interrupted = True
    if not odds.games:
        raise KeyboardInterrupt
    document = odds.to_json()
    print(json.dumps(document) if options.json else odds_report(document))
    if options.save_plot is not None:
        from tower_sim.drawing import draw_densities

        ship = as_ship(load(options.apparatus))
        counts = {zone.name: [places[f"zone:{zone.name}"] for places in odds.in_play] for zone in ship.board.zones}
        thrown = [places.total() for places in odds.in_play]
        sides = " against ".join(f"{side.colour} {side.cubes}" for side in setup.sides)
        title = f"{ship.name}, {odds.games} battles, {sides}, {model.name}, seed {seed}"
        draw_densities(ship, rests, counts, thrown, options.save_plot, title=title)
    if interrupted:
        raise KeyboardInterrupt


def _progress(done: int, of: int) -> None:
    """Tell on a terminal how far it is."""
    if sys.stderr.isatty():
        print(f"\r{done} of {of} battles", end="\n" if done == of else "", file=sys.stderr, flush=True)


def _setup(options: argparse.Namespace) -> Setup:
    abilities: dict[str, list[Ability]] = {}
    cubes = _cubes(options.cubes)
    for item in options.ability:
        colour, _, text = item.partition("=")
        if colour not in cubes:
            raise UsageError(
                f"--ability {item!r} names no side; allowed is COLOUR=ABILITY with {' or '.join(cubes)}; "
                f"try --ability {next(iter(cubes), 'purple')}=throw:2"
            )
        abilities.setdefault(colour, []).append(Ability.parse(text))
    sides = tuple(Side(colour, count, abilities=tuple(abilities.get(colour, []))) for colour, count in cubes.items())
    rulings = Rulings() if options.rulings is None else Rulings.load(options.rulings)
    return Setup(options.kind, sides, options.active, rulings)


def _show(options: argparse.Namespace) -> None:
    from tower_sim.drawing import draw_apparatus

    apparatus = load(options.apparatus)
    state = _state(options.state)
    if state is not None and state.apparatus != apparatus.name:
        raise UsageError(
            f"state belongs to apparatus {state.apparatus!r}; allowed is a state of {apparatus.name!r}; "
            f"show {state.apparatus} instead"
        )
    draw_apparatus(apparatus, options.output, state)
    print(options.output)


def _compare(options: argparse.Namespace) -> None:
    from tower_sim.compare import compare_command

    seed = secrets.randbits(128) if options.seed is None else options.seed
    files = (options.a, options.b)
    compare_command(files, options.games, seed, options.model, as_json=options.json, plot=options.save_plot)


def _serve(options: argparse.Namespace) -> None:
    from tower_sim.service import Opened, serve

    with Opened() as opened:
        serve(sys.stdin.buffer, sys.stdout.buffer, opened)


def _surrogate_fit(options: argparse.Namespace) -> None:
    from tower_sim.fitting import fit_command

    fit_command(options.directories, options.output)


def _surrogate_check(options: argparse.Namespace) -> None:
    from tower_sim.fitting import check_command

    check_command(options.model, options.directories, options.out, options.seed)


def _surrogate_export(options: argparse.Namespace) -> None:
    from tower_sim.surrogate.export import export_command

    export_command(options.model, options.to, options.output)


def _calibrate(options: argparse.Namespace) -> int:
    from calibration.command import calibrate_command

    return calibrate_command(options.observations, options.output, options.mode, options.seed, options.workers)


def _fairness(options: argparse.Namespace) -> int:
    from calibration.evidence import shipped
    from calibration.fairness import fairness_command

    records = shipped().get(options.records, Path(options.records))
    return fairness_command(records, options.apparatus, options.games, options.seed, options.json)


def _campaign_run(options: argparse.Namespace) -> int:
    from tower_sim.campaign import campaign_run

    return campaign_run(options.spec, options.out, options.workers, options.dask)


def _campaign_status(options: argparse.Namespace) -> None:
    from tower_sim.campaign import campaign_status

    print(campaign_status(options.directory))


def _campaign_verify(options: argparse.Namespace) -> int:
    from tower_sim.campaign import campaign_verify

    said, status = campaign_verify(options.directory)
    print(said)
    return status


def _study(options: argparse.Namespace) -> None:
    from tower_sim.study import study

    study(options.directory, options.out)
    print(options.out / "report.md")


def _silent(line: str, flush: bool = False) -> None:
    """Print nothing: `--json` keeps standard output for the document."""


def _state(text: str | None) -> TowerState | None:
    """Read `--state`: a token, or @FILE with a token or a `drop --json` document in it."""
    if text is None:
        return None
    if text.startswith("@"):
        try:
            text = Path(text[1:]).read_text("utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"--state file {text[1:]!r} cannot be read ({error}); give a file with a token") from error
        if text.startswith("{"):
            text = _token_of_document(text)
    return TowerState.from_token(text)


def _token_of_document(text: str) -> str:
    try:
        return str(json.loads(text)["state"])
    except (ValueError, KeyError) as error:
        raise UsageError(
            "--state file holds neither a token nor a 'drop --json' document with a 'state'; save one of them there"
        ) from error


def _cubes(text: str) -> dict[str, int]:
    """Read `--cubes`: COLOUR=N, separated by commas."""
    counts: dict[str, int] = {}
    for item in filter(None, (part.strip() for part in text.split(","))):
        colour, equals, number = (part.strip() for part in item.partition("="))
        if not (colour and equals and number.isdecimal()) or colour in counts:
            raise UsageError(f"--cubes item {item!r}; allowed is COLOUR=N, each colour once; try --cubes blue=4,red=2")
        counts[colour] = int(number)
    if sum(counts.values()) > _MAX_CUBES:
        raise UsageError(f"--cubes are {sum(counts.values())} in all; allowed are up to {_MAX_CUBES}; throw fewer")
    return counts

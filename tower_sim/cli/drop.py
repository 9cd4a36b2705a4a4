"""`tower-sim drop`: one throw, or a knock on the table."""

from __future__ import annotations

import argparse
import json

from tower_sim.apparatus.catalogue import load
from tower_sim.apparatus.parts import Apparatus
from tower_sim.cli.common import add_apparatus_argument, add_json, add_model, add_physics, add_seed, read_state, seed_of
from tower_sim.cli.drop_words import drop_report
from tower_sim.cli.parser import Parser
from tower_sim.cli.replaying import Replaying, add_replay, replaying, tell_replay
from tower_sim.cubes import parse_counts
from tower_sim.errors import UsageError
from tower_sim.models import open_model
from tower_sim.outcome import Outcome
from tower_sim.requests import DropRequest, drop_document, outcome
from tower_sim.terminal import say


def add(drop: Parser) -> None:
    """Add what the command takes."""
    add_apparatus_argument(drop)
    drop.add_argument("--cubes", default="", metavar="COLOUR=N,...", help="the cubes to throw, as in blue=4,red=2")
    drop.add_argument("--state", metavar="TOKEN|@FILE", help="the state token of an earlier drop, or a file with it")
    drop.add_argument(
        "--knock",
        type=float,
        metavar="STRENGTH",
        help="knock on the table first, with a peak acceleration of STRENGTH g",
    )
    add_model(drop)
    add_physics(drop)
    add_seed(drop)
    add_json(drop)
    add_replay(drop, "the cubes")
    drop.set_defaults(run=_drop)


def _drop(options: argparse.Namespace) -> None:
    apparatus = load(options.apparatus)
    counts = parse_counts(options.cubes, "--cubes")
    if not counts and options.knock is None:
        raise UsageError("nothing to do: --cubes is empty and there is no --knock; try --cubes blue=4,red=2")
    seed = seed_of(options)
    state = read_state(options.state)
    physics = (options.engine, options.accuracy)
    request = DropRequest(options.apparatus, options.model, seed, counts, state, options.knock, *physics)
    with (
        replaying(options, apparatus, seed) as replay,
        open_model(apparatus, options.model, request.settings, replay and replay.film) as model,
    ):
        landed = outcome(request, replay.watched(model) if replay else model)
        if options.json:
            print(json.dumps(drop_document(request, landed)))
        else:
            say(drop_report(landed, request.colours, seed))
        if replay:
            _write(replay, request, apparatus, landed)
        tell_replay(options)


def _write(replay: Replaying, request: DropRequest, apparatus: Apparatus, landed: Outcome) -> None:
    from tower_sim.replay.asked import of_drop

    takes = replay.takes()
    replay.write(of_drop(request, apparatus, landed, takes, replay.matched()))

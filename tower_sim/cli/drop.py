"""`tower-sim drop`: one throw, or a knock on the table."""

from __future__ import annotations

import argparse
import json
from functools import partial
from typing import Any

import numpy as np

from tower_sim.apparatus.catalogue import load
from tower_sim.cli.common import APPARATUS, add_json, add_model, add_seed, drawn_seed, read_cubes, read_state
from tower_sim.cli.drop_words import drop_report
from tower_sim.cubes import supply
from tower_sim.errors import UsageError
from tower_sim.model import knock_then_drop, until_landed
from tower_sim.models import open_model
from tower_sim.terminal import say


def add(commands: Any) -> None:
    """Add the command."""
    drop = commands.add_parser("drop", help="throw cubes once, or knock on the table")
    drop.add_argument("apparatus", metavar="APPARATUS", help=APPARATUS)
    drop.add_argument("--cubes", default="", metavar="COLOUR=N,...", help="the cubes to throw, as in blue=4,red=2")
    drop.add_argument("--state", metavar="TOKEN|@FILE", help="the state token of an earlier drop, or a file with it")
    drop.add_argument(
        "--knock", type=float, metavar="STRENGTH", help="knock on the table first; peak acceleration in g"
    )
    add_model(drop)
    add_seed(drop)
    add_json(drop)
    drop.set_defaults(run=_drop)


def _drop(options: argparse.Namespace) -> None:
    apparatus = load(options.apparatus)
    counts = read_cubes(options.cubes)
    knock: float | None = options.knock
    if not counts and knock is None:
        raise UsageError("nothing to do: --cubes is empty and there is no --knock; try --cubes blue=4,red=2")
    seed = drawn_seed(options.seed)
    stream = np.random.SeedSequence(seed)
    with open_model(apparatus, options.model) as model:
        state = read_state(options.state) or model.empty()
        thrown = supply(counts, model.cube_edge, first_id=state.next_id)
        if knock is None:
            outcome = until_landed(partial(model.drop, state, thrown), stream)
        else:
            outcome = knock_then_drop(model, state, knock, thrown, stream)
    colours = [*counts, *sorted({cube.colour for cube in state.cubes} - set(counts))]
    if options.json:
        print(json.dumps(outcome.to_json(seed, colours)))
    else:
        say(drop_report(outcome, colours, seed))

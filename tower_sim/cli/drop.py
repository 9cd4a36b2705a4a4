"""`tower-sim drop`: one throw, or a knock on the table."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Sequence

from tower_sim.apparatus.catalogue import load
from tower_sim.cli.common import (
    add_apparatus_argument,
    add_json,
    add_model,
    add_physics,
    add_seed,
    read_state,
    seed_of,
    tell_files,
)
from tower_sim.cli.parser import Parser
from tower_sim.cli.replaying import add_replay, film_for
from tower_sim.cubes import count_by_colour, parse_counts
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
    film = film_for(options)
    with open_model(apparatus, options.model, request.settings, film) as model:
        landed = outcome(request, model)
        if options.json:
            print(json.dumps(drop_document(request, landed)))
        else:
            say(report(landed, request.colours, seed))
        if film is not None:
            from tower_sim.replay.compose import of_drop
            from tower_sim.replay.files import write
            from tower_sim.replay.takes import takes

            write(options.replay, of_drop(request, apparatus, landed, takes(film.taken(), apparatus)))
        tell_files(options)


def report(outcome: Outcome, colours: Sequence[str], seed: int) -> str:
    """Return one drop in words: counts by colour, where the cubes inside lie, and the token to continue from."""
    every = list(count_by_colour((x.cube for x in outcome.landings), colours))
    rows = {"thrown": outcome.thrown, "out": outcome.emerged, "inside": outcome.inside}
    if outcome.knocked_out:
        rows = {"knocked out": outcome.knocked_out} | rows
    width = max(len(name) for name in rows)
    lines = [
        f"{outcome.apparatus}, {outcome.model}, seed {seed}: {outcome.status}"
        + (f" after {outcome.attempts} draws" if outcome.attempts > 1 else "")
    ]
    lines.append(f"{'':{width}}  {'  '.join(every)}  total")
    for name, cubes in rows.items():
        counts = count_by_colour(cubes, every)
        cells = "  ".join(f"{count:{len(colour)}}" for colour, count in counts.items())
        lines.append(f"{name:{width}}  {cells}  {len(cubes):5}")
    places = Counter(x.place for x in outcome.landings)
    lines.append("places: " + ", ".join(f"{place} {count}" for place, count in sorted(places.items())))
    lines.append(f"state, to go on from with --state:\n{outcome.state.token()}")
    return "\n".join(lines)

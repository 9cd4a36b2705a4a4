"""`tower-sim show`: a picture of an apparatus."""

from __future__ import annotations

import argparse

from tower_sim.apparatus.catalogue import load
from tower_sim.cli.common import PICTURE, add_apparatus_argument, add_output, read_state
from tower_sim.cli.parser import Parser
from tower_sim.errors import UsageError


def add(show: Parser) -> None:
    """Add what the command takes."""
    add_apparatus_argument(show)
    add_output(show, "FILE", PICTURE)
    show.add_argument("--state", metavar="TOKEN|@FILE", help="also draw the cubes of a drop's state")
    show.set_defaults(run=_show)


def _show(options: argparse.Namespace) -> None:
    from tower_sim.drawing import draw_apparatus

    apparatus = load(options.apparatus)
    state = read_state(options.state)
    if state is not None and state.apparatus != apparatus.name:
        raise UsageError(
            f"state belongs to apparatus {state.apparatus!r}; allowed is a state of {apparatus.name!r}; "
            f"show {state.apparatus} instead"
        )
    draw_apparatus(apparatus, options.output, state)
    print(options.output)

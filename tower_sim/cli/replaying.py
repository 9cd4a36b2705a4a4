"""`--replay`: a page or a scene of what a run looked like, from a film of its physics."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from tower_sim.cli.common import add_force
from tower_sim.cli.parser import Parser
from tower_sim.errors import fault, shown

if TYPE_CHECKING:  # all that shows is imported when it is asked for
    from tower_sim.physics.film import Film


def add_replay(parser: Parser, what: str) -> None:
    """Add `--replay`; `what` is shown."""
    told = f"also write a page that shows {what} falling (.html), or a scene (.glb)"
    parser.add_argument("--replay", type=Path, metavar="FILE", help=told)
    add_force(parser)


def film_for(options: argparse.Namespace) -> Film | None:
    """Return the film that the model is to record on for `--replay`, None where no replay is asked for.

    Raises UsageError, before any work, for a file that cannot be written and for a model without poses.
    """
    path: Path | None = options.replay
    if path is None:
        return None
    from tower_sim.physics.film import Film
    from tower_sim.replay.files import check_path
    from tower_sim.requests import PHYSICS

    check_path(path)
    if options.model != PHYSICS:
        allowed = f"none with the model {shown(options.model)}, whose cubes nobody sees fall"
        raise fault("--replay", str(path), allowed, f"take --model {PHYSICS}")
    return Film()

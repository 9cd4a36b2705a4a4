"""`tower-sim serve`: a JSON request a line, a JSON reply a line."""

from __future__ import annotations

import argparse
import sys
from typing import Any


def add(commands: Any) -> None:
    """Add the command."""
    serve = commands.add_parser("serve", help="answer other programs: a JSON request a line, a JSON reply a line")
    serve.set_defaults(run=_serve)


def _serve(options: argparse.Namespace) -> None:
    from tower_sim.service import Opened, serve

    with Opened() as opened:
        serve(sys.stdin.buffer, sys.stdout.buffer, opened)

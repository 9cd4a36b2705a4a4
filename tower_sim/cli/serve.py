"""`tower-sim serve`: a JSON request a line, a JSON reply a line."""

from __future__ import annotations

import argparse
import sys
from typing import TextIO

from tower_sim.cli.parser import Parser
from tower_sim.errors import fault
from tower_sim.interrupts import terminable


def add(serve: Parser) -> None:
    """Add what the command takes."""
    serve.set_defaults(run=_serve)


def _serve(options: argparse.Namespace) -> None:
    from tower_sim.service import Opened, serve

    source: TextIO | None = sys.stdin
    if source is None:  # Python has it so when it was closed
        raise fault("standard input", "closed", "a pipe or a file of requests", 'try: echo \'{"do": "hello"}\' | ...')
    with Opened() as opened, terminable():
        serve(source.buffer, sys.stdout.buffer, opened)

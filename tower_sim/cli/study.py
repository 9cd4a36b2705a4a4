"""`tower-sim study`: a report on a campaign."""

from __future__ import annotations

import argparse
from pathlib import Path

from tower_sim.cli.common import add_output
from tower_sim.cli.parser import Parser


def add(study: Parser) -> None:
    """Add what the command takes."""
    study.add_argument("directory", type=Path, metavar="DIR", help="the campaign's directory")
    add_output(study, "REPORT_DIR", "where to write the report")
    study.add_argument(
        "--point", type=int, metavar="N", help="of a campaign that varies fields: design point N by itself, from 0"
    )
    study.set_defaults(run=_study)


def _study(options: argparse.Namespace) -> None:
    from tower_sim.study import study

    study(options.directory, options.output, options.point)
    print(options.output / "report.md")

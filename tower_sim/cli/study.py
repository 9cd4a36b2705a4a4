"""`tower-sim study`: a report on a campaign."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from tower_sim.cli.common import add_output


def add(commands: Any) -> None:
    """Add the command."""
    study = commands.add_parser("study", help="write a report on a campaign: statistics with intervals, tables, plots")
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

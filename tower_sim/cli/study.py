"""`tower-sim study`: a report on a campaign."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from tower_sim.cli.common import add_json, add_output, whole
from tower_sim.cli.parser import Parser
from tower_sim.terminal import say


def add(study: Parser) -> None:
    """Add what the command takes."""
    study.add_argument("directory", type=Path, metavar="DIR", help="the campaign's directory")
    add_output(study, "REPORT_DIR", "where to write the report")
    study.add_argument(
        "--point",
        type=whole,
        metavar="N",
        help="in a campaign that varies fields: report on design point N alone, from 0",
    )
    add_json(study)
    study.set_defaults(run=_study)


def _study(options: argparse.Namespace) -> None:
    from tower_sim.study import study

    document = study(options.directory, options.output, options.point)
    if options.json:
        print(json.dumps(document))
        return
    say("".join(f"{paragraph}\n\n" for paragraph in document["says"]).rstrip("\n") + "\n")
    print(f"{options.output / 'report.html'}  (the same as Markdown, with its tables: {options.output / 'report.md'})")

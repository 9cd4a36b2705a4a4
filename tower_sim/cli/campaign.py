"""`tower-sim campaign`: thousands of drops that survive anything."""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path

from tower_sim.cli.common import add_json, add_output, add_workers
from tower_sim.cli.parser import Parser


def add(parser: Parser) -> None:
    """Add what the command takes."""
    actions = parser.add_subparsers(title="actions", required=True, metavar="ACTION", parser_class=type(parser))
    run = actions.add_parser("run", help="run a campaign file, or continue it")
    run.add_argument("spec", type=Path, metavar="SPEC.toml", help="the campaign file; see docs/campaigns.md")
    add_output(run, "DIR", "the campaign's directory", is_replaced=False)
    engine = run.add_mutually_exclusive_group()
    add_workers(engine)
    engine.add_argument(
        "--dask", default="", metavar="ADDRESS|local", help="address of a Dask scheduler, or local to start one"
    )
    run.set_defaults(run=_run)
    status = actions.add_parser("status", help="say what is done, missing and failed")
    status.add_argument("directory", type=Path, metavar="DIR", help="the campaign's directory")
    add_json(status)
    status.set_defaults(run=_status)
    verify = actions.add_parser("verify", help="check every file against the manifest")
    verify.add_argument("directory", type=Path, metavar="DIR", help="the campaign's directory")
    verify.set_defaults(run=_verify)


def _run(options: argparse.Namespace) -> int:
    from tower_sim.campaign import campaign_run

    workers: int = (os.cpu_count() or 1) if options.workers is None else options.workers
    return campaign_run(options.spec, options.output, workers, options.dask)


def _status(options: argparse.Namespace) -> None:
    from tower_sim.campaign import campaign_status, status

    if options.json:
        print(json.dumps(status(options.directory).document()))
    else:
        print(campaign_status(options.directory))


def _verify(options: argparse.Namespace) -> int:
    from tower_sim.campaign import campaign_verify

    said, status = campaign_verify(options.directory)
    print(said)
    return status

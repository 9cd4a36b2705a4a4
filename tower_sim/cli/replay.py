"""`tower-sim replay`: a page of what another program's drop or game did, shown by recorded drops."""

from __future__ import annotations

import argparse
from pathlib import Path

from tower_sim.cli.common import add_output, add_seed, seed_of
from tower_sim.cli.parser import Parser
from tower_sim.reading import json_value, read_text

_MOST_BYTES = 20_000_000  # of a document: a game of thousands of drops


def add(replay: Parser) -> None:
    """Add what the command takes."""
    told = "what drop --json or play --json printed, or a service answered"
    replay.add_argument("document", type=Path, metavar="OUTCOME.json", help=told)
    bank = "the directory of a campaign with record = true, whose drops are shown"
    replay.add_argument("--bank", type=Path, required=True, metavar="DIR", help=bank)
    add_output(replay, "FILE", "the page (.html) or the scene (.glb)")
    add_seed(replay)
    replay.set_defaults(run=_replay)


def _replay(options: argparse.Namespace) -> None:
    from tower_sim.replay.bank import Bank
    from tower_sim.replay.compose import of_document
    from tower_sim.replay.files import check_path, write
    from tower_sim.replay.foreign import read_drops
    from tower_sim.replay.matched import drawn_from

    check_path(options.output)
    text = read_text(options.document, "document", limit=_MOST_BYTES, advice="give what drop --json prints")
    document = read_drops(json_value(text, "the document"))
    with Bank(options.bank) as bank:
        replay = of_document(document, bank, drawn_from(seed := seed_of(options)))
    write(options.output, replay)
    print(replay.header["about"]["matched"]["says"])
    print(f"{options.output}\nseed {seed}")

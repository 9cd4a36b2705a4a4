"""What several commands share: options of one name and meaning everywhere, and how their values are read."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tower_sim.apparatus.catalogue import names
from tower_sim.cli.parser import Parser
from tower_sim.errors import UsageError, shown
from tower_sim.models import MODELS
from tower_sim.physics.settings import ENGINE, STANDARD, accuracies
from tower_sim.reading import json_value, read_text
from tower_sim.registry import OWN, get
from tower_sim.registry import names as registered
from tower_sim.requests import short_seed
from tower_sim.state import MAX_SEED, TowerState
from tower_sim.version import TOWER_SIM

FILES = ("output", "save_plot", "replay", "backup")
"""What the options are called that name a file to write."""
PICTURE = ".png, .pdf or .svg"


def version() -> str:
    """Return the version of this package, of Python and of our engines, in one line."""
    import platform

    from tower_sim.physics.engine import version_of

    engines: list[str] = []
    for name in sorted(OWN["engine"], key=lambda name: name != ENGINE):
        title, number = get("engine", name).title, version_of(name)
        engines.append(f"{title} {number}" if number else f"no {title}")
    return f"tower-sim {TOWER_SIM} (Python {platform.python_version()}, {', '.join(engines)})"


def add_apparatus(parser: Parser, default: str | None, source: str = "of the rules, else the game's") -> None:
    """Add `--apparatus`; without a default it is that `source`."""
    told = _profiles() if default else f"{_profiles()} (default: that {source})"
    action = parser.add_argument("--apparatus", default=default, metavar="NAME|FILE", help=told)
    parser.offer(action, names())


def add_apparatus_argument(parser: Parser) -> None:
    """Add the argument `APPARATUS`."""
    parser.offer(parser.add_argument("apparatus", metavar="APPARATUS", help=_profiles()), names())


def _profiles() -> str:
    return f"a shipped profile ({', '.join(names())}) or a TOML file"


def add_model(parser: Parser, default: str = "physics", models: Sequence[str] = MODELS) -> None:
    """Add `--model`, which is one of `models`."""
    allowed = f"{', '.join(models)} or a fitted model's .json file"
    parser.offer(parser.add_argument("--model", default=default, metavar="MODEL|FILE", help=allowed), models)


def add_physics(parser: Parser) -> None:
    """Add `--engine` and `--accuracy`, of the model physics."""
    engines = registered("engine")
    told = f"rigid-body engine of physics: {', '.join(engines)} (default: {ENGINE})"
    parser.offer(parser.add_argument("--engine", metavar="NAME", help=told), engines)
    fine = list(dict.fromkeys(name for engine in engines for name in accuracies(engine)))
    told = f"how finely the engine computes: {', '.join(fine)} (default: {STANDARD})"
    parser.offer(parser.add_argument("--accuracy", metavar="NAME", help=told), fine)


def add_rules(parser: Parser) -> None:
    """Add `--rules`."""
    told = "house rules as TOML, a file that compare takes too (default: the published rules)"
    parser.offer(parser.add_argument("--rules", metavar="FILE", help=told), ())


def add_seed(parser: Parser) -> None:
    """Add `--seed`; see `seed_of`."""
    told = "decides all that is random, 0 to 2^128 - 1 (default: drawn, and printed)"
    parser.add_argument("--seed", type=seed, metavar="N", help=told)


def seed_of(options: argparse.Namespace) -> int:
    """Return the seed that was given; where none was, one that is drawn."""
    return short_seed() if options.seed is None else options.seed


def add_games(parser: Parser, what: str, *, default: int | None = None, required: bool = False) -> None:
    """Add `--games`; `what` are counted, and how many there may be."""
    parser.add_argument("--games", type=whole, default=default, required=required, metavar="N", help=f"how many {what}")


def add_workers(parser: Any) -> None:
    """Add `--workers` to a parser or a group of one."""
    parser.add_argument("--workers", type=whole, metavar="N", help="processes to use (default: all cores)")


def add_json(parser: Parser) -> None:
    """Add `--json`."""
    parser.add_argument("--json", action="store_true", help="print one JSON document and nothing else")


def add_plot(parser: Parser, what: str) -> None:
    """Add `--save-plot`; `what` is drawn."""
    parser.add_argument("--save-plot", type=Path, metavar="FILE", help=f"also draw {what} into FILE ({PICTURE})")
    add_force(parser)


def add_output(parser: Parser, metavar: str, what: str, *, required: bool = True, is_replaced: bool = True) -> None:
    """Add `-o`, `--output`, and `--force` where anything is replaced."""
    parser.add_argument("-o", "--output", type=Path, required=required, metavar=metavar, help=what)
    if is_replaced:
        add_force(parser)


def add_force(parser: Parser) -> None:
    """Add `--force`, once, to a command that writes files."""
    if not parser.has("--force"):
        told = "also replace files that this command did not make, or that were changed since"
        parser.add_argument("--force", action="store_true", help=told)


def seed(text: str) -> int:
    """Read a seed; raises argparse's error for anything else."""
    if not (text.isascii() and text.isdecimal() and len(text) < 100) or int(text) > MAX_SEED:
        raise argparse.ArgumentTypeError(f"{shown(text)}; allowed is a whole number from 0 to 2^128 - 1")
    return int(text)


def whole(text: str) -> int:
    """Read a whole number of up to 12 digits; raises argparse's error for anything else."""
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdecimal() and len(digits) <= 12):
        raise argparse.ArgumentTypeError(f"{shown(text)}; allowed is a whole number of up to 12 digits")
    return int(text)


def tell_files(options: argparse.Namespace) -> None:
    """Say where a command's picture and replay are."""
    for what, path in (("plot", vars(options).get("save_plot")), ("replay", options.replay)):
        if path is not None and not options.json:
            print(f"{what}: {path}")


def check_plot(plot: Path | None) -> None:
    """Refuse, before any work, a picture that cannot be written; raises UsageError."""
    if plot is not None:
        from tower_sim.drawing import check_path

        check_path(plot)


def read_state(text: str | None) -> TowerState | None:
    """Read `--state`: a token, or @FILE with one or a `drop --json` document in it; raises UsageError."""
    if text is None:
        return None
    if text.startswith("@"):
        text = read_text(text[1:], "--state file", advice="give a file with a token").strip()
        if text.startswith("{"):
            text = _token_of_document(text)
    return TowerState.from_token(text)


def _token_of_document(text: str) -> str:
    try:
        return str(json_value(text, "--state file")["state"])
    except KeyError as error:
        raise UsageError(
            "--state file holds neither a token nor a 'drop --json' document with a 'state'; save one of them there"
        ) from error

"""`tower-sim odds`: what comes next if this is thrown, or that."""

from __future__ import annotations

import argparse
import json

from tower_sim.apparatus.catalogue import load
from tower_sim.chances import SCHEMA, VERSION, Chances, chances, is_more
from tower_sim.cli.common import add_apparatus, add_json, add_model, add_physics, add_seed, read_state, seed_of, whole
from tower_sim.cli.parser import Parser
from tower_sim.cli.redo import model_of
from tower_sim.cubes import parse_counts
from tower_sim.errors import UsageError, fault
from tower_sim.models import open_model, settings_of
from tower_sim.progress import telling
from tower_sim.requests import first_game
from tower_sim.statistics import Estimate
from tower_sim.terminal import say

LAW = "surrogate"  # the model of an empty tower where none is named
_DRAWS = {"physics": 200, "": 2000}  # by model


def add(parser: Parser) -> None:
    """Add what the command takes."""
    told = "the token of a state, or @FILE with one in it; left out: the empty tower"
    parser.add_argument("state", nargs="?", metavar="TOKEN|@FILE", help=told)
    parser.add_argument(
        "--throw",
        action="append",
        default=[],
        metavar="COLOUR=N,...",
        help="cubes that might be thrown, as in blue=4,red=2; again for another choice",
    )
    parser.add_argument("--draws", type=whole, metavar="N", help="throws of each (default: 200 of physics, else 2000)")
    add_model(parser, LAW)
    add_physics(parser)
    add_apparatus(parser, None, "of the state, else the default game's")
    add_seed(parser)
    add_json(parser)
    parser.set_defaults(run=_odds)


def _odds(options: argparse.Namespace) -> None:
    state, seed = read_state(options.state), seed_of(options)
    asked = [parse_counts(text, "--throw") for text in options.throw]
    if not asked:
        raise UsageError("there is no --throw; allowed are one or more; try --throw blue=4 --throw red=3")
    if state is not None:
        for name, usual in (("model", LAW), ("engine", None), ("accuracy", None)):
            if (given := getattr(options, name)) not in (usual, state.model):
                raise fault(f"--{name}", given, "none beside a state, which has its own", "leave it out")
    shape = load(options.apparatus or (state.apparatus if state else first_game().apparatus))
    settings = settings_of(options.model, options.engine, options.accuracy)
    with model_of(shape, state) if state else open_model(shape, options.model, settings) as model:
        draws = _DRAWS.get(model.name, _DRAWS[""]) if options.draws is None else options.draws
        with telling("throws", draws * len(asked)) as tell:
            found = chances(model, state or model.empty(), asked, draws, seed, tell)
    if options.json:
        names = {"apparatus": model.apparatus, "model": model.name, "seed": str(seed)}
        print(json.dumps({"schema": SCHEMA, "version": VERSION, **names, "throws": [c.document() for c in found]}))
        return
    say("\n".join([*_opening(found), "", *_table(found), "", _source(found, model.apparatus, model.name, seed)]))


def _opening(found: list[Chances]) -> list[str]:
    """Return two sentences that a player understands."""
    best = max(found, key=lambda each: each.number.value)
    low, high = best.usual
    span = f"{low}" if low == high else f"{low} to {high}"
    first = f"Throw {_words(best)}, and about {best.number.value:.1f} cubes come out, {span} in nine of ten throws"
    if len(found) > 1:
        sure = all(is_more(best, other) for other in found if other is not best)
        first += "; that is the most of these choices" if sure else "; whether that is the most these draws do not show"
    several = best.shares["more than one colour"]
    return [f"{first}.", f"More than one colour comes out in {_share(several)} of such throws."]


def _words(one: Chances) -> str:
    return ", ".join(f"{count} {colour}" for colour, count in one.thrown.items())


def _share(share: Estimate) -> str:
    return f"{100 * share.value:.0f} % ({100 * share.low:.0f} to {100 * share.high:.0f})"


def _table(found: list[Chances]) -> list[str]:
    """Return one column a choice: cubes out on average, shares, and the chance of each colour."""
    rows: list[list[str]] = [["", *map(_words, found)]]
    rows.append(["out, mean", *(f"{c.number.value:.2f} ({c.number.low:.2f} to {c.number.high:.2f})" for c in found)])
    for name in found[0].shares:
        rows.append([name, *(_share(c.shares[name]) for c in found)])
    for colour in found[0].colours:
        rows.append([f"some {colour}", *(_share(c.each[colour]) for c in found)])
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def _source(found: list[Chances], apparatus: str, model: str, seed: int) -> str:
    lost = sum(each.left_out for each in found)
    more = f"; {lost} more gave no landing" if lost else ""
    return f"{apparatus}, {model}, seed {seed}: {len(found[0].out)} throws of each{more}; in brackets 95 % intervals"

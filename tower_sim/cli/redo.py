"""`tower-sim redo`: do again all that made a state, and the throw that a link of a live page asks for."""

from __future__ import annotations

import argparse
import json
from typing import Any
from urllib.parse import parse_qsl

from tower_sim.apparatus.catalogue import load
from tower_sim.apparatus.parts import Apparatus
from tower_sim.cli.common import add_apparatus, add_json, read_state, seed
from tower_sim.cli.drop import report
from tower_sim.cli.parser import Parser
from tower_sim.cubes import count_by_colour, parse_counts
from tower_sim.errors import UsageError, fault
from tower_sim.model import redo
from tower_sim.models import Model, open_model
from tower_sim.outcome import Outcome
from tower_sim.requests import DropRequest, drop_document, outcome
from tower_sim.state import Event, TowerState

_SCHEMA = "tower-sim/redo"
_KEYS = ("profile", "state", "seed", "throw", "knock", "game")
_LINK = "a link of a live page, as in 'tower.html#profile=amerigo&seed=7&throw=blue:4'"
_WORDS = {"drop": "throw", "hand": "throw by hand", "knock": "knock", "take": "taken out", "place": "put down"}


def add(parser: Parser) -> None:
    """Add what the command takes."""
    told = "the token of a state, @FILE with one in it, or a link of a live page in quotes"
    parser.add_argument("what", metavar="TOKEN|@FILE|LINK", help=told)
    add_apparatus(parser, None, "of the link or the state")
    add_json(parser)
    parser.set_defaults(run=_redo)


def _redo(options: argparse.Namespace) -> int:
    link = _link(options.what) if "#" in options.what else {"state": options.what}
    state = read_state(link.get("state"))
    name = options.apparatus or link.get("profile") or (state.apparatus if state else None)
    if name is None:
        raise fault("link", options.what, _LINK, "copy it again, whole")
    request = _throw(link, name, state)
    shape = load(name)
    with model_of(shape, state) as model:
        is_same = state is None or redo(model, state) == state
        landed = outcome(request, model) if request and is_same else None
    if options.json:
        events = [_plain(event) for event in state.log] if state else []
        thrown = drop_document(request, landed) if request and landed else None
        print(json.dumps({"schema": _SCHEMA, "version": 1, "same": is_same, "events": events, "throw": thrown}))
    else:
        print("\n".join(_lines(state, request, landed, is_same=is_same)))
    return 0 if is_same else 1


def _link(text: str) -> dict[str, str]:
    """Return the parts of a link by name; raises UsageError for one that is broken."""
    parts = dict(parse_qsl(text.partition("#")[2].replace("+", "%2B"), keep_blank_values=True))
    for key in parts:
        if key not in _KEYS:
            raise fault("part of the link", key, f"one of {', '.join(_KEYS)}", "copy the link again, whole")
    if not parts:
        raise fault("link", text, _LINK, "copy it again, whole")
    return parts


def _throw(link: dict[str, str], name: str, state: TowerState | None) -> DropRequest | None:
    """Return the throw that a link asks for, if there is one."""
    if "throw" not in link and "knock" not in link:
        return None
    try:
        number = seed(link.get("seed", ""))
        knock = float(link["knock"]) if "knock" in link else None
    except (argparse.ArgumentTypeError, ValueError) as error:
        raise UsageError(f"link: {error}; it needs a seed for its throw; copy it again, whole") from error
    counts = parse_counts(link.get("throw", "").replace(":", "="), "throw of the link")
    return DropRequest(name, "physics", number, counts, state, knock)


def model_of(shape: Apparatus, state: TowerState | None) -> Model:
    """Open the model that a state is of, with the engine and the accuracy that made it."""
    if state is None or state.model != "physics":
        return open_model(shape, state.model if state else "physics")
    from tower_sim.physics.belonging import made_with
    from tower_sim.physics.settings import accuracy

    made = made_with(shape, state.digest)
    return open_model(shape, "physics", accuracy(*made) if made else None)


def _plain(event: Event) -> dict[str, Any]:
    out = set(event.emerged)
    return {
        "kind": event.kind,
        "thrown": count_by_colour(event.thrown),
        "out": len(out),
        "strength": event.strength,
        "place": event.place,
    }


def _lines(
    state: TowerState | None, request: DropRequest | None, landed: Outcome | None, *, is_same: bool
) -> list[str]:
    """Return what was done again, in words."""
    lines: list[str] = []
    if state is not None:
        number = len(state.log)
        steps = f"{number} step{'s' * (number != 1)}"
        lines.append(
            f"Done again: {steps}, and every cube lies where the state says, to the last digit."
            if is_same
            else f"Done again: {steps}, but the cubes lie elsewhere than the state says."
        )
        lines.append(
            "So nobody has changed it." if is_same else "It was changed, or made by another version or another engine."
        )
        lines += [_line(number, event) for number, event in enumerate(state.log)]
    if request and landed:
        lines += ["", report(landed, request.colours, request.seed)]
    return lines


def _line(number: int, event: Event) -> str:
    counts = ", ".join(f"{colour} {count}" for colour, count in count_by_colour(event.thrown).items())
    said = f"{_WORDS[event.kind]} {counts}".rstrip()
    said += f" of {event.strength:g} g" if event.kind == "knock" else ""
    said += f" in {event.place}" if event.place else ""
    return f"{number:4}  {said}" + (f"; {len(event.emerged)} out" if event.kind not in ("take", "place") else "")

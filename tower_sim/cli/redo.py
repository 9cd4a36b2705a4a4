"""Run `tower-sim redo`: repeat the history of a state, and the throw in a link to a live page."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import parse_qsl

from tower_sim.apparatus.catalogue import load
from tower_sim.cli.common import number, read_state, reopen_model
from tower_sim.cli.throw import report
from tower_sim.cubes import count_by_colour, parse_counts
from tower_sim.drops.repeat import redo as redo_of
from tower_sim.errors import fault, unknown
from tower_sim.outcome import Outcome
from tower_sim.requests import Throw, drop_document, outcome
from tower_sim.state import Event, TowerState, check_seed
from tower_sim.tools.terminal import count_noun

_SCHEMA = "tower-sim/redo"
_KEYS = ("profile", "state", "seed", "throw", "knock", "game")
_LINK = "a link of a live page, as in 'tower.html#profile=amerigo&seed=7&throw=blue:4'"
_WORDS = {"drop": "throw", "hand": "throw by hand", "knock": "knock", "take": "taken out", "place": "put down"}


def redo(what: str, tower: str | None, as_json: bool) -> int:
    """Repeat the history of a token, or of a link with its throw, and print it.

    Returns 0 if all cubes lie as the state says, else 1.
    """
    link = _link(what) if "#" in what else {"state": what}
    state = read_state(link.get("state"))
    name = tower or link.get("profile") or (state.apparatus if state else None)
    if name is None:
        raise fault("link", what, _LINK, "copy it again, whole")
    request = _throw(link, name, state)
    shape = load(name)
    with reopen_model(shape, state) as model:
        is_same = state is None or redo_of(model, state) == state
        result = outcome(request, model) if request and is_same else None
    if as_json:
        events = [_event_json(event) for event in state.log] if state else []
        thrown = drop_document(request, result) if request and result else None
        print(json.dumps({"schema": _SCHEMA, "version": 1, "same": is_same, "events": events, "throw": thrown}))
    else:
        print("\n".join(_describe(state, request, result, is_same=is_same)))
    return 0 if is_same else 1


def _link(text: str) -> dict[str, str]:
    parts = dict(parse_qsl(text.partition("#")[2].replace("+", "%2B"), keep_blank_values=True))
    for key in parts:
        if key not in _KEYS:
            raise unknown("part of the link", key, _KEYS, "copy the link again, whole")
    if not parts:
        raise fault("link", text, _LINK, "copy it again, whole")
    return parts


def _throw(link: dict[str, str], name: str, state: TowerState | None) -> Throw | None:
    if "throw" not in link and "knock" not in link:
        return None
    seed = check_seed(link.get("seed", ""), "seed of the link")
    counts = parse_counts(link.get("throw", ""), "throw of the link", ":")
    knock: Any = number(link["knock"]) if "knock" in link else None
    return Throw.of(apparatus=name, cubes=counts, state=state, knock=knock, seed=seed)


def _event_json(event: Event) -> dict[str, Any]:
    out = set(event.emerged)
    return {
        "kind": event.kind,
        "thrown": count_by_colour(event.thrown),
        "out": len(out),
        "strength": event.strength,
        "place": event.place,
    }


def _describe(state: TowerState | None, request: Throw | None, result: Outcome | None, *, is_same: bool) -> list[str]:
    lines: list[str] = []
    if state is not None:
        number = len(state.log)
        steps = count_noun(number, "step")
        lines.append(
            f"Done again: {steps}, and every cube lies where the state says, to the last digit."
            if is_same
            else f"Done again: {steps}, but the cubes lie elsewhere than the state says."
        )
        lines.append(
            "So nobody has changed it." if is_same else "It was changed, or made by another version or another engine."
        )
        lines += [_describe_event(number, event) for number, event in enumerate(state.log)]
    if request and result:
        lines += ["", report(result, request.colours, request.seed)]
    return lines


def _describe_event(number: int, event: Event) -> str:
    counts = ", ".join(f"{colour} {count}" for colour, count in count_by_colour(event.thrown).items())
    text = f"{_WORDS[event.kind]} {counts}".rstrip()
    text += f" of {event.strength:g} g" if event.kind == "knock" else ""
    text += f" in {event.place}" if event.place else ""
    return f"{number:4}  {text}" + (f"; {len(event.emerged)} out" if event.kind not in ("take", "place") else "")

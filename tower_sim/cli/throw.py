"""Run `tower-sim redo`: repeat the history of a state, and the throw in a link to a live page."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from tower_sim.apparatus import load
from tower_sim.cli.common import Physics, check_replay, number, read_seed, read_state, reopen_model
from tower_sim.drops import MOST_DRAWS, Chances, estimate_chances, is_more, make_document
from tower_sim.drops import redo as redo_of
from tower_sim.errors import UsageError, check_whole, fault, unknown
from tower_sim.models import PHYSICS, choose_settings, open_model
from tower_sim.report import Table
from tower_sim.requests import Throw, drop_document, outcome
from tower_sim.results import FEWEST, Estimate, tell, tell_share, too_few
from tower_sim.tools import count_noun, report_progress, say
from tower_sim.values import Event, Outcome, TowerState, check_seed, count_by_colour, parse_counts

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


def throw(
    tower: str,
    cubes: Sequence[str],
    state: str | None,
    knock: float | None,
    physics: Physics,
    seed: str | None,
    as_json: bool,
    replay: Path | None = None,
) -> None:
    """Throw once and print the outcome; with `replay`, write a page instead."""
    if len(cubes) > 1:
        raise fault("--cubes", list(cubes), "one throw without --times", "add --times 200 to compare throws")
    apparatus = load(tower)
    counts = parse_counts(cubes[0] if cubes else "", "--cubes")
    if not counts and knock is None:
        raise UsageError("nothing to do: --cubes is empty and there is no --knock; try --cubes blue=4,red=2")
    number, before = read_seed(seed), read_state(state)
    model_name, engine, accuracy = physics
    how = {"model": model_name, "engine": engine, "accuracy": accuracy}
    request = Throw.of(apparatus=tower, cubes=counts, state=before, knock=knock, seed=number, **how)
    check_replay(replay, request)
    with open_model(apparatus, model_name, request.settings) as model:
        result = outcome(request, model)
        if replay is not None:
            from tower_sim.web import replay as pages

            pages.write(replay, pages.describe_drop(request, apparatus, result))
            print(replay)
        elif as_json:
            print(json.dumps(drop_document(request, result)))
        else:
            say(report(result, request.colours, number))


def throw_often(
    tower: str,
    cubes: Sequence[str],
    times: int,
    state: str | None,
    knock: float | None,
    physics: Physics,
    seed: str | None,
    as_json: bool,
) -> None:
    """Throw each choice of cubes `times` times from the same state, and print the chances."""
    if not cubes:
        raise UsageError("there is no --cubes; allowed with --times are one or more; try --cubes blue=4 --cubes red=3")
    if knock is not None:
        raise fault("--knock", knock, "none with --times", "leave it out")
    times = check_whole("--times", times, 2, MOST_DRAWS, "try 200")
    before, number = read_state(state), read_seed(seed)
    choices = [parse_counts(text, "--cubes") for text in cubes]
    shape = load(tower)
    if before is not None:
        for name, value in zip(("model", "engine", "accuracy"), physics, strict=True):
            if value not in (PHYSICS, None, before.model):
                raise fault(f"--{name}", value, "none with a state, which has its own", "leave it out")
    opening = reopen_model(shape, before) if before else open_model(shape, physics[0], choose_settings(*physics))
    with opening as model, report_progress("throws", times * len(choices)) as tell:
        odds = estimate_chances(model, before or model.empty(), choices, times, number, tell)
    if as_json:
        print(json.dumps(make_document(odds, model, number)))
        return
    say("\n".join([*_summarize(odds), "", _table(odds), "", _source(odds, model.apparatus, model.name, number)]))


def show(tower: str, output: Path, state: str | None) -> None:
    """Draw an apparatus, with the cubes of a state."""
    from tower_sim.drawing import draw_apparatus

    apparatus, with_cubes = load(tower), read_state(state)
    if with_cubes is not None and with_cubes.apparatus != apparatus.name:
        raise UsageError(
            f"state belongs to apparatus {with_cubes.apparatus!r}; allowed is a state of {apparatus.name!r}; "
            f"show {with_cubes.apparatus} instead"
        )
    draw_apparatus(apparatus, output, with_cubes)
    print(output)


def report(outcome: Outcome, colours: Sequence[str], seed: int) -> str:
    """Return an outcome as text, with the token to go on from."""
    every = list(count_by_colour((x.cube for x in outcome.landings), colours))
    rows = {"thrown": outcome.thrown, "out": outcome.emerged, "inside": outcome.inside}
    if outcome.knocked_out:
        rows = {"knocked out": outcome.knocked_out} | rows
    width = max(len(name) for name in rows)
    lines = [
        f"{outcome.apparatus}, {outcome.model}, seed {seed}: {outcome.status}"
        + (f" after {outcome.attempts} draws" if outcome.attempts > 1 else "")
    ]
    lines.append(f"{'':{width}}  {'  '.join(every)}  total")
    for name, cubes in rows.items():
        counts = count_by_colour(cubes, every)
        cells = "  ".join(f"{count:{len(colour)}}" for colour, count in counts.items())
        lines.append(f"{name:{width}}  {cells}  {len(cubes):5}")
    places = Counter(x.place for x in outcome.landings)
    lines.append("places: " + ", ".join(f"{place} {count}" for place, count in sorted(places.items())))
    lines.append(f"state, to go on from with --state:\n{outcome.state.token()}")
    return "\n".join(lines)


def _summarize(odds: list[Chances]) -> list[str]:
    best = max(odds, key=lambda each: each.number.value)
    low, high = best.usual
    span = f"{low}" if low == high else f"{low} to {high}"
    first = f"Throw {_name_throw(best)}, and about {best.number.value:.1f} cubes come out"
    if shortage := too_few(len(best.out), "throw"):
        return [f"{first}: {shortage}."]
    first += f", {span} in nine of ten throws"
    if len(odds) > 1:
        sure = all(is_more(best, other) for other in odds if other is not best)
        first += "; that is the most of these choices" if sure else "; whether that is the most these draws do not show"
    several = best.shares["more than one colour"]
    return [f"{first}.", f"More than one colour comes out in {_share(several)} of such throws."]


def _name_throw(one: Chances) -> str:
    return ", ".join(f"{count} {colour}" for colour, count in one.thrown.items())


def _share(share: Estimate) -> str:
    return tell_share(share) if share.n >= FEWEST else f"{100 * share.value:.0f} %"


def _mean(one: Chances) -> str:
    return tell(one.number) if one.number.n >= FEWEST else f"{one.number.value:.2f}"


def _table(odds: list[Chances]) -> str:
    rows = [["out, mean", *map(_mean, odds)]]
    rows += [[name, *(_share(each.shares[name]) for each in odds)] for name in odds[0].shares]
    rows += [[f"some {colour}", *(_share(each.each[colour]) for each in odds)] for colour in odds[0].colours]
    return Table("throws", ["", *map(_name_throw, odds)], rows).text()


def _source(odds: list[Chances], apparatus: str, model: str, seed: int) -> str:
    lost = sum(each.left_out for each in odds)
    more = f"; {lost} more gave no landing" if lost else ""
    brackets = "; in brackets 95 % intervals" if len(odds[0].out) >= FEWEST else ""
    return f"{apparatus}, {model}, seed {seed}: {len(odds[0].out)} throws of each{more}{brackets}"

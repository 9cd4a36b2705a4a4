"""Replay: a drop, a game or a battle as one HTML file that runs its physics again (docs/replay.md)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tower_sim.apparatus import Apparatus
from tower_sim.drawing import paints
from tower_sim.errors import UsageError, fault, quote
from tower_sim.games import Turn
from tower_sim.physics import as_settings, core_wasm, document
from tower_sim.requests import Play, Throw
from tower_sim.tools import TOWER_SIM, count_noun, writing
from tower_sim.values import Outcome, TowerState
from tower_sim.web.page import Page, read_built

SCHEMA = "tower-sim/replay"
VERSION = 2
CORE = "core"
Step = tuple[str, str, TowerState]
"""One step of a replay: its title, the text about it, the state after it."""


def check(request: Throw | Play) -> None:
    """Check that a page has the engine of a request."""
    what = request.engine or CORE if request.model == "physics" else request.model
    if what != CORE:
        raise fault("engine", what, f"{CORE}, which runs in the page, too", "leave --engine out")


def describe_drop(request: Throw, apparatus: Apparatus, landed: Outcome) -> dict[str, Any]:
    """Return the replay of a drop, or of a knock and a drop."""
    title = "Drop" if landed.thrown else "Knock"
    return _replay(
        request,
        apparatus,
        f"A {title.lower()} in {apparatus.name}",
        [(title, _counts(landed), landed.state)],
        request.before,
        colours=request.colours,
        summary=landed.status.sentence,
    )


def describe_play(request: Play, apparatus: Apparatus, turns: Sequence[Turn]) -> dict[str, Any]:
    """Return the replay of one run, a step a turn."""
    game, rules = request.played, request.house.rules
    names: dict[str, Any] = {"apparatus": apparatus.name, "model": request.model, "seed": request.seed}
    return _replay(
        request,
        apparatus,
        game.ways.caption(rules, **names),
        [
            (f"{turn.kind.replace('_', ' ').capitalize()} {turn.index}", game.ways.line(turn, rules), turn.state)
            for turn in turns
        ],
        game=game.name,
        summary=game.summary(turns, rules).strip("\n"),
        heading="\n".join(game.ways.head(rules, **names).splitlines()[1:]) or None,
    )


def _replay(
    request: Throw | Play,
    apparatus: Apparatus,
    title: str,
    steps: Sequence[Step],
    before: TowerState | None = None,
    *,
    colours: Sequence[str] = (),
    game: str | None = None,
    summary: str,
    heading: str | None = None,
) -> dict[str, Any]:
    check(request)
    settings = as_settings(request.settings, apparatus.accuracy)
    parts: list[list[TowerState | None]] = []
    takes: list[int] = []
    now = before
    for _, _, state in steps:
        known = now.log if now else ()
        if state.log[: len(known)] != known:  # another tower, which was empty
            now, known = None, ()
        if now is None or not parts:
            parts.append([now, state])
        takes.append(len(state.log) - len(known))
        parts[-1][1] = now = state
    cubes = {cube.id: cube.colour for cube in (before.cubes if before else ())}
    for state in (part[1] for part in parts):
        cubes |= {cube.id: cube.colour for event in (state.log if state else ()) for cube in event.thrown}
    colours = list(dict.fromkeys((*colours, *(cubes[number] for number in sorted(cubes)))))
    return {
        "schema": SCHEMA,
        "version": VERSION,
        "title": title,
        "about": {
            "game": game,
            "apparatus": apparatus.name,
            "model": request.model,
            "engine": settings.engine,
            "accuracy": request.accuracy or apparatus.accuracy,
            "settings": settings.digest(),
            "seed": str(request.seed),
            "program": f"tower_sim {TOWER_SIM}",
        },
        "profile": document(apparatus, settings),
        "colours": [asdict(paint) for paint in paints(colours)],
        "cubes": [[number, colours.index(cubes[number])] for number in sorted(cubes)],
        "steps": [
            {"title": name, "text": text, "takes": number} for (name, text, _), number in zip(steps, takes, strict=True)
        ],
        "parts": [dict(zip(("before", "after"), map(_token, part), strict=True)) for part in parts],
        "heading": heading,
        "summary": summary,
    }


def _token(state: TowerState | None) -> str | None:
    return state.token() if state is not None and state.log else None


def _counts(landed: Outcome) -> str:
    thrown, out, inside = len(landed.thrown), len(landed.emerged), len(landed.inside)
    if not thrown:
        return f"{count_noun(out, 'cube')} came out at a knock, {inside} stayed inside."
    before = count_noun(len(landed.knocked_out), "cube")
    knocked = f" ({before} of them out at a knock before)" if landed.knocked_out else ""
    return f"{count_noun(thrown, 'cube')} thrown{knocked}: {out} came out, {inside} are inside."


_WHAT = "replay"


def page_text(replay: dict[str, Any]) -> str:
    """Return the page of a replay; equal replays give equal pages."""
    return Page(
        title=replay["title"],
        view="replay",
        data={"replay": replay},
        blobs={"core": core_wasm(), "worker": read_built("live-worker.js").encode()},
    ).text()


def check_path(path: str | Path) -> None:
    """Refuse a replay's path before any work is done for it.

    Raises UsageError if its suffix is not .html, and if no file can be written there.
    """
    suffix = Path(path).suffix
    if suffix.lower() != ".html":
        raise UsageError(
            f"replay {quote(str(path))} ends in {quote(suffix)}; allowed is .html; try a name such as game.html"
        )
    writing.check(path, _WHAT)


def write(path: str | Path, replay: dict[str, Any]) -> None:
    """Write the page that shows a replay. Raises UsageError, and WritingFailed when the disk is full or fails."""
    check_path(path)
    writing.write(path, page_text(replay).encode(), _WHAT)

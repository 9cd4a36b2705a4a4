"""The page that records a game night: what it is filled with. Its view is tower_sim/web/src/record."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tower_sim.apparatus import Apparatus, load, shipped
from tower_sim.calibration import bets, expected, verdict
from tower_sim.calibration.records import MARKS
from tower_sim.calibration.reference import Reference, fit_reference, stack
from tower_sim.drawing import paints
from tower_sim.errors import fault, quote
from tower_sim.games import Game
from tower_sim.models import PHYSICS
from tower_sim.requests import DEFAULT
from tower_sim.surrogate import AGES, BetaBinomial, has_fitted
from tower_sim.tools import TOWER_SIM, registry
from tower_sim.values import COLOURS
from tower_sim.web import Page, pack

SCHEMA = "tower-sim/record"
VERSION = 2
GAMES, SEED = 72, 0
"""Games to which a tower's reference is fitted, and their seed."""
COMPILED = Path(__file__).with_name("bets.wasm")
KEPT = Path(__file__).with_name("references.json")
"""The references of the towers that ship, by the profile's digest: physics plays their games, in minutes."""


def record_page(files: Sequence[str | Path] = ()) -> str:
    """Return the page's text."""
    return Page(title="Game night", view="record", data={"record": make_document(files)}).text()


def make_document(files: Sequence[str | Path] = ()) -> dict[str, Any]:
    """Return the page's document: the published game, and for each tower what its model expects of a throw."""
    game: Game = registry.get("game", DEFAULT)
    rules = game.plain(game.read({}))[game.tables[0]]
    towers: dict[str, dict[str, Any]] = {}
    given = [*map(str, files)]
    usual = sorted(shipped(), key=lambda name: (name != game.apparatus, name))
    for name in dict.fromkeys([*given, *usual]):
        shape = load(name)
        if shape.board:
            if name not in given:
                continue
            raise fault("tower", name, "one with a tray, not a board", "record throws of a board with tower-sim throw")
        if shape.name in towers:
            raise fault(f"the name of tower {quote(name)}", shape.name, "each name once", "rename the file")
        towers[shape.name] = {
            "name": shape.name,
            "edge": round(1e3 * shape.cube_edge, 2),
            "reference": find_reference(shape),
        }
    return {
        "schema": SCHEMA,
        "version": VERSION,
        "program": f"tower_sim {TOWER_SIM}",
        "game": {"name": game.name, "title": game.title, **{key: rules[key] for key in ("colours", "cubes", "rounds")}}
        | {"phases": rules["phases"] or rules["colours"]},
        "towers": [*towers.values()],
        "paints": [asdict(paint) for paint in paints(COLOURS)],
        "marks": MARKS,
        "says": verdict.SENTENCES,
        "bets": pack(COMPILED.read_bytes()),
        "constants": {
            "ages": AGES,
            "directions": verdict.DIRECTIONS,
            "readily": (verdict.STICKS, verdict.SLIPS),
            "why": expected.WHY,
            "sizes": {"fine": bets.FINE, "bets": bets.BETS_ON_NUMBERS, "tilts": len(bets.COLOUR_TILTS)},
            "hint": verdict.HINT,
            "strong": bets.STRONG,
            "very": verdict.VERY,
        },
    }


def find_reference(shape: Apparatus) -> dict[str, Any]:
    """Return the reference of a tower as plain data.

    It is the stored one. Without it the tower's fast model plays the games, in seconds. Without that physics does, in
    minutes.
    """
    kept = json.loads(KEPT.read_text("utf-8")).get(shape.digest)
    model = "surrogate" if not kept and has_fitted(shape) else PHYSICS
    return {"model": model, **(kept or to_plain(fit_reference(shape, GAMES, SEED, model=model)))}


def to_plain(of: Reference) -> dict[str, Any]:
    """Return a reference for `json.dumps`: of each law drawn the coefficients, then the logarithm of its size."""
    later = [*zip(*(law.later for law in of.drawn if law.later), strict=True)]
    return {
        "games": of.games,
        "seed": str(of.seed),
        "setups": {str(cubes): _rows(law.setups[cubes] for law in of.drawn) for cubes in of.law.setups},
        "later": dict(zip(("thrown", "resident"), map(_rows, later), strict=True)) if later else None,
        "thrown": of.thrown,
        "inside": of.inside,
        "drops": of.drops,
        "ages": {"later": of.ages.later, "setup": of.ages.setup},
    }


def _rows(groups: Iterable[BetaBinomial]) -> list[list[float]]:
    return stack(groups).round(10).tolist()

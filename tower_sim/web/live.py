"""The live page and the element <cube-tower>: what they are filled with, and their files."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from types import MappingProxyType
from typing import Any, cast

import numpy as np

from tower_sim.apparatus import Apparatus, axes, load, names, normal_of
from tower_sim.drawing import paints
from tower_sim.errors import UsageError, fault, quote
from tower_sim.games import Game
from tower_sim.physics import core_wasm, document
from tower_sim.requests import DEFAULT, Variant, read_variant
from tower_sim.results import Plan
from tower_sim.surrogate import TOWER, Fitted, SurrogateModel, beside, load_fitted, shipped, shipped_names
from tower_sim.tools import TOWER_SIM, registry
from tower_sim.values import COLOURS
from tower_sim.web.page import Page, json_text, read_built

SCHEMA = "tower-sim/live"
VERSION = 1
GAMES = 1000  # of which the figures of the long run are made: half a second
_OFTEN = 100  # throws of as many cubes, below which their usual results are not told
_SIDES = ("purple", "green", "black")  # of a battle, which a board is for


def live_page(
    given: Sequence[str | Path] = (),
    rules: str | Path | None = None,
    more: Mapping[str, Any] = MappingProxyType({}),
) -> str:
    """Return the page's text; `more` are the documents of further views by name. Raises as `contents` does."""
    return Page(
        title="Cube tower",
        view="live",
        more=tuple(more),
        data=more,
        blobs={
            "live": json_text(contents(given, rules)).encode(),
            "core": core_wasm(),
            "worker": read_built("live-worker.js").encode(),
        },
    ).text()


def element_module(given: Sequence[str | Path] = ()) -> str:
    """Return <cube-tower> as one file, with the apparatus `given`, or all that ship. Raises as `contents` does."""
    document = contents(given)
    data = {
        "towers": [{key: tower[key] for key in ("name", "edge", "profile")} for tower in document["towers"]],
        "paints": document["paints"],
        "core": base64.b64encode(core_wasm()).decode("ascii"),
        "worker": read_built("live-worker.js"),
    }
    return f"const MADE = {json.dumps(data, separators=(',', ':'))};\n{read_built('element.js')}"


def element_types() -> str:
    """Return the types of the module of <cube-tower>."""
    return read_built("element.d.ts")


def contents(given: Sequence[str | Path] = (), rules: str | Path | None = None) -> dict[str, Any]:
    """Return the page's document: the apparatus `given`, or all that ship, the default game's first.

    With a rules file, its apparatus comes first, and the default game is played by its rules. Raises UsageError for an
    apparatus that cannot be loaded, one without physics in JavaScript, two of one name, and rules of another game.
    """
    game: Game = registry.get("game", DEFAULT)
    house = None if rules is None else _read_house(rules)
    asked = [*map(str, given)] or sorted(names(), key=lambda name: name != game.apparatus)
    if house is not None:
        asked = [str(house.apparatus.file or house.apparatus.name), *asked]
    by = game.read({}) if house is None else house.rules
    shapes = [load(each) for each in dict.fromkeys(asked)]
    known: set[str] = set()
    for shape, file in zip(shapes, dict.fromkeys(asked), strict=True):
        if shape.name in known:
            raise UsageError(
                f"apparatus {quote(file)} is called {quote(shape.name)}, which another one is too; allowed is each "
                "name once; rename the file"
            )
        known.add(shape.name)
    return {
        "schema": SCHEMA,
        "version": VERSION,
        "program": f"tower_sim {TOWER_SIM}",
        "towers": [_tower(shape, game, by) for shape in shapes],
        **({} if house is None else {"house": _rules_json(house)}),
        "paints": {paint.name: asdict(paint) for paint in paints(COLOURS)},
    }


def _read_house(rules: str | Path) -> Variant:
    house = read_variant(rules)
    if house.game.name != DEFAULT:
        raise fault(f"the game of {quote(str(rules))}", house.game.name, f"{DEFAULT}, which the page plays")
    if house.game.knocks(house.rules):
        raise fault(f"knocks of {quote(str(rules))}", dict(house.game.knocks(house.rules)), "none", "knock yourself")
    return house


def _rules_json(house: Variant) -> dict[str, Any]:
    values = {key: value for key, value in house.game.plain(house.rules)[house.game.tables[0]].items() if key != "name"}
    digest = hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()[:8]
    return {"name": house.name, "digest": digest, "rules": values}


def _tower(shape: Apparatus, game: Game, rules: Any) -> dict[str, Any]:
    hand = shape.hand
    colours = list(_SIDES) if shape.board else list(game.cubes(rules))
    return {
        "name": shape.name,
        "title": registry.get("apparatus", shape.profile["kind"]).title,
        "edge": shape.cube_edge,
        "hand": {"height": hand.height, "spread": hand.spread, "rate": hand.rate},
        "opening": opening(shape),
        "printed": {f"zone:{zone.name}": dict(zone.printed) for zone in shape.board.zones} if shape.board else {},
        "colours": colours,
        "profile": document(shape),
        "long_run": _long_run(shape, game, rules),
    }


def opening(shape: Apparatus) -> float:
    """Return the radius (m) of the circle about the middle that is free at the rim; at least that of its own hand."""
    angles, radii = np.linspace(0, 2 * np.pi, 64, endpoint=False), np.arange(0.0, 0.3, 0.001)
    flat = np.stack([np.outer(radii, np.cos(angles)), np.outer(radii, np.sin(angles))], axis=-1)
    points = np.concatenate([flat, np.full((*flat.shape[:2], 1), shape.rim_top - shape.cube_edge / 4)], axis=-1)
    taken = np.zeros(points.shape[:2], dtype=bool)
    for box in shape.boxes:
        own = (points - np.array(box.centre)) @ axes(np.array([box.orientation]))[0]
        taken |= (np.abs(own) <= np.array(box.half)).all(axis=-1)
    for hull in shape.hulls:
        corner = np.array(hull.vertices)
        out = np.array([normal_of(hull.vertices, face) for face in hull.faces])
        taken |= (points @ out.T <= np.sum(out * corner[[face[0] for face in hull.faces]], axis=1)).all(axis=-1)
    at_walls = radii[taken.any(axis=1)]
    return max(shape.hand.spread / 2, float(at_walls[0]) if len(at_walls) else 0.0)


def _long_run(shape: Apparatus, game: Game, rules: Any) -> dict[str, Any] | None:
    fitted = _find_fitted(shape)
    if fitted is None or fitted.kind != TOWER:
        return None
    plan = cast("Plan", game.plan(rules))
    runs = SurrogateModel(shape, fitted).sample_runs(plan, GAMES, 1)
    thrown, out, inside = map(runs.grid, ("thrown", "out", "inside"))
    set_up = {"thrown": int(thrown[0, 0]), "out": round(float(out[:, 0].mean()), 2)}
    thrown, out, inside = (counts[:, 1:] for counts in (thrown, out, inside))
    times = np.bincount(thrown[thrown > 0])
    return {
        "game": game.title,
        "games": GAMES,
        "set_up": set_up,
        "commonest": int(times.argmax()),
        "throws": {
            int(cubes): _summarize("out", out[thrown == cubes]) | _summarize("inside", inside[thrown == cubes])
            for cubes in np.flatnonzero(times >= _OFTEN)
        },
    }


def _summarize(name: str, counts: Any) -> dict[str, Any]:
    low, high = np.quantile(counts, (0.05, 0.95), method="inverted_cdf")
    return {name: round(float(counts.mean()), 2), f"{name}s": [int(low), int(high)]}


def _find_fitted(shape: Apparatus) -> Fitted | None:
    if shape.file is not None:
        return load_fitted(beside(shape.file)) if beside(shape.file).is_file() else None
    return shipped(shape.name, shape.digest) if shape.name in shipped_names() else None

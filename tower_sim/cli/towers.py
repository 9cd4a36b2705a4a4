"""Commands on towers: what there is, and a tower from a mesh."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tower_sim.apparatus import Apparatus, ApparatusKind, fitted_with
from tower_sim.errors import UsageError, check_one, quote
from tower_sim.games import Game
from tower_sim.models import ABOUT
from tower_sim.physics import ENGINE, accuracies, find_version
from tower_sim.tools import count_noun, registry, say

SCHEMA = "tower-sim/list"
VERSION = 1
OURS = "tower_sim"
_HEADS = {
    "apparatus": "Kinds of apparatus, with the profiles that ship (TOWER, or a TOML file of that kind):",
    "games": "Games (tower-sim play GAME):",
    "engines": "Engines of the model physics (--engine ENGINE, or [settings] engine of a campaign file):",
    "models": "Models (--model MODEL, or a .json file of tower-sim model fit):",
}
_GROUPS = {"apparatus": "apparatus", "games": "game", "engines": "engine"}  # in the registry


def list_all(as_json: bool) -> None:
    """Print everything that is available."""
    document = make_document()
    print(json.dumps(document)) if as_json else say(_format(document))


def make_document() -> dict[str, Any]:
    """Return the document of `tower list --json`."""
    groups = {key: [_entry(group, name) for name in registry.names(group)] for key, group in _GROUPS.items()}
    models = [{"name": name, "package": OURS, "about": about, "error": None} for name, about in ABOUT.items()]
    return {"schema": SCHEMA, "version": VERSION, **groups, "models": models}


def _entry(group: str, name: str) -> dict[str, Any]:
    package = registry.source(group, name)
    try:
        thing = registry.get(group, name)
    except UsageError as error:
        return {"name": name, "package": package, "about": "", "error": str(error)}
    return {"name": name, "package": package, **_describe(name, thing), "error": None}


def _describe(name: str, thing: Any) -> dict[str, Any]:
    if isinstance(thing, ApparatusKind):
        texts = dict(sorted(thing.profiles().items()))
        fitted = {profile: engine for profile, text in texts.items() if (engine := fitted_with(text))}
        return {"about": thing.title, "profiles": list(texts), "fitted_with": fitted}
    if isinstance(thing, Game):
        more = {"apparatus": thing.apparatus or None}
        return {"about": thing.about or thing.title, "title": thing.title, "rules": thing.version, **more}
    more = {"installed": find_version(name), "accuracies": list(accuracies(name))}
    return {"about": getattr(thing, "about", thing.title), "title": thing.title, **more}


def _format(document: Mapping[str, Any]) -> str:
    blocks: list[str] = []
    for key, head in _HEADS.items():
        width = max(len(entry["name"]) for entry in document[key])
        lines = [head]
        for entry in document[key]:
            text = entry["error"] or entry["about"]
            text += f" (profiles: {', '.join(entry['profiles'])})" if entry.get("profiles") else ""
            fitted: dict[str, str] = entry.get("fitted_with", {})
            for engine in dict.fromkeys(fitted.values()):
                which = ", ".join(profile for profile in fitted if fitted[profile] == engine)
                text += f" ({which}: fitted with the engine {engine})"
            if "installed" in entry:
                text += " (default)" if entry["name"] == ENGINE else ""
                text += f" ({entry['title']} {entry['installed'] or 'is not installed'})"
            text += f" (--accuracy {', '.join(entry['accuracies'])})" if "accuracies" in entry else ""
            text += f" [from {entry['package']}]" if entry["package"] != OURS else ""
            lines.append(f"  {entry['name']:{width}}  {text}")
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)


def import_(
    file: Path,
    output: Path,
    unit: str | None,
    scale: float,
    up: str,
    edge: float,
    pane: float | None,
    exit: float | None,
    only: int | None,
) -> None:
    """Import a mesh, or again that of a profile, draw the tower, and print what was found."""
    from tower_sim.apparatus.mesh import importing
    from tower_sim.drawing import apparatus_figure, picture_bytes

    if unit is not None:
        check_one("--unit", unit, importing.UNITS)
    picture = output.with_suffix(".png")

    def draw(tower: Apparatus) -> dict[Path, bytes]:
        return {picture: picture_bytes(apparatus_figure(tower), picture)}

    if file.suffix.lower() == ".toml":
        if (unit, scale, up, edge, pane, exit, only) != (None, 1.0, "z", 8.0, None, None, None):
            raise UsageError(
                f"options are given for {quote(str(file))}, whose own numbers count; allowed with a profile is none; "
                "change [source], [cubes] or [[boxes]] in it"
            )
        result = importing.import_again(file, output, draw)
    else:
        result = importing.import_mesh(
            file, output, unit=unit, scale=scale, up=up, edge=edge, pane=pane, exit=exit, only=only, beside=draw
        )
    tower, profile = result.tower, result.tower.given
    solids = [solid for solid in tower.solids if solid.part in profile.parts]
    low, high = np.array([solid.bounds for solid in solids]).transpose(1, 2, 0) * 1e3
    size = " x ".join(f"{b - a:.0f}" for a, b in zip(low.min(axis=1), high.max(axis=1), strict=True))
    bodies = f"{result.bodies} bodies" if result.bodies > 1 else "1 body"
    opened = result.opened
    holes = f"{count_noun(opened.open_edges, 'edge')} at holes" if opened.open_edges else "no holes"
    mouth = np.ptp(np.array(profile.mouth.outline_mm), axis=0)
    print(f"mesh: {bodies}, {count_noun(len(opened.mesh.faces), 'triangle')}, {holes}; 1 unit is {opened.unit}")
    for note in opened.notes:
        print(f"note: {note}")
    print(
        f"tower: {size} mm; cubes of {profile.cubes.edge * 1e3:g} mm can touch "
        f"{count_noun(result.touched, 'triangle')}, "
        f"which make {count_noun(len(solids), 'prism')}; {count_noun(result.slivers.number, 'sliver')} left "
        f"out, {result.slivers.area:.2g} mm2"
    )
    print(
        f"proposed: mouth {mouth[0]:.0f} x {mouth[1]:.0f} mm, {profile.mouth.height * 1e3:.0f} mm high; exit under "
        f"{profile.exit.top * 1e3:.0f} mm, {'to the front' if profile.exit.side == 'front' else 'all around'}; tray "
        f"{'in the mesh' if not profile.tray.walls else 'added'}"
    )
    if len(result.ways) > 1:
        print(
            f"ways out: {importing.tell_ways(result.ways)}; the exit is the lowest, or that whose height --exit gives; "
            "cubes may fly out of the others, too"
        )
    elif profile.exit.top > profile.mouth.height / 2:
        print("the front is open far up; if a sheet of glass belongs there, give --pane, the height of its lower edge")
    print(f"look at {picture}: are mouth, inside and exit right? Change them in {output}")
    print(f"then: tower-sim throw {output} --cubes red=7")

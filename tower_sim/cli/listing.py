"""Run `tower-sim tower list`: everything available by name, with the package that provides it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tower_sim import registry
from tower_sim.apparatus.catalogue import fitted_with
from tower_sim.apparatus.kind import ApparatusKind
from tower_sim.errors import UsageError
from tower_sim.games.game import Game
from tower_sim.models import ABOUT
from tower_sim.physics.engine import find_version
from tower_sim.physics.settings import ENGINE, accuracies
from tower_sim.tools.terminal import say

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

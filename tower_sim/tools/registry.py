"""Find kinds of apparatus, engines and games by name: our own and those of installed packages.

Another package adds an object by an entry point. Its group is `tower_sim.apparatus`, `tower_sim.engine` or
`tower_sim.game`. An example is `my_game = "my_package:GAME"` in `[project.entry-points."tower_sim.game"]`.
"""

from __future__ import annotations

import contextlib
import importlib
from functools import cache
from importlib import metadata
from typing import Any

from tower_sim.errors import UsageError, fault, near

OWN: dict[str, dict[str, str]] = {
    "apparatus": {
        "amerigo_tower": "tower_sim.apparatus.amerigo:KIND",
        "combat_ship": "tower_sim.apparatus.combat_ship:KIND",
        "mesh_tower": "tower_sim.apparatus.mesh:KIND",
        "wallenstein_tower": "tower_sim.apparatus.wallenstein:KIND",
    },
    "engine": {
        "bullet": "tower_sim.physics.bullet:BulletEngine",
        "core": "tower_sim.physics.core:CoreEngine",
    },
    "game": {
        "amerigo": "tower_sim.games.amerigo:GAME",
        "chain": "tower_sim.games.chain:GAME",
        "dead_reckoning": "tower_sim.games.dead_reckoning:GAME",
        "amazonas": "tower_sim.games.amazonas:GAME",
        "seafarers": "tower_sim.games.seafarers:GAME",
        "archipelago": "tower_sim.games.archipelago:GAME",
        "wallenstein": "tower_sim.games.wallenstein:GAME",
        "push_your_luck": "tower_sim.games.push_your_luck:GAME",
    },
    "opener": {
        "game": "tower_sim.games.files:FILES",
    },
}
"""Our own objects by group and name, as `module:object`. Each is imported when it is asked for.

An object under `opener` opens files for the group of the same name: there, a name that ends in `.py` is a path.
"""


FILE = ".py"


@cache
def _entry_points(group: str) -> dict[str, metadata.EntryPoint]:
    own = [metadata.EntryPoint(name, value, f"tower_sim.{group}") for name, value in OWN[group].items()]
    others = sorted(metadata.entry_points(group=f"tower_sim.{group}"), key=lambda point: point.name)
    known: dict[str, metadata.EntryPoint] = {}
    for point in (*own, *others):
        known.setdefault(point.name, point)
    return known


def names(group: str) -> tuple[str, ...]:
    """Return the names in a group, our own first.

    Args:
        group: `apparatus`, `engine` or `game`.

    Returns:
        The names.

    >>> names("game")[:2]
    ('amerigo', 'chain')
    """
    return tuple(_entry_points(group))


def source(group: str, name: str) -> str:
    """Return the package that provides `name`."""
    return _entry_points(group)[name].value.split(":")[0].split(".")[0]


@cache
def _load(group: str, name: str) -> Any:
    point = _entry_points(group)[name]
    try:
        return getattr(importlib.import_module(point.module), point.attr)
    except (ImportError, AttributeError, UsageError) as error:
        if name in OWN[group]:
            raise
        text = f"{group} {name!r} of the package {source(group, name)} cannot be loaded ({error}); allowed is one that"
        raise UsageError(f"{text} can; mend or uninstall that package") from error


def is_file(group: str, name: object) -> bool:
    """Return whether the group opens the path `name`."""
    return isinstance(name, str) and name.endswith(FILE) and group in OWN["opener"]


def get(group: str, name: object) -> Any:
    """Return an object of a group.

    Args:
        group: `apparatus`, `engine` or `game`.
        name: Its name, or the path of a Python file for a game.

    Returns:
        The object.

    >>> get("game", "amerigo").title
    'Amerigo'
    """
    if is_file(group, name):
        return _load("opener", group).open(name)
    known = names(group)
    if not isinstance(name, str) or name not in known:
        hint = near(name, known) if isinstance(name, str) else ""
        files = " or the path of a Python file" if group in OWN["opener"] else ""
        raise fault(group, name, f"one of {', '.join(known)}{files}", f"check its spelling{hint}")
    return _load(group, name)


def every(group: str) -> dict[str, Any]:
    """Return all objects of a group that load, by name."""
    objects: dict[str, Any] = {}
    for name in names(group):
        with contextlib.suppress(UsageError):  # get() raises the reason
            objects[name] = get(group, name)
    return objects

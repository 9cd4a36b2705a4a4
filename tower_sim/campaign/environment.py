"""The versions and the platform that decide results: the same spec gives the same bytes only where they are equal."""

from __future__ import annotations

import contextlib
import importlib.metadata
import platform

from tower_sim.campaign import tables
from tower_sim.errors import UsageError
from tower_sim.extras import extra
from tower_sim.physics.settings import SETTINGS_VERSION
from tower_sim.registry import OWN, get
from tower_sim.version import TOWER_SIM

Environment = dict[str, dict[str, str]]


class WrongEnvironment(UsageError):
    """A worker is not made like the process that gave it its task."""


def environment() -> Environment:
    """Return the `versions` and the `platform` of this process; raises UsageError when pyarrow is missing.

    Of the games ours are there, but for the rules of declared ones, which are in a campaign's spec; of the engines
    those of ours that are installed: a manifest has the versions of its own game and engine beside them, so that
    installing another package changes no campaign.
    """
    games = [get("game", name) for name in OWN["game"]]
    versions = {
        "tower_sim": TOWER_SIM,
        **{f"{game.name}_rules": str(game.version) for game in games if game.apparatus and not game.declared},
        "settings": str(SETTINGS_VERSION),
        "tables": str(tables.VERSION),
        "python": platform.python_version(),
        "pyarrow": extra("pyarrow", "campaign").__version__,
    }
    versions |= {name: importlib.metadata.version(name) for name in ("numpy", "scipy")} | _bullet()
    return {"versions": versions, "platform": {"system": platform.system(), "machine": platform.machine()}}


def _bullet() -> dict[str, str]:
    """Return the version of the package of Bullet, where it is installed.

    The core's is tower_sim's own: to ask it would load numba into processes that need no physics.
    """
    package = get("engine", "bullet").distribution
    with contextlib.suppress(importlib.metadata.PackageNotFoundError):
        return {package: importlib.metadata.version(package)}
    return {}


def difference(expected: Environment, other: Environment) -> str:
    """Say the first difference, as in `numpy 2.0.1 instead of 2.1.0`; empty when there is none."""
    for part, values in expected.items():
        for name, value in values.items():
            if (theirs := other.get(part, {}).get(name, "none")) != value:
                return f"{name} {theirs} instead of {value}"
    return ""


def check(expected: Environment) -> None:
    """Raise WrongEnvironment unless this process is as `expected`."""
    if differs := difference(expected, environment()):
        raise WrongEnvironment(
            f"worker on {platform.node()} has {differs}; allowed is what the client has; install the same there"
        )

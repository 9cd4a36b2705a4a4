"""The picture of an apparatus of any kind."""

from __future__ import annotations

from pathlib import Path

from matplotlib.figure import Figure

from tower_sim.apparatus.amerigo.tower import SquareTower
from tower_sim.apparatus.combat_ship.ship import CombatShip
from tower_sim.apparatus.parts import Apparatus
from tower_sim.drawing.amerigo import tower_figure
from tower_sim.drawing.files import check_path, save
from tower_sim.drawing.ship import ship_figure
from tower_sim.state import TowerState


def draw_apparatus(apparatus: Apparatus, path: str | Path, state: TowerState | None = None) -> None:
    """Draw an apparatus into the file `path`, with the cubes of `state` where they lie; lengths in mm.

    Raises UsageError for a path that cannot be written, or a cube in the state without a pose.
    """
    check_path(path)
    save(apparatus_figure(apparatus, state), path)


def apparatus_figure(apparatus: Apparatus, state: TowerState | None = None) -> Figure:
    """Return the figure that `draw_apparatus` writes."""
    if isinstance(apparatus, CombatShip):
        return ship_figure(apparatus, state)
    if isinstance(apparatus, SquareTower):
        return tower_figure(apparatus, state)
    raise TypeError(f"no picture of a {type(apparatus).__name__} is known")

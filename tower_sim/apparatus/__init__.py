"""What other folders use of this one."""

# pyright: reportUnusedImport=false
from typing import TYPE_CHECKING

from tower_sim.tools import face

if TYPE_CHECKING:
    from tower_sim.apparatus import catalogue, shapes, where
    from tower_sim.apparatus.board import Board, Zone
    from tower_sim.apparatus.catalogue import FITTED_WITH, fitted_with, from_tables, load, names, parse, shipped
    from tower_sim.apparatus.common import demand
    from tower_sim.apparatus.dimensions import (
        Angle,
        BoardPlan,
        Cut,
        Dimensions,
        Height,
        Level,
        Part,
        Printed,
        Section,
        Vector,
        Width,
    )
    from tower_sim.apparatus.kind import ApparatusKind, WithBoard, with_board
    from tower_sim.apparatus.parts import (
        Apparatus,
        Box,
        Hull,
        Surface,
        as_apparatus,
        as_tower,
        normal_of,
        span,
        tilted_about_y,
    )
    from tower_sim.apparatus.printing import export
    from tower_sim.apparatus.shapes import axes, corners
    from tower_sim.apparatus.where import (
        ASKED,
        DESK,
        EMERGED,
        ESCAPED,
        FIRST_ZONE,
        MISSED,
        TOUCH,
        look,
        moved,
        reach_up,
        touch,
    )

__getattr__ = face(__name__)

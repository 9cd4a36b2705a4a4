"""What is thrown, what lies inside and what came of a drop: the values that every part speaks of."""

# pyright: reportUnusedImport=false
from typing import TYPE_CHECKING

from tower_sim.tools import face

if TYPE_CHECKING:
    from tower_sim.values.cubes import (
        COLOURS,
        MAX_CUBES,
        Cube,
        as_counts,
        check_colour,
        count_by_colour,
        in_order,
        parse_counts,
        supply,
    )
    from tower_sim.values.outcome import (
        BORDER,
        DOORWAY,
        INSIDE,
        LOST,
        TABLE,
        TRAY,
        ZONE,
        Landing,
        Outcome,
        Place,
        Status,
    )
    from tower_sim.values.state import (
        DROPS,
        LAUNCH,
        MAX_SEED,
        MOST_THERE,
        SHORT,
        BoardState,
        Event,
        Pose,
        Resident,
        Touch,
        TowerState,
        check_seed,
        derive_seed,
        rng_from_text,
        rng_text,
        short_seed,
    )

__getattr__ = face(__name__)

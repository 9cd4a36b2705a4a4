"""What other folders use of this one."""

# pyright: reportUnusedImport=false
from typing import TYPE_CHECKING

from tower_sim.tools import face

if TYPE_CHECKING:
    from tower_sim.physics import plain
    from tower_sim.physics.engine import Motion, find_version
    from tower_sim.physics.plain import core_wasm, document, text
    from tower_sim.physics.scene import Scene, advice_by_digest, find_maker, state_digest
    from tower_sim.physics.settings import (
        ENGINE,
        GRAVITY,
        SETTINGS_VERSION,
        STANDARD,
        PhysicsSettings,
        accuracies,
        accuracy,
        as_settings,
        check_engine,
        own_accuracy,
        read_settings,
    )
    from tower_sim.physics.world import World

__getattr__ = face(__name__)

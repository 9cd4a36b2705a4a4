"""PhysicsSettings: every numerical choice of the rigid-body engine, in one frozen, versioned object."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass

SETTINGS_VERSION = 1


@dataclass(frozen=True, slots=True)
class PhysicsSettings:
    """The engine's settings; docs/physics.md holds the measurements behind each default.

    Lengths are in cube edges where the engine's own threshold must scale with the cube, times in seconds.

    timestep: the longest engine step.
    step_travel: no cube may travel further than this many edges in one step; a window with faster cubes is cut finer.
    passed_travel: the same for a cube that has passed everything that could hold it and is on its way out.
    window: time between two looks at the cubes (sweeping, settling, choosing the step).
    iterations: contact solver iterations a step.
    firm_iterations, firm_relaxation: the same, without the early stop, where all residents are awake but slow: in a
        knock, and in the further goes of wedged cubes.
    rest_overlap: cubes at rest that overlap by more than this many edges are wedged.
    residual: the solver stops early when its largest squared velocity error falls below this (0: never).
    relaxation: overlap is corrected at the speed overlap / relaxation (s).
    contact_breaking: how far apart (edges) two bodies may be and still keep a contact point.
    restitution_speed: below this approach speed (m/s) a contact does not bounce.
    quiet_speed, quiet_spin: a cube is quiet when every velocity component (m/s) and spin component (rad/s) is below.
    quiet_time: a cube quiet for so long is at rest; it is put to sleep until it is hit.
    longest: simulated seconds after the last cube left the hand, after which a drop is stopped.
    creep: a drop stopped in which no cube moved more than this many edges in the last second is jammed.
    """

    timestep: float = 1 / 500
    step_travel: float = 0.1
    passed_travel: float = 0.2
    window: float = 0.01
    iterations: int = 20
    firm_iterations: int = 100
    firm_relaxation: float = 0.02
    rest_overlap: float = 0.015
    residual: float = 1e-4
    contact_breaking: float = 0.02
    restitution_speed: float = 0.05
    quiet_speed: float = 0.005
    quiet_spin: float = 1.0
    quiet_time: float = 0.2
    longest: float = 12.0
    creep: float = 0.1
    relaxation: float = 0.05

    def digest(self) -> str:
        """Return a short digest of the version and every setting."""
        text = json.dumps([SETTINGS_VERSION, asdict(self)], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

"""PhysicsSettings: every numerical choice of the rigid-body engine, in one frozen, versioned object."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from numbers import Integral, Real
from typing import Any, cast

from tower_sim.errors import check_kind, fault, near
from tower_sim.registry import names

SETTINGS_VERSION = 1
GRAVITY = 9.81  # m/s2
ENGINE = "bullet"
LEAST_BOUNCE = 2.0  # times the speed that gravity adds in a timestep: see PhysicsSettings.restitution_speed


def _number(default: float, low: float, high: float) -> Any:
    """Declare a number (or a whole number, if the default is one) from `low` to `high`."""
    return field(default=default, metadata={"low": low, "high": high})


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
    restitution_speed: below this approach speed (m/s) a contact does not bounce. Allowed from LEAST_BOUNCE times the
        speed that gravity adds in a timestep, 3.92 cm/s at the default one. With less resting cubes may bounce for
        ever: at 1.27 times that speed in 12 of 60 drops, at 1.53 in 4 of 80, at 1.78 in 0 of 120, from 2 on in 0 of 150
        (of 49 cubes into the two fitted towers, 20 into the ship; steps of 4, 2 and 1 ms).
    quiet_speed, quiet_spin: a cube is quiet when every velocity component (m/s) and spin component (rad/s) is below.
        Half of the least values allowed leave cubes without rest for ever (3 of 12 drops of 49, each).
    quiet_time: a cube quiet for so long is at rest; it is put to sleep until it is hit. Less than `longest`.
    longest: simulated seconds after the last cube left the hand, after which a drop is stopped.
    creep: a drop stopped in which no cube moved more than this many edges in the last second is jammed.
    engine: the name of the rigid-body engine that is set so; those there are: `tower_sim.registry.names("engine")`.

    Raises UsageError for a value out of its range, and an unknown engine.
    """

    timestep: float = _number(1 / 500, 1e-5, 0.01)
    step_travel: float = _number(0.1, 0.001, 10)
    passed_travel: float = _number(0.2, 0.001, 10)
    window: float = _number(0.01, 0.001, 0.1)
    iterations: int = _number(20, 1, 1000)
    firm_iterations: int = _number(100, 1, 1000)
    firm_relaxation: float = _number(0.02, 0.001, 1)
    rest_overlap: float = _number(0.015, 0.001, 0.2)
    residual: float = _number(1e-4, 0, 1)
    contact_breaking: float = _number(0.02, 0.001, 0.2)
    restitution_speed: float = _number(0.05, 0, 1)
    quiet_speed: float = _number(0.005, 0.001, 0.1)
    quiet_spin: float = _number(1.0, 0.2, 10)
    quiet_time: float = _number(0.2, 0.01, 10)
    longest: float = _number(12.0, 0.05, 120)
    creep: float = _number(0.1, 0.001, 1)
    relaxation: float = _number(0.05, 0.001, 1)
    engine: str = ENGINE

    def __post_init__(self) -> None:
        _check_engine(self.engine)
        for item in fields(self)[:-1]:  # the last is the engine
            object.__setattr__(
                self,
                item.name,
                _checked(item.name, getattr(self, item.name), cast("float", item.default), item.metadata),
            )
        if self.restitution_speed < (least := LEAST_BOUNCE * GRAVITY * self.timestep):
            raise fault(
                "settings.restitution_speed",
                self.restitution_speed,
                f"{least:.3g} to 1 at a timestep of {self.timestep:g}, or cubes at rest bounce for ever",
                "raise it, or shorten the timestep",
            )
        if self.quiet_time >= self.longest:
            raise fault(
                "settings.quiet_time",
                self.quiet_time,
                f"less than longest, {self.longest:g}",
                "or no cube comes to rest",
            )

    def digest(self) -> str:
        """Return a short digest of the version and every setting."""
        text = json.dumps([SETTINGS_VERSION, self.table()], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def table(self) -> dict[str, Any]:
        """Return every setting by name, without the engine where it is the default one.

        So settings, and campaigns of them, of before there was a choice keep their digests.
        """
        plain = asdict(self)
        if self.engine == ENGINE:
            del plain["engine"]
        return plain


def as_settings(settings: object) -> PhysicsSettings:
    """Return settings, the defaults for None; raises UsageError for anything else, such as a table of them."""
    if settings is None:
        return PhysicsSettings()
    return check_kind("settings", settings, PhysicsSettings, "PhysicsSettings", "write PhysicsSettings(iterations=40)")


def _check_engine(name: object) -> None:
    """Raise UsageError unless an engine has this name; whether it can be had here is asked when one is made."""
    known = names("engine")
    if not (isinstance(name, str) and name in known):
        hint = near(name, known) if isinstance(name, str) else ""
        raise fault("settings.engine", name, f"one of {', '.join(known)}", f"check its spelling{hint}")


def _checked(name: str, value: object, default: float, bounds: Mapping[str, float]) -> float:
    """Return a setting as a plain number of its default's kind; raises UsageError when it is not within `bounds`."""
    low, high = bounds["low"], bounds["high"]
    whole = isinstance(default, int)
    is_number = isinstance(value, Integral if whole else Real) and value is not True and value is not False
    if not (is_number and low <= cast("float", value) <= high):  # False for nan too
        raise fault(
            f"settings.{name}",
            value,
            f"a {'whole ' if whole else ''}number from {low:g} to {high:g}",
            f"change it, or leave it out for {default:g}",
        )
    return int(cast("int", value)) if whole else float(cast("float", value))

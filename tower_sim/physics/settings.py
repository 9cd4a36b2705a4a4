"""PhysicsSettings: all numerical choices of a rigid-body engine, in one immutable object with a version."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from numbers import Integral, Real
from typing import Any, cast

from pydantic import ConfigDict, Field, model_validator
from pydantic.dataclasses import dataclass as checked_dataclass
from pydantic_core import ArgsKwargs

from tower_sim.documents import raise_usage_errors, refuse_unknown
from tower_sim.errors import UsageError, check_kind, check_table, fault, near
from tower_sim.tools import names

SETTINGS_VERSION = 1
GRAVITY = 9.81  # m/s2
ENGINE = "core"
"""The default engine of files, commands and requests."""
STANDARD = "standard"


@dataclass(frozen=True, slots=True)
class Numbers:
    """The `standard` value of each setting of an engine, and the values that its accuracies change.

    `least_bounce` is the lowest `restitution_speed`, in units of the speed that gravity adds in a timestep.
    """

    standard: Mapping[str, float]
    accuracies: Mapping[str, Mapping[str, float]]
    least_bounce: float


_COMMON = {"window": 0.01, "quiet_speed": 0.005, "quiet_spin": 1.0, "quiet_time": 0.2, "longest": 12.0, "creep": 0.1}
NUMBERS: Mapping[str, Numbers] = {
    "bullet": Numbers(
        standard=_COMMON
        | {
            "timestep": 1 / 500,
            "step_travel": 0.1,
            "passed_travel": 0.2,
            "iterations": 20,
            "firm_iterations": 100,
            "firm_relaxation": 0.02,
            "rest_overlap": 0.015,
            "residual": 1e-4,
            "contact_breaking": 0.02,
            "restitution_speed": 0.05,
            "relaxation": 0.05,
        },
        accuracies={STANDARD: {}},
        least_bounce=2.0,
    ),
    "core": Numbers(
        standard=_COMMON
        | {
            "timestep": 1 / 1000,
            "step_travel": 0.05,
            "passed_travel": 0.1,
            "iterations": 100,
            "residual": 2e-4,
            "restitution_speed": 0.02,
            "relaxation": 0.02,
            "slop": 0.001,
            "patch": 0.01,
        },
        accuracies={
            "fast": {"timestep": 1 / 500, "step_travel": 0.1, "passed_travel": 0.2},
            STANDARD: {},
            "fine": {"timestep": 1 / 2000, "step_travel": 0.025, "passed_travel": 0.05},
        },
        least_bounce=0.25,
    ),
}
"""The default settings and the accuracies of our engines. An engine of another package has Bullet's."""


def _number(low: float, high: float, sentence: str) -> Any:
    return Field(None, ge=low, le=high, description=sentence)


@raise_usage_errors("settings")
@checked_dataclass(
    frozen=True, slots=True, kw_only=True, config=ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)
)
class PhysicsSettings:
    """The settings of an engine; a setting that is left out has the engine's default in NUMBERS.

    docs/documents.md explains each setting, docs/physics.md the defaults. Lengths are in cube edges where the engine's
    threshold must scale with the cube.

    A setting that an engine lacks has the default of an engine with it, takes no other value, and is neither in `table`
    nor in the digest. `dataclasses.replace` keeps every number: for another engine's defaults make new settings.

    Bullet's `restitution_speed` must be at least twice the speed that gravity adds in a timestep, or some drops never
    come to rest.

    >>> settings = PhysicsSettings(timestep=0.0005)
    >>> settings.engine, settings.timestep, settings.iterations
    ('core', 0.0005, 100)
    """

    timestep: float = _number(1e-5, 0.01, "The longest step of the engine (s).")
    step_travel: float = _number(
        0.001,
        10,
        "A cube travels no further than this in a step (cube edges). A window with faster cubes is cut finer.",
    )
    passed_travel: float = _number(
        0.001, 10, "The same for a cube that has passed everything that could hold it and is on its way out."
    )
    window: float = _number(
        0.001, 0.1, "The time between two looks at the cubes, which sweep, settle and choose the step (s)."
    )
    iterations: int = _number(1, 1000, "The iterations of the contact solver in a step.")
    firm_iterations: int = _number(
        1,
        1000,
        "The same, without the early stop, where all residents are awake but slow: in a knock, and in the further goes "
        "of wedged cubes.",
    )
    firm_relaxation: float = _number(0.001, 1, "The `relaxation` (s) where `firm_iterations` are taken.")
    rest_overlap: float = _number(0.001, 0.2, "Cubes at rest that overlap by more than this are wedged (cube edges).")
    residual: float = _number(
        0,
        1,
        "The solver stops early when what is left is below this; 0 is never. Bullet: the largest squared velocity "
        "error. The core: the most that the velocity of any contact still changes by (m/s).",
    )
    contact_breaking: float = _number(
        0.001, 0.2, "Two bodies keep a contact point up to this distance from each other (cube edges)."
    )
    restitution_speed: float = _number(0, 1, "A contact does not bounce below this approach speed (m/s).")
    quiet_speed: float = _number(0.001, 0.1, "A quiet cube has every component of its velocity below this (m/s).")
    quiet_spin: float = _number(0.2, 10, "A quiet cube has every component of its spin below this (rad/s).")
    quiet_time: float = _number(
        0.01, 10, "A cube quiet for this long is at rest: it sleeps until it is hit (s). It is less than `longest`."
    )
    longest: float = _number(0.05, 120, "A drop is stopped this long after the last cube left the hand (simulated s).")
    creep: float = _number(
        0.001, 1, "A stopped drop in which no cube moved more than this in the last second is jammed (cube edges)."
    )
    relaxation: float = _number(0.001, 1, "Overlap is corrected at the speed overlap / relaxation (s).")
    slop: float = _number(0, 0.05, "Overlap up to this is left uncorrected (cube edges).")
    patch: float = _number(
        0, 0.1, "Where a contact is a single point, the radius of the patch whose friction resists spin (cube edges)."
    )
    engine: str = Field(default=ENGINE, description="The name of the rigid-body engine that is set so.")

    @model_validator(mode="before")
    @classmethod
    def _fill_in(cls, values: ArgsKwargs) -> ArgsKwargs:
        arguments = {name: _plain(value) for name, value in (values.kwargs or {}).items()}
        engine = check_engine(arguments.get("engine", ENGINE))
        defaults = {name: value for other in NUMBERS.values() for name, value in other.standard.items()}
        own = engine_numbers(engine).standard
        for name in defaults.keys() & arguments.keys() - own.keys():
            default, value = defaults[name], arguments[name]
            if type(value) is not type(default) or value != default:
                raise _refuse_setting(engine, name, value)
        return ArgsKwargs((), {**defaults, **own, "engine": engine, **arguments})

    @model_validator(mode="after")
    def _check(self) -> PhysicsSettings:
        if self.restitution_speed < (least := engine_numbers(self.engine).least_bounce * GRAVITY * self.timestep):
            allowed = f"{least:.3g} to 1 at a timestep of {self.timestep:g}, or cubes at rest bounce for ever"
            advice = "raise it, or shorten the timestep"
            raise fault("settings.restitution_speed", self.restitution_speed, allowed, advice)
        if self.quiet_time >= self.longest:
            allowed = f"less than longest, {self.longest:g}"
            raise fault("settings.quiet_time", self.quiet_time, allowed, "or no cube comes to rest")
        return self

    def digest(self) -> str:
        """Return a short digest of the version and of all settings of the engine."""
        text = json.dumps([SETTINGS_VERSION, self.table()], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def table(self) -> dict[str, Any]:
        """Return all settings of the engine by name, and its name; `read_settings` reverses this."""
        return {name: getattr(self, name) for name in (*list_settings(self.engine), "engine")}


def engine_numbers(engine: str) -> Numbers:
    """Return the numbers of an engine; one of another package has Bullet's."""
    return NUMBERS.get(engine, NUMBERS["bullet"])


def list_settings(engine: str) -> tuple[str, ...]:
    """Return the names of the settings that an engine has, without `engine`."""
    own = engine_numbers(engine).standard
    return tuple(item.name for item in fields(PhysicsSettings) if item.name in own)


def accuracies(engine: str) -> tuple[str, ...]:
    """Return the names of an engine's accuracies, the fastest first."""
    return tuple(engine_numbers(engine).accuracies)


def accuracy(engine: str, name: object) -> PhysicsSettings:
    """Return the settings of an engine at an accuracy.

    Args:
        engine: `core`, `bullet` or an engine of another package.
        name: One of `accuracies(engine)`.

    Returns:
        The settings.

    >>> [(name, accuracy("core", name).timestep) for name in accuracies("core")]
    [('fast', 0.002), ('standard', 0.001), ('fine', 0.0005)]
    """
    known = accuracies(check_engine(engine))
    if not isinstance(name, str) or name not in known:
        others = [other for other in names("engine") if isinstance(name, str) and name in accuracies(other)]
        advice = f"name the engine {' or '.join(others)}" if others else "check its spelling"
        hint = near(name, known) if isinstance(name, str) else ""
        one_of = "one of " if len(known) > 1 else ""
        raise fault("accuracy", name, f"{one_of}{', '.join(known)} with the engine {engine}", f"{advice}{hint}")
    return PhysicsSettings(engine=engine, **cast("dict[str, Any]", engine_numbers(engine).accuracies[name]))


def own_accuracy(engine: str, own: str) -> str:
    """Return the accuracy of an engine for an apparatus that names its `own`; an engine without it has `standard`."""
    return own if own in accuracies(engine) else STANDARD


def read_settings(table: Mapping[str, Any], own: str = STANDARD) -> PhysicsSettings:
    """Return the settings in a table; its other keys override those of its `accuracy`, which may be left out.

    `own` is the accuracy of the apparatus.
    """
    engine = check_engine(check_table("settings", table).get("engine", ENGINE))
    _check_keys(table, engine)
    others = {key: value for key, value in table.items() if key != "accuracy"}
    return replace(accuracy(engine, table.get("accuracy", own_accuracy(engine, own))), **others)


def as_settings(settings: object, own: str = STANDARD) -> PhysicsSettings:
    """Return the PhysicsSettings; for None those of the core with the accuracy `own` of an apparatus."""
    if settings is None:
        return accuracy(ENGINE, own)
    return check_kind("settings", settings, PhysicsSettings, "PhysicsSettings", "write PhysicsSettings(iterations=40)")


def check_engine(name: object, what: str = "settings.engine") -> str:
    """Return the name of a known engine, even without its package; errors call it `what`."""
    known = names("engine")
    if not (isinstance(name, str) and name in known):
        hint = near(name, known) if isinstance(name, str) else ""
        raise fault(what, name, f"one of {', '.join(known)}", f"check its spelling{hint}")
    return name


def _refuse_setting(engine: str, name: str, value: object) -> UsageError:
    others = [other for other in names("engine") if name in engine_numbers(other).standard]
    advice = f"remove it, or name the engine {' or '.join(others)}" if others else "remove it"
    return fault(f"settings.{name}", value, f"none: the engine {engine} has no such setting", advice)


def _check_keys(table: Mapping[str, Any], engine: str) -> None:
    own, every = [*list_settings(engine), "engine", "accuracy"], [item.name for item in fields(PhysicsSettings)]
    for key, value in table.items():
        if key in every and key not in own:
            raise _refuse_setting(engine, key, value)
    refuse_unknown(table, dict.fromkeys(own), "settings")


def _plain(value: object) -> object:
    if value is True or value is False or not isinstance(value, Real):
        return value
    return int(value) if isinstance(value, Integral) else float(value)

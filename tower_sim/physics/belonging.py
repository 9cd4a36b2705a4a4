"""The digest in a state of physics, of the apparatus and the settings that made it."""

from __future__ import annotations

import hashlib

from tower_sim.apparatus.parts import Apparatus
from tower_sim.physics.settings import STANDARD, PhysicsSettings, accuracies, accuracy
from tower_sim.registry import names


def state_digest(shape: Apparatus, settings: PhysicsSettings) -> str:
    """Return the digest of states of an apparatus with these settings."""
    return hashlib.sha256(f"{shape.digest} {settings.digest()}".encode()).hexdigest()[:16]


def find_maker(shape: Apparatus, digest: str) -> tuple[str, str] | None:
    """Return the engine and the accuracy that give this `digest` in an apparatus, or None."""
    return _find_makers(shape).get(digest)


def advice_by_digest(shape: Apparatus) -> dict[str, str]:
    """Return, by digest, the engine and the accuracy to continue a state with."""
    advice: dict[str, str] = {}
    for digest, (engine, fineness) in _find_makers(shape).items():
        finer = "" if fineness == STANDARD else f" --accuracy {fineness}"
        advice[digest] = f"go on with the engine that made it: try --engine {engine}{finer}"
    return advice


def _find_makers(shape: Apparatus) -> dict[str, tuple[str, str]]:
    each = [(engine, fineness) for engine in names("engine") for fineness in accuracies(engine)]
    return {state_digest(shape, accuracy(*one)): one for one in reversed(each)}

"""What a state of the physics belongs to: an apparatus with settings, as a digest that stands in the state."""

from __future__ import annotations

import hashlib

from tower_sim.apparatus.parts import Apparatus
from tower_sim.physics.settings import STANDARD, PhysicsSettings, accuracies, accuracy
from tower_sim.registry import names


def digest_of(shape: Apparatus, settings: PhysicsSettings) -> str:
    """Return what identifies states of an apparatus with these settings."""
    return hashlib.sha256(f"{shape.digest} {settings.digest()}".encode()).hexdigest()[:16]


def made_with(shape: Apparatus, digest: str) -> tuple[str, str] | None:
    """Return the engine and the accuracy that made a state of this `digest` in an apparatus; None: other ones."""
    return _known(shape).get(digest)


def advice_by_digest(shape: Apparatus) -> dict[str, str]:
    """Return what to try with a state of an apparatus by its digest, for each engine at each accuracy that it has."""
    told: dict[str, str] = {}
    for digest, (engine, fineness) in _known(shape).items():
        finer = "" if fineness == STANDARD else f" --accuracy {fineness}"
        told[digest] = f"go on with the engine that made it: try --engine {engine}{finer}"
    return told


def _known(shape: Apparatus) -> dict[str, tuple[str, str]]:
    each = [(engine, fineness) for engine in names("engine") for fineness in accuracies(engine)]
    return {digest_of(shape, accuracy(*one)): one for one in reversed(each)}

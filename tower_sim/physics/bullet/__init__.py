"""PyBullet as a second engine, against which the core is checked; scene.py serves every engine that only steps."""

from tower_sim.physics.bullet.engine import BulletEngine, Stepper

__all__ = ["BulletEngine", "Stepper"]

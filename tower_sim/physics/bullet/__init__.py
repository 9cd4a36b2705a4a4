"""PyBullet as a second engine, against which the core is checked; scene.py serves every engine that only steps."""

from tower_sim.physics.bullet.engine import BulletEngine

__all__ = ["BulletEngine"]

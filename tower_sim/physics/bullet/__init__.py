"""PyBullet as a second engine, against which the core is checked, and what every engine needs that only steps.

engine.py is Bullet itself, scene.py the drop around an engine's steps, whose rules are those of the core.
"""

from tower_sim.physics.bullet.engine import BulletEngine

__all__ = ["BulletEngine"]

"""The core: rigid cubes among fixed boxes, exact, converged, the same bytes on every machine.

Read run.py first: a step is

    broad.py     which rows are near each other                (seldom)
    motion.py    gravity
    narrow.py    where they touch or soon will
    sleep.py     who is woken by that
    solver.py    impulses: bounce and friction, exactly
    motion.py    where that takes them

arrays.py holds everything as flat arrays, compiled.py has it compiled, engine.py is what the scene speaks to.
"""

from tower_sim.physics.core.engine import CoreEngine

__all__ = ["CoreEngine"]

"""The core: a whole drop of rigid cubes among fixed parts, compiled; the same bytes on every machine and in JavaScript.

machine.py has what is called from outside. Read run.py first, then

    drop.py      between two windows: cubes come and go, is the drop over?
    hand.py      how a hand lets cubes go                      (compiled/trig.py: sines and logarithms)
    overlap.py   how deep they lie in each other
    step.py      in a window: a step is

        broad.py     which rows are near each other            (seldom)
        motion.py    gravity
        narrow.py    where they touch or soon will             (hulls.py: among solids that are no boxes)
        sleep.py     who is woken by that
        contacts.py  the points as rows of numbers: which bounce, which hold
        solver.py    how hard: bounce and friction, exactly    (cuboids.py: of what turns otherwise than a cube)
        correction.py  what overlaps is pushed apart
        motion.py    where that takes them

impulses.py is what an impulse does to a body. arrays.py holds everything as tables of records, machine.py has it
compiled, engine.py lays numbers into the tables.
"""

from tower_sim.physics.core.engine import CoreEngine

__all__ = ["CoreEngine"]

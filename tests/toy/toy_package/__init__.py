"""Another package's apparatus, engine and game: a box, cubes that only fall, points for those that come out."""

from contextlib import nullcontext

import numpy as np
from pydantic import Field

from tower_sim.apparatus import Apparatus, ApparatusKind, Surface, span
from tower_sim.apparatus.parts import Hand, Region
from tower_sim.games import Figure, Game, Rules, Turn
from tower_sim.physics import Motion
from tower_sim.values import INSIDE, TRAY, Place

EDGE, WIDE, HIGH = 0.01, 0.05, 0.2


class Box(Apparatus):
    """A box: what lands on its lid has come out, what falls through the hole at x < 0 stays inside."""

    def find(self, position, orientation):
        return [Place(TRAY if out else f"{INSIDE}box") for out in self.emerged(position)]

    def emerged(self, position):
        return position[:, 0] > 0

    def escaped(self, position):
        return ~(np.abs(position) < 1).all(axis=1)


def make(profile):
    w, walls = WIDE, (0, HIGH + 0.05)
    sides = [((-w - 0.01, -w), (-w, w)), ((w, w + 0.01), (-w, w)), ((-w, w), (-w - 0.01, -w)), ((-w, w), (w, w + 0.01))]
    boxes = [span("wall", x, y, walls, "wood") for x, y in sides]
    boxes.append(span("floor", (-w, w), (-w, w), (-0.01, 0), "wood"))
    boxes.append(span("lid", (0, w), (-w, w), (HIGH - 0.01, HIGH), "wood"))
    wood, hand = Surface(0.4, 0.3), Hand(0.06, 0.06, 0.0, 0.0)
    shape = {"cube_edge": EDGE, "cube_density": 600.0, "rim_top": HIGH, "passed": -1.0, "swept": False}
    of_profile = {"name": profile.name, "profile": profile.tables, "digest": profile.digest}
    inside = {"boxes": tuple(boxes), "surfaces": {"wood": wood}, "between_cubes": wood, "regions": (Region("box", 0),)}
    return Box(**of_profile, **inside, **shape, hand=hand)


KIND = ApparatusKind("toy_box", "a box whose lid has a hole", __name__, make)


class ToyEngine:
    """Points that do not turn: they fly until a box or a cube is under them. A cube is a row: place, turn, velocity."""

    title, distribution, lock = "a toy", "toy", nullcontext()

    def clear(self, edge):
        self.edge, self.boxes, self.cubes, self.awake = edge, [], {}, set()

    def set_gravity(self, gravity):
        self.gravity = np.array(gravity)

    def add_boxes(self, boxes, surfaces, cube):
        self.boxes = list(boxes)

    def add_cube(self, pose):
        body = max(self.cubes, default=0) + 1
        self.cubes[body] = np.array([*pose.position, *pose.orientation, 0, 0, 0], dtype=float)
        self.awake.add(body)
        return body

    def set_velocity(self, body, velocity, spin):
        self.cubes[body][7:] = list(velocity)

    def put_to_sleep(self, body):
        self.set_velocity(body, (0, 0, 0), None)
        self.awake.discard(body)

    def lay_to_rest(self, poses):
        for body in poses:
            self.put_to_sleep(body)

    def wake(self, body):
        self.awake.add(body)

    def remove(self, body):
        self.awake.discard(body)
        del self.cubes[body]

    def _nothing(self, *_):
        """Mass and effort do not matter to points."""

    __init__ = close = set_effort = set_cubes = _nothing

    def step(self, timestep, steps):
        for body in sorted(self.awake):
            cube = self.cubes[body]
            ground = self._ground(body, *cube[:3])
            for _ in range(steps):
                cube[7:] += self.gravity * timestep
                cube[:3] += cube[7:] * timestep
                if cube[2] <= ground:
                    cube[2], cube[7:] = ground, 0

    def _ground(self, body, x, y, z):
        reach = 0.9 * self.edge  # more than half a diagonal
        tops = [box.centre[2] + box.half[2] for box in self.boxes
                if abs(x - box.centre[0]) <= box.half[0] and abs(y - box.centre[1]) <= box.half[1]]  # fmt: skip
        others = [other for number, other in self.cubes.items() if number != body]
        tops += [at[2] + reach for at in others if np.hypot(at[0] - x, at[1] - y) < 2 * reach]
        return max((top for top in tops if top < z), default=-0.5 - reach) + reach

    def overlap(self):
        return 0.0

    def motion(self, bodies):
        rows = np.array([self.cubes[body] for body in bodies]).reshape(-1, 10)
        return Motion(rows[:, :3], rows[:, 3:7], rows[:, 7:], 0 * rows[:, 7:])


class Rounds(Rules):
    """The rules of the toy game."""

    cubes: int = Field(6, ge=1, le=100, description="red cubes")
    throws: int = Field(3, ge=1, le=100, description="throws of a round")


class RedOnes(Game):
    """throw every cube that is out, so often; each that comes out is a point"""

    name, title, run, Rules = "toy_game", "The red ones", "round", Rounds
    apparatus = "toy_box"
    facts = {"points": int}
    figures = (Figure("points", "points of a round", "points", "cubes that come out", "points", take="sum"),)

    def cubes(self, rules):
        return {"red": rules.cubes}

    def play(self, tower, rules):
        for _ in range(rules.throws):
            out = len(tower.throw(tower.outside).emerged)
            yield Turn(f"{out} points", {"points": out})

    def summary(self, turns, rules):
        points = sum(turn.facts["points"] for turn in turns if turn.failed is None)
        return f"You made {points} points. Another seed gives other points."


GAME = RedOnes()

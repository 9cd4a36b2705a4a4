"""Another package's apparatus, engine and game: a box, cubes that only fall, points for those that come out."""

from contextlib import nullcontext
from functools import partial

import numpy as np

from tower_sim.apparatus.kind import ApparatusKind
from tower_sim.apparatus.parts import Apparatus, Hand, Region, Surface, span
from tower_sim.columns import Column
from tower_sim.cubes import supply
from tower_sim.errors import check_whole
from tower_sim.fields import refuse_unknown
from tower_sim.games.game import Game, Turn, game_seed
from tower_sim.model import TooManyFailedDraws, until_landed
from tower_sim.physics.engine import Motion
from tower_sim.places import INSIDE, TRAY, Place
from tower_sim.runs.figure import Figure

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
    wood, hand = Surface(0.4, 0.3), Hand(0.06, 0.06, 0.1, 0.0, 0.0)
    shape = {"cube_edge": EDGE, "cube_density": 600.0, "rim_top": HIGH, "passed": -1.0, "swept": False}
    of_profile = {"name": profile.name, "profile": profile.tables, "digest": profile.digest}
    inside = {"boxes": tuple(boxes), "surfaces": {"wood": wood}, "between_cubes": wood, "regions": (Region("box", 0),)}
    return Box(**of_profile, **inside, **shape, hand=hand)


KIND = ApparatusKind("toy_box", "a box whose lid has a hole", __name__, make)


class ToyEngine:
    """Cubes fall straight down until a box or a cube is under their middle."""

    title, distribution, lock = "a toy", "toy", nullcontext()

    def clear(self, edge):
        self.edge, self.boxes, self.cubes = edge, [], {}

    def add_boxes(self, boxes, surfaces, cube):
        self.boxes = list(boxes)

    def add_cube(self, pose):
        body = max(self.cubes, default=0) + 1
        self.cubes[body] = {"at": np.array(pose.position), "turn": pose.orientation, "speed": 0.0}
        return body

    def set_velocity(self, body, velocity, spin):
        self.cubes[body]["speed"] = list(velocity)[2]

    def _nothing(self, *_):
        """Mass, effort and sleep do not matter to a cube that falls alone."""

    __init__ = close = set_gravity = set_effort = set_cubes = lay_to_rest = put_to_sleep = wake = _nothing

    def remove(self, body):
        del self.cubes[body]

    def step(self, timestep, steps):
        for body, cube in self.cubes.items():
            ground = self._ground(body, *cube["at"])
            for _ in range(steps):
                cube["speed"] -= 9.81 * timestep
                cube["at"][2] += cube["speed"] * timestep
                if cube["at"][2] <= ground:
                    cube["at"][2], cube["speed"] = ground, 0.0

    def _ground(self, body, x, y, z):
        reach = 0.9 * self.edge  # more than half a diagonal
        tops = [box.centre[2] + box.half[2] for box in self.boxes
                if abs(x - box.centre[0]) <= box.half[0] and abs(y - box.centre[1]) <= box.half[1]]  # fmt: skip
        others = [other["at"] for number, other in self.cubes.items() if number != body]
        tops = [top for top in tops if top < z]
        tops += [at[2] + reach for at in others if at[2] < z and np.hypot(at[0] - x, at[1] - y) < 2 * reach]
        return max(tops, default=-0.5 - reach) + reach

    def overlap(self):
        return 0.0

    def motion(self, bodies):
        cubes = [self.cubes[body] for body in bodies]
        speed = np.array([(0.0, 0.0, cube["speed"]) for cube in cubes]).reshape(-1, 3)
        position = np.array([cube["at"] for cube in cubes]).reshape(-1, 3)
        return Motion(position, np.array([cube["turn"] for cube in cubes]).reshape(-1, 4), speed, 0 * speed)


class RedOnes(Game):
    """Throw every cube that is out, so often; each that comes out is a point."""

    name, title, run, tables = "toy_game", "The red ones", "round", ("toy_game",)
    apparatus = "toy_box"
    columns = (Column("points", "int16", True, "cubes that came out"),)

    def read(self, tables):
        table = {"cubes": 6, "throws": 3} | tables.get("toy_game", {})
        refuse_unknown(table, {"cubes": 1, "throws": 1}, "toy_game")
        for key, value in table.items():
            check_whole(f"toy_game.{key}", value, 1, 100)
        return table

    def plain(self, rules):
        return {"toy_game": dict(rules)}

    def play(self, model, rules, seed, run=None):
        seed = seed if run is None else game_seed(seed, run)
        state, out = model.empty(), supply({"red": rules["cubes"]}, model.cube_edge)
        for index in range(rules["throws"]):
            stream = np.random.SeedSequence(seed, spawn_key=(index,))
            try:
                outcome = until_landed(partial(model.drop, state, out), stream)
            except TooManyFailedDraws as error:
                yield Turn(index, state, failed=error)
                return
            state, out = outcome.state, outcome.emerged
            yield Turn(index, state, facts={"points": len(out)}, entry=outcome)

    def figures(self):
        return (Figure("points", "points of a round", "points"),)

    def measured(self, turns, rules):
        return (float(sum(turn.facts["points"] for turn in turns)),)

    def summary(self, turns, rules):
        return f"You made {sum(turn.facts['points'] for turn in turns)} points. Another seed gives other points."


GAME = RedOnes()

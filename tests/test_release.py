"""Hands and places put down follow the laws that they are said to: those that numpy's own draws give, and closed forms.

Two samples of n and m are further apart than 1.95 sqrt(1 / n + 1 / m) (Kolmogorov, Smirnov) with chance 0.001 if their
law is one. 3,000 each see laws that are 0.08 apart 19 times in 20: hands of which one is 5 % wider, for one.
"""

import math
from collections.abc import Sequence
from statistics import NormalDist

import numpy as np
import numpy.typing as npt
import pytest
from support.cases import each_case

from tests.support.bench import SHAKING, Launch, Shake, put_down, release
from tower_sim.apparatus import load, with_board
from tower_sim.apparatus.parts import Hand
from tower_sim.physics import GRAVITY
from tower_sim.values import supply

Array = npt.NDArray[np.float64]

EDGE = 0.008
CELL = EDGE * math.sqrt(3) * 1.001
SPREAD = 0.09
NUMBER = 3000


def apart(one: Sequence[float] | Array, other: Sequence[float] | Array) -> float:
    """Return the Kolmogorov-Smirnov distance of two samples, as a part of its bound."""
    a, b = np.sort(one), np.sort(other)
    both = np.concatenate([a, b])
    gap = np.searchsorted(a, both, "right") / len(a) - np.searchsorted(b, both, "right") / len(b)
    return float(np.abs(gap).max()) / (1.95 * math.sqrt(1 / len(a) + 1 / len(b)))


def hand(**other: float) -> Hand:
    return Hand(**({"height": 0.005, "spread": SPREAD, "speed": 0.1, "spin": 5.0} | other))


def launched(of: Hand, number: int, hands: int) -> list[list[Launch]]:
    cubes = supply({"any": number}, EDGE)
    rngs = (np.random.default_rng([seed, number]) for seed in range(hands))
    return release(cubes, of, 0.2, EDGE, 0.01, *rngs)


def layer(rng: np.random.Generator) -> Array:
    """The lattice's cells within the hand's circle, in an order: the law as numpy draws and reckons it."""
    radius = SPREAD / 2 - CELL / 2
    reach = math.ceil(radius / CELL) + 1
    grid = np.arange(-reach, reach + 1) * CELL
    x, y = np.meshgrid(*(grid[:, None] + rng.uniform(0, CELL, 2)).T)
    points = np.stack([x.ravel(), y.ravel()], axis=1)
    points = points[np.linalg.norm(points, axis=1) <= radius]
    angle = rng.uniform(0, np.pi / 2)
    turned = points @ np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    return rng.permutation(turned)


@pytest.mark.slow
@each_case("number", [1, 5, 49])
def test_places_follow_the_law_of_a_lattice_shifted_and_turned_at_random(number: int):
    """The first and the last cube of each hand, beside places that numpy draws."""
    rng = np.random.default_rng(1)
    ours, theirs = [], []
    for launches in launched(hand(), number, NUMBER // 2):
        ours += [launches[i].pose.position for i in (0, -1)]
        layers: list[Array] = []
        while sum(map(len, layers)) < number:
            layers.append(layer(rng)[: number - sum(map(len, layers))])
        levels = [i for i, each in enumerate(layers) for _ in each]
        places = np.concatenate(layers)
        theirs += [(*places[i], 0.2 + 0.005 + CELL / 2 + levels[i] * CELL) for i in (0, -1)]
    (x, y, z), (u, v, w) = np.array(ours).T, np.array(theirs).T
    assert apart(np.hypot(x, y), np.hypot(u, v)) < 1
    assert apart(np.arctan2(y, x), np.arctan2(v, u)) < 1
    assert apart(x, u) < 1
    assert apart(z, w) < 1


def test_a_hand_that_is_held_a_little_wider_is_seen():
    ours = np.array([each[0].pose.position for each in launched(hand(spread=1.05 * SPREAD), 1, NUMBER)])
    theirs = np.array([each[0].pose.position for each in launched(hand(), 1, NUMBER)])
    assert apart(np.hypot(*ours.T[:2]), np.hypot(*theirs.T[:2])) > 1


def test_velocities_and_spins_are_normal_of_the_hands_sd_and_depend_on_nothing_else():
    """9,000 components each: standard errors 1 % of the sd for the mean, 0.75 % for the sd."""
    launches = [launch for each in launched(hand(), 5, NUMBER // 5) for launch in each]
    velocity = np.array([launch.velocity for launch in launches]) / 0.1
    spin = np.array([launch.spin for launch in launches]) / 5.0
    samples: tuple[Array, Array] = (velocity.ravel(), spin.ravel())
    for drawn in samples:
        assert abs(drawn.mean()) < 3.3 / math.sqrt(drawn.size)
        assert abs(drawn.std() - 1) < 3.3 / math.sqrt(2 * drawn.size)
        assert apart(drawn, [NormalDist().inv_cdf((i + 0.5) / 10**5) for i in range(10**5)]) < 1
    position = np.array([launch.pose.position[:2] for launch in launches])
    turn = np.array([launch.pose.orientation for launch in launches])
    together: Array = np.asarray(np.corrcoef(np.hstack([velocity, spin, position, turn]).T))
    assert np.abs(together - np.eye(len(together))).max() < 4.2 / math.sqrt(len(launches))  # 66 of them: chance 0.002


def test_poured_cubes_each_have_a_place_of_their_own_drawing():
    x, y, z = np.array([each[1].pose.position for each in launched(hand(rate=12.5), 2, NUMBER)]).T
    u, v = np.array([layer(np.random.default_rng([2, i]))[0] for i in range(NUMBER)]).T
    assert apart(np.hypot(x, y), np.hypot(u, v)) < 1
    assert apart(np.arctan2(y, x), np.arctan2(v, u)) < 1
    assert set(z) == {0.2 + 0.005 + CELL / 2}


@pytest.mark.slow
@pytest.mark.parametrize("zone", ["damage_fore", "strength_2"])
def test_a_cube_put_down_is_uniform_over_places_and_turns_at_which_it_is_clear_of_borders_and_cubes(zone: str):
    """Beside points and turns that numpy draws, kept when all corners are in the zone and in no cube laid there."""
    ship = with_board(load("dead_reckoning"))
    edge, corner = ship.cube_edge, np.array(ship.board.zone(zone).corners)
    laid = put_down(ship, zone, [], np.random.default_rng(9))
    poses = [put_down(ship, zone, [laid], np.random.default_rng([3, seed])) for seed in range(NUMBER)]
    x, y, z = np.array([pose.position for pose in poses]).T
    turn = np.array([2 * math.atan2(pose.orientation[2], pose.orientation[3]) for pose in poses])
    assert (z == ship.board.floor + edge / 2).all()
    rng = np.random.default_rng(4)
    point = rng.uniform(corner.min(axis=0), corner.max(axis=0), (12 * NUMBER, 2))
    theta = rng.uniform(0, math.pi / 2, len(point))
    side = np.roll(corner, -1, axis=0) - corner
    inward = np.stack([-side[:, 1], side[:, 0]], axis=1) / np.linalg.norm(side, axis=1)[:, None]
    square = _square(point, theta, edge)
    depth = ((square[:, :, None] - corner) * inward).sum(axis=3)
    other = _square(np.array([laid.position[:2]]), np.array([2 * math.asin(laid.orientation[2])]), 1.04 * edge)[0]
    kept = depth.min(axis=(1, 2)) >= 0.04 * edge
    near = kept & (np.linalg.norm(point - laid.position[:2], axis=1) < 2 * edge)  # the others cannot touch it
    kept[near] = [_apart(_grown(each, 1.04), other) for each in square[near]]
    assert kept.sum() > NUMBER / 2
    assert apart(x, point[kept, 0]) < 1
    assert apart(y, point[kept, 1]) < 1
    assert apart(turn, theta[kept]) < 1


def _square(middle: Array, turn: Array, edge: float) -> Array:
    corner = np.array([(1, 1), (-1, 1), (-1, -1), (1, -1)]) * edge / 2
    cos, sin = np.cos(turn)[:, None], np.sin(turn)[:, None]
    x, y = corner.T
    return middle[:, None] + np.stack([cos * x - sin * y, sin * x + cos * y], axis=2)


def _grown(square: Array, times: float) -> Array:
    middle = square.mean(axis=0)
    return middle + times * (square - middle)


def _apart(one: Array, other: Array) -> bool:
    for line in (one[1] - one[0], one[2] - one[1], other[1] - other[0], other[2] - other[1]):
        a, b = one @ line, other @ line
        if a.max() < b.min() or b.max() < a.min():
            return True
    return False


def test_a_knock_comes_from_all_round_and_its_swing_is_the_fourth_power_of_a_sine():
    """What is felt is against the table's acceleration, that of A sin^4(pi t / T), by differences of exact places."""
    rng = np.random.default_rng(5)
    angle = [math.atan2(shake.y, shake.x) for shake in (Shake.draw(1.0, rng) for _ in range(NUMBER))]
    assert apart(angle, np.linspace(-math.pi, math.pi, 10**5)) < 1
    shake, step = Shake.draw(2.0, rng), 1e-5
    assert math.hypot(shake.x, shake.y) == pytest.approx(1, abs=1e-15)
    times = np.linspace(2 * step, SHAKING - 2 * step, 400)
    moved = np.sin(np.pi * (times[:, None] + np.array([-step, 0, step])) / SHAKING) ** 4
    felt = (moved[:, 0] - 2 * moved[:, 1] + moved[:, 2]) / step**2
    felt *= np.sign(felt[0]) * 2.0 * GRAVITY / np.abs(felt).max()
    ours = np.array([shake.gravity(time) for time in times.tolist()])
    along = ours[:, 0] * shake.x + ours[:, 1] * shake.y
    assert np.allclose(along * np.sign(along[0]), felt, atol=0.02 * GRAVITY)
    assert (ours[:, 2] == -GRAVITY).all()
    assert shake.gravity(SHAKING) == (0.0, 0.0, -GRAVITY)

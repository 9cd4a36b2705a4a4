"""The core: a cube that slides flat, straight, across a slope and spinning, against what Coulomb friction says."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation
from support.cases import each_case
from support.scenes import EDGE, Array, awake, floor, matrices, pose, run, set_up, slope_axes

from tests.support.bench import GRAVITY, Motion, World
from tower_sim.apparatus import Surface, tilted_about_y

SETTINGS = awake("core")
FEET: Array = np.array([(x, y) for x in (-1, 1) for y in (-1, 1)], dtype=float) * EDGE / 2
"""A flat contact is its corners: (4, 2), m, from the cube's middle."""


@each_case("friction", [0.1, 0.4, 0.6])
@each_case("yaw", [0.0, 10.0, 22.5, 45.0])
def test_a_cube_slides_straight_and_stops_where_friction_stops_it(world: World, friction: float, yaw: float):
    """Direction within 1 degree, way v^2 / (2 mu g) less half of the longest step's slide, no turning, at any yaw."""
    velocity = 0.6 * np.array([math.cos(0.3), math.sin(0.3)])
    motions = _slide(world, friction, velocity, 0.0, 1.2 * 0.6 / friction / GRAVITY, yaw=yaw)
    way = motions[-1].position[0, :2]
    off = math.degrees(math.atan2(way[1], way[0]) - 0.3)
    far, expected = float(np.linalg.norm(way)), 0.6**2 / (2 * friction * GRAVITY)
    along = matrices(np.concatenate([motion.orientation for motion in motions]))[:, :, 0]  # how far it has turned
    turned = np.abs(np.arctan2(along[:, 1], along[:, 0]) - math.radians(yaw)).max()
    print(f"friction {friction}, yaw {yaw}: {off:+.4f} degrees, {far / expected - 1:+.3%}, turned {turned:.1e} rad")
    assert abs(off) < 1.0
    assert far == pytest.approx(expected, abs=0.6 * world.settings.timestep / 2)
    assert turned < math.radians(0.1)
    assert np.abs(motions[-1].velocity).max() < 1e-3


@each_case("across", [30.0, 90.0, 150.0])
def test_a_cube_pushed_across_a_slope_turns_downhill_as_a_sliding_point_does(world: World, across: float):
    """A point's equation, g sin s down the slope and mu g cos s against the velocity: direction within 1 degree."""
    slope, friction = math.atan(0.4) + math.radians(2), 0.4
    angle = math.radians(across)
    first = 0.5 * np.array([math.cos(angle), math.sin(angle)])  # down, across

    def change(_: float, velocity: Array) -> Array:
        pull = np.array([GRAVITY * math.sin(slope), 0.0])
        return pull - friction * GRAVITY * math.cos(slope) * velocity / max(float(np.linalg.norm(velocity)), 1e-9)

    motions = _slide(world, friction, first, 0.0, 0.4, slope)
    _, down = slope_axes(slope)
    slid = np.array([(m.velocity[0] @ down, m.velocity[0, 1]) for m in motions])
    times = world.settings.window * np.arange(1, len(slid) + 1)
    expected = solve_ivp(change, (0, times[-1]), first, t_eval=times, rtol=1e-8, atol=1e-10).y.T
    quick = np.linalg.norm(expected, axis=1) > 0.2 * 0.5  # slower ones turn by much in a step
    off = np.degrees(np.arctan2(slid[:, 1], slid[:, 0]) - np.arctan2(expected[:, 1], expected[:, 0]))[quick]
    off = np.abs((off + 180) % 360 - 180)
    away = np.linalg.norm(slid - expected, axis=1).max() / 0.5
    print(f"pushed at {across} degrees: direction off by at most {off.max():.3f} degrees, velocity by {away:.2%}")
    assert quick.sum() > 5
    assert off.max() < 1.0
    assert away < 0.01


@each_case("friction", [0.1, 0.4, 0.6])
@each_case("spin", [20.0, 100.0])
def test_a_cube_that_spins_on_its_face_slows_down_as_four_corners_make_it(world: World, friction: float, spin: float):
    """Four corners of equal load at a / sqrt 2 from the axis: mu m g a / sqrt 2 against m a^2 / 6."""
    rate = 3 * math.sqrt(2) * friction * GRAVITY / EDGE
    motions = _slide(world, friction, np.zeros(2), spin, 1.2 * spin / rate)
    spins = np.array([m.spin[0, 2] for m in motions])
    times = world.settings.window * np.arange(1, len(spins) + 1)
    expected = np.maximum(spin - rate * times, 0.0)
    drift = max(float(np.linalg.norm(m.position[0, :2])) for m in motions)
    off = np.abs(spins - expected).max()
    print(f"friction {friction}, {spin} rad/s: off by {off:.4f}, drifts {drift / EDGE:.1e} edges")
    assert spins == pytest.approx(expected, abs=0.005 * spin)
    assert drift < 0.005 * EDGE


@each_case(("parts", "bounds"), [(1, (0.03, 0.04, 0.02)), (8, (0.015, 0.04, 0.01))])
@each_case("friction", [0.1, 0.3, 0.5])
@each_case(("speed", "spin"), [(0.3, 50.0), (0.3, 150.0), (0.6, 100.0)])
def test_a_cube_that_slides_and_spins_moves_as_the_equations_of_four_corners_say(
    parts: int, bounds: tuple[float, float, float], friction: float, speed: float, spin: float
):
    """`bounds` of velocity, spin and way (shares), in steps as shipped and an eighth; uneven loads show in the spin."""
    seconds = 2 * (speed / GRAVITY / friction + spin * EDGE / 3 / math.sqrt(2) / GRAVITY / friction)
    finer = {name: getattr(SETTINGS, name) / parts for name in ("timestep", "step_travel", "residual")}
    with World(replace(SETTINGS, **finer)) as world:
        motions = _slide(world, friction, np.array([speed, 0.0]), spin, seconds)
    times: Array = SETTINGS.window * np.arange(1.0, len(motions) + 1)
    expected = _equations(friction, np.array([speed, 0.0]), spin, times)
    velocity = np.array([m.velocity[0, :2] for m in motions])
    spins = np.array([m.spin[0, 2] for m in motions])
    way = motions[-1].position[0, :2]
    off_speed = np.linalg.norm(velocity - expected[:, :2], axis=1).max() / speed
    off_spin = np.abs(spins - expected[:, 2]).max() / spin
    off_way = np.linalg.norm(way - expected[-1, 3:5]) / np.linalg.norm(expected[-1, 3:5])
    plain = speed**2 / (2 * friction * GRAVITY)
    print(
        f"step / {parts}, friction {friction}, {speed} m/s, {spin} rad/s: velocity off by {off_speed:.2%}, spin "
        f"{off_spin:.2%}, way {off_way:.2%}; it comes {np.linalg.norm(way) / plain:.3f} times as far as without spin"
    )
    assert off_speed < bounds[0]
    assert off_spin < bounds[1]
    assert off_way < bounds[2]


def test_the_equations_of_four_corners_have_the_closed_forms_of_sliding_and_of_spinning():
    times = np.linspace(0.001, 0.05, 20)
    slid = _equations(0.3, np.array([0.3, 0.0]), 0.0, times)
    assert slid[:, 0] == pytest.approx(0.3 - 0.3 * GRAVITY * times, abs=1e-6)
    spun = _equations(0.3, np.zeros(2), 100.0, times)
    assert spun[:, 2] == pytest.approx(100 - 3 * math.sqrt(2) * 0.3 * GRAVITY / EDGE * times, abs=1e-3)


def _equations(friction: float, velocity: Array, spin: float, times: Array) -> Array:
    """Integrate a cube that slides on four corners; velocity (2), spin, place (2), heading at `times`: (n, 6).

    Corner i at r_i bears N_i = N / 4 (1 - F . r_i / (N h)) so that friction F does not tip it, sum N_i r_i = -h F,
    and is rubbed by -mu N_i s_i, s_i the direction of its slip.
    """
    weight, h = GRAVITY, EDGE / 2  # a unit mass

    def change(_: float, state: Array) -> Array:
        c, s = math.cos(state[5]), math.sin(state[5])
        feet = FEET @ np.array([[c, s], [-s, c]])
        slip = state[:2] + state[2] * np.column_stack([-feet[:, 1], feet[:, 0]])
        size = np.linalg.norm(slip, axis=1)
        direction = slip / np.sqrt(size**2 + 1e-12)[:, None]  # rest within a um/s
        # F + sum_i mu / 4 s_i (-(r_i . F) / h) = -mu N / 4 sum_i s_i
        matrix = np.eye(2) - friction / 4 / h * direction.T @ feet
        force = np.linalg.solve(matrix, -friction * weight / 4 * direction.sum(axis=0))
        load = weight / 4 - feet @ force / (4 * h)
        rubbed = -friction * load[:, None] * direction
        torque = float((feet[:, 0] * rubbed[:, 1] - feet[:, 1] * rubbed[:, 0]).sum())
        return np.array([*force, torque / (EDGE**2 / 6), *state[:3]])

    start = [*velocity, spin, 0.0, 0.0, 0.0]
    return solve_ivp(change, (0, times[-1]), start, method="LSODA", t_eval=times, rtol=1e-8, atol=1e-9).y.T


def _slide(
    world: World, friction: float, velocity: Array, spin: float, seconds: float, slope: float = 0.0, yaw: float = 0.0
) -> list[Motion]:
    up, down = slope_axes(slope)
    turn = Rotation.from_quat(tilted_about_y(slope)) * Rotation.from_euler("z", yaw, degrees=True)
    bodies = set_up(world, [pose(up * EDGE / 2, turn.as_quat())], Surface(friction, 0.4), [floor(slope)])
    world.engine.set_velocity(bodies[0], velocity[0] * down + velocity[1] * np.array([0, 1.0, 0]), spin * up)
    return list(run(world, bodies, seconds))

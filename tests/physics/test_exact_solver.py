"""The judge judged: the exact solver against answers that are known without it."""

import csv
import importlib.util
import math
from pathlib import Path

import numpy as np
import pytest
from support import scenes
from support.cases import each_case
from support.scenes import CORNERS, DOWN, EDGE, UPRIGHT, WEIGHTLESS, Array, floor, matrices, pose, slope_axes, turns

from calibration.validation import arbiter
from calibration.validation.exact_solver import NEWTON, OVERLAP, POISSON, ExactSolver, Law, solve_one, throw
from calibration.validation.overlap import deepest_of
from tests.support.bench import release
from tests.support.towers import CLUB
from tower_sim.apparatus import Box, Surface, load, tilted_about_y
from tower_sim.apparatus.parts import Quaternion, Vector, turned_about_z
from tower_sim.physics import GRAVITY
from tower_sim.values import supply

pytestmark = pytest.mark.slow

STEP = 1e-4
SPIN = 6 / EDGE**2  # one over the moment of inertia of a cube of mass 1
TOUCHING = EDGE * (1 - OVERLAP)  # height of a cube that lies on the floor, twice the height of its centre
PAIRS = [Surface(0.4, 0.4), Surface(0.6, 0.53), Surface(0.26, 0.32), Surface(0.2, 0.3)]

takes_numba = pytest.mark.skipif(importlib.util.find_spec("numba") is None, reason="minutes long in plain Python")


def among(boxes: list[Box], pair: Surface, law: Law, cubes: int = 1) -> ExactSolver:
    return ExactSolver(law, boxes, {"floor": pair}, pair, cubes)


def kinetic(motion: Array) -> Array:
    return (motion[:, :3] ** 2).sum(axis=1) / 2 + (motion[:, 3:] ** 2).sum(axis=1) / SPIN / 2


def vector(three: Array) -> Vector:
    x, y, z = (float(part) for part in three)
    return x, y, z


@pytest.mark.parametrize("share", [0.0, 0.5])
def test_the_impulse_of_a_point_obeys_every_line_of_the_law(share: float):
    """5,000 drawn points: of two cubes that touch anywhere, at any speed. `share`: of a least impulse asked for."""
    rng = np.random.default_rng(1)
    kinds = {"parts": 0, "holds": 0, "slides": 0}
    for _ in range(5000):
        answer = np.zeros((3, 3))
        for _ in range(2):
            arm = rng.uniform(-EDGE / 2, EDGE / 2, 3)
            answer += np.eye(3) + SPIN * (arm @ arm * np.eye(3) - np.outer(arm, arm))
        free, friction, p = rng.normal(0, 1, 3), rng.uniform(0, 0.9), np.zeros(3)
        least = share * rng.uniform(0, 1)
        assert solve_one(answer, np.asarray(np.linalg.inv(answer), dtype=float), free, friction, least, p)
        after, rub = free + answer @ p, math.hypot(p[1], p[2])
        slip = math.hypot(after[1], after[2])
        small = 1e-9 * (1 + np.abs(p).max())
        assert p[0] >= least
        assert after[0] >= -small
        assert abs(after[0]) < small or p[0] == least
        assert rub <= friction * p[0] + small
        if slip > small and p[0] > 0:
            assert rub == pytest.approx(friction * p[0], abs=small)
            assert p[1:] @ after[1:] == pytest.approx(-rub * slip, abs=small)
        kinds["parts" if p[0] == 0 else "holds" if slip < small else "slides"] += 1
    assert min(n for kind, n in kinds.items() if kind != "parts" or not share) > 100


@each_case("pair", PAIRS)
def test_a_corner_impact_is_routhes_where_slip_stops_or_keeps_its_direction(pair: Surface):
    """There one impulse problem and the integral agree; Routh's error is of two steps and a degree's turn of slip."""
    turn, motion, arm, slip, mobility = corner_impacts(400)
    _, expected, turned = scenes.routh(slip, mobility, pair.friction, pair.restitution, 1000)
    left = slip + np.einsum("nij,nj->ni", mobility, expected)
    alike = (turned < math.radians(1)) | (np.hypot(left[:, 0], left[:, 1]) < 1e-9)
    after = strike(turn, motion, arm, pair, NEWTON)
    impulse = after[:, :3] - motion[:, :3]
    error = np.linalg.norm(impulse - expected, axis=1) / np.linalg.norm(expected, axis=1)
    assert alike.sum() > 15
    assert error[alike].max() < 2 / 1000 + pair.friction * math.radians(1) / 2


@each_case("pair", PAIRS)
@each_case("restitution", [NEWTON, POISSON])
def test_friction_opposes_the_slip_that_an_impact_leaves_and_stays_in_its_disc(pair: Surface, restitution: float):
    turn, motion, arm, slip, _ = corner_impacts(400)
    after = strike(turn, motion, arm, pair, restitution)
    impulse = after[:, :3] - motion[:, :3]
    left = after[:, :3] + np.cross(after[:, 3:], arm)
    rub, speed = np.hypot(impulse[:, 0], impulse[:, 1]), np.hypot(left[:, 0], left[:, 1])
    assert (rub <= pair.friction * impulse[:, 2] * (1 + 1e-6)).all()
    assert (kinetic(after) <= kinetic(motion)).all()
    slides = speed > 1e-3
    assert 20 < slides.sum() < len(slides)
    if restitution == NEWTON:
        assert left[:, 2] == pytest.approx(-pair.restitution * slip[:, 2], abs=1e-3 * np.abs(slip[:, 2]).max())
        cosine = (impulse[:, :2] * left[:, :2]).sum(axis=1)[slides] / (rub * speed)[slides]
        # the arm is that of the corner, the point of contact lies half an overlap beside it
        assert cosine == pytest.approx(-1, abs=1e-3)
        assert rub[slides] == pytest.approx(pair.friction * impulse[slides, 2], rel=1e-6)


def corner_impacts(number: int) -> tuple[Array, Array, Array, Array, Array]:
    """Draw cubes one of whose corners strikes: orientation, velocity and spin, arm, speed of the corner, mobility."""
    turn, motion, arm, slip = scenes.draw_corners(np.random.default_rng(3), 3 * number // 2)
    heights = np.sort(np.einsum("nj,kj->nk", matrices(turn)[:, 2], CORNERS * EDGE), axis=1)
    chosen = np.flatnonzero(heights[:, 1] - heights[:, 0] > 0.02 * EDGE)[:number]
    assert len(chosen) == number
    return turn[chosen], motion[chosen], arm[chosen], slip[chosen], scenes.point_mobility(arm[chosen], 1 / SPIN, 1.0)


def strike(turn: Array, motion: Array, arm: Array, pair: Surface, restitution: float) -> Array:
    law = Law(EDGE, 1e-8, WEIGHTLESS, restitution=restitution)
    after: list[Array] = []
    for i in range(len(turn)):
        solver = among([floor()], pair, law)
        velocity, spin = vector(motion[i, :3]), vector(motion[i, 3:])
        solver.add(pose(-arm[i] - np.array([0, 0, OVERLAP * EDGE / 2]), turn[i]), velocity, spin)
        solver.advance(1)
        assert solver.unsolved == 0
        after.append(solver.motion()[0])
    return np.array(after)


@each_case("restitution", [NEWTON, POISSON])
@each_case("nominal", [0.0, 0.3, 0.7])
def test_a_flat_drop_bounces_with_the_nominal_restitution(nominal: float, restitution: float):
    height = 0.1
    solver = among([floor()], Surface(0.4, nominal), Law(EDGE, STEP, DOWN, restitution=restitution))
    solver.add(pose((0, 0, EDGE / 2 + height)))
    speed = math.sqrt(2 * GRAVITY * height)
    solver.advance(round(speed / GRAVITY / STEP) + 4)
    velocity, above = solver.motion()[0, 2], solver.position()[0, 2] - EDGE / 2
    effective = math.sqrt(max(velocity**2 + 2 * GRAVITY * above, 0.0)) / speed
    # A step's gravity more or less before the impact and after, and the overlap of up to a step that is pushed out.
    assert effective == pytest.approx(nominal, abs=4 * GRAVITY * STEP / speed)


def lay(slope: float, friction: float, seconds: float) -> tuple[float, float, float]:
    """Lay a cube on a slope; returns, after a while, how far down it is, how fast, and how far (rad) it had turned."""
    across, down = slope_axes(slope)
    solver = among([floor(slope)], Surface(friction, 0.4), Law(EDGE, STEP, DOWN))
    solver.add(pose(across * TOUCHING / 2, tilted_about_y(slope)))
    upright = 1.0
    for _ in range(round(seconds / STEP / 100)):
        solver.advance(100)
        upright = min(upright, float(solver.axes()[0, :, 2] @ across))
    return float(solver.position()[0] @ down), float(solver.motion()[0, :3] @ down), math.acos(upright)


@each_case("friction", [0.2, 0.4, 0.8])
def test_a_cube_sticks_to_a_slope_a_hundredth_of_a_degree_below_the_angle_of_friction(friction: float):
    along, speed, _ = lay(math.atan(friction) - math.radians(0.01), friction, 0.2)
    # the first steps, which have no impulses to start from, may leave a little of what gravity gives in one of them
    assert abs(along) < 5 * GRAVITY * STEP**2
    assert abs(speed) < Law(EDGE, STEP, DOWN).tolerance * GRAVITY * STEP


@each_case("friction", [0.0, 0.2, 0.4, 0.8])
@each_case("above", [0.01, 1.0, 5.0])
def test_a_cube_slides_down_a_steeper_slope_as_coulomb_says(friction: float, above: float):
    slope = math.atan(friction) + math.radians(above)
    _, speed, _ = lay(slope, friction, 0.2)
    expected = 0.2 * GRAVITY * (math.sin(slope) - friction * math.cos(slope))
    assert speed == pytest.approx(expected, abs=0.2 * Law(EDGE, STEP, DOWN).tolerance * GRAVITY)


@pytest.mark.parametrize(("degrees", "topples"), [(44.9, False), (45.1, True)])
def test_a_cube_on_a_rough_slope_topples_at_45_degrees(degrees: float, topples: bool):
    _, _, turned = lay(math.radians(degrees), 1.5, 0.6)
    assert turned > math.radians(45) if topples else turned < 1e-6


def thrown_about(law: Law, pair: Surface) -> ExactSolver:
    """Return eight cubes that fly about in a closed box, four edges wide inside."""
    rng = np.random.default_rng(5)
    solver = among(walls(), pair, law, 8)
    for corner in CORNERS:
        start = pose(0.0155 * corner, turns(rng, 1)[0])
        solver.add(start, vector(rng.normal(0, 1.0, 3)), vector(rng.normal(0, 100.0, 3)))
    return solver


@takes_numba
@pytest.mark.parametrize("restitution", [NEWTON, POISSON])
def test_cubes_that_collide_in_a_closed_box_never_gain_energy(restitution: float):
    solver = thrown_about(Law(EDGE, STEP, WEIGHTLESS, restitution=restitution), Surface(0.5, 0.6))
    before = first = kinetic(solver.motion()).sum()
    for _ in range(3000):
        solver.advance(1)
        now = kinetic(solver.motion()).sum()
        # what is not solved to the end: a speed off by the tolerance (a step's gravity is its unit, here too)
        assert now - before < 8 * solver.law.tolerance * GRAVITY * STEP * math.sqrt(2 * first)
        before = now
    assert before < 0.2 * first
    assert (np.abs(solver.position()) < 0.016 - EDGE / 2 + 1e-3).all()


@takes_numba
def test_every_point_of_a_pile_obeys_the_law_while_it_falls_and_at_rest():
    """Each is looked at alone, with what all others give: it is solved if a sweep more would change next to nothing."""
    law, pair = Law(EDGE, STEP, DOWN), Surface(0.5, 0.4)
    solver = thrown_about(law, pair)
    small = 100 * law.tolerance * GRAVITY * STEP  # sweeps gain a digit in a hundred at the slowest
    solved, slid, crowd = 0, 0, 0
    for _ in range(3000):
        failed = solver.unsolved
        solver.advance(1)
        at, number = solver.memory.at, solver.memory.number
        points = slice(0, int(number[at == solver.steps - 1].sum()))
        if solver.unsolved > failed or not points.stop:
            continue
        solved += 1
        arms, axes = solver.contacts.arms[points], solver.contacts.axes[points]
        motion = solver.bodies.motion[solver.contacts.bodies[points]]
        speeds = motion[:, :, :3] + np.cross(motion[:, :, 3:], arms)
        left = np.einsum("nij,nj->ni", axes, speeds[:, 0] - speeds[:, 1])
        impulse = solver.contacts.impulse[points]
        parting = left[:, 0] - solver.contacts.aim[points]
        rub, slip = np.hypot(impulse[:, 1], impulse[:, 2]), np.hypot(left[:, 1], left[:, 2])
        pressed, slides = impulse[:, 0] > 0, (slip > 100 * small) & (impulse[:, 0] > 0)
        assert impulse[:, 0].min() >= 0
        assert parting.min() > -small
        assert np.abs(parting[pressed]).max(initial=0) < small
        assert (rub <= pair.friction * impulse[:, 0] * (1 + 1e-9)).all()
        assert rub[slides] == pytest.approx(pair.friction * impulse[slides, 0], rel=1e-6)
        cosine = (impulse[:, 1:] * left[:, 1:]).sum(axis=1)[slides] / (rub * slip)[slides]
        assert cosine == pytest.approx(-1, abs=1e-3)
        slid, crowd = slid + slides.sum(), max(crowd, points.stop)
    assert solved > 1000
    assert slid > 1000
    assert crowd > 20
    assert solver.unsolved < 0.02 * solver.steps
    ends = zip(solver.bodies.place[solver.boxes :], solver.bodies.turn[solver.boxes :], strict=True)
    resting = [pose(place, turn) for place, turn in ends]
    # more than twice what is left is pushed out, and gravity adds a step's fall
    assert deepest_of(resting, EDGE, walls()) < 2 * OVERLAP * EDGE + GRAVITY * STEP**2


def walls() -> list[Box]:
    places = [(k, sign * 0.046) for k in range(3) for sign in (1, -1)]
    axes = np.eye(3)
    return [Box("wall", "floor", vector(place * axes[k]), vector(0.1 - 0.07 * axes[k])) for k, place in places]


def test_a_stack_rests_and_a_cube_taken_from_under_it_lets_it_fall():
    solver = among([floor()], Surface(0.4, 0.4), Law(EDGE, STEP, DOWN), 4)
    for k in range(4):
        solver.add(pose((2e-4 * k, -1e-4 * k, (k + 0.5) * TOUCHING), turned_about_z(0.3 * k)))
    start = solver.position()
    solver.advance(2000)
    assert np.abs(solver.position() - start).max() < 2 * OVERLAP * EDGE
    assert np.abs(solver.motion()).max() < 1e-3
    solver.take(np.array([0]))
    solver.advance(200)
    assert solver.position()[:, 2] == pytest.approx(start[1:, 2] - GRAVITY * 0.02**2 / 2, abs=2e-5)


ON_EDGE = (math.sin(math.pi / 8), 0.0, 0.0, math.cos(math.pi / 8))


@pytest.mark.parametrize(("turn", "height"), [(UPRIGHT, 0.5), (ON_EDGE, math.sqrt(0.5))])
def test_a_cube_touches_another_by_face_and_across_edges(turn: Quaternion, height: float):
    """One lies fixed, flat or on an edge along x; one falls, flat or on an edge along y: it bounces."""
    across = (0.0, turn[0], 0.0, turn[3])
    fixed = Box("floor", "floor", (0.0, 0.0, 0.0), (EDGE / 2, EDGE / 2, EDGE / 2), turn)
    solver = among([fixed], Surface(0.4, 0.5), Law(EDGE, 1e-5, WEIGHTLESS))
    solver.add(pose((0, 0, 2 * height * EDGE + 1e-3), across), (0.0, 0.0, -1.0))
    solver.advance(150)
    # contact comes after 1 mm, at a step's end or one later
    assert solver.motion()[0] == pytest.approx([0, 0, 0.5, 0, 0, 0], abs=1e-6)
    assert solver.position()[0, 2] == pytest.approx(2 * height * EDGE + 0.5 * 5e-4, abs=3e-5)


@takes_numba
def test_a_drop_says_how_many_stay_and_is_the_same_again():
    apparatus = load(CLUB)
    edge, rng = apparatus.cube_edge, np.random.default_rng(1)
    (launches,) = release(supply({"any": 12}, edge), apparatus.hand, apparatus.rim_top, edge, 0.01, rng)
    law = Law(edge, 1e-3, DOWN)
    first = throw(apparatus, launches, law)
    assert first == throw(apparatus, launches, law)
    assert not first.failed
    assert 0 <= first.kept < 12
    assert 0.3 < first.seconds < 12


@takes_numba
def test_the_measurement_goes_on_where_its_store_ends(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    store = tmp_path / "drops.csv"
    arguments = ["--profile", CLUB, "--step", "2e-3", "--tolerance", "1e-2", "--store", str(store)]
    assert arbiter.main([*arguments, "--drops", "2"]) == 0
    text = store.read_text("utf-8")
    store.write_text(text[:-10], "utf-8")  # its run was killed
    assert arbiter.main([*arguments, "--drops", "3"]) == 0
    assert store.read_text("utf-8").startswith(text)
    with store.open(encoding="utf-8", newline="") as lines:
        drops = list(csv.DictReader(lines))
    assert [drop["seed"] for drop in drops] == ["900000", "900001", "900002"]
    mean = np.mean([int(drop["kept"]) for drop in drops if not drop["failed"]])
    assert f"| club.toml | {mean:.2f} +- " in capsys.readouterr().out


@each_case("mistake", [["--drops", "1"], ["--step", "3e-4"], ["--step", "0"], ["--store", "."]])
def test_the_measurement_refuses_what_it_cannot_do_in_one_line(mistake: list[str], capsys: pytest.CaptureFixture[str]):
    assert arbiter.main(["--store", "drops.csv", *mistake]) == 2
    assert capsys.readouterr().err.count("\n") == 1

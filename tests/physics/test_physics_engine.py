"""Engines: another one drops by its name; without PyBullet all but Bullet works."""

import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import nullcontext
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from support.cases import each_case

from tower_sim.apparatus import Apparatus, Box, Surface
from tower_sim.apparatus.parts import Hand, Region
from tower_sim.campaign import Spec, parse
from tower_sim.campaign.store import environment
from tower_sim.errors import UsageError
from tower_sim.physics import ENGINE, Motion, PhysicsSettings, find_version
from tower_sim.physics.bullet.engine import BulletEngine
from tower_sim.simulator import PhysicsModel
from tower_sim.testing import check_engine
from tower_sim.tools import registry
from tower_sim.values import INSIDE, TRAY, Place, Pose, Status, supply

Array = npt.NDArray[np.float64]


class PointEngine:
    """Cubes are points that fall through everything but the table, where they stop."""

    title = "Points"
    distribution = "numpy"
    lock = nullcontext()

    def __init__(self, settings: PhysicsSettings) -> None:
        self.clear(0.0)

    def close(self) -> None: ...

    def clear(self, edge: float) -> None:
        self.edge, self.gravity = edge, np.zeros(3)
        self.poses: dict[int, Pose] = {}
        self.moving: dict[int, tuple[Array, Array]] = {}

    def set_effort(self, iterations: int, residual: float, relaxation: float) -> None: ...

    def set_gravity(self, gravity: tuple[float, float, float]) -> None:
        self.gravity = np.array(gravity)

    def add_boxes(self, boxes: Iterable[Box], surfaces: Mapping[str, Surface], cube: Surface) -> None: ...

    def set_cubes(self, mass: float, inertia: float | None = None) -> None: ...

    def add_cube(self, pose: Pose) -> int:
        body = max(self.poses, default=-1) + 1
        self.poses[body] = pose
        self.wake(body)
        return body

    def set_velocity(self, body: int, velocity: Iterable[float], spin: Iterable[float]) -> None:
        self.moving[body] = np.array(self.poses[body].position), np.array(list(velocity), dtype=float)

    def lay_to_rest(self, poses: Mapping[int, Pose]) -> None:
        for body, pose in poses.items():
            self.poses[body] = pose
            self.moving.pop(body, None)

    def put_to_sleep(self, body: int) -> None:
        self.moving.pop(body, None)

    def wake(self, body: int) -> None:
        self.set_velocity(body, (0.0, 0.0, 0.0), ())

    def remove(self, body: int) -> None:
        del self.poses[body]
        self.moving.pop(body, None)

    def step(self, timestep: float, steps: int) -> None:
        for _ in range(steps):
            for body, (place, velocity) in self.moving.items():
                velocity += self.gravity * timestep
                place += velocity * timestep
                if place[2] < self.edge / 2:
                    place[2], velocity[:] = self.edge / 2, 0.0
                x, y, z = place.tolist()
                self.poses[body] = Pose((x, y, z), self.poses[body].orientation)

    def overlap(self) -> float:
        return 0.0

    def motion(self, bodies: Iterable[int]) -> Motion:
        rows = [
            (*self.poses[body].position, *self.poses[body].orientation, *self.moving.get(body, (0, np.zeros(3)))[1])
            for body in bodies
        ]
        table = np.array(rows, float).reshape(-1, 10)
        return Motion(table[:, :3], table[:, 3:7], table[:, 7:], np.zeros((len(rows), 3)))


def test_it_keeps_what_every_engine_promises():
    check_engine(PointEngine)


class Shelf(Apparatus):
    """The bare table: what lies on its left half stays, the rest has come out."""

    def find(self, position: Array, orientation: Array) -> list[Place]:
        return [Place(f"{INSIDE}left" if x < 0 else TRAY) for x in position[:, 0]]

    def emerged(self, position: Array) -> npt.NDArray[np.bool_]:
        return (position[:, 0] >= 0) & (position[:, 2] < self.cube_edge)

    def escaped(self, position: Array) -> npt.NDArray[np.bool_]:
        return np.abs(position).max(axis=1) > 1


WOOD = Surface(0.4, 0.4)
SHELF = Shelf(
    name="shelf", profile={}, digest="shelf", boxes=(), surfaces={"wood": WOOD}, between_cubes=WOOD, cube_edge=0.008,
    cube_density=650.0, hand=Hand(0.1, 0.1, 0.05, 0.0, 0.0), rim_top=0.1, passed=-1.0, swept=True,
    regions=(Region("left", 0.0),),
)  # fmt: skip


@pytest.fixture
def points(monkeypatch: pytest.MonkeyPatch) -> Iterator[PhysicsSettings]:
    monkeypatch.setitem(registry.OWN["engine"], "points", f"{__name__}:PointEngine")
    registry._entry_points.cache_clear()
    yield PhysicsSettings(engine="points")
    monkeypatch.undo()
    registry._entry_points.cache_clear()


def test_an_engine_of_forty_lines_drops_through_an_apparatus_of_ten(points: PhysicsSettings):
    cubes = supply({"red": 12}, SHELF.cube_edge)
    with PhysicsModel(SHELF, points) as model:
        first = model.drop(model.empty(), cubes, np.random.default_rng(1))
        again = model.drop(first.state, first.emerged, np.random.default_rng(2))
        with PhysicsModel(SHELF, points) as other:
            assert other.drop(other.empty(), cubes, np.random.default_rng(1)) == first
        knocked = model.knock(again.state, 1.0, np.random.default_rng(3))
    assert first.status == again.status == knocked.status == "settled"
    assert 0 < len(first.emerged) < 12
    assert {x.place for x in first.landings} == {"tray", "inside:left"}
    one, two = ({x.cube: x.pose for x in each.landings if x.cube in first.inside} for each in (first, again))
    assert one == two


def test_cubes_that_an_engine_leaves_in_each_other_are_no_landing(points: PhysicsSettings):
    """Points do not keep off each other: of 100 cubes let go in a circle of 12 edges some come to lie in others."""
    with PhysicsModel(SHELF, points) as model:
        outcome = model.drop(model.empty(), supply({"red": 100}, SHELF.cube_edge), np.random.default_rng(1))
        assert outcome.status is Status.TIMED_OUT
        assert outcome.state == model.empty()


def test_the_engine_of_another_package_has_the_settings_of_bullet_and_is_part_of_the_digest(points: PhysicsSettings):
    bullet = PhysicsSettings(engine="bullet")
    assert points.digest() != bullet.digest()
    assert points.table() == bullet.table() | {"engine": "points"}


@each_case("name", ["bulet", "", 7, None, ["bullet"]])
def test_an_unknown_engine_is_refused_in_one_line_with_the_known_ones(name: Any):
    with pytest.raises(UsageError, match=r"^settings\.engine is .*allowed is one of bullet") as refused:
        PhysicsSettings(engine=name)
    assert ("did you mean bullet?" in str(refused.value)) == (name == "bulet")


CAMPAIGN = """
[campaign]
game = "amerigo"
apparatus = "amerigo"
seed = "7"
games = 2
[rules]
rounds = 1
[settings]
engine = "{engine}"
"""


def test_a_campaign_says_its_engine(points: PhysicsSettings):
    spec = parse(CAMPAIGN.format(engine="points"))
    assert spec.point(0).settings == points
    assert Spec.from_canonical(spec.canonical) == spec
    default = parse(CAMPAIGN.format(engine=ENGINE))
    assert default == parse(CAMPAIGN.split("[settings]")[0])
    assert default.digest != spec.digest
    with pytest.raises(UsageError, match=r"settings\.engine is 'pints'.*did you mean points\?"):
        parse(CAMPAIGN.format(engine="pints"))


def test_the_versions_of_a_dataset_name_the_engines_that_are_installed(monkeypatch: pytest.MonkeyPatch):
    assert environment().get(BulletEngine.distribution) == find_version("bullet")
    monkeypatch.setattr(BulletEngine, "distribution", "no-such-package")
    versions = environment()
    assert not {"pybullet", "no-such-package"} & versions.keys()
    assert "numpy" in versions


WITHOUT = "import sys; sys.modules['pybullet'] = None\n"


def without_pybullet(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", WITHOUT + code], capture_output=True, text=True)


def throw_without_pybullet(*words: str) -> subprocess.CompletedProcess[str]:
    arguments = ["throw", "amerigo", "--cubes", "red=2", *words]
    return without_pybullet(f"from tower_sim.cli import main; sys.exit(main({arguments}))")


def test_without_pybullet_asking_for_bullet_says_in_one_line_what_to_install():
    done = throw_without_pybullet("--engine", "bullet")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert done.stderr.startswith("tower-sim: PyBullet, which the engine bullet needs, cannot be imported")
    assert "-m pip install pybullet" in done.stderr


def test_without_pybullet_the_default_engine_drops():
    done = throw_without_pybullet("--seed", "1")
    assert (done.returncode, done.stderr) == (0, "")
    assert "amerigo, physics, seed 1: " in done.stdout


@pytest.mark.slow
@each_case(
    "code",
    [
        "import tower_sim; tower_sim.PhysicsModel, tower_sim.PhysicsSettings(); from tower_sim import PhysicsModel",
        "import tower_sim.campaign, tower_sim.cli, tower_sim.drawing, tower_sim.service.lines, tower_sim.studies",
        "import tower_sim.campaign.store as here; here.environment()",
        "from tower_sim.cli.common import version; version()",
        "from tower_sim import open_model, load; open_model(load('amerigo'), 'surrogate')",
        "from tower_sim import open_model, load; open_model(load('amerigo'), 'physics')",
    ],
)
def test_nothing_but_bullet_needs_pybullet(code: str):
    done = without_pybullet(code)
    assert (done.returncode, done.stderr) == (0, "")


def test_importing_the_package_imports_no_simulator():
    code = "import sys, tower_sim.models; sys.exit('tower_sim.simulator' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_the_version_says_so_where_there_is_no_pybullet(monkeypatch: pytest.MonkeyPatch):
    from tower_sim.cli.common import version

    installed = find_version("bullet")
    assert f", the core {find_version('core')}, " in version()
    assert (f", PyBullet {installed}" if installed else ", no PyBullet") in version()
    monkeypatch.setattr(BulletEngine, "distribution", "no-such-package")
    assert ", no PyBullet" in version()

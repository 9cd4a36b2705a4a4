"""Towers from meshes: odd files, what is found in them, prisms on the surface, and where cubes are."""

from __future__ import annotations

import itertools
import math
import re
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.support.meshes import box, rough, small_tower
from tower_sim import PhysicsModel, cli, load
from tower_sim.apparatus import axes, from_tables
from tower_sim.apparatus.mesh.importing import Import, import_again, import_mesh
from tower_sim.apparatus.mesh.solids import find_cuboid
from tower_sim.apparatus.mesh.solids import read as read_solids
from tower_sim.errors import UsageError
from tower_sim.values import supply

trimesh = pytest.importorskip("trimesh")
pytest.importorskip("manifold3d")

EDGE = 10.0
UP = (0.0, 0.0, 0.0, 1.0)


def _import(folder: Path, mesh: Any, name: str = "tower.stl", **options: Any) -> Import:
    mesh.export(folder / name)
    return import_mesh(folder / name, folder / "mine.toml", edge=EDGE, **options)


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Import:
    return _import(tmp_path_factory.mktemp("mesh"), small_tower())


def _export(change: Callable[[Any], Any] = lambda mesh: mesh, form: str = "stl") -> Callable[[], bytes]:
    def data() -> bytes:
        exported = change(small_tower()).export(file_type=form)
        return exported.encode() if isinstance(exported, str) else exported

    return data


def _renew(mesh: Any, vertices: Any = None, faces: Any = None) -> Any:
    return trimesh.Trimesh(
        mesh.vertices if vertices is None else vertices, mesh.faces if faces is None else faces, process=False
    )


def _half_flip(mesh: Any) -> Any:
    return _renew(mesh, faces=np.concatenate([mesh.faces[::2, ::-1], mesh.faces[1::2]]))


def _add_shell(mesh: Any) -> Any:
    other = trimesh.creation.box(extents=(20, 20, 40))
    return trimesh.util.concatenate([mesh, other.apply_translation((60, 40, 20))])


def _add_slivers(mesh: Any) -> Any:
    thin = np.array([[-15, 10, 60], [0, 10, 60], [0, 10 + 1e-4, 60]])
    return trimesh.util.concatenate([mesh, _renew(mesh, np.tile(thin, (30, 1)), np.arange(90).reshape(-1, 3))])


def _keep_inside(mesh: Any) -> Any:
    """Return sheets without a thickness: the faces of the inside alone."""
    return _renew(mesh, faces=mesh.faces[(np.abs(mesh.triangles_center[:, :2]) < 15.01).all(axis=1)])


def _scale(factor: float) -> Callable[[], bytes]:
    return _export(lambda mesh: mesh.apply_scale(factor))


def _lay_down(mesh: Any) -> Any:
    return mesh.apply_transform(trimesh.transformations.rotation_matrix(-np.pi / 2, (1, 0, 0)))


def _many() -> bytes:
    """Return a binary STL of a million triangles."""
    return b"\0" * 80 + (1_000_000).to_bytes(4, "little") + b"\0" * 50_000_000


def _spoil(mesh: Any) -> Any:
    vertices = mesh.vertices.copy()
    vertices[3] = np.nan
    return _renew(mesh, vertices)


def _push(mesh: Any, far: float) -> Any:
    vertices = mesh.vertices.copy()
    vertices[3, 0] = far
    return _renew(mesh, vertices)


def _close(mesh: Any, height: float = 70.5) -> Any:
    lid = trimesh.creation.box(extents=(36, 36, 1))
    lid.apply_translation((0, 0, height))
    return trimesh.util.concatenate([mesh, lid])


TOWER = ""
ODD: dict[str, tuple[str, Callable[[], bytes], dict[str, Any], str]] = {
    "empty": ("a.stl", lambda: b"", {}, "cannot be read"),
    "ascii": ("a.stl", _export(form="stl_ascii"), {}, TOWER),
    "binary": ("a.stl", _export(), {}, TOWER),
    "no triangles": ("a.stl", lambda: b"solid a\nendsolid a\n", {}, "it has no triangles"),
    "holes": ("a.stl", _export(lambda mesh: rough(mesh, np.random.default_rng(3), 0.02)), {}, TOWER),
    "flipped": ("a.stl", _export(lambda mesh: _renew(mesh, faces=mesh.faces[:, ::-1])), {}, TOWER),
    "half flipped": ("a.stl", _export(_half_flip), {}, TOWER),
    "doubled": (
        "a.stl",
        _export(lambda mesh: _renew(mesh, faces=np.concatenate([mesh.faces, mesh.faces[:, ::-1]]))),
        {},
        TOWER,
    ),
    "two shells": ("a.stl", _export(_add_shell), {}, TOWER),
    "slivers": ("a.stl", _export(_add_slivers), {}, TOWER),
    "inches, not said": ("a.stl", _scale(1 / 25.4), {}, "--unit"),
    "inches": ("a.stl", _scale(1 / 25.4), {"scale": 25.4}, TOWER),
    "a tower of 70 m": ("a.stl", _scale(1000), {}, "allowed are 30 to 1000 mm"),
    "zero thickness": ("a.stl", _export(_keep_inside), {}, TOWER),
    "one nan": ("a.stl", _export(_spoil), {}, TOWER),
    "all nan": ("a.stl", _export(lambda mesh: _renew(mesh, mesh.vertices * np.nan)), {}, "are no numbers"),
    "a million triangles": ("a.stl", _many, {}, "allowed is up to 300000"),
    "a picture": ("a.stl", lambda: b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 40, {}, "cannot be read"),
    "text": ("a.3mf", lambda: b"hello", {}, "cannot be read"),
    "cut off": ("a.stl", lambda: _export()()[: int(0.6 * len(_export()()))], {}, "cannot be read"),
    "another kind": ("a.step", lambda: b"ISO-10303-21;", {}, "a file that ends in .stl or .3mf"),
    "of another program": ("a.obj", _export(form="obj"), {}, "a file that ends in .stl or .3mf; export"),
    "a corner far away": ("a.stl", _export(lambda mesh: _push(mesh, 1e38)), {}, "a corner 1e\\+38 mm from its origin"),
    "a wide plate": ("a.stl", _export(lambda mesh: _push(mesh, 2e3)), {}, "the mesh is 2018 x 36 mm"),
    "on its side": ("a.stl", _export(_lay_down), {"up": "y"}, TOWER),
    "closed at the top": ("a.stl", _export(_close), {}, "gets in at the top"),
    "closed at the bottom": ("a.stl", _export(lambda mesh: _close(mesh, 24)), {}, "from the mouth to an exit"),
}


@pytest.mark.parametrize("case", ODD)
def test_an_odd_file_gives_a_tower_or_one_line(case: str, tmp_path: Path) -> None:
    name, data, options, expected = ODD[case]
    (tmp_path / name).write_bytes(data())
    if expected:
        with pytest.raises(UsageError, match=expected) as error:
            import_mesh(tmp_path / name, tmp_path / "mine.toml", edge=EDGE, **options)
        assert "\n" not in str(error.value)
        assert len(str(error.value)) < 400
        assert not (tmp_path / "mine.toml").exists()
        return
    tower = import_mesh(tmp_path / name, tmp_path / "mine.toml", edge=EDGE, **options).tower
    assert tower.rim_top == pytest.approx(0.070, abs=0.002)
    assert tower.given.exit.top == pytest.approx(0.024, abs=0.003)
    with PhysicsModel(load(tmp_path / "mine.toml")) as model:
        outcome = model.drop(model.empty(), supply({"red": 3}, tower.cube_edge), np.random.default_rng(1))
    assert outcome.status.is_landing
    assert len(outcome.emerged) + len(outcome.state.residents) == 3


def test_what_is_proposed_is_near_what_was_drawn(imported: Import) -> None:
    given = imported.tower.given
    corners = np.array(given.mouth.outline_mm)
    assert np.abs(np.abs(corners) - 15).max() < 1.5  # a cell is 1 mm
    assert (imported.bodies, imported.opened.open_edges, given.exit.side) == (1, 0, "front")
    assert given.source.turn_deg == 0
    assert given.tray.walls > 0  # none in the file


def test_the_widest_cube_that_gets_through_is_named(tmp_path: Path) -> None:
    """Through a hole of 8 mm in a sheet across the tube, where cubes are 14 mm wide; a cell is 1.4 mm."""
    sheet = box((-15, -15, 50), (15, 15, 52)) - box((-4, -4, 49), (4, 4, 53))
    plate = sheet.to_mesh64()
    mesh = trimesh.util.concatenate([small_tower(), trimesh.Trimesh(plate.vert_properties, plate.tri_verts)])
    mesh.export(tmp_path / "tower.stl")
    with pytest.raises(UsageError, match="from the mouth to an exit") as error:
        import_mesh(tmp_path / "tower.stl", tmp_path / "mine.toml", edge=14.0)
    width = float(str(error.value).partition("about ")[2].split()[0])
    assert width == pytest.approx(8, abs=2 * 1.4)


def _cut_window(low: tuple[float, float, float], high: tuple[float, float, float]) -> Any:
    mesh = (_solid(small_tower()) - box(low, high)).to_mesh64()
    return trimesh.Trimesh(mesh.vert_properties, mesh.tri_verts)


def _solid(mesh: Any) -> Any:
    import manifold3d

    return manifold3d.Manifold(manifold3d.Mesh64(mesh.vertices, mesh.faces.astype(np.uint64)))


@pytest.mark.parametrize(
    ("window", "top", "side"),
    [
        (((-12, 14, 28), (8, 19, 43)), 43, 1),
        (((-12, 14, 16), (8, 19, 36)), 36, 1),
        (((10, -8, 30), (19, 8, 44)), 44, 0),
    ],
    ids=["in a side wall", "beside the exit", "over the exit"],
)
def test_of_several_ways_out_the_lowest_is_the_exit(window: Any, top: float, side: int, tmp_path: Path) -> None:
    """The exit is under 24 mm at +x; `side` is the number of right angles from there to the window."""
    result = _import(tmp_path, _cut_window(*window))
    lowest, other = result.ways
    assert (lowest.top, other.top) == pytest.approx((24, top), abs=2)
    assert (lowest.angle, other.angle) == pytest.approx((0, side * math.pi / 2), abs=0.5)
    tower = result.tower
    assert (tower.given.exit.top, tower.given.exit.side) == (pytest.approx(0.024, abs=0.003), "front")
    assert np.abs(np.abs(np.array(tower.given.inside[0].outline_mm)) - 15).max() < 1.5
    again = import_again(tmp_path / "mine.toml", tmp_path / "again.toml").tower
    assert again.hulls == tower.hulls
    assert again.boxes == tower.boxes
    with PhysicsModel(tower) as model:
        for seed in range(4):
            outcome = model.drop(model.empty(), supply({"red": 20}, tower.cube_edge), np.random.default_rng(seed))
            assert outcome.status.is_landing
            assert len(outcome.emerged) + len(outcome.state.residents) == 20


def test_one_option_chooses_among_ways_out(tmp_path: Path) -> None:
    mesh = _cut_window((-12, 14, 28), (8, 19, 43))
    given = _import(tmp_path, mesh, exit=45).tower.given
    assert given.exit.top == pytest.approx(0.043, abs=0.003)
    assert given.source.turn_deg == -90
    with pytest.raises(UsageError, match=r"--exit is .* there are under 2. mm to the right, under 4. mm to the front"):
        _import(tmp_path, mesh, exit=60)


def _set_side_by_side(base: bool) -> Any:
    mesh = _solid(small_tower())
    both = mesh + mesh.translate((60, 0, 0))
    if base:
        both += box((-18, -20, 0), (78, -17, 3))
    both = both.to_mesh64()
    return trimesh.Trimesh(both.vert_properties, both.tri_verts)


@pytest.mark.parametrize("base", [False, True], ids=["copies on a plate", "one body"])
def test_of_several_towers_one_is_chosen(base: bool, tmp_path: Path) -> None:
    mesh = _set_side_by_side(base)
    with pytest.raises(UsageError, match=r"2 towers.*1 at x = -?\d, y = .*2 at x = [56]\d, .*--only 1 or --only 2"):
        _import(tmp_path, mesh)
    with pytest.raises(UsageError, match="--only is 3; allowed is 1 to 2"):
        _import(tmp_path, mesh, only=3)
    first = _import(tmp_path, mesh, only=1).tower
    second = _import(tmp_path, mesh, only=2).tower
    assert first.given.source.move_mm[0] == pytest.approx(0, abs=1)  # a cell
    assert second.given.source.move_mm[0] == pytest.approx(-60, abs=1)
    for tower in (first, second):
        assert tower.given.exit.top == pytest.approx(0.024, abs=0.003)
    again = import_again(tmp_path / "mine.toml", tmp_path / "again.toml").tower
    assert (again.hulls, again.boxes) == (second.hulls, second.boxes)
    if not base:
        assert max(solid.bounds[1][0] for solid in second.solids if solid.part == "tower") < 0.019


def test_triangles_on_each_other_are_refused_before_they_are_sampled(tmp_path: Path) -> None:
    """Of 200,000 triangles of 0.4 m2 each."""
    corners = np.array([[0, 0, 0], [900, 0, 0], [0, 900, 100]], dtype=float)
    many = corners + np.linspace(0, 50, 200_000)[:, None, None]
    mesh = trimesh.Trimesh(many.reshape(-1, 3), np.arange(600_000).reshape(-1, 3), process=False)
    with pytest.raises(UsageError, match=r"the surface of the mesh is .* remove triangles"):
        _import(tmp_path, mesh)


@pytest.mark.parametrize("turn", [90, 180, 270])
def test_the_exit_is_turned_to_the_front(turn: int, tmp_path: Path) -> None:
    mesh = small_tower()
    mesh.apply_transform(trimesh.transformations.rotation_matrix(np.radians(turn), (0, 0, 1), (3, 4, 0)))
    given = _import(tmp_path, mesh).tower.given
    assert (given.source.turn_deg + turn) % 360 == 0
    assert np.abs(np.abs(np.array(given.mouth.outline_mm)) - 15).max() < 1.5  # a cell is 1 mm


def test_prisms_lie_on_the_surface_and_leave_the_inside_free(imported: Import) -> None:
    """The clear tube over the ramp, and the air under the shelf, hold no corner of a solid; its faces are all there."""
    tower = imported.tower
    solids = [solid for solid in tower.solids if solid.part == "tower"]
    corners = np.array([bound for solid in solids for bound in solid.bounds]) * 1e3
    x, y, z = corners.T
    inside = (np.abs(x) < 14.9) & (np.abs(y) < 14.9)
    assert not (inside & (z > 47.01)).any()
    assert not (inside & (z > 22.5) & (z < 44.9)).any()
    rings = [np.array([hull.vertices[k] for k in hull.faces[0]]) * 1e3 for hull in tower.hulls]
    area = sum(np.linalg.norm(np.cross(r[1:-1] - r[0], r[2:] - r[0]).sum(axis=0)) / 2 for r in rings)
    area += sum(4e6 * math.prod(sorted(box.half)[1:]) for box in tower.boxes if box.part == "tower")
    assert area > 4 * 30 * 40  # mm2: the tube's walls alone, less the exit


def test_a_prism_that_is_a_cuboid_is_a_box_at_the_same_place() -> None:
    rng = np.random.default_rng(5)
    for _ in range(50):
        turn = rng.normal(size=4)
        turn = axes(turn[None] / np.linalg.norm(turn))[0]
        half, centre = rng.uniform(0.001, 0.05, 3), rng.uniform(-0.1, 0.1, 3)
        upper = centre + np.array([(1, 1, 1), (-1, 1, 1), (-1, -1, 1), (1, -1, 1)]) * half @ turn.T
        corners = np.round(np.concatenate([upper, upper - 2 * half[2] * turn[:, 2]]), 9)
        box = find_cuboid("part", "printed", [tuple(corner) for corner in corners.tolist()])
        assert box is not None
        signs = np.array([*itertools.product((1, -1), repeat=3)])
        places = np.array(box.centre) + signs * box.half @ axes(np.array([box.orientation]))[0].T
        assert np.linalg.norm(places[:, None] - corners, axis=2).min(axis=1).max() < 2e-8
        corners[1] += 1e-6
        assert find_cuboid("part", "printed", [tuple(corner) for corner in corners.tolist()]) is None


def test_a_tower_goes_on_from_its_tables_alone(imported: Import) -> None:
    tower = imported.tower
    again = from_tables(dict(tower.profile), "again")
    assert (again.digest, again.solids, again.rule) == (tower.digest, tower.solids, tower.rule)


def test_it_is_imported_again_from_its_profile(tmp_path: Path) -> None:
    first = _import(tmp_path, small_tower()).tower
    profile = tmp_path / "mine.toml"
    assert import_again(profile, profile).tower.digest == load(profile).digest == first.digest
    profile.write_text(profile.read_text("utf-8").replace("edge_mm = 10.0", "edge_mm = 8.0"), "utf-8")
    with pytest.raises(UsageError, match=r"tower-sim tower import mine\.toml"):
        load(profile)
    mesh = (tmp_path / "tower.stl").read_bytes()
    small_tower().apply_scale(1.1).export(tmp_path / "tower.stl")
    with pytest.raises(UsageError, match=r"tower\.stl' is not the one of this profile: its digest is "):
        import_again(profile, profile)
    (tmp_path / "tower.stl").write_bytes(mesh)
    again = import_again(profile, profile).tower
    assert (again.cube_edge, again.given.mouth) == (0.008, first.given.mouth)
    assert load(profile).digest == again.digest != first.digest


BAD = {  # what is changed in the profile, and a part of the one line
    "another mesh's solids": ('digest = "', 'digest = "0', "solids.digest"),
    "a mouth beside the middle": ("outline_mm = [[", "outline_mm = [[100.0, 90.0], [", "not convex"),
    "an unknown material": ('tower = "printed"', 'tower = "wood"', "printed, pane, table"),
    "a part without a material": ('tower = "printed"', 'other = "printed"', "parts has no 'tower'"),
    "an exit over the rim": ("top_mm = 2", "top_mm = 90", "exit.top_mm"),
    "a hand too wide": ("spread_mm = ", "spread_mm = 1", "release.spread_mm"),
    "a folder": ('file = "mine', 'file = "../mine', "beside the profile"),
    "a tray the wrong way round": ("y_mm = [-60, 60]", "y_mm = [60, -60]", "smaller number first"),
}


@pytest.mark.parametrize("case", BAD)
def test_a_wrong_number_in_a_profile_gives_one_line(case: str, imported: Import, tmp_path: Path) -> None:
    old, new, says = BAD[case]
    file = imported.tower.file
    assert file is not None
    shutil.copytree(file.parent, tmp_path, dirs_exist_ok=True)
    profile = tmp_path / file.name
    text = profile.read_text("utf-8")
    at = text.index(old) if case != "another mesh's solids" else text.index(old, text.index("[solids]"))
    profile.write_text(text[:at] + new + text[at + len(old) :], "utf-8")
    with pytest.raises(UsageError, match=says) as error:
        load(profile)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("corners", [["v 0 0 0"] * 8, [f"v {x} 0 0" for x in range(6)]], ids=["a point", "a line"])
def test_a_prism_without_a_volume_is_refused(corners: list[str]) -> None:
    with pytest.raises(UsageError, match="not flat; allowed are flat ones"):
        read_solids("\n".join(["g tower", *corners, "f 1 2 3"]), {"tower": "printed"})


def test_cubes_stay_within_the_walls(imported: Import) -> None:
    """Of 40 throws of 12 none ends with a cube in a wall; the middle of a cube that came out is past the exit."""
    tower = imported.tower
    with PhysicsModel(tower) as model:
        for seed in range(40):
            outcome = model.drop(model.empty(), supply({"red": 12}, tower.cube_edge), np.random.default_rng(seed))
            assert outcome.status.is_landing, seed
            for landing in outcome.landings:
                if landing.place.startswith("inside"):
                    assert landing.pose
                    assert max(abs(landing.pose.position[0]), abs(landing.pose.position[1])) < 0.015


@pytest.mark.parametrize("height", [0.005, 0.030, 0.045])
def test_python_and_the_compiled_rule_agree_on_where_a_cube_is(height: float, imported: Import) -> None:
    """On a line from the middle through the exit: inside, in the doorway, then past the wall; over it: in the wall."""
    tower = imported.tower
    x = np.array([0.0, 0.014, 0.0165, 0.03, 0.3])
    places = [place.place for place in tower.find(np.column_stack([x, 0 * x, 0 * x + height]), np.tile(UP, (5, 1)))]
    wall = "doorway" if height < tower.given.exit.top else "lost"
    assert [places[0].startswith("inside"), *places[2:]] == [True, wall, "tray", "table"]


def test_the_page_on_printed_towers_shows_what_its_first_command_prints(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    root = Path(__file__).parents[2]
    page = (root / "docs/printed.md").read_text("utf-8")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/printed").symlink_to(root / "docs/printed")
    monkeypatch.chdir(tmp_path)
    ((command, shown),) = re.findall(r"```sh\n(tower-sim [^`]*?)\n```\n\n```\n(.*?)```", page, re.S)
    assert cli.main(shlex.split(command)[1:]) == 0
    assert capsys.readouterr().out.startswith(shown)

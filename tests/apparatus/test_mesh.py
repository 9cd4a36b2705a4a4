"""Towers from meshes: odd files, what is found in them, prisms on the surface, and where cubes are."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.support.meshes import rough, small_tower
from tower_sim import PhysicsModel, load
from tower_sim.apparatus.mesh.importing import Imported, import_mesh
from tower_sim.cubes import supply
from tower_sim.errors import UsageError

trimesh = pytest.importorskip("trimesh")
pytest.importorskip("manifold3d")

EDGE = 10.0


def _import(folder: Path, mesh: Any, name: str = "tower.stl", **options: Any) -> Imported:
    mesh.export(folder / name)
    return import_mesh(folder / name, folder / "mine.toml", edge=EDGE, **options)


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Imported:
    """The small tower, imported once for the tests that only look at it."""
    return _import(tmp_path_factory.mktemp("mesh"), small_tower())


def _ascii(mesh: Any) -> bytes:
    return mesh.export(file_type="stl_ascii").encode()


def _binary(mesh: Any) -> bytes:
    return mesh.export(file_type="stl")


def _with(change: Callable[[Any], Any], form: str = "stl") -> Callable[[], bytes]:
    def made() -> bytes:
        data = change(small_tower()).export(file_type=form)
        return data.encode() if isinstance(data, str) else data

    return made


def _flipped(mesh: Any) -> Any:
    return trimesh.Trimesh(mesh.vertices, mesh.faces[:, ::-1], process=False)


def _half_flipped(mesh: Any) -> Any:
    faces = mesh.faces.copy()
    faces[::2] = faces[::2, ::-1]
    return trimesh.Trimesh(mesh.vertices, faces, process=False)


def _doubled(mesh: Any) -> Any:
    return trimesh.Trimesh(mesh.vertices, np.concatenate([mesh.faces, mesh.faces[:, ::-1]]), process=False)


def _two_shells(mesh: Any) -> Any:
    other = trimesh.creation.box(extents=(20, 20, 40))
    other.apply_translation((60, 40, 20))
    return trimesh.util.concatenate([mesh, other])


def _slivers(mesh: Any) -> Any:
    thin = np.array([[-15, 10, 60], [0, 10, 60], [0, 10 + 1e-4, 60]])
    extra = trimesh.Trimesh(np.repeat(thin[None], 30, 0).reshape(-1, 3), np.arange(90).reshape(-1, 3), process=False)
    return trimesh.util.concatenate([mesh, extra])


def _thin(mesh: Any) -> Any:
    """Return sheets without a thickness: the faces of the inside alone."""
    centres = mesh.triangles_center
    inner = (np.abs(centres[:, :2]) < 15.01).all(axis=1)
    return trimesh.Trimesh(mesh.vertices, mesh.faces[inner], process=False)


def _nan(mesh: Any) -> Any:
    vertices = mesh.vertices.copy()
    vertices[3] = np.nan
    return trimesh.Trimesh(vertices, mesh.faces, process=False)


def _all_nan(mesh: Any) -> Any:
    return trimesh.Trimesh(mesh.vertices * np.nan, mesh.faces, process=False)


def _scaled(factor: float) -> Callable[[Any], Any]:
    return lambda mesh: mesh.apply_scale(factor)


def _on_its_side(mesh: Any) -> Any:
    return mesh.apply_transform(trimesh.transformations.rotation_matrix(-np.pi / 2, (1, 0, 0)))


def _many() -> bytes:
    """Return a binary STL of a million triangles."""
    return b"\0" * 80 + (1_000_000).to_bytes(4, "little") + b"\0" * 50_000_000


def _cut(share: float) -> Callable[[], bytes]:
    return lambda: _binary(small_tower())[: int(share * len(_binary(small_tower())))]


TOWER = ""
ODD: dict[str, tuple[str, Callable[[], bytes], dict[str, Any], str]] = {
    "empty": ("a.stl", lambda: b"", {}, "cannot be read"),
    "ascii": ("a.stl", lambda: _ascii(small_tower()), {}, TOWER),
    "binary": ("a.stl", lambda: _binary(small_tower()), {}, TOWER),
    "no triangles": ("a.obj", lambda: b"v 0 0 0\nv 1 0 0\n", {}, "cannot be read"),
    "holes": ("a.stl", _with(lambda mesh: rough(mesh, np.random.default_rng(3), 0.02)), {}, TOWER),
    "flipped": ("a.stl", _with(_flipped), {}, TOWER),
    "half flipped": ("a.stl", _with(_half_flipped), {}, TOWER),
    "doubled": ("a.stl", _with(_doubled), {}, TOWER),
    "two shells": ("a.stl", _with(_two_shells), {}, TOWER),
    "slivers": ("a.stl", _with(_slivers), {}, TOWER),
    "inches, not said": ("a.stl", _with(_scaled(1 / 25.4)), {}, "--unit"),
    "inches": ("a.stl", _with(_scaled(1 / 25.4)), {"scale": 25.4}, TOWER),
    "a tower of 70 m": ("a.stl", _with(_scaled(1000)), {}, "allowed are 30 to 1000 mm"),
    "zero thickness": ("a.stl", _with(_thin), {}, TOWER),
    "one nan": ("a.ply", _with(_nan, "ply"), {}, TOWER),
    "all nan": ("a.ply", _with(_all_nan, "ply"), {}, "are no numbers"),
    "a million triangles": ("a.stl", _many, {}, "allowed is up to 300000"),
    "a picture": ("a.stl", lambda: b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 40, {}, "cannot be read"),
    "text": ("a.3mf", lambda: b"hello", {}, "cannot be read"),
    "cut off": ("a.stl", _cut(0.6), {}, "cannot be read"),
    "another kind": ("a.step", lambda: b"ISO-10303-21;", {}, "a file that ends in"),
    "on its side": ("a.obj", _with(_on_its_side, "obj"), {"up": "y"}, TOWER),
    "closed at the top": ("a.stl", _with(lambda mesh: _closed(mesh)), {}, "gets in at the top"),
    "closed at the bottom": ("a.stl", _with(lambda mesh: _closed(mesh, 24)), {}, "from the mouth to an exit"),
}


def _closed(mesh: Any, height: float = 70.5) -> Any:
    lid = trimesh.creation.box(extents=(36, 36, 1))
    lid.apply_translation((0, 0, height))
    return trimesh.util.concatenate([mesh, lid])


@pytest.mark.parametrize("case", ODD)
def test_an_odd_file_gives_a_tower_or_one_line(case: str, tmp_path: Path) -> None:
    name, data, options, expected = ODD[case]
    (tmp_path / name).write_bytes(data())
    if expected:
        with pytest.raises(UsageError, match=expected) as told:
            import_mesh(tmp_path / name, tmp_path / "mine.toml", edge=EDGE, **options)
        assert "\n" not in str(told.value)
        assert len(str(told.value)) < 400
        assert not (tmp_path / "mine.toml").exists()
        return
    tower = import_mesh(tmp_path / name, tmp_path / "mine.toml", edge=EDGE, **options).tower
    assert tower.rim_top == pytest.approx(0.070, abs=0.002)
    assert tower.given.exit.top == pytest.approx(0.024, abs=0.003)
    with PhysicsModel(load(tmp_path / "mine.toml")) as model:
        outcome = model.drop(model.empty(), supply({"red": 3}, tower.cube_edge), np.random.default_rng(1))
    assert outcome.status.is_landing
    assert len(outcome.emerged) + len(outcome.state.residents) == 3

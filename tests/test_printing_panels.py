"""Panels to cut: closed outlines on the sheet, fingers that match, put together the shape that is simulated."""

from __future__ import annotations

import re
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.meshes import contains
from tower_sim import cli
from tower_sim.apparatus.catalogue import load
from tower_sim.cubes import supply
from tower_sim.physics.settings import STANDARD, accuracy
from tower_sim.simulator import PhysicsModel

pytest.importorskip("manifold3d")

from tower_sim.printing import solid, walls
from tower_sim.printing.mesh import faults
from tower_sim.printing.panels import Panel, built, panels
from tower_sim.printing.sheets import SheetChoice, lay, to_svg

pytestmark = pytest.mark.pictures

TOWERS = ("amerigo", "amerigo-club", "amerigo-rulebook")
_SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module", params=[(name, thick) for name in TOWERS for thick in (1.0, 3.0)], ids=str)
def cut(request: pytest.FixtureRequest) -> tuple[Any, float, list[Panel]]:
    name, thick = request.param
    tower = load(name)
    return tower, thick, panels(tower, thick)


def outlines(svg: str) -> dict[int, list[np.ndarray[Any, Any]]]:
    """Return the outlines (k, 2) of each panel's path, by its number; fails where one is not closed."""
    found: dict[int, list[Any]] = {}
    for group in ElementTree.fromstring(svg).iter(f"{_SVG}g"):
        path = group.find(f"{_SVG}path")
        assert path is not None
        parts = path.attrib["d"].split("M")[1:]
        assert all(part.strip().endswith("Z") for part in parts)
        rings = [
            np.array([xy.split(",") for xy in re.findall(r"[\d.-]+,[\d.-]+", part)], dtype=float) for part in parts
        ]
        found[int(group.attrib["id"].removeprefix("panel-"))] = rings
    return found


def area(ring: Any) -> float:
    x, y = ring.T
    return float(x @ np.roll(y, -1) - y @ np.roll(x, -1)) / 2


def crosses_itself(ring: Any) -> bool:
    """Tell whether two sides of an outline that do not follow each other meet."""
    ends = np.roll(ring, -1, axis=0)

    def side(a: Any, b: Any, c: Any) -> Any:
        return (b[..., 0] - a[..., 0]) * (c[..., 1] - a[..., 1]) - (b[..., 1] - a[..., 1]) * (c[..., 0] - a[..., 0])

    for i in range(len(ring)):
        a, b = ring[i], ends[i]
        one = side(a, b, ring) * side(a, b, ends) < -1e-6
        other = side(ring, ends, a) * side(ring, ends, b) < -1e-6
        if (one & other).any():
            return True
    return False


def test_every_outline_on_a_sheet_is_closed_simple_and_on_it(cut: tuple[Any, float, list[Panel]]):
    _, thick, flat = cut
    choice = SheetChoice(thickness=thick)
    numbers: list[int] = []
    for sheet in lay(flat, choice):
        for number, rings in outlines(to_svg(sheet, choice, "a")).items():
            numbers.append(number)
            outer, *holes = rings
            assert not any(map(crosses_itself, rings))
            assert all(len(ring) >= 3 and abs(area(ring)) > 0.01 for ring in rings)
            assert (outer > 0).all()
            assert (outer < (choice.width, choice.depth)).all()
            for hole in holes:  # the other way round, and within
                assert np.sign(area(hole)) == -np.sign(area(outer))
                assert (hole >= outer.min(axis=0)).all()
                assert (hole <= outer.max(axis=0)).all()
    assert sorted(numbers) == [panel.number for panel in flat] == list(range(1, len(flat) + 1))


def test_no_panel_lies_over_another_on_a_sheet(cut: tuple[Any, float, list[Panel]]):
    _, thick, flat = cut
    for sheet in lay(flat, SheetChoice(thickness=thick)):
        for one, other in combinations(sheet, 2):
            assert (solid.region(one.rings) ^ solid.region(other.rings)).area() == 0.0


def test_panels_put_together_are_nowhere_two_at_once(cut: tuple[Any, float, list[Panel]]):
    """Every tab has its slot, every finger its gap."""
    for one, other in combinations(cut[2], 2):
        if solid.near(one.solid, other.solid):
            assert (one.solid ^ other.solid).volume() < 0.05, (one.number, other.number)


def test_fingers_leave_no_gap_where_panels_meet_squarely(cut: tuple[Any, float, list[Panel]]):
    """Along the corners of tube and tray, points in the common edge of two panels are within one of them."""
    tower, thick, flat = cut
    half = 500 * tower.given.tube.inside
    together = solid.to_mesh(solid.union([panel.solid for panel in flat]))
    low, high = tower.given.exit_top * 1e3 + 1, tower.given.tube.top * 1e3 - 1
    height = np.linspace(low, high, 60)
    for x, y in ((1, 1), (-1, 1), (1, -1), (-1, -1)):
        at = half + thick / 2
        points = np.column_stack([np.full(60, x * at), np.full(60, y * at), height])
        assert contains(together, points).mean() > 0.9  # a lintel's finger may end in the air


def test_square_panels_interlock(cut: tuple[Any, float, list[Panel]]):
    """Each wall of the tube and the tray has fingers or slots; what leans has straight edges."""
    for panel in cut[2]:
        corners = sum(len(ring) for ring in solid.rings(panel.region))
        if panel.part in ("tube", "tray"):
            assert corners >= 12, panel.number
        if panel.is_leaning:
            assert corners <= 8, panel.number


def test_put_together_they_are_where_cubes_meet_them(cut: tuple[Any, float, list[Panel]]):
    """Inner faces of walls, upper faces of floors, where no joint is: 0.05 mm before them nothing, behind them wood."""
    tower, thick, flat = cut
    together = solid.to_mesh(solid.union([panel.solid for panel in flat]))
    rng = np.random.default_rng(3)
    tested = 0
    found = walls.pieces(tower, thick)
    for piece in found:
        if piece.part not in ("tube", "upper_floor", "lower_floor", "funnel"):
            continue
        outward = piece.outward if piece.is_wall else np.array([0.0, 0.0, -1.0])
        if not piece.is_wall and not piece.is_upright:
            continue
        local = rng.uniform(-0.9, 0.9, (20, 3)) * piece.half
        at = piece.centre + local @ piece.turn.T
        at += outward * ((piece.inner if piece.is_wall else -piece.corners[:, 2].max()) - at @ outward)[:, None]
        free = walls.for_cubes(tower, at - 0.5 * outward)
        others = [p for p in found if p is not piece]
        free &= ~np.any([(np.abs((at - p.centre) @ p.turn) <= p.half + thick).all(axis=1) for p in others], axis=0)
        at = at[free]
        tested += len(at)
        if len(at):
            assert not contains(together, at - 0.05 * outward).any()
            assert contains(together, at + 0.05 * outward).all()
    assert tested > 20


@cache
def rulebook_panels() -> list[Panel]:
    return panels(load("amerigo-rulebook"), 3.0)


@settings(max_examples=15, deadline=None)
@given(st.floats(0.0, 1.0), st.integers(0, 20))
def test_a_kerf_makes_every_outline_wider_by_half_of_it(kerf: float, which: int):
    """The area grows by half the kerf times the outlines' length, within what corners add or take."""
    flat = rulebook_panels()
    panel = flat[which % len(flat)]
    laid = {each.panel.number: each for sheet in lay(flat, SheetChoice(kerf=kerf)) for each in sheet}[panel.number]
    plain = solid.rings(panel.region)
    length = sum(float(np.linalg.norm(np.roll(ring, -1, axis=0) - ring, axis=1).sum()) for ring in plain)
    corners = sum(map(len, plain))
    more = sum(map(area, laid.rings)) - sum(map(area, plain))
    assert more == pytest.approx(kerf / 2 * length, abs=corners * kerf**2 + 0.01)


def test_every_panel_as_a_solid_is_watertight(cut: tuple[Any, float, list[Panel]]):
    for panel in cut[2]:
        assert faults(solid.to_mesh(panel.solid)) == []


def test_panels_put_together_are_simulated_as_hulls_as_large_as_they_are():
    tower = load("amerigo")
    flat = panels(tower, 3.0)
    made = built(tower, flat)
    assert [box.part for box in made.boxes] == ["table"]
    volume = sum(solid.hull(1e3 * np.array(hull.vertices)).volume() for hull in made.hulls)
    assert volume == pytest.approx(sum(panel.solid.volume() for panel in flat), rel=1e-3)
    with PhysicsModel(made, accuracy("core", STANDARD)) as model:
        outcome = model.drop(model.empty(), supply({"red": 30}, model.cube_edge), np.random.default_rng(1))
    assert outcome.status.is_landing
    assert 0 < len(outcome.inside) < 30


def test_sheets_are_written_with_what_a_maker_needs(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    words = "export amerigo --to svg --sheet 300x200 --thickness 2.7mm --kerf 0.2mm -o"
    assert cli.main([*words.split(), str(tmp_path / "a")]) == 0
    told = capsys.readouterr().out
    sheets = sorted(file.name for file in (tmp_path / "a").glob("sheet-*.svg"))
    assert f"panels to cut out of {len(sheets)} sheets 2.7 mm thick" in told
    assert "glued edge to edge" in told
    assert len(sheets) >= 3
    svg = (tmp_path / "a" / sheets[0]).read_text()
    assert 'width="300mm" height="200mm" viewBox="0 0 300 200"' in svg
    for name in ("tower.toml", "record.toml", "drops.csv", "README.txt", "dimensions.svg", "assembly.svg"):
        assert (tmp_path / "a" / name).stat().st_size > 100

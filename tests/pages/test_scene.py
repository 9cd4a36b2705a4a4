"""What the pages draw of an imported tower: outer walls are clear, pieces of a flat wall have no edges between them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.node import answered
from support.web import bundled

from tower_sim import load
from tower_sim.physics import document

pytestmark = pytest.mark.slow
PEGS = Path(__file__).parents[2] / "docs/printed/pegs.toml"
ASK = """
import { readFileSync } from "node:fs";
import { edgesOf, seenOf, solidsOf, strengthFor, trianglesOf } from "SRC/scene/solids";

const { profile, eye } = JSON.parse(readFileSync(0, "utf8"));
const own = solidsOf(seenOf(profile), profile.cube.edge);
const rows = (numbers, width) => Array.from({ length: numbers.length / width }, (_, i) => (
  [...numbers.slice(width * i, width * (i + 1))]
));
const facesIn = (isCut) => {
  const triangles = rows(trianglesOf(own, own.map(() => 0), isCut), 8);
  return new Set(triangles.map((row) => [row[7], ...row.slice(3, 6)].join())).size;
};
const pieces = own.map((solid) => {
  const { least, isLow, normals: [normal], centre } = solid;
  return { isPiece: least !== null, isLow, normal, centre, strength: strengthFor(solid, eye) };
});
console.log(JSON.stringify({
  pieces, drawn: facesIn(false), opened: facesIn(true), faces: own.reduce((sum, { faces }) => sum + faces.length, 0),
  edges: rows(edgesOf(own), 15).map((row) => [row[8], row.slice(0, 3), row.slice(3, 6)]),
}));
"""


def ask(folder: Path, eye: tuple[float, float, float]) -> Any:
    profile = document(load(str(PEGS)))
    return answered(bundled(folder, ASK), given={"profile": profile, "eye": eye})


def test_of_an_imported_tower_the_walls_before_the_eye_are_clear_and_flat_ones_have_no_lines(tmp_path: Path):
    found = ask(tmp_path, (0.05, 0.6, 0.2))  # in front of the wall at high y
    pieces = [piece for piece in found["pieces"] if piece["isPiece"]]
    assert len(pieces) == 639
    before = [p for p in pieces if p["normal"][1] > 0.9 and p["centre"][1] > 0.04 and not p["isLow"]]
    assert len(before) > 2
    assert [piece["strength"] for piece in before] == pytest.approx([0.06] * len(before))
    others = [p for p in pieces if p["normal"][1] < 0 or p["isLow"]]
    assert {piece["strength"] for piece in others} == {1}
    # a piece is drawn by its one face, until it is cut open
    assert found["drawn"] == 639 + 6
    assert found["opened"] == found["faces"] > 5 * 639
    # the upright wall is of two pieces, which meet along a diagonal: no edge is there
    wall = [i for i, piece in enumerate(found["pieces"]) if piece in before and piece["normal"][1] > 0.99]
    edges = [(start, end) for index, start, end in found["edges"] if index in wall]
    assert len(edges) == 4 * 6  # two triangles each
    assert all(start[0] == end[0] or start[2] == end[2] for start, end in edges)

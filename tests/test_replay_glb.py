"""A replay as a glTF scene: read back by a small reader of its own, and by Khronos' validator where it is."""

import io
import json
import shutil
import struct
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import matplotlib.colors
import matplotlib.image
import numpy as np
import pytest
from support.cases import each_case

from tests.support.browser import NODE_MODULES
from tests.support.filmed import document, filmed
from tests.support.hulls import as_hull
from tower_sim.apparatus.catalogue import load
from tower_sim.replay.document import Replay
from tower_sim.replay.glb import PAUSE, glb_of

AMERIGO, SHIP = load("amerigo"), load("dead_reckoning")
_FLOORS = tuple(box for box in AMERIGO.boxes if "floor" in box.part)
HULLS = replace(
    AMERIGO, boxes=tuple(box for box in AMERIGO.boxes if box not in _FLOORS), hulls=tuple(map(as_hull, _FLOORS))
)
MADE: dict[str, tuple[Any, Any]] = {
    "tower": (AMERIGO, [("drop", 20), ("knock", 3.0), ("drop", 9)]),
    "board": (SHIP, [("drop", 6), ("again", 3), ("place", "cargo")]),
    "hulls": (HULLS, [("drop", 8)]),
    "still": (AMERIGO, [("drop", 8), ("knock", 0.01)]),
}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}


class Scene:
    """What a GLB holds."""

    def __init__(self, data: bytes) -> None:
        magic, version, length, size, kind = struct.unpack_from("<IIIII", data)
        assert (magic, version, length, kind) == (0x46546C67, 2, len(data), 0x4E4F534A)
        self.document = json.loads(data[20 : 20 + size])
        more, kind = struct.unpack_from("<II", data, 20 + size)
        self.data = data[28 + size :]
        assert kind == 0x004E4942
        assert more == len(self.data) == self.document["buffers"][0]["byteLength"]

    def table(self, number: int) -> Any:
        accessor = self.document["accessors"][number]
        view = self.document["bufferViews"][accessor["bufferView"]]
        width = WIDTHS[accessor["type"]]
        kind = {5126: "<f4", 5123: "<u2"}[accessor["componentType"]]
        assert view["byteOffset"] % 4 == 0
        return np.frombuffer(self.data, kind, accessor["count"] * width, view["byteOffset"]).reshape(-1, width)

    def node(self, name: str) -> int:
        (found,) = [i for i, node in enumerate(self.document["nodes"]) if node["name"] == name]
        return found

    def at(self, node: int, path: str, time: float) -> Any:
        """Return what an animation makes of a node at a time: linear, or the last key's."""
        for animation in self.document.get("animations", []):
            for channel in animation["channels"]:
                if channel["target"] == {"node": node, "path": path}:
                    sampler = animation["samplers"][channel["sampler"]]
                    times, values = self.table(sampler["input"])[:, 0], self.table(sampler["output"])
                    if sampler["interpolation"] == "STEP":
                        return values[max(int(np.searchsorted(times, time + 1e-4, "right")) - 1, 0)]
                    return np.array([np.interp(time, times, column) for column in values.T])
        return np.array(self.document["nodes"][node][path])


def made(name: str) -> tuple[Replay, bytes]:
    apparatus, actions = MADE[name]
    replay = document(filmed(apparatus, actions, 4)[1], apparatus, title="</script> & 'scene'")
    return replay, glb_of(replay)


@each_case("name", MADE)
def test_at_the_end_of_every_take_cubes_are_where_the_outcome_has_them(name: str):
    replay, data = made(name)
    scene = Scene(data)
    colours = [colour["name"] for colour in replay.header["colours"]]
    names = {number: f"{colours[colour]} {number}" for number, colour in replay.header["cubes"]}
    begin = 0
    for take in replay.takes():
        end = begin + take["frames"] + PAUSE // 2
        there = {number: row for number, _, row in take["rest"] if row is not None}
        for number, _, _ in take["rest"]:
            if names[number] not in {node["name"] for node in scene.document["nodes"]}:
                assert number not in there
                continue
            node = scene.node(names[number])
            size = scene.at(node, "scale", end / replay.header["rate"])
            assert size == pytest.approx([replay.header["edge"] * (number in there)] * 3)
            if number in there:
                pose = replay.exact[there[number]]
                assert scene.at(node, "translation", end / 60) == pytest.approx(pose[:3], abs=1e-6)
                assert abs(scene.at(node, "rotation", end / 60) @ pose[3:]) == pytest.approx(1, abs=1e-6)
        begin += take["frames"] + PAUSE


def test_a_cube_is_in_the_hand_until_it_is_thrown_and_goes_the_way_of_its_track():
    replay, data = made("tower")
    scene, take = Scene(data), replay.takes()[2]
    begin = sum(before["frames"] + PAUSE for before in replay.takes()[:2])
    colours = [colour["name"] for colour in replay.header["colours"]]
    names = {number: f"{colours[colour]} {number}" for number, colour in replay.header["cubes"]}
    for track in replay.tracks(take):
        node = scene.node(names[track.cube])
        if track.cube in take["thrown"]:
            assert scene.at(node, "scale", (begin - 1) / 60).tolist() == [0, 0, 0]
        for i in range(0, len(track.poses), 7):
            time = (begin + track.first + i) / 60
            assert scene.at(node, "scale", time)[0] > 0
            assert scene.at(node, "translation", time) == pytest.approx(track.poses[i, :3], abs=1e-5)


@each_case("name", MADE)
def test_keys_go_forward_in_time_and_turns_are_of_length_1_the_short_way(name: str):
    _, data = made(name)
    scene = Scene(data)
    for animation in scene.document["animations"]:
        assert len(animation["channels"]) == len(animation["samplers"])
        for channel in animation["channels"]:
            sampler = animation["samplers"][channel["sampler"]]
            times, values = scene.table(sampler["input"])[:, 0], scene.table(sampler["output"])
            assert (np.diff(times) > 0).all()
            assert len(times) == len(values) > 1
            if channel["target"]["path"] == "rotation":
                assert np.linalg.norm(values, axis=1) == pytest.approx(1, abs=1e-6)
                assert ((values[1:] * values[:-1]).sum(axis=1) >= 0).all()


def test_faces_of_solids_look_outwards():
    """Of every triangle, counter-clockwise from outside: its normal is the vertices', and points from the middle."""
    scene = Scene(made("hulls")[1])
    for mesh in scene.document["meshes"]:
        (shape,) = mesh["primitives"]
        places, normals = (scene.table(shape["attributes"][name]) for name in ("POSITION", "NORMAL"))
        for corners in scene.table(shape["indices"]).reshape(-1, 3):
            a, b, c = places[corners].astype(float)
            normal = np.cross(b - a, c - a)
            assert normal @ normals[corners[0]] == pytest.approx(np.linalg.norm(normal))
            assert normal @ (a - places.mean(axis=0)) > 0


@each_case("name", ["tower", "board", "hulls"])
def test_a_camera_sees_the_whole_shape(name: str):
    """Every corner, in the camera's own axes, is before it and within its lens."""
    replay, data = made(name)
    scene = Scene(data).document
    (camera,), node = scene["cameras"], scene["nodes"][Scene(data).node("camera")]
    x, y, z, w = node["rotation"]
    axes = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
    assert axes[2, 1] > 0.5, "upright"
    centres = np.array([box["centre"] for box in replay.header["apparatus"]["boxes"]])
    seen = (centres - node["translation"]) @ axes
    lens = camera["perspective"]
    assert (-seen[:, 2] > lens["znear"]).all()
    assert (-seen[:, 2] < lens["zfar"]).all()
    assert (np.abs(seen[:, :2]) <= -seen[:, 2:] * np.tan(lens["yfov"] / 2)).all()
    assert (np.abs(seen[:, 1]) / -seen[:, 2]).max() > 0.5 * np.tan(lens["yfov"] / 2), "it fills the picture"


def test_walls_are_solid_and_open_to_who_looks_at_them_from_outside():
    """From the camera no wall is seen from the front between it and the middle of the tower; the others are whole."""
    replay, data = made("tower")
    scene = Scene(data)
    assert all(material.get("alphaMode", "OPAQUE") == "OPAQUE" for material in scene.document["materials"])
    faces: dict[str, list[int]] = {}
    for node, box in zip(scene.document["nodes"][2:], replay.header["apparatus"]["boxes"], strict=False):
        (shape,) = scene.document["meshes"][node["mesh"]]["primitives"]
        faces.setdefault(box["part"], []).append(len(scene.table(shape["indices"])) // 6)
    assert set(faces["tube"]) == {5}
    assert set(faces["funnel"]) == {5}
    assert set(faces["upper_floor"]) == set(faces["ramp"]) == {6}
    assert 6 in faces["tray"], "its floor"


def test_cubes_have_their_letters_which_are_not_mirrored():
    replay, data = made("tower")
    scene = Scene(data)
    for colour in replay.header["colours"]:
        (material,) = [each for each in scene.document["materials"] if each["name"] == colour["name"]]
        view = scene.document["bufferViews"][
            scene.document["images"][material["pbrMetallicRoughness"]["baseColorTexture"]["index"]]["bufferView"]
        ]
        png = scene.data[view["byteOffset"] : view["byteOffset"] + view["byteLength"]]
        picture = matplotlib.image.imread(io.BytesIO(png))[:, :, :3]
        ink, ground = (matplotlib.colors.to_rgb(colour[name]) for name in ("ink", "rgb"))
        assert picture[8, 8] == pytest.approx(ground, abs=0.01)
        assert (np.abs(picture[20:-20, 20:-20] - ink).max(axis=2) < 0.05).mean() > 0.05
    (shape,) = scene.document["meshes"][-1]["primitives"]
    places, on_face = (scene.table(shape["attributes"][name]) for name in ("POSITION", "TEXCOORD_0"))
    for a, b, c in scene.table(shape["indices"]).reshape(-1, 3):
        normal = np.cross(places[b] - places[a], places[c] - places[a])
        u, v = np.linalg.lstsq(
            np.array([places[b] - places[a], places[c] - places[a]]), np.array([on_face[b], on_face[c]]) - on_face[a]
        )[0].T
        assert np.cross(u, -v) @ normal > 0


def test_equal_documents_give_equal_bytes_and_a_scene_without_motion_is_one():
    replay, data = made("tower")
    assert glb_of(replay) == data
    empty = document([], AMERIGO)
    assert "animations" not in Scene(glb_of(empty)).document


@pytest.mark.skipif(
    not (NODE_MODULES and Path(NODE_MODULES, "gltf-validator").is_dir() and shutil.which("node")),
    reason="no validator: npm install gltf-validator@2.0.0-dev.3.10, and say where in TOWER_SIM_NODE_MODULES",
)
def test_khronos_validator_finds_nothing(tmp_path: Path):
    for name in MADE:
        (tmp_path / f"{name}.glb").write_bytes(made(name)[1])
    program = (
        f"const v = require({json.dumps(str(Path(NODE_MODULES, 'gltf-validator').resolve()))}), fs = require('fs');"
        "Promise.all(process.argv.slice(1).map((f) => v.validateBytes(new Uint8Array(fs.readFileSync(f)))))"
        ".then((all) => console.log(JSON.stringify(all.map((one) => one.issues.messages))));"
    )
    files = [str(tmp_path / f"{name}.glb") for name in MADE]
    done = subprocess.run(["node", "-e", program, *files], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == [[] for _ in MADE]

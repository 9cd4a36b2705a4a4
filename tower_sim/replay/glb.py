"""A replay as a binary glTF 2.0 scene with one animation, as programs for scenes in space open it.

All takes follow each other on one time line, half a second apart. glTF knows no cube that comes and goes: one that is
not there has size 0. Walls are solid and have no outer face, so that one sees in through the near ones. Source: the
glTF 2.0 specification, Khronos Group (ISO/IEC 12113:2022).
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from tower_sim.replay.document import Replay
from tower_sim.replay.glb_look import LENS, Solid, camera_pose, face_picture, outer_faces
from tower_sim.replay.takes import the_short_way

Array = npt.NDArray[np.float64]

PAUSE = 30
"""Frames between two takes."""
_FLOAT, _SHORT = 5126, 5123  # component types: 32-bit float, unsigned 16-bit
_VERTICES, _INDICES = 34962, 34963  # what a buffer view is for
_WIDTHS = {1: "SCALAR", 2: "VEC2", 3: "VEC3", 4: "VEC4"}
_UPWARDS = (-(0.5**0.5), 0.0, 0.0, 0.5**0.5)  # glTF's y is up
_WOOD = (0.62, 0.46, 0.28)  # linear light
_CORNERS = np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
_SIDES = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
_ON_A_FACE = ((0.0, 1.0), (1.0, 1.0), (1.0, 0.0), (0.0, 0.0))  # where the corners of a side are on its picture


def glb_of(replay: Replay) -> bytes:
    """Return the scene; equal documents give equal bytes."""
    header = replay.header
    scene = _Scene()
    root = scene.node({"name": header["title"] or "replay", "rotation": list(_UPWARDS)})
    parts = scene.node({"name": header["apparatus"]["kind"]})
    scene.nodes[parts]["children"], corners = _apparatus(scene, header["apparatus"], header["edge"])
    cubes, animation = _cubes(scene, replay)
    released = [track.poses[0, :3] for take in replay.takes() for track in replay.tracks(take)]
    place, turn, distance = camera_pose(np.array([*corners, *released, (0.0, 0.0, 0.0)]), header["apparatus"]["kind"])
    camera = scene.node({"name": "camera", "camera": 0, "translation": place, "rotation": turn})
    lens = {"yfov": LENS, "znear": distance / 50, "zfar": 10 * distance}
    scene.nodes[root]["children"] = [parts, *cubes, camera]
    document: dict[str, Any] = {
        "asset": {"version": "2.0", "generator": header["about"]["program"]},
        "scene": 0,
        "scenes": [{"nodes": [root]}],
        "nodes": scene.nodes,
        "meshes": scene.meshes,
        "materials": scene.materials,
        "cameras": [{"name": "camera", "type": "perspective", "perspective": lens}],
        "accessors": scene.accessors,
        "bufferViews": scene.views,
        "buffers": [{"byteLength": len(scene.data)}],
    }
    if animation["channels"]:
        document["animations"] = [animation]
    if scene.images:
        document["images"] = scene.images
        document["textures"] = [{"source": i} for i in range(len(scene.images))]
    return _packed(document, bytes(scene.data))


@dataclass(slots=True)
class _Scene:
    """The lists of a glTF document, and its bytes, while they grow."""

    nodes: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    meshes: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    materials: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    accessors: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    views: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    images: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    data: bytearray = field(default_factory=bytearray)

    def node(self, said: dict[str, Any]) -> int:
        self.nodes.append(said)
        return len(self.nodes) - 1

    def material(self, name: str, look: Mapping[str, Any]) -> int:
        paint = {**look, "metallicFactor": 0.0, "roughnessFactor": 0.8}
        self.materials.append({"name": name, "pbrMetallicRoughness": paint})
        return len(self.materials) - 1

    def picture(self, name: str, png: bytes) -> int:
        """Add a picture; returns the texture of it."""
        self.views.append({"buffer": 0, "byteOffset": len(self.data), "byteLength": len(png)})
        self.data += png + bytes(-len(png) % 4)
        self.images.append({"name": name, "mimeType": "image/png", "bufferView": len(self.views) - 1})
        return len(self.images) - 1

    def mesh(self, name: str, shape: Mapping[str, Any], material: int) -> int:
        self.meshes.append({"name": name, "primitives": [{**shape, "material": material}]})
        return len(self.meshes) - 1

    def accessor(self, table: Array, target: int | None = None) -> int:
        """Add numbers, shape (n,) or (n, 3 or 4); indices as whole numbers, all else as floats."""
        is_index = target == _INDICES
        data = np.ascontiguousarray(table, "<u2" if is_index else "<f4")
        view = {"buffer": 0, "byteOffset": len(self.data), "byteLength": data.nbytes}
        self.views.append(view if target is None else view | {"target": target})
        self.data += data.tobytes() + bytes(-data.nbytes % 4)
        width = 1 if data.ndim == 1 else data.shape[1]
        low, high = (np.atleast_1d(edge).tolist() for edge in (data.min(axis=0), data.max(axis=0)))
        kind = {"componentType": _SHORT if is_index else _FLOAT, "type": _WIDTHS[width]}
        self.accessors.append({"bufferView": len(self.views) - 1, "count": len(data), **kind, "min": low, "max": high})
        return len(self.accessors) - 1

    def shape(self, solid: Solid, left_out: int | None = None, painted: bool = False) -> dict[str, Any]:
        """Add a convex solid with flat faces, but for one; returns what of it a mesh says.

        `painted`: its faces have four corners each, and a picture.
        """
        places: list[Array] = []
        normals: list[Array] = []
        indices: list[int] = []
        for number, (face, normal) in enumerate(zip(solid.faces, solid.planes()[0], strict=True)):
            if number != left_out:
                indices += [len(places) + k for i in range(1, len(face) - 1) for k in (0, i, i + 1)]
                places += list(solid.vertices[list(face)])
                normals += [normal] * len(face)
        told = {
            "POSITION": self.accessor(np.array(places), _VERTICES),
            "NORMAL": self.accessor(np.array(normals), _VERTICES),
        }
        if painted:
            told["TEXCOORD_0"] = self.accessor(np.array(_ON_A_FACE * len(solid.faces)), _VERTICES)
        return {"attributes": told, "indices": self.accessor(np.array(indices), _INDICES)}


def _apparatus(scene: _Scene, told: Mapping[str, Any], edge: float) -> tuple[list[int], Array]:
    """Add the fixed parts; returns their nodes, and all corners (m), shape (n, 3)."""
    wood = scene.material("apparatus", {"baseColorFactor": [*_WOOD, 1.0]})
    boxes = [
        Solid(_turned(part["turn"], _CORNERS * 2 * part["half"]) + part["centre"], _SIDES) for part in told["boxes"]
    ]
    hulls = [Solid(np.array(part["vertices"]), part["faces"]) for part in told["hulls"]]
    left_out = outer_faces([*boxes, *hulls], edge)
    meshes: dict[int | None, int] = {}
    nodes: list[int] = []
    for part, face in zip(told["boxes"], left_out, strict=False):
        if face not in meshes:
            meshes[face] = scene.mesh("part", scene.shape(Solid(_CORNERS, _SIDES), face), wood)
        size = [2 * half for half in part["half"]]
        turn = {"translation": part["centre"], "rotation": part["turn"], "scale": size}
        nodes.append(scene.node({"name": part["part"], "mesh": meshes[face], **turn}))
    for part, hull, face in zip(told["hulls"], hulls, left_out[len(boxes) :], strict=True):
        mesh = scene.mesh(part["part"], scene.shape(hull, face), wood)
        nodes.append(scene.node({"name": part["part"], "mesh": mesh}))
    return nodes, np.concatenate([np.zeros((0, 3)), *(solid.vertices for solid in (*boxes, *hulls))])


def _turned(turn: Sequence[float], points: Array) -> Array:
    """Return points, shape (n, 3), turned by a unit quaternion x y z w."""
    axis = np.array(turn[:3])
    across = 2 * np.cross(axis, points)
    return points + turn[3] * across + np.cross(axis, across)


def _cubes(scene: _Scene, replay: Replay) -> tuple[list[int], dict[str, Any]]:
    """Add the cubes that are seen at all; returns their nodes and the animation of them."""
    header, shape = replay.header, scene.shape(Solid(_CORNERS, _SIDES), painted=True)
    meshes: list[int] = []
    for colour in header["colours"]:
        texture = {"index": scene.picture(colour["name"], face_picture(colour))}
        meshes.append(scene.mesh(colour["name"], shape, scene.material(colour["name"], {"baseColorTexture": texture})))
    keys = _keys(replay)
    nodes: list[int] = []
    animation: dict[str, Any] = {"name": "cubes", "channels": [], "samplers": []}
    for number, colour in header["cubes"]:
        if number not in keys:
            continue
        told, seen = keys[number]
        node = scene.node({"name": f"{header['colours'][colour]['name']} {number}", "mesh": meshes[colour]})
        nodes.append(node)
        poses = the_short_way(np.array(list(told.values()))[:, None])[:, 0]
        sizes = np.array(list(seen.values()), np.float64) * header["edge"]
        tracks = (
            ("translation", told, poses[:, :3], "LINEAR"),
            ("rotation", told, poses[:, 3:], "LINEAR"),
            ("scale", seen, np.repeat(sizes[:, None], 3, axis=1), "STEP"),
        )
        for path, frames, values, how in tracks:
            scene.nodes[node][path] = values[0].tolist()
            if len(frames) > 1:
                at = scene.accessor(np.array(list(frames)) / header["rate"])
                animation["samplers"].append({"input": at, "output": scene.accessor(values), "interpolation": how})
                target = {"node": node, "path": path}
                animation["channels"].append({"sampler": len(animation["samplers"]) - 1, "target": target})
    return nodes, animation


Keys = tuple[dict[int, Array], dict[int, bool]]


def _keys(replay: Replay) -> dict[int, Keys]:
    """Return for each cube that is seen its pose, and whether it is there, by the frames in which they change."""
    poses: dict[int, dict[int, Array]] = {}
    there: dict[int, dict[int, bool]] = {number: {0: False} for number, _ in replay.header["cubes"]}
    begin = 0
    for take in replay.takes():
        tracks = {track.cube: track for track in replay.tracks(take)}
        start, rest = ({number: row for number, _, row in take[when]} for when in ("start", "rest"))
        for number, seen in there.items():
            own = poses.setdefault(number, {})
            before, after, track = start.get(number), rest.get(number), tracks.get(number)
            seen[begin] = before is not None
            if before is not None:
                _hold(own, begin - 1)
                own[begin] = replay.exact[before]
            if track is not None:
                first = begin + track.first
                _hold(own, first - 1)
                seen[first] = True
                own.update(zip(range(first, first + len(track.poses)), _unit(track.poses), strict=True))
                if after is None:
                    seen[first + len(track.poses)] = False
                else:
                    own[first + len(track.poses)] = replay.exact[after]
        begin += take["frames"] + PAUSE
    return {number: (own, _changes(there[number])) for number, own in poses.items() if own}


def _hold(own: dict[int, Array], frame: int) -> None:
    """Let a cube stay where it is until `frame`."""
    if own and (last := next(reversed(own))) < frame:
        own[frame] = own[last]


def _changes(seen: Mapping[int, bool]) -> dict[int, bool]:
    """Return where a value changes, and the first."""
    kept: dict[int, bool] = {}
    for frame, value in sorted(seen.items()):
        if not kept or value != kept[next(reversed(kept))]:
            kept[frame] = value
    return kept


def _unit(poses: Array) -> Array:
    """Return poses with quaternions of length 1, which those of a document are to the last digit only."""
    return np.concatenate((poses[:, :3], poses[:, 3:] / np.linalg.norm(poses[:, 3:], axis=1)[:, None]), axis=1)


def _packed(document: Mapping[str, Any], data: bytes) -> bytes:
    """Return a GLB: a header, the JSON padded with spaces, the bytes padded with zeros."""
    text = json.dumps(document, separators=(",", ":"), allow_nan=False).encode()
    text += b" " * (-len(text) % 4)
    data += bytes(-len(data) % 4)
    chunks = struct.pack("<II", len(text), 0x4E4F534A) + text + struct.pack("<II", len(data), 0x004E4942) + data
    return struct.pack("<III", 0x46546C67, 2, 12 + len(chunks)) + chunks

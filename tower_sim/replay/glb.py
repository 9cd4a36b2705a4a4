"""A replay as a binary glTF 2.0 scene with one animation, as programs for scenes in space open it.

All takes follow each other on one time line, half a second apart. glTF knows no cube that comes and goes: one that is
not there has size 0. Source: the glTF 2.0 specification, Khronos Group (ISO/IEC 12113:2022).
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

Array = npt.NDArray[np.float64]

PAUSE = 30
"""Frames between two takes."""
_FLOAT, _SHORT = 5126, 5123  # component types: 32-bit float, unsigned 16-bit
_VERTICES, _INDICES = 34962, 34963  # what a buffer view is for
_WIDTHS = {1: "SCALAR", 3: "VEC3", 4: "VEC4"}
_UPWARDS = (-(0.5**0.5), 0.0, 0.0, 0.5**0.5)  # glTF's y is up
_SEEN_THROUGH = 0.25
_GREY = (0.55, 0.5, 0.45)


def glb_of(replay: Replay) -> bytes:
    """Return the scene; equal documents give equal bytes."""
    header = replay.header
    scene = _Scene()
    root = scene.node({"name": header["title"] or "replay", "rotation": list(_UPWARDS)})
    parts = scene.node({"name": header["apparatus"]["kind"]})
    scene.nodes[parts]["children"] = _apparatus(scene, header["apparatus"])
    cubes, animation = _cubes(scene, replay)
    scene.nodes[root]["children"] = [parts, *cubes]
    document: dict[str, Any] = {
        "asset": {"version": "2.0", "generator": header["about"]["program"]},
        "scene": 0,
        "scenes": [{"nodes": [root]}],
        "nodes": scene.nodes,
        "meshes": scene.meshes,
        "materials": scene.materials,
        "accessors": scene.accessors,
        "bufferViews": scene.views,
        "buffers": [{"byteLength": len(scene.data)}],
    }
    if animation["channels"]:
        document["animations"] = [animation]
    return _packed(document, bytes(scene.data))


@dataclass(slots=True)
class _Scene:
    """The lists of a glTF document, and its bytes, while they grow."""

    nodes: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    meshes: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    materials: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    accessors: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    views: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    data: bytearray = field(default_factory=bytearray)

    def node(self, said: dict[str, Any]) -> int:
        self.nodes.append(said)
        return len(self.nodes) - 1

    def material(self, name: str, colour: Sequence[float], alpha: float = 1.0) -> int:
        paint = {"baseColorFactor": [*colour, alpha], "metallicFactor": 0.0, "roughnessFactor": 0.8}
        more = {"alphaMode": "BLEND", "doubleSided": True} if alpha < 1 else {}
        self.materials.append({"name": name, "pbrMetallicRoughness": paint, **more})
        return len(self.materials) - 1

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

    def shape(self, vertices: Array, faces: Sequence[Sequence[int]]) -> dict[str, Any]:
        """Add a convex solid with flat faces, counter-clockwise from outside; returns what of it a mesh says."""
        places: list[Array] = []
        normals: list[Array] = []
        indices: list[int] = []
        for face in faces:
            corners = vertices[list(face)]
            normal = np.cross(corners, np.roll(corners, -1, axis=0)).sum(axis=0)
            indices += [len(places) + k for i in range(1, len(face) - 1) for k in (0, i, i + 1)]
            places += list(corners)
            normals += [normal / np.linalg.norm(normal)] * len(face)
        told = {
            "POSITION": self.accessor(np.array(places), _VERTICES),
            "NORMAL": self.accessor(np.array(normals), _VERTICES),
        }
        return {"attributes": told, "indices": self.accessor(np.array(indices), _INDICES)}

    def box(self) -> dict[str, Any]:
        """Add a box of edge 1 around the origin."""
        corners = np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
        sides = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
        return self.shape(corners, sides)


def _apparatus(scene: _Scene, told: Mapping[str, Any]) -> list[int]:
    """Add the fixed parts, half clear; returns their nodes."""
    wood = scene.material("apparatus", _GREY, _SEEN_THROUGH)
    box = scene.mesh("part", scene.box(), wood)
    nodes: list[int] = []
    for part in told["boxes"]:
        size = [2 * half for half in part["half"]]
        turn = {"translation": part["centre"], "rotation": part["turn"], "scale": size}
        nodes.append(scene.node({"name": part["part"], "mesh": box, **turn}))
    for part in told["hulls"]:
        mesh = scene.mesh(part["part"], scene.shape(np.array(part["vertices"]), part["faces"]), wood)
        nodes.append(scene.node({"name": part["part"], "mesh": mesh}))
    return nodes


def _cubes(scene: _Scene, replay: Replay) -> tuple[list[int], dict[str, Any]]:
    """Add the cubes that are seen at all; returns their nodes and the animation of them."""
    header, shape = replay.header, scene.box()
    meshes = [
        scene.mesh(colour["name"], shape, scene.material(colour["name"], _linear(colour["rgb"])))
        for colour in header["colours"]
    ]
    keys = _keys(replay)
    nodes: list[int] = []
    animation: dict[str, Any] = {"name": "cubes", "channels": [], "samplers": []}
    for number, colour in header["cubes"]:
        if number not in keys:
            continue
        told, seen = keys[number]
        node = scene.node({"name": f"{header['colours'][colour]['name']} {number}", "mesh": meshes[colour]})
        nodes.append(node)
        poses, sizes = np.array(list(told.values())), np.array(list(seen.values()), np.float64) * header["edge"]
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
    for own in poses.values():
        _the_short_way(own)
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


def _the_short_way(own: dict[int, Array]) -> None:
    """Give each quaternion the sign that is nearer to the one before."""
    last: Array | None = None
    for frame, pose in own.items():
        if last is not None and float(pose[3:] @ last[3:]) < 0:
            own[frame] = pose = np.concatenate((pose[:3], -pose[3:]))
        last = pose


def _unit(poses: Array) -> Array:
    """Return poses with quaternions of length 1, which those of a document are to the last digit only."""
    return np.concatenate((poses[:, :3], poses[:, 3:] / np.linalg.norm(poses[:, 3:], axis=1)[:, None]), axis=1)


def _linear(rgb: str) -> list[float]:
    """Return #rrggbb as linear light, as glTF has colours; source: IEC 61966-2-1."""
    parts = [int(rgb[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    return [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]


def _packed(document: Mapping[str, Any], data: bytes) -> bytes:
    """Return a GLB: a header, the JSON padded with spaces, the bytes padded with zeros."""
    text = json.dumps(document, separators=(",", ":"), allow_nan=False).encode()
    text += b" " * (-len(text) % 4)
    data += bytes(-len(data) % 4)
    chunks = struct.pack("<II", len(text), 0x4E4F534A) + text + struct.pack("<II", len(data), 0x004E4942) + data
    return struct.pack("<III", 0x46546C67, 2, 12 + len(chunks)) + chunks

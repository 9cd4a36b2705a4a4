"""Replay documents made by hand: cubes on simple paths through a shape that ships, so that every figure is known."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from tower_sim import load
from tower_sim.apparatus.parts import Apparatus
from tower_sim.pages import paints
from tower_sim.replay.document import Replay

Array = npt.NDArray[np.float64]
UNIT = 1e-5


@dataclass
class _Parts:
    """The two tables that grow while takes are made: exact rows and motion."""

    exact: list[list[float]] = field(default_factory=list[list[float]])
    motion: list[npt.NDArray[np.int16]] = field(default_factory=list[npt.NDArray[np.int16]])
    length: int = 0

    def row(self, pose: Sequence[float] | Array) -> int:
        self.exact.append([float(value) for value in pose])
        return len(self.exact) - 1

    def track(self, poses: Array) -> int:
        """Add a track, shape (n, 7), and return its offset."""
        whole = np.rint(poses / np.array([UNIT] * 3 + [1 / 32767] * 4)).astype(np.int64)
        steps = np.diff(whole, axis=0, prepend=np.zeros((1, 7), np.int64))
        offset = self.length
        self.motion.append(steps.T.reshape(-1).astype(np.uint16).view(np.int16))
        self.length += steps.size
        return offset

    def bytes(self) -> bytes:
        table = np.array(self.exact, dtype="<f8").reshape(-1, 7)
        return table.tobytes() + np.concatenate([*self.motion, np.zeros(0, np.int16)]).astype("<i2").tobytes()


def shape_of(apparatus: Apparatus) -> dict[str, Any]:
    """Return the header's part on a shape."""
    board = apparatus.board
    return {
        "kind": "board" if board else "tower",
        "rim": apparatus.rim_top,
        "passed": apparatus.passed if math.isfinite(apparatus.passed) else None,
        "boxes": [
            {"part": box.part, "surface": box.surface, "centre": box.centre, "half": box.half, "turn": box.orientation}
            for box in apparatus.boxes
            if box.part != "table"
        ],
        "hulls": [
            {"part": hull.part, "surface": hull.surface, "vertices": hull.vertices, "faces": hull.faces}
            for hull in apparatus.hulls
        ],
        "regions": [{"name": region.name, "above": region.above} for region in apparatus.regions],
        "floor": board.floor if board else None,
        "zones": [
            {"name": zone.name, "corners": zone.corners, "says": zone.name.replace("_", " ")} for zone in board.zones
        ]
        if board
        else [],
    }


def path_through(corners: Sequence[tuple[float, float, float]], frames: int, turns: float) -> Array:
    """Return poses, shape (frames, 7), from corner to corner, turning about a slant axis and ending upright."""
    legs = np.linspace(0, len(corners) - 1, frames)
    position = np.column_stack([np.interp(legs, range(len(corners)), column) for column in zip(*corners, strict=True)])
    angle = 2 * math.pi * turns * (1 - np.arange(frames) / max(frames - 1, 1)) ** 2
    axis = np.array([0.48, 0.6, 0.64])
    quaternion = np.column_stack([np.sin(angle / 2)[:, None] * axis, np.cos(angle / 2)])
    for i, j in pairwise(range(frames)):
        if quaternion[i] @ quaternion[j] < 0:
            quaternion[j] *= -1
    return np.column_stack([position, quaternion])


def tower_replay(
    drops: Sequence[dict[str, int]] = ({"blue": 5, "red": 4}, {"green": 3}),
    colours: Sequence[str] = ("blue", "red", "green"),
    title: str = "Two drops into amerigo",
    apparatus: str = "amerigo",
) -> Replay:
    """Return drops into a tower: of each colour every second cube comes out, and the others lie on the ramp."""
    shape = load(apparatus)
    edge = shape.cube_edge
    parts = _Parts()
    cubes: list[list[int]] = []
    lying: dict[int, Array] = {}
    steps: list[dict[str, Any]] = []
    for number, thrown_counts in enumerate(drops):
        thrown: list[int] = []
        for colour, count in thrown_counts.items():
            thrown += range(len(cubes), len(cubes) + count)
            cubes += [[len(cubes) + i, list(colours).index(colour)] for i in range(count)]
        start = [[cube, "inside:lower_floor", parts.row(pose)] for cube, pose in lying.items()]
        tracks: list[list[int]] = []
        events: list[list[Any]] = []
        rest: list[list[Any]] = [
            [cube, "inside:lower_floor", row] for (cube, _), (_, _, row) in zip(lying.items(), start, strict=True)
        ]
        for k, cube in enumerate(thrown):
            first = 2 * k
            top = (0.012 * math.cos(k * 2.4), 0.012 * math.sin(k * 2.4), shape.rim_top + 0.06)
            out = k % 2 == 1
            slot = len(lying)
            spot = (
                -0.022 + 1.15 * edge * (slot % 4),
                -0.022 + 1.15 * edge * (slot // 4 % 4),
                0.066 + edge * (0.5 + slot // 16),
            )
            bend = (spot[0] / 2, spot[1] / 2, 0.13)
            corners = [top, bend, (0.03, spot[1], 0.02), (0.045, spot[1], edge)] if out else [top, bend, spot]
            poses = path_through(corners, 60 + 4 * k, 2.0)
            tracks.append([cube, first, len(poses), parts.track(poses)])
            events.append([first, "thrown", cube])
            last = first + len(poses)
            if out:
                events.append([last - 8, "out", cube, "tray"])
                rest.append([cube, "tray", None])
            else:
                final = np.array([*spot, 0.0, 0.0, 0.0, 1.0]) + 1e-7
                final[3:] /= np.linalg.norm(final[3:])
                lying[cube] = final
                events.append([last - 1, "rest", cube, "inside:lower_floor"])
                rest.append([cube, "inside:lower_floor", parts.row(final)])
        frames = max(first + n for _, first, n, _ in tracks) + 1
        take = {
            "kind": "drop",
            "status": "settled",
            "frames": frames,
            "redrawn": [],
            "thrown": thrown,
            "start": start,
            "rest": rest,
            "tracks": tracks,
            "events": sorted(events, key=lambda event: event[0]),
        }
        text = f"drop {number}: {sum(thrown_counts.values())} thrown"
        steps.append({"title": f"Drop {number}", "text": text, "takes": [take]})
    return _document(shape, title, colours, cubes, steps, parts)


def battle_replay(title: str = "A battle of two sides") -> Replay:
    """Return a step of a battle: six cubes that fall through the ship, each into a zone of its own."""
    shape = load("dead_reckoning")
    assert shape.board is not None
    zones = shape.board.zones
    parts = _Parts()
    cubes = [[i, i % 2] for i in range(6)]
    steps: list[dict[str, Any]] = []
    lying: list[list[Any]] = []
    for number in range(2):
        thrown = [cube for cube, _ in cubes][3 * number : 3 * number + 3]
        tracks: list[list[int]] = []
        events: list[list[Any]] = []
        rest: list[list[Any]] = list(lying)
        for k, cube in enumerate(thrown):
            zone = zones[cube]
            x, y = (sum(values) / len(zone.corners) for values in zip(*zone.corners, strict=True))
            final = (x, y, shape.board.floor + shape.cube_edge / 2)
            corners = [(0.0, y / 3, shape.rim_top + 0.05), (0.0, y / 2, 0.09), (0.02, y, 0.03), final]
            poses = path_through(corners, 70 + 5 * k, 1.5)
            tracks.append([cube, 3 * k, len(poses), parts.track(poses)])
            last = 3 * k + len(poses) - 1
            events += [[3 * k, "thrown", cube], [last - 10, "out", cube], [last, "rest", cube, f"zone:{zone.name}"]]
            rest.append([cube, f"zone:{zone.name}", parts.row([*final, 0.0, 0.0, 0.0, 1.0])])
        take = {
            "kind": "drop",
            "status": "settled",
            "frames": max(first + n for _, first, n, _ in tracks) + 1,
            "redrawn": [],
            "thrown": thrown,
            "start": list(lying),
            "rest": rest,
            "tracks": tracks,
            "events": sorted(events, key=lambda event: event[0]),
        }
        lying = rest
        text = f"step {number}: 3 cubes thrown; {', '.join(zones[cube].name for cube in thrown)}"
        steps.append({"title": f"Step {number}", "text": text, "takes": [take]})
    return _document(shape, title, ("purple", "green"), cubes, steps, parts)


def _document(
    shape: Apparatus,
    title: str,
    colours: Sequence[str],
    cubes: list[list[int]],
    steps: list[dict[str, Any]],
    parts: _Parts,
) -> Replay:
    header = {
        "schema": "tower-sim/replay",
        "version": 1,
        "title": title,
        "rate": 60,
        "unit": UNIT,
        "edge": shape.cube_edge,
        "about": {
            "game": None,
            "apparatus": shape.name,
            "model": "physics",
            "engine": "core",
            "accuracy": "standard",
            "settings": "0123456789abcdef",
            "seed": "7",
            "program": "tower_sim 0.1.0",
        },
        "apparatus": shape_of(shape),
        "colours": [
            {"name": p.name, "rgb": p.rgb, "ink": p.ink, "letter": p.letter, "pattern": p.pattern}
            for p in paints(colours)
        ],
        "cubes": cubes,
        "exact": len(parts.exact),
        "steps": steps,
        "summary": "What came out, came out.",
    }
    return Replay(header, parts.bytes())

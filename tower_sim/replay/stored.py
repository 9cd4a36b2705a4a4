"""Stored takes: one recorded draw as bytes, and as what matching asks of it."""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from typing import Any

import numpy as np

from tower_sim.cubes import Cube
from tower_sim.outcome import Status
from tower_sim.places import INSIDE
from tower_sim.replay.matching import OUT, THROWN, Recorded
from tower_sim.replay.takes import Happening, Lying, Take
from tower_sim.state import Pose

VERSION = 1
"""Of the bytes; a dataset says with which it was written."""
_HEAD = struct.Struct("<I")  # the length of the header that follows
_POSE = struct.Struct("<7d")


def packed(take: Take) -> bytes:
    """Return a take as bytes: the length of a JSON header, the header, exact poses, tracks.

    Exact poses are rows of seven 64-bit numbers, x y z (m) and x y z w; tracks are as in a replay document. Equal takes
    give equal bytes.
    """
    from tower_sim.replay.document import encoded, unit_of  # here, because it imports colours, which takes a while

    rows: dict[bytes, int] = {}
    motion = bytearray()
    unit = unit_of(take.tracks)
    cubes = {each.cube.id: each.cube for each in (*take.start, *take.rest)}

    def lying(several: Sequence[Lying]) -> list[list[Any]]:
        return [[each.cube.id, each.place, _row(each.pose, rows)] for each in several]

    tracks: list[list[int]] = []
    for track in take.tracks:
        tracks.append([track.cube, track.first, len(track.poses), len(motion) // 2])
        motion += encoded(track, unit)
    header = {
        "kind": take.kind,
        "status": str(take.status),
        "frames": take.frames,
        "strength": take.strength,
        "redrawn": [str(status) for status in take.redrawn],
        "unit": unit,
        "cubes": [[cube.id, cube.colour, cube.edge] for _, cube in sorted(cubes.items())],
        "thrown": [cube.id for cube in take.thrown],
        "start": lying(take.start),
        "rest": lying(take.rest),
        "tracks": tracks,
        "happenings": [[each.frame, each.word, each.cube, each.place] for each in take.happenings],
        "exact": len(rows),
    }
    text = json.dumps(header, separators=(",", ":"), allow_nan=False).encode()
    return b"".join([_HEAD.pack(len(text)), text, *rows, motion])


def unpacked(data: bytes) -> Take:
    """Read a take back: poses at rest bit for bit, tracks as fine as they are stored.

    Raises ValueError for bytes that `packed` did not write.
    """
    from tower_sim.replay.document import decoded

    try:
        (length,) = _HEAD.unpack_from(data)
        header: dict[str, Any] = json.loads(data[_HEAD.size : _HEAD.size + length])
        first = _HEAD.size + length
        motion = first + _POSE.size * header["exact"]
        poses: list[Pose] = [Pose(each[:3], each[3:]) for each in _POSE.iter_unpack(data[first:motion])]
        cubes = {number: Cube(number, colour, edge) for number, colour, edge in header["cubes"]}

        def lying(several: list[Any]) -> tuple[Lying, ...]:
            return tuple(Lying(cubes[n], place, _pose(poses, row)) for n, place, row in several)

        return Take(
            header["kind"],
            Status(header["status"]),
            header["frames"],
            header["strength"],
            tuple(Status(status) for status in header["redrawn"]),
            tuple(cubes[number] for number in header["thrown"]),
            lying(header["start"]),
            lying(header["rest"]),
            tuple(decoded(header["tracks"], data[motion:], header["unit"])),
            tuple(Happening(*each) for each in header["happenings"]),
        )
    except (KeyError, IndexError, TypeError, AttributeError, struct.error, RecursionError) as error:
        raise ValueError(f"no stored take ({error!r})") from error


def recorded_cubes(take: Take) -> list[Recorded]:
    """Return what became of each cube of a take, without its colour."""
    thrown = {cube.id for cube in take.thrown}
    lay = {each.cube.id: each.place for each in take.start}
    moved = {track.cube for track in take.tracks}
    return [
        Recorded(
            each.cube.id,
            THROWN if each.cube.id in thrown else lay[each.cube.id],
            each.place if each.place.startswith(INSIDE) else OUT,
            each.cube.id not in moved,
        )
        for each in take.rest
    ]


def _pose(poses: Sequence[Pose], row: int | None) -> Pose | None:
    return None if row is None else poses[row]


def _row(pose: Pose | None, rows: dict[bytes, int]) -> int | None:
    """Return the row of a pose in the table of exact ones, where it is put if it is not there."""
    if pose is None:
        return None
    told = np.array((*pose.position, *pose.orientation), "<f8").tobytes()
    return rows.setdefault(told, len(rows))

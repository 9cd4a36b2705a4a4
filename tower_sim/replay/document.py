"""Replay: the document that a page shows, a header and bytes of poses; version 1. docs/replay.md describes it."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from html.parser import HTMLParser
from typing import Any

import numpy as np
import numpy.typing as npt

from tower_sim.apparatus.parts import Apparatus
from tower_sim.cubes import Cube
from tower_sim.drawing.paint import paints
from tower_sim.errors import UsageError, fault
from tower_sim.physics.plain import drawn
from tower_sim.reading import json_value
from tower_sim.replay.stored import COLUMNS, Poses, decoded
from tower_sim.replay.takes import RATE, Take, Track
from tower_sim.version import TOWER_SIM

Array = npt.NDArray[np.float64]

SCHEMA = "tower-sim/replay"
VERSION = 1
_TABLE = "table"
HEADER, POSES = "replay", "poses"
"""The elements of a page that hold a document."""
_MOST_BYTES = 2**30  # of poses in a page: thousands of whole games


@dataclass(frozen=True, slots=True)
class ShownStep:
    """One step of what is shown: a drop, or a turn of a game; `text` is what the terminal says of it."""

    title: str
    text: str
    takes: tuple[Take, ...]


@dataclass(frozen=True, slots=True)
class About:
    """What was played with what: names, the settings' digest, the seed."""

    apparatus: str
    model: str
    seed: int
    game: str | None = None
    engine: str | None = None
    accuracy: str | None = None
    settings: str | None = None


@dataclass(frozen=True, slots=True)
class Replay:
    """A replay document: its `header`, ready for `json.dumps`, and its `data`: bytes of exact poses, then of motion."""

    header: dict[str, Any]
    data: bytes = field(repr=False)

    @property
    def title(self) -> str:
        """What is shown."""
        return str(self.header["title"])

    @property
    def exact(self) -> Array:
        """The poses that cubes rest at, as their states have them: rows of x y z (m) and x y z w."""
        rows: int = self.header["exact"]
        return np.frombuffer(self.data, "<f8", rows * COLUMNS).reshape(rows, COLUMNS)

    def tracks(self, take: dict[str, Any]) -> list[Track]:
        """Return the tracks of one of the header's takes, as fine as the document has them."""
        return decoded(take["tracks"], self.data[8 * COLUMNS * self.header["exact"] :], self.header["unit"])

    @staticmethod
    def read(page: str) -> Replay:
        """Read the document of a replay page's text; raises UsageError for what is none, or of another version."""
        reader = _PageReader()
        reader.feed(page)
        try:
            header = json_value(reader.texts[HEADER], "replay")
            data = _unpacked(reader.texts[POSES])
            known = (header["schema"], header["version"])
        except (KeyError, TypeError, ValueError, zlib.error) as error:
            raise UsageError("no replay page; allowed is a page that `page replay` has written; give one") from error
        if known != (SCHEMA, VERSION):
            raise fault("version of a replay page", known[1], f"{VERSION}", "write it anew with this program")
        return Replay(header, data)

    def takes(self) -> list[dict[str, Any]]:
        """Return all takes of the header, in their order."""
        return [take for step in self.header["steps"] for take in step["takes"]]


def replay(
    title: str,
    summary: str,
    steps: Sequence[ShownStep],
    apparatus: Apparatus,
    about: About,
    colours: Sequence[str] = (),
    heading: str | None = None,
) -> Replay:
    """Return the document of `steps`; `colours` are named first, others in the order of the cubes' numbers.

    `heading` is what the terminal prints over the texts of the steps, where they are rows of a table.
    Raises UsageError for two cubes of one number.
    """
    every = [take for step in steps for take in step.takes]
    cubes = _cubes(every)
    named = list(dict.fromkeys((*colours, *(cube.colour for cube in cubes))))
    poses = Poses(track for take in every for track in take.tracks)
    header = {
        "schema": SCHEMA,
        "version": VERSION,
        "title": title,
        "rate": RATE,
        "unit": poses.unit,
        "edge": apparatus.cube_edge,
        "about": _about(about),
        "apparatus": _apparatus(apparatus),
        "colours": [asdict(paint) for paint in paints(named)],
        "cubes": [[cube.id, named.index(cube.colour)] for cube in cubes],
        "steps": [
            {"title": step.title, "text": step.text, "takes": [_take(take, poses) for take in step.takes]}
            for step in steps
        ],
        "heading": heading,
        "summary": summary,
    }
    return Replay(header | {"exact": len(poses.exact)}, poses.bytes)


def _take(take: Take, poses: Poses) -> dict[str, Any]:
    events = [[each.frame, each.word, each.cube, *([each.place] if each.place else [])] for each in take.happenings]
    return poses.header(take) | {"events": events}


def _cubes(takes: Sequence[Take]) -> list[Cube]:
    """Return every cube once, by number."""
    found: dict[int, Cube] = {}
    for take in takes:
        for each in (*take.start, *take.rest):
            if found.setdefault(each.cube.id, each.cube) != each.cube:
                raise fault(
                    "cubes of a replay", f"two of number {each.cube.id}", "a number for each", "number them anew"
                )
    return [found[number] for number in sorted(found)]


class _PageReader(HTMLParser):
    """Collects the text of a page's elements that have an id."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: dict[str, str] = {}
        self._id: str | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._id = dict(attrs).get("id") if tag == "script" else None

    def handle_endtag(self, tag: str) -> None:
        self._id = None

    def handle_data(self, data: str) -> None:
        if self._id is not None:
            self.texts[self._id] = self.texts.get(self._id, "") + data


def _unpacked(text: str) -> bytes:
    """Return the bytes of base64 of gzip; raises ValueError for anything else."""
    reader = zlib.decompressobj(wbits=31)
    data = reader.decompress(base64.b64decode(text, validate=True), _MOST_BYTES)
    if not reader.eof:
        raise ValueError("bytes are missing, or far too many")
    return data


def _about(about: About) -> dict[str, Any]:
    told = asdict(about) | {"seed": str(about.seed), "program": f"tower_sim {TOWER_SIM}"}
    order = ("game", "apparatus", "model", "engine", "accuracy", "settings", "seed", "program")
    return {name: told[name] for name in order}


def _apparatus(shape: Apparatus) -> dict[str, Any]:
    """Return what of an apparatus is drawn: its solids but for the table, heights (m), regions, zones."""
    plain = drawn(shape)
    return plain | {"boxes": [box for box in plain["boxes"] if box["part"] != _TABLE]}

r"""`tower-sim tower import`: a mesh becomes a profile, its solids, and a drawing that shows both.

file --reading, package--> triangles --upright, on the table, exit to +x--> space --> proposed numbers
\--what cubes can touch--> prisms --> file of solids
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, cast

import numpy as np

from tower_sim.apparatus import shapes
from tower_sim.apparatus.catalogue import SCHEMA, VERSION, from_tables
from tower_sim.apparatus.mesh import MeshTower, package, solids
from tower_sim.apparatus.mesh.prisms import FLAT, Mesh, Slivers, make_prisms
from tower_sim.apparatus.mesh.profile import MeshTable, Source, measure_free
from tower_sim.apparatus.mesh.reading import Unreadable, join, read_stl
from tower_sim.apparatus.mesh.space import Array, Interior, NoWay, Space, Way, directions
from tower_sim.apparatus.parts import Apparatus
from tower_sim.documents import typed
from tower_sim.errors import UsageError, check_number, fault, quote
from tower_sim.tools import check, read_bytes, read_text, toml_table, write_all

FORMATS = (".stl", ".3mf")
UNITS = {"mm": 1.0, "cm": 10.0, "inch": 25.4, "m": 1000.0, "foot": 304.8, "micron": 0.001}
MOST_BYTES = 100_000_000
LOWEST, HIGHEST, FARTHEST = 30.0, 1000.0, 1e5  # mm: how high a tower may be, how large, and how far from its origin
_UP = {"z": 0, "y": 1, "x": 2}  # so often the axes change places in turn
_COARSE = 5e5  # cells, to find where it faces
_EVEN = 0.5  # edges: a layer's outlines differ by no more
HEAD = {"schema": SCHEMA, "version": VERSION, "kind": "mesh_tower"}
_SURFACES = {
    "cube": {"friction": 0.4, "restitution": 0.5},
    "printed": {"friction": 0.35, "restitution": 0.4},
    "pane": {"friction": 0.3, "restitution": 0.5},
    "table": {"friction": 0.4, "restitution": 0.5},
}
_HAND = {"height_mm": 15, "spread_mm": 0, "speed_m_s": 0.1, "spin_rad_s": 5, "rate_per_s": 100, "fall_m_s": 0.3}
_NAMES = ("top", "middle", "bottom")
Beside = Callable[[Apparatus], Mapping[Path, bytes]]
"""Return further files to write with the profile of a tower, such as its picture."""


def nothing(tower: Apparatus) -> Mapping[Path, bytes]:
    """Return no further files."""
    return {}


@dataclass(frozen=True, slots=True)
class _Opened:
    """An upright mesh (mm), its file's unit (mm; `unit` says whose), digest and notes, and the number of open edges."""

    mesh: Mesh
    scale: float
    unit: str
    digest: str
    notes: tuple[str, ...]
    open_edges: int


@dataclass(frozen=True, slots=True)
class Import:
    """The tower, its mesh as the file has it, ways out, and numbers: closed bodies, triangles that a cube can touch."""

    tower: MeshTower
    opened: _Opened
    ways: tuple[Way, ...]
    bodies: int
    touched: int
    slivers: Slivers


def import_mesh(
    file: str | Path,
    output: str | Path,
    *,
    unit: str | None = None,
    scale: float = 1.0,
    up: str = "z",
    edge: float = 8.0,
    pane: float | None = None,
    exit: float | None = None,
    only: int | None = None,
    beside: Beside = nothing,
) -> Import:
    """Write the profile of a mesh into `output` (TOML), its solids beside it, a copy of the mesh, and files `beside`.

    `unit` is the file's, one of UNITS; without it that which the file names counts, or mm. `scale` is a factor on it.
    `edge` is that of the cubes (mm). `pane` is the height (mm) of the lower edge of a sheet of glass to add where the
    front is open. Of several ways out the exit is the one whose upper edge is at the height `exit` (mm), or the lowest.
    `only` is the number of a tower, if the file has several, counted from the left.
    """
    file, output = Path(file), _profile_path(output)
    check_number("--scale", scale, 1e-5, 1e5)
    check_number("--edge", edge, 2, 40, unit=" mm")
    if up.removeprefix("-") not in _UP:
        raise fault("--up", up, "x, y, z, -x, -y or -z", "say which way is up in the file")
    opened = _open_mesh(file, up, scale, unit)
    mesh, within, mouth = _choose_tower(opened.mesh, edge, only)
    mesh, turn, move = _place(mesh, edge, exit, mouth)
    sheets = [] if pane is None else [_make_pane(mesh, edge, pane)]
    source = Source(
        file=file.name,
        digest=opened.digest,
        scale=opened.scale,
        up=cast("Any", up),
        only_mm=within,
        turn_deg=turn,
        move_mm=list(move),
        flat_mm=FLAT,
    )
    return _import(file, output, opened, mesh, source, sheets, edge, None, exit, beside)


def import_again(profile: str | Path, output: str | Path, beside: Beside = nothing) -> Import:
    """Make the solids of a profile again after a change of its source, boxes or edge; `beside` as in `import_mesh`."""
    profile, output = Path(profile), _profile_path(output)
    tables = toml_table(read_text(profile, "profile"), "the file")
    table: dict[str, Any] = {
        key: value for key, value in tables.items() if key not in ("schema", "version", "kind", "solids")
    }
    given = typed.read(MeshTable, {**table, "solids": {"file": "-", "digest": "-"}})
    source, file = given.source, profile.parent / given.source.file
    opened = _open_mesh(file, source.up, source.scale, is_new=False)
    if opened.digest != source.digest:
        raise UsageError(
            f"mesh {quote(str(file))} is not the one of this profile: its digest is {opened.digest}, not "
            f"{source.digest}; allowed is the same file; put it back, or import this one as a tower of its own"
        )
    mesh = _turn(_cut(opened.mesh, source.only_mm), source.turn_deg, cast("Any", source.move_mm))
    sheets = [box.model_dump() for box in given.boxes]
    exit = 1e3 * given.exit.top
    return _import(file, output, opened, mesh, source, sheets, table["cubes"]["edge_mm"], table, exit, beside)


def _profile_path(output: str | Path) -> Path:
    output = Path(output)
    if output.suffix.lower() != ".toml":
        raise fault("output", str(output), "a name that ends in .toml", f"try {output.stem}.toml")
    check(output, "output")
    return output


def _open_mesh(file: Path, up: str, scale: float, unit: str | None = None, is_new: bool = True) -> _Opened:
    """Open a mesh upright in mm; `scale` is a factor, or mm of the file's unit if the profile is not new."""
    mesh, own, digest, notes = read(file)
    says = "as the profile says"
    if is_new:
        says = "as --unit says" if unit else "as the file says" if own else "the file names none"
        scale *= UNITS[unit or own or "mm"]
    far = scale * float(np.abs(mesh.vertices).max())
    if not far <= FARTHEST:
        raise UsageError(
            f"the mesh has a corner {far:.3g} mm from its origin if its unit is {scale:g} mm; allowed are up to "
            f"{FARTHEST:g} mm; give --unit or --scale, or remove that corner"
        )
    mesh = _set_upright(mesh, scale, up)
    x, y, z = np.ptp(mesh.vertices, axis=0).tolist()
    if not (LOWEST <= z <= HIGHEST and max(x, y) <= HIGHEST):
        raise UsageError(
            f"the mesh is {x:.4g} x {y:.4g} mm and {z:.4g} mm high if its unit is {scale:g} mm and {up} is up; allowed "
            f"are {LOWEST:g} to {HIGHEST:g} mm; give --unit {', '.join(UNITS)}, --scale or --up"
        )
    sides = np.sort(mesh.faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    times = np.unique(sides, axis=0, return_counts=True)[1]
    return _Opened(mesh, scale, f"{scale:g} mm ({says})", digest, notes, int((times == 1).sum()))


def _import(
    file: Path,
    output: Path,
    opened: _Opened,
    mesh: Mesh,
    source: Source,
    sheets: list[dict[str, Any]],
    edge: float,
    tables: dict[str, Any] | None,
    exit: float | None,
    beside: Beside,
) -> Import:
    space = Space(np.concatenate([mesh.triangles, *map(_cut_sheet, sheets)]), edge)
    try:
        interior = space.explore((0.0, 0.0), exit)
    except NoWay as way:
        what = "in at the top" if way.is_mouth else "from the mouth to an exit"
        width = f"the widest that does is about {way.width:.1f} mm" if way.width > 1 else "none does"
        raise UsageError(
            f"no cube of {edge:g} mm gets {what}: {width}; allowed is a mesh with a way through for its cubes; "
            "give --edge, --unit or --up"
        ) from None
    if tables is None and exit is not None and abs(interior.exit.top - exit) > edge:
        allowed = f"near the upper edge of a way out, of which there are {tell_ways(interior.ways)}"
        raise fault("--exit", exit, allowed, "give one of these heights in mm, or leave it out")
    body, closed, is_out = mesh.closed()
    before, behind = space.find_touched(mesh.triangles, (closed & is_out)[body])
    touched = before | behind
    prisms, slivers = make_prisms(mesh.only(touched), source.flat_mm, (behind & ~before)[touched])
    tables = tables or _propose(mesh, interior, edge)
    tables |= {"source": source.model_dump(exclude_none=True)} | ({"boxes": sheets} if sheets else {})
    text = solids.format_prisms(prisms, MeshTable.digest_of(source, edge, sheets))
    solids_file = output.with_suffix(".solids.obj")
    tables["solids"] = {"file": solids_file.name, "digest": hashlib.sha256(text.encode()).hexdigest()[:16]}
    # before anything is written, so that a fault leaves no half of it
    tower = from_tables({**HEAD, **tables, "solids": {**tables["solids"], "data": text}}, output.stem, output)
    copy = output.parent / file.name
    copies = {} if copy.resolve() == file.resolve() else {copy: file.read_bytes()}
    profile = profile_text(tables, output.stem)
    write_all({**copies, solids_file: text, output: profile, **beside(tower)}, "output")
    return Import(cast("MeshTower", tower), opened, interior.ways, len(closed), int(touched.sum()), slivers)


def read(file: Path) -> tuple[Mesh, str | None, str, tuple[str, ...]]:
    """Return a file's mesh in its unit, that unit if the file names one, the file's digest, and notes."""
    form = file.suffix.lower()
    if form not in FORMATS:
        advice = "export the tower as STL or 3MF from the program that drew it"
        raise fault("mesh", file.name, f"a file that ends in {' or '.join(FORMATS)}", advice)
    data = read_bytes(file, "mesh", limit=MOST_BYTES, advice="give a file that is there")
    try:
        if form == ".stl":
            unit, (bodies, notes) = None, read_stl(data)
        else:
            bodies, unit, notes = package.read(data)
        mesh, left_out = join(bodies)
    except Unreadable as error:
        raise UsageError(f"mesh {quote(str(file))} cannot be read: {error.why}; {error.advice}") from None
    return mesh, unit, hashlib.sha256(data).hexdigest()[:16], (*notes, *left_out)


def _set_upright(mesh: Mesh, scale: float, up: str) -> Mesh:
    vertices = scale * mesh.vertices
    if up.startswith("-"):
        vertices = vertices * (1.0, -1.0, -1.0) if up != "-x" else vertices * (-1.0, 1.0, -1.0)
    vertices = np.roll(vertices, _UP[up[-1]], axis=1)
    _, first, same = np.unique(np.round(vertices, 4), axis=0, return_index=True, return_inverse=True)
    faces = same.reshape(-1)[mesh.faces]
    vertices = vertices[first]
    three = np.sort(faces, axis=1)
    keep = np.zeros(len(faces), dtype=bool)
    keep[np.unique(three, axis=0, return_index=True)[1]] = True
    keep &= (three[:, 0] != three[:, 1]) & (three[:, 1] != three[:, 2])
    if not keep.any():
        raise UsageError("the mesh has no triangle with an area; allowed is a surface; check --unit")
    return Mesh(vertices, faces[keep], mesh.part[keep], mesh.parts)


def _choose_tower(
    mesh: Mesh, edge: float, only: int | None
) -> tuple[Mesh, list[float] | None, tuple[float, float] | None]:
    """Return the mesh of one tower; if there are others, the rectangle (mm) about it: x, y, then x, y; its mouth."""
    mouths = Space(mesh.triangles, edge, _COARSE).find_mouths()
    places = [f"{k} at x = {round(x)}, y = {round(y)} mm" for k, (x, y) in enumerate(mouths, 1)]
    numbers = " or ".join(f"--only {k}" for k in range(1, len(mouths) + 1))
    if only is None and len(mouths) > 1:
        raise UsageError(
            f"the mesh has {len(mouths)} towers, each with a mouth and a way out: {'; '.join(places)}; allowed is one; "
            f"give {numbers}"
        )
    if only is not None and not 1 <= only <= len(mouths):
        raise fault("--only", only, f"1 to {len(mouths)}, as many towers as the mesh has", "change it, or leave it out")
    if len(mouths) < 2:
        return mesh, None, None
    mouth = mouths[(only or 1) - 1]
    low, high = _find_rectangle(mesh, mouth)
    within = [*(np.floor(10 * low) / 10).tolist(), *(np.ceil(10 * high) / 10).tolist()]
    return _cut(mesh, within), within, mouth


def _find_rectangle(mesh: Mesh, point: tuple[float, float]) -> tuple[Array, Array]:
    """Return the corners of the rectangle about all bodies over each other, and over a point."""
    body = mesh.closed()[0]
    corners = mesh.triangles[:, :, :2]
    lows, highs = (np.full((body.max() + 1, 2), far) for far in (np.inf, -np.inf))
    np.minimum.at(lows, body, corners.min(axis=1))
    np.maximum.at(highs, body, corners.max(axis=1))
    low, high = np.array(point), np.array(point)
    while True:
        over = ((lows <= high) & (highs >= low)).all(axis=1)
        wider = (
            np.minimum(low, lows[over].min(axis=0, initial=np.inf)),
            np.maximum(high, highs[over].max(axis=0, initial=-np.inf)),
        )
        if np.array_equal(wider, (low, high)):
            return wider
        low, high = wider


def _cut(mesh: Mesh, within: list[float] | None) -> Mesh:
    """Return the triangles within a rectangle (mm): x, y, then x, y."""
    if within is None:
        return mesh
    x0, y0, x1, y1 = within
    x, y = np.moveaxis(mesh.triangles[:, :, :2], 2, 0)
    kept = ((x >= x0) & (x <= x1) & (y >= y0) & (y <= y1)).all(axis=1)
    if not kept.any():
        raise fault("source.only_mm", within, "a rectangle about a tower", "remove it, or change it")
    return mesh.only(kept)


def tell_ways(ways: Sequence[Way]) -> str:
    """Return the heights and directions of ways out as text; the exit of a placed tower faces the front."""
    sides = ("to the front", "to the left", "to the back", "to the right")
    texts = [
        f"under {way.top:.0f} mm {'all around' if way.angle is None else sides[round(way.angle / (math.pi / 2)) % 4]}"
        for way in ways
    ]
    return ", ".join(texts)


def _place(
    mesh: Mesh, edge: float, exit: float | None, mouth: tuple[float, float] | None
) -> tuple[Mesh, float, tuple[float, float, float]]:
    used = mesh.vertices[np.unique(mesh.faces)]
    vertices = mesh.vertices - (0.0, 0.0, float(used[:, 2].min()))
    turn, middle = 0.0, (used.min(axis=0) + used.max(axis=0))[:2] / 2
    with suppress(NoWay):
        interior = Space(vertices[mesh.faces], edge, _COARSE).explore(mouth, exit)
        if interior.exit.angle is not None:
            turn = -90.0 * round(math.degrees(interior.exit.angle) / 90)
        middle = _find_middle(vertices[np.unique(mesh.faces)], interior)
    cosine, sine = _cosine_sine(turn)
    x, y = np.round([sine * middle[1] - cosine * middle[0], -sine * middle[0] - cosine * middle[1]], 2).tolist()
    move = (x + 0.0, y + 0.0, float(-mesh.triangles[:, :, 2].min()))
    return _turn(mesh, turn, move), turn + 0.0, move


def _find_middle(points: Array, interior: Interior) -> Array:
    reach = interior.extents[0]
    middle = np.array([reach[0] - reach[8], reach[4] - reach[12]]) / 2
    rim = points[np.abs(points[:, 2] - interior.rim) < 2 * interior.pitch][:, :2]
    if len(rim):
        exact = (rim.min(axis=0) + rim.max(axis=0)) / 2
        middle = np.where(np.abs(exact - middle) < 2 * interior.pitch, exact, middle)
    return middle


def _turn(mesh: Mesh, turn: float, move: tuple[float, float, float]) -> Mesh:
    cosine, sine = _cosine_sine(turn)
    matrix = np.array([[cosine, -sine, 0.0], [sine, cosine, 0.0], [0.0, 0.0, 1.0]])
    return Mesh(mesh.vertices @ matrix.T + move, mesh.faces, mesh.part, mesh.parts)


def _cosine_sine(degrees: float) -> tuple[float, float]:
    cosine, sine = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return (float(round(cosine)), float(round(sine))) if degrees % 90 == 0 else (cosine, sine)


def _make_pane(mesh: Mesh, edge: float, bottom: float) -> dict[str, Any]:
    try:
        ways = Space(mesh.triangles, edge, _COARSE).explore((0.0, 0.0)).ways
        top = max([way.top for way in ways if way.angle is None or abs(way.angle) < math.pi / 4], default=0.0)
    except NoWay:
        top = float(mesh.triangles[:, :, 2].max())
    if not bottom < top - 2 * edge:
        allowed = f"less than {top - 2 * edge:.4g} mm, two edges under the upper edge of the way out to the front"
        raise fault("--pane", bottom, allowed, "lower it, or leave it out")
    low, high = mesh.triangles[:, :, 2].min(axis=1), mesh.triangles[:, :, 2].max(axis=1)
    walls = mesh.triangles[(high > bottom + edge) & (low < top - edge) & (high - low > edge)]
    if not len(walls):
        walls = mesh.triangles
    front, (y0, y1) = float(walls[:, :, 0].max()), (float(walls[:, :, 1].min()), float(walls[:, :, 1].max()))
    from_mm, to_mm = ([round(x, 2) for x in corner] for corner in ((front, y0, bottom), (front + 2.0, y1, top)))
    return {"part": "pane", "surface": "pane", "from_mm": from_mm, "to_mm": to_mm}


def _cut_sheet(sheet: Mapping[str, Any]) -> Array:
    corners = np.array([*product(*zip(sheet["from_mm"], sheet["to_mm"], strict=True))], dtype=float)
    sides = ((0, 1, 3, 2), (4, 5, 7, 6), (0, 1, 5, 4), (2, 3, 7, 6), (0, 2, 6, 4), (1, 3, 7, 5))
    return np.concatenate([corners[[[a, b, c], [a, c, d]]] for a, b, c, d in sides])


def _propose(mesh: Mesh, interior: Interior, edge: float) -> dict[str, Any]:
    mouth = _find_outline(interior.extents[0])
    layers = _find_layers(interior, edge)
    rim = round(interior.rim, 1)
    span = rim - layers[-1][0]
    inside = [
        {"name": _NAMES[min(2, int(3 * (rim - top) / span))], "bottom_mm": bottom, "outline_mm": _find_outline(extent)}
        for bottom, top, extent in layers
    ]
    front = float(layers[-1][2][0])
    points = mesh.triangles.reshape(-1, 3)
    low = points[(points[:, 2] < 2 * edge) & (points[:, 0] > front + edge)]
    if len(low) and float(low[:, 0].max()) - front > 3 * edge:
        tray = {
            "x_mm": [round(front, 1), round(float(low[:, 0].max()), 1)],
            "y_mm": [round(float(low[:, 1].min()), 1), round(float(low[:, 1].max()), 1)],
            "walls_mm": 0,
        }
    else:
        start = round(float(points[:, 0].max()) + 0.1, 1)
        tray = {"x_mm": [start, start + 110], "y_mm": [-60, 60], "walls_mm": 15}
    width = 2 * measure_free(mouth) * 1e3
    return {
        "cubes": {"edge_mm": edge, "density_kg_m3": 650},
        "surfaces": _SURFACES,
        "parts": dict.fromkeys(mesh.parts, "printed"),
        "mouth": {"height_mm": rim, "outline_mm": mouth},
        "inside": inside,
        "exit": {
            "top_mm": round(interior.exit.top, 1),
            "side": "around" if interior.exit.angle is None else "front",
            "wall_mm": 2 if len(interior.ways) == 1 else 0,  # through a window a cube goes out where a wall would be
            "passed_mm": max(0.0, round(interior.passed, 1)),
            "emerged": "cleared",
        },
        "tray": tray,
        "release": _HAND | {"spread_mm": max(5, math.floor(0.6 * width))},
    }


def _find_layers(interior: Interior, edge: float) -> list[tuple[float, float, Array]]:
    """Return layers from the top down: lower and upper bound (mm), and how far they reach. The last has the exit."""
    layers: list[tuple[float, float, Any]] = []
    heights, extents, pitch = interior.heights, interior.extents, interior.pitch
    top, exit_from = interior.rim, round(interior.exit.top + 0.5 * edge, 1)
    over = heights >= exit_from
    low = high = extents[0]
    for height, here in zip(heights[over], extents[over], strict=True):
        lowest, highest = np.minimum(low, here), np.maximum(high, here)
        if (highest - lowest).max() > _EVEN * edge and height + pitch / 2 < top:
            bottom = round(float(height + pitch / 2), 1)
            layers.append((bottom, top, high))
            top, lowest, highest = bottom, here, here
        low, high = lowest, highest
    if exit_from < top:
        layers.append((exit_from, top, high))
        top = exit_from
    below = extents[~over]
    return [*layers, (0.0, top, below.max(axis=0) if len(below) else high)]


def _find_outline(extent: Array) -> list[list[float]]:
    best: list[list[float]] = []
    area = math.inf
    for step in (4, 2, 1):
        corners = 1e4 * np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
        for normal, offset in zip(directions()[::step], extent[::step], strict=True):
            corners = shapes.clip(corners, offset - corners @ normal)
        corners = corners[np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1) > 0.2]
        x, y = corners.T
        size = abs(float(np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y))) / 2
        if size < 0.96 * area:
            area, best = size, np.round(corners, 1).tolist()
    return best


_COMMENTS = {  # of the tables that a person may change
    "cubes": "what the tower is made for; [assumed]: beech",
    "source": "the mesh; after a change here, in [[boxes]] or of edge_mm: import this file again, with --force",
    "solids": "what cubes can touch of it",
    "parts": "printed, pane or table",
    "boxes": "what the file lacks, such as a sheet of glass",
    "mouth": "the rim's height and outline, proposed from the mesh",
    "inside": "proposed: the outline of the walls' inner faces from a height on, from the top down",
    "exit": "proposed: under top_mm a cube past the outline is out; under passed_mm cubes cannot hold each other; "
    "[assumed]: wall_mm",
    "tray": "where cubes that come out lie: proposed, or [assumed] if walls_mm over 0 builds walls that the mesh lacks",
    "surfaces": "[assumed]: smooth plastic",
    "release": "[assumed]: a hand just over the rim",
}


def profile_text(tables: Mapping[str, Any], name: str) -> str:
    """Return the text of a profile, with a comment on each table."""
    lines = [
        "# A tower from a mesh. Numbers called proposed were found in it: look at them with",
        f"# tower-sim tower show {name}.toml",
        *(f"{key} = {json.dumps(value)}" for key, value in HEAD.items()),
    ]
    for key, comment in _COMMENTS.items():
        table: Any = tables.get(key)
        if not table:
            continue
        lines += ["", f"# {comment.format(name=name)}"]
        entries: list[tuple[str, dict[str, Any]]] = [(f"[{key}]", table)]
        if key == "surfaces":
            entries = [(f"[surfaces.{material}]", pair) for material, pair in table.items()]
        elif isinstance(table, list):
            entries = [(f"[[{key}]]", row) for row in cast("list[Any]", table)]
        for head, values in entries:
            lines.append(head)
            lines += [f"{word} = {json.dumps(x)}" for word, x in values.items() if x is not None and word != "data"]
    return "\n".join([*lines, ""])

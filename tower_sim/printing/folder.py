"""The folder that an export writes: parts, the profile, and what they are in `parts.toml`; and what reads it back."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np

from tower_sim.apparatus.catalogue import load, shipped
from tower_sim.apparatus.parts import Apparatus
from tower_sim.errors import UsageError, fault, shown
from tower_sim.printing.convex import remade
from tower_sim.printing.mesh import Mesh, faults
from tower_sim.printing.printed import TowerInParts
from tower_sim.printing.stl import read_stl
from tower_sim.reading import read_text, toml_table
from tower_sim.writing import told

SCHEMA, VERSION = "tower-sim/printed", 1
PARTS, PROFILE = "parts.toml", "tower.toml"


@dataclass(frozen=True, slots=True, eq=False)
class Remade:
    """A tower made of printed files: the `apparatus`, of `hulls`, and the parts' `meshes` as they stand in it.

    `missed` is the share of their volume that the convex solids have not, or have too much.
    """

    apparatus: Apparatus
    meshes: tuple[Mesh, ...]
    missed: float


def opened(path: str | Path) -> Path:
    """Make the folder an export goes to; raises UsageError for a name that is a file's, or that cannot be made."""
    path = Path(path)
    if path.suffix.lower() in (".stl", ".3mf", ".step", ".stp", ".svg") or (path.exists() and not path.is_dir()):
        advice = f"try {path.with_suffix('') if path.suffix else str(path) + '-parts'}"
        raise fault("output", str(path), "a folder, since a tower is several files", advice)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise told(path, error, "folder") from error
    return path


def profile_text(name_or_file: str) -> str:
    """Return the text of a shipped profile or of a profile's file."""
    text = shipped().get(name_or_file)
    return text if text is not None else read_text(name_or_file, "apparatus file", limit=1_000_000, advice="give TOML")


def digest_of(files: Mapping[str, bytes]) -> str:
    """Return what identifies the parts: 16 letters of a SHA-256 over those of the files, in the order of names."""
    whole = hashlib.sha256()
    for name in sorted(files):
        whole.update(hashlib.sha256(files[name]).digest())
    return whole.hexdigest()[:16]


def parts_text(printed: TowerInParts, files: Mapping[str, str], form: str, digest: str) -> str:
    """Return `parts.toml`: what was printed of which profile, where each part stands; `files` by the part's title."""
    apparatus, choice = printed.apparatus, printed.choice
    bed = ", ".join(f"{side:g}" for side in (choice.bed.width, choice.bed.depth, choice.bed.height))
    lines = [
        f'schema = "{SCHEMA}"',
        f"version = {VERSION}",
        f'tower = "{_bare(apparatus.name)}"',
        f'profile = "{PROFILE}"',
        f'profile_digest = "{apparatus.digest}"',
        f'digest = "{digest}"  # of the parts below',
        f'format = "{form}"',
        f"cube_mm = {1e3 * apparatus.cube_edge:.6g}",
        f"wall_mm = {choice.wall:g}",
        f"clearance_mm = {choice.clearance:g}",
        f"print_bed_mm = [{bed}]",
    ]
    for part in printed.parts:
        low, size = part.mesh.bounds[0], part.size
        lines += [
            "",
            "[[part]]",
            f"number = {part.number}",
            f'name = "{part.name}"',
            f'file = "{files[part.title]}"',
            f'surface = "{_bare(part.surface)}"',
            f"at_mm = [{', '.join(f'{x:.5f}' for x in low)}]  # its lowest corner, in the tower",
            f"size_mm = [{', '.join(f'{x:.3f}' for x in size)}]",
        ]
    return "\n".join(lines) + "\n"


def _bare(name: str) -> str:
    return "".join(letter for letter in name if letter.isprintable() and letter not in '"\\')


def read(folder: str | Path) -> Remade:
    """Read a folder of STL parts back as an apparatus whose fixed parts are convex hulls, for the engine core.

    Each part is put where `parts.toml` says. Raises UsageError, in one line, for a folder that is none, a file that is
    no watertight mesh, and meshes that convex solids cannot stand for.
    """
    folder = Path(folder)
    text = read_text(folder / PARTS, "parts", limit=1_000_000, advice="give a folder that export --to stl wrote")
    table = toml_table(text, f"parts {folder / PARTS}")
    if table.get("schema") != SCHEMA or table.get("version") != VERSION or table.get("format") != "stl":
        raise UsageError(
            f"parts {shown(str(folder / PARTS))} are not those of an STL export; allowed is a folder that export "
            "--to stl wrote; export it anew"
        )
    apparatus = load(folder / PROFILE)
    parts: list[tuple[Mesh, str, str]] = []
    for part in _tables(table, folder):
        mesh = read_stl(folder / Path(part["file"]).name)
        mesh = mesh.moved(np.array(part["at_mm"], dtype=float) - mesh.bounds[0])
        if wrong := faults(mesh):
            raise UsageError(
                f"part {shown(part['file'])} is not watertight: {'; '.join(wrong)}; allowed is a closed mesh; export "
                "it anew"
            )
        surface = part["surface"] if part["surface"] in apparatus.surfaces else next(iter(apparatus.surfaces))
        parts.append((mesh, part["name"], surface))
    made, missed = remade(apparatus, parts)
    return Remade(made, tuple(mesh for mesh, _, _ in parts), missed)


def _tables(table: dict[str, Any], folder: Path) -> list[dict[str, Any]]:
    rows: list[Any] = table["part"] if isinstance(table.get("part"), list) else []
    if not rows or not all(_is_part(row) for row in rows):
        raise UsageError(
            f"parts {shown(str(folder / PARTS))} have no sound [[part]]; allowed are tables with name, file, surface "
            "and at_mm; export it anew"
        )
    return rows


def _is_part(row: object) -> bool:
    part = cast("dict[str, Any]", row) if isinstance(row, dict) else {}
    at: list[Any] = part["at_mm"] if isinstance(part.get("at_mm"), list) else []
    are_words = all(isinstance(part.get(key), str) for key in ("name", "file", "surface"))
    return are_words and len(at) == 3 and all(type(x) in (int, float) and abs(x) < 1e4 for x in at)

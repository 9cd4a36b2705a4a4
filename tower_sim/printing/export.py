"""`tower-sim export`: a tower as files for a printer, a modeller or a laser, with all that a maker needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tower_sim.apparatus.catalogue import load
from tower_sim.apparatus.parts import Apparatus
from tower_sim.drawing.files import drawn
from tower_sim.drawing.picture import apparatus_figure
from tower_sim.errors import unknown
from tower_sim.printing import folder, solid
from tower_sim.printing.assembly import assembly_figure
from tower_sim.printing.form import drops_text, record_text
from tower_sim.printing.mesh import Mesh
from tower_sim.printing.panels import Panel, panels
from tower_sim.printing.printed import PrintChoice, TowerInParts, make
from tower_sim.printing.sheets import SheetChoice, lay, to_svg
from tower_sim.printing.step import to_step
from tower_sim.printing.stl import to_stl
from tower_sim.printing.threemf import on_beds, to_3mf
from tower_sim.writing import check_folder, write_folder

DROPS, RECORD = "drops.csv", "record.toml"  # for people to fill in
FILLED_IN = (DROPS, RECORD)
README = "README.txt"
PARTS, PANELS = ("stl", "3mf", "step"), "svg"  # what is printed, and what is cut


@dataclass(frozen=True, slots=True)
class Exported:
    """What was written: the `files` by name, and `lines` that say what they are, plain words first."""

    files: tuple[str, ...]
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Made:
    """What was made of a tower as `form`: `files` by name, `digest` of those that matter, `lines` that say what it is.

    The picture of how it goes together shows the `named` meshes, with a `title` and what is `said` under it.
    """

    form: str
    files: Mapping[str, bytes]
    digest: str
    lines: Sequence[str]
    named: Sequence[tuple[str, Mesh]]
    title: str
    said: str


def export(name_or_file: str, form: str, output: str | Path, choice: PrintChoice | None = None) -> Exported:
    """Write a tower's parts as `form` ("stl", "3mf" or "step") into the folder `output`, and what belongs to them.

    Beside the parts: a cube, the profile, `parts.toml`, which says where each stands, pictures, and forms for recorded
    drops. Raises UsageError for a profile, an output or numbers that cannot be, and where the extra `print` is missing.
    """
    if form not in PARTS:
        raise unknown("to", form, PARTS)
    check_folder(output, (README, folder.PROFILE), "output", FILLED_IN)
    apparatus = load(name_or_file)
    printed = make(apparatus, choice)
    files, of_part = _files(printed, form)
    digest = folder.digest_of({name: data for name, data in files.items() if not name.startswith("cube")})
    files[folder.PARTS] = folder.parts_text(printed, of_part, form, digest).encode()
    named = [(part.title, part.mesh) for part in printed.parts]
    title, said = f"{apparatus.name}: {len(named)} parts", "pegs on the outside hold them"
    return _write(
        apparatus, name_or_file, output, _Made(form, files, digest, _lines(printed, form, of_part), named, title, said)
    )


def export_panels(name_or_file: str, output: str | Path, choice: SheetChoice | None = None) -> Exported:
    """Write a tower's panels as SVG sheets into the folder `output`, with what `export` writes beside parts.

    Raises UsageError as `export` does, and for a tower not made of flat panels at right angles, its funnel apart.
    """
    choice = choice or SheetChoice()
    check_folder(output, (README, folder.PROFILE), "output", FILLED_IN)
    apparatus = load(name_or_file)
    flat = panels(apparatus, choice.thickness)
    laid = lay(flat, choice)
    files = {
        f"sheet-{k}.svg": to_svg(sheet, choice, f"{apparatus.name}, sheet {k}").encode()
        for k, sheet in enumerate(laid, 1)
    }
    lines = _lines_of_panels(apparatus, flat, len(laid), choice)
    named = [(f"{panel.number} {panel.part.replace('_', ' ')}", solid.to_mesh(panel.solid)) for panel in flat]
    title, said = f"{apparatus.name}: {len(named)} panels", "numbers as on the sheets"
    made = _Made(PANELS, files, folder.digest_of(files), lines, named, title, said)
    return _write(apparatus, name_or_file, output, made)


def _write(apparatus: Apparatus, name_or_file: str, output: str | Path, made: _Made) -> Exported:
    """Write what was made into a folder, and what belongs to it however it was: profile, forms, pictures, README."""
    text = folder.profile_text(name_or_file)
    place = folder.opened(output)
    drops = place / DROPS
    lines = (
        *made.lines,
        f"how they go together: {place / 'assembly.svg'}; all lengths: {place / 'dimensions.svg'}",
        f"record drops in {drops}, then: tower-sim fairness {drops} --apparatus {place / folder.PROFILE}",
    )
    files = {
        **made.files,
        folder.PROFILE: text.encode(),
        RECORD: record_text(apparatus, made.digest, made.form).encode(),
        DROPS: drops_text(apparatus, made.digest).encode(),
        README: ("\n".join(lines) + "\n").encode(),
        "dimensions.svg": drawn(apparatus_figure(apparatus), "svg"),
        "assembly.svg": drawn(assembly_figure(made.named, made.title, made.said), "svg"),
    }
    kept = write_folder(place, files, "output", filled_in=FILLED_IN)
    return Exported(tuple(files), (*lines, *(f"{place / name} is as you filled it in" for name in kept)))


def _lines_of_panels(apparatus: Apparatus, flat: Sequence[Panel], sheets: int, choice: SheetChoice) -> list[str]:
    outlines = [(panel.number, solid.rings(panel.region)[0]) for panel in flat]
    thin = [number for number, ring in outlines if np.ptp(ring, axis=0).min() < choice.thickness]
    leaning = [panel.number for panel in flat if panel.is_leaning]
    lines = [
        f"The tower {apparatus.name} in {len(flat)} panels to cut out of {sheets} sheet{'s' * (sheets > 1)} "
        f"{choice.thickness:g} mm thick; fingers, tabs and slots hold them where they meet squarely.",
        f"Throw cubes with an edge of {1e3 * apparatus.cube_edge:.4g} mm into it.",
        "Faces that cubes meet are where they are simulated; floors and ramp are as thick as the sheet, which the "
        "simulated ones are not.",
    ]
    if leaning:
        numbers = ", ".join(map(str, leaning))
        lines.append(
            f"Mind: the funnel's panels ({numbers}) and what stands in it are cut straight and glued edge to edge: "
            "fill the grooves outside, or tape them."
        )
    if thin:
        lines.append(
            f"Mind: panels {', '.join(map(str, thin))} are narrower than the sheet is thick: they break easily."
        )
    return [
        *lines,
        "",
        f"sheet {choice.width:g} x {choice.depth:g} mm; kerf {choice.kerf:g} mm: red lines are cut, blue is engraved",
    ]


def cube_mesh(apparatus: Apparatus) -> Mesh:
    """Return a cube of the apparatus's, standing on z = 0."""
    half = 500 * apparatus.cube_edge
    return solid.to_mesh(solid.box((0.0, 0.0, half), (half, half, half)))


def _files(printed: TowerInParts, form: str) -> tuple[dict[str, bytes], Mapping[str, str]]:
    """Return the parts' files, that of a cube among them, and which is whose by the parts' titles."""
    name, cube = printed.apparatus.name, cube_mesh(printed.apparatus)
    meshes = [(part.title, part.mesh.moved(-part.mesh.bounds[0])) for part in printed.parts]
    if form == "3mf":
        beds = on_beds([*meshes, ("cube", cube)], printed.choice.bed)
        names = ["tower.3mf"] if len(beds) == 1 else [f"bed-{k}.3mf" for k in range(1, len(beds) + 1)]
        files = {file: to_3mf(bed, name) for file, bed in zip(names, beds, strict=True)}
        return files, {part.name: file for file, bed in zip(names, beds, strict=True) for part in bed}
    make_one = to_stl if form == "stl" else to_step
    files = {f"{title}.{form}": make_one(mesh, title) for title, mesh in meshes}
    return files | {f"cube.{form}": make_one(cube, "cube")}, {title: f"{title}.{form}" for title, _ in meshes}


def _lines(printed: TowerInParts, form: str, of_part: Mapping[str, str]) -> list[str]:
    """Say what was made: what a player understands first."""
    apparatus, choice = printed.apparatus, printed.choice
    parts, edge = len(printed.parts), 1e3 * apparatus.cube_edge
    holding = (
        f"{len(printed.joints)} pegs in holes hold them together" if printed.joints else "there is nothing to join"
    )
    around = "" if apparatus.board else ", but as thick as simulated around the exit"
    low, high = solid.bounds(printed.tower)
    return [
        f"The tower {apparatus.name} in {parts} part{'s' * (parts > 1)} to print; {holding}.",
        f"Throw cubes with an edge of {edge:.4g} mm into it, bought or printed "
        f"({'an object beside the parts' if form == '3mf' else f'cube.{form}'}).",
        "Inside, where cubes go, it has the sizes that are simulated; outside its walls are "
        f"{choice.wall:g} mm thick{around}, and ears with pegs stand off them.",
        *(f"Mind: {note}." for note in printed.notes),
        "",
        f"whole: {_size(high - low)}; solid volume {printed.tower.volume() / 1e3:.0f} cm3; every part is watertight",
        *([f"each .3mf is what one print bed holds, of {choice.bed}"] if form == "3mf" else []),
        f"print bed {choice.bed}; wall {choice.wall:g} mm; gap around pegs {choice.clearance:g} mm",
        *(
            f"  {part.title}: {_size(part.size)}" + (f" in {of_part[part.title]}" if form == "3mf" else "")
            for part in printed.parts
        ),
    ]


def _size(size: np.ndarray[tuple[int], np.dtype[np.float64]]) -> str:
    return " x ".join(f"{length:.1f}" for length in size) + " mm"

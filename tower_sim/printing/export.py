"""`tower-sim export`: a tower as files for a printer, a modeller or a laser, with all that a maker needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tower_sim.apparatus.catalogue import load
from tower_sim.apparatus.parts import Apparatus
from tower_sim.drawing import draw_apparatus
from tower_sim.errors import unknown
from tower_sim.printing import folder, solid
from tower_sim.printing.assembly import draw_assembly
from tower_sim.printing.form import drops_text, record_text
from tower_sim.printing.mesh import Mesh
from tower_sim.printing.panels import Panel, panels
from tower_sim.printing.printed import PrintChoice, TowerInParts, make
from tower_sim.printing.sheets import SheetChoice, lay, to_svg
from tower_sim.printing.step import to_step
from tower_sim.printing.stl import to_stl
from tower_sim.printing.threemf import to_3mf
from tower_sim.writing import write

FORMS = ("stl", "3mf", "step", "svg")


@dataclass(frozen=True, slots=True)
class Exported:
    """What was written: the `files` by name, and `lines` that say what they are, plain words first."""

    files: tuple[str, ...]
    lines: tuple[str, ...]


def export(name_or_file: str, form: str, output: str | Path, choice: PrintChoice | None = None) -> Exported:
    """Write a tower's parts as `form` ("stl", "3mf" or "step") into the folder `output`, and what belongs to them.

    Beside the parts: a cube, the profile, `parts.toml`, which says where each stands, pictures, and forms for recorded
    drops. Raises UsageError for a profile, an output or numbers that cannot be, and where the extra `print` is missing.
    """
    if form not in FORMS:
        raise unknown("to", form, FORMS)
    apparatus, text = load(name_or_file), folder.profile_text(name_or_file)
    printed = make(apparatus, choice)
    place = folder.opened(output)
    files, of_part = _files(printed, form)
    digest = folder.digest_of({name: data for name, data in files.items() if not name.startswith("cube")})
    lines = _lines(printed, form, place)
    files |= {
        folder.PARTS: folder.parts_text(printed, of_part, form, digest).encode(),
        folder.PROFILE: text.encode(),
        "record.toml": record_text(apparatus, digest, form).encode(),
        "drops.csv": drops_text(apparatus, digest).encode(),
        "README.txt": ("\n".join(lines) + "\n").encode(),
    }
    for name, data in files.items():
        write(place / name, data, name)
    draw_apparatus(apparatus, place / "dimensions.svg")
    named = [(part.title, part.mesh) for part in printed.parts]
    draw_assembly(
        named, f"{apparatus.name}: {len(named)} parts", "pegs on the outside hold them", place / "assembly.svg"
    )
    return Exported((*files, "dimensions.svg", "assembly.svg"), tuple(lines))


def export_panels(name_or_file: str, output: str | Path, choice: SheetChoice | None = None) -> Exported:
    """Write a tower's panels as SVG sheets into the folder `output`, with what `export` writes beside parts.

    Raises UsageError as `export` does, and for a tower not made of flat panels at right angles, its funnel apart.
    """
    choice = choice or SheetChoice()
    apparatus, text = load(name_or_file), folder.profile_text(name_or_file)
    flat = panels(apparatus, choice.thickness)
    laid = lay(flat, choice)
    place = folder.opened(output)
    files = {
        f"sheet-{k}.svg": to_svg(sheet, choice, f"{apparatus.name}, sheet {k}").encode()
        for k, sheet in enumerate(laid, 1)
    }
    digest = folder.digest_of(files)
    lines = _lines_of_panels(apparatus, flat, len(laid), choice, place)
    files |= {
        folder.PROFILE: text.encode(),
        "record.toml": record_text(apparatus, digest, "svg").encode(),
        "drops.csv": drops_text(apparatus, digest).encode(),
        "README.txt": ("\n".join(lines) + "\n").encode(),
    }
    for name, data in files.items():
        write(place / name, data, name)
    draw_apparatus(apparatus, place / "dimensions.svg")
    named = [(f"{panel.number} {panel.part.replace('_', ' ')}", solid.to_mesh(panel.solid)) for panel in flat]
    draw_assembly(named, f"{apparatus.name}: {len(named)} panels", "numbers as on the sheets", place / "assembly.svg")
    return Exported((*files, "dimensions.svg", "assembly.svg"), tuple(lines))


def _lines_of_panels(
    apparatus: Apparatus, flat: Sequence[Panel], sheets: int, choice: SheetChoice, place: Path
) -> list[str]:
    thin = [panel.number for panel in flat if _narrowest(panel) < choice.thickness]
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
        f"how they go together: {place / 'assembly.svg'}; all lengths: {place / 'dimensions.svg'}",
        f"record drops in {place / 'drops.csv'}, then: tower-sim fairness {place / 'drops.csv'} --apparatus "
        f"{place / folder.PROFILE}",
    ]


def _narrowest(panel: Panel) -> float:
    return min(float(np.ptp(ring, axis=0).min()) for ring in solid.rings(panel.region)[:1])


def cube_mesh(apparatus: Apparatus) -> Mesh:
    """Return a cube of the apparatus's, standing on z = 0."""
    half = 500 * apparatus.cube_edge
    return solid.to_mesh(solid.box((0.0, 0.0, half), (half, half, half)))


def _files(printed: TowerInParts, form: str) -> tuple[dict[str, bytes], Mapping[str, str]]:
    """Return the parts' files, that of a cube among them, and which is whose by the parts' titles."""
    name, cube = printed.apparatus.name, cube_mesh(printed.apparatus)
    meshes = [(part.title, part.mesh.moved(-part.mesh.bounds[0])) for part in printed.parts]
    if form == "3mf":
        return {"tower.3mf": to_3mf([*meshes, ("cube", cube)], name)}, {title: "tower.3mf" for title, _ in meshes}
    make_one = to_stl if form == "stl" else to_step
    files = {f"{title}.{form}": make_one(mesh, title) for title, mesh in meshes}
    return files | {f"cube.{form}": make_one(cube, "cube")}, {title: f"{title}.{form}" for title, _ in meshes}


def _lines(printed: TowerInParts, form: str, place: Path) -> list[str]:
    """Say what was made: what a player understands first."""
    apparatus, choice = printed.apparatus, printed.choice
    parts, edge = len(printed.parts), 1e3 * apparatus.cube_edge
    holding = (
        f"{len(printed.joints)} pegs in holes hold them together" if printed.joints else "there is nothing to join"
    )
    low, high = solid.bounds(printed.tower)
    lines = [
        f"The tower {apparatus.name} in {parts} part{'s' * (parts > 1)} to print; {holding}.",
        f"Throw cubes with an edge of {edge:.4g} mm into it, bought or printed "
        f"({'the last object of the file' if form == '3mf' else f'cube.{form}'}).",
        "Inside, where cubes go, it has the sizes that are simulated; outside its walls are "
        f"{choice.wall:g} mm thick, and ears with pegs stand off them.",
        *(f"Mind: {note}." for note in printed.notes),
        "",
        f"whole: {_size(high - low)}; solid volume {printed.tower.volume() / 1e3:.0f} cm3; every part is watertight",
        f"print bed {choice.bed}; wall {choice.wall:g} mm; gap around pegs {choice.clearance:g} mm",
        *(f"  {part.title}: {_size(part.size)}" for part in printed.parts),
        f"how they go together: {place / 'assembly.svg'}; all lengths: {place / 'dimensions.svg'}",
        f"record drops in {place / 'drops.csv'}, then: tower-sim fairness {place / 'drops.csv'} --apparatus "
        f"{place / folder.PROFILE}",
    ]
    return lines


def _size(size: np.ndarray[tuple[int], np.dtype[np.float64]]) -> str:
    return " x ".join(f"{length:.1f}" for length in size) + " mm"

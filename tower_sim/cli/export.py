"""`tower-sim export`: a tower to print or to cut."""

from __future__ import annotations

import argparse
import re

from tower_sim.cli.common import add_apparatus_argument, add_output
from tower_sim.cli.parser import Parser
from tower_sim.errors import UsageError, shown

_LENGTHS = re.compile(r"(\d{1,4}(?:\.\d{1,3})?(?:x\d{1,4}(?:\.\d{1,3})?){0,2})(?:mm)?")
_OF_PRINTS, _OF_SHEETS = ("wall", "print_bed", "clearance"), ("sheet", "thickness", "kerf")


def add(export: Parser) -> None:
    """Add what the command takes."""
    add_apparatus_argument(export)
    forms = ("stl", "3mf", "step", "svg")
    told = "stl, 3mf or step: parts to print; svg: panels to cut out of card or wood"
    export.offer(export.add_argument("--to", required=True, choices=forms, metavar="FORM", help=told), forms)
    add_output(export, "FOLDER", "the folder to write into")
    for option, what in (
        ("--wall", "thickness of printed walls, 2 to 6mm (default: 3mm)"),
        ("--print-bed", "the printer's bed: 180mm, or 250x210x200mm (default: 180mm)"),
        ("--clearance", "gap between a peg and its hole (default: 0.2mm)"),
        ("--sheet", "size of the sheets that panels are cut out of (default: 600x400mm)"),
        ("--thickness", "thickness of the sheets (default: 3mm)"),
        ("--kerf", "width of the laser's cut (default: 0.15mm)"),
    ):
        export.add_argument(option, metavar="LENGTH", help=what)
    export.set_defaults(run=_export)


def _export(options: argparse.Namespace) -> None:
    from tower_sim.printing.cuts import Bed
    from tower_sim.printing.export import export, export_panels
    from tower_sim.printing.printed import BED, PrintChoice
    from tower_sim.printing.sheets import SheetChoice

    is_cut = options.to == "svg"
    for name in _OF_PRINTS if is_cut else _OF_SHEETS:
        if getattr(options, name) is not None:
            others = _OF_SHEETS if is_cut else _OF_PRINTS
            allowed = ", ".join(f"--{other.replace('_', '-')}" for other in others)
            raise UsageError(
                f"--{name.replace('_', '-')} is given with --to {options.to}; allowed with it are {allowed}; remove it"
            )
    if is_cut:
        usual = SheetChoice()
        sheet = _lengths(options.sheet, "--sheet", (usual.width, usual.depth), 2)
        choice = SheetChoice(
            max(sheet),
            min(sheet),
            _length(options.thickness, "--thickness", usual.thickness),
            _length(options.kerf, "--kerf", usual.kerf),
        )
        done = export_panels(options.apparatus, options.output, choice)
    else:
        usual = PrintChoice()
        bed = _lengths(options.print_bed, "--print-bed", (BED.width, BED.depth, BED.height), 3)
        wall = _length(options.wall, "--wall", usual.wall)
        gap = _length(options.clearance, "--clearance", usual.clearance)
        done = export(options.apparatus, options.to, options.output, PrintChoice(wall, Bed(*bed), gap))
    print("\n".join(done.lines))


def _length(text: str | None, option: str, usual: float) -> float:
    return _lengths(text, option, (usual,), 1)[0]


def _lengths(text: str | None, option: str, usual: tuple[float, ...], most: int) -> tuple[float, ...]:
    """Read one length for all sides, or one for each: 180mm, 250x210x200mm; a missing third is the smaller of two."""
    if text is None:
        return usual
    matched = _LENGTHS.fullmatch(text.strip().lower())
    found = tuple(float(length) for length in matched[1].split("x")) if matched else ()
    if not 1 <= len(found) <= most:
        example = {1: "3mm", 2: "600x400mm", 3: "180mm or 250x210x200mm"}[most]
        raise UsageError(f"{option} is {shown(text)}; allowed is a length in mm, as {example}; write it so")
    return (*found, *[min(found)] * (most - len(found)))

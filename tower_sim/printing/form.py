"""The forms that go with a printed tower: drops to fill in, and what is to be told of the tower they fell through."""

from __future__ import annotations

from tower_sim.apparatus.parts import Apparatus

_COLOURS = ("blue", "black", "red", "brown", "green", "yellow", "white")


def drops_text(apparatus: Apparatus, digest: str) -> str:
    """Return a CSV to fill in, as `tower-sim fairness` reads it: remarks on which tower it is of, and the header."""
    columns = ["drop", *(f"thrown_{colour}" for colour in _COLOURS), *(f"out_{colour}" for colour in _COLOURS)]
    return (
        f"# tower {apparatus.name}, profile {apparatus.digest}, parts {digest}\n"
        "# a row a drop: drop 0 throws all cubes into the empty tower; then colour by colour all that lie outside\n"
        f"{','.join(columns)}\n"
    )


def record_text(apparatus: Apparatus, digest: str, form: str) -> str:
    """Return a record of a printed tower to fill in, as `python -m tower_sim.calibration.printed check` reads it."""
    made = "laser-cut" if form == "svg" else "printed"
    return f"""\
# What was built, and with what it was tried: fill in, and keep it beside drops.csv.
# python -m tower_sim.calibration.printed check record.toml says what is missing.
schema = "tower-sim/printed-record"
version = 1
profile_digest = "{apparatus.digest}"  # which tower; tower.toml is its profile
parts_digest = "{digest}"  # which files it was made of
drops = "drops.csv"  # the drops, beside this file
made = "{made}"  # "printed" or "laser-cut"
material = ""  # of the tower: PLA, PETG, beech plywood, grey card
layer_mm = 0.0  # height of a printed layer, or thickness of the sheet as measured
finish = ""  # as printed, sanded, painted
cube_edge_mm = 0.0  # mean of ten cubes, measured; the profile says {1e3 * apparatus.cube_edge:.4g}
cube_material = ""  # beech, PLA
cube_mass_g = 0.0  # of ten cubes together; 0 where none was weighed
measured_mm = {{}}  # what you measured of the tower, by name: {{ upper_opening = 13.1, tube_inside = 70.6 }}
changes = ""  # what was made otherwise than the files say; nothing where nothing was
who = ""
when = ""  # as 2026-11-23
licence = ""  # CC0-1.0 lets everybody use the drops
"""

"""Fit again what the page of a game night expects of the towers that ship: calibration/references.json.

    python -m calibration.validation.references

It takes some minutes of two cores, and is due when a profile or the physics has changed.
"""

from __future__ import annotations

import json

from calibration.validation.script import script
from tower_sim.apparatus import load, shipped
from tower_sim.calibration.recording import GAMES, KEPT, SEED, to_plain
from tower_sim.calibration.reference import fit_reference


def renew() -> None:
    shapes = [load(name) for name in sorted(shipped())]
    found = {shape.digest: to_plain(fit_reference(shape, GAMES, SEED)) for shape in shapes if not shape.board}
    KEPT.write_text(json.dumps(found, separators=(",", ":")) + "\n", "utf-8")
    print(f"{KEPT.stat().st_size} bytes, {len(found)} towers")


main = script(__doc__, renew)

if __name__ == "__main__":
    raise SystemExit(main())

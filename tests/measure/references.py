"""Fit anew what the page of a game night expects of the towers that ship: calibration/references.json.

    python -m tests.measure.references

It takes ten seconds a tower, and is due when a fast model has changed.
"""

from __future__ import annotations

import argparse
import json

from tower_sim.apparatus.catalogue import load
from tower_sim.calibration.recording import GAMES, KEPT, SEED, plain
from tower_sim.calibration.reference import reference
from tower_sim.surrogate.store import TOWER, shipped, shipped_names


def main(arguments: list[str] | None = None) -> None:
    """Fit and write them."""
    argparse.ArgumentParser(
        prog="references", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    ).parse_args(arguments)
    shapes = [load(name) for name in shipped_names()]
    fitted = {shape.name: shipped(shape.name, shape.digest) for shape in shapes}
    found = {
        fitted[shape.name].digest: plain(reference(shape, GAMES, SEED, model="surrogate"))
        for shape in shapes
        if fitted[shape.name].kind == TOWER
    }
    KEPT.write_text(json.dumps(found, separators=(",", ":")) + "\n", "utf-8")
    print(f"{KEPT.stat().st_size} bytes, {len(found)} towers")


if __name__ == "__main__":
    main()

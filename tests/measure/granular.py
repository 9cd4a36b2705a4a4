"""Measure laws of granular physics with our cubes: packing, avalanches from hoppers, balls, crosses, knocks on arches.

python -m tests.measure.granular packing -o docs/granular
python -m tests.measure.granular avalanches -o docs/granular
python -m tests.measure.granular tilt -o docs/granular
python -m tests.measure.granular holes -o docs/granular
python -m tests.measure.granular shapes -o docs/granular
python -m tests.measure.granular knocks -o docs/granular

Each makes the runs that its CSV file in the folder has not yet, then sums up all of them (JSON) and draws them (PNG).
--minutes stops it earlier; the same again goes on, and --minutes 0 only sums up and draws what is there.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.measure.granular_plots import draw
from tests.measure.granular_report import markdown, summary
from tests.measure.granular_runs import STUDIES, Table, make
from tests.measure.script import ended
from tower_sim.tools.writing import write


def main(arguments: Sequence[str] | None = None) -> int:
    """Make a study's runs; returns the exit status: see `ended`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("study", choices=tuple(STUDIES), help="what to measure")
    parser.add_argument("-o", "--output", type=Path, default=Path("docs/granular"), help="the folder of the results")
    parser.add_argument("--minutes", type=float, default=1e9, help="processor time after which no run is begun")
    options = parser.parse_args(arguments)

    def work() -> None:
        options.output.mkdir(parents=True, exist_ok=True)
        table = Table(options.output / f"{options.study}.csv")
        if make(STUDIES[options.study](), table, options.minutes):
            print("all runs are there")
        lines, told = summary(options.study, table)
        write(options.output / f"{options.study}.json", told, "summary")
        draw(options.study, lines, table).savefig(options.output / f"{options.study}.png", dpi=150)
        print(markdown(lines))

    return ended("granular", work)


if __name__ == "__main__":
    sys.exit(main())

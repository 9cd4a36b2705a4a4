"""Measure laws of granular physics with our cubes: packing, avalanches from hoppers, balls, crosses, knocks on arches.

python -m calibration.validation.granular packing -o docs/granular
python -m calibration.validation.granular avalanches -o docs/granular
python -m calibration.validation.granular tilt -o docs/granular
python -m calibration.validation.granular holes -o docs/granular
python -m calibration.validation.granular shapes -o docs/granular
python -m calibration.validation.granular knocks -o docs/granular

Each makes the runs that its CSV file in the folder has not yet, then sums up all of them (JSON) and draws them (PNG).
--minutes stops it earlier; the same again goes on, and --minutes 0 only sums up and draws what is there.
"""

from __future__ import annotations

from pathlib import Path

from calibration.validation.granular_plots import FIGURES
from calibration.validation.granular_report import summary
from calibration.validation.granular_runs import STUDIES, Table, make
from calibration.validation.script import option, print_table, script
from tower_sim.tools.writing import write


def run(study: str, output: Path, minutes: float) -> None:
    output.mkdir(parents=True, exist_ok=True)
    table = Table(output / f"{study}.csv")
    if make(STUDIES[study](), table, minutes):
        print("all runs are there")
    lines, text = summary(study, table)
    write(output / f"{study}.json", text, "summary")
    FIGURES[study](lines, table).savefig(output / f"{study}.png", dpi=150)
    names = list(dict.fromkeys(name for line in lines for name in line))
    print_table(names, [["" if line.get(name) is None else line[name] for name in names] for line in lines])


main = script(
    __doc__,
    run,
    option("study", choices=tuple(STUDIES), help="what to measure"),
    option("-o", "--output", type=Path, default=Path("docs/granular"), help="the folder of the results"),
    option("--minutes", type=float, default=1e9, help="processor time after which no run is begun"),
)

if __name__ == "__main__":
    raise SystemExit(main())

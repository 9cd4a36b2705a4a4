"""Make anew what was derived from the shipped profiles, after one of them has changed.

python -m calibration.renew --out WORK [--profiles]

Every simulated game is kept in WORK, so that it can be stopped and goes on. With --profiles the profiles themselves are
fitted anew first, from the design that ships.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from calibration.command import calibrate
from calibration.fit import TARGETS
from calibration.result import Calibration
from calibration.summaries import SUMMARIES
from tower_sim import cli
from tower_sim.campaign import load, run
from tower_sim.campaign.progress import on_terminal
from tower_sim.errors import UsageError
from tower_sim.study import study

ROOT = Path(__file__).parent.parent
PROFILES = ROOT / "tower_sim" / "apparatus" / "profiles"
FITTED = {
    "amerigo": ("rulebook-setup", "rulebook-phase"),
    "amerigo-club": ("club-retained", "club-out"),
}  # the shipped profiles that are fitted, and to which observations
DOC = ROOT / "docs" / "calibration.md"
BEGIN, END = "<!-- profiles -->", "<!-- /profiles -->"
HEAD = (
    "| profile | observed, and predicted for it (90 %) | inside after the set-up | mean inside in play "
    "| mean out in a phase | report |\n|---|---|---|---|---|---|"
)
COMMANDS = (
    "show amerigo -o docs/images/tower.png",
    "play amerigo --seed 7 --save-plot docs/images/game.png",
)


def profiles(work: Path, workers: int) -> None:
    """Fit the shipped profiles anew, put their reports into docs/calibration/NAME/ and their figures into the docs."""
    rows: list[str] = []
    for name, observations in FITTED.items():
        output = work / f"{name}.toml"
        result = calibrate(observations, output, workers=workers)
        shutil.copyfile(output, PROFILES / output.name)
        target = ROOT / "docs" / "calibration" / name
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir(parents=True)
        made = work / f"{name}.calibration"
        shutil.copyfile(made / "report.md", target / "report.md")
        for folder in ("plots", "tables"):
            shutil.copytree(made / folder, target / folder)
        rows.append(row(result))
    text = DOC.read_text("utf-8")
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    DOC.write_text(f"{before}{BEGIN}\n{HEAD}\n{chr(10).join(rows)}\n{END}{after}", "utf-8")


def row(result: Calibration) -> str:
    """Return a profile's row of the table in docs/calibration.md."""
    seen = [
        f"{SUMMARIES[check.window.summary].words} {check.observed:.3g} ({check.predicted.low:.1f} to "
        f"{check.predicted.high:.1f})"
        for check in result.fit.predictive
    ]
    means = [f"{mean.mean:.2f} +- {mean.se:.2f}" for mean in (result.chosen.simulated[name] for name in TARGETS)]
    cells = [f"`{result.name}`", "; ".join(seen), *means, f"[report](calibration/{result.name}/report.md)"]
    return f"| {' | '.join(cells)} |"


def example(work: Path, workers: int) -> None:
    """Play the example campaign anew and write its report."""
    spec = load(ROOT / "docs" / "example" / "campaign.toml")
    with on_terminal() as progress:
        summary = run(spec, work / f"example-{spec.digest[:16]}", workers, progress=progress)
    if summary.interrupted:
        raise KeyboardInterrupt
    study(work / f"example-{spec.digest[:16]}", ROOT / "docs" / "example")


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line; returns the exit status: 0 all is well, 1 interrupted, 2 the caller's mistake."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, metavar="WORK", help="where simulated games are kept")
    parser.add_argument("--profiles", action="store_true", help="fit the shipped profiles anew first")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, metavar="N")
    options = parser.parse_args(arguments)
    os.chdir(ROOT)
    try:
        options.out.mkdir(parents=True, exist_ok=True)
        if options.profiles:
            profiles(options.out, options.workers)
        example(options.out, options.workers)
        for command in COMMANDS:
            cli.main(command.split())
    except UsageError as error:
        print(f"renew: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("renew: interrupted; what was simulated is kept; to go on, run the same again", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

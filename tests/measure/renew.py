"""Make anew what was derived from the shipped profiles, after one of them has changed.

python -m tests.measure.renew --out WORK [--profiles] [--surrogates]

Every simulated game is kept in WORK, so that it can be stopped and goes on. With --profiles the profiles themselves are
fitted anew first, from the design that ships; with --surrogates the surrogates that ship for them, from the campaigns
in docs/surrogate/, with the reports of their checks (about two hours on two cores).
"""

from __future__ import annotations

import argparse
import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.measure import figures
from tests.measure.script import ended, put
from tower_sim import cli
from tower_sim.calibration.command import calibrate
from tower_sim.calibration.evidence import of_the_real_tower
from tower_sim.calibration.result import Calibration
from tower_sim.campaign import load, run
from tower_sim.campaign.files import make_directory
from tower_sim.campaign.progress import told
from tower_sim.fitting import check_command, fit_command
from tower_sim.service import Opened
from tower_sim.service.loop import serve
from tower_sim.study import study
from tower_sim.surrogate.store import TOWER, fitted_or_shipped
from tower_sim.terminal import folded
from tower_sim.writing import write as write_whole

ROOT = Path(__file__).parents[2]
PROFILES = ROOT / "tower_sim" / "apparatus" / "amerigo" / "profiles"
FITTED = {
    "amerigo": of_the_real_tower(),
    "amerigo-club": ("club-retained", "club-out"),
    "amerigo-rulebook": ("rulebook-setup", "rulebook-phase", "rulebook-gold", "rulebook-points"),
}  # the shipped profiles that are fitted, and to which observations: to all of them, and to two readings
MODE = {"amerigo-rulebook": "quick"}  # the others with --full
SURROGATES = (*FITTED, "dead_reckoning")
LAWS = ROOT / "tower_sim" / "surrogate" / "models"
CAMPAIGNS = ROOT / "docs" / "surrogate"  # NAME-fit*.toml, of which games and battles are NAME-fit.toml; NAME-held*.toml
COMPARE = ROOT / "docs" / "compare.md"
SERVICE = ROOT / "docs" / "service.md"
TOKEN = "TOWER3..."
LEFT_OUT = re.compile(r'("landings": |"state": )(\[.*?\](?=, "state")|".*?")')  # in the session of that document
DOC = ROOT / "docs" / "calibration.md"
HEAD = (
    "| profile | fitted to | games | inside after the set-up | mean inside in play | mean out in a phase | colours out "
    "| phases with one colour | report |\n|---|---|---|---|---|---|---|---|---|"
)
TOLD = ("setup", "inside", "out", "colours", "single")
COMMANDS = (
    "show amerigo -o docs/images/tower.png",
    "show wallenstein -o docs/images/wallenstein.png",
    "show dead_reckoning -o docs/images/ship.png",
    "battle --cubes purple=6,green=3 --games 200 --seed 1 --save-plot docs/images/densities.png",
    "play amerigo --seed 7 --save-plot docs/images/game.png",
)


def profiles(work: Path, workers: int) -> None:
    """Fit the shipped profiles anew, put their reports into docs/calibration/NAME/ and their figures into the docs."""
    rows: list[str] = []
    for name, observations in FITTED.items():
        output = work / f"{name}.toml"
        result = calibrate(observations, output, MODE.get(name, "full"), workers=workers)
        target = ROOT / "docs" / "calibration" / name
        said, kept = f"{name}.calibration/report.md", f"docs/calibration/{name}/report.md"
        write_whole(PROFILES / output.name, output.read_text("utf-8").replace(said, kept))
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir(parents=True)
        made = work / f"{name}.calibration"
        shutil.copyfile(made / "report.md", target / "report.md")
        for folder in ("plots", "tables"):
            shutil.copytree(made / folder, target / folder)
        rows.append(row(result))
    put(DOC, "profiles", "\n".join([HEAD, *rows]))


def row(result: Calibration) -> str:
    """Return a profile's row of the table in docs/calibration.md: means over its games, and in brackets the fit."""
    posterior, chosen = result.fit.posterior, result.chosen
    means = {**chosen.played, **chosen.simulated}
    cells = [f"`{result.name}`", _several(len(FITTED[result.name])), str(chosen.simulated["setup"].games)]
    for name in TOLD:
        told = posterior.interval(name)
        cells.append(f"{means[name].mean:.2f} +- {means[name].se:.2f} ({told.low:.3g} to {told.high:.3g})")
    return f"| {' | '.join([*cells, f'[report](calibration/{result.name}/report.md)'])} |"


def _several(number: int) -> str:
    return f"all {number}" if number == len(of_the_real_tower()) else f"{number}"


def surrogates(work: Path, workers: int) -> None:
    """Fit the surrogates that ship anew, and put the reports on their checks into docs/surrogate/NAME/.

    A tower is checked on the games that were held out of its fit, and on those of NAME-held*.toml.
    """
    for name in SURROGATES:
        fitted, held = (
            [played(path, work, workers) for path in sorted(CAMPAIGNS.glob(f"{name}-{use}*.toml"), key=_stem)]
            for use in ("fit", "held")
        )
        fit_command(fitted, LAWS / f"{name}.json")
        report = CAMPAIGNS / name
        shutil.rmtree(report, ignore_errors=True)
        own = [work / f"{name}-fit"] if fitted_or_shipped(name).kind == TOWER else []
        check_command(name, [*own, *held], report, 0)


def _stem(path: Path) -> str:
    """Return the name that campaigns are sorted by: NAME-fit before NAME-fit-cover."""
    return path.stem


def played(path: Path, work: Path, workers: int) -> Path:
    """Run a campaign, or go on with it, and return its directory."""
    directory = work / path.stem
    spec = load(path)
    with told(spec) as progress:
        summary = run(spec, directory, workers, progress=progress)
    if summary.interrupted:
        raise KeyboardInterrupt
    return directory


def comparison() -> None:
    """Run the example of docs/compare.md, which draws its picture, and write what it prints there."""
    text = COMPARE.read_text("utf-8")
    (command,) = re.findall(r"<!-- example -->\n```sh\ntower-sim (.*)\n```", text)
    words = [sys.executable, "-m", "tower_sim", *shlex.split(command), "--force"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True)
    printed = folded(done.stdout, 80)
    before, _, after = text.partition("<!-- its output -->\n```\n")
    _, _, after = after.partition("\n```\n")
    write_whole(COMPARE, f"{before}<!-- its output -->\n```\n{printed.strip()}\n```\n{after}")


def session() -> None:
    """Ask the service what the session in docs/service.md asks, and write its replies there; `...` stays left out."""
    text = SERVICE.read_text("utf-8")
    found = re.search(r"```\n(> .*?)```", text, re.S)
    assert found
    lines = found[1].splitlines()
    told: list[str] = []
    state = ""
    with Opened() as opened:
        for request, shown in zip(lines[::2], lines[1::2], strict=True):
            out = io.BytesIO()
            serve(io.BytesIO(request[2:].replace(TOKEN, state).encode()), out, opened)
            reply = out.getvalue().decode().rstrip("\n")
            state = json.loads(reply).get("state", state)
            told += [request, f"< {LEFT_OUT.sub(_left_out, reply)}" if TOKEN in shown else shown]
    before, after = text[: found.start(1)], text[found.end(1) :]
    write_whole(SERVICE, before + "".join(f"{line}\n" for line in told) + after)


def _left_out(match: re.Match[str]) -> str:
    return match[1] + ("[...]" if match[2].startswith("[") else f'"{TOKEN}"')


def example(work: Path, workers: int) -> None:
    """Play the example campaign anew and write its report."""
    study(played(ROOT / "docs" / "example" / "campaign.toml", work / "example", workers), ROOT / "docs" / "example")


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line; returns the exit status: see `ended`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, metavar="WORK", help="where simulated games are kept")
    parser.add_argument("--profiles", action="store_true", help="fit the shipped profiles anew first")
    parser.add_argument("--surrogates", action="store_true", help="fit the shipped surrogates anew")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, metavar="N")
    options = parser.parse_args(arguments)
    os.chdir(ROOT)

    def work() -> None:
        make_directory(options.out)
        if options.profiles:
            profiles(options.out, options.workers)
        if options.surrogates:
            surrogates(options.out, options.workers)
        if options.profiles or not options.surrogates:
            example(options.out, options.workers)
        comparison()
        session()
        for command in COMMANDS:
            cli.main([*command.split(), "--force"])
        figures.main([])

    return ended("renew", work, "what was simulated is kept; to go on, run the same again")


if __name__ == "__main__":
    sys.exit(main())

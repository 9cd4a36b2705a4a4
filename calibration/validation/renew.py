"""Make again what was derived from the shipped profiles, after one of them has changed.

python -m calibration.validation.renew --out WORK [--surrogates]

Every simulated game is kept in WORK, so that it can go on. At the end the figures of docs/figures.csv
are drawn again. With --surrogates the surrogates that ship are fitted again first, from campaigns in docs/surrogate/,
with reports of their checks (about an hour on two cores, an estimate).
The profiles themselves: python -m tower_sim.calibration.readings profiles.
"""

from __future__ import annotations

import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from operator import attrgetter
from pathlib import Path

from calibration.validation import figures
from calibration.validation.script import ROOT, option, script
from tower_sim import cli
from tower_sim.calibration.readings import READINGS
from tower_sim.campaign import load, run
from tower_sim.service import ModelCache, serve
from tower_sim.studies import check_command, fit_command, study
from tower_sim.surrogate import TOWER, fitted_or_shipped
from tower_sim.tools import report_progress
from tower_sim.tools import write as write_whole
from tower_sim.tools.terminal import fold

SURROGATES = (*READINGS, "dead_reckoning")
LAWS = ROOT / "tower_sim" / "surrogate" / "models"
CAMPAIGNS = ROOT / "docs" / "surrogate"  # NAME-fit*.toml, of which games and battles are NAME-fit.toml; NAME-held*.toml
CLOSENESS = ROOT / "tower_sim" / "web" / "closeness.toml"
CLOSE = ("games", "inside", "physics", "out", "setup", "classifier")  # figures that describe a tower's surrogate
COMPARE = ROOT / "docs" / "compare.md"
SERVICE = ROOT / "docs" / "http.md"
TOKEN = "TOWER3..."
LEFT_OUT = re.compile(r'("landings": |"state": )(\[.*?\](?=, "state")|".*?")')  # in the session of that document
COMMANDS = (
    "tower show amerigo -o docs/images/tower.png",
    "tower show wallenstein -o docs/images/wallenstein.png",
    "tower show dead_reckoning -o docs/images/ship.png",
    "play dead_reckoning --set cubes={purple=6,green=3} --games 200 --seed 1 --save-plot docs/images/densities.png",
    "play amerigo --seed 7 --save-plot docs/images/game.png",
)


def fit_surrogates(work: Path, workers: int) -> None:
    """Fit the surrogates that ship again, and put the reports on their checks into docs/surrogate/NAME/.

    A tower is checked on the games that were held out of its fit, and on those of NAME-held*.toml.
    """
    stem = attrgetter("stem")  # NAME-fit comes before NAME-fit-cover
    for name in SURROGATES:
        fitted, unseen = (
            [play(path, work, workers) for path in sorted(CAMPAIGNS.glob(f"{name}-{use}*.toml"), key=stem)]
            for use in ("fit", "held")
        )
        fit_command(fitted, LAWS / f"{name}.json")
        report = CAMPAIGNS / name
        shutil.rmtree(report, ignore_errors=True)
        own = [work / f"{name}-fit"] if fitted_or_shipped(name).kind == TOWER else []
        check_command(name, [*own, *unseen], report, 0)


def closeness() -> None:
    """Write how close the shipped surrogates are to physics, by the digest of each, from their reports."""
    lines = [
        "# How close the surrogates that ship are to physics, by the digest of the fitted law: the lab tells it.",
        "# `python -m calibration.validation.renew` writes it from the reports in docs/surrogate.",
    ]
    for name in SURROGATES:
        fitted = fitted_or_shipped(name)
        if fitted.kind == TOWER:
            of = f"{name.removeprefix('amerigo').removeprefix('-')}-law-".removeprefix("-")
            quotes = {each: figures.quote(f"{of}{each}") for each in CLOSE}
            says = (
                "On {games} games with physics that it was not fitted to: mean inside {inside} of {physics}, out {out} "
                "a phase; inside after the set-up {setup}. A classifier that tells single games from those of physics "
                "has an accuracy of {classifier}; a coin has 0.5."
            ).format_map(quotes)
        else:
            first = (CAMPAIGNS / name / "report.md").read_text("utf-8").split("\n\n")[1]
            says = (
                f"It was compared with {figures.quote('ship-law-battles')} battles with physics that it was not "
                f"fitted to. {first} Purple won a share of {figures.quote('ship-law-wins')}."
            )
        lines += ["", f'["{fitted.digest}"]  # {name}', f'says = "{says}"']
    write_whole(CLOSENESS, "\n".join(lines) + "\n")


def play(path: Path, work: Path, workers: int) -> Path:
    directory = work / path.stem
    spec = load(path)
    with report_progress(spec.game.runs) as tell:
        summary = run(spec, directory, workers, tell=tell)
    if summary.interrupted:
        raise KeyboardInterrupt
    return directory


def comparison() -> None:
    """Run the example of docs/compare.md, which draws its picture, and write the beginning of its output there."""
    text = COMPARE.read_text("utf-8")
    (command,) = re.findall(r"<!-- example -->\n```sh\ntower-sim (.*)\n```", text)
    words = [sys.executable, "-m", "tower_sim", *shlex.split(command)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True)
    output = "\n\n".join([*fold(done.stdout, 80).strip().split("\n\n")[:7], "..."])  # up to the first table
    before, _, after = text.partition("<!-- its output -->\n```\n")
    _, _, after = after.partition("\n```\n")
    write_whole(COMPARE, f"{before}<!-- its output -->\n```\n{output}\n```\n{after}")


def session() -> None:
    """Ask the service what the session in docs/http.md asks, and write its replies there; `...` stays left out."""
    text = SERVICE.read_text("utf-8")
    found = re.search(r"```\n(> .*?)```", text, re.S)
    assert found
    lines = found[1].splitlines()
    session_lines: list[str] = []
    state = ""

    def shorten(match: re.Match[str]) -> str:
        return match[1] + ("[...]" if match[2].startswith("[") else f'"{TOKEN}"')

    with ModelCache() as opened:
        for request, old in zip(lines[::2], lines[1::2], strict=True):
            out = io.BytesIO()
            serve(io.BytesIO(request[2:].replace(TOKEN, state).encode()), out, opened)
            reply = out.getvalue().decode().rstrip("\n")
            state = json.loads(reply).get("state", state)
            session_lines += [request, f"< {LEFT_OUT.sub(shorten, reply)}" if TOKEN in old else old]
    before, after = text[: found.start(1)], text[found.end(1) :]
    write_whole(SERVICE, before + "".join(f"{line}\n" for line in session_lines) + after)


def renew(out: Path, surrogates: bool, workers: int) -> None:
    os.chdir(ROOT)
    out.mkdir(parents=True, exist_ok=True)
    if surrogates:
        fit_surrogates(out, workers)
    closeness()
    study(play(ROOT / "docs" / "example" / "campaign.toml", out / "example", workers), ROOT / "docs" / "example")
    comparison()
    session()
    for command in COMMANDS:
        cli.main(command.split())
    figures.main(["--renew"])


main = script(
    __doc__,
    renew,
    option("--out", type=Path, required=True, metavar="WORK", help="where simulated games are kept"),
    option("--surrogates", action="store_true", help="fit the shipped surrogates again"),
    option("--workers", type=int, default=os.cpu_count() or 1, metavar="N"),
    to_go_on="what was simulated is kept; to go on, run the same again",
)

if __name__ == "__main__":
    raise SystemExit(main())

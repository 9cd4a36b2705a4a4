"""Three interpretations ("readings") of the observations: weights on the simulated towers, and the shipped profiles.

python -m tower_sim.calibration.readings more 3    plays ten more games of each heavy tower, as round 3 of such games
python -m tower_sim.calibration.readings around    plays a further round, about the towers that agree with all remarks
python -m tower_sim.calibration.readings profiles  writes the shipped profiles and their reports
python -m tower_sim.calibration.readings proof     plays 96 fresh draws of each reading and counts them
"""

from __future__ import annotations

import argparse
import csv
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tower_sim.calibration import evidence as evidences
from tower_sim.calibration import played
from tower_sim.calibration.command import calibrate, select_heavy
from tower_sim.calibration.fit import TARGETS, Fit, fit
from tower_sim.calibration.played import PLAYED
from tower_sim.calibration.prior import Towers, tower
from tower_sim.calibration.reference import read_usable
from tower_sim.calibration.summaries import EVERY, SUMMARIES, Array, find_clogs
from tower_sim.results import Estimate, mean_error, show
from tower_sim.tools import in_threads

ROOT = Path(__file__).resolve().parent.parent
PROFILES = ROOT / "tower_sim/apparatus/amerigo/profiles"
REPORTS = ROOT / "docs/calibration"
READINGS = {
    "amerigo": evidences.list_published(),
    "amerigo-club": ("club-retained", "club-out"),
    "amerigo-rulebook": ("rulebook-setup", "rulebook-phase", "rulebook-gold", "rulebook-points"),
}
KEPT = {"amerigo": 541, "amerigo-club": 454, "amerigo-rulebook": 2319}
"""The numbers of the towers that the shipped profiles are of: chosen before the further rounds were played."""
PROOF = REPORTS / "proof.csv"
PROOF_HEAD = "mean,inside,draws,z,z error,effective,clogs [%],clogs error [%],clogs foretold [%]"
MANY, MOST = 10, 0.8  # more games of each heavy tower; share of all weight that these towers hold
DRAWS, GAMES = 96, 8  # fresh draws of a reading, new games of each
PROVED = (*TARGETS, "colours", "single")


def iter_fits(rounds: int | None = None) -> Iterator[tuple[str, Fit, Towers]]:
    """Yield the name of each reading, its fit, and the towers that the fit weights, by the first `rounds` of games."""
    table = played.shipped(rounds=rounds)
    towers = Towers(table.unit, table.games, table.base)
    for name, observations in READINGS.items():
        usable = read_usable([evidences.shipped()[each] for each in observations])
        yield name, fit(towers, usable.evidence, np.random.default_rng(0), checks=False), towers


def play_more(number: int) -> None:
    """Play MANY more games of the towers that weigh most in the first reading into more-NUMBER.npz, or continue it.

    That file and later ones do not decide which towers these are.
    """
    _, reading, towers = next(iter_fits(number - 1))
    weighs = towers.number[select_heavy(reading.posterior.weight, share=MOST)]
    print(f"{len(weighs)} towers hold {MOST:.0%} of the weight", flush=True)
    played.play_on(played.shipped(rounds=number - 1), weighs, PLAYED / f"more-{number}.npz", MANY)


def play_around() -> None:
    """Play a further round about the heavy towers of the first reading, or continue the last round if it is incomplete.

    The towers of the last round do not decide where it lies.
    """
    files = sorted(PLAYED.glob("around-*.npz"))
    rounds = [played.read_round(file) for file in files]
    if not rounds or len(rounds[-1]["thrown"]) == played.AROUND:
        files.append(PLAYED / f"around-{len(files) + 1}.npz")
    _, reading, towers = next(iter_fits())
    weight = reading.posterior.weight
    best = select_heavy(weight)
    played.play_around(towers.unit[best], weight[best] / weight[best].sum(), files[-1], len(files) - 1)


def write_profiles() -> None:
    """Write the profile and the report of each reading, and the summary in docs/calibration.md."""
    for name, observations in READINGS.items():
        with tempfile.TemporaryDirectory() as folder:
            output = Path(folder) / f"{name}.toml"
            calibrate(observations, output, 0, kept=KEPT[name])
            before, after = f"{name}.calibration/", f"docs/calibration/{name}/"
            (PROFILES / output.name).write_text(output.read_text("utf-8").replace(before, after), "utf-8")
            shutil.rmtree(REPORTS / name, ignore_errors=True)
            shutil.copytree(output.with_suffix(".calibration"), REPORTS / name)
        print(f"{name}: written", flush=True)
    page = ROOT / "docs" / "calibration.md"
    begin, end = "<!-- profiles -->\n", "\n<!-- /profiles -->"
    head, rest = page.read_text("utf-8").split(begin)
    page.write_text(f"{head}{begin}{format_summary()}{end}{rest.split(end)[1]}", "utf-8")


def format_summary() -> str:
    """Return the table of shipped profiles for docs/calibration.md, from their reports."""
    lines = [
        "| profile | observations | inside after the set-up | mean inside in play | mean out in a phase | report |",
        "|---|---|---|---|---|---|",
    ]
    for name, observations in READINGS.items():
        rows = np.loadtxt(REPORTS / name / "tables/chosen.csv", delimiter=",", skiprows=1, usecols=range(1, 6))
        numbers = " | ".join(f"{show(row[0])}; {show(Estimate(row[2], row[3], row[4], 0))}" for row in rows)
        lines.append(f"| `{name}` | {len(observations)} | {numbers} | [report](calibration/{name}/report.md) |")
    return "\n".join(lines)


def play_proof() -> None:
    """Play fresh draws of each reading; print and store how many lie in the intervals, the mean z, and what clogs."""
    lines: list[tuple[Any, ...]] = []
    for place, (name, reading, towers) in enumerate(iter_fits(), start=1):
        posterior = reading.posterior
        rng = np.random.default_rng(np.random.SeedSequence(46, spawn_key=(place - 1,)))
        drawn = rng.choice(len(posterior.weight), DRAWS, p=posterior.weight)
        jobs = [(towers.unit[tower], 10_000 * place + i) for i, tower in enumerate(drawn)]
        *columns, clogs = np.array(list(in_threads(_play_means, jobs))).T
        a, b = towers.clogs
        clogged = (*mean_error(100 * clogs), 100 * float(posterior.weight @ (a / (a + b))))
        whole = fit(towers, reading.evidence, np.random.default_rng(0))
        for values, key in zip(columns, PROVED, strict=True):
            span, at = whole.posterior.interval(key), towers.at(EVERY[key])
            scaled = SUMMARIES[key].scale(values)
            z = (scaled - at.mean[drawn]) / np.sqrt(at.error[drawn] ** 2 + at.games[drawn] ** 2 / GAMES)
            inside = int(((span.low <= values) & (values <= span.high)).sum())
            lines.append((f"{name} {key}", inside, DRAWS, *mean_error(z), posterior.effective, *clogged))
        for line in lines[-len(PROVED) :]:
            print(*line, flush=True)
    with PROOF.open("w", encoding="utf-8", newline="") as stream:
        table = csv.writer(stream, lineterminator="\n")
        table.writerow(PROOF_HEAD.split(","))
        table.writerows([name, *(f"{number:.4g}" for number in numbers)] for name, *numbers in lines)


def _play_means(job: tuple[Array, int]) -> list[float]:
    """Return the means over GAMES new games of a tower, in the order of PROVED, then the share of them that clog.

    No other game has their seeds.
    """
    unit, number = job
    games = played.play(tower(unit), number, range(100, 100 + GAMES))  # play on, however much the first set-up keeps
    values = [EVERY[key].of(games) for key in PROVED]
    means = (float(SUMMARIES[key].back(float(np.nanmean(of)))) for key, of in zip(PROVED, values, strict=True))
    return [*means, find_clogs(games).mean()]


def main(words: Sequence[str] | None = None) -> None:
    """Run the action named on the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m tower_sim.calibration.readings",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    actions = {"more": play_more, "around": play_around, "profiles": write_profiles, "proof": play_proof}
    parser.add_argument("what", choices=actions)
    parser.add_argument("round", nargs="?", type=int, help="of more: the number of its file, from 1")
    asked = parser.parse_args(words)
    if (asked.what == "more") != (asked.round is not None):
        parser.error("a round is given with more, and only with it; correct the command")
    actions[asked.what](*filter(None, [asked.round]))


if __name__ == "__main__":
    main(sys.argv[1:])

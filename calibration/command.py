"""`tower-sim calibrate`: from observations to a profile and its report; simulated games are kept, so it can go on."""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from calibration import design as designs
from calibration import evidence as evidences
from calibration.design import Design, Point
from calibration.emulator import Emulator, shipped_kernels
from calibration.fit import TARGETS, Discrepancy, Fit, fit, misfit
from calibration.parameters import ENGINE, NAMES, NUMBERS, PATTERNS, fields, profile_text, values
from calibration.result import Budget, Calibration, Chosen, Confirmed, ConfirmedSummary, GamesMean
from calibration.summaries import SUMMARIES, WHOLE, Array, GameCounts
from calibration.writeup import in_short, write
from tower_sim.apparatus.catalogue import FITTED_WITH
from tower_sim.apparatus.catalogue import parse as parse_profile
from tower_sim.campaign import status
from tower_sim.campaign.environment import environment
from tower_sim.campaign.files import make_directory
from tower_sim.errors import UsageError, check_whole, shown
from tower_sim.physics.engine import make
from tower_sim.physics.settings import PhysicsSettings
from tower_sim.progress import telling
from tower_sim.reading import read_bytes
from tower_sim.statistics import mean_error
from tower_sim.terminal import warn
from tower_sim.writing import WritingFailed
from tower_sim.writing import write as write_whole

MOST_WORKERS = 512
_FIT, _PLAY = 0, 1  # first words of spawn keys


@dataclass(frozen=True, slots=True)
class Effort:
    """How much is simulated: `waves` of `points` towers from the posterior that sharpen the emulator, `games` each; the
    towers that `confirm` it, with as many games each; the games of the tower `chosen`.
    """

    waves: int
    points: int
    games: int
    confirm: int
    chosen: int


EFFORTS = {
    "quick": Effort(waves=0, points=0, games=4, confirm=12, chosen=50),
    "full": Effort(waves=2, points=96, games=8, confirm=24, chosen=100),
}


def calibrate(
    paths: Sequence[str | Path],
    output: Path,
    mode: str = "quick",
    seed: int = 0,
    workers: int | None = None,
    effort: Effort | None = None,
) -> Calibration:
    """Fit the tower to the observations in `paths`; write the profile `output` and, beside it, NAME.calibration/.

    That folder has the report and every simulated game; called again with the same arguments, it goes on where it was.
    Random, from `seed`: the draws of the posterior and all games. Raises UsageError for observations, numbers or an
    output that cannot be used, and where the engine of the design is not installed; KeyboardInterrupt when it was
    interrupted: the profile is then as it was before.
    """
    begun = time.monotonic()
    workers = min(os.cpu_count() or 1, MOST_WORKERS) if workers is None else workers
    check_whole("workers", workers, 1, MOST_WORKERS)
    check_whole("seed", seed, 0, 2**128 - 1)
    effort = effort or EFFORTS[mode]
    files = _files(paths)
    evidence = [each for file in files for each in evidences.read(file)]
    halves = [each for file in files for each in evidences.read(file, split=True)]
    for entries in (evidence, halves):
        evidences.check_amount(entries)
    make(PhysicsSettings(engine=ENGINE)).close()  # refuses where it cannot be had
    shipped = designs.shipped()
    directory = _opened(
        output, {"mode": mode, "seed": str(seed), "effort": str(effort), "design": shipped.digest}, files
    )
    work = _Work(directory, seed, workers)

    design = shipped
    _say(f"fit: {len(shipped.pattern)} towers of the design, {len(evidence)} observations")
    fitted, emulator = _fitted(design, evidence, halves, seed)
    for wave in range(effort.waves):
        points = drawn(fitted, effort.points, work.rng(_FIT, wave + 1))
        design = design.after(work.play(f"wave-{wave + 1}", points, effort.games))
        _say(f"fit: {len(design.pattern)} towers")
        fitted, emulator = _fitted(design, evidence, halves, seed)

    points = drawn(fitted, effort.confirm, work.rng(_FIT, 0))
    played = work.play("confirm", points, effort.games)
    confirmed = tuple(_compared(emulator, point, played.games.take(i)) for i, point in enumerate(points))
    best = nearest(Emulator(design.after(played), emulator.kernels), evidence, fitted, points)
    games = work.play("chosen", [best], effort.chosen).games.take(0)
    result = Calibration(
        name=output.stem,
        mode=mode,
        seed=seed,
        points=len(design.pattern),
        games=int((design.games.thrown[..., -1] >= 0).sum()),
        design=design.digest,
        fit=fitted,
        confirmed=confirmed,
        chosen=_chosen(best, games),
        budget=replace(work.budget, seconds=time.monotonic() - begun),
        versions=environment()["versions"],
    )
    _say("report")
    report = write(result, directory)
    write_whole(output, _profile(result, best, [file.name for file in files], report), "profile")
    return result


def calibrate_command(paths: Sequence[str], output: Path, mode: str, seed: int, workers: int | None) -> int:
    """Do what `tower-sim calibrate` does and print the posterior and the predictive check; returns the exit status."""
    try:
        result = calibrate(paths, output, mode, seed, workers)
    except KeyboardInterrupt:
        again = shlex.join(["tower-sim", "calibrate", *paths, "-o", str(output), f"--{mode}", "--seed", str(seed)])
        return _ended(f"interrupted; no profile was written, simulated games are kept; to go on: {again}")
    except (WritingFailed, designs.SimulationFailed) as error:
        return _ended(str(error))
    print(in_short(result))
    print(f"profile: {output}\nreport: {_folder(output) / 'report.md'}")
    return 0


def _ended(why: str) -> int:
    warn(why)
    return 1


def _files(paths: Sequence[str | Path]) -> list[Path]:
    """Return the files that are meant; refuse one that is named twice, which would count what it says twice."""
    files = [evidences.shipped().get(str(path), Path(path)) for path in paths]
    for file in files:
        if [other.name for other in files].count(file.name) > 1:
            raise UsageError(
                f"observations {shown(file.name)} are named twice; allowed is each once, with a name of its own; "
                "leave one out or rename it"
            )
    return files


@dataclass(slots=True)
class _Work:
    """Plays games in folders of `directory`, and counts them."""

    directory: Path
    seed: int
    workers: int
    budget: Budget = field(default_factory=lambda: Budget(0, 0.0, 0, 0))

    def rng(self, *key: int) -> np.random.Generator:
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=key))

    def play(self, name: str, points: Sequence[Point], games: int) -> Design:
        """Play `games` games at each of `points`, in shards of a few games, or go on with that."""
        word = int.from_bytes(hashlib.sha256(name.encode()).digest()[:4], "big")
        root = np.random.SeedSequence(self.seed, spawn_key=(_PLAY, word)).generate_state(4, np.uint32)
        folder = self.directory / name
        _say(f"{name}: {len(points)} towers, {games} games each")
        seed = int.from_bytes(root.astype("<u4").tobytes(), "little")
        design = designs.play(points, games, seed, folder, self.workers)
        now = status(folder)
        self.budget = Budget(
            self.budget.games + now.spec.total,
            0.0,
            self.budget.redrawn + now.redrawn,
            self.budget.unfinished + now.unfinished,
        )
        return design


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _folder(output: Path) -> Path:
    return output.with_suffix(".calibration")


def _opened(output: Path, head: dict[str, str], files: Sequence[Path]) -> Path:
    """Make the folder beside `output`, or go on with it; refuse another calibration's."""
    if output.suffix != ".toml" or not output.stem:
        raise UsageError(f"output {shown(str(output))}; allowed is a name that ends in .toml; try mine.toml")
    inputs = head | {file.name: hashlib.sha256(read_bytes(file, "observations")).hexdigest() for file in files}
    folder = _folder(output)
    mark = folder / "calibration.json"
    text = (
        json.dumps({"schema": "tower-sim/calibration", "version": 1, "inputs": inputs}, indent=1, allow_nan=False)
        + "\n"
    )
    if _is_there(mark):
        if read_bytes(mark, "calibration") != text.encode():
            raise UsageError(
                f"{folder} belongs to a calibration with other observations, mode, seed or design; allowed is the same "
                "one; give another -o, or remove that folder"
            )
        return folder
    if _is_there(output) or (_is_there(folder) and (not folder.is_dir() or any(folder.iterdir()))):
        there = output if _is_there(output) else folder
        raise UsageError(f"{there} is there already; allowed is a new name; give another -o, or remove it")
    make_directory(folder)
    write_whole(mark, text, "calibration")
    return folder


def _is_there(path: Path) -> bool:
    """Return whether `path` is there; raises UsageError for a name that no file can have."""
    try:
        return path.exists()
    except (OSError, ValueError) as error:
        why = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise UsageError(
            f"output {shown(str(path))} cannot be written ({why}); allowed is a new name; give another -o"
        ) from error


def _fitted(
    design: Design, evidence: Sequence[evidences.Evidence], halves: Sequence[evidences.Evidence], seed: int
) -> tuple[Fit, Emulator]:
    """Fit with the kernels of the design that ships; held out: the second half of recorded drops, else each in turn."""
    emulator = Emulator(design, shipped_kernels())
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(_FIT,)))
    with_halves = any(part.held for part in halves)
    with telling("fits", 2 if with_halves else 1) as tell:
        fitted = fit(emulator, evidence, rng, Discrepancy())
        tell(1)
        if with_halves:
            fitted = replace(fitted, held_out=fit(emulator, halves, rng, Discrepancy()).held_out)
            tell(2)
    return fitted, emulator


def drawn(fitted: Fit, number: int, rng: np.random.Generator) -> list[Point]:
    """Draw different towers from the posterior."""
    patterns = list(PATTERNS)
    towers = np.unique(np.column_stack([fitted.posterior.pattern, fitted.posterior.unit]), axis=0)
    weight = np.ones(len(towers)) / len(towers)
    rows = towers[np.sort(rng.choice(len(towers), min(number, len(towers)), replace=False, p=weight))]
    return [(patterns[int(row[0])], tuple(row[1:].tolist())) for row in rows]


def nearest(emulator: Emulator, evidence: Sequence[evidences.Evidence], fitted: Fit, others: Sequence[Point]) -> Point:
    """Return the tower, of the posterior's and `others`, that is nearest to the evidence."""
    candidates = [*others, *drawn(fitted, len(fitted.posterior.unit), np.random.default_rng(0))]
    pattern = np.array([list(PATTERNS).index(name) for name, _ in candidates])
    unit = np.array([point for _, point in candidates])
    return candidates[int(np.argmin(misfit(emulator, evidence, fitted, pattern, unit)))]


def _compared(emulator: Emulator, point: Point, games: GameCounts) -> Confirmed:
    pattern, unit = point
    compared: list[ConfirmedSummary] = []
    for name, window in WHOLE.items():
        at = emulator.at(window, *_one(point))
        by_game = window.of(games)
        by_game = by_game[~np.isnan(by_game)]
        if len(by_game):
            se = float(at.games[0]) / np.sqrt(len(by_game))
            compared.append(
                ConfirmedSummary(
                    name, float(at.mean[0]), _error(emulator, point, name), by_game.mean(), se, len(by_game)
                )
            )
    return Confirmed(pattern, values(pattern, unit), tuple(compared))


def _one(point: Point) -> tuple[Array, Array]:
    return np.array([list(PATTERNS).index(point[0])]), np.array([point[1]])


def _error(emulator: Emulator, point: Point, name: str) -> float:
    """Return the emulator's error of a summary; what comes out errs with what stays inside."""
    own = float(emulator.at(WHOLE[name], *_one(point)).error[0])
    if name != "out":
        return own
    inside = emulator.at(WHOLE["inside"], *_one(point))
    share = 1 / (1 + np.exp(-float(inside.mean[0])))
    return float(np.hypot(own, share * float(inside.error[0])))


def _chosen(point: Point, games: GameCounts) -> Chosen:
    whole = games.take((games.thrown[..., -1] >= 0,))
    single: dict[str, Array] = {
        "setup": whole.inside[:, 0].astype(float),
        "inside": whole.inside[:, 1:].mean(1),
        "out": whole.out[:, 1:].mean(1),
    }
    means = {name: GamesMean(*mean_error(by_game), len(by_game)) for name, by_game in single.items()}
    pattern, unit = point
    return Chosen(
        pattern,
        values(pattern, unit),
        fields(pattern, unit),
        means,
        {name: tuple(by_game.tolist()) for name, by_game in single.items()},
    )


def _profile(result: Calibration, point: Point, names: Sequence[str], report: Path) -> str:
    """Write the profile's text; it is read once to be sure that it is one."""
    posterior = result.fit.posterior
    notes = {"pattern": f"fitted; pattern {point[0]} has {_share(result, point[0]):.0%} of the posterior"}
    for i, name in enumerate(NAMES):
        low, high = (values(point[0], np.quantile(posterior.unit, q, axis=0).tolist())[name] for q in (0.05, 0.95))
        notes[name] = f"fitted; 90 % of the posterior: {low:.3g} to {high:.3g}" + _unit(i)
    predicted = [
        f"{SUMMARIES[name].words} {posterior.interval(name).low:.1f} to {posterior.interval(name).high:.1f}"
        for name in TARGETS
    ]
    head = [
        "The Amerigo tower, fitted. Each value says how it is known: [K] known, [A] assumed, [F] fitted.",
        f"Fitted by tower-sim calibrate --{result.mode} --seed {result.seed} to: {', '.join(names)}",
        f"{FITTED_WITH}{ENGINE} at its standard accuracy; drops with another engine may keep more or fewer cubes.",
        f"Predicted (90 %): {'; '.join(predicted)}",
        f"Posterior: SHA-256 {result.digest}",
        f"Report: {report.parent.name}/{report.name}",
    ]
    text = profile_text(*point, head, notes)
    parse_profile(text, result.name)
    return text


def _share(result: Calibration, pattern: str) -> float:
    return float((result.fit.posterior.pattern == list(PATTERNS).index(pattern)).mean())


def _unit(number: int) -> str:
    unit = "edges" if number == 0 else NUMBERS[number].unit
    return f" {unit}" if unit else ""

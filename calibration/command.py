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

from tower_sim import writing
from tower_sim.apparatus.catalogue import FITTED_WITH
from tower_sim.apparatus.catalogue import load as load_profile
from tower_sim.apparatus.catalogue import parse as parse_profile
from tower_sim.apparatus.parts import Apparatus
from tower_sim.calibration import design as designs
from tower_sim.calibration import evidence as evidences
from tower_sim.calibration.bands import played
from tower_sim.calibration.choice import ChosenTower, choose
from tower_sim.calibration.design import Design, Point
from tower_sim.calibration.e_values import check
from tower_sim.calibration.effort import BESIDE, EFFORTS, Effort, in_words, seconds, seconds_a_game
from tower_sim.calibration.emulator import Emulator, shipped_kernels
from tower_sim.calibration.evidence import Evidence
from tower_sim.calibration.fit import TARGETS, Discrepancy, Fit, fit, fit_sampled
from tower_sim.calibration.leaving import leaving
from tower_sim.calibration.parameters import ENGINE, NUMBERS, fields, profile_text, readings, values
from tower_sim.calibration.plain import tower_in_words
from tower_sim.calibration.reference import reference
from tower_sim.calibration.result import Budget, Calibration, Chosen, Confirmed, ConfirmedSummary, GamesMean
from tower_sim.calibration.rounds import Pool
from tower_sim.calibration.stand_in import stand_in
from tower_sim.calibration.summaries import EVERY, SUMMARIES, WHOLE, Array
from tower_sim.calibration.usable import Usable, usable
from tower_sim.calibration.verdict import in_plain_words as fairness
from tower_sim.calibration.watched import throws_of
from tower_sim.calibration.writeup import in_short, write
from tower_sim.campaign import status
from tower_sim.campaign.environment import environment
from tower_sim.campaign.files import make_directory
from tower_sim.campaign.reader import load_whole
from tower_sim.errors import UsageError, check_whole, shown
from tower_sim.extras import extra
from tower_sim.physics.engine import make
from tower_sim.physics.settings import STANDARD, PhysicsSettings, accuracy
from tower_sim.progress import telling
from tower_sim.reading import read_bytes
from tower_sim.runs.by_drop import ByDrop
from tower_sim.statistics import mean_error
from tower_sim.surrogate.store import beside, load_fitted
from tower_sim.terminal import warn
from tower_sim.writing import WritingFailed

MOST_WORKERS = 512
_FIT, _PLAY = 0, 1  # first words of spawn keys
CHOSEN = "chosen"
CONFIRM = 24  # towers of the last round that the report holds against the emulator before it knew them
CONFIRMED = (*WHOLE, "colours")  # summaries in which simulated towers are held against the emulator


def calibrate(
    paths: Sequence[str | Path],
    output: Path,
    mode: str = "quick",
    seed: int = 0,
    workers: int | None = None,
    effort: Effort | None = None,
) -> Calibration:
    """Fit the tower to the observations in `paths`; write the profile `output`, its surrogate, and NAME.calibration/.

    That folder has the report and every simulated game; called again with the same arguments, it goes on where it was.
    What it will do and about how long that takes is said on standard error before. Random, from `seed`: the draws of
    the posterior and all games. Raises UsageError for observations, numbers or an output that cannot be used, and where
    the engine of the design is not installed; KeyboardInterrupt when it was interrupted: the profile is then as it was
    before.
    """
    begun = time.monotonic()
    workers = min(os.cpu_count() or 1, MOST_WORKERS) if workers is None else workers
    check_whole("workers", workers, 1, MOST_WORKERS)
    check_whole("seed", seed, 0, 2**128 - 1)
    effort = effort or EFFORTS[mode]
    files = _files(paths)
    told = usable(files)
    for entries in (told.evidence, told.halves):
        evidences.check_amount(entries)
    make(PhysicsSettings(engine=ENGINE)).close()  # refuses where it cannot be had
    extra("sklearn.ensemble", "calibrate")  # which the check of the surrogate needs at the end
    shipped = designs.shipped()
    directory = _opened(
        output, {"mode": mode, "seed": str(seed), "effort": str(effort), "design": shipped.digest}, files
    )
    work = _Work(directory, seed, workers)
    for line in (*told.notes, _plan(told, effort, workers, len(shipped.unit))):
        _say(line)

    pool = Pool(shipped, shipped_kernels())
    fitted = _fitted(pool, told, seed)
    compared: tuple[Confirmed, ...] = ()
    for number in range(1, 1 + effort.rounds):
        if fitted.posterior.effective >= effort.enough:
            break
        emulator, new = pool.add(
            told.evidence,
            Discrepancy(),
            effort.towers,
            work.rng(_FIT, number),
            lambda points, name=f"round-{number}": work.play(name, points, effort.games),
            fit,
        )
        some = range(min(CONFIRM, len(new.unit)))
        compared = tuple(_compared(emulator, tuple(new.unit[i].tolist()), new.games.take(i)) for i in some)
        fitted = _fitted(pool, told, seed)
        agree = f"an effective {fitted.posterior.effective:.0f} towers agree"
        _say(f"round {number}: {agree}; {effort.enough:.0f} are enough")
    choice = choose(fitted)
    design = pool.design
    tower, games = work.play_chosen(choice.point, effort.chosen, output.stem)
    surrogate, details = _stand_in(directory / CHOSEN, output, seed)
    result = Calibration(
        name=output.stem,
        mode=mode,
        seed=seed,
        points=len(design.unit),
        games=int((design.games.thrown[..., -1] >= 0).sum()),
        design=design.digest,
        fit=fitted,
        confirmed=compared,
        chosen=replace(_chosen(choice, games), leaving=leaving(load_whole(directory / CHOSEN))),
        budget=replace(work.budget, seconds=time.monotonic() - begun),
        versions=environment()["versions"],
        notes=(*told.notes, *_beside(told, tower, seed), surrogate),
    )
    _say("report")
    report = write(result, directory)
    towers = json.dumps(fitted.posterior.document(), allow_nan=False)
    writing.renew(directory / "posterior.json", f"{towers}\n", "posterior")
    writing.renew(directory / "surrogate.txt", details, "check of the surrogate")
    writing.write(output, _profile(result, choice.point, [file.name for file in files], report), "profile")
    return result


def calibrate_command(paths: Sequence[str], output: Path, mode: str, seed: int, workers: int | None) -> int:
    """Do what `tower-sim calibrate` does: plain sentences, the fit, what can be done next; returns the exit status."""
    try:
        result = calibrate(paths, output, mode, seed, workers)
    except KeyboardInterrupt:
        again = shlex.join(["tower-sim", "calibrate", *paths, "-o", str(output), f"--{mode}", "--seed", str(seed)])
        return _ended(f"interrupted; no profile was written, simulated games are kept; to go on: {again}")
    except (WritingFailed, designs.SimulationFailed) as error:
        return _ended(str(error))
    print(f"{in_short(result)}\n\n{result.chosen.does}\nWhy this tower: {result.chosen.why}")
    print("\n".join(result.notes))
    has_surrogate = beside(output).exists()
    is_sound = has_surrogate and not load_fitted(beside(output)).failed
    made = [f"profile: {output}", *([f"surrogate: {beside(output)}"] if has_surrogate else [])]
    print("\n".join([*made, f"report: {_folder(output) / 'report.md'}"]))
    fast = ["--model", "surrogate"] if is_sound else []
    print(f"to play with it: {shlex.join(['tower-sim', 'play', 'amerigo', '--apparatus', str(output), *fast])}")
    return 0


def _plan(told: Usable, effort: Effort, workers: int, towers: int) -> str:
    """Say what will be done and about how long it takes here, for which a few games are played."""
    a_game = seconds_a_game()
    with_halves = any(part.held for part in told.halves)
    whole = seconds(effort, a_game, min(workers, os.cpu_count() or 1), towers, len(told.left), with_halves)
    seen = sum(len(entry.values) + len(entry.clues) for entry in told.evidence)
    return (
        f"calibrate: this compares {seen} observed value{'' if seen == 1 else 's'} with {towers} simulated towers, "
        f"plays up to {effort.played} games of towers that agree, chooses one and fits its surrogate. About "
        f"{in_words(whole)} on this machine ({workers} at work; a game takes {a_game:.2f} s here). Stopped, the same "
        "command goes on."
    )


def _stand_in(games: Path, output: Path, seed: int) -> tuple[str, str]:
    """Make the surrogate beside `output`; returns how good it is, in short and in full, or why there is none."""
    try:
        made = stand_in(games, output, seed)
    except UsageError as error:  # too few of the tower's games came to their end
        return f"No surrogate was made: {error}", f"{error}\n"
    return made.words, made.details


def _beside(told: Usable, tower: Apparatus, seed: int) -> list[str]:
    """Hold the drops that the fit could not use against the tower chosen, as `tower-sim fairness` does."""
    said: list[str] = []
    for name, records in told.left.items():
        _say(f"{name}: games beside the drops that were not fitted")
        law = reference(tower, BESIDE, seed, accuracy(ENGINE, STANDARD), throws_of(records))
        said.append(
            f"What of {shown(name)} was not fitted, held against the tower: {' '.join(fairness(check(records, law)))}"
        )
    return said


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
        _say(f"{name}: {len(points)} towers, {games} games each")
        design = designs.play(points, games, self._seed(name), self.directory / name, self.workers)
        self._count(name)
        return design

    def play_chosen(self, point: Point, games: int, name: str) -> tuple[Apparatus, ByDrop]:
        """Play games of one tower, whose profile is kept as `name`; returns it and its games, shape (games, drops)."""
        _say(f"{CHOSEN}: 1 tower, {games} games")
        profile = self.directory / f"{name}.toml"
        writing.renew(profile, profile_text(point, ["The tower that was chosen."], {}), "profile")
        folder = self.directory / CHOSEN
        played = designs.play_tower(profile, games, self._seed(CHOSEN), folder, self.workers)
        self._count(CHOSEN)
        return load_profile(profile), played

    def _seed(self, name: str) -> int:
        word = int.from_bytes(hashlib.sha256(name.encode()).digest()[:4], "big")
        root = np.random.SeedSequence(self.seed, spawn_key=(_PLAY, word)).generate_state(4, np.uint32)
        return int.from_bytes(root.astype("<u4").tobytes(), "little")

    def _count(self, name: str) -> None:
        now = status(self.directory / name)
        self.budget = Budget(
            self.budget.games + now.spec.total,
            0.0,
            self.budget.redrawn + now.redrawn,
            self.budget.unfinished + now.unfinished,
        )


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
    elif _is_there(folder) and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} is there already; allowed is a new name; give another -o, or remove it")
    for path, what in ((output, "profile"), (beside(output), "surrogate")):
        if _is_there(path) and not _is_there(mark) and not writing.is_ruled():
            raise UsageError(f"{path} is there already; allowed is a new name; give another output, or remove it")
        writing.check(path, what)
    writing.check_folder(folder, what="report")
    if not _is_there(mark):
        make_directory(folder)
        writing.renew(mark, text, "calibration")
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


def _fitted(pool: Pool, told: Usable, seed: int) -> Fit:
    """Weigh all towers played; held out: the second half of recorded drops, else each source in turn."""
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(_FIT,)))
    with_halves = any(part.held for part in told.halves)
    with telling("fits", 2 if with_halves else 1) as tell:
        fitted = _weighed(pool, told.evidence, rng)
        tell(1)
        if with_halves:
            fitted = replace(fitted, held_out=_weighed(pool, told.halves, rng).held_out)
            tell(2)
    return fitted


def _weighed(pool: Pool, evidence: Sequence[Evidence], rng: np.random.Generator) -> Fit:
    return fit_sampled(pool.sampled(evidence, Discrepancy(), rng), evidence, rng, Discrepancy())


def _compared(emulator: Emulator, point: Point, games: ByDrop) -> Confirmed:
    compared: list[ConfirmedSummary] = []
    for name in CONFIRMED:
        window = EVERY[name]
        at = emulator.at(window, np.array([point]))
        by_game = window.of(games)
        by_game = by_game[~np.isnan(by_game)]
        if len(by_game):
            se = float(at.games[0]) / np.sqrt(len(by_game))
            compared.append(
                ConfirmedSummary(
                    name, float(at.mean[0]), _error(emulator, point, name), by_game.mean(), se, len(by_game)
                )
            )
    return Confirmed(values(point), tuple(compared))


def _error(emulator: Emulator, point: Point, name: str) -> float:
    """Return the emulator's error of a summary; what comes out errs with what stays inside."""
    own = float(emulator.at(EVERY[name], np.array([point])).error[0])
    if name != "out":
        return own
    inside = emulator.at(WHOLE["inside"], np.array([point]))
    share = 1 / (1 + np.exp(-float(inside.mean[0])))
    return float(np.hypot(own, share * float(inside.error[0])))


def _chosen(choice: ChosenTower, games: ByDrop) -> Chosen:
    whole = games.take((games.thrown[..., -1] >= 0,))
    single: dict[str, Array] = {
        "setup": whole.inside[:, 0].astype(float),
        "inside": whole.inside[:, 1:].mean(1),
        "out": whole.out[:, 1:].mean(1),
    }
    means = {name: GamesMean(*mean_error(by_game), len(by_game)) for name, by_game in single.items()}
    return Chosen(
        values(choice.point),
        fields(choice.point),
        means,
        {name: tuple(by_game.tolist()) for name, by_game in single.items()},
        choice.why,
        tower_in_words(games),
        played=played(whole),
    )


def _profile(result: Calibration, point: Point, names: Sequence[str], report: Path) -> str:
    """Write the profile's text; it is read once to be sure that it is one."""
    posterior = result.fit.posterior
    notes: dict[str, str] = {}
    for number, (low, high) in zip(NUMBERS, np.quantile(readings(posterior.unit), (0.05, 0.95), axis=0).T, strict=True):
        unit = f" {number.unit}" if number.unit else ""
        notes[number.name] = f"fitted; 90 % of the posterior: {low:.3g} to {high:.3g}{unit}"
    predicted = [
        f"{SUMMARIES[name].words} {posterior.interval(name).low:.1f} to {posterior.interval(name).high:.1f}"
        for name in TARGETS
    ]
    head = [
        "The Amerigo tower, fitted. Each value says how it is known: [K] known, [A] assumed, [F] fitted.",
        f"Fitted by tower-sim calibrate --{result.mode} --seed {result.seed} to: {', '.join(names)}",
        f"{FITTED_WITH}{ENGINE} at its standard accuracy; drops with another engine may keep more or fewer cubes.",
        f"Predicted (90 %): {'; '.join(predicted)}",
        result.chosen.why,
        f"Posterior: SHA-256 {result.digest}",
        f"Report: {report.parent.name}/{report.name}",
    ]
    text = profile_text(point, head, notes)
    parse_profile(text, result.name)
    return text

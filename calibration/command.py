"""`tower-sim tower fit`: make a profile and its report from observations of a tower, or from a wish."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from operator import getitem
from pathlib import Path
from typing import Any

import numpy as np

from tower_sim.apparatus import FITTED_WITH
from tower_sim.apparatus import parse as parse_profile
from tower_sim.calibration import evidence as evidences
from tower_sim.calibration import nights, played
from tower_sim.calibration.evidence import NORMAL, Evidence
from tower_sim.calibration.fit import TARGETS, Fit, fit, interval
from tower_sim.calibration.nights import compare_games
from tower_sim.calibration.played import Table
from tower_sim.calibration.prior import BASE, NUMBERS, Towers, profile
from tower_sim.calibration.reference import Usable, read_usable
from tower_sim.calibration.report import SHOWN, Calibration, make
from tower_sim.calibration.summaries import EVERY, SUMMARIES, Array
from tower_sim.errors import UsageError, check_whole, quote
from tower_sim.report import FILES, SETTERS, check_report
from tower_sim.results import show
from tower_sim.studies import Wish
from tower_sim.surrogate import beside
from tower_sim.tools import need, say, writing

ENOUGH = 15.0  # effective towers; with fewer, more games of the heavy towers are played
MOST = 60  # towers with more games in one calibration
HEAVY = 0.97  # share of all weight that these towers hold, unless they are more than MOST
DOES = (*TARGETS, "single")  # means by which a typical tower is chosen; "single": phases without a choice
TYPICAL = "Of the heaviest towers, with half of all weight, its means are nearest to the medians of all that agree."
WISHED = "Of the towers that agree, it came nearest to the wish in games played by physics."
KEPT = (
    "It was the most typical tower of an earlier version and stays, so that results stay the same; "
    "the command below chooses another one now."
)
GAMES_FILE = "games.npz"  # in the folder of the report: the additional games


def calibrate(
    paths: Sequence[str | Path],
    output: str | Path,
    seed: int = 0,
    wishes: Sequence[Wish] = (),
    kept: int | None = None,
) -> Calibration:
    """Weight the simulated towers by observations and wishes; write a profile and its report.

    If fewer than ENOUGH towers agree with the evidence
    (effective number), more games of them are played and stored; a second call continues. For a wish
    the towers that should come nearest are played, and the one chosen is judged by other games, to which its surrogate
    is fitted; see `wishing`.

    Args:
        paths: The observations.
        output: The profile of one typical tower among those that agree. The report is NAME.calibration/report.md next
            to it.
        seed: The source of the draws of the posterior.
        wishes: What the tower should do.
        kept: The number of the tower that the profile is of, whatever agrees best.

    Returns:
        The fit and the tower chosen.
    """
    need("calibrate", *SETTERS, *(("pyarrow", "sqlite3") if wishes else ()))
    check_whole("seed", seed, 0, 2**128 - 1)
    output = Path(output)
    if output.suffix != ".toml" or not output.stem:
        raise UsageError(f"output {quote(str(output))}; allowed is a name that ends in .toml; try mine.toml")
    directory = _find_folder(output)
    writing.keep([output, beside(output), *(directory / name for name in FILES)], "output")
    writing.check(output, "output")
    wish_evidence = [_read_wish(wish) for wish in wishes]
    files = _find_files(paths)
    usable = read_usable(files) if files or not wishes else Usable()
    check_report(directory)
    evidence = (*usable.evidence, *wish_evidence)
    halves = usable.halves if any(entry.held for entry in usable.halves) else None
    table = played.shipped()
    fitted, towers = _fit_towers(table, evidence, halves, seed)
    if fitted.posterior.effective < ENOUGH:
        more = played.play_on(table, towers.number[select_heavy(fitted.posterior.weight, MOST)], directory / GAMES_FILE)
        fitted, towers = _fit_towers(more, evidence, halves, seed)
    agreement = compare_games(towers, usable.games, fitted.posterior.tower, np.random.default_rng((seed, 1)))
    chosen, why = usual(fitted, towers)[0], TYPICAL
    if wishes:
        chosen, why = nights.choose(select_heavy(fitted.posterior.weight), towers, wishes), WISHED
    elif kept is not None:
        chosen, why = int(np.flatnonzero(towers.number == kept)[0]), KEPT
    wished = [f"--wish={wish.text}" for wish in wishes]
    again = shlex.join(["tower-sim", "tower", "fit", *map(str, paths), *wished, "-o", output.name, "--seed", str(seed)])
    does: dict[str, tuple[float, float]] = {}
    for name in TARGETS:
        at, back = towers.at(EVERY[name]), SUMMARIES[name].back
        low, mean, high = (float(back(at.mean[chosen] + step * at.error[chosen])) for step in (-1, 0, 1))
        does[name] = mean, abs(high - low) / 2
    spans = {name: fitted.posterior.interval(name) for name in TARGETS}
    predicted = (f"{SUMMARIES[name].words} {show(span.low)} to {show(span.high)}" for name, span in spans.items())
    result = Calibration(
        output.stem,
        fitted,
        towers=len(towers.number),
        games=int((towers.games.grid("thrown")[..., -1] >= 0).sum()),
        why=why,
        does=does,
        again=again,
        notes=usable.notes,
        agreement=agreement,
    )
    head = [
        "An Amerigo tower, fitted. Each value says how it is known: [K] known, [A] assumed, [F] free, and so fitted.",
        f"Fitted by {again}",
        f"{FITTED_WITH}core at its standard accuracy.",
        f"Predicted (90 %): {'; '.join(predicted)}",
        f"Report: {directory.name}/{FILES[1]}",
    ]
    text = profile_text(towers.unit[chosen], head, fitted)
    parse_profile(text, output.stem)
    writing.write_all({**make(result).files(directory), output: text}, "output")
    if wishes:
        result = replace(result, wished=nights.judge(output, directory, wishes, len(towers.number), seed))
        make(result).write(directory)
    return result


def _find_folder(output: str | Path) -> Path:
    return Path(output).with_suffix(".calibration")


def calibrate_command(paths: Sequence[str], output: str | Path, seed: int, wishes: Sequence[Wish]) -> int:
    """Run `tower-sim tower fit`, print the result, and return the exit status."""
    result = calibrate(paths, output, seed, wishes)
    say(make(result).text(SHOWN))
    print(f"\nprofile: {output}\nreport: {_find_folder(output) / FILES[1]}")
    if wishes:
        print(f"fast model: {beside(output)}")
    print(f"to play with it: {shlex.join(['tower-sim', 'play', 'amerigo', '--tower', str(output)])}")
    return 0


def _fit_towers(
    table: Table, evidence: Sequence[Evidence], halves: Sequence[Evidence] | None, seed: int
) -> tuple[Fit, Towers]:
    towers, rng = Towers(table.unit, table.games, table.base), np.random.default_rng(seed)
    whole = fit(towers, evidence, rng)
    if halves is None:
        return whole, towers
    split = fit(towers, halves, rng)
    return replace(whole, held_out=split.held_out), towers


def select_heavy(weight: Array, most: int | None = None, share: float = HEAVY) -> Array:
    """Return the indices of the heaviest towers that hold `share` of all weight, at most `most`, the heaviest first."""
    order = np.argsort(-weight, kind="stable")
    return order[: 1 + int(np.searchsorted(np.cumsum(weight[order]), share))][:most]


def usual(fitted: Fit, towers: Towers) -> list[int]:
    """Return the indices of the heaviest towers, which hold half of all weight, the most typical first.

    A typical tower's means of DOES are near the medians of all towers that agree, in standard deviations; their errors
    add.
    """
    best = select_heavy(fitted.posterior.weight, share=0.5)
    off = np.zeros(len(best))
    for name in DOES:
        if name in fitted.posterior.played:
            draws, at = SUMMARIES[name].scale(fitted.posterior.played[name]), towers.at(EVERY[name])
            off += ((at.mean[best] - np.median(draws)) ** 2 + at.error[best] ** 2) / max(float(draws.var()), 1e-9)
    return [int(place) for place in best[np.argsort(off, kind="stable")]]


def profile_text(unit: Array, head: Sequence[str], fitted: Fit) -> str:
    """Return the text of the profile for the tower at `unit`: base.toml with its values, after the comments `head`."""
    tables = profile(unit)
    tables["exit"]["emerged"] = "cleared"
    draws = fitted.posterior.numbers
    notes = {number.name: (number, interval(draws[:, i])) for i, number in enumerate(NUMBERS)}
    lines, table = [f"# {line}" for line in head], ""
    for line in BASE.read_text("utf-8").splitlines():
        if header := re.match(r"\[([\w.]+)\]", line):
            table = header[1]
        key, equals, rest = line.partition(" = ")
        if equals and table:
            where: Any = reduce(getitem, table.split("."), tables)
            note = rest.partition("#")[2].strip()
            if name := _FREE.get((table, key), _FREE.get(("", key), "")):
                number, span = notes[name]
                ends = f"{show(span.low)} to {show(span.high)} {number.unit}"
                note = f"[F] 90 % of the towers that agree: {ends}".rstrip()
            value = f'"{where[key]}"' if isinstance(where[key], str) else repr(where[key])
            line = f"{key} = {value}" + (f"  # {note}" if note else "")
        if not line.startswith("# The tower whose free numbers"):
            lines.append(line)
    return "\n".join(lines) + "\n"


_FREE = {  # the free number that sets a field, by table and key
    ("tube", "inside_mm"): "tube",
    **{(f"{floor}_floor", "openings"): f"{floor}_openings" for floor in ("upper", "lower")},
    **{(f"{floor}_floor", "opening_mm"): f"{floor}_opening" for floor in ("upper", "lower")},
    ("", "rows"): "grid",
    ("", "slope_deg"): "slope",
    ("", "friction"): "friction",
    ("", "restitution"): "restitution",
    ("release", "rate_per_s"): "rate",
}


def _read_wish(wish: Wish) -> Evidence:
    value, wide = nights.find_middle(wish)
    scale = SUMMARIES[wish.key].scale
    middle = float(scale(value))
    error = abs(middle - float(scale(value - wide)))
    words = f"A wish: {SUMMARIES[wish.key].words} {wish.words}."
    return Evidence(f"wish {wish.key}", words, "the command", "wish", (EVERY[wish.key],), (middle,), NORMAL, sd=error)


def _find_files(paths: Sequence[str | Path]) -> list[Path]:
    files = [evidences.shipped().get(str(path), Path(path)) for path in paths]
    for file in files:
        if [other.name for other in files].count(file.name) > 1:
            raise UsageError(
                f"observations {quote(file.name)} are named twice; allowed is each once, with a name of its own; "
                "leave one out or rename it"
            )
    return files

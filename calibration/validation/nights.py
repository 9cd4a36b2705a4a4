"""Measure whether fits of recorded nights hold the truth, and whether the test that nights agree is right.

    python -m calibration.validation.nights out/nights --towers 20 --pairs 200

Towers are drawn from the prior, beside those of the table, and physics plays nights of each: games of Amerigo. The code
of the page `record` writes them, with a count of cubes out that is off by one in 2 % of the throws. `tower fit` reads
them, one by one and three together. What is played and fitted is kept in the folder; a second call continues. It needs
node and the packages of tower_sim/web/package.json, as calibration.validation.web does.

With `--pairs` the test whether nights agree is also given pairs of whole games of the table: of one tower, and of two.
"""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import qmc

from calibration.validation.script import option, script, table_lines
from calibration.validation.web import built
from tower_sim.calibration import played
from tower_sim.calibration.command import ENOUGH
from tower_sim.calibration.evidence import Evidence, pool_games
from tower_sim.calibration.fit import CLOGS, LEVEL, Fit, fit
from tower_sim.calibration.nights import DOUBTED, HINTED, compare_games
from tower_sim.calibration.prior import NAMES, NUMBERS, Towers, numbers, tower
from tower_sim.calibration.reference import read_usable
from tower_sim.calibration.summaries import (
    EVERY,
    GAME,
    PLAN,
    RULES,
    SUMMARIES,
    WHOLE,
    Array,
    Discrepancy,
    expit,
    find_clogs,
)
from tower_sim.results import Results
from tower_sim.simulator import PhysicsModel
from tower_sim.web.page import FOLDER

NIGHTS = 3  # of a tower; each is a game
TRUE_GAMES = 20  # others, of which the truth is the mean
MISCOUNTS = 0.02
MEANS = ("setup", "inside", "out")
WHAT = {
    "setup": "inside after the set-up",
    "inside": "mean inside in play",
    "out": "out a phase",
    "rate": "rate of pouring",
    CLOGS: "share of games that clog",
}
OFFS = {"as it is": Discrepancy(), "with a perfect simulation": Discrepancy(*[0.0] * 8)}
PAGE = """
import { readFileSync } from "node:fs";
import { after, csvOf, dueOf } from "SRC/record/night.ts";
const { head, rules, nights } = JSON.parse(readFileSync(0, "utf8"));
const written = nights.map((throws) => {
  let night = after(null, ["begin", head], () => rules);
  const tap = (...action) => { night = after(night, action, () => rules); };
  for (const { thrown, out } of throws) {
    const due = dueOf(night, rules).thrown;
    thrown.forEach((cubes, c) => { if (cubes !== due[c]) tap("in", c, cubes); });
    out.forEach((cubes, c) => { if (cubes) tap("out", c, cubes); });
    tap("done");
  }
  return csvOf(night, rules);
});
console.log(JSON.stringify(written));
"""


def units(count: int) -> Iterator[tuple[int, Array]]:
    """Yield numbers and points of the prior behind those of the table; `count` is the number looked at."""
    points = qmc.Sobol(len(NUMBERS), scramble=True, rng=played.SEED).random(2**12)
    first = played.PIECES * played.TOWERS
    yield from enumerate(points[first : first + count], start=first)


def play_nights(unit: Array, number: int) -> dict[str, Any] | None:
    """Return a tower's nights as throws, and its true means; None for a tower that the table would leave out."""
    if played.play(tower(unit), number, [0]).grid("inside")[0, 0] > played.CLOGGED:
        return None
    games: list[list[dict[str, list[int]]]] = []
    whole: list[Array] = []
    with PhysicsModel(tower(unit)) as model:
        for game in range(1, 1 + NIGHTS + TRUE_GAMES):
            throws = np.zeros((3, PLAN.drops, len(PLAN.colours)), np.int16)
            for turn in GAME.start(model, RULES, played.SEED, number * 1000 + game):
                if turn.failed is not None:
                    break
                for table, counts in zip(throws, (turn.thrown, turn.out, turn.inside), strict=True):
                    table[turn.index] = [counts.get(colour, 0) for colour in PLAN.colours]
            else:
                whole.append(throws)
    if len(whole) <= NIGHTS:
        return None
    for thrown, out, _ in whole[:NIGHTS]:
        rows = [i for i in range(PLAN.drops) if thrown[i].any()]
        games.append([{"thrown": thrown[i].tolist(), "out": out[i].tolist()} for i in rows])
    counts: dict[str, Any] = dict(zip(("thrown", "out", "inside"), np.stack(whole[NIGHTS:], 1), strict=True))
    counted = Results.of_counts(counts, plan=PLAN)
    means = {name: float(SUMMARIES[name].back(float(np.nanmean(EVERY[name].of(counted))))) for name in MEANS}
    clogs = float(find_clogs(counted).mean())
    return {"nights": games, "true": means | {"rate": numbers(unit)["rate"], CLOGS: clogs}}


def towers_in(folder: Path, count: int) -> dict[int, dict[str, Any]]:
    """Return `count` towers by number, each played now or kept in the folder."""
    found: dict[int, dict[str, Any]] = {}
    for number, unit in units(1536):
        known = read_or_make(folder / f"tower-{number}.json", partial(play_nights, unit, number))
        if known is not None:
            found[number] = known
        if len(found) == count:
            break
    return found


def read_or_make(file: Path, work: Callable[[], Any]) -> Any:
    if not file.exists():
        file.write_text(json.dumps(work()), "utf-8")
    return json.loads(file.read_text("utf-8"))


def miscount(throws: list[dict[str, list[int]]], rng: np.random.Generator) -> list[dict[str, list[int]]]:
    """Return a night in which MISCOUNTS of the throws have a count of cubes out that is off by one."""
    night: list[dict[str, list[int]]] = []
    for each in throws:
        out = list(each["out"])
        if rng.random() < MISCOUNTS:
            colours = [c for c, cubes in enumerate(out) if cubes] or [*range(len(out))]
            colour = int(rng.choice(colours))
            out[colour] = max(out[colour] + int(rng.choice([-1, 1])), 0)
        night.append({"thrown": each["thrown"], "out": out})
    return night


def write_nights(folder: Path, towers: dict[int, dict[str, Any]]) -> None:
    files = {folder / f"{number}-{i}.csv": (number, i) for number in towers for i in range(NIGHTS)}
    nights = [
        miscount(towers[number]["nights"][i], np.random.default_rng((46, number, i))) for number, i in files.values()
    ]
    colours = list(PLAN.colours)
    sizes = nights[0][0]["thrown"]
    head = {"game": "amerigo", "tower": "mine", "edge": 8, "colours": colours, "counts": sizes, "players": []}
    rules = {"title": "Amerigo", "colours": colours, "counts": sizes, "phases": [*range(7)], "rounds": 5}
    ask = folder / "page.ts"
    ask.write_text(PAGE.replace("SRC", (FOLDER / "src").as_posix()), "utf-8")
    modules = Path(os.environ.get("TOWER_SIM_NODE_MODULES", "node_modules")).resolve()
    (folder / "page.mjs").write_text(built(modules, ask)["page.js"], "utf-8")
    nights_json = json.dumps({"head": head | {"date": "2026-11-28"}, "rules": rules, "nights": nights})
    done = subprocess.run(["node", folder / "page.mjs"], input=nights_json, capture_output=True, text=True, check=True)
    for file, text in zip(files, json.loads(done.stdout), strict=True):
        file.write_text(text, "utf-8")


def score(found: Fit, true: dict[str, float]) -> dict[str, list[float]]:
    """Return by quantity whether its interval holds the truth, and how wide it is over the prior's."""
    scores: dict[str, list[float]] = {}
    for name, value in true.items():
        if name == "rate":
            before, after = (each.numbers[:, NAMES.index("rate")] for each in (found.prior, found.posterior))
        else:
            before, after = (each.played[name] for each in (found.prior, found.posterior))
        ends = [np.quantile(draws, [(1 - LEVEL) / 2, (1 + LEVEL) / 2]) for draws in (before, after)]
        half = 0.5 / TRUE_GAMES if name == CLOGS else 0.0  # a share of so few games is known to half a game
        held = ends[1][0] - half <= value <= ends[1][1] + half
        scores[name] = [float(held), float(np.ptp(ends[1]) / np.ptp(ends[0]))]
    return scores


def fit_nights(folder: Path, count: int) -> Iterator[dict[str, Any]]:
    """Yield the result for each tower: fits of each night and of all, and what the test of agreement says."""
    known = towers_in(folder, count)
    write_nights(folder, known)
    table = played.shipped()
    towers = Towers(table.unit, table.games, table.base)

    def work(number: int, neighbour: int) -> dict[str, Any]:
        begun = time.process_time()
        nights = [read_usable([folder / f"{number}-{i}.csv"]) for i in range(NIGHTS)]
        result: dict[str, Any] = {"marked": sum("miscounted" in note for night in nights for note in night.notes)}
        games = [game for night in nights for game in night.games]
        rng = np.random.default_rng((46, number))
        for words, off in OFFS.items():
            for i, evidence in enumerate([*(night.evidence for night in nights), tuple(pool_games(games))]):
                found = fit(towers, evidence, rng, off, checks=False)
                which = f"{words} {'all' if i == NIGHTS else i}"
                result[which] = score(found, known[number]["true"])
                result[f"effective {which}"] = found.posterior.effective
        other = read_usable([folder / f"{neighbour}-0.csv"]).games
        for kind, pair in (("same 3", games), ("same 2", games[:2]), ("other", [games[0], *other])):
            result[kind] = p_of(towers, pair, rng)
        return result | {CLOGS: known[number]["true"][CLOGS], "seconds": time.process_time() - begun}

    order = list(known)
    for at, number in enumerate(order):
        yield read_or_make(folder / f"fit-{number}-{order[at - 1]}.json", partial(work, number, order[at - 1]))


def judge_pairs(count: int) -> Iterator[str]:
    """Yield how often the test doubts two games of one tower, and of two towers by how their cubes inside differ."""
    table, rng = played.shipped(), np.random.default_rng(46)
    towers = Towers(table.unit, table.games, table.base)
    values = np.stack([window.of(towers.games) for window in WHOLE.values()], 2)
    inside = expit(towers.at(WHOLE["inside"]).mean)

    def night(row: int, game: int) -> Evidence:
        known = {w: float(v) for w, v in zip(WHOLE.values(), values[row, game], strict=True) if np.isfinite(v)}
        return Evidence(f"{row}", "", "", "measurement", tuple(known), tuple(known.values()))

    of = np.array([rng.choice(len(inside), 2, replace=False) for _ in range(count)])
    same = np.array([p_of(towers, [night(one, 0), night(one, 1)], rng, [one]) for one, _ in of])
    other = np.array([p_of(towers, [night(one, 0), night(two, 1)], rng, [one, two]) for one, two in of])
    for level in (HINTED, DOUBTED):
        yield f"{count} pairs of one tower: p under {level}: {share((same < level)[:, None])} %"
    apart = abs(inside[of[:, 0]] - inside[of[:, 1]])
    for low, high in ((0, 49), *pairwise((0, 5, 10, 20, 49))):
        of_them = other[(apart >= low) & (apart < high)]
        doubted = share((of_them < HINTED)[:, None])
        yield f"{len(of_them)} pairs of two towers, {low} to {high} cubes apart: p under {HINTED}: {doubted} %"


def p_of(towers: Towers, games: Sequence[Evidence], rng: np.random.Generator, but: Sequence[int] = ()) -> float:
    """Return the probability of the test whether games agree, from other towers than those in the rows `but`."""
    drawn = fit(towers, pool_games(games), rng, checks=False).posterior.tower
    drawn = drawn[~np.isin(drawn, but)]
    agreement = compare_games(towers, games, drawn, rng)
    assert agreement
    return agreement.p


def share(values: Sequence[Sequence[float]] | Array) -> str:
    rows = np.array(values, float).mean(1)
    return f"{100 * rows.mean():.1f} ± {100 * rows.std(ddof=1) / np.sqrt(len(rows)):.1f}"


def report(results: Sequence[dict[str, Any]]) -> Iterator[str]:
    yield f"{len(results)} towers, {NIGHTS} nights of each"
    clogging = sum(row["clogs"] > 0 for row in results)
    yield f"towers that clogged in some of their {TRUE_GAMES} games: {clogging}"
    yield from table_lines(["", *WHAT.values(), "all"], _rows(results))
    for kind in ("same 3", "same 2", "other"):
        yield f"nights of {kind}: p under {HINTED}: {share([[row[kind] < HINTED] for row in results])} %"
    for which in (f"{words} {i}" for words in OFFS for i in (0, "all")):
        sizes = np.array([row[f"effective {which}"] for row in results])
        few = f"{(sizes < ENOUGH).sum()} under {ENOUGH:.0f}"
        yield f"effective towers, {which}: {sizes.min():.0f}, median {np.median(sizes):.0f}; {few}"
    yield f"nights with a row marked: {sum(row['marked'] for row in results)} of {NIGHTS * len(results)}"
    yield f"seconds of a tower's fits: {np.mean([row['seconds'] for row in results]):.1f}"


def _rows(results: Sequence[dict[str, Any]]) -> Iterator[Sequence[str]]:
    for words in OFFS:
        for label, parts in (("one night", [*range(NIGHTS)]), ("three nights", ["all"])):
            by = {name: [[row[f"{words} {i}"][name][0] for i in parts] for row in results] for name in WHAT}
            every = [[value for name in WHAT for value in by[name][k]] for k in range(len(results))]
            yield f"{label}, {words}", *(share(by[name]) for name in WHAT), f"{share(every)} of {np.size(every)}"
            wide = [np.mean([row[f"{words} {i}"][name][1] for row in results for i in parts]) for name in WHAT]
            yield "width over the prior's", *(f"{each:.2f}" for each in wide), ""


def measure(folder: Path, towers: int, pairs: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    print("\n".join(report(list(fit_nights(folder, towers)))))
    print("\n".join(judge_pairs(pairs) if pairs else []))


main = script(
    __doc__,
    measure,
    option("folder", type=Path, help="where games and fits are kept"),
    option("--towers", type=int, default=20),
    option("--pairs", type=int, default=0),
)

if __name__ == "__main__":
    raise SystemExit(main())

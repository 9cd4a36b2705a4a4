"""How fast it is, beside Bullet: run `python -m calibration.validation.benchmark` (about half an hour of one core).

Prints Markdown: what each thing costs with the core at `standard`, with Bullet as shipped and with Bullet at an eighth
of its step, where it has converged, then what was aimed at. All three do the same hands in turn, in one process, and
CPU time counts, so that ratios depend little on the machine and on who else uses it. Every measurement is kept in a
file as it is made: stopped and run again, the command goes on; with --print it prints what there is.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import count, islice
from pathlib import Path
from typing import Any

import numpy as np

from calibration.validation import benchmark_threads as threads
from calibration.validation.timing import TOWER, load_average, machine, timed
from tests.support.towers import CLUB, RULEBOOK
from tower_sim.apparatus.catalogue import load
from tower_sim.apparatus.parts import Apparatus
from tower_sim.cubes import supply
from tower_sim.drops.repeat import until_landed
from tower_sim.games.amerigo import Rules, play
from tower_sim.games.dead_reckoning.battle import play as play_battle
from tower_sim.games.dead_reckoning.battle import start
from tower_sim.games.dead_reckoning.sides import Setup, Side
from tower_sim.physics.core.machine import CORE as COMPILED
from tower_sim.physics.settings import PhysicsSettings
from tower_sim.simulator import PhysicsModel
from tower_sim.state import TowerState
from tower_sim.statistics import mean_error

BEFORE = {"`amerigo`": "rulebook.toml", "`amerigo-club`": "club.toml"}  # what rows that are kept may still call them
FINER = 8  # times shorter steps, at which the averages of Bullet hardly change any more
RESIDENTS, STATES = 15, 10

CORE = PhysicsSettings(engine="core")
SHIPPED = PhysicsSettings(engine="bullet")
_SHORTER = {name: getattr(SHIPPED, name) / FINER for name in ("timestep", "step_travel", "passed_travel")}
CONVERGED = replace(SHIPPED, **_SHORTER)
CONTENDERS: Mapping[str, PhysicsSettings] = {"core": CORE, "shipped": SHIPPED, "converged": CONVERGED}

Work = Callable[[PhysicsModel, int], object]
Seconds = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the table: what is done in which apparatus, how often by each; `prepare` gives the work of a hand."""

    key: str
    words: str
    apparatus: str
    rounds: int
    prepare: Callable[[PhysicsModel], Work]


def throwing(number: int) -> Callable[[PhysicsModel], Work]:
    def throw(model: PhysicsModel, hand: int) -> object:
        return model.drop(model.empty(), supply({"any": number}, model.cube_edge), np.random.default_rng(hand))

    return lambda model: throw


def throwing_onto(number: int) -> Callable[[PhysicsModel], Work]:
    """Throw so many cubes onto about `RESIDENTS`, in states that the core has made."""

    def prepare(model: PhysicsModel) -> Work:
        states = resident_states(model.shape)
        digest, is_core = model.empty().digest, model.settings == CORE
        here = [replace(each, digest=digest, touches=each.touches if is_core else ()) for each in states]

        def throw(model: PhysicsModel, hand: int) -> object:
            state = here[hand % len(here)]
            cubes = supply({"any": number}, model.cube_edge, first_id=state.next_id)
            return model.drop(state, cubes, np.random.default_rng(hand))

        return throw

    return prepare


def resident_states(shape: Apparatus) -> list[TowerState]:
    """Return states with about `RESIDENTS` cubes inside, the same at every call."""
    with PhysicsModel(shape, CORE) as model:
        draw = partial(model.drop, model.empty(), supply({"any": 42}, model.cube_edge))
        outcomes = (until_landed(draw, np.random.SeedSequence([1, seed])) for seed in count())
        fitting = (each.state for each in outcomes if abs(len(each.inside) - RESIDENTS) <= 1)
        return list(islice(fitting, STATES))


def gaming(model: PhysicsModel) -> Work:
    def game(model: PhysicsModel, hand: int) -> object:
        return sum(1 for _ in play(model, Rules(), hand))

    return game


def fighting(purple: int, green: int) -> Callable[[PhysicsModel], Work]:
    setup = Setup("ship", (Side("purple", purple), Side("green", green)))

    def fight(model: PhysicsModel, hand: int) -> object:
        return sum(1 for _ in play_battle(model, start(model, setup, 0, hand)))

    return lambda model: fight


TOWERS = {"tower.toml": TOWER, "rulebook.toml": RULEBOOK, "club.toml": CLUB, "`wallenstein`": "wallenstein"}
ROWS = (
    *(Row(f"49 {words}", f"49 cubes into the empty {words}", path, 60, throwing(49)) for words, path in TOWERS.items()),
    *(
        Row(f"5 {words}", f"5 cubes onto about {RESIDENTS}, {words}", TOWERS[words], 100, throwing_onto(5))
        for words in ("tower.toml", "rulebook.toml")
    ),
    *(
        Row(f"game {words}", f"a whole game, 36 drops, {words}", TOWERS[words], 10, gaming)
        for words in ("tower.toml", "rulebook.toml")
    ),
    *(
        Row(f"ship {number}", f"{number} cubes through the ship", "dead_reckoning", rounds, throwing(number))
        for number, rounds in ((3, 60), (9, 60), (20, 40), (40, 20))
    ),
    *(
        Row(
            f"battle {a + b}",
            f"a battle, {a} cubes against {b}, no abilities",
            "dead_reckoning",
            rounds,
            fighting(a, b),
        )
        for a, b, rounds in ((6, 3, 60), (12, 8, 30), (20, 20, 8))
    ),
)


class Kept:
    """The measurements in a file, one line of JSON each; those of other settings or another core are passed over."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.of = f"{COMPILED.digest()[:12]} {' '.join(settings.digest() for settings in CONTENDERS.values())}"
        self.lines: list[dict[str, Any]] = []
        if path.exists():
            self.lines = [line for text in path.read_text("utf-8").splitlines() if (line := _read(text, self.of))]

    def of_row(self, key: str) -> dict[int, dict[str, Any]]:
        return {line["round"]: line for line in self.lines if line["row"] == key}

    def add(self, key: str, number: int, figures: Mapping[str, Any]) -> None:
        line = {"of": self.of, "row": key, "round": number, "load": load_average(), **figures}
        self.lines.append(line)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")


def _read(text: str, of: str) -> dict[str, Any] | None:
    for before, now in BEFORE.items():
        text = text.replace(before, now)
    try:
        line = json.loads(text)
    except ValueError:  # cut off when the command was stopped
        return None
    return line if line.get("of") == of else None


def measure(row: Row, rounds: int, kept: Kept) -> None:
    """Do the rounds of a row that are not kept yet, each by every contender, who take turns in being the first."""
    missing = sorted(set(range(rounds)) - set(kept.of_row(row.key)))
    if not missing:
        return
    shape = load(row.apparatus)
    models = {name: PhysicsModel(shape, settings) for name, settings in CONTENDERS.items()}
    work = {name: row.prepare(model) for name, model in models.items()}
    for name, model in models.items():
        work[name](model, rounds)  # untimed: what is loaded or made at the first call
    names = list(CONTENDERS)
    for hand in missing:
        turn = hand % len(names)
        seconds = {name: timed(partial(work[name], models[name], hand)) for name in names[turn:] + names[:turn]}
        kept.add(row.key, hand, {"seconds": seconds})
        print(f"\r{row.key}: {hand + 1} of {rounds} ", end="", file=sys.stderr, flush=True)
    for model in models.values():
        model.close()
    print(file=sys.stderr)


def ratio_error(above: Sequence[float], below: Sequence[float]) -> tuple[float, float]:
    """Return the ratio of two means of pairs and its standard error (linearised)."""
    ratio = math.fsum(above) / math.fsum(below)
    mean = math.fsum(below) / len(below)
    _, error = mean_error([a - ratio * b for a, b in zip(above, below, strict=True)])
    return ratio, error / mean


def figures(lines: Sequence[Seconds]) -> dict[str, tuple[float, float]]:
    """Return means (s) with standard errors by contender, and the ratios of Bullet's to the core's."""
    by_name = {name: [line[name] for line in lines] for name in CONTENDERS}
    found = {name: mean_error(times) for name, times in by_name.items()}
    for name in ("shipped", "converged"):
        found[f"{name} / core"] = ratio_error(by_name[name], by_name["core"])
    return found


def table(kept: Kept) -> Iterator[str]:
    yield "| CPU time, ms | core | Bullet as shipped | Bullet converged | shipped / core | converged / core | n |"
    yield "|---|---|---|---|---|---|---|"
    for row in ROWS:
        lines = [line["seconds"] for line in kept.of_row(row.key).values()]
        if not lines:
            yield f"| {row.words} | not measured yet | | | | | 0 |"
            continue
        found = figures(lines)
        times = " | ".join(_write(*(1e3 * x for x in found[name])) for name in CONTENDERS)
        ratios = " | ".join(_write(*found[f"{name} / core"]) for name in ("shipped", "converged"))
        yield f"| {row.words} | {times} | {ratios} | {len(lines)} |"


def goals(kept: Kept) -> Iterator[str]:
    rounds = {row.key: [line["seconds"] for line in kept.of_row(row.key).values()] for row in ROWS}
    found = {key: figures(lines) for key, lines in rounds.items() if lines}
    yield "| goal | measured |"
    yield "|---|---|"
    for words, name, least, stretch in (("as shipped", "shipped", 3, 5), ("converged", "converged", 10, 20)):
        figures_by_row = [_write(*found[key][f"{name} / core"]) + f" in {key[3:]}" for key in found if key[:2] == "49"]
        measured = ", ".join(figures_by_row) or "not measured yet"
        yield f"| 49 cubes into the empty tower: {least} times Bullet {words} (stretch {stretch}) | {measured} |"
    for words, prefix, unit in (
        ("5 cubes onto about 15: 60 drops/s", "5 ", ""),
        ("a battle of 9 cubes: 60 battles/s", "battle 9", ""),
        ("a whole game under 0.8 s", "game", " s"),
    ):
        times = {key: each["core"] for key, each in found.items() if key.startswith(prefix)}
        values = {key: time if unit else (1 / time[0], time[1] / time[0] ** 2) for key, time in times.items()}
        measured = ", ".join(f"{_write(*value)}{unit}{_where(key)}" for key, value in values.items())
        yield f"| {words} | {measured or 'not measured yet'} |"
    yield f"| 2 threads of one process 1.95 times as fast as one | {threads.speed_words(kept.of_row('threads'))} |"
    yield f"| memory flat over 100,000 drops | {threads.memory_words(kept.of_row('memory'))} |"


def _where(key: str) -> str:
    place = key.split(" ", 1)[1]
    return "" if place.isdigit() else f" in {place}"


def _write(value: float, error: float) -> str:
    """Write a value with its standard error, which gets two digits, one from 3 on."""
    if not error > 0:  # none, or nan: a single run
        return f"{value:.3g}"
    digits = max(-math.floor(math.log10(error)) + (1 if error / 10 ** math.floor(math.log10(error)) < 3 else 0), 0)
    return f"{value:.{digits}f} +- {error:.{digits}f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = Path(tempfile.gettempdir()) / "tower_sim_benchmark.jsonl"
    parser.add_argument("--keep", type=Path, default=default, help="file of the measurements (default: %(default)s)")
    parser.add_argument("--only", nargs="*", metavar="WORD", help="measure only rows that begin so, or threads, memory")
    parser.add_argument("--share", type=float, default=1.0, help="do this many times the usual rounds")
    parser.add_argument("--memory-drops", type=int, default=100_000, help="drops for the figure of memory")
    parser.add_argument("--print", action="store_true", help="measure nothing, print what is kept")
    options = parser.parse_args()
    kept = Kept(options.keep)
    wanted = tuple(options.only or [""])
    if not options.print:
        for row in ROWS:
            if row.key.startswith(wanted):
                measure(row, max(round(options.share * row.rounds), 2), kept)
        if "threads".startswith(wanted):
            for number in sorted(set(range(max(round(options.share * 10), 2))) - set(kept.of_row("threads"))):
                kept.add("threads", number, threads.speeds(number))
        if "memory".startswith(wanted) and not kept.of_row("memory"):
            kept.add("memory", 0, threads.memory(options.memory_drops))
    loads = [line["load"] for line in kept.lines] or [math.nan]
    load_range = f"load from {min(loads)} to {max(loads)}"
    print(f"{machine()}, {load_range}; core {COMPILED.digest()[:12]}, settings {CORE.digest()}\n")
    print("\n".join([*table(kept), "", *goals(kept)]))


if __name__ == "__main__":
    sys.exit(main())

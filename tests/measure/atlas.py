"""Make the atlas of towers anew: the table, figures and pictures of docs/atlas.md.

tower-sim campaign run docs/atlas/campaign.toml -o RUN
tower-sim campaign run docs/atlas/repeated.toml -o REPEATED
python -m tests.measure.atlas RUN --repeated REPEATED

python -m tests.measure.atlas --shipped
python -m tests.measure.atlas --at-rest

The second makes all that follows from the table that ships, without a campaign: figures, indices, pictures. The third
draws cubes at rest, with physics of its own. A campaign that was not run to its end makes the atlas of the
towers that it has.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from tests.measure.script import ended, put
from tower_sim.apparatus import space
from tower_sim.apparatus.catalogue import load
from tower_sim.apparatus.parts import Apparatus
from tower_sim.campaign.data import INSIDE, Campaign
from tower_sim.campaign.reader import load as load_campaign
from tower_sim.cubes import supply
from tower_sim.design import atlas, pictures, words
from tower_sim.design.towers import SHIPPED, read_table, runs_of, towers_of, write_table
from tower_sim.drawing.files import save
from tower_sim.errors import UsageError
from tower_sim.games.chain import COLOURS
from tower_sim.physics.settings import STANDARD, accuracy
from tower_sim.pool import spread_out
from tower_sim.simulator import PhysicsModel
from tower_sim.state import TowerState
from tower_sim.statistics import mean_error
from tower_sim.writing import write

ROOT = Path(__file__).parent.parent.parent
DOC = ROOT / "docs/atlas.md"
FOLDER = ROOT / "docs/atlas"
ROWS = ("inside", "out", "colours", "half_life")  # of the picture of main effects
ACROSS = 5
TABLED = 12
PAIRED = 8
CUBES: Mapping[str, int] = dict.fromkeys(COLOURS, 7)
# What cubes at rest are drawn in: the tower in the middle of most ranges, with one number changed, twice each.
MIDDLE: Mapping[str, float] = {
    "edge_mm": 9.5, "tube": 7.5, "funnel_rim": 13.5, "funnel_height": 7.0, "rib_height": 1.5, "upper_opening": 2.0,
    "lower_opening": 1.8, "upper_bar": 1.0, "lower_bar": 1.0, "ledge": 0.5, "slope_deg": 15.0, "clearance": 3.0,
    "floor_distance": 3.0, "headroom": 4.0, "ramp_deg": 40.0, "exit_height": 2.9, "cube_friction": 0.35,
    "tower_friction": 0.35, "restitution": 0.35, "release_height": 1.75, "release_spread": 7.75,
}  # fmt: skip
CHANGED: Sequence[tuple[str, tuple[float, float], tuple[str, str]]] = (
    ("lower_opening", (1.35, 3.3), ("lower slots 1.35 edges", "lower slots 3.3 edges")),
    ("poured", (0, 1), ("all let go at once", "poured, one by one")),
    ("exit_height", (1.9, 3.9), ("exit 1.9 edges", "exit 3.9 edges")),
    ("tube", (5.3, 9.7), ("tube 5.3 edges", "tube 9.7 edges")),
)
RUBBED: Sequence[tuple[str, float, float]] = (("cube_friction", 0.15, 0.55), ("tower_friction", 0.15, 0.5))
NARROW = 1.5  # edges: the lower slots of the tower in which friction is changed
OFTEN = 32  # throws for each friction
REGIONS = ("funnel", "upper_floor", "lower_floor", "ramp")
TRIES = 9  # throws of which the one that keeps the middle number is drawn


def made(run: Path, repeated: Path | None, seed: int) -> atlas.Atlas:
    """Return the atlas of the campaign in `run`."""
    again = towers_of(load_campaign(repeated)) if repeated else None
    return atlas.make(towers_of(load_campaign(run)), seed, again)


def documented(given: atlas.Atlas) -> None:
    """Write the document's parts, the table, the indices and the pictures but that of cubes at rest."""
    write_table(SHIPPED, given.towers, given.errors)
    write(FOLDER / "indices.csv", words.csv(given).encode(), "table")
    leading = pictures.ranked(given, ROWS)[:ACROSS]
    save(pictures.indices(given), FOLDER / "indices.png")
    save(pictures.main_effects([given.parts[name] for name in ROWS], leading), FOLDER / "main.png")
    save(pictures.pairs(strongest(given)), FOLDER / "pairs.png")
    number = f"{len(given.towers)} towers, {int(given.towers.runs.sum())} games"
    put(DOC, "number", number)
    put(DOC, "numbers", words.numbers())
    put(DOC, "opening", words.opening(given))
    put(DOC, "quality", words.quality(given))
    put(DOC, "indices", words.index_table(given, TABLED))
    put(DOC, "pairs", words.pair_table(given, PAIRED))


def strongest(given: atlas.Atlas) -> list[tuple[atlas.AtlasPart, pictures.Pair]]:
    """Return the two strongest pairs, of different numbers and outputs; chances are left out."""
    every = [(part, pair) for part in given.parts.values() for pair in part.effects.pairs if not part.output.is_chance]
    every.sort(key=lambda one: -one[1].index.value)
    first = every[0]
    others = [one for one in every if one[0] is not first[0] and set(one[1].names) != set(first[1].names)]
    return [first, others[0]]


def thrown(tower: Apparatus, throws: int) -> list[TowerState]:
    """Throw all cubes into the empty tower so many times; return what stays, from the least, of throws that land."""
    with PhysicsModel(tower, accuracy("core", STANDARD)) as model:
        cubes = supply(CUBES, model.cube_edge)
        outcomes = [model.drop(model.empty(), cubes, np.random.default_rng(seed)) for seed in range(throws)]
    landed = [outcome.state for outcome in outcomes if outcome.status.is_landing]
    return sorted(landed, key=lambda state: len(state.residents))


def made_of(numbers: Mapping[str, float]) -> Apparatus:
    """Make the tower of MIDDLE with other `numbers`."""
    return space.tower({**MIDDLE, **numbers}, load("amerigo").profile, "design")


def rubbed(given: tuple[str, float]) -> tuple[float, float]:
    """Return mean and standard error of what stays in the tower with narrow slots, with another friction."""
    states = thrown(made_of({"lower_opening": NARROW, given[0]: given[1]}), OFTEN)
    return mean_error(np.array([len(state.residents) for state in states]))


def friction(workers: int) -> str:
    """Say what friction does in one tower."""
    asked = [(name, value) for name, *values in RUBBED for value in values]
    kept = ["{:.1f} ± {:.1f}".format(*each) for each in spread_out(rubbed, asked, workers, "frictions")]
    told_of = [
        f"{pictures.said(name)} from {low:g} to {high:g} takes what stays from {kept[2 * i]} to {kept[2 * i + 1]} cubes"
        for i, (name, low, high) in enumerate(RUBBED)
    ]
    return (
        f"In one tower it is another matter: with lower slots {NARROW:g} edges wide and all else as in the pictures, "
        f"{' and '.join(told_of)} ({OFTEN} throws of 49 each)."
    )


def at_rest(asked: tuple[str, str, float]) -> pictures.Tower:
    """Throw all cubes into a tower TRIES times; return the throw after which the middle number is inside."""
    words, name, value = asked
    tower = made_of({name: value})
    states = thrown(tower, TRIES)
    counts = [len(state.residents) for state in states]
    middle = len(states) // 2
    stays = f"{counts[middle]} of {sum(CUBES.values())} stay ({counts[0]} to {counts[-1]})"
    return f"{words}\n{stays}", tower, states[middle]


def mechanism(workers: int) -> None:
    """Draw cubes at rest in towers that differ in one number, and write what friction does in one tower."""
    asked = [(words[i], name, values[i]) for name, values, words in CHANGED for i in range(2)]
    drawn = list(spread_out(at_rest, asked, workers, "towers"))
    save(pictures.at_rest([drawn[:4], drawn[4:]]), FOLDER / "at_rest.png")
    put(DOC, "friction", friction(workers))


def places(campaign: Campaign) -> str:
    """Say where the cubes are that are inside at the end of games, of those that clogged and of the others."""
    cubes, drops = campaign.cubes, campaign.drops
    last = np.full(len(campaign.run_point), -1)  # the last row of each run that tells of cubes: something was thrown
    np.maximum.at(last, drops.run[cubes.row], cubes.row)
    at_end = cubes.row == last[drops.run[cubes.row]]
    clogged = runs_of(campaign)["clogged"][drops.run[cubes.row]] > 0
    rows = ["| at the end of | in the funnel | on the upper floor | on the lower floor | on the ramp | cubes |"]
    rows.append("|---|---|---|---|---|---|")
    for name, which in (("games that clogged", clogged), ("the others", ~clogged)):
        counts = [int((at_end & which & cubes.after.among(INSIDE + region)).sum()) for region in REGIONS]
        shares = " | ".join(f"{100 * count / sum(counts):.0f} %" for count in counts)
        rows.append(f"| {name} | {shares} | {sum(counts)} |")
    return "\n".join(rows)


def main(arguments: Sequence[str] | None = None) -> int:
    """Make it; returns the exit status: see `ended`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path, nargs="?", metavar="RUN", help="directory of the campaign")
    parser.add_argument("--shipped", action="store_true", help="the atlas of the table that ships")
    parser.add_argument("--at-rest", action="store_true", help="draw cubes at rest in towers instead")
    parser.add_argument("--workers", type=int, default=2, help="processes that drop cubes")
    parser.add_argument("--repeated", type=Path, metavar="DIRECTORY", help="of towers with several games each")
    parser.add_argument("--seed", type=int, default=0, help="of what is random in the analysis")
    options = parser.parse_args(arguments)

    def work() -> None:
        if options.at_rest:
            mechanism(options.workers)
        elif options.shipped:
            towers, errors = read_table(SHIPPED)
            documented(atlas.make(towers, options.seed, known=errors))
        elif options.run is None:
            raise UsageError("RUN is missing; allowed is the directory of a campaign; run docs/atlas/campaign.toml")
        else:
            put(DOC, "places", places(load_campaign(options.run)))
            documented(made(options.run, options.repeated, options.seed))

    return ended("atlas", work)


if __name__ == "__main__":
    sys.exit(main())

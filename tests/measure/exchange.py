"""Tell by what cubes from inside come out when others are thrown in: where they lay before, in towers of the design.

python -m tests.measure.exchange --towers 8 --games 4 --plot docs/images/exchange.png

Towers of the design whose floors are flat and that keep about what people tell are put into two groups, by the width of
their slots. Their games are played, and of every cube inside before a throw is told how it lay and whether it left.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path
from typing import Any

import numpy as np

from tests.measure.script import ended
from tower_sim.apparatus.amerigo.profile import AmerigoTower
from tower_sim.apparatus.amerigo.tower import SquareTower
from tower_sim.apparatus.catalogue import parse
from tower_sim.apparatus.solids import reach
from tower_sim.calibration.design import Design, Point, shipped
from tower_sim.calibration.parameters import FLOORS, profile_text, values
from tower_sim.calibration.summaries import Array
from tower_sim.errors import UsageError
from tower_sim.games.amerigo import Rules, play
from tower_sim.model import TooManyFailedDraws
from tower_sim.physics.settings import PhysicsSettings
from tower_sim.places import INSIDE
from tower_sim.simulator import PhysicsModel
from tower_sim.state import Resident
from tower_sim.statistics import mean_error
from tower_sim.study.plots import INK, label, legend, panels
from tower_sim.study.sheets import DOTS_PER_INCH

NARROW, WIDE = 1.6, 1.85  # cube edges: the widest slot of narrow ones, the narrowest of wide ones
SETUP, IN_PLAY = (11, 24), (7, 18)  # cubes that such a tower keeps
DIPS, RESTS = 0.05, 0.25  # cube edges that a cube's lowest point is under a floor's surface, or at most over it
SEED = 20261122


class Lay(IntEnum):
    """How a cube lay that was inside: its words are those of the table."""

    IN_A_SLOT = 0
    OVER_A_SLOT = 1
    ON_A_BAR = 2
    ON_CUBES = 3

    @property
    def words(self) -> str:
        """The words for people."""
        return ("caught in a slot", "on top, over a slot", "on a bar or ledge", "on other cubes")[self]


@dataclass(slots=True)
class Group:
    """Towers alike: `lay[tower]` counts the cubes that lay so, shape (lays, 2), and of them those that left."""

    name: str
    towers: list[int]
    lay: dict[int, Array] = field(default_factory=dict[int, Array])
    out: list[Sequence[int]] = field(default_factory=list[Sequence[int]])

    def leave(self, lay: Lay) -> tuple[float, float]:
        """Return the share of cubes that lay so which left at a throw: mean and standard error over towers."""
        counts = np.array([counts[lay] for counts in self.lay.values() if counts[lay].any()], float)
        return mean_error(counts[:, 1] / counts.sum(1))


def kept(design: Design) -> Array:
    """Return which towers of a design keep about what people tell, shape (towers,)."""
    games = design.games
    ended_well = (games.thrown[..., -1] >= 0).all(1)
    setup, inside = games.inside[..., 0].mean(1), games.inside[..., 1:].mean((1, 2))
    return ended_well & (setup > SETUP[0]) & (setup < SETUP[1]) & (inside > IN_PLAY[0]) & (inside < IN_PLAY[1])


def groups(design: Design, most: int) -> list[Group]:
    """Return up to `most` towers with narrow and with wide slots, of the design; raises UsageError for none."""
    found = {"narrow": Group("narrow slots", []), "wide": Group("wide slots", [])}
    for i in np.flatnonzero(kept(design)).tolist():
        own = values(design.unit[i].tolist())
        slots = own["upper_opening"], own["lower_opening"]
        if own["slope"]:
            continue
        if max(slots) < NARROW:
            found["narrow"].towers.append(i)
        elif min(slots) > WIDE:
            found["wide"].towers.append(i)
    for group in found.values():
        group.towers = group.towers[:most]
        if not group.towers:
            raise UsageError(f"no tower of the design has {group.name}; allowed is one or more; play a larger design")
    return list(found.values())


def lay_of(residents: Sequence[Resident], given: AmerigoTower) -> Iterator[tuple[Resident, Lay]]:
    """Yield how each cube lay that was on a floor; those in funnel and ramp are left out."""
    edge, floors = given.cubes.edge, given.floors
    holes = {name: floor.cut(given.tube.inside) for name, floor in floors.items()}
    for cube in residents:
        name = cube.region.removeprefix(INSIDE)
        if name not in floors or cube.pose is None:
            continue
        x, y, z = cube.pose.position
        lowest = (z - float(reach(np.array([cube.pose.orientation]), edge)[0, 2]) - floors[name].top) / edge
        over = any(x0 < x < x1 and y0 < y < y1 for x0, x1, y0, y1 in holes[name])
        if lowest < -DIPS:
            yield cube, Lay.IN_A_SLOT
        elif lowest > RESTS:
            yield cube, Lay.ON_CUBES
        else:
            yield cube, Lay.OVER_A_SLOT if over else Lay.ON_A_BAR


def watch(group: Group, number: int, point: Point, games: int) -> None:
    """Play games of a tower and count how cubes lay before each phase, and which of them left."""
    apparatus = parse(profile_text(point, [], {}), f"tower {number}")
    assert isinstance(apparatus, SquareTower)
    counts = group.lay.setdefault(number, np.zeros((len(Lay), 2), int))
    out: list[int] = []
    with PhysicsModel(apparatus, PhysicsSettings()) as model:
        for game in range(games):
            before: Sequence[Resident] = ()
            try:
                for entry in play(model, Rules(), SEED + 1000 * number + game):
                    after = entry.state.tower.residents
                    stayed = {resident.cube.id for resident in after}
                    if entry.index and sum(entry.thrown.values()):
                        for resident, lay in lay_of(before, apparatus.given):
                            counts[lay, int(resident.cube.id not in stayed)] += 1
                        out.append(len({resident.cube.id for resident in before} - stayed))
                    before = after
            except TooManyFailedDraws:
                continue
    group.out.append(out)


def table(found: Sequence[Group]) -> str:
    """Return a table of all groups; standard errors are over towers."""
    lines = ["| towers | how a cube lay | cubes | of all inside | leave a throw | of all that leave |"]
    lines.append("|---|---|---|---|---|---|")
    for group in found:
        counts = np.stack(list(group.lay.values())).astype(float)
        here, left = counts.sum(2), counts[..., 1]
        for lay in Lay:
            leave, error = group.leave(lay)
            lines.append(
                f"| {len(group.towers)} with {group.name} | {lay.words} | {here[:, lay].sum():.0f} | "
                f"{here[:, lay].sum() / here.sum():.0%} | {leave:.1%} ± {error:.1%} | "
                f"{left[:, lay].sum() / left.sum():.0%} |"
            )
    return "\n".join([*lines, "", *map(_said, found)])


def _said(group: Group) -> str:
    every: Mapping[str, Array] = {
        "of the cubes from inside leave in a phase": np.array([np.mean(out) for out in group.out]),
        "is the share of phases in which none does": np.array([np.mean(np.array(out) == 0) for out in group.out]),
        "is the share in which three or more do": np.array([np.mean(np.array(out) >= 3) for out in group.out]),
    }
    told = ", ".join("{:.2f} ± {:.2f} {}".format(*mean_error(value), words) for words, value in every.items())
    return f"{group.name} ({len(group.towers)} towers, {sum(map(len, group.out))} phases): {told}"


def picture(design: Design, found: Sequence[Group]) -> Any:
    """Draw how many residents leave a phase over the width of the slots, and how often each way to lie ends in that."""
    figure, (towers, lays) = panels(1, 2, 3.0)
    keep = np.flatnonzero(kept(design))
    width = np.array([np.mean([values(u)[f"{floor}_opening"] for floor in FLOORS]) for u in design.unit[keep].tolist()])
    games = design.games.take(keep)
    old, single = games.old_out[..., 1:].mean((1, 2)), (games.colours[..., 1:] == 1).mean((1, 2))
    for few, style, words in ((True, INK, "one colour in under 3 of 10 phases"), (False, "white", "in more")):
        mine = (single < 0.3) == few
        towers.plot(width[mine], old[mine], "o", mfc=style, mec=INK, mew=0.7, ms=4, label=words)
    label(towers, "width of the slots, mean of both floors [cube edges]", "cubes from inside out, a phase",
          f"{len(keep)} towers that keep 11 to 24 and 7 to 18")  # fmt: skip
    legend(towers)
    for i, (group, grey) in enumerate(zip(found, ("0.35", "0.85"), strict=True)):
        share, error = np.array([group.leave(lay) for lay in Lay]).T
        at = np.arange(len(Lay)) + 0.4 * i - 0.2
        lays.barh(at, share, 0.38, xerr=error, capsize=2, color=grey, edgecolor=INK, lw=0.6, label=group.name)
    lays.set_yticks(range(len(Lay)), [lay.words for lay in Lay])
    lays.invert_yaxis()
    label(lays, "share that leaves at a throw, ± 1 se", "", "how a cube lay that was inside")
    legend(lays, 2)
    return figure


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line; returns the exit status: see `ended`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--towers", type=int, default=8, help="of each group, at most")
    parser.add_argument("--games", type=int, default=4, help="of each tower")
    parser.add_argument("--plot", type=Path, help="picture of it, a PNG file")
    options = parser.parse_args(arguments)

    def work() -> None:
        design = shipped()
        found = groups(design, options.towers)
        for group in found:
            for number in group.towers:
                watch(group, number, tuple(design.unit[number].tolist()), options.games)
        print(table(found))
        if options.plot:
            picture(design, found).savefig(options.plot, dpi=DOTS_PER_INCH, metadata={"Software": None})

    return ended("exchange", work)


if __name__ == "__main__":
    sys.exit(main())

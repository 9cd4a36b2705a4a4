"""Games under the 2/3-1/3 rule, many at a time, as a campaign to study beside the simulated one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from tower_sim.campaign.data import NOWHERE, SETUP, Array, Campaign, CubeEntries, Drops, Facts, Failed, Words
from tower_sim.errors import UsageError
from tower_sim.surrogate.two_thirds import REGION, RESIDENT_OUT, THROWN_OUT

FEWEST, MOST = 500, 4000  # games of the rule


@dataclass(frozen=True)
class GameKit:
    """What a game needs: the colour of every cube, the colours of the phases in order, and the `terms` of its rules.

    `kind` is the campaign's.
    """

    colours: tuple[str, ...]
    colour_of: Array
    phases: Sequence[int]
    terms: Mapping[str, float] = field(default_factory=dict[str, float])
    kind: str = "game"

    def same(self, other: GameKit) -> bool:
        """Whether `other` is played alike."""
        return (
            self.colours == other.colours
            and np.array_equal(self.colour_of, other.colour_of)
            and list(self.phases) == list(other.phases)
            and self.terms == other.terms
        )


def is_of_the_rule(campaign: Campaign) -> bool:
    """Whether the campaign itself was made by the 2/3-1/3 rule."""
    return "two_thirds" in str(campaign.spec.get("model", ""))


def kit_of(campaign: Campaign) -> GameKit | None:
    """Find out from a campaign of one design point what was played with; None when no run has a set-up and a phase.

    None also for games whose drops are not known before a run, which the rule could not play.
    """
    d = campaign.drops
    if not (campaign.has_setup and _has_plan(campaign)):
        return None
    first = campaign.cubes.take(np.flatnonzero((d.drop == 0)[campaign.cubes.row]))
    if not len(first):
        return None
    of_one = first.take(np.flatnonzero(d.run[first.row] == d.run[first.row[0]]))
    longest = int(d.run[np.argmax(d.drop)])
    rows = (d.run == longest) & (d.drop > 0)
    words = d.phase
    phases = [
        campaign.colours.index(words.names[code]) if code >= 0 and words.names[code] in campaign.colours else -1
        for code in words.codes[rows]
    ]
    if not phases or min(phases) < 0:
        return None
    order = np.argsort(of_one.cube)
    return GameKit(
        campaign.colours, of_one.colour.codes[order].astype(np.int64), phases, campaign.by_drop.terms, campaign.kind
    )


def _has_plan(campaign: Campaign) -> bool:
    """Say whether the campaign's game knows before a run what every drop throws."""
    game = campaign.game
    if game is None:
        return False
    try:
        return game.plan(game.read({game.tables[0]: campaign.rules})) is not None
    except UsageError:  # of rules that this version does not know
        return False


def play_rule(kit: GameKit, games: int, rng: np.random.Generator) -> Campaign:
    """Play `games` games: each thrown cube comes out with 2/3, each cube inside with 1/3, independently.

    In a phase all cubes of its colour that are out are thrown; what came out is back in storage for the next phase.
    Source of the rule: bgdf.com/node/180; of the game: Amerigo rulebook, course of the game.
    """
    cubes = len(kit.colour_of)
    inside = np.zeros((games, cubes), bool)
    since = np.zeros((games, cubes), np.int16)
    drawn = np.zeros(games, np.int16)  # drops with something to throw so far
    entries: list[tuple[Array, ...]] = []
    columns: list[tuple[Array, ...]] = []
    for drop, colour in enumerate([-1, *kit.phases]):
        thrown = ~inside & ((kit.colour_of == colour) | (drop == 0))
        active = thrown.any(1)
        at_risk = (thrown | inside) & active[:, None]
        out = at_risk & (rng.random(inside.shape) < np.where(thrown, THROWN_OUT, RESIDENT_OUT))
        since[thrown] = np.broadcast_to(drawn[:, None], thrown.shape)[thrown]
        game, cube = np.nonzero(at_risk)
        age = np.where(thrown, 0, drawn[:, None] - since)[game, cube]
        entries.append((game, np.full(len(game), drop), cube, thrown[game, cube], age, out[game, cube]))
        before = inside.sum(1)
        inside = (inside | thrown) & ~out
        counts = (thrown.sum(1), before, out.sum(1), inside.sum(1))
        columns.append((np.arange(games), np.full(games, drop), np.full(games, colour), *counts))
        drawn += active
    return _campaign(kit, games, columns, entries)


def play_beside(campaign: Campaign, rng: np.random.Generator) -> Campaign | None:
    """Play the rule with the cubes, phases and rules of a campaign of one design point; None when they are unknown.

    It has as many games as the campaign, but 500 to 4000.
    """
    kit = kit_of(campaign)
    return play_rule(kit, int(np.clip(campaign.runs, FEWEST, MOST)), rng) if kit else None


def _campaign(
    kit: GameKit, games: int, columns: Sequence[tuple[Array, ...]], entries: Sequence[tuple[Array, ...]]
) -> Campaign:
    run, drop, phase, thrown, before, emerged, after = (np.concatenate(parts) for parts in zip(*columns, strict=True))
    order = np.lexsort((drop, run))
    width = len(columns)
    names = (*kit.colours, SETUP)
    one = Words(("drop",), np.zeros(len(run), np.int16))
    phases = Words(names, np.where(phase < 0, len(kit.colours), phase)[order].astype(np.int16))
    drops = Drops(
        run=run[order],
        drop=drop[order],
        kind=one,
        thrown=thrown[order],
        inside_before=before[order],
        emerged=emerged[order],
        inside_after=after[order],
        phase=phases,
        winner=Words((), np.full(len(run), NOWHERE, np.int16)),
        drawn=thrown[order] > 0,
        facts=Facts({"phase": phases}),
    )
    game, at, cube, is_thrown, age, out = (np.concatenate(parts) for parts in zip(*entries, strict=True))
    row = game * width + at
    order = np.argsort(row, kind="stable")
    places = ("tray", f"inside:{REGION}")
    return Campaign(
        spec={"kind": kit.kind, "model": "two_thirds", "runs": games, "rules": dict(kit.terms)},
        points=[{}],
        run_point=np.zeros(games, np.int64),
        drops=drops,
        cubes=CubeEntries(
            row=row[order].astype(np.int32),
            cube=cube[order],
            colour=Words(kit.colours, kit.colour_of[cube][order].astype(np.int16)),
            thrown=is_thrown[order],
            age=age[order],
            before=Words(places, np.where(is_thrown, NOWHERE, 1)[order].astype(np.int16)),
            after=Words(places, np.where(out, 0, 1)[order].astype(np.int16)),
        ),
        failed=Failed(np.zeros(0, np.int64), np.zeros(0, np.int64), Words((), np.zeros(0, np.int16))),
    )

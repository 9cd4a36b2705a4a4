"""Games under the 2/3-1/3 rule of thumb, as a campaign for comparison with the simulated one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from tower_sim.campaign import SETUP, Campaign
from tower_sim.errors import UsageError
from tower_sim.results import NOWHERE, Array, Columns, Words
from tower_sim.surrogate import REGION, RESIDENT_OUT, THROWN_OUT

FEWEST, MOST = 500, 4000  # games of the rule


@dataclass(frozen=True)
class GameKit:
    """The cubes of a game, its phases in order, and the numbers of its rules.

    `colour_of` (of each cube) and `phases` are indices into `colours`.
    """

    colours: tuple[str, ...]
    colour_of: Array
    phases: Sequence[int]
    terms: Mapping[str, float] = field(default_factory=dict[str, float])
    kind: str = "game"

    def same(self, other: GameKit) -> bool:
        """Return whether `other` leads to the same games."""
        return (
            self.colours == other.colours
            and np.array_equal(self.colour_of, other.colour_of)
            and list(self.phases) == list(other.phases)
            and self.terms == other.terms
        )


def is_of_the_rule(campaign: Campaign) -> bool:
    """Return whether the campaign itself is of the 2/3-1/3 rule."""
    return "two_thirds" in str(campaign.spec.get("model", ""))


def find_kit(campaign: Campaign) -> GameKit | None:
    """Return the kit of a campaign with one design point, or None if the rule cannot play it.

    The rule needs a set-up and a phase, and to know before a run what each drop throws.
    """
    d = campaign.rows
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
    return GameKit(campaign.colours, of_one.colour.codes[order].astype(np.int64), phases, campaign.terms, campaign.kind)


def _has_plan(campaign: Campaign) -> bool:
    game = campaign.game
    if game is None:
        return False
    try:
        return game.plan(game.read({game.tables[0]: campaign.rules})) is not None
    except UsageError:  # rules that this version does not know
        return False


def play_rule(kit: GameKit, games: int, rng: np.random.Generator) -> Campaign:
    """Play `games` games: a thrown cube comes out with probability 2/3, a cube inside with 1/3, independently.

    A phase throws all cubes of its colour that are outside. Source of the rule: bgdf.com/node/180; of the game: Amerigo
    rulebook, course of the game.
    """
    phase_of = np.array([len(kit.colours), *kit.phases])  # the set-up has the last name
    width, cubes = len(phase_of), len(kit.colour_of)
    inside = np.zeros((games, cubes), bool)
    since = np.zeros((games, cubes), np.int16)
    drawn = np.zeros(games, np.int16)  # drops with something to throw so far
    counts = np.zeros((4, games, width), np.int64)  # thrown, inside before, out, inside after
    entries: list[tuple[Array, ...]] = []
    for drop, colour in enumerate(phase_of):
        thrown = ~inside & ((kit.colour_of == colour) | (drop == 0))
        active = thrown.any(1)
        at_risk = (thrown | inside) & active[:, None]
        out = at_risk & (rng.random(inside.shape) < np.where(thrown, THROWN_OUT, RESIDENT_OUT))
        since[thrown] = np.broadcast_to(drawn[:, None], thrown.shape)[thrown]
        game, cube = np.nonzero(at_risk)
        age = np.where(thrown, 0, drawn[:, None] - since)[game, cube]
        entries.append((game * width + drop, cube, thrown[game, cube], age, out[game, cube]))
        after = (inside | thrown) & ~out
        counts[:, :, drop] = [each.sum(1) for each in (thrown, inside, out, after)]
        inside = after
        drawn += active
    rows = games * width
    thrown, before, emerged, after = counts.reshape(4, rows)
    phases = Words((*kit.colours, SETUP), np.tile(phase_of, games).astype(np.int16))
    drops = {"run": np.repeat(np.arange(games), width), "drop": np.tile(np.arange(width), games)}
    drops |= {"thrown": thrown, "before": before, "out": emerged, "inside": after, "drawn": thrown > 0}
    words = {"kind": Words(("drop",), np.zeros(rows, np.int16)), "phase": phases, "winner": Words.none(rows)}
    row, cube, is_thrown, age, out = (np.concatenate(parts) for parts in zip(*entries, strict=True))
    order = np.argsort(row, kind="stable")
    cube, is_thrown, places = cube[order], is_thrown[order], ("tray", f"inside:{REGION}")
    of_cubes = {"row": row[order].astype(np.int32), "cube": cube, "thrown": is_thrown, "age": age[order]}
    of_cubes |= {
        "colour": Words(kit.colours, kit.colour_of[cube].astype(np.int16)),
        "before": Words(places, np.where(is_thrown, NOWHERE, 1).astype(np.int16)),
        "after": Words(places, np.where(out[order], 0, 1).astype(np.int16)),
    }
    return Campaign.of(
        rows=Columns(drops | words),
        cubes=Columns(of_cubes),
        facts=Columns({"phase": phases}),
        spec={"kind": kit.kind, "model": "two_thirds", "runs": games, "rules": dict(kit.terms)},
        points=[{}],
        run_point=np.zeros(games, np.int64),
    )


def play_beside(campaign: Campaign, rng: np.random.Generator) -> Campaign | None:
    """Play the rule with the kit of a campaign, in as many games within limits; None if it cannot."""
    kit = find_kit(campaign)
    return play_rule(kit, int(np.clip(campaign.runs, FEWEST, MOST)), rng) if kit else None

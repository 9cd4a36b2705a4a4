"""The main figures of a swept campaign, each at every design point by itself: nothing is averaged over points."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tower_sim.campaign.data import NOWHERE, Array, Campaign, Words
from tower_sim.runs.figure import Figure
from tower_sim.runs.tower import TOWER
from tower_sim.statistics import Estimate, Estimates, Resamples, ratio_errors
from tower_sim.study import battles, players
from tower_sim.study.baseline import GameKit, kit_of, play_rule
from tower_sim.study.points import at_point, used_points

RULE_GAMES = 200  # of the 2/3-1/3 rule, for each set of cubes, phases and rules that a point has
MOST_KITS = 24  # such sets, beyond which the rule is not played
MOST_WORDS = 8  # words of a column of the game's own, beyond which their shares are no main figures
PLAYERS, IN_TOWER, BATTLE, OWN = "players", "tower", "battle", "own"  # what a figure is about

# Columns that other sections are about.
_OF_BATTLES = ("side", battles.WINNER)


@dataclass(frozen=True)
class Quantity:
    """A figure of the study as a ratio of two sums over runs: arrays of one entry a run. Unit 1 is a share.

    One that is `minor` stands in tables only.
    """

    about: str
    name: str
    unit: str
    over: Array
    under: Array
    minor: bool = False


@dataclass(frozen=True)
class SweptCurve:
    """One figure at every point with data: `y` with its intervals, `n` what each was taken from (drops, cubes, runs).

    `error` is the standard error at each point, with so many degrees of `freedom`; NaN for fewer than five runs.

    `rule` is the same under the 2/3-1/3 rule, played with each point's cubes, phases and rules; None: not played.
    """

    about: str
    name: str
    unit: str
    y: Estimates
    n: Array
    error: Array
    freedom: Array
    rule: Array | None = None
    minor: bool = False

    @property
    def title(self) -> str:
        """The name with its unit."""
        return f"{self.name} [{self.unit}]"

    def at(self, i: int) -> Estimate:
        """Return the figure at the i-th point."""
        return self.y.at(i, int(self.n[i]))


def quantities(campaign: Campaign) -> list[Quantity]:
    """Return the main figures of a campaign of one design point; the designer's come first."""
    of_drops = _of_board(campaign) if battles.are_on_board(campaign) else _of_tower(campaign)
    return of_drops + [quantity for column in own_columns(campaign) if len(column.parts) <= MOST_WORDS
                       for quantity in column.parts]  # fmt: skip


def _of_tower(campaign: Campaign) -> list[Quantity]:
    """Return the figures of the game, those of its phases first with their chances, then what every tower has."""
    runs, own = campaign.by_drop, players.figures(campaign)
    of_game = campaign.game.figures() if campaign.game else ()
    others = [figure for figure in of_game if figure not in own and figure.is_told(runs)]
    taken = {figure.of for figure in own}
    general = [figure for figure in TOWER if figure not in others and figure.of not in taken and figure.is_told(runs)]
    told = [(PLAYERS, each) for figure in own for each in (figure, *figure.shares())]
    return [
        _quantity(campaign, figure, about)
        for about, figure in (*told, *((IN_TOWER, each) for each in (*general, *others)))
    ]


def _quantity(campaign: Campaign, figure: Figure, about: str) -> Quantity:
    """Return a figure; a drop of what has no set-up is no phase."""
    over, under = figure.sums(campaign.by_drop)
    title = figure.title if campaign.has_setup else of_drops(figure.title)
    return Quantity(about, title, figure.unit, over, under, figure.minor)


def of_drops(title: str) -> str:
    """Return the title of a figure of phases where a drop is no phase, since there is no set-up."""
    return title.replace("phase", "drop")


def _of_board(campaign: Campaign) -> list[Quantity]:
    moved, lying = battles.moved_and_lying(campaign)
    of_battles = _of_battles(campaign) if battles.have_winners(campaign) else []
    return [*of_battles, Quantity(BATTLE, "share of lying cubes that a throw moves", "1", moved, lying)]


def _of_battles(campaign: Campaign) -> list[Quantity]:
    d = campaign.drops
    done = (~campaign.unfinished).astype(float)
    figures: list[Quantity] = []
    for i, name in enumerate(d.winner.names):
        won = np.bincount(d.run[d.winner.codes == i], minlength=campaign.runs).astype(float)
        figures.append(Quantity(BATTLE, f"won by {name}", "1", won, done))
    explosions = np.bincount(d.run[d.kind.among("explosion")], minlength=campaign.runs).astype(float)
    every = np.ones(campaign.runs)
    figures.append(Quantity(BATTLE, "battles with an explosion", "1", (explosions > 0).astype(float), every))
    figures.append(Quantity(BATTLE, "explosions a battle", "explosions", explosions, every))
    return figures


@dataclass(frozen=True)
class Own:
    """A column of the game's own: `meaning` as the game says it; of a number its mean, of words the share of each.

    `words` are those of `parts`, empty for a number.
    """

    name: str
    meaning: str
    parts: tuple[Quantity, ...]
    words: tuple[str, ...] = ()


def own_columns(campaign: Campaign) -> list[Own]:
    """Return what the game tells in columns of its own that no other figure or section is about."""
    columns = {column.name: column for column in (campaign.game.columns if campaign.game else ())}
    about = {name for name, column in columns.items() if not column.studied}
    about |= set(_OF_BATTLES) if battles.have_winners(campaign) else set()
    own: list[Own] = []
    for name, values in campaign.facts.items():
        if name in about:
            continue
        meaning = columns[name].meaning if name in columns else ""
        if isinstance(values, Words):
            there = values.codes != NOWHERE
            shares = [_own(campaign, f"{name} {word}", "1", values.codes == i, there)
                      for i, word in enumerate(values.names)]  # fmt: skip
            own.append(Own(name, meaning, tuple(shares), values.names))
        else:
            there = np.isfinite(values)
            is_share = values.dtype == bool or (name in columns and columns[name].kind == "bool")
            part = _own(campaign, name, "1" if is_share else "mean", np.where(there, values, 0), there)
            own.append(Own(name, meaning, (part,)))
    return own


def _own(campaign: Campaign, name: str, unit: str, values: Array, there: Array) -> Quantity:
    sums = campaign.by_run(np.stack([values.astype(float), there.astype(float)], 1))
    return Quantity(OWN, name, unit, sums[:, 0], sums[:, 1])


def curves(campaign: Campaign, tell: Callable[[int], None] = lambda done: None) -> list[SweptCurve]:
    """Return the main figures at every point with data, each from its own runs; `tell` hears how many are done."""
    parts: list[Estimates] = []
    counts: list[Array] = []
    errors: list[tuple[Array, Array]] = []
    rules = _Rules(campaign)
    played: list[Array | None] = []
    first: list[Quantity] = []
    for done, point in enumerate(used_points(campaign).tolist()):
        own = at_point(campaign, point)
        of_point = quantities(own)
        first = first or of_point
        over, under = (np.stack([getattr(quantity, side) for quantity in of_point], 1) for side in ("over", "under"))
        boot = Resamples(own.strata, own.rng("resamples"))
        ratios, shares = boot.ratios(over, under), boot.shares(over, under)
        is_share = np.array([quantity.unit == "1" for quantity in of_point])
        low, high = np.where(is_share, shares.low, ratios.low), np.where(is_share, shares.high, ratios.high)
        parts.append(Estimates(ratios.value, low, high))
        errors.append(ratio_errors(over, under))
        counts.append(under.sum(0).round().astype(np.int64))
        played.append(rules.at(own))
        tell(done + 1)
    y = {end: np.stack([getattr(part, end) for part in parts]) for end in ("value", "low", "high")}
    n = np.stack(counts)
    error, freedom = (np.stack(part) for part in zip(*errors, strict=True))
    rule = np.stack([values for values in played if values is not None]) if all(p is not None for p in played) else None
    return [
        SweptCurve(
            quantity.about,
            quantity.name,
            quantity.unit,
            Estimates(y["value"][:, i], y["low"][:, i], y["high"][:, i]),
            n[:, i],
            error[:, i],
            freedom[:, i],
            None if rule is None else rule[:, i],
            quantity.minor,
        )
        for i, quantity in enumerate(first)
    ]


class _Rules:
    """Plays the 2/3-1/3 rule once for every different kit that a point of games has."""

    def __init__(self, campaign: Campaign) -> None:
        self._campaign = campaign
        self._known: list[tuple[GameKit, Array]] = []

    def at(self, own: Campaign) -> Array | None:
        """Return the main figures of the rule with the kit of a point, shape (figures,); None: it cannot be played."""
        kit = kit_of(own)
        if kit is None or len(self._known) > MOST_KITS:
            return None
        for other, values in self._known:
            if kit.same(other):
                return values
        played = play_rule(kit, RULE_GAMES, self._campaign.rng("rule"))
        with np.errstate(divide="ignore", invalid="ignore"):
            values = np.array([quantity.over.sum() / quantity.under.sum() for quantity in quantities(played)])
        self._known.append((kit, values))
        return values

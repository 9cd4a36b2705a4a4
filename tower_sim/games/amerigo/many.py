"""Many games of Amerigo as arrays: what was thrown, came out and is inside, by game, drop and colour; and played so."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tower_sim.counts import EVERY, Counts, Plan, RunSampler, Series
from tower_sim.errors import check_whole, fault
from tower_sim.games.amerigo.phases import DropEntry
from tower_sim.games.amerigo.rules import Rules, as_rules

Array = npt.NDArray[Any]


def _most_out(emerged: Array) -> Array:
    """Return how many came out of the colour that most did, which are the action points; see options.action_points."""
    return emerged.max(-1)


def _colours_out(emerged: Array) -> Array:
    """Return how many colours came out, each of which allows its action."""
    return (emerged > 0).sum(-1)


SERIES = (
    Series("action points", "action points of a phase", _most_out),
    Series("available actions", "actions available in a phase", _colours_out),
)


def plan_of(rules: Rules) -> Plan:
    """Return what each drop of a game throws: the set-up all, each phase the cubes of its colour."""
    phases = [rules.colours.index(phase) for phase in rules.phases] * rules.rounds
    cubes = tuple(rules.counts[colour] for colour in rules.colours)
    return Plan(tuple(rules.colours), cubes, (EVERY, *phases), SERIES)


def sample_games(
    model: RunSampler, rules: Rules, games: int, seed: int, *, first: int = 0, shift: float = 0.0
) -> Games:
    """Play `games` whole games at once and return their counts.

    Random: game g draws from a stream of its own, the (first + g)-th of `seed` (a whole number from 0); these are not
    the games that amerigo.play draws from numpy's generator. With a `shift`, every thrown cube's chance to come out is
    greater by it (at most 1): for tests of what tells such towers apart.
    Raises UsageError for a number of games, a seed, a first game or a shift that is not allowed.
    """
    check_whole("games", games, 1)
    if not hasattr(model, "sample_runs"):
        raise fault(
            "model", model, "one that samples whole games, such as a surrogate", "take open_model(..., 'surrogate')"
        )
    as_rules(rules)
    return Games.made_from(model.sample_runs(plan_of(rules), games, seed, first=first, shift=shift), rules)


@dataclass(frozen=True, eq=False)
class Games:
    """Games of one set of rules: counts of cubes, each of shape (game, drop, colour); drop 0 is the set-up.

    `thrown` and `emerged` are those of the drop, `inside` is counted after it. Drops and colours are in the order of
    the rules; a drop with nothing to throw has zeros and leaves `inside` as it was.
    """

    rules: Rules
    thrown: Array
    emerged: Array
    inside: Array

    def __len__(self) -> int:
        return len(self.thrown)

    @property
    def action_points(self) -> Array:
        """Action points before any token, shape (game, drop); 0 for the set-up. See amerigo.action_points."""
        return self._phase(_most_out(self.emerged))

    @property
    def actions(self) -> Array:
        """How many colours came out, each of which allows its action, shape (game, drop); 0 for the set-up."""
        return self._phase(_colours_out(self.emerged))

    @property
    def gold(self) -> Array:
        """Gold for passing before any token, shape (game, drop); 0 for the set-up. See amerigo.gold_for_passing."""
        return self._phase(-(-self.emerged.sum(-1) // self.rules.gold_divisor))

    @property
    def gold_with_token(self) -> Array:
        """Gold for passing with the gold token, shape (game, drop); 0 for the set-up. See Tokens.gold."""
        return self._phase(-(-self.emerged.sum(-1) // self.rules.gold_divisor_with_token))

    @property
    def counts(self) -> Counts:
        """The games as runs of their plan."""
        return Counts(plan_of(self.rules), self.thrown, self.emerged, self.inside)

    @staticmethod
    def made_from(counts: Counts, rules: Rules) -> Games:
        """Return runs of the plan of `rules` as games."""
        return Games(rules, counts.thrown, counts.emerged, counts.inside)

    @staticmethod
    def none(rules: Rules) -> Games:
        """Return no games of these rules."""
        nothing = np.zeros((0, rules.drops, len(rules.colours)), np.int16)
        return Games(rules, nothing, nothing, nothing)

    @staticmethod
    def of(games: Iterable[Sequence[DropEntry]], rules: Rules) -> Games:
        """Put games together that amerigo.play has played with `rules`, each to its end."""
        counts = [
            [[[counted[colour] for colour in rules.colours] for counted in (entry.thrown, entry.emerged, entry.inside)]
             for entry in entries]
            for entries in games
        ]  # fmt: skip
        table = np.array(counts, np.int16).reshape(-1, rules.drops, 3, len(rules.colours))
        return Games(rules, table[:, :, 0], table[:, :, 1], table[:, :, 2])

    def _phase(self, values: Array) -> Array:
        """Return values by drop with 0 for the set-up."""
        of_phases = values.copy()
        of_phases[:, 0] = 0
        return of_phases

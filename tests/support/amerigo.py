"""A game of Amerigo drop by drop, as a player reads it from the turns: the rules once more, in counts by colour.

The worked example of its rulebook.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from tower_sim.games import Turn
from tower_sim.games.amerigo import GAME, Rules, actions_allowed
from tower_sim.values import count_by_colour


@dataclass(frozen=True)
class Drop:
    """One drop and the knock after it; `waiting` are the cubes in the tray."""

    index: int
    round: int
    phase: str
    skipped: bool
    thrown: dict[str, int]
    emerged: dict[str, int]
    inside: dict[str, int]
    waiting: dict[str, int]
    actions: tuple[str, ...]
    action_points: int
    gold: int
    attempts: int

    @property
    def plain(self) -> dict[str, Any]:
        return asdict(self) | {"actions": list(self.actions)}


def play(model: Any, rules: Rules, seed: int, run: int | None = None) -> list[Drop]:
    return [*read(GAME.start(model, rules, seed, run), rules)]


def read(turns: Iterator[Turn], rules: Rules) -> Iterator[Drop]:
    waiting = dict.fromkeys(rules.colours, 0)
    for turn in turns:
        if turn.failed:
            raise turn.failed
        throws = [outcome for outcome in turn.outcomes if outcome.thrown]
        freed = count_by_colour((c for x in turn.outcomes if not x.thrown for c in x.emerged), rules.colours)
        waiting = {colour: freed[colour] + waiting[colour] * (not throws) for colour in rules.colours}
        emerged = count_by_colour((c for x in throws for c in x.emerged), rules.colours)
        facts = turn.facts
        yield Drop(
            turn.index,
            facts["round"],
            facts["phase"],
            facts["skipped"],
            count_by_colour((c for x in throws for c in x.thrown), rules.colours),
            emerged,
            count_by_colour(turn.state.cubes, rules.colours),
            waiting,
            actions_allowed(emerged, rules) if turn.index else (),
            facts["action_points"],
            facts["gold"],
            sum(x.attempts for x in throws),
        )


PUBLISHED = Rules()
SETUP_OUT = {"blue": 4, "black": 4, "red": 5, "brown": 3, "green": 4, "yellow": 5, "white": 3}
SETUP_INSIDE = {"blue": 3, "black": 3, "red": 2, "brown": 4, "green": 3, "yellow": 2, "white": 4}
BLUE_PHASE_OUT = {"blue": 4, "black": 1, "red": 1, "green": 2}


def nothing_but(counts, rules=PUBLISHED):
    return dict.fromkeys(rules.colours, 0) | counts

"""Amazonas, with a cube tower in the place of the deck of event cards: one cube stands for each card.

Comments give lines of the rulebook. "Ours" marks a house rule of this project.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, get_args

from pydantic import Field

from tower_sim.games.game import Game
from tower_sim.games.rules import Rules
from tower_sim.games.tower import GameTower
from tower_sim.games.turn import Turn
from tower_sim.runs.figure import SHARE, SUM, Figure
from tower_sim.runs.tower import INSIDE

ROUNDS = 18  # line 52
HAND = 7  # income cards of a player, all of which return to the hand after the seventh round (lines 26 and 79)
INDIAN_CARD = 6  # the number on the Indian income card (line 77)
Species = Literal["fish", "orchid", "butterfly", "parrot", "reptile"]  # line 11

EVENTS: dict[str, tuple[int, str, str]] = {  # number of cards, name, effect
    "jaguar": (2, "Jaguar", "nobody builds along land paths this round"),  # line 135
    "crocodile": (2, "Crocodile", "nobody builds along waterways this round"),  # line 139
    "fire": (3, "Forest fire", "every player receives half the silver, rounded down"),  # line 143
    # line 147:
    "theft": (2, "Theft", "every player pays 1 silver for each tile of the largest species, or all there is"),
    "indian": (4, "Indian", "the first player who gives up the silver takes an Indian tile"),  # line 161
} | {
    f"bonus_{each}": (1, f"{each.capitalize()} bonus", f"every player receives 1 silver for each {each} tile")
    for each in get_args(Species)  # line 153
}
BAD = ("jaguar", "crocodile", "fire", "theft")  # the Indian income card protects from these (lines 56 and 77)


class AmazonasRules(Rules):
    """What one player owns and does. Before any Indian tile, the player has as many tiles of each species."""

    money: int = Field(5, ge=0, le=30, description="silver that the player announces, without Indian tiles")  # line 64
    tiles: int = Field(2, ge=0, le=12, description="tiles of each species that the player has")
    # Building is left out, so the silver from earlier rounds stays the same (lines 121 and 147).
    saved: int = Field(0, ge=0, le=99, description="silver that the player has from earlier rounds")
    # Line 161; ours: every player before this one leaves the tile.
    takes_indian: bool = Field(True, description="whether the player gives up the silver for an Indian tile")
    species: Species = Field("fish", description="the species that the player's Indian tiles count as")  # line 163
    card: Literal["other", "species", "indian"] = Field(  # lines 69 to 81
        "other",
        description="which income cards the player plays: of other species than the Indian tiles, of their species, or"
        " of other species and the Indian at the first bad event of each hand of seven",
    )
    pick: Literal["uniform", "most"] = Field(  # ours
        "uniform", description="which cube that comes out is the event: any, or one of the most numerous colour"
    )


class Amazonas(Game):
    """the 18 events of a game come out of a tower instead of off a deck

    Ours: each round throws all cubes outside that were no event yet. One of those that come out is the event, and is
    never thrown again. If no cube comes out, the round throws again. If no cube is outside, the tower is emptied first.
    """

    name, title, Rules, apparatus = "amazonas", "Amazonas", AmazonasRules, "amerigo"  # ours: the game has no tower
    facts: Mapping[str, Any] = {"round": int, "event": tuple(EVENTS), "silver": int, "income": int, "repeats": bool}
    figures = (
        Figure("income", "income of a game", "silver", "silver that the player gains in a game", "income", take=SUM,
               sentence="The player gains {} silver in a game."),
        Figure("silver", "silver through events", "silver", "what events change of the silver in a game", "silver",
               take=SUM, sentence="Events change the player's silver by {} in a game."),
        Figure("repeats", "events twice running", SHARE, "share of events that are like the one before", "repeats",
               sentence="The event is the same as the one before in {} of all rounds."),
        Figure("throws", "throws of a game", "throws", "throws until all 18 events are out", "1", take=SUM,
               sentence="A game takes {} throws."),
        INSIDE,
    )  # fmt: skip

    def cubes(self, rules: AmazonasRules) -> dict[str, int]:
        """Return one cube for each of the 18 event cards (lines 23 and 179)."""
        return {event: cards for event, (cards, _, _) in EVENTS.items()}

    def turns(self, rules: AmazonasRules) -> int:
        """Return the number of rounds. A run has a few more turns, because some rounds throw twice."""
        return ROUNDS

    def play(self, tower: GameTower, rules: AmazonasRules) -> Iterator[Turn]:
        """Yield one turn for each throw."""
        spent, indians, hand, last = Counter[str](), 0, 0, ""
        for number in range(1, ROUNDS + 1):
            first = f"Round {number}: {_throw(tower, spent)}"
            while not tower.out:
                yield Turn(f"{first}No cube comes out. Throw again.", {"round": number})
                first = f"Round {number}: {_throw(tower, spent)}"
            most = max(tower.out.values()) if rules.pick == "most" else 1
            event = tower.pick({x: 1 if rules.pick == "most" else n for x, n in tower.out.items() if n >= most})
            spent[event] += 1
            # The Indian card is played once in each hand of seven, so three times at most (line 81).
            protected = rules.card == "indian" and number > hand and event in BAD
            hand = -(-number // HAND) * HAND if protected else hand
            announced, change = silver(rules, event, indians, protected)
            indians += event == "indian" and _takes(rules)
            facts = {"round": number, "event": event, "silver": change, "income": announced + change}
            _, title, effect = EVENTS[event]
            shield = " The Indian income card protects the player." if protected else ""
            says = f"{first}{title}: {effect}.{shield} The player gains {announced + change}."
            yield Turn(says, {**facts, "repeats": event == last} if last else facts)
            last = event

    def summary(self, turns: Sequence[Turn], rules: Any) -> str:
        """Return the player's income and the order of the events."""
        rounds = [turn.facts for turn in turns if turn.facts.get("event")]
        throws = sum(turn.failed is None for turn in turns)
        income, change = (sum(facts[name] for facts in rounds) for name in ("income", "silver"))
        first = f"In {len(rounds)} rounds and {throws} throws the player gained {income} silver."
        order = ", ".join(EVENTS[facts["event"]][1] for facts in rounds)
        return f"{first} Events changed this by {change}.\nThe events in order: {order or 'none'}."


def silver(rules: AmazonasRules, event: str, indians: int, protected: bool) -> tuple[int, int]:
    """Return the silver that a player announces, and the change that the event makes to this amount.

    `indians` is the number of Indian tiles that the player has. `protected` is true if the Indian income card is
    played.
    """
    if protected:
        return INDIAN_CARD + indians, 0  # lines 77, 167 and 169
    announced = rules.money + (indians if rules.card == "species" else 0)  # lines 163 and 165
    if event == "fire":
        return announced, announced // 2 - announced  # line 143
    if event == "theft":  # after the income, and only what there is (line 147); Indian tiles count (line 163)
        return announced, -min(rules.tiles + indians, rules.saved + announced)
    if event == "indian":
        return announced, -announced if _takes(rules) else 0  # line 161
    if event.startswith("bonus"):
        return announced, rules.tiles + (indians if event == f"bonus_{rules.species}" else 0)  # lines 153 and 163
    return announced, 0


def _takes(rules: AmazonasRules) -> bool:
    """Return whether the player takes an Indian tile. It needs a species that the player already has (line 163)."""
    return rules.takes_indian and rules.tiles > 0


def _throw(tower: GameTower, spent: Counter[str]) -> str:
    """Throw all cubes outside that were no event yet. Return a sentence if the tower was emptied first, else ""."""
    full = sum(tower.outside.values()) == spent.total()
    if full:
        tower.take()
    tower.throw({colour: count - spent[colour] for colour, count in tower.outside.items()})
    return "Empty the tower first. " if full else ""


GAME = Amazonas()

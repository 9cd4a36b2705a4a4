"""Amazonas, with a cube tower in the place of the deck of event cards: one cube stands for each card.

Comments give lines of the rulebook. "Ours" marks a house rule of this project. The game follows the silver of one
player. Ours: this player has as many tiles of each species from the first round on, puts all Indian tiles under one,
and spends all silver but `saved` in each round. So the order of the players and the events against building leave the
silver as it is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, get_args

from pydantic import Field

from tower_sim.games import Figure, Game, GameTower, Rules, Turn
from tower_sim.results import INSIDE, SHARE, SUM
from tower_sim.tools import count_noun

ROUNDS = 18  # line 52
Species = Literal["fish", "orchid", "butterfly", "parrot", "reptile"]  # line 11

# The number on each income card of a hand (lines 26, 73 to 77 and 165); parrot and reptile are ours.
CARDS = {"all_species": 0, "fish": 1, "butterfly": 2, "parrot": 3, "reptile": 4, "orchid": 5, "indian": 6}

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
    """What one player owns and does."""

    tiles: int = Field(2, ge=0, le=12, description="tiles of each species that the player has, without Indian tiles")
    saved: int = Field(0, ge=0, le=99, description="silver that the player keeps for the next round, at most")  # ours
    # Line 161; ours: every player before this one leaves the tile.
    takes_indian: bool = Field(True, description="whether the player gives up the silver for an Indian tile")
    species: Species = Field("fish", description="the species that the player's Indian tiles count as")  # line 163
    choice: Literal["indian", "lot"] = Field(  # line 64; ours
        "indian",
        description="how the player chooses an income card: by lot, or the Indian at the first bad event of a hand of"
        " seven and the others by lot",
    )
    pick: Literal["uniform", "most"] = Field(  # ours
        "uniform", description="which cube that comes out is the event: any, or one of the most numerous colour"
    )

    @property
    def takes_tile(self) -> bool:
        return self.takes_indian and self.tiles > 0


class Amazonas(Game):
    """the 18 events of a game come out of a tower instead of off a deck

    Ours: each round throws all cubes outside that were no event yet. One that comes out is the event, and is never
    thrown again. If none comes out, the round throws again. If none is outside, the tower is emptied first.
    """

    version = 2  # version 1 had no hand of income cards, and thefts took the same silver again
    name, title, Rules, apparatus = "amazonas", "Amazonas", AmazonasRules, "amerigo"  # ours: the game has no tower
    facts: Mapping[str, Any] = dict.fromkeys(("round", "silver", "income"), int) | {
        "event": tuple(EVENTS), "card": tuple(CARDS), "repeats": bool
    }  # fmt: skip
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
        return {event: cards for event, (cards, _, _) in EVENTS.items()}

    def turns(self, rules: AmazonasRules) -> int:
        return ROUNDS

    def play(self, tower: GameTower, rules: AmazonasRules) -> Iterator[Turn]:
        spent, indians, purse, last = Counter[str](), 0, 0, ""  # ours: the first camp takes the three gold pieces
        hand: list[str] = []
        for number in range(1, ROUNDS + 1):
            first = f"Round {number}: {_throw(tower, spent)}"
            while not tower.out:
                yield Turn(f"{first}No cube comes out. Throw again.", {"round": number})
                first = f"Round {number}: {_throw(tower, spent)}"
            event = tower.pick(tower.out, rules.pick)
            spent[event] += 1
            hand = hand or [*CARDS]  # all seven return once all are played (line 79)
            card = _choose_card(tower, rules, event, hand)  # after the event is known (lines 54 to 64)
            hand.remove(card)
            announced, change = silver(rules, event, card, indians, purse)
            income = announced + change
            purse = min(rules.saved, purse + income)
            indians += event == "indian" and rules.takes_tile  # from the next round on (line 163)
            facts = {"round": number, "event": event, "card": card, "silver": change, "income": income}
            _, title, effect = EVENTS[event]
            brings = f"The card {card.replace('_', ' ')} brings {income} silver."
            yield Turn(f"{first}{title}: {effect}. {brings}", {**facts, "repeats": event == last} if last else facts)
            last = event

    def summary(self, turns: Sequence[Turn], rules: Any) -> str:
        rounds = [turn.facts for turn in turns if turn.facts.get("event")]
        throws = sum(turn.failed is None for turn in turns)
        income, change = (sum(facts[name] for facts in rounds) for name in ("income", "silver"))
        first = (
            f"In {count_noun(len(rounds), 'round')} and {count_noun(throws, 'throw')} the player gained "
            f"{income} silver."
        )
        order = ", ".join(EVENTS[facts["event"]][1] for facts in rounds)
        return f"{first} Events changed this by {change}.\nThe events in order: {order or 'none'}."


def worth(rules: AmazonasRules, card: str, indians: int) -> int:
    """Return the silver that a player with a number of Indian tiles announces with an income card (lines 66 to 77)."""
    own = 0 if card == "indian" else rules.tiles
    return CARDS[card] + own + (indians if card in ("indian", "all_species", rules.species) else 0)  # lines 163 to 169


def silver(rules: AmazonasRules, event: str, card: str, indians: int, purse: int) -> tuple[int, int]:
    """Return the silver that a player announces, and the event's change to it; `purse` is from earlier rounds."""
    announced = worth(rules, card, indians)
    if card == "indian" and event in BAD:
        return announced, 0  # line 77
    if event == "fire":
        return announced, announced // 2 - announced  # line 143
    if event == "theft":  # after the income, and only what there is (line 147); Indian tiles count (line 163)
        return announced, -min(rules.tiles + indians, purse + announced)
    if event == "indian":
        return announced, -announced if rules.takes_tile else 0  # line 161
    if event.startswith("bonus"):
        return announced, rules.tiles + (indians if event == f"bonus_{rules.species}" else 0)  # lines 153 and 163
    return announced, 0


def _choose_card(tower: GameTower, rules: AmazonasRules, event: str, hand: Sequence[str]) -> str:
    if rules.choice == "indian" and "indian" in hand and len(hand) > 1:
        if event in BAD:
            return "indian"
        hand = [card for card in hand if card != "indian"]
    return tower.pick(dict.fromkeys(hand, 1))


def _throw(tower: GameTower, spent: Counter[str]) -> str:
    full = sum(tower.outside.values()) == spent.total()
    if full:
        tower.take()
    tower.throw({colour: count - spent[colour] for colour, count in tower.outside.items()})
    return "Empty the tower first. " if full else ""


GAME = Amazonas()

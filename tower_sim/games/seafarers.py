"""Seafarers, an extension of Catan, with a tower of 36 cubes in the place of two dice.

Comments give lines of the rulebook. "Ours" marks a house rule of this project.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from pydantic import Field, model_validator

from tower_sim.errors import fault
from tower_sim.games import Figure, Game, GameTower, Rules, Turn
from tower_sim.results import INSIDE, SHARE, SUM
from tower_sim.tools import count_noun

NUMBERS = {str(number): 6 - abs(number - 7) for number in range(2, 13)}  # ours: one cube for each result of two dice
CARDS = ("wood", "wool", "grain", "brick", "ore")  # line 26
ROBBER, PIRATE = PIECES = ("robber", "pirate")


class SeafarersRules(Rules):
    """The length of a game, how a number is read from the tower, and the effects of a 7 and of a knight."""

    # A game ends at 12 to 18 points (lines 56, 75, 129 and 137); how many turns that takes is ours.
    turns: int = Field(60, ge=1, le=300, description="turns of a game")
    pirate: bool = Field(False, description="whether the variant with the pirate is played")  # line 51
    moves: Literal["lot", "pirate", "robber"] = Field(  # line 51, a and b: the player may choose
        "lot", description="what a player moves in the variant: the pirate, the robber, or either by lot"
    )
    # Line 51 a: each player with a ship beside the pirate loses a card. Line 51 b: a knight does what a 7 does.
    ships: int = Field(1, ge=0, le=5, description="players with a ship beside the pirate, each of whom loses a card")
    knights: int = Field(0, ge=0, le=40, description="knights that are played in a game")  # the number is ours
    theft: Literal["hand", "cubes"] = Field(  # line 51 a; cubes are ours
        "hand", description="how a card is stolen: drawn from the hand, or with a cube for each card in the tower"
    )
    wood_cards: int = Field(1, ge=0, le=9, description="wood cards in each hand that is robbed")  # ours, and the next 4
    wool_cards: int = Field(1, ge=0, le=9, description="wool cards in that hand")
    grain_cards: int = Field(1, ge=0, le=9, description="grain cards in that hand")
    brick_cards: int = Field(1, ge=0, le=9, description="brick cards in that hand")
    ore_cards: int = Field(1, ge=0, le=9, description="ore cards in that hand")
    pick: Literal["uniform", "most"] = Field(  # ours
        "uniform", description="which cube that comes out is the number: any, or one of the most numerous number"
    )

    @model_validator(mode="after")
    def _knights(self) -> SeafarersRules:
        if self.knights > self.turns:
            raise fault("knights", self.knights, f"0 to {self.turns}, one a turn", "play fewer knights or more turns")
        return self

    @property
    def hand(self) -> dict[str, int]:
        return {card: getattr(self, f"{card}_cards") for card in CARDS}


class Seafarers(Game):
    """the number of each turn comes out of a tower of 36 cubes instead of off two dice

    Ours: all number cubes outside are thrown, and one of those that come out is the number. All of them stay outside.
    If none comes out, the turn throws again. If none is outside, the tower is emptied first. The base game's rules
    hold, too (line 35): a 7 or a knight moves the robber, who steals a card from one player. With the pirate, each
    player steals (line 51 a; ours).

    Left out: what a number brings; the loss of half a large hand at a 7; ships, routes, ports and points (lines
    35-137); and what nobody may do next to the pirate (line 51 c).
    """

    name, title, Rules, apparatus = "seafarers", "Seafarers", SeafarersRules, "amerigo"  # ours: the game has no tower
    facts: Mapping[str, Any] = {"turn": int, "event": tuple(NUMBERS), "number": int, "repeats": bool} | {
        "piece": PIECES, "stolen": CARDS, "cards": int
    }  # fmt: skip
    figures = (
        Figure("sevens", "sevens of a game", "sevens", "turns of a game whose number is 7", "number == 7", take=SUM,
               sentence="A 7 comes out {} times in a game."),
        Figure("repeats", "numbers twice running", SHARE, "share of numbers that are like the one before", "repeats",
               sentence="The number is the same as the one before in {} of all turns."),
        Figure("number", "mean number", "pips", "number of a turn", "number", sentence="The mean number is {}."),
        Figure("cards", "cards stolen in a game", "cards", "cards that are stolen in a game", "cards", take=SUM,
               sentence="Players lose {} cards to the robber and the pirate in a game."),
        Figure("throws", "throws of a game", "throws", "throws until the last turn is over", "thrown > 0", take=SUM),
        replace(INSIDE, where="thrown > 0"),
    )  # fmt: skip

    def cubes(self, rules: SeafarersRules) -> dict[str, int]:
        return {**NUMBERS, **rules.hand} if rules.theft == "cubes" else dict(NUMBERS)

    def turns(self, rules: SeafarersRules) -> int:
        return rules.turns + rules.turns // 6 + rules.knights

    def play(self, tower: GameTower, rules: SeafarersRules) -> Iterator[Turn]:
        knights = {*tower.rng.choice(rules.turns, rules.knights, replace=False).tolist()}  # ours: drawn by lot
        last = ""
        for turn in range(1, rules.turns + 1):
            if turn - 1 in knights:
                yield from _move(tower, rules, turn, "A knight")  # line 51 b
            first, out = _throw(tower, NUMBERS)
            while not out:
                yield Turn(f"Turn {turn}: {first}No number comes out. Throw again.", {"turn": turn})
                first, out = _throw(tower, NUMBERS)
            number = tower.pick(out, rules.pick)
            facts = {"turn": turn, "event": number, "number": int(number)}
            says = f"Turn {turn}: {first}The number is {number}."
            yield Turn(says, {**facts, "repeats": number == last} if last else facts)
            last = number
            if number == "7":
                yield from _move(tower, rules, turn, "The 7")  # line 51 a

    def summary(self, turns: Sequence[Turn], rules: Any) -> str:
        numbers, stolen = ([x.facts for x in turns if x.facts.get(key)] for key in ("event", "stolen"))
        sevens, again = sum(x["number"] == 7 for x in numbers), sum(bool(x.get("repeats")) for x in numbers)
        first = (
            f"Of {count_noun(len(numbers), 'turn')} {sevens} had a 7, and {again} had the number of the turn before."
        )
        counts = ", ".join(f"{n}: {sum(x['event'] == n for x in numbers)}" for n in NUMBERS)
        return f"{first} Cards stolen: {len(stolen)}.\nTurns with each number: {counts}."


def _move(tower: GameTower, rules: SeafarersRules, turn: int, who: str) -> Iterator[Turn]:
    """Move a piece, and steal a card from each player that it robs (line 51, a and b)."""
    piece = ROBBER if not rules.pirate else str(tower.rng.choice(PIECES)) if rules.moves == "lot" else rules.moves
    victims = 0 if not any(rules.hand.values()) else rules.ships if piece == PIRATE else 1
    facts: dict[str, Any] = {"turn": turn, "piece": piece}
    says = f"{who} moves the {piece}. "
    if not victims:
        yield Turn(f"{says}There is no card to steal.", facts)
    stolen = 0
    while stolen < victims:  # ours: all hands are alike, and stay as they are
        first, cards = _throw(tower, CARDS) if rules.theft == "cubes" else ("", rules.hand)
        if cards:
            card = tower.pick(cards)
            stolen += 1
            yield Turn(f"{says}{first}A player loses a card: {card}.", {**facts, "stolen": card, "cards": 1})
        else:
            yield Turn(f"{says}{first}No card comes out. Throw the hand again.", facts)
        says, facts = "", {"turn": turn}


def _throw(tower: GameTower, colours: Collection[str]) -> tuple[str, dict[str, int]]:
    empty = not any(tower.outside[colour] for colour in colours)
    if empty:
        tower.take()
    tower.throw({colour: tower.outside[colour] for colour in colours})
    return "Empty the tower first. " if empty else "", {x: n for x, n in tower.out.items() if x in colours}


GAME = Seafarers()

"""Archipelago, with a cube tower that decides the crises of phase 4. Cubes of the bank are thrown into it.

Lines are those of the text of the French rulebook. "Ours" marks a house rule of this project. The back of a card has
two halves: the upper half is for the interior market, the lower half for the exterior market (lines 427 and 459). The
rulebook does not print the backs, so the tower takes their place (ours). The players throw when they resolve a half.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import Field

from tower_sim.games import Figure, Game, Rules, Turn
from tower_sim.games.tower import GameTower
from tower_sim.runs.figure import SUM
from tower_sim.runs.tower import INSIDE

PRINTED = {"fruit": 15, "cattle": 15, "fish": 15, "wood": 15, "stone": 12, "iron": 10}  # lines 65 to 85
MARKETS = INTERIOR, EXTERIOR = ("interior", "exterior")
NUMBERS = ("turn", "phase", "per_cube", "asked", "paid", "missing", "revolting", "rebellion")
FACTS = {"resource": tuple(PRINTED), "crisis": MARKETS, **dict.fromkeys(NUMBERS, int)}
SUMS = (
    ("revolting", "number of citizens in revolt", "citizens", "citizens in revolt in a game, each crisis anew"),
    ("paid", "number of cubes paid", "cubes", "cubes that the players pay in a game"),
    ("missing", "number of cubes missing", "cubes", "cubes asked for and not paid in a game"),
    ("rebellion", "rise of the rebellion", "steps", "steps that crises and events move the rebellion marker up"),
)


class ArchipelagoRules(Rules):
    """The length of a game, how the result of the tower is read, and what the players have in a crisis."""

    players: int = Field(4, ge=2, le=5, description="players")  # lines 20 and 34
    turns: int = Field(10, ge=2, le=40, description="turns of a game")  # ours: a secret card ends it (line 250)
    sample: int = Field(10, ge=1, le=30, description="cubes of the bank that are thrown for a crisis")  # ours
    pick: Literal["uniform", "most"] = Field("uniform", description="resource of a random cube out, or of most")  # ours
    # Ours: a cube then satisfies about 6 citizens on average, as in the example (line 429).
    satisfies: int = Field(3, ge=1, le=10, description="citizens satisfied by a cube, for each of its kind that is out")
    citizens: int = Field(5, ge=1, le=10, description="citizens of each player on the archipelago")  # line 101; 5: ours
    temples: int = Field(1, ge=0, le=13, description="temples, each with a citizen")  # line 119; 1: ours
    stock: int = Field(2, ge=0, le=15, description="cubes that all players together can pay for a crisis")  # ours
    # Lines 472, 423 and 480, 484; the numbers are ours.
    event: int = Field(25, ge=0, le=100, description="chance in % that a half of a card is an event")
    red: int = Field(25, ge=0, le=100, description="chance in % that a half of a card is red")
    stays: int = Field(10, ge=0, le=100, description="chance in % that the card on top stays for another turn")


@dataclass
class Half:
    """One half of the card on top. A throw determines its resource and its number of cubes."""

    market: str
    event: bool
    red: bool
    resource: str = ""
    number: int = 0


class Archipelago(Game):
    """the crises of the archipelago and the continent, out of a tower of the bank's cubes"""

    name, title, apparatus = "archipelago", "Archipelago", "amerigo"  # ours: the printed game has no tower
    version = 2  # version 1 read the number of citizens as cubes to pay
    Rules, facts = ArchipelagoRules, FACTS
    figures = (*(Figure(*texts, of=texts[0], take=SUM) for texts in SUMS), INSIDE)

    def cubes(self, rules: ArchipelagoRules) -> dict[str, int]:
        """Return the bank: all 82 cubes but one of each resource, which lies on the interior market (lines 87, 174)."""
        return {resource: count - 1 for resource, count in PRINTED.items()}

    def turns(self, rules: ArchipelagoRules) -> int:
        """Return about how many turns a run has: two halves in each turn but the first. Some throws are repeated."""
        return 2 * (rules.turns - 1)

    def play(self, tower: GameTower, rules: ArchipelagoRules) -> Iterator[Turn]:
        """Yield one turn for each half that is resolved, and one for each throw that brings no cube out.

        The first turn of the game has no phase 4 (line 409). Its phase 6 always uncovers a card (ours). The card on top
        applies in phase 4 of every turn in which it lies there (lines 411 and 484). Red halves do not apply in phase 4
        (lines 423 and 480). They apply once, in the phase 6 that uncovers the card (line 858).
        """
        card: list[Half] = []
        for turn in range(2, rules.turns + 1):
            if not card or tower.rng.integers(100) >= rules.stays:
                draws = tower.rng.integers(100, size=(2, 2)).tolist()
                card = [Half(name, a < rules.event, b < rules.red) for name, (a, b) in zip(MARKETS, draws, strict=True)]
                for half in (half for half in card if half.red):
                    yield from _resolved(tower, rules, half, turn - 1, 6)
            for half in (half for half in card if not half.red):
                yield from _resolved(tower, rules, half, turn, 4)

    def summary(self, turns: Sequence[Turn], rules: ArchipelagoRules) -> str:
        """Return the payments, the revolts and the change of the rebellion marker.

        Independence (line 284) is left out, because the rebellion marker also moves outside crises.
        """
        total = {key: sum(turn.facts.get(key) or 0 for turn in turns) for key in ("asked", *(key for key, *_ in SUMS))}
        crises = _of(sum("crisis" in turn.facts for turn in turns), "crisis", "crises")
        return (
            f"The {rules.players} players paid {total['paid']} of {total['asked']} cubes asked for in {crises}. "
            f"Citizens revolted {total['revolting']} times, and the rebellion marker moved by {total['rebellion']:+}."
        )


def _resolved(tower: GameTower, rules: ArchipelagoRules, half: Half, turn: int, phase: int) -> Iterator[Turn]:
    """Yield the turns in which the players resolve one half of the card on top.

    A new half that is a crisis is thrown for until a cube comes out (ours).
    """
    when = f"turn {turn}, phase {phase}, {half.market} market{' (red)' * half.red}{', as before' * bool(half.number)}: "
    while not (half.event or half.number):
        if not any(tower.outside.values()):
            tower.take()
        tower.throw(tower.sample(tower.outside, rules.sample))  # ours; what comes out goes back to the bank
        if out := tower.out:
            most = {resource: 1 for resource, count in out.items() if count == max(out.values())}
            half.resource = tower.pick(out if rules.pick == "uniform" else most)
            half.number = out[half.resource]
        else:
            yield Turn(f"{when}nothing comes out, throw again")
    if half.event:  # in the place of a crisis (line 472)
        calmed = 2 * rules.temples  # line 476
        says, told = f"an event lowers the rebellion by 2 for each temple, {calmed} in all", {"rebellion": -calmed}
    else:
        says, told = (_interior if half.market == INTERIOR else _exterior)(rules, half)
        told |= {"crisis": half.market, "resource": half.resource}
    yield Turn(when + says, {"turn": turn, "phase": phase} | told)


def _interior(rules: ArchipelagoRules, half: Half) -> tuple[str, dict[str, Any]]:
    """Return a sentence and the facts of a crisis of the archipelago.

    The more cubes of the resource came out, the more citizens one paid cube satisfies (line 427).
    """
    lying = max(0, rules.citizens * rules.players - rules.temples)  # lines 433 and 790, without the help of temples
    per_cube = rules.satisfies * half.number
    asked = -(-lying // per_cube)
    paid = min(asked, rules.stock)
    revolting = max(0, lying - per_cube * paid)  # each moves the rebellion marker by one: line 455
    says = f"each cube of {half.resource} satisfies {_of(per_cube, 'citizen', 'citizens')}; {paid} paid of {asked}, "
    says += _of(revolting, "citizen revolts", "citizens revolt")
    told = {"per_cube": per_cube, "asked": asked, "paid": paid, "missing": asked - paid, "revolting": revolting}
    return says, told | {"rebellion": revolting}


def _exterior(rules: ArchipelagoRules, half: Half) -> tuple[str, dict[str, Any]]:
    """Return a sentence and the facts of a crisis of the continent, which asks for a number of cubes (line 459).

    Each missing cube moves the rebellion marker (line 466).
    """
    paid = min(half.number, rules.stock)
    says = f"the continent wants {_of(half.number, 'cube', 'cubes')} of {half.resource}; {paid} paid"
    return says, {"asked": half.number, "paid": paid} | dict.fromkeys(("missing", "rebellion"), half.number - paid)


def _of(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"


GAME = Archipelago()

"""Wallenstein and Shogun: battles in a tower that keeps some armies of every battle.

Sources: the rules of an online Wallenstein (SpielByWeb) and a French summary of Shogun. "Ours" marks other rules.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from pydantic import Field, model_validator

from tower_sim.errors import fault
from tower_sim.games import Figure, Game, GameTower, Rules, Turn
from tower_sim.results import INSIDE
from tower_sim.tools import count_noun

PLAYERS = ("red", "blue", "yellow", "black", "white")  # ours: the names of the colours
FARMERS, NOBODY = "farmers", "nobody"
ARMIES, PEASANTS, SEED, SEED_PEASANTS = 62, 20, 7, 10  # two totals; two numbers for the first filling (for Shogun ours)
_HELPFUL = {"wallenstein": 1, "shogun": 0}  # the most revolt markers in a province whose farmers help the defender
_WINS = "The attacker wins a share of {} of the battles"


class WallensteinRules(Rules):
    """The two sides of the battles, the numbers of their armies, and the number of battles."""

    edition: Literal["wallenstein", "shogun"] = Field("wallenstein", description="the game whose rules decide")
    players: int = Field(5, ge=3, le=5, description="players; the first colours take part")
    battles: int = Field(10, ge=1, le=100, description="battles in a row")  # ours
    attackers: int = Field(6, ge=0, le=40, description="armies that attack; in a revolt one a marker, more in winter")
    defenders: int = Field(4, ge=0, le=40, description="armies that defend; where nobody defends one farmer is thrown")
    attacker: Literal["red", "blue", "yellow", "black", "white", "farmers"] = Field(
        "red", description="the colour that attacks; farmers attack in a revolt"
    )
    defender: Literal["red", "blue", "yellow", "black", "white", "nobody"] = Field(
        "blue", description="the colour that defends; nobody: farmers alone defend a neutral province"
    )
    revolts: int = Field(0, ge=0, le=5, description="revolt markers: with two (in Shogun with one) no farmer helps")

    @model_validator(mode="after")
    def _two_sides(self) -> WallensteinRules:
        for side, colour in (("attacker", self.attacker), ("defender", self.defender)):
            if colour in PLAYERS[self.players :]:
                allowed = f"one of {', '.join(self.colours)}, the colours of {self.players} players"
                raise fault(f"rules.{side}", colour, allowed, "choose another or add players")
        if self.attacker == self.defender:
            raise fault("rules.defender", self.defender, "another colour than the attacker's")
        if self.attacker == FARMERS and self.defender == NOBODY:
            raise fault("rules.defender", NOBODY, "a player's colour in a revolt of the farmers")
        return self

    @property
    def colours(self) -> tuple[str, ...]:
        return PLAYERS[: self.players]

    @property
    def farmers_defend(self) -> bool:
        return self.defender == NOBODY or (self.attacker != FARMERS and self.revolts <= _HELPFUL[self.edition])


class Wallenstein(Game):
    """battles in a tower that is filled with armies and farmers, and that keeps some of every battle"""

    name, title, apparatus, Rules = "wallenstein", "Wallenstein", "wallenstein", WallensteinRules
    facts: Mapping[str, Any] = {
        "winner": ("attacker", "defender", "nobody"),
        "phase": str,
        **dict.fromkeys(("attackers_out", "defenders_out", "farmers_out", "attackers_left", "defenders_left"), int),
    }
    figures = (
        Figure("wins", "share won by the attacker", "1", of="attackers_out > defenders_out", sentence=_WINS),
        Figure("attackers_out", "attacking armies out", "cubes", of="attackers_out"),
        Figure("defenders_out", "defending armies out", "cubes", "farmers who help included", "defenders_out"),
        Figure("farmers_out", "farmers out who help", "cubes", of="farmers_out"),
        Figure("attackers_left", "attackers who hold the province", "cubes", of="attackers_left"),
        Figure("defenders_left", "defenders who hold the province", "cubes", of="defenders_left"),
        INSIDE,
    )

    def cubes(self, rules: WallensteinRules) -> dict[str, int]:
        return {**dict.fromkeys(rules.colours, ARMIES), FARMERS: PEASANTS}

    def most_cubes(self, rules: WallensteinRules) -> int:
        return SEED * len(rules.colours) + SEED_PEASANTS + rules.attackers + rules.defenders

    def turns(self, rules: WallensteinRules) -> int:
        return 1 + rules.battles

    def play(self, tower: GameTower, rules: WallensteinRules) -> Iterator[Turn]:
        tower.throw({**dict.fromkeys(rules.colours, SEED), FARMERS: SEED_PEASANTS})
        yield Turn(_say_inside(tower), {"phase": "setup"})
        defence = {FARMERS: 1} if rules.defender == NOBODY else {rules.defender: rules.defenders}
        wanted = {rules.attacker: rules.attackers, **defence}
        waiting: dict[str, int] = {}  # cubes in the tray that fought for neither side; the next battle throws them
        for _ in range(rules.battles):  # ours: every battle is between fresh armies
            armies = {x: min(number, tower.outside[x] - waiting.get(x, 0)) for x, number in wanted.items()}
            out: dict[str, int] = {}
            if any(armies.values()):
                tower.throw({x: armies.get(x, 0) + waiting.get(x, 0) for x in {**armies, **waiting}})
                out = tower.out
                fight = {rules.attacker, rules.defender, *[FARMERS] * rules.farmers_defend}
                waiting = {colour: number for colour, number in out.items() if colour not in fight}
            facts = result(rules, out)
            says = f"{describe(rules, armies, facts)}; {_say_inside(tower)}"
            yield Turn(says, {**facts, "phase": "battle"})


def result(rules: WallensteinRules, out: Mapping[str, int]) -> dict[str, Any]:
    """Return the winner of a battle in which the cubes `out` come out, and the armies that hold the province.

    The winner loses as many cubes as the other side has out, farmers first. After a tie nobody holds the province.
    """
    attackers, own = out.get(rules.attacker, 0), out.get(rules.defender, 0)
    farmers = out.get(FARMERS, 0) if rules.farmers_defend else 0
    defenders = own + farmers
    winner = "attacker" if attackers > defenders else "defender" if defenders > attackers else NOBODY
    if rules.edition == "shogun" and rules.defender != NOBODY and winner == "defender" and not own:
        winner = NOBODY  # farmers alone beat the attacker, and they hold no province
    left = 0 if rules.attacker == FARMERS else max(0, attackers - defenders)
    rest = min(own, defenders - attackers) if winner == "defender" else 0
    counts = {"attackers_out": attackers, "defenders_out": defenders, "farmers_out": farmers}
    return {"winner": winner, **counts, "attackers_left": left, "defenders_left": rest}


def _say_inside(tower: GameTower) -> str:
    inside = sum(tower.inside.values())
    return f"{count_noun(inside, 'cube')} {'stays' if inside == 1 else 'stay'} in the tower"


def describe(rules: WallensteinRules, armies: Mapping[str, int], facts: Mapping[str, Any]) -> str:
    """Return the result of a battle as a sentence without its full stop."""
    thrower = FARMERS if rules.defender == NOBODY else rules.defender
    attack = f"{_does(rules.attacker, 'attack')} with {armies[rules.attacker]}"
    start = f"{attack[0].upper()}{attack[1:]}, {_does(thrower, 'defend')} with {armies[thrower]}"
    ours, theirs, farmers = facts["attackers_out"], facts["defenders_out"], facts["farmers_out"]
    if facts["winner"] == "attacker":
        return f"{start}: {_does(rules.attacker, 'win')} {ours} to {theirs}"
    help_of = f" with the help of {farmers} farmer{'s' * (farmers > 1)}" if farmers and thrower != FARMERS else ""
    if facts["winner"] == "defender":
        return f"{start}: {_does(thrower, 'win')} {theirs} to {ours}{help_of}"
    end = f"a tie at {ours}" if ours == theirs else f"the farmers alone win {theirs} to {ours}"
    return f"{start}: {end}, and nobody holds the province"


def _does(colour: str, verb: str) -> str:
    return f"the farmers {verb}" if colour == FARMERS else f"{colour} {verb}s"


GAME = Wallenstein()

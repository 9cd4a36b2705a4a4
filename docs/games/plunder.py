"""Plunder: where cubes land on a ship's board decides who takes the goods."""

from typing import Literal

from pydantic import Field

from tower_sim.games import Figure, Game, Rules, Turn

WORTH = {"zone:cargo": 1, "zone:coins": 1, "zone:coins_and_cargo": 2, "zone:choice": 2}
CREWS = ("purple", "green")


class PlunderRules(Rules):
    """How many cubes two crews throw, and what happens to cubes on the board."""

    raids: int = Field(8, ge=1, le=50, description="raids in a row")
    purple: int = Field(6, ge=1, le=20, description="cubes that purple throws in a raid")
    green: int = Field(6, ge=1, le=20, description="cubes that green throws in a raid")
    board: Literal["clear", "keep"] = Field("clear", description="whether cubes leave the board after a raid")
    supply: int = Field(50, ge=20, le=100, description="cubes of each crew; a crew throws no more than it has left")


class Plunder(Game):
    """two crews throw through a ship, and most cubes in a zone take its goods"""

    name, title, apparatus, Rules = "plunder", "Plunder", "dead_reckoning", PlunderRules
    facts = {"leader": ("purple", "green", "neither"), "goods_purple": int, "goods_green": int, "hits": int}
    figures = (
        Figure("goods", "goods taken in a raid", "goods", of="goods_purple + goods_green"),
        Figure("lead", "lead of purple in a raid", "goods", of="goods_purple - goods_green"),
        Figure("hits", "cubes in zones with goods", "cubes", of="hits"),
    )

    def cubes(self, rules):
        """Each crew has its own colour."""
        return dict.fromkeys(CREWS, rules.supply)

    def play(self, tower, rules):
        """A turn is one raid; `tower.board` says which cubes lie in which zone, and `tower.take()` clears it."""
        for _ in range(rules.raids):
            outside = tower.outside
            tower.throw({crew: min(getattr(rules, crew), outside[crew]) for crew in CREWS})
            goods, hits = dict.fromkeys(CREWS, 0), 0
            for zone, worth in WORTH.items():
                lying = tower.board.get(zone, {})
                purple, green = (lying.get(crew, 0) for crew in CREWS)
                hits += purple + green
                if purple != green:
                    goods["purple" if purple > green else "green"] += worth
            ahead = goods["purple"] - goods["green"]
            leader = "purple" if ahead > 0 else "green" if ahead < 0 else "neither"
            says = f"purple takes {goods['purple']} goods, green {goods['green']}; cubes in zones with goods: {hits}"
            facts = {f"goods_{crew}": number for crew, number in goods.items()}
            yield Turn(says, {"leader": leader, "hits": hits, **facts})
            if rules.board == "clear":
                tower.take()

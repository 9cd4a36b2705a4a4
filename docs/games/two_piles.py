"""Two piles: which of two piles goes into the tower, or do you stop?"""

from collections.abc import Generator

from pydantic import Field

from tower_sim.games import Decision, Figure, Game, GameTower, Rules, Turn

PILES = {"safe": "white", "bold": "gold"}


class PileRules(Rules):
    """The piles, the size of a throw, and when the usual player stops."""

    safe: int = Field(10, ge=1, le=30, description="white cubes in the safe pile: one point each")
    bold: int = Field(10, ge=1, le=30, description="gold cubes in the bold pile: two points each, two of them lose all")
    throw: int = Field(3, ge=1, le=10, description="cubes of a pile that are thrown")
    rounds: int = Field(6, ge=1, le=50, description="rounds; in each the player throws until stopping or losing")
    at: int = Field(4, ge=1, le=40, description="points at which the usual player stops")


class TwoPiles(Game):
    """a player throws from a safe or a bold pile for points, or stops before gold cubes take them"""

    name, title, apparatus, Rules = "two_piles", "Two piles", "amerigo", PileRules
    options = (*PILES, "stop")
    facts = {"choice": options, "points": int, "banked": int}
    figures = (Figure("score", "points in the end", "points", of="banked", take="sum"),)

    def cubes(self, rules: PileRules) -> dict[str, int]:
        """All begin outside the tower."""
        return {"white": rules.safe, "gold": rules.bold}

    def play(self, tower: GameTower, rules: PileRules) -> Generator[Turn | Decision, str, None]:
        """The player sees the points of the round; who has lost them all is asked again in the next one."""
        for _ in range(rules.rounds):
            points, lost = 0, False
            while not lost:
                piles = [pile for pile, colour in PILES.items() if tower.outside[colour]]
                usual = "stop" if points >= rules.at or not piles else piles[0]
                choice = yield Decision((*piles, "stop"), usual, {"points": (points, 100)})
                if choice == "stop":
                    yield Turn(f"stops with {points}", {"choice": choice, "points": points, "banked": points})
                    break
                colour = PILES[choice]
                tower.throw({colour: min(rules.throw, tower.outside[colour])})
                gold = tower.out.get("gold", 0)
                lost = gold > 1
                points = 0 if lost else points + tower.out.get("white", 0) + 2 * gold
                says = f"throws from the {choice} pile: {tower.out or 'nothing'} out, {points} points"
                yield Turn(says, {"choice": choice, "points": points, "banked": 0})


GAME = TwoPiles()

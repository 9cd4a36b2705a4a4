"""Push your luck: throw again for more gold, or stop before the curse takes it."""

from collections.abc import Generator
from typing import Any, Literal

from pydantic import Field

from tower_sim.games import Decision, Figure, Game, GameTower, Rules, Turn
from tower_sim.tools import count_noun

MOST_THROWS = 20  # in a round
THROW, STOP = "throw", "stop"


class LuckRules(Rules):
    """How many cubes there are, and when a player stops."""

    rounds: int = Field(10, ge=1, le=100, description="rounds; in each the player throws until stopping or losing")
    gold: int = Field(15, ge=1, le=40, description="gold cubes: each that comes out is a point")
    black: int = Field(6, ge=0, le=40, description="black cubes: enough of them in one throw lose the round's points")
    throw: int = Field(4, ge=1, le=20, description="cubes that are drawn by lot for each throw")
    curse: int = Field(2, ge=1, le=20, description="black cubes in one throw that lose the round")
    policy: Literal["points", "throws", "memory"] = Field(
        "points",
        description="stop at so many points, after so many throws, or when so many black cubes are in the tower",
    )
    at: int = Field(5, ge=1, le=40, description="the number at which the policy stops")


class PushYourLuck(Game):
    """a player throws again for more gold, or stops before black cubes come out"""

    name, title, apparatus, Rules = "push_your_luck", "Push your luck", "amerigo", LuckRules
    options = (THROW, STOP)
    facts = {"choice": ("again", "stop", "lost"), "round": int, "points": int, "banked": int}
    figures = (
        Figure("score", "points in the end", "points", of="banked", take="sum"),
        Figure("best", "points of the best round", "points", of="banked", take="most"),
    )

    def cubes(self, rules: LuckRules) -> dict[str, int]:
        """All begin outside the tower."""
        return {"gold": rules.gold, "black": rules.black}

    def play(self, tower: GameTower, rules: LuckRules) -> Generator[Turn | Decision, str, None]:
        """A turn is one throw; what stays in the tower may come out in a later one. A round begins with a throw."""
        for number in range(1, rules.rounds + 1):
            points = throws = 0
            choice = yield ask(tower, rules, number, points, throws)
            while choice == THROW:
                gold, black = throw(tower, rules)
                throws += 1
                points, is_lost = after(points, gold, black, rules)
                choice = "lost" if is_lost else (yield ask(tower, rules, number, points, throws))
                end = {
                    THROW: "throws again",
                    STOP: f"stops with {count_noun(points, 'point')}",
                    "lost": "loses the round",
                }
                facts = {
                    "choice": "again" if choice == THROW else choice,
                    "round": number,
                    "points": points,
                    "banked": points if choice == STOP else 0,
                }
                says = f"round {number}: {gold} gold and {black} black cubes come out, the player {end[choice]}"
                yield Turn(says, facts)


GAME = PushYourLuck()


def ask(tower: GameTower, rules: LuckRules, number: int, points: int, throws: int) -> Decision:
    """Return the question to the player, who has `points` after `throws` throws in round `number`."""
    by_policy = {"points": points, "throws": throws, "memory": tower.inside.get("black", 0)}
    stops = throws == MOST_THROWS or (throws > 0 and by_policy[rules.policy] >= rules.at)
    seen = {
        "round": (number, rules.rounds),
        "points": (points, MOST_THROWS * rules.gold),
        "throws": (throws, MOST_THROWS),
    }
    options = (THROW,) * (throws < MOST_THROWS) + (STOP,) * (throws > 0)
    return Decision(options, STOP if stops else THROW, seen)


def throw(tower: GameTower, rules: LuckRules) -> tuple[int, int]:
    """Throw cubes that are drawn by lot. Return the numbers of gold and black cubes that come out."""
    tower.throw(tower.sample(tower.outside, rules.throw))
    return tower.out.get("gold", 0), tower.out.get("black", 0)


def after(points: Any, gold: Any, black: Any, rules: LuckRules) -> tuple[Any, Any]:
    """Return the points of the round after a throw, and whether the round is lost. Arrays are allowed."""
    is_lost = black >= rules.curse
    return (points + gold) * (1 - is_lost), is_lost

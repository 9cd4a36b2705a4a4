"""Harvest: sun, rain and locusts come out of the tower, and a hungry farmer knocks on it."""

from pydantic import Field

from tower_sim.games import Figure, Game, Rules, Turn


class HarvestRules(Rules):
    """The weather in the tower, and what a hungry farmer may do."""

    seasons: int = Field(12, ge=1, le=60, description="seasons of a game")
    sun: int = Field(12, ge=1, le=40, description="cubes of sun")
    rain: int = Field(12, ge=1, le=40, description="cubes of rain; grain needs one of each")
    locusts: int = Field(6, ge=0, le=40, description="cubes of locusts; each eats one grain")
    throw: int = Field(8, ge=1, le=60, description="cubes drawn by lot for each season")
    knock: float = Field(0.0, ge=0.0, le=2.0, description="strength (g) of a knock after a season without grain")


class Harvest(Game):
    """a farmer lives on the weather that comes out of a tower"""

    name, title, apparatus, Rules = "harvest", "Harvest", "amerigo", HarvestRules
    facts = {"season": ("plenty", "enough", "famine"), "grain": int, "eaten": int}
    figures = (
        Figure("grain", "grain in the end", "sacks", of="grain", take="sum"),
        Figure("famine", "share of seasons without grain", "1", of="grain == 0"),
    )

    def cubes(self, rules):
        """The weather."""
        return {"sun": rules.sun, "rain": rules.rain, "locusts": rules.locusts}

    def play(self, tower, rules):
        """A turn is a season; what a knock brings out is counted with it."""
        for number in range(1, rules.seasons + 1):
            tower.throw(tower.sample(tower.outside, rules.throw))
            grain, eaten = harvest(tower.out)
            if not grain and rules.knock:
                tower.knock(rules.knock)
                grain, eaten = harvest(tower.out)
            season = "plenty" if grain > 2 else "enough" if grain else "famine"
            says = f"season {number}: {grain} sacks of grain, {eaten} eaten by locusts"
            yield Turn(says, {"season": season, "grain": grain, "eaten": eaten})


def harvest(out):
    """Return the sacks that are left, and those that locusts eat."""
    grown, locusts = min(out.get("sun", 0), out.get("rain", 0)), out.get("locusts", 0)
    return max(0, grown - locusts), min(grown, locusts)

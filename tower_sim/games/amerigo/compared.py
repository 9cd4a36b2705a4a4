"""The description of Amerigo for comparisons: sampled games, and the cubes inside by drop."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tower_sim.drops import DropModel
from tower_sim.errors import fault
from tower_sim.games.amerigo.many import FIGURES, colour_figures, sample_games
from tower_sim.games.compared import Compared, Course, Group, Picture, Sampler, Values
from tower_sim.results import Columns, Results, RunSampler, table


class ComparedGames(Compared):
    """The description of two variants of Amerigo for a comparison."""

    def make_groups(self) -> tuple[Group, ...]:
        self._common = tuple(colour for colour in self.rules[0].colours if colour in self.rules[1].colours)
        colours = colour_figures(self._common)
        self._every = (*FIGURES, *colours)
        return (Group("figures", "a game", FIGURES), Group("colours", "out a phase, by colour", colours))

    def measure(self, results: Results, side: int, beyond: int | None = None) -> Values:
        inside, out = results.grid("inside"), results.by_colour["out"]
        by_colour = {f"out_{i}": out[:, results.colours.index(name)] for i, name in enumerate(self._common)}
        values = table(replace(results, facts=Columns(by_colour)), self._every)
        return Values(values, {"inside": inside}, inside.size if beyond is not None else 0, beyond)

    def sampler(self, model: DropModel) -> Sampler | None:
        if not isinstance(model, RunSampler):
            return None

        def sample(side: int, runs: int, seed: int, first: int) -> Values:
            games = sample_games(model, self.rules[side], runs, seed, first=first)
            return self.measure(games, side, int(model.extrapolated(games).sum()))

        return sample

    def numbers(self) -> int:
        return max(rules.drops * len(rules.colours) for rules in self.rules)

    def check(self, side: int) -> None:
        if self.rules[side].rounds == 0:
            allowed = "a whole number from 1 in a comparison"
            raise fault("rounds", 0, allowed, "the figures are of the phases")
        if self.rules[side].knocks:
            raise fault("knocks", dict(self.rules[side].knocks), "none in a comparison", "leave them out")

    def keys(self, side: int) -> dict[str, Any]:
        rules = self.rules[side]
        plain = rules.model_dump(mode="json", exclude={"name", "rulings", "knocks"})  # as TOML has it: no tuples
        return plain | {f"rulings.{key}": choice for key, choice in rules.rulings.model_dump().items()}

    def is_unseen(self, key: str) -> bool:
        return key == "substitute" or key.startswith("rulings.")

    def document(self, side: int) -> dict[str, Any]:
        return self.rules[side].model_dump(mode="json", exclude={"knocks"})

    def label(self, side: int) -> str:
        return f"rules {self.rules[side].name!r}"

    def picture(self, courses: tuple[Course, Course]) -> Picture:
        phases = {len(rules.phases) for rules in self.rules}
        rounds = max(rules.rounds for rules in self.rules) if len(phases) == 1 else 0
        return Picture(
            sides=(courses[0]["inside"], courses[1]["inside"]),
            x="drop (0 is the set-up)",
            y="inside after the drop [cubes]",
            ends=tuple(0.5 + number * len(self.rules[0].phases) for number in range(rounds)),
            part="round",
        )

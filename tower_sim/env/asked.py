"""An environment for any game that asks its player questions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tower_sim.env.base import Kept, Seen, TowerEnv, by_colour
from tower_sim.errors import UsageError, check_one, fault
from tower_sim.games import Decision, Game, Turn, figure
from tower_sim.tools import registry
from tower_sim.values import TowerState, count_by_colour

_SHOWN = 14  # turns in a picture


@dataclass(frozen=True, slots=True)
class AskedTable:
    """The situation at a question, None at the end: the run of `seed` with these `answers`, and its turns so far."""

    seed: int
    answers: tuple[str, ...]
    turns: tuple[Turn, ...]
    question: Decision | None
    state: TowerState


class GameEnv(TowerEnv[AskedTable]):
    """An environment for a game that asks: one that ships, or a Python file of a user.

    An action is one of the game's `options`. The reward is the sum of the fact `reward` over the turns that follow an
    answer. The observation has the cubes inside and outside by colour, what came out last, and what each question
    shows. The table of a `clone` is played again from its seed, so `restore` takes no other one.

    Args:
        of: The game, its name or its file.
        reward: The name of a fact that is a number.
        rules, options: As for every environment; `apparatus` for a game without its own.
    """

    def __init__(self, of: Game | str, reward: str, rules: Mapping[str, Any] | None = None, **options: Any) -> None:
        self.game = registry.get("game", of) if isinstance(of, str) else of  # type: ignore[misc]  # of this object alone
        if not self.game.options:
            raise fault("game", self.game.name, "one that asks", "let its play yield a Decision, and list its options")
        numbers = [name for name, kind in self.game.facts.items() if kind in (int, float)]
        self._reward = check_one("reward", reward, numbers)
        self._seen: tuple[str, ...] = ()
        super().__init__(rules, **options)

    def _actions(self) -> tuple[str, ...]:
        return self.game.options

    def _begin(self, seed: int) -> AskedTable:
        return self._play(seed, ())

    def _play(self, seed: int, answers: tuple[str, ...]) -> AskedTable:
        events, turns, given = self.game.ask(self.model, self.rules, seed), list[Turn](), iter(answers)
        event: Any = next(events, None)
        while event is not None:
            if isinstance(event, Decision):
                answer = next(given, None)
                if answer is None:
                    break
            else:
                if event.failed is not None:
                    raise event.failed
                answer = None
                turns.append(event)
            try:
                event = events.send(answer)
            except StopIteration:
                event = None
        state = turns[-1].state if turns else self.model.empty()
        return AskedTable(seed, answers, tuple(turns), event, state)

    def _after(self, table: AskedTable, action: int) -> tuple[AskedTable, float]:
        later = self._play(table.seed, (*table.answers, self.actions[action]))
        new = later.turns[len(table.turns) :]
        return later, float(sum(turn.facts.get(self._reward) or 0 for turn in new))

    def _mask(self, table: AskedTable) -> list[bool]:
        return [table.question is not None and option in table.question.options for option in self.actions]

    def _elements(self, table: AskedTable) -> Iterator[Seen]:
        inside = count_by_colour(table.state.cubes)
        yield from by_colour("inside", inside, self.cubes)
        yield from by_colour("outside", {x: most - inside.get(x, 0) for x, most in self.cubes.items()}, self.cubes)
        yield from by_colour("out", table.turns[-1].out if table.turns else {}, self.cubes)
        seen = table.question.seen if table.question else dict.fromkeys(self._seen, 0.0)
        self._seen = self._seen or tuple(seen)
        if tuple(seen) != self._seen:
            raise fault("numbers of a question", [*seen], f"those of the first: {[*self._seen]}", "show them in each")
        for name, value in seen.items():
            yield name, value, float("inf")

    def _figure(self, table: AskedTable) -> Any:
        turns = table.turns[-_SHOWN:] or (Turn(state=table.state),)
        return figure(turns, [*self.cubes], turns[-1].says or self.game.title)

    def restore(self, kept: Kept[AskedTable], *, seed: int | None = None) -> Any:
        if seed is not None:
            raise UsageError("seed of restore is given; allowed is none for a game that asks; call reset(seed=...)")
        return super().restore(kept)

    def greedy(self) -> int:
        """Return the usual answer."""
        question = self.table.question
        return self.actions.index(question.usual) if question is not None else 0

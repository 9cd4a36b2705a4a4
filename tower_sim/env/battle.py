"""Environments for battles of Dead Reckoning: one side against the game's own policy, or all sides in turn.

The choice is which ability to use, and on which cube, or to pass. Cubes of one colour in one place are alike, so that a
battle has a fixed list of actions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv  # pyright: ignore[reportMissingTypeStubs]

from tower_sim.apparatus import Board, with_board
from tower_sim.drops import TooManyFailedDraws
from tower_sim.env.base import Seen, TowerEnv
from tower_sim.errors import check_one, fault
from tower_sim.games.dead_reckoning import (
    GAME,
    Battle,
    BattleRules,
    Policy,
    Use,
    advance,
    board_figure,
    due,
    list_places,
    start,
    when_behind,
)
from tower_sim.runs import Array
from tower_sim.values import ZONE, check_seed, count_by_colour

RULES: Mapping[str, Any] = {
    "cubes": {"purple": 6, "green": 6},
    "abilities": dict.fromkeys(("purple", "green"), ("throw:2", "move", "strength:1", "take_off")),
}
"""The battle when no rules are given. The game's own default has no abilities, and so no choices."""
_PASS = "pass"


class DeadReckoningEnv(TowerEnv[Battle]):
    """An environment for one side of a battle. The policy `opponent` plays the other sides.

    The reward is 1 if the side wins, -1 if another side wins, and 0 if nobody does. `side` is a colour, by default the
    active side, or in a tie-break the first one.
    """

    game = GAME

    def __init__(
        self, rules: Mapping[str, Any] | None = None, *, side: str = "", opponent: Policy = when_behind, **options: Any
    ) -> None:
        read = GAME.read({GAME.tables[0]: rules or RULES})
        self.side = check_one("side", side or read.attacker or read.colours[0], read.colours)
        self._opponents = {colour: opponent for colour in read.colours if colour != self.side}
        super().__init__(rules or RULES, **options)

    @property
    def _identity(self) -> tuple[object, ...]:
        return *super()._identity, self.side

    def _actions(self) -> tuple[str, ...]:
        return tuple(_list_actions(self.rules, self.model.board, self.side))

    def _begin(self, seed: int) -> Battle:
        return self._next(start(self.model, self.rules, seed))

    def _next(self, table: Battle) -> Battle:
        while not table.over and not (_is_choice(table) and table.turn == self.side):
            table = advance(self.model, table, self._opponents)
        return table

    def _after(self, table: Battle, action: int) -> tuple[Battle, float]:
        then = self._next(_use(self.model, table, self.actions[action]))
        return then, _reward(then, self.side)

    def _mask(self, table: Battle) -> list[bool]:
        uses = _list_uses(table) if _is_choice(table) else {}
        return [action in uses and table.turn == self.side for action in self.actions]

    def _elements(self, table: Battle) -> Iterator[Seen]:
        return _elements(table, self.side)

    def _figure(self, table: Battle) -> Any:
        return board_figure(with_board(self.shape), table.state, f"{self.side} to choose, step {len(table.steps)}")

    def greedy(self) -> int:
        """Return the action of the game's own policy."""
        table = self.table
        use = when_behind(table, table.turn, table.uses(table.turn))
        return self.actions.index(_PASS if use is None else _name_use(table, use))


class DeadReckoningAEC(AECEnv[str, Any, Any]):
    """A battle in which agents play all sides in turn, with the AEC interface of PettingZoo.

    The agents are the colours. An observation is a dictionary with `observation` and `action_mask`. Rules, options and
    rewards are those of `DeadReckoningEnv`.
    """

    metadata: dict[str, Any] = {"name": "dead_reckoning_v0", "render_modes": ["rgb_array"], "is_parallelizable": False}

    def __init__(self, rules: Mapping[str, Any] | None = None, **options: Any) -> None:
        super().__init__()
        colours = GAME.read({GAME.tables[0]: rules or RULES}).colours
        self._sides = {colour: DeadReckoningEnv(rules, side=colour, **options) for colour in colours}
        masks = {colour: spaces.Box(0, 1, (len(own.actions),), np.int8) for colour, own in self._sides.items()}
        self._spaces = {
            colour: spaces.Dict({"observation": own.observation_space, "action_mask": masks[colour]})
            for colour, own in self._sides.items()
        }
        self.possible_agents = [*colours]
        self.render_mode = self._sides[colours[0]].render_mode
        self._rng = np.random.default_rng()
        self.agents: list[str] = []

    def action_space(self, agent: str) -> Any:
        return self._sides[agent].action_space

    def observation_space(self, agent: str) -> Any:
        return self._spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin an episode. `options` are ignored."""
        if seed is not None:
            self._rng = np.random.default_rng(check_seed(seed))
        self.agents = [*self.possible_agents]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}
        first = self._sides[self.agents[0]]
        self._follow(start(first.model, first.rules, int(self._rng.integers(1 << 63))))

    def step(self, action: Any) -> None:
        """Take one step. The mask must allow the action."""
        if not self.agents:
            raise fault("the environment", "at its end, or not reset yet", "one that goes on", "call reset() first")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        own = self._sides[agent]
        name = own.actions[own.check_action(action)]
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        try:
            self._follow(_use(own.model, own.table, name))
        except TooManyFailedDraws as error:
            self.truncations = dict.fromkeys(self.agents, True)
            self.infos = {each: {"failed": str(error)} for each in self.agents}
        self._accumulate_rewards()

    def observe(self, agent: str) -> dict[str, Array]:
        own = self._sides[agent]
        return {"observation": own.observation, "action_mask": own.action_masks().astype(np.int8)}

    def render(self) -> Any:
        return self._sides[self.possible_agents[0]].render()

    def close(self) -> None:
        for own in self._sides.values():
            own.close()

    def _follow(self, battle: Battle) -> None:
        model = self._sides[self.possible_agents[0]].model
        while not battle.over and not _is_choice(battle):
            battle = advance(model, battle, {})
        for own in self._sides.values():
            own.put(battle)
        self.agent_selection = self.agents[0] if battle.over else battle.turn
        self.terminations = dict.fromkeys(self.agents, battle.over)
        self.rewards = {agent: _reward(battle, agent) for agent in self.agents}


def _is_choice(battle: Battle) -> bool:
    return due(battle) == "ability" and bool(battle.uses(battle.turn))


def _list_actions(rules: BattleRules, board: Board, side: str) -> Iterator[str]:
    yield _PASS
    for number, ability in enumerate(rules.abilities[side]):
        match ability.kind:
            case "move":
                for colour in rules.colours:
                    for zone, goals in board.neighbours.items():
                        yield from (f"{number}: move {colour} from {zone} to {goal}" for goal in goals)
            case "take_off":
                places = (place.removeprefix(ZONE) for place in list_places(board))
                yield from (f"{number}: take_off {side} from {place}" for place in places)
            case _:
                yield f"{number}: {ability.text}"


def _name_use(battle: Battle, use: Use) -> str:
    ability = battle.ability(battle.turn, use)
    if use.cube is None:
        return f"{use.ability}: {ability.text}"
    (cube, place), *_ = ((cube, place) for cube, place in battle.places.items() if cube.id == use.cube)
    to = f" to {use.zone}" if use.zone else ""
    return f"{use.ability}: {ability.kind} {cube.colour} from {place.removeprefix(ZONE)}{to}"


def _list_uses(battle: Battle) -> dict[str, Use | None]:
    return {_PASS: None} | {_name_use(battle, use): use for use in reversed(battle.uses(battle.turn))}


def _use(model: Any, battle: Battle, action: str) -> Battle:
    use = _list_uses(battle)[action]
    return advance(model, battle, {battle.turn: lambda _battle, _side, _uses: use})


def _reward(battle: Battle, side: str) -> float:
    winner = battle.result().winner if battle.over else None
    return 0.0 if winner is None else 1.0 if winner == side else -1.0


def _elements(battle: Battle, side: str) -> Iterator[Seen]:
    yield "passes", battle.passes, 2
    supply, stuck = (count_by_colour(cubes) for cubes in ((*battle.supply, *battle.island), battle.state.cubes))
    by_place = {place: count_by_colour(battle.state.board.at(place)) for place in list_places(battle.board)}
    for colour in sorted(battle.rules.colours, key=lambda each: each != side):
        most = battle.rules.owned(colour)
        who = "own" if colour == side else colour
        yield from ((f"{who} {place}", counts.get(colour, 0), most) for place, counts in by_place.items())
        yield f"{who} supply", supply.get(colour, 0), most
        yield f"inside {who}", stuck.get(colour, 0), most
        gone = {use.ability for used_by, use in battle.used if used_by == colour}
        yield from ((f"{who} ability {i}", i not in gone, 1) for i in range(len(battle.rules.abilities[colour])))

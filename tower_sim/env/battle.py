"""Battles of Dead Reckoning whose sides are asked which ability to use, and on which cube, or to pass."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from tower_sim.apparatus import Board
from tower_sim.env.environment import GameEnv
from tower_sim.games import Decision, GameTower, Turn
from tower_sim.games.dead_reckoning import GAME, Battle, BattleRules, Use, advance, due, list_places, start, when_behind
from tower_sim.values import ZONE, count_by_colour

BATTLE: Mapping[str, Any] = {
    "cubes": {"purple": 6, "green": 6},
    "abilities": dict.fromkeys(("purple", "green"), ("throw:2", "move", "strength:1", "take_off")),
}
"""The battle when no rules are given. The game's own default has no abilities, and so no choices."""
_PASS = "pass"


def battle_env(rules: Mapping[str, Any] | None = None, **options: Any) -> GameEnv:
    """Return an environment of `BattleGame` for one side, without `rules` those of BATTLE; its reward is `win`."""
    return GameEnv(BattleGame(), win, rules or BATTLE, **options)


def win(turn: Turn, player: str) -> float:
    """Return 1 if the side wins in this turn, -1 if another side wins, and 0 else."""
    winner = turn.facts.get("winner")
    return 0.0 if winner is None else 1.0 if winner == player else -1.0


class BattleGame(type(GAME)):
    """A battle of Dead Reckoning in which the sides are asked which ability to use, and on which cube, or to pass.

    Cubes of one colour in one place are alike, so that a battle has a fixed list of options.
    """

    def players(self, rules: Any) -> tuple[str, ...]:
        """Return the sides, first the active one."""
        return tuple(sorted(rules.colours, key=lambda colour: colour != rules.attacker))

    def list_options(self, model: Any, rules: Any) -> tuple[str, ...]:
        return tuple(dict.fromkeys(_list_options(model.board, rules)))

    def play(self, tower: GameTower, rules: Any) -> Generator[Any, str]:
        now, model = start(tower.model, rules, tower.seed, tower.run or 0), tower.model
        while not now.over:
            side, use = now.turn, None
            ways = now.uses(side) if due(now) == "ability" else ()
            if ways:
                uses = {_PASS: None} | {_name_use(now, way): way for way in reversed(ways)}
                usual = when_behind(now, side, ways)
                name = _PASS if usual is None else _name_use(now, usual)
                use = uses[(yield Decision((*uses,), name, _list_seen(now), side))]
            now = advance(model, replace(now, seed=tower.seed), {side: partial(_answer, use)})
            facts = {"side": now.steps[-1].side or None, "winner": now.result().winner if now.over else None}
            tower.follow(now.state, now.last)
            yield Turn(facts=facts, kind=now.steps[-1].kind, entry=now)


def _answer(use: Use | None, _battle: Battle, _side: str, _uses: Sequence[Use]) -> Use | None:
    return use


def _list_options(board: Board, rules: BattleRules) -> Iterator[str]:
    yield _PASS
    for side in rules.colours:
        for number, ability in enumerate(rules.abilities[side]):
            if ability.kind == "move":
                ways = [(zone, goal) for zone, goals in board.neighbours.items() for goal in goals]
                yield from (f"{number}: move {x} from {zone} to {goal}" for x in rules.colours for zone, goal in ways)
            elif ability.kind == "take_off":
                places = (place.removeprefix(ZONE) for place in list_places(board))
                yield from (f"{number}: take_off {side} from {place}" for place in places)
            else:
                yield f"{number}: {ability.text}"


def _name_use(battle: Battle, use: Use) -> str:
    ability = battle.ability(battle.turn, use)
    if use.cube is None:
        return f"{use.ability}: {ability.text}"
    (cube, place), *_ = ((cube, place) for cube, place in battle.places.items() if cube.id == use.cube)
    to = f" to {use.zone}" if use.zone else ""
    return f"{use.ability}: {ability.kind} {cube.colour} from {place.removeprefix(ZONE)}{to}"


def _list_seen(battle: Battle) -> dict[str, tuple[float, float]]:
    rules, supply = battle.rules, count_by_colour((*battle.supply, *battle.island))
    seen: dict[str, tuple[float, float]] = {"passes": (battle.passes, 2)}
    for side in rules.colours:
        used = {use.ability for colour, use in battle.used if colour == side}
        seen[f"supply_{side}"] = supply.get(side, 0), rules.owned(side)
        seen |= {f"{side}_ability_{i}": (i not in used, 1) for i in range(len(rules.abilities[side]))}
    return seen

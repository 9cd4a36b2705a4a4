"""How a side uses its abilities when nobody is there to choose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from tower_sim.cubes import Cube
from tower_sim.games.dead_reckoning.abilities import Use, zones_of
from tower_sim.games.dead_reckoning.battle import Battle
from tower_sim.games.dead_reckoning.worths import EXPLOSIVE, kind, worth


def when_behind(battle: Battle, side: str, uses: Sequence[Use]) -> Use | None:
    """Pass while `side` would win as things lie; else take what surely helps most, then what may help.

    Strength first, then the move that helps most (never into an explosive zone), then a throw, then a card, then
    taking off a cube that gives no strength. A win bonus is claimed at once: it costs nothing.
    """
    zones = {cube.id: (cube, zone) for cube, zone in zones_of(battle.places).items()}
    chances = {use: _preference(battle, side, use, zones) for use in uses}
    result = battle.result()
    helpful = [use for use in uses if chances[use] is not None]
    claims = [use for use in helpful if battle.ability(side, use).kind == "win_bonus"]
    if claims or result.winner == side:
        return claims[0] if claims else None
    return min(helpful, key=lambda use: chances[use] or (), default=None)


def _preference(battle: Battle, side: str, use: Use, zones: Mapping[int, tuple[Cube, str]]) -> tuple[int, int] | None:
    """Rank a use, lower is better; None: better not. `zones` has each cube on the board and its zone, by number."""
    ability = battle.ability(side, use)
    if ability.kind == "move":
        cube, zone = zones[cast("int", use.cube)]
        goal = battle.board.zone(cast("str", use.zone))
        gain = (worth(goal).strength - worth(battle.board.zone(zone)).strength) * (1 if cube.colour == side else -1)
        return (1, -gain) if gain > 0 and kind(goal) != EXPLOSIVE else None
    if ability.kind == "take_off":
        zone = zones[cast("int", use.cube)][1] if use.cube in zones else None
        return None if zone and worth(battle.board.zone(zone)).strength else (4, 0)
    order = {"strength": 0, "throw": 2, "card": 3, "win_bonus": 5}
    return (order[ability.kind], -ability.count)

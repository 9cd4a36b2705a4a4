"""The JSON document of a run of a declared game."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tower_sim.cubes import count_by_colour
from tower_sim.games.declared.play import Throw
from tower_sim.games.declared.rules import DeclaredRules
from tower_sim.games.game import Turn

SCHEMA = "tower-sim/declared-game"
VERSION = 1


def of_run(turns: Sequence[Turn], rules: DeclaredRules, *, apparatus: str, model: str, seed: int) -> dict[str, Any]:
    """Return the document, ready for `json.dumps`: the throws that landed; counts list every colour of the game."""
    return {
        "schema": SCHEMA,
        "version": VERSION,
        "seed": str(seed),
        "model": model,
        "apparatus": apparatus,
        "game": rules.declaration.name,
        "rules": rules.plain,
        "knocks": {str(drop): rules.knocks[drop] for drop in sorted(rules.knocks)},
        "drops": [_throw(turn.entry, rules.declaration.colours) for turn in turns if turn.failed is None],
    }


def _throw(throw: Throw, colours: Sequence[str]) -> dict[str, Any]:
    said = {"event": throw.effect.event, "says": throw.effect.says, "amount": throw.amount} if throw.effect else None
    values = {name: read.value for name, read in throw.read.items()}
    return {
        "index": throw.index,
        "round": throw.round,
        "phase": throw.phase,
        "status": str(throw.status),
        "attempts": throw.attempts,
        "unloaded": throw.unloaded,
        "thrown": count_by_colour(throw.thrown, colours),
        "emerged": count_by_colour(throw.out, colours),
        "inside": count_by_colour(throw.table.tower.cubes, colours),
        "pools": {pool: count_by_colour(cubes, colours) for pool, cubes in throw.table.pools.items()},
        "read": {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()},
        "effect": said,
    }

"""A battle as the document of `battle --json`."""

from __future__ import annotations

from typing import Any

from tower_sim.games.dead_reckoning.battle import Battle
from tower_sim.games.dead_reckoning.sides import Setup, side_words

SCHEMA = "tower-sim/battle"
VERSION = 2


def battle_json(battle: Battle) -> dict[str, Any]:
    """Return the document of `battle --json`, ready for `json.dumps`; `result` and `winner` are null before the end."""
    colours = battle.setup.colours
    document = head_json(battle) | {"steps": [step.to_json(colours) for step in battle.steps]}
    if not battle.over:
        return document | {"result": None, "winner": None, "consequences": None}
    result = battle.result()
    sides = {
        colour: {
            "strength": side.strength,
            "plunder": {"coins": side.coins, "cargo": side.cargo, "choice": side.choice},
            "damage_given": side.damage_given,
            "damage_taken": side.damage_taken,
        }
        for colour, side in result.sides.items()
    }
    consequences = {
        "legendary": result.legendary,
        "encounter_effect": result.encounter_effect,
        "merchant_mode": list(result.merchant_mode),
        "buildings_removed": result.removed,
        "damage": {colour: side.damage for colour, side in result.sides.items()},
        "sunk": list(result.sunk),
        "terror": list(result.terror),
        "barred": result.barred,
    }
    return document | {"result": sides, "winner": result.winner, "consequences": consequences}


def head_json(battle: Battle) -> dict[str, Any]:
    """Return what the documents of one battle and of many begin with."""
    return setup_json(battle.setup, seed=battle.seed, model=battle.state.model, apparatus=battle.state.apparatus)


def setup_json(setup: Setup, *, seed: int, model: str, apparatus: str) -> dict[str, Any]:
    """Return what `head_json` does, before there is a battle."""
    return {
        "schema": SCHEMA,
        "version": VERSION,
        "seed": str(seed),
        "model": model,
        "apparatus": apparatus,
        "kind": setup.kind,
        "active": setup.active or None,
        "cubes": {side.colour: side.cubes for side in setup.sides},
        "sides": {side.colour: side_words(side) for side in setup.sides},
        "provoked": setup.provoked,
        "abilities": {side.colour: [ability.text for ability in side.abilities] for side in setup.sides},
        "rulings": setup.rulings.choices,
    }

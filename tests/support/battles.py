"""Battles of few cubes, told what falls, and how their steps are read."""

from typing import Any

from support.ships import DiceShip, ScriptedShip

from tower_sim.games.dead_reckoning import BattleRules, start
from tower_sim.games.dead_reckoning.battle import play


def rules_of(combat: Any = "ship", active: Any = "", rulings: Any = None, provoked: Any = False, **sides: Any):
    """The rules of a battle whose sides are numbers of cubes, or tables of all that they have."""
    tables = {colour: dict(of) if isinstance(of, dict) else {"cubes": of} for colour, of in sides.items()}
    cubes = {colour: of.pop("cubes", 1) for colour, of in tables.items()}
    abilities = {colour: of.pop("abilities", ()) for colour, of in tables.items()}
    more: Any = {"abilities": abilities, "sides": tables, "rulings": rulings or {}}
    return BattleRules(cubes=cubes, combat=combat, active=active, provoked=provoked, **more)


def setup(violet: int = 1, green: int = 1, kind: Any = "ship", rulings: Any = None, active: str = "", **sides: Any):
    """A combat of violet (cubes 0, 1, 2, ... of a supply of 10) against green (10, 11, 12, ...)."""
    tables = {
        colour: {"cubes": cubes, "supply": 10} | sides.get(colour + "_side", {})
        for colour, cubes in (("violet", violet), ("green", green))
    }
    return rules_of(kind, active, rulings, **tables)


def able(*texts):
    return {"abilities": texts}


def scripted(choices):
    """Make a policy that takes these choices in turn: None, or a text like `throw:2` or `move 3 one`."""
    left = list(choices)

    def policy(battle, side, uses):
        if (choice := left.pop(0)) is None:
            return None
        text, *where = choice.split()
        cube, zone = (*where, None, None)[:2]
        wanted = (text, None if cube is None else int(cube), zone)
        return next(use for use in uses if (battle.ability(side, use).text, use.cube, use.zone) == wanted)

    return policy


def run(script, combat, violet=(), green=(), seed=1, after=None):
    """Play a scripted battle to its end and return it, add it after each step to `after`; sides have their choices."""
    policies = {"violet": scripted(violet), "green": scripted(green)}
    model = ScriptedShip(script=tuple(script))
    every = [*play(model, start(model, combat, seed), policies)]
    battle = every[-1]
    if after is not None:
        after += every
    assert sum(step.drawn for step in battle.steps) == len(script), "the battle asked less than the script tells"
    return battle


def kinds(battle):
    return [step.kind for step in battle.steps]


def at(battle):
    return {cube.id: place.removeprefix("zone:") for cube, place in battle.places.items()}


def numbers(cubes):
    return [cube.id for cube in cubes]


PLACES = ["bang", "coin", "cargo", "both", "choice", "damage", "one", "two"]
ODD_PLACES = ["border", "table", "inside:ship", "one+two", "on:one", "coin+border"]
CHANCES = dict.fromkeys(PLACES, 0.1) | dict.fromkeys(ODD_PLACES[:5], 0.04)


def any_use(battle, side, uses):
    """A policy without a mind of its own: takes some use or passes, as the number of steps has it."""
    return [None, *uses][len(battle.steps) * 7 % (len(uses) + 1)]


ANY = dict.fromkeys(["violet", "green", "blue"], any_use)
ROUGH = DiceShip(CHANCES, pushed=0.1, failure_rate=0.1)

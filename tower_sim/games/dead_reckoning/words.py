"""Battles of Dead Reckoning in words."""

from __future__ import annotations

from collections.abc import Iterable

from tower_sim.games.dead_reckoning.battle import Battle, Step
from tower_sim.games.dead_reckoning.combat import Result
from tower_sim.games.dead_reckoning.rules import Ability, BattleRules
from tower_sim.tools import count_noun
from tower_sim.values import ZONE, Cube, Status, count_by_colour

NUMBERS = {
    "strength": "strength",
    "coins": "coins",
    "cargo": "cargo",
    "choice": "coins or cargo",
    "damage_given": "damage given",
    "damage_taken": "damage taken",
}
_COMBATS = {"ship": "ship against ship", "merchant": "ship against non-player", "building": "ship against buildings"}
_STEPS = {"throw": "throw", "shake": "ship shaken", "rethrow": "thrown again", "explosion": "explosive shot"}
_PLACES = {
    "border": "on a border", "table": "on the table", "inside:ship": "in the ship", "zone:choice": "coins or cargo"
}  # fmt: skip
_EFFECTS = {"win": "winning", "lose": "losing"}


def describe_rules(rules: BattleRules) -> str:
    """Return who fights whom, and what the sides have and can."""
    active = {rules.attacker: " (active)"}
    sides = " against ".join(f"{colour} {number}{active.get(colour, '')}" for colour, number in rules.cubes.items())
    parts = [f"{sides}, {_COMBATS.get(rules.combat, 'tie-break')}"]
    for colour in rules.colours:
        side = rules.side(colour)
        has = [f"{count_noun(side.supply, 'cube')} in its supply"] if side.supply is not None else []
        has += [f"{side.island} on islands"] * bool(side.island) + [f"{side.damage} damage"] * bool(side.damage)
        parts += [f"{colour} has {', '.join(has)}"] * bool(has) + [f"{colour} is in pirate mode"] * side.pirate
        parts += [f"{colour} can {ability.words()}" for ability in rules.abilities[colour]]
    return "; ".join(parts)


def describe_step(step: Step, rules: BattleRules) -> str:
    """Return one step of a battle as a phrase."""
    if step.kind == "pass":
        return f"{step.side} passes"
    what = _STEPS.get(step.kind, "")
    if step.use:
        zone = describe_place(ZONE + step.use.zone) if step.use.zone else ""
        what = f"{step.side} {Ability.parse(step.ability).words('s', zone)} by an ability"
    onto_board = (*step.thrown, *step.placed)
    cubes = (*onto_board, *step.taken)
    places = {landing.cube: landing.place for landing in step.landings}
    there = {place: [cube for cube in onto_board if places.get(cube) == place] for place in sorted({*places.values()})}
    remarks = [f"{describe_place(place)}: {_cubes(cubes, rules)}" for place, cubes in there.items() if cubes]
    remarks += [f"{sum(step.short.values())} missing"] * any(step.short.values())
    remarks += [f"{len(step.lost)} lost"] * bool(step.lost)
    remarks += [step.status.sentence.rstrip(".")] * (step.status is not Status.SETTLED)
    return "; ".join([what + (f" ({_cubes(cubes, rules)})" if cubes else ""), *remarks])


def describe_place(place: str) -> str:
    """Return the name of a place on the board for people."""
    return _PLACES.get(place, place.removeprefix(ZONE).replace("_", " "))


def _cubes(cubes: Iterable[Cube], rules: BattleRules) -> str:
    return ", ".join(f"{colour} {count}" for colour, count in count_by_colour(cubes, rules.colours).items() if count)


def list_consequences(result: Result, rules: BattleRules) -> list[str]:
    """Return what follows from a battle for ships, goods and achievements, as sentences without full stops."""
    lines = [f"the encounter's card has its effect for {_EFFECTS[result.encounter_effect or 'win']}"] * bool(
        result.encounter_effect
    )
    lines += [f"the buildings of {rules.buildings} are removed"] * result.removed
    for colour, plunder in result.to_place.items():
        coins = "coin" if plunder.coins == 1 else "coins"
        goods = {coins: plunder.coins, "cargo": plunder.cargo, "coins or cargo": plunder.choice}
        if text := ", ".join(f"{number} {name}" for name, number in goods.items() if number):
            lines.append(f"{colour} places {text} in holds or on the island, or gives them back")
    lines += [f"{result.legendary} puts a cube on Legendary"] * (result.legendary is not None)
    lines += [f"the ship of {colour} sinks" for colour in result.sunk]
    lines += [f"the ship of {colour} leaves pirate mode" for colour in result.merchant_mode]
    lines += [f"{colour} sank another player's ship" for colour in result.terror]
    return [*lines, *[f"{result.barred} may not deal with this island"] * (result.barred is not None)]


def describe_result(battle: Battle) -> str:
    """Return the result of a finished battle as text: a table of the sides' numbers, who wins, and what follows."""
    rules, result = battle.rules, battle.result()
    width = max(len(colour) for colour in rules.colours)
    lines = ["", "  ".join(["".ljust(width), *NUMBERS.values()])]
    for colour, side in result.sides.items():
        cells = [str(getattr(side, name)).rjust(len(title)) for name, title in NUMBERS.items()]
        lines.append("  ".join([colour.ljust(width), *cells]))
    is_tie = rules.attacker == result.winner and len({side.strength for side in result.sides.values()}) == 1
    lines.append(f"\n{result.winner} wins" + (": ties go to the active side" if is_tie else ""))
    return "\n".join([*lines, *list_consequences(result, rules)])

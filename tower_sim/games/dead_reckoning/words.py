"""Reports of battles of Dead Reckoning: the JSON document, lines on the terminal, and statistics of many battles."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from tower_sim.games.dead_reckoning.answers import BattleAnswer, BattleHead, Goods, SideWords
from tower_sim.games.dead_reckoning.battle import Battle, Step
from tower_sim.games.dead_reckoning.combat import SideResult, Worth
from tower_sim.games.dead_reckoning.rules import Ability, BattleRules
from tower_sim.games.odds import mean_text, share_text
from tower_sim.runs import FEWEST, too_few
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


def battle_json(battle: Battle) -> BattleAnswer:
    """Return the document of `play dead_reckoning --json`."""
    result = battle.result() if battle.over else None
    return {
        "schema": "tower-sim/battle",
        "version": 4,
        **head_json(battle),
        "steps": [step.to_json(battle.rules.colours) for step in battle.steps],
        "result": result
        and {
            colour: {
                "strength": side.strength,
                "plunder": _goods_json(side),
                "damage_given": side.damage_given,
                "damage_taken": side.damage_taken,
            }
            for colour, side in result.sides.items()
        },
        "winner": result and result.winner,
        "consequences": result
        and {
            "legendary": result.legendary,
            "encounter_effect": result.encounter_effect,
            "merchant_mode": list(result.merchant_mode),
            "buildings_removed": result.removed,
            "damage": {colour: side.damage for colour, side in result.sides.items()},
            "sunk": list(result.sunk),
            "terror": list(result.terror),
            "barred": result.barred,
            "to_place": {colour: _goods_json(plunder) for colour, plunder in result.to_place.items()},
        },
    }


def _goods_json(of: SideResult | Worth) -> Goods:
    return {"coins": of.coins, "cargo": of.cargo, "choice": of.choice}


def head_json(battle: Battle) -> BattleHead:
    """Return the head of a battle's document."""
    return setup_json(battle.rules, seed=battle.seed, model=battle.state.model, apparatus=battle.state.apparatus)


def setup_json(rules: BattleRules, *, seed: int, model: str, apparatus: str) -> BattleHead:
    """Return the head of the document of a battle that has not begun."""
    return {
        "seed": str(seed),
        "model": model,
        "apparatus": apparatus,
        "game": "dead_reckoning",
        "kind": rules.combat,
        "active": rules.attacker or None,
        "cubes": rules.cubes,
        "sides": {colour: cast("SideWords", rules.side(colour).model_dump(mode="json")) for colour in rules.colours},
        "provoked": rules.provoked,
        "abilities": {side: [ability.text for ability in some] for side, some in rules.abilities.items()},
        "rulings": rules.rulings.choices,
    }


# On the terminal


def head_words(document: Mapping[str, Any]) -> str:
    """Return the heading of a battle from its document."""
    return f"{_head(document)}; cubes are {'+'.join(document['cubes'])}"


def _head(document: Mapping[str, Any]) -> str:
    cubes: Mapping[str, int] = document["cubes"]
    sides = " against ".join(f"{colour} {number}" for colour, number in cubes.items())
    active = f" ({document['active']} is active)" if document["active"] else ""
    lines = [f"Dead Reckoning, {_COMBATS.get(document['kind'], 'tie-break')}: {sides}{active}"]
    for colour in cubes:
        side = document["sides"][colour]
        has = [f"{count_noun(side['supply'], 'cube')} in its supply"] * (side["supply"] is not None)
        has += [f"{side['island']} on islands"] * bool(side["island"])
        has += [f"{side['damage']} damage"] * bool(side["damage"])
        lines += [f"{colour} has {', '.join(has)}"] * bool(has) + [f"{colour} is in pirate mode"] * side["pirate"]
        lines += [f"{colour} can {Ability.parse(text).words()}" for text in document["abilities"][colour]]
    lines.append(f"ship {document['apparatus']}, {document['model']}, seed {document['seed']}")
    return "\n".join(lines)


def step_line(number: int, step: Step, rules: BattleRules) -> str:
    """Return one step as a line."""
    if step.kind == "pass":
        return f"{number:3}  {step.side} passes"
    what = _STEPS.get(step.kind, "")
    if step.use:
        what = f"{step.side} {Ability.parse(step.ability).words('s', step.use.zone or '')} (ability)"
    onto_board = (*step.thrown, *step.placed)
    cubes = (*onto_board, *step.taken)
    line = f"{number:3}  {what:<18} {_cubes(cubes, rules.colours) if cubes else '':<7}"
    places = {landing.cube: landing.place for landing in step.landings}
    there = {place: [cube for cube in onto_board if places.get(cube) == place] for place in sorted(places.values())}
    remarks = [f"{_place(place)} {_cubes(cubes, rules.colours)}" for place, cubes in there.items() if cubes]
    remarks += [f"{sum(step.short.values())} missing"] * any(step.short.values())
    remarks += [f"{len(step.lost)} lost"] * bool(step.lost)
    remarks += [step.status.sentence.rstrip(".")] * (step.status is not Status.SETTLED)
    remarks += [f"drawn {step.attempts} times"] * (step.attempts > 1)
    return f"{line}  {', '.join(remarks)}".rstrip()


def battle_summary(battle: Battle) -> str:
    """Return the result of a finished battle as text."""
    rules, result = battle.rules, battle.result()
    width = max(len(colour) for colour in rules.colours)
    lines = ["", "  ".join(["".ljust(width), *NUMBERS.values()])]
    for colour, side in result.sides.items():
        cells = [str(getattr(side, name)).rjust(len(title)) for name, title in NUMBERS.items()]
        lines.append("  ".join([colour.ljust(width), *cells]))
    is_tie = rules.attacker == result.winner and len({side.strength for side in result.sides.values()}) == 1
    lines.append(f"\n{result.winner} wins" + (": ties go to the active side" if is_tie else ""))
    if result.encounter_effect:
        lines.append(f"the encounter's card has its effect for {_EFFECTS[result.encounter_effect]}")
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
    lines += [f"{result.barred} may not deal with this island"] * (result.barred is not None)
    return "\n".join(lines)


def odds_report(document: Mapping[str, Any]) -> str:
    """Return the report of many battles from the document of `play dead_reckoning --games N --json`."""
    summary: Mapping[str, Any] = document["summary"]
    colours = list(document["cubes"])
    width = max(len("landed"), *(len(colour) for colour in colours))
    lines = [*_summarize(summary, colours), "", _head(document)]
    few = too_few(summary["games"], "battle")
    lines += [few or f"{count_noun(summary['games'], 'battle')}; in brackets 95 % intervals", ""]
    for colour in colours:
        lines.append(f"{colour:{width}}  wins {share_text(summary['win'][colour])}")
        chances = {"its ship sinks": summary["sink"], "it puts a cube on Legendary": summary["legendary"]}
        shares = [f"{what} {share_text(of[colour])}" for what, of in chances.items() if colour in of]
        means = [f"{NUMBERS[name]} {mean_text(value)}" for name, value in summary["means"][colour].items()]
        lines += [f"{'':{width}}  {', '.join(part)}" for part in (shares, means[:4], means[4:]) if part]
    if summary["buildings_removed"]:
        lines.append(f"the buildings are removed {share_text(summary['buildings_removed'])}")
    chains = summary["explosion_chains"]
    histogram = ", ".join(f"{length}: {count}" for length, count in chains["histogram"].items())
    lines.append(f"\nexplosive shots in a chain: {mean_text(chains['length'])}; how often which length: {histogram}")
    lines += ["", "share of cubes  as thrown  in the end"]
    final = summary["places"]["final"]
    for place, share in summary["places"]["landed"].items():
        if share["count"] or place.startswith(ZONE):
            lines.append(f"{_place(place):<17}{share['share']:8.1%}{final.get(place, {}).get('share', 0.0):12.1%}")
    draws, steps = summary["draws"], summary["steps"]
    lines.append(
        f"\n{count_noun(draws['landed'], 'throw')}, {draws['redrawn']} drawn again "
        f"({draws['redraw_rate']:.2%}); cubes thrown again "
        f"{count_noun(steps['rethrow'], 'time')}, ship shaken {count_noun(steps['shake'], 'time')}; "
        f"{count_noun(summary['cubes']['brought'], 'cube')} in all"
    )
    return "\n".join(lines)


def _summarize(summary: Mapping[str, Any], colours: Sequence[str]) -> list[str]:
    wins = {colour: summary["win"][colour] for colour in colours}
    first, *others = sorted(colours, key=lambda colour: -wins[colour]["share"])
    few = summary["games"] < FEWEST
    sure = not few and all(wins[first]["interval"][0] > wins[other]["interval"][1] for other in others)
    rest = ", ".join(f"{colour} {100 * wins[colour]['share']:.0f}" for colour in others)
    ahead = f"who is ahead is not sure after {summary['games']}"
    if few or sure:
        ahead = "too few battles to tell who is ahead" if few else f"{first} is ahead, that is sure"
    chances = f"{first} wins about {100 * wins[first]['share']:.0f} of 100 battles like this, {rest}: {ahead}."
    means = ((colour, summary["means"][colour]) for colour in colours)
    averages = [
        f"{colour} has a strength of {of['strength']['mean']:.1f} and takes {of['damage_taken']['mean']:.1f} damage"
        for colour, of in means
    ]
    return [chances, f"On average {'; '.join(averages)}."]


def _place(place: str) -> str:
    return _PLACES.get(place, place.removeprefix(ZONE).replace("_", " "))


def _cubes(cubes: Iterable[Cube], colours: Sequence[str]) -> str:
    return "+".join(str(count) for count in count_by_colour(cubes, colours).values())

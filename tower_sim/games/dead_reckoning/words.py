"""A battle of Dead Reckoning on the terminal: a line a step, then the result; or the odds of many."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tower_sim.cubes import Cube, count_by_colour
from tower_sim.games.dead_reckoning.battle import Battle
from tower_sim.games.dead_reckoning.sides import Setup
from tower_sim.games.dead_reckoning.step import Step
from tower_sim.games.odds import said_mean, said_proportion
from tower_sim.outcome import Status

_KINDS = {"ship": "ship against ship", "merchant": "ship against non-player", "building": "ship against buildings"}


def head_words(document: Mapping[str, Any]) -> str:
    """Return what is fought, by whom and with what, from what the battle's document begins with."""
    return f"{_head(document)}; cubes are {'+'.join(document['cubes'])}"


def _head(document: Mapping[str, Any]) -> str:
    """Say the forces, ship, model and seed that a document begins with."""
    cubes: Mapping[str, int] = document["cubes"]
    sides = " against ".join(f"{colour} {number}" for colour, number in cubes.items())
    active = f" ({document['active']} is active)" if document["active"] else ""
    lines = [f"Dead Reckoning, {_KINDS.get(document['kind'], 'tie-break')}: {sides}{active}"]
    for colour in cubes:
        has = list(document["abilities"][colour])
        said = document["sides"][colour]
        has += [
            f"{word} {said[word]}"
            for word in ("supply", "island", "damage")
            if said[word] or (word, said[word]) == ("supply", 0)
        ]
        has += ["pirate"] * said["pirate"]
        lines += [f"{colour} has {', '.join(has)}"] * bool(has)
    lines.append(f"ship {document['apparatus']}, {document['model']}, seed {document['seed']}")
    return "\n".join(lines)


def step_line(number: int, step: Step, setup: Setup) -> str:
    """Return one step as a line: what happened, the cubes (a number a side), and where these cubes then lay."""
    if step.kind == "pass":
        return f"{number:3}  {step.side} passes"
    moved = (*step.thrown, *step.placed)
    what = f"{step.side}: {step.ability}" if step.ability else step.kind
    line = f"{number:3}  {what:<18} {_cubes((*moved, *step.taken), setup.colours):<7}"
    places = {landing.cube: landing.place for landing in step.landings}
    landed = {place: [cube for cube in moved if places.get(cube) == place] for place in sorted(places.values())}
    said = [f"{place.removeprefix('zone:')} {_cubes(cubes, setup.colours)}" for place, cubes in landed.items() if cubes]
    remarks = [f"{sum(step.short.values())} missing"] * any(step.short.values())
    remarks += [f"{len(step.lost)} lost"] * bool(step.lost)
    remarks += [str(step.status)] * (step.status is not Status.SETTLED)
    remarks += [f"drawn {step.attempts} times"] * (step.attempts > 1)
    return f"{line}  {', '.join([*said, *remarks])}".rstrip()


def battle_summary(battle: Battle) -> str:
    """Return the result of a finished battle."""
    setup, result = battle.setup, battle.result()
    columns = ("strength", "coins", "cargo", "choice", "damage given", "damage taken")
    width = max(len(colour) for colour in setup.colours)
    lines = ["", "  ".join(["".ljust(width), *columns])]
    for colour, side in result.sides.items():
        numbers = (side.strength, side.coins, side.cargo, side.choice, side.damage_given, side.damage_taken)
        cells = [str(number).rjust(len(name)) for name, number in zip(columns, numbers, strict=True)]
        lines.append("  ".join([colour.ljust(width), *cells]))
    strengths = [side.strength for side in result.sides.values()]
    is_tie = setup.active == result.winner and len(set(strengths)) == 1
    lines.append(f"\n{result.winner} wins" + (": ties go to the active side" if is_tie else ""))
    if result.encounter_effect:
        lines.append(f"the encounter's card: {result.encounter_effect}")
    if result.removed:
        lines.append(f"the buildings of {setup.buildings} are removed")
    lines += [f"the ship of {colour} sinks" for colour in result.sunk]
    lines += [f"the ship of {colour} leaves pirate mode" for colour in result.merchant_mode]
    lines += [f"{colour} sank another player's ship" for colour in result.terror]
    lines += [f"{result.barred} may not deal with this island"] * (result.barred is not None)
    return "\n".join(lines)


def odds_report(document: Mapping[str, Any]) -> str:
    """Return the summary of many battles (the document of `battle --games N --json`) in words."""
    summary: Mapping[str, Any] = document["summary"]
    colours = list(document["cubes"])
    width = max(len("landed"), *(len(colour) for colour in colours))
    lines = [*_plain_words(summary, colours), "", _head(document)]
    lines += [f"{summary['games']} battles; in brackets 95 % intervals", ""]
    for colour in colours:
        lines.append(f"{colour:{width}}  wins {said_proportion(summary['win'][colour])}")
        means = summary["means"][colour]
        said = [f"{name.replace('_', ' ')} {said_mean(value)}" for name, value in means.items()]
        lines += [f"{'':{width}}  {', '.join(said[:4])}", f"{'':{width}}  {', '.join(said[4:])}"]
    chains = summary["explosion_chains"]
    histogram = ", ".join(f"{length}: {count}" for length, count in chains["histogram"].items())
    lines.append(f"\nexplosions in a chain: {said_mean(chains['length'])}; how often which length: {histogram}")
    lines += ["", "share of cubes  as thrown  in the end"]
    final = summary["places"]["final"]
    for place, share in summary["places"]["landed"].items():
        if share["count"] or place.startswith("zone:"):
            name = place.removeprefix("zone:")
            lines.append(f"{name:<17}{share['share']:8.1%}{final.get(place, {}).get('share', 0.0):12.1%}")
    draws, steps = summary["draws"], summary["steps"]
    lines.append(
        f"\n{draws['landed']} throws, {draws['redrawn']} drawn again ({draws['redraw_rate']:.2%}); "
        f"{steps['rethrow']} rethrows, {steps['shake']} shakes; {summary['cubes']['brought']} cubes accounted for"
    )
    return "\n".join(lines)


def _plain_words(summary: Mapping[str, Any], colours: Sequence[str]) -> list[str]:
    """Say in two sentences who wins, how sure that is, and what it costs."""
    wins = {colour: summary["win"][colour] for colour in colours}
    first, *others = sorted(colours, key=lambda colour: -wins[colour]["share"])
    sure = all(wins[first]["interval"][0] > wins[other]["interval"][1] for other in others)
    rest = ", ".join(f"{colour} {100 * wins[colour]['share']:.0f}" for colour in others)
    told = f"{first} wins about {100 * wins[first]['share']:.0f} of 100 battles like this, {rest}: "
    told += f"{first} is ahead, that is sure." if sure else f"who is ahead is not sure after {summary['games']}."
    means = {colour: summary["means"][colour] for colour in colours}
    each = [
        f"{colour} has a strength of {means[colour]['strength']['mean']:.1f}"
        f" and takes {means[colour]['damage_taken']['mean']:.1f} damage"
        for colour in colours
    ]
    return [told, f"On average {'; '.join(each)}."]


def _cubes(cubes: Iterable[Cube], colours: Sequence[str]) -> str:
    """Count cubes side by side, as in 6+3."""
    return "+".join(str(count) for count in count_by_colour(cubes, colours).values())

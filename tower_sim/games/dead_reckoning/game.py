"""Dead Reckoning as a game of the registry. A run is a battle, and a turn is one step of it."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import takewhile
from typing import Any, cast

from tower_sim.apparatus import Apparatus, Board, with_board
from tower_sim.drops import BoardModel, TooManyFailedDraws
from tower_sim.errors import fault
from tower_sim.games import Decision, Game, GameTower, Turn, places
from tower_sim.games.compared import Compared, leaves
from tower_sim.games.dead_reckoning import battle
from tower_sim.games.dead_reckoning.battle import Battle, Step, Use
from tower_sim.games.dead_reckoning.combat import RULES_VERSION, Result, legible
from tower_sim.games.dead_reckoning.rules import Ability, BattleRules
from tower_sim.results import SUM, Figure
from tower_sim.tools import Column, count_noun
from tower_sim.values import ZONE, Cube, Status, count_by_colour

NUMBERS = {
    "strength": "strength",
    "coins": "coins",
    "cargo": "cargo",
    "choice": "coins or cargo",
    "damage_given": "damage given",
    "damage_taken": "damage taken",
}
_UNITS = {"choice": "goods", "damage_given": "damage", "damage_taken": "damage"}
_SIDES = ("active", "other")
_OF_SIDES = [(key, title, side) for key, title in NUMBERS.items() for side in _SIDES]

FIGURES = (
    Figure("active_wins", "the active side wins", "1", of="active_wins"),
    *(
        Figure(f"{key}_{side}", f"{title} ({side})", _UNITS.get(key, key), of=f"{key}_{side}")
        for key, title, side in _OF_SIDES
    ),
    *(Figure(f"sinks_{side}", f"its ship sinks ({side})", "1", of=f"sinks_{side}") for side in _SIDES),
    Figure("in_a_row", "explosive shots after a throw", "explosions", of="in_a_row"),
    Figure("explosions", "explosions", "explosions", of="in_a_row", take=SUM),
    Figure("throws", "throws into the ship", "throws", of="through_ship", take=SUM),
)


class DeadReckoning(Game):
    """Combats of Dead Reckoning. The `entry` of a turn is the `Battle` after its step.

    The sides are asked which ability to use, and on which cube, or to pass; usually they use them while they are
    behind. Cubes of one colour in one place are alike, so that a battle has a fixed list of answers. If a run is cut
    short, the last entry is the battle before that step.
    """

    name, title, kind, run, apparatus = "dead_reckoning", "Dead Reckoning", "battle", "battle", "dead_reckoning"
    about = "a battle: cubes fall through a ship onto a board, whose zones say what each is worth"
    version, figures, shard = RULES_VERSION, FIGURES, 300
    tables, Rules = (BattleRules.table,), BattleRules
    columns = (
        Column("side", "string", True, "side that used the ability or passed; null in other steps"),
        Column("winner", "string", True, "winner, in the last row of a battle; null everywhere else"),
        *(Column(name, kind, True, text, studied=False) for name, kind, text in (
            ("ability", "string", "ability that the side used, as its rules write it"),
            ("zone", "string", "zone into which the ability moved a cube"),
            ("through_ship", "bool", "whether cubes were thrown into the ship"),
            ("in_a_row", "int16", "explosive shots since the last throw or ability, where no more follows"),
            ("follows", "string", "what follows from the battle, in its last row as all below"),
            ("active_wins", "bool", "whether the active side wins; in a tie-break the first side is meant by it"),
            *((f"{key}_{side}", "int16", f"{title} ({side})") for key, title, side in _OF_SIDES),
            *((f"sinks_{side}", "bool", f"whether its ship sinks ({side})") for side in _SIDES),
        )),
    )  # fmt: skip
    facts = {column.name: {"string": str, "bool": bool}.get(column.kind, int) for column in columns}

    def check(self, apparatus: Apparatus) -> None:
        super().check(apparatus)
        legible(with_board(apparatus).board, apparatus.name)

    def cubes(self, rules: BattleRules) -> dict[str, int]:
        return {colour: sum(rules.stock(colour)) for colour in rules.colours}

    def most_cubes(self, rules: BattleRules) -> int:
        return sum(rules.cubes.values())

    def players(self, rules: BattleRules) -> tuple[str, ...]:
        """Return the sides, first the active one."""
        return tuple(sorted(rules.colours, key=lambda colour: colour != rules.attacker))

    def list_options(self, model: Any, rules: BattleRules) -> tuple[str, ...]:
        return tuple(dict.fromkeys(list_options(model.board, rules)))

    def play(self, tower: GameTower, rules: BattleRules) -> Generator[Turn | Decision, str]:
        """Step i of run r draws from SeedSequence(seed, spawn_key=(r, i)); a run without a number has r = 0."""
        model = cast("BoardModel", tower.model)
        now = battle.start(model, rules, tower.seed, tower.run or 0)
        try:
            while not now.over:
                side, use = now.turn, None
                if ways := now.uses(side) if battle.due(now) == "ability" else ():
                    uses = {PASS: None} | {name_use(now, way): way for way in reversed(ways)}
                    usual = battle.when_behind(now, side, ways)
                    name = PASS if usual is None else name_use(now, usual)
                    use = uses[(yield Decision((*uses,), name, list_seen(now), side))]
                now = replace(now, seed=tower.seed)  # an environment may have changed it
                now = battle.advance(model, now, {side: partial(_answer, use)})
                if now.numbered > len(tower.cubes):  # others stand in for cubes that have run out
                    there = {*now.state.cubes, *now.state.board.cubes}
                    tower.cubes = (*tower.cubes, *sorted(there - {*tower.cubes}))
                tower.follow(now.state, now.last)
                step = now.steps[-1]
                yield Turn(describe_step(step, rules), list_facts(now), kind=step.kind, entry=now)
        except TooManyFailedDraws as error:
            kind = battle.due(now)
            facts = {"side": now.turn} if kind == "ability" else {}
            yield Turn(facts=facts, kind=kind, entry=now, failed=error)

    def label(self, rules: BattleRules) -> str:
        return describe_rules(rules)

    def summary(self, turns: Sequence[Turn], rules: BattleRules) -> str:
        if turns[-1].failed is not None:
            return f"\nThe battle was cut short, and nobody won: {turns[-1].failed}."
        return describe_result(turns[-1].entry)

    def compared(self, rules: tuple[BattleRules, BattleRules]) -> ComparedBattles:
        return ComparedBattles(self, rules)


GAME = DeadReckoning()


# The questions

PASS = "pass"


def list_options(board: Board, rules: BattleRules) -> Iterator[str]:
    """Yield the answers of all sides: to pass, and each use of an ability."""
    yield PASS
    for side in rules.colours:
        for number, ability in enumerate(rules.abilities[side]):
            if ability.kind == "move":
                ways = [(zone, goal) for zone, goals in board.neighbours.items() for goal in goals]
                yield from (f"{number}: move {x} from {zone} to {goal}" for x in rules.colours for zone, goal in ways)
            elif ability.kind == "take_off":
                places = (place.removeprefix(ZONE) for place in board.places)
                yield from (f"{number}: take_off {side} from {place}" for place in places)
            else:
                yield f"{number}: {ability.text}"


def name_use(now: Battle, use: Use) -> str:
    """Return the answer that makes this use of an ability, or of one that is alike."""
    ability = now.ability(now.turn, use)
    if use.cube is None:
        return f"{use.ability}: {ability.text}"
    (cube, place), *_ = ((cube, place) for cube, place in now.places.items() if cube.id == use.cube)
    to = f" to {use.zone}" if use.zone else ""
    return f"{use.ability}: {ability.kind} {cube.colour} from {place.removeprefix(ZONE)}{to}"


def list_seen(now: Battle) -> dict[str, tuple[float, float]]:
    """Return what a side sees besides the cubes in the ship and on the board."""
    rules, supply = now.rules, count_by_colour((*now.supply, *now.island))
    seen: dict[str, tuple[float, float]] = {"passes": (now.passes, 2)}
    for side in rules.colours:
        used = {use.ability for colour, use in now.used if colour == side}
        seen[f"supply_{side}"] = supply.get(side, 0), rules.owned(side)
        seen |= {f"{side}_ability_{i}": (i not in used, 1) for i in range(len(rules.abilities[side]))}
    return seen


def _answer(use: Use | None, _now: Battle, _side: str, _uses: Sequence[Use]) -> Use | None:
    return use


def list_facts(now: Battle) -> dict[str, Any]:
    """Return the facts of the newest step of a battle, and after the last one of its result."""
    step, rules = now.steps[-1], now.rules
    facts: dict[str, Any] = {"through_ship": step.drawn and bool(step.thrown)}
    if step.drawn and battle.due(now) not in ("shake", "rethrow", "explosion"):
        facts |= {"in_a_row": count_explosions(now.steps)}
    facts |= {"side": step.side} if step.side else {}
    if step.use:
        facts |= {"ability": step.ability} | ({"zone": step.use.zone} if step.use.zone else {})
    if now.over:
        result, active = now.result(), rules.attacker or rules.colours[0]
        colours: dict[str, str] = dict(zip(_SIDES, (active, rules.opponent(active)), strict=True))
        facts |= {"winner": result.winner, "active_wins": result.winner == active}
        facts |= {f"{key}_{side}": getattr(result.sides[colours[side]], key) for key, _, side in _OF_SIDES}
        facts |= {f"sinks_{side}": colour in result.sunk for side, colour in colours.items()}
        facts |= {"follows": "; ".join(list_consequences(result, rules))}
    return facts


def count_explosions(steps: Sequence[Step]) -> int:
    """Return how many explosions followed the last throw or ability (rulebook, lines 999 and 1007)."""
    since = takewhile(lambda step: step.kind not in ("throw", "ability"), reversed(steps))
    return sum(step.kind == "explosion" for step in since)


class ComparedBattles(Compared):
    """Two variants of a battle for a comparison, which asks what both have of a side also if a file leaves it out."""

    def check(self, side: int) -> None:
        if (number := len(self.rules[side].cubes)) != 2:
            raise fault("number of sides", number, "2 in a comparison", "leave the others out")

    def document(self, side: int) -> dict[str, Any]:
        rules: BattleRules = self.rules[side]
        sides = {colour: rules.side(colour).model_dump(mode="json") for colour in rules.colours}
        return rules.model_dump(mode="json") | {"active": rules.attacker, "sides": sides}

    def keys(self, side: int) -> dict[str, Any]:
        return dict(leaves(self.document(side)))


# In words

_COMBATS = {"ship": "ship against ship", "merchant": "ship against non-player", "building": "ship against buildings"}
_STEPS = {"throw": "throw", "shake": "ship shaken", "rethrow": "thrown again", "explosion": "explosive shot"}
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
    place_of = {landing.cube: landing.place for landing in step.landings}
    there = {
        place: [cube for cube in onto_board if place_of.get(cube) == place] for place in sorted({*place_of.values()})
    }
    remarks = [f"{describe_place(place)}: {_cubes(cubes, rules)}" for place, cubes in there.items() if cubes]
    remarks += [f"{sum(step.short.values())} missing"] * any(step.short.values())
    remarks += [f"{len(step.lost)} lost"] * bool(step.lost)
    remarks += [step.status.sentence.rstrip(".")] * (step.status is not Status.SETTLED)
    return "; ".join([what + (f" ({_cubes(cubes, rules)})" if cubes else ""), *remarks])


def describe_place(place: str) -> str:
    """Return the name of a place on the board as the rulebook has it."""
    return "coins or cargo" if place == "zone:choice" else places.describe_place(place)


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

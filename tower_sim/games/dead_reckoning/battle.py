"""A Dead Reckoning battle, played step by step with a model of the ship.

    start -> throw -> (shake -> rethrow -> explosion)* -> ability -> (...)* -> ... -> over

The first step that is due comes next: shake stuck cubes loose; throw cubes again that lie where they may not; throw the
cubes in explosive zones again, each with one more cube; use an ability or pass.
"""

from __future__ import annotations

import json
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from itertools import takewhile
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field, PlainSerializer, PlainValidator, TypeAdapter

from tower_sim.apparatus import Board
from tower_sim.drops import BoardModel, as_model, until_landed
from tower_sim.errors import check_kind, check_table, check_whole, fault
from tower_sim.games.dead_reckoning.combat import (
    EXPLOSIVE,
    Result,
    in_explosive,
    kind,
    legible,
    read,
    resolve,
    verdict,
    worth,
    zone_by_cube,
)
from tower_sim.games.dead_reckoning.rules import Ability, BattleRules
from tower_sim.games.running import MAX_RUN, check_run
from tower_sim.tools import check_bounds, pack, unpack
from tower_sim.values import ZONE, Cube, Landing, Outcome, Status, TowerState, count_by_colour, in_order
from tower_sim.values import supply as make_cubes

TOKEN_PREFIX = "BATTLE4"
SHAKE = 1.0  # g: strength of the knock on the table that shakes the ship; an assumption
# Choices of rulings that depend on the contacts of a cube.
NEED_CONTACTS = (("two_zones", "both"), ("two_zones", "rethrown"), ("on_cube", "rethrown"))
SHAKES = 10  # limit of shakes in a row; stuck cubes are then taken out by hand and thrown again, so battles end

StepKind = Literal["throw", "shake", "rethrow", "explosion", "ability", "pass"]


@dataclass(frozen=True, slots=True)
class Use:
    """One use of an ability, by its number among those of the side, with a cube's number and a zone if needed (line
    921).
    """

    ability: int
    cube: int | None = None
    zone: str | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a battle.

    - `side` used `ability` (a text, see `Ability.text`) in the way `use`, or passed.
    - `placed`, `taken`, `lost`: cubes put into a zone, taken off the board, or out of the battle on the table.
    - `short`: the numbers of cubes that were missing, by colour.
    - `drawn`: whether the model computed an outcome, with this `status`.
    - `landings`: the place of every cube after the step.
    """

    kind: StepKind
    side: str = ""
    ability: str = ""
    use: Use | None = None
    thrown: tuple[Cube, ...] = ()
    placed: tuple[Cube, ...] = ()
    taken: tuple[Cube, ...] = ()
    lost: tuple[Cube, ...] = ()
    short: dict[str, int] = field(default_factory=dict[str, int])
    drawn: bool = False
    status: Status = Status.SETTLED
    landings: tuple[Landing, ...] = ()


@dataclass(frozen=True, slots=True)
class Battle:
    """A battle between two steps, immutable.

    Every cube is in one place: `hand` (to be thrown next), `supply`, `island`, `lost`, `taken` (off the board through
    an ability), or in `state`, on the board or stuck in the ship.

    - `numbered`: the number of cubes in all.
    - `resting`, `again`: the numbers of cubes that came to rest on the board, and of those that must be thrown again.
    - `across`: the zones of cubes that are in several zones (ruling `two_zones`).
    - `passes`: the number of passes in a row.
    - `used`: the abilities that were used, with their sides.
    - `contenders`: the sides that are still in a tie-break.
    - `last`: the outcome of the newest step, if the model computed one; a token leaves it out.
    """

    rules: BattleRules
    seed: int
    game: int
    board: Board
    state: Annotated[TowerState, PlainValidator(TowerState.from_token), PlainSerializer(TowerState.token)]
    cube_edge: float
    numbered: int
    supply: tuple[Cube, ...]
    island: tuple[Cube, ...]
    hand: tuple[Cube, ...]
    contenders: tuple[str, ...]
    turn: str
    passes: int = 0
    lost: tuple[Cube, ...] = ()
    taken: tuple[Cube, ...] = ()
    resting: tuple[int, ...] = ()
    again: tuple[int, ...] = ()
    across: tuple[tuple[int, tuple[str, ...]], ...] = ()
    used: tuple[tuple[str, Use], ...] = ()
    steps: tuple[Step, ...] = ()
    last: Annotated[Any, Field(exclude=True)] = field(default=None, compare=False, repr=False)

    @property
    def over(self) -> bool:
        return due(self) == "over"

    @property
    def places(self) -> dict[Cube, str]:
        return {resident.cube: resident.region for resident in self.state.board.lying}

    def result(self) -> Result:
        used = [(side, self.ability(side, use)) for side, use in self.used]
        return resolve(self.rules, self.board, self.places, used, self.contenders, self.zones_across)

    @property
    def zones_across(self) -> dict[Cube, tuple[str, ...]]:
        """The zones of each cube that is in several, the nearest first."""
        there = {cube.id: cube for cube in self.state.board.cubes}
        return {there[number]: zones for number, zones in self.across}

    @property
    def exploding(self) -> tuple[Cube, ...]:
        return in_explosive(self.places, self.board, self.zones_across)

    def ability(self, side: str, use: Use) -> Ability:
        return self.rules.abilities[side][use.ability]

    def uses(self, side: str) -> tuple[Use, ...]:
        """Return every use that `side` may now make of its abilities.

        A cube outside all zones cannot be moved (silent). Abilities that throw need a cube to throw, unless their
        `count` is 0. Source: rulebook, lines 887, 921, 1064 and 1530.
        """
        used = {use.ability for colour, use in self.used if colour == side}
        can_throw = bool(_at_hand(self, side, "ability"))
        ways: list[Use] = []
        for number, ability in enumerate(self.rules.abilities[side]):
            if number in used or (self.rules.buildings and ability.barred_against_buildings):
                continue
            if ability.kind == "move":
                lying = sorted(zone_by_cube(self.places).items())
                ways += [Use(number, cube.id, goal) for cube, zone in lying for goal in self.board.neighbours[zone]]
            elif ability.kind == "take_off":
                ways += [Use(number, cube.id) for cube in sorted(self.places) if cube.colour == side]
            elif ability.kind not in ("throw", "card") or can_throw or ability.count == 0:
                ways.append(Use(number))
        return tuple(ways)

    def account(self) -> dict[str, dict[str, int]]:
        """Return the number of cubes by place and colour."""
        colours = self.rules.colours
        off = {name: getattr(self, name) for name in ("hand", "supply", "island", "lost", "taken")}
        on_board = {place: self.state.board.at(place) for place in self.board.places}
        places = off | {"stuck": self.state.cubes} | on_board
        return {place: count_by_colour(cubes, colours) for place, cubes in places.items()}

    def token(self) -> str:
        """Return the battle as one line of text."""
        document = _adapter().dump_python(self, mode="json", exclude_defaults=True, fallback=dict, warnings=False)
        return pack(TOKEN_PREFIX, document)

    @staticmethod
    def from_token(token: str) -> Battle:
        """Return an equal battle, which continues in the same way."""
        return unpack(TOKEN_PREFIX, token, _read, "battle", "the token of the saved battle")


Policy = Callable[[Battle, str, Sequence[Use]], Use | None]


def pass_always(battle: Battle, side: str, uses: Sequence[Use]) -> Use | None:
    """Return None: use no ability."""
    return None


def when_behind(battle: Battle, side: str, uses: Sequence[Use]) -> Use | None:
    """Return the use of an ability that helps `side` most, or None (pass) if it would win with the current board.

    The order is: strength, the move that gains most strength (never into an explosive zone), a throw, a card, then
    taking off a cube without strength. A win bonus is used at once.
    """
    claim = next((use for use in uses if battle.ability(side, use).kind == "win_bonus"), None)
    if claim or battle.result().winner == side:
        return claim
    zones = {cube.id: (cube, battle.board.zone(zone)) for cube, zone in zone_by_cube(battle.places).items()}

    def rank(use: Use) -> tuple[int, int] | None:
        ability = battle.ability(side, use)
        lying = zones.get(-1 if use.cube is None else use.cube)
        if ability.kind == "move" and lying and use.zone:
            goal = battle.board.zone(use.zone)
            gain = (worth(goal).strength - worth(lying[1]).strength) * (1 if lying[0].colour == side else -1)
            return (1, -gain) if gain > 0 and kind(goal) != EXPLOSIVE else None
        if ability.kind == "take_off":
            return None if lying and worth(lying[1]).strength else (4, 0)
        return ({"strength": 0, "throw": 2, "card": 3}[ability.kind], -ability.count)

    return min((use for use in uses if rank(use)), key=lambda use: rank(use) or (), default=None)


def start(model: BoardModel, rules: BattleRules, seed: int, game: int = 0) -> Battle:
    """Begin a battle: an empty board, and the first cubes of the sides in hand (rulebook, lines 911-913 and 949).

    Args:
        model: A ship. Some rulings need the contacts of physics.
        rules: The combat. Its cubes are numbered side by side, the supply before cubes on islands.
        seed: Step i draws from SeedSequence(seed, spawn_key=(game, i)).
        game: The number of the battle.

    Returns:
        The battle before its throw.

    >>> from tower_sim import count_by_colour, open_model
    >>> with open_model("dead_reckoning", "surrogate") as model:
    ...     battle = start(model, BattleRules(cubes={"purple": 6, "green": 3}), seed=7)
    >>> count_by_colour(battle.hand), due(battle)
    ({'purple': 6, 'green': 3}, 'throw')
    """
    as_model(model)
    seed, _ = check_run(rules, BattleRules, seed, None)
    game = check_whole("game", game, 0, MAX_RUN)
    if not hasattr(model, "place"):
        raise fault("model", model.name, "one that knows a board", "open one of a ship, such as dead_reckoning")
    for ruling, choice in NEED_CONTACTS:
        if getattr(rules.rulings, ruling) == choice and not model.tells_contacts:
            allowed = f"another choice with the model {model.name!r}, which does not know what a cube touches"
            raise fault(f"ruling {ruling}", choice, allowed, "take the model physics")
    board = legible(model.board, model.apparatus)
    stocks: tuple[list[Cube], list[Cube]] = ([], [])  # the supplies, the islands
    number = 0
    for colour in rules.colours:
        for stock, count in zip(stocks, rules.stock(colour), strict=True):
            stock += make_cubes({colour: count}, model.cube_edge, first_id=number)
            number += count
    supply, island = map(tuple, stocks)
    edge, colours = model.cube_edge, rules.colours
    battle = Battle(rules, seed, game, board, model.empty(), edge, number, supply, island, (), colours, rules.attacker)
    return _with_first_cubes(battle)


def due(battle: Battle) -> str:
    """Return the next step: `throw`, `shake`, `rethrow`, `explosion` or `ability`; `over` after the last one.

    Source: rulebook, lines 917, 985, 987, 999, 1003-1007 and 1275.
    """
    rules = battle.rules
    if battle.hand or not battle.steps:
        return "throw"
    shakes = sum(1 for _ in takewhile(lambda step: step.kind == "shake", reversed(battle.steps)))
    if battle.state.residents and rules.rulings.stuck == "shaken" and shakes < SHAKES:
        return "shake"
    if battle.state.residents or battle.again:
        return "rethrow"
    if battle.exploding:
        return "explosion"
    if any(rules.abilities.values()) and battle.passes < (2 if rules.combat == "ship" else 1):
        return "ability"
    return "over"


def advance(model: BoardModel, battle: Battle, policies: Mapping[str, Policy]) -> Battle:
    """Do the next step of a battle; see `due`. Raises TooManyFailedDraws after five failed attempts at a draw.

    Args:
        model: The ship.
        battle: The battle.
        policies: A function for each side that chooses its abilities. A side without one passes.

    Returns:
        The battle after the step.

    >>> from tower_sim import open_model
    >>> with open_model("dead_reckoning", "surrogate") as model:
    ...     battle = start(model, BattleRules(cubes={"purple": 6, "green": 3}), seed=7)
    ...     while not battle.over:
    ...         battle = advance(model, battle, {"green": when_behind})
    >>> battle.result().winner
    'purple'
    """
    as_model(model)
    check_kind("battle", battle, Battle, "a Battle", "begin with start(...), or read one with Battle.from_token")
    for side, policy in check_table("policies", policies, advice := 'write {"green": when_behind}').items():
        if not callable(policy):
            raise fault(f"policy of {side}", policy, "a function", advice)
    match due(battle):
        case "throw":
            hand = count_by_colour(battle.hand)
            missing = {colour: count - hand.get(colour, 0) for colour, count in _first_cubes(battle).items()}
            short = {colour: count for colour, count in missing.items() if count > 0}
            after = _throw(model, replace(battle, hand=()), Step("throw", thrown=battle.hand, short=short))
        case "shake":
            after = _land(battle, Step("shake"), _draw(battle, partial(model.knock, battle.state, SHAKE)))
        case "rethrow":
            on_board = tuple(cube for cube in battle.state.board.cubes if cube.id in battle.again)
            by_hand = battle.state.cubes
            state = battle.state.take(by_hand) if by_hand else battle.state
            thrown = tuple(in_order((*by_hand, *on_board)))
            after = _throw(model, replace(battle, state=state), Step("rethrow", thrown=thrown))
        case "explosion":
            cubes = battle.exploding
            rest, extra, short = _fetch(battle, count_by_colour(cubes), "explosion")
            after = _throw(model, rest, Step("explosion", thrown=(*cubes, *extra), short=short))
        case "ability":
            after = _use_ability(model, battle, policies.get(battle.turn, pass_always))
        case _:
            raise fault("next step", "none", "a battle that is not over", "start a new one")
    is_tied = after.rules.combat == "tie_break" and after.over and after.result().winner is None
    return _new_round(after) if is_tied else after


def play(
    model: BoardModel, battle: Battle, policies: Mapping[str, Policy] = types.MappingProxyType({})
) -> Iterator[Battle]:
    """Yield the battle after each step to its end; see `advance`. The newest step is `steps[-1]`."""
    while not battle.over:
        battle = advance(model, battle, policies)
        yield battle


# The steps


def _draw(battle: Battle, draw: Callable[[np.random.Generator], Outcome]) -> Outcome:
    return until_landed(draw, np.random.SeedSequence(battle.seed, spawn_key=(battle.game, len(battle.steps))))


def _throw(model: BoardModel, battle: Battle, step: Step) -> Battle:
    if not step.thrown:
        return _record(battle, step)
    return _land(battle, step, _draw(battle, partial(model.drop, battle.state, step.thrown)))


def _use_ability(model: BoardModel, battle: Battle, policy: Policy) -> Battle:
    """Source: rulebook, lines 963 and 1003-1005."""
    side, allowed = battle.turn, battle.uses(battle.turn)
    use = policy(battle, side, allowed) if allowed else None
    next_turn = battle.rules.opponent(side) if battle.rules.combat == "ship" else side
    if use is None:
        return _record(replace(battle, turn=next_turn, passes=battle.passes + 1), Step("pass", side))
    if use not in allowed:
        offer = f"one of the {len(allowed)} uses given to the policy"
        raise fault(f"ability use of {side}", use, offer, "choose of those")
    ability = battle.ability(side, use)
    step = Step("ability", side, ability.text, use)
    after = replace(battle, turn=next_turn, passes=0, used=(*battle.used, (side, use)))
    cube = next((cube for cube in battle.state.board.cubes if cube.id == use.cube), None)
    if ability.kind in ("throw", "card"):
        after, thrown, short = _fetch(after, {side: ability.count}, "ability")
        return _throw(model, after, replace(step, thrown=thrown, short=short))
    if ability.kind == "move" and cube and use.zone:
        outcome = _draw(battle, partial(model.place, battle.state, cube, use.zone))
        return _land(after, replace(step, placed=(cube,)), outcome)
    if ability.kind == "take_off" and cube:
        after = replace(after, state=after.state.take([cube]), taken=(*after.taken, cube))
        outcome = _draw(battle, partial(model.drop, after.state, ()))  # cubes that lay on it fall
        return _land(after, replace(step, taken=(cube,)), outcome)
    return _record(after, step)


def _land(battle: Battle, step: Step, outcome: Outcome) -> Battle:
    _check_outcome(battle, outcome)
    rulings, rested = battle.rules.rulings, {*battle.resting} - {cube.id for cube in outcome.thrown}
    landed = sorted(outcome.landings, key=lambda x: x.cube)
    fates = {x.cube: verdict(x, rested=x.cube.id in rested, rulings=rulings) for x in landed}

    def numbers(fate: str) -> tuple[int, ...]:
        return tuple(cube.id for cube, its in fates.items() if its == fate)

    lost = tuple(cube for cube, fate in fates.items() if fate == "lost")
    across = _zones_across(battle, outcome) if rulings.two_zones == "both" else {}
    landings = tuple(Landing(x.cube, x.place, touches=across.get(x.cube.id, ())) for x in landed)
    step = replace(step, lost=lost, drawn=True, status=outcome.status, landings=landings)
    return replace(
        battle,
        state=outcome.state.take(lost) if lost else outcome.state,
        lost=(*battle.lost, *lost),
        resting=numbers("rests"),
        again=numbers("again"),
        across=tuple(sorted(across.items())),
        steps=(*battle.steps, step),
        last=outcome,
    )


def _zones_across(battle: Battle, outcome: Outcome) -> dict[int, tuple[str, ...]]:
    touches = {x.cube.id: x.touches for x in outcome.landings if x.place.startswith(ZONE)}
    thrown = {cube.id for cube in outcome.thrown}
    before = {number: zones for number, zones in battle.across if number not in thrown and touches.get(number) == ()}
    return {number: zones for number, zones in (touches | before).items() if len(zones) > 1}


def _record(battle: Battle, step: Step) -> Battle:
    lying, across = sorted(battle.places.items()), dict(battle.across)
    resting = tuple(cube.id for cube, _ in lying if cube.id in battle.resting)
    landings = tuple(Landing(cube, place, touches=across.get(cube.id, ())) for cube, place in lying)
    return replace(battle, resting=resting, steps=(*battle.steps, replace(step, landings=landings)), last=None)


def _first_cubes(battle: Battle) -> dict[str, int]:
    return {colour: cubes for colour, cubes in battle.rules.cubes.items() if colour in battle.contenders}


def _with_first_cubes(battle: Battle) -> Battle:
    after, hand, _ = _fetch(battle, _first_cubes(battle), "throw")
    return replace(after, hand=hand)


def _at_hand(battle: Battle, colour: str, occasion: str) -> tuple[Cube, ...]:
    takes = occasion in battle.rules.side(colour).island_for
    return tuple(cube for cube in (*battle.supply, *(battle.island if takes else ())) if cube.colour == colour)


def _fetch(battle: Battle, wanted: Mapping[str, int], occasion: str) -> tuple[Battle, tuple[Cube, ...], dict[str, int]]:
    """Return the battle without the wanted cubes, these cubes, and the numbers missing by colour (lines 895, 999)."""
    cubes: list[Cube] = []
    short: dict[str, int] = {}
    rulings = battle.rules.rulings
    for colour, count in wanted.items():
        own = list(_at_hand(battle, colour, occasion)[:count])
        missing = count - len(own)
        black = colour == battle.rules.non_player
        ruling = rulings.black_run_out if black else rulings.extra_run_out if occasion == "explosion" else "fewer"
        if missing and ruling == "substituted":
            own += make_cubes({colour: missing}, battle.cube_edge, first_id=battle.numbered)
            battle = replace(battle, numbered=battle.numbered + missing)
        elif missing:
            short[colour] = missing
        cubes += own
    gone = set(cubes)
    supply, island = (tuple(cube for cube in stock if cube not in gone) for stock in (battle.supply, battle.island))
    return replace(battle, supply=supply, island=island), tuple(cubes), short


def _new_round(battle: Battle) -> Battle:
    """Return a tied tie-break before its next throw (line 1275)."""
    back = (*battle.supply, *battle.state.board.cubes, *battle.lost)
    still = battle.rules.colours if battle.rules.rulings.tie_again == "all" else battle.result().tied
    lying = battle.state.board.cubes
    state, supply = battle.state.take(lying) if lying else battle.state, tuple(sorted(back))
    empty = replace(battle, state=state, supply=supply, lost=(), resting=(), across=(), contenders=still)
    return _with_first_cubes(empty)


def _check_outcome(battle: Battle, outcome: Outcome) -> None:
    before = {*battle.state.cubes, *battle.state.board.cubes, *outcome.thrown}
    landed = in_order(landing.cube for landing in outcome.landings)
    there = in_order((*outcome.state.cubes, *outcome.state.board.cubes))
    if not landed == there == in_order(before):
        allowed = f"{sorted(cube.id for cube in before)}, each once"
        raise fault("cubes of the outcome", [cube.id for cube in landed], allowed, "mend the model")


@cache
def _adapter() -> Any:
    return TypeAdapter(Battle)


def _read(document: Any) -> Battle:
    check_bounds(document, "the battle")
    battle: Battle = _adapter().validate_json(json.dumps(document), strict=True)
    for zone in battle.board.zones:
        read(zone)
    there = (*battle.state.cubes, *battle.state.board.cubes)
    every = (*battle.hand, *battle.supply, *battle.island, *battle.lost, *battle.taken, *there)
    if sorted(cube.id for cube in every) != list(range(len(every))) or len(every) != battle.numbered:
        raise ValueError("its cubes are not there once each")
    zones = {*zone_by_cube(battle.places).values(), *(zone for _, of_cube in battle.across for zone in of_cube)}
    named = {*battle.resting, *battle.again, *(number for number, _ in battle.across)}
    if not (zones <= {zone.name for zone in battle.board.zones} and named <= {cube.id for cube in there}):
        raise ValueError("its board is another")
    sides = {battle.turn, *battle.contenders, *(side for side, _ in battle.used)} - {""}
    if not sides | {cube.colour for cube in every} <= set(battle.rules.colours):
        raise ValueError("its sides are others")
    if not all(0 <= use.ability < len(battle.rules.abilities[side]) for side, use in battle.used):
        raise ValueError("an ability is used that is not there")
    return battle

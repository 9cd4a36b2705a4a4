"""A Dead Reckoning battle played step by step with a model of the ship, saved as text, told as JSON.

    start -> throw -> (shake -> rethrow -> explosion)* -> ability -> (...)* -> ... -> over

Before each step the first of these that is due is done: shake out cubes stuck in the ship, throw again those that lie
where they may not, throw those in explosive zones with one more each; only then comes the next ability.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import cache, partial
from typing import Any, Literal, Union, cast, get_args, get_origin, get_type_hints

import numpy as np

from tower_sim.apparatus.board import EXPLOSIVE, Board
from tower_sim.cubes import Cube, count_by_colour
from tower_sim.cubes import supply as numbered
from tower_sim.errors import fault
from tower_sim.games.dead_reckoning import (
    BORDER,
    TABLE,
    ZONE,
    Ability,
    Result,
    Setup,
    Use,
    in_explosive,
    resolve,
    uses,
    verdict,
    zones_of,
)
from tower_sim.model import BoardModel, until_landed
from tower_sim.outcome import Landing, Outcome, Status
from tower_sim.state import TowerState
from tower_sim.token import pack, unpack

SCHEMA = "tower-sim/battle"
VERSION = 1
TOKEN_PREFIX = "BATTLE1"
SHAKE = 1.0  # g: a knock on the table that shakes the ship; an assumption
NEED_CONTACTS = ("two_zones", "on_cube")  # rulings that ask what a cube touches when they are "rethrown"
SHAKES = 10  # in a row; a cube still stuck then is taken out by hand and thrown again, so that every battle ends

StepKind = Literal["throw", "shake", "rethrow", "explosion", "ability", "pass"]


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that happened, and where every cube lay after it.

    `side` used `ability` (as `Ability.text`) in the way `use` says, or passed. `thrown` were thrown through the ship,
    `placed` put into a zone, `taken` taken off the board; `lost` left the battle by way of the table. `short`: how many
    cubes were missing, by colour. `drawn`: the model was asked; its `failures` came before the `status`.
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
    failures: tuple[Status, ...] = ()
    landings: tuple[Landing, ...] = ()

    @property
    def attempts(self) -> int:
        """How many times the model was asked."""
        return self.drawn + len(self.failures)

    def to_json(self, colours: Sequence[str]) -> dict[str, Any]:
        """Return the entry of `battle --json`, ready for `json.dumps`."""
        counted = {
            name: count_by_colour(getattr(self, name), colours) for name in ("thrown", "placed", "taken", "lost")
        }
        use = {"ability": self.ability, "cube": self.use.cube, "zone": self.use.zone} if self.use else None
        return {
            "kind": self.kind,
            "side": self.side or None,
            "use": use,
            "status": str(self.status),
            "attempts": self.attempts,
            "failures": [str(status) for status in self.failures],
            "cubes": [cube.id for cube in (*self.thrown, *self.placed, *self.taken)],
            **counted,
            "short": dict.fromkeys(colours, 0) | self.short,
            "landings": [{"cube": x.cube.id, "colour": x.cube.colour, "place": x.place} for x in self.landings],
        }


@dataclass(frozen=True, slots=True)
class Battle:
    """A battle between two steps; immutable, so keeping a second reference is a fork.

    Every cube is in one place: `hand` (to be thrown next), `supply`, `island`, `lost`, `taken` (off the board by an
    ability) or, in `state`, on the board or stuck in the ship; `numbered` cubes there are in all. `resting` are the
    numbers of those that came to rest on the board, `again` of those to be thrown again. It is the turn of `turn`;
    `passes` were made in a row. `used` are the abilities used, by side; `contenders` the sides still in a tie-break.
    """

    setup: Setup
    seed: int
    game: int
    board: Board
    state: TowerState
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
    used: tuple[tuple[str, Use], ...] = ()
    steps: tuple[Step, ...] = ()

    @property
    def over(self) -> bool:
        """Whether nothing is left to do."""
        return due(self) == "over"

    @property
    def places(self) -> dict[Cube, str]:
        """Where each cube on the board lies."""
        return {resident.cube: resident.region for resident in self.state.board.lying}

    def result(self) -> Result:
        """Return the result as things lie: the final one once the battle is over."""
        used = [(side, self.ability(side, use)) for side, use in self.used]
        return resolve(self.setup, self.board, self.places, used, self.contenders)

    def ability(self, side: str, use: Use) -> Ability:
        """Return the ability that `use` is of."""
        return self.setup.side(side).abilities[use.ability]

    def uses(self, side: str) -> tuple[Use, ...]:
        """List every use `side` may make of its abilities as things lie."""
        return uses(
            self.setup.side(side).abilities,
            [use.ability for colour, use in self.used if colour == side],
            colour=side,
            kind=self.setup.kind,
            board=self.board,
            places=self.places,
            can_throw=any(cube.colour == side for cube in (*self.supply, *self.island)),
        )

    def account(self) -> dict[str, dict[str, int]]:
        """Count every cube once, by place and colour: first those off the board, then what lies on it."""
        colours = self.setup.colours
        places = [ZONE + zone.name for zone in self.board.zones] + [BORDER, TABLE]
        off = {name: getattr(self, name) for name in ("hand", "supply", "island", "lost", "taken")}
        counted = {name: count_by_colour(cubes, colours) for name, cubes in off.items()}
        counted["stuck"] = count_by_colour(self.state.cubes, colours)
        return counted | {place: count_by_colour(self.state.board.at(place), colours) for place in places}

    def token(self) -> str:
        """Return the battle as one line of text: a versioned prefix, the packed battle, a SHA-256 digest of it."""
        return pack(TOKEN_PREFIX, _plain(self))

    @staticmethod
    def from_token(token: str) -> Battle:
        """Read a token back; the battle equals the one it was made from, and goes on as that would.

        Raises UsageError, in one line, when the token is not one of ours, of another version, or damaged.
        """
        return unpack(TOKEN_PREFIX, token, partial(_read, Battle), "battle", "the token of the saved battle")


Policy = Callable[[Battle, str, Sequence[Use]], Use | None]


def pass_always(battle: Battle, side: str, uses: Sequence[Use]) -> Use | None:
    """Use no ability."""
    return None


def when_behind(battle: Battle, side: str, uses: Sequence[Use]) -> Use | None:
    """Pass while `side` would win as things lie; else take what surely helps most, then what may help.

    Strength first, then the move that helps most (never into an explosive zone), then a throw, then a card, then
    taking off a cube that gives no strength. A win bonus is claimed at once: it costs nothing.
    """
    chances = {use: _preference(battle, side, use) for use in uses}
    result = battle.result()
    helpful = [use for use in uses if chances[use] is not None]
    claims = [use for use in helpful if battle.ability(side, use).kind == "win_bonus"]
    if claims or result.winner == side:
        return claims[0] if claims else None
    return min(helpful, key=lambda use: chances[use] or (), default=None)


def _preference(battle: Battle, side: str, use: Use) -> tuple[int, int] | None:
    """Rank a use, lower is better; None: better not."""
    ability = battle.ability(side, use)
    zones = {cube.id: (cube, battle.board.zone(zone)) for cube, zone in zones_of(battle.places).items()}
    if ability.kind == "move":
        cube, zone = zones[cast("int", use.cube)]
        goal = battle.board.zone(cast("str", use.zone))
        gain = (goal.strength - zone.strength) * (1 if cube.colour == side else -1)
        return (1, -gain) if gain > 0 and goal.kind != EXPLOSIVE else None
    if ability.kind == "take_off":
        zone = zones[use.cube][1] if use.cube in zones else None
        return None if zone and zone.strength else (4, 0)
    order = {"strength": 0, "throw": 2, "card": 3, "win_bonus": 5}
    return (order[ability.kind], -ability.count)


def start(model: BoardModel, setup: Setup, seed: int, game: int = 0) -> Battle:
    """Return the battle before its throw: an empty board, the sides' first cubes in hand.

    Cubes are numbered from 0: side by side, its supply, then those on islands. Step i draws from
    SeedSequence(seed, spawn_key=(game, i)). Raises UsageError for a negative `seed` or `game`, for a model without a
    board, and for a ruling that asks what cubes touch when the model does not tell. Source: rulebook, lines 911-913
    and 949.
    """
    for name, value in (("seed", seed), ("game", game)):
        if value < 0:
            raise fault(name, value, "a whole number from 0")
    asks = [name for name in NEED_CONTACTS if setup.rulings.choices[name] == "rethrown"]
    if asks and not model.tells_contacts:
        allowed = f"another choice with the model {model.name!r}, which does not know what a cube touches"
        raise fault(f"ruling {asks[0]}", "rethrown", allowed, "take the model physics")
    supply: tuple[Cube, ...] = ()
    island: tuple[Cube, ...] = ()
    for side in setup.sides:
        in_supply, on_island = setup.stock(side)
        supply += numbered({side.colour: in_supply}, model.cube_edge, first_id=len(supply) + len(island))
        island += numbered({side.colour: on_island}, model.cube_edge, first_id=len(supply) + len(island))
    battle = Battle(
        setup=setup,
        seed=seed,
        game=game,
        board=model.board,
        state=model.empty(),
        cube_edge=model.cube_edge,
        numbered=len(supply) + len(island),
        supply=supply,
        island=island,
        hand=(),
        contenders=setup.colours,
        turn=setup.active,
    )
    battle, hand, _ = _fetched(battle, _first_cubes(battle))
    return replace(battle, hand=hand)


def due(battle: Battle) -> str:
    """Say what the next step is: `throw`, `shake`, `rethrow`, `explosion`, `ability`, or that the battle is `over`.

    Source: rulebook, lines 917, 985, 987, 999, 1003-1007 and 1275.
    """
    setup = battle.setup
    if battle.hand or not battle.steps:
        return "throw"
    if battle.state.residents and setup.rulings.stuck == "shaken" and _shaken(battle) < SHAKES:
        return "shake"
    if battle.state.residents or battle.again:
        return "rethrow"
    if in_explosive(battle.places, battle.board):
        return "explosion"
    has_abilities = any(side.abilities for side in setup.sides)
    if has_abilities and battle.passes < (2 if setup.kind == "ship" else 1):
        return "ability"
    return "over"


def advance(model: BoardModel, battle: Battle, policies: Mapping[str, Policy]) -> Battle:
    """Do the one step that is due and return the battle after it; a side without a policy passes.

    Raises UsageError when the battle is over, for a use that is not allowed and for a model the battle is not of;
    TooManyFailedDraws when the model gives no landing. Source: that of `due`.
    """
    match due(battle):
        case "throw":
            wanted = _first_cubes(battle)
            got = count_by_colour(battle.hand)
            short = {
                colour: count - got.get(colour, 0) for colour, count in wanted.items() if count > got.get(colour, 0)
            }
            after = _throw(model, replace(battle, hand=()), Step("throw", thrown=battle.hand, short=short))
        case "shake":
            after = _landed(battle, Step("shake"), _draw(battle, partial(model.knock, battle.state, SHAKE)))
        case "rethrow":
            on_board = tuple(cube for cube in battle.state.board.cubes if cube.id in battle.again)
            by_hand = battle.state.cubes
            state = battle.state.take(by_hand) if by_hand else battle.state
            thrown = tuple(sorted((*by_hand, *on_board)))
            after = _throw(model, replace(battle, state=state), Step("rethrow", thrown=thrown))
        case "explosion":
            exploded = in_explosive(battle.places, battle.board)
            fetched, extra, short = _fetched(battle, count_by_colour(exploded))
            after = _throw(model, fetched, Step("explosion", thrown=(*exploded, *extra), short=short))
        case "ability":
            after = _ability(model, battle, policies.get(battle.turn, pass_always))
        case _:
            raise fault("next step", "none", "a battle that is not over", "start a new one")
    return _new_round(after) if _tied(after) else after


def play(
    model: BoardModel, battle: Battle, policies: Mapping[str, Policy] = types.MappingProxyType({})
) -> Iterator[Battle]:
    """Play a battle from where it is to its end: yield it after each step (the newest is `steps[-1]`).

    Raises what `advance` does. Source: that of `due`.
    """
    while not battle.over:
        battle = advance(model, battle, policies)
        yield battle


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
        "merchant_mode": result.merchant_mode,
        "buildings_removed": result.removed,
        "damage": {colour: side.damage for colour, side in result.sides.items()},
        "sunk": list(result.sunk),
    }
    return document | {"result": sides, "winner": result.winner, "consequences": consequences}


def head_json(battle: Battle) -> dict[str, Any]:
    """Return what the documents of one battle and of many begin with."""
    setup = battle.setup
    return {
        "schema": SCHEMA,
        "version": VERSION,
        "seed": str(battle.seed),
        "model": battle.state.model,
        "apparatus": battle.state.apparatus,
        "kind": setup.kind,
        "active": setup.active or None,
        "cubes": {side.colour: side.cubes for side in setup.sides},
        "abilities": {side.colour: [ability.text for ability in side.abilities] for side in setup.sides},
        "rulings": setup.rulings.choices,
    }


# The steps


def _draw(battle: Battle, draw: Callable[[np.random.Generator], Outcome]) -> Outcome:
    return until_landed(draw, np.random.SeedSequence(battle.seed, spawn_key=(battle.game, len(battle.steps))))


def _throw(model: BoardModel, battle: Battle, step: Step) -> Battle:
    if not step.thrown:
        return _recorded(battle, step)
    return _landed(battle, step, _draw(battle, partial(model.drop, battle.state, step.thrown)))


def _ability(model: BoardModel, battle: Battle, policy: Policy) -> Battle:
    """Let the side whose turn it is use an ability or pass. Source: rulebook, lines 963 and 1003-1005."""
    side, allowed = battle.turn, battle.uses(battle.turn)
    use = policy(battle, side, allowed) if allowed else None
    next_turn = battle.setup.opponent(side) if battle.setup.kind == "ship" else side
    if use is None:
        return _recorded(replace(battle, turn=next_turn, passes=battle.passes + 1), Step("pass", side))
    if use not in allowed:
        raise fault(
            f"ability use of {side}", use, f"one of the {len(allowed)} uses given to the policy", "choose of those"
        )
    ability = battle.ability(side, use)
    step = Step("ability", side, ability.text, use)
    after = replace(battle, turn=next_turn, passes=0, used=(*battle.used, (side, use)))
    cube = next((cube for cube in battle.state.board.cubes if cube.id == use.cube), None)
    if ability.kind in ("throw", "card"):
        after, thrown, short = _fetched(after, {side: ability.count})
        return _throw(model, after, replace(step, thrown=thrown, short=short))
    if ability.kind == "move" and cube and use.zone:
        outcome = _draw(battle, partial(model.place, battle.state, cube, use.zone))
        return _landed(after, replace(step, placed=(cube,)), outcome)
    if ability.kind == "take_off" and cube:
        after = replace(after, state=after.state.take([cube]), taken=(*after.taken, cube))
        outcome = _draw(battle, partial(model.drop, after.state, ()))  # what lay on it falls
        return _landed(after, replace(step, taken=(cube,)), outcome)
    return _recorded(after, step)


def _landed(battle: Battle, step: Step, outcome: Outcome) -> Battle:
    """Return the battle after an outcome: what each cube's landing means, whatever made it land there."""
    _check_outcome(battle, outcome)
    fresh = {cube.id for cube in outcome.thrown}
    found = {
        x.cube: verdict(x, rested=x.cube.id in battle.resting and x.cube.id not in fresh, rulings=battle.setup.rulings)
        for x in outcome.landings
    }
    lost = tuple(sorted(cube for cube, what in found.items() if what == "lost"))
    landings = tuple(Landing(x.cube, x.place) for x in sorted(outcome.landings, key=lambda x: x.cube))
    done = replace(step, lost=lost, drawn=True, status=outcome.status, failures=outcome.failures, landings=landings)
    return replace(
        battle,
        state=outcome.state.take(lost) if lost else outcome.state,
        lost=(*battle.lost, *lost),
        resting=tuple(sorted(cube.id for cube, what in found.items() if what == "rests")),
        again=tuple(sorted(cube.id for cube, what in found.items() if what == "again")),
        steps=(*battle.steps, done),
    )


def _recorded(battle: Battle, step: Step) -> Battle:
    """Return the battle after a step for which the model was not asked."""
    on_board = battle.state.board.cubes
    resting = tuple(cube.id for cube in sorted(on_board) if cube.id in battle.resting)
    landings = tuple(Landing(cube, place) for cube, place in sorted(battle.places.items()))
    return replace(battle, resting=resting, steps=(*battle.steps, replace(step, landings=landings)))


def _first_cubes(battle: Battle) -> dict[str, int]:
    return {side.colour: side.cubes for side in battle.setup.sides if side.colour in battle.contenders}


def _fetched(battle: Battle, wanted: Mapping[str, int]) -> tuple[Battle, tuple[Cube, ...], dict[str, int]]:
    """Take cubes from the supplies, then from the islands; also say how many were missing, by colour.

    Source: rulebook, line 895; for the non-player silent.
    """
    got: list[Cube] = []
    short: dict[str, int] = {}
    for colour, count in wanted.items():
        own = [cube for cube in (*battle.supply, *battle.island) if cube.colour == colour][:count]
        missing = count - len(own)
        if missing and colour == battle.setup.non_player and battle.setup.rulings.black_run_out == "substituted":
            own += numbered({colour: missing}, battle.cube_edge, first_id=battle.numbered)
            battle = replace(battle, numbered=battle.numbered + missing)
        elif missing:
            short[colour] = missing
        got += own
    gone = set(got)
    supply, island = (tuple(cube for cube in cubes if cube not in gone) for cubes in (battle.supply, battle.island))
    return replace(battle, supply=supply, island=island), tuple(got), short


def _shaken(battle: Battle) -> int:
    """Count the shakes since the last other step."""
    return next((i for i, step in enumerate(reversed(battle.steps)) if step.kind != "shake"), len(battle.steps))


def _tied(battle: Battle) -> bool:
    return battle.setup.kind == "tie_break" and battle.over and battle.result().winner is None


def _new_round(battle: Battle) -> Battle:
    """Return a tied tie-break before its next throw: all cubes back in the supplies, the first ones in hand.

    Source: rulebook, line 1275; who throws again is a ruling.
    """
    back = (*battle.supply, *battle.state.board.cubes, *battle.lost)
    still = battle.setup.colours if battle.setup.rulings.tie_again == "all" else battle.result().tied
    lying = battle.state.board.cubes
    cleared = replace(
        battle,
        state=battle.state.take(lying) if lying else battle.state,
        supply=tuple(sorted(back)),
        lost=(),
        resting=(),
        contenders=still,
    )
    after, hand, _ = _fetched(cleared, _first_cubes(cleared))
    return replace(after, hand=hand)


def _check_outcome(battle: Battle, outcome: Outcome) -> None:
    """Refuse an outcome that does not place every cube once."""
    before = {*battle.state.cubes, *battle.state.board.cubes, *outcome.thrown}
    landed = sorted(landing.cube for landing in outcome.landings)
    kept = sorted((*outcome.state.cubes, *outcome.state.board.cubes))
    if not landed == kept == sorted(before):
        numbers = [cube.id for cube in landed]
        raise fault(
            "cubes of the outcome", numbers, f"{sorted(cube.id for cube in before)}, each once", "mend the model"
        )


# The token


def _plain(value: object) -> Any:
    """Turn a battle into lists, numbers and words: a dataclass into the list of its fields."""
    if isinstance(value, TowerState):
        return value.token()
    if is_dataclass(value):
        return [_plain(getattr(value, each.name)) for each in fields(value)]
    if isinstance(value, tuple):
        return [_plain(item) for item in cast("Iterable[object]", value)]
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in cast("dict[str, object]", value).items()}
    return value


def _read(kind: Any, plain: Any) -> Any:
    """Undo `_plain`: make a value of type `kind`."""
    origin, inner = get_origin(kind), get_args(kind)
    if kind is TowerState:
        return TowerState.from_token(plain)
    if is_dataclass(kind):
        return cast("type", kind)(*(_read(each, item) for each, item in zip(_types(kind), plain, strict=True)))
    if origin is tuple and inner[-1] is ...:
        return tuple(_read(inner[0], item) for item in plain)
    if origin is tuple:
        return tuple(_read(each, item) for each, item in zip(inner, plain, strict=True))
    if origin is dict:
        return {str(key): _read(inner[1], item) for key, item in plain.items()}
    if origin in (Union, types.UnionType):
        return None if plain is None else _read(inner[0], plain)
    if origin is Literal:
        return plain
    return kind(plain)


@cache
def _types(kind: type) -> tuple[Any, ...]:
    """Return the types of a dataclass's fields, in order."""
    hints = get_type_hints(kind)
    return tuple(hints[each.name] for each in fields(kind))

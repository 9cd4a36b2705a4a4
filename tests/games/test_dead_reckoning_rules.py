"""Dead Reckoning's rules against the rulebook's numbers, enumeration and relabelling; what follows a combat."""

import re
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.battles import able, at, kinds, numbers, rules_of, run, setup
from support.cases import each_case
from support.ships import BOARD, ZONES, DiceShip, ScriptedShip, landing

from tower_sim.apparatus import Zone
from tower_sim.errors import UsageError
from tower_sim.games.dead_reckoning import Ability, Battle, BattleRules, Rulings, SideRules, Use, advance, start
from tower_sim.games.dead_reckoning.battle import TOKEN_PREFIX
from tower_sim.games.dead_reckoning.combat import (
    Result,
    SideResult,
    Worth,
    in_explosive,
    resolve,
    verdict,
    worth,
    worth_in,
)
from tower_sim.games.dead_reckoning.rules import (
    NON_PLAYER_SUPPLY,
    PLAYER_SUPPLY,
    TurnLeft,
    building_cubes,
    last_turn_cubes,
    player_cubes,
)
from tower_sim.games.rules import questions
from tower_sim.tools import pack, unpack
from tower_sim.values import Cube

UNKNOWN: Any = "duel"
NAMES = [zone.name for zone in ZONES]


def lie(**zones):
    """Make cubes that lie in zones, by colour: lie(violet=["one"]); a name that is no zone is taken as a place."""
    words = [(colour, name) for colour, names in zones.items() for name in names]
    places = (f"zone:{name}" if name in NAMES else name for _, name in words)
    return {Cube(i, colour, 0.008): place for i, ((colour, _), place) in enumerate(zip(words, places, strict=True))}


def fight(kind: Any = "ship", active="violet", rulings: Any = None, provoked=False, used=(), **of_sides: Any):
    """Resolve cubes that lie in zones, as in green=["one"]; green_side={...} has fields of the side."""
    sides = {
        colour: {"cubes": 1 if colour == active else 2} | of_sides.get(f"{colour}_side", {})
        for colour in ("violet", "green")
    }
    combat = rules_of(kind, active, rulings, provoked, **sides)
    places = lie(**{colour: of_sides.get(colour, []) for colour in ("violet", "green")})
    return resolve(combat, BOARD, places, [(colour, Ability.parse(text)) for colour, text in used])


def test_a_player_takes_a_cube_for_each_cannon_and_building_4_when_attacked_in_port_and_2_after_its_last_turn():
    assert [player_cubes(6), player_cubes(3)] == [6, 3]  # the worked example, lines 1074 and 1078
    assert player_cubes(0) == 0
    assert player_cubes(3, buildings=2) == 5
    assert player_cubes(3, attacked_in_port=True) == 7
    assert player_cubes(3, had_last_turn=True) == 5
    assert player_cubes(1, buildings=3, had_last_turn=True) == 6
    assert player_cubes(1, attacked_in_port=True, had_last_turn=True) == 7


def test_a_fort_defends_with_5_a_garrison_with_2_both_with_7_and_2_more_after_the_last_turn():
    assert building_cubes(fort=True, garrison=False) == 5
    assert building_cubes(fort=False, garrison=True) == 2
    assert building_cubes(fort=True, garrison=True) == 7
    assert building_cubes(fort=False, garrison=True, had_last_turn=True) == 4


def test_a_supply_is_29_for_a_player_and_20_for_a_non_player_unless_the_caller_says_otherwise():
    merchant = rules_of("merchant", green={"cubes": 3, "island": 4}, black=4)
    assert [merchant.stock(colour) for colour in merchant.colours] == [(25, 4), (20, 0)]
    assert (PLAYER_SUPPLY, NON_PLAYER_SUPPLY) == (29, 20)
    assert rules_of(violet={"supply": 4, "island": 3}, green=3).stock("violet") == (4, 3)


def test_cannons_and_abilities_serve_once_in_a_turn_across_its_combats():
    two, one = Ability.parse("throw:2"), Ability.parse("strength:1")
    turn = TurnLeft(6, (two, two, one))
    after = turn.spend("green", 4, [two])
    assert after == TurnLeft(2, (two, one), (("green", "ship"),))
    assert after.spend("black", 2, [two, one]) == TurnLeft(0, (), (("green", "ship"), ("black", "ship")))
    for wrong in (
        lambda: after.spend("black", 3),
        lambda: after.spend("black", -1),
        lambda: after.spend("black", 0, [two, two]),
        lambda: after.spend("green"),  # line 889
    ):
        with pytest.raises(UsageError, match="in this turn"):
            wrong()


def test_every_ruling_is_listed_with_its_choices_the_default_first_and_each_can_be_made():
    assert list(questions(Rulings)) == list(Rulings().choices)
    for name, question in questions(Rulings).items():
        assert Rulings().choices[name] == next(iter(question.choices))
        assert re.fullmatch(r"silent|line \d+|lines \d+ and \d+", question.source)
        assert all(sentence.endswith(".") and sentence.count(".") == 1 for sentence in question.choices.values())
        for choice in question.choices:
            assert Rulings().but(**{name: choice}).choices == Rulings().choices | {name: choice}


@each_case(
    ("text", "ability"),
    [
        ("throw", Ability("throw", 2)),
        ("throw:3!", Ability("throw", 3, barred_against_buildings=True)),
        ("card", Ability("card")),
        ("card:2", Ability("card", 2)),
        ("move", Ability("move")),
        ("move:1", Ability("move", spared=1)),
        ("strength:2", Ability("strength", 2)),
        ("take_off", Ability("take_off", damage=1, coins=2)),
        ("take_off:2", Ability("take_off", damage=2, coins=2)),
        ("win_bonus:1:2:3!", Ability("win_bonus", damage=1, coins=2, cargo=3, barred_against_buildings=True)),
    ],
)
def test_an_ability_reads_as_it_is_written(text, ability):
    assert Ability.parse(text) == ability
    assert Ability.parse(ability.text) == ability


BORDER: Any = {"places": ("one", "border", "two")}
USES: list[tuple[str, dict[str, Any], list[tuple[Any, ...]]]] = [
    # Any cube moves to every adjacent zone, and only there (lines 1523 and 1532): violet in one and coin, green in two.
    ("strength move", {}, [(0,), (1, 0, "damage"), (1, 0, "two"), (1, 1, "bang"), (1, 1, "cargo"), (1, 10, "one")]),
    # Only one's own cubes are taken off, and a cube on a border cannot be moved.
    ("take_off", BORDER, [(0, 0), (0, 1)]),
    ("move", BORDER, [(0, 0, "damage"), (0, 0, "two"), (0, 10, "one")]),
    # An ability is used once, and a barred one never against a building.
    ("throw strength win_bonus:1!", {"used": [0]}, [(1,), (2,)]),
    ("throw strength win_bonus:1!", {"kind": "building"}, [(0,), (1,)]),
    # Nothing can be thrown without a cube, but a card without cannons can be drawn.
    ("throw card:1 card:0", {"supply": 2}, [(2,)]),
]


@each_case(("abilities", "given", "expected"), USES)
def test_a_side_may_use_what_the_rulebook_lets_it(abilities, given, expected):
    """Violet's cubes 0 and 1 lie in the first two places, green's in the third."""
    case: Any = {"used": [], "kind": "ship", "supply": 10, "places": ("one", "coin", "two")} | given
    supply: int = case["supply"]
    buildings = case["kind"] == "building"
    side = able(*abilities.split()) | {"supply": supply}
    landings = dict(zip((0, 1, supply), case["places"], strict=True)) | ({supply + 1: "two"} if buildings else {})
    model = ScriptedShip(script=(landings,))
    battle = advance(model, start(model, setup(2, 1 + buildings, kind=case["kind"], violet_side=side), 1), {})
    battle = replace(battle, used=tuple(("violet", Use(number)) for number in case["used"]))
    assert battle.uses("violet") == tuple(Use(*use) for use in expected)


HOUSE = {name: list(question.choices)[-1] for name, question in questions(Rulings).items()}  # the other choice of each


@each_case(
    ("word", "rested", "published", "ruling", "house"),
    [
        ("one", False, "rests", "two_zones", "rests"),
        ("one+two", False, "rests", "two_zones", "again"),
        ("one+two", True, "rests", "two_zones", "again"),
        ("on:one", False, "rests", "on_cube", "again"),
        ("on:one", True, "rests", "on_cube", "again"),
        ("one", True, "rests", "on_cube", "rests"),
        ("table", False, "again", "left_board", "lost"),
        ("table", True, "again", "left_board", "lost"),
        ("border", False, "again", "pushed_onto_border", "again"),
        ("border", True, "again", "pushed_onto_border", "rests"),
        ("inside:ship", False, "stuck", "stuck", "stuck"),
    ],
)
def test_what_becomes_of_a_cube_by_the_rule_and_by_the_other_ruling(word, rested, published, ruling, house):
    cube = landing(Cube(0, "violet", 0.008), word)
    assert verdict(cube, rested=rested, rulings=Rulings()) == published
    assert verdict(cube, rested=rested, rulings=Rulings().but(**{ruling: HOUSE[ruling]})) == house


def test_a_cube_that_leans_on_another_but_touches_a_zone_is_in_that_zone():
    leaning = replace(landing(Cube(0, "violet", 0.008), "one"), on=(1,))
    assert verdict(leaning, rested=False, rulings=Rulings(on_cube="rethrown")) == "rests"


def test_a_zone_is_worth_what_its_kind_gives_and_nothing_else():
    corners = ZONES[0].corners
    plunder = {"kind": "plunder", "coins": 2, "cargo": 3, "choice": 4}
    assert worth(Zone("z", corners, plunder)) == Worth(coins=2, cargo=3, choice=4)
    assert worth(Zone("z", corners, {"kind": "strength", "strength": 1})) == Worth(strength=1)
    assert worth(Zone("z", corners, {"kind": "damage"})) == Worth(damage=1)
    assert worth(Zone("z", corners, {"kind": "explosive"})) == Worth()


S = SideResult  # strength, coins, cargo, choice, damage given, damage taken, damage in all
DAMAGED, PIRATE = {"damage": 4}, {"pirate": True}
BOTH_4: Any = {"violet_side": DAMAGED, "green_side": DAMAGED}
KINDS = ("ship", "merchant", "building")
GOODS = [("violet", "take_off:1:2"), ("violet", "win_bonus:0:1:3")]
MERCHANT = partial(fight, "merchant", violet=["damage", "coin"], green=["damage", "both", "choice"])
combat = partial(partial, fight)
BONUSES = [(side, "win_bonus:2:3:1") for side in ("green", "violet")]
COMBATS: list[tuple[Callable[[], Result], dict[str, Any]]] = [
    # Plunder, damage and strength go to the owner of the cubes.
    (combat(violet=["coin", "both", "choice", "two", "border"], green=["cargo", "damage", "damage", "one"]),
     {"winner": "violet", "violet": S(2, 2, 1, 2, 0, 2, 2), "green": S(1, 0, 1, 0, 2, 1, 1)}),
    # Losing costs a ship 1 damage against ships and buildings, and nothing against a non-player.
    *(
        (combat(kind, green=["one"]), {"violet": S(0, 0, 0, 0, 0, n, n), "green": S(1, 0, 0, 0, 0, 0, 0)})
        for kind, n in (("ship", 1), ("building", 1), ("merchant", 0))
    ),
    # A non-player gains no plunder and takes no damage, unless ruled so.
    (MERCHANT, {"green": S(0, 0, 0, 0, 1, 0, 0), "violet": S(0, 1, 0, 0, 1, 1, 1)}),
    (partial(MERCHANT, rulings={"damage_to_non_player": "counted"}),
     {"green": S(0, 0, 0, 0, 1, 1, 1), "violet": S(0, 1, 0, 0, 1, 1, 1)}),
    # Against a building nobody plunders, only the attacker is damaged, and a beaten building goes.
    (combat("building", violet=["damage", "coin", "one"], green=["damage", "both"]),
     {"winner": "violet", "removed": True, "violet": S(1, 0, 0, 0, 1, 1, 1), "green": S(0, 0, 0, 0, 1, 0, 0)}),
    (combat("building", violet=["damage"], green=["two"]), {"winner": "green", "removed": False}),
    (combat(violet=["one"]), {"removed": False}),
    # Who becomes legendary, and what the encounter does.
    *(
        (combat(kind, **{side: ["two"]}), {"winner": side, "legendary": legendary, "encounter_effect": effect})
        for kind, side, legendary, effect in (
            ("ship", "violet", "violet", None), ("ship", "green", "green", None),
            ("merchant", "violet", "violet", "win"), ("merchant", "green", None, "lose"),
            ("building", "violet", None, None), ("building", "green", None, None),
        )
    ),
    # A beaten pirate ship leaves pirate mode; whether one that a building beats does, is a ruling (lines 973 and 1061).
    (combat(violet=["two"], green_side=PIRATE), {"merchant_mode": ("green",)}),
    (combat(green=["two"], violet_side=PIRATE), {"merchant_mode": ("violet",)}),
    (combat(violet=["two"]), {"merchant_mode": ()}),
    (combat("building", green=["two"], violet_side=PIRATE), {"merchant_mode": ("violet",)}),
    (combat("merchant", green=["two"], violet_side=PIRATE), {"merchant_mode": ()}),
    *(
        (combat(kind, rulings={"beaten_by_building": choice}, green=["one"], violet_side=PIRATE),
         {"merchant_mode": who})
        for kind, choice, who in (
            ("building", "leaves", ("violet",)), ("building", "stays", ()), ("ship", "stays", ("violet",)),
        )
    ),
    # A pirate ship that sinks goes to merchant mode also when it won (line 1111): such a winner used to stay a pirate.
    *(
        (combat(kind, violet=["two", "two"], green=["damage"], violet_side=side),
         {"winner": "violet", "sunk": sunk, "merchant_mode": sunk})
        for kind in KINDS
        for side, sunk in ((PIRATE | {"damage": 4}, ("violet",)), (PIRATE | {"damage": 3}, ()))
    ),
    (combat(violet=["two"], green=["damage"], violet_side=PIRATE | DAMAGED, green_side=PIRATE),
     {"winner": "violet", "sunk": ("violet",), "merchant_mode": ("violet", "green")}),
    # A ship sinks at 5 damage; both may, and so may the winner.
    (combat(green_side=DAMAGED), {"sunk": ("green",)}),  # by losing
    (combat(green_side={"damage": 3}), {"sunk": ()}),
    (combat(violet=["one", "damage"], green=["damage"], violet_side=DAMAGED, green_side={"damage": 3}),
     {"winner": "violet", "sunk": ("violet", "green"),
      "violet": S(1, 0, 0, 0, 1, 1, 5), "green": S(0, 0, 0, 0, 1, 2, 5)}),
    # Who sinks another player's ship is the terror of the seas (lines 1143 and 1113), but no non-player.
    *(
        (combat(kind, violet=["damage"], green=["damage"], violet_side={"damage": a}, green_side={"damage": b}),
         {"terror": who})
        for kind, a, b, who in (
            ("ship", 0, 4, ("violet",)), ("ship", 4, 0, ("green",)), ("ship", 4, 4, ("green", "violet")),
            ("ship", 0, 0, ()), ("building", 4, 0, ("green",)), ("merchant", 4, 0, ()),
        )
    ),
    # Who sank a ship that sinks by losing only, or together with the other, is a ruling.
    (combat(rulings={"who_sank": "opponent"}, violet=["one"], **BOTH_4), {"terror": ("violet",)}),
    (combat(rulings={"who_sank": "dealt"}, violet=["one"], **BOTH_4), {"terror": (), "green": S(0, 0, 0, 0, 0, 1, 5)}),
    *(
        (combat(rulings={"who_sank": choice}, violet=["one"], green=["damage"], **BOTH_4), {"terror": who})
        for choice, who in (("opponent", ("green", "violet")), ("dealt", ("green",)))
    ),
    # Who moved onto a pirate and lost is barred from the island (line 975), not who attacked of its own will or won.
    (combat(provoked=True, green=["one"], green_side=PIRATE), {"barred": "violet"}),
    (combat(green=["one"], green_side=PIRATE), {"barred": None}),
    (combat(provoked=True, violet=["one"], green_side=PIRATE), {"barred": None}),
    # Abilities add strength, coins and damage; a win bonus only for the winner.
    (combat(violet=["one"], used=[("green", "strength:2"), ("green", "take_off:1:2"), *BONUSES]),
     {"winner": "green", "green": S(2, 5, 1, 0, 3, 0, 0), "violet": S(1, 0, 0, 0, 0, 4, 4)}),
    # A mover takes so much less damage, and none below none (lines 1523 and 1524); 1 of it is for losing.
    *(
        (combat(green=[*["damage"] * dealt, "one"], used=[(side, "move:2")]),
         {"violet": S(0, 0, 0, 0, 0, taken, taken)})
        for side, dealt, taken in (("violet", 4, 3), ("violet", 1, 0), ("violet", 0, 0), ("green", 1, 2))
    ),
    *(
        (combat(rulings={"spared_damage": choice}, green=["one"], used=[("violet", f"move:{spared}")]),
         {"violet": S(0, 0, 0, 0, 0, taken, taken)})
        for choice, spared, taken in (("all", 1, 0), ("dealt", 1, 1), ("dealt", 3, 1))
    ),
    # Whether abilities bring goods against buildings is a ruling (lines 1058 and 1476): coins are no plunder.
    *(
        (combat(kind, rulings={"goods_at_buildings": choice}, violet=["one"], used=GOODS),
         {"violet": S(1, goods, goods, 0, 1, 0, 0)})
        for kind, choice, goods in (("building", "counted", 3), ("building", "none", 0), ("ship", "none", 3))
    ),
    # Plunder of zones is to be placed (line 1015), and coins of abilities are not (line 1476).
    (combat(violet=["both", "choice", "choice", "one"], green=["cargo"], used=GOODS[:1]),
     {"to_place": {"violet": Worth(coins=1, cargo=1, choice=4), "green": Worth(cargo=1)},
      "violet": S(1, 3, 1, 4, 1, 0, 0)}),
    (combat("building", violet=["both"], used=GOODS[:1]), {"to_place": {"violet": Worth(), "green": Worth()}}),
    (combat("merchant", green=["both"]), {"to_place": {"violet": Worth(), "green": Worth()}}),
]  # fmt: skip


@each_case(("resolved", "expected"), COMBATS)
def test_a_combat_ends_as_the_rulebook_and_the_rulings_say(resolved, expected):
    result = resolved()
    ends = {name: result.sides[name] if name in result.sides else getattr(result, name) for name in expected}
    assert ends == expected


@each_case("kind", KINDS)
@each_case("active", ["violet", "green"])
def test_the_stronger_side_wins_and_a_tie_goes_to_the_active_one(kind, active):
    for violet, green in product(range(3), repeat=2):
        result = fight(kind, violet=["one"] * violet, green=["one"] * green, active=active)
        assert result.winner == (active if violet == green else "violet" if violet > green else "green")


def test_a_tie_break_is_won_by_strength_alone_and_may_stay_tied_between_some():
    setup = rules_of("tie_break", violet=2, green=2, blue=2)
    won = resolve(setup, BOARD, lie(violet=["one"], green=["two", "damage"], blue=["both", "one"]))
    assert (won.winner, won.tied, won.legendary, won.sunk) == ("green", (), None, ())
    assert won.sides["blue"] == SideResult(1, 0, 0, 0, 0, 0, 0)
    assert won.sides["violet"].damage_taken == 0
    tied = resolve(setup, BOARD, lie(violet=["two"], green=["one"], blue=["one", "one"]))
    assert (tied.winner, tied.tied) == (None, ("violet", "blue"))
    nothing = resolve(setup, BOARD, {}, among=["violet", "blue"])
    assert (nothing.winner, nothing.tied) == (None, ("violet", "blue"))


WORTH = {"one": 1, "two": 2}  # the oracle's own


@each_case(("violet", "green"), [(1, 1), (2, 1), (2, 2), (3, 2)])
@each_case("kind", KINDS)
def test_the_chance_to_win_over_all_assignments_is_that_of_a_count_by_convolution(kind, violet, green):
    """Every cube lands by itself in zones of known chances, none explosive: all 7^n assignments, exactly."""
    chances = {name: Fraction(weight, 28) for weight, name in enumerate(NAMES[1:], start=1)}
    if violet + green > 3:  # fewer zones, so that the assignments stay few
        chances = {"coin": Fraction(1, 2), "one": Fraction(1, 3), "two": Fraction(1, 6)}

    def convolve(cubes):
        total = {0: Fraction(1)}
        for _ in range(cubes):
            step: defaultdict[int, Fraction] = defaultdict(Fraction)
            for so_far, name in product(total, chances):
                step[so_far + WORTH.get(name, 0)] += total[so_far] * chances[name]
            total = step
        return total

    of_violet, of_green = convolve(violet), convolve(green)
    expected = sum(of_violet[a] * of_green[b] for a, b in product(of_violet, of_green) if a >= b)
    counted = Fraction(0)
    for names in product(chances, repeat=violet + green):
        if fight(kind, violet=names[:violet], green=names[violet:]).winner == "violet":
            weight = Fraction(1)
            for name in names:
                weight *= chances[name]
            counted += weight
    assert counted == expected
    assert 0 < expected < 1


names_of_zones = st.lists(st.sampled_from([*NAMES, "border"]), max_size=6)


@given(names_of_zones, names_of_zones)
def test_swapping_colours_and_the_active_side_swaps_the_result_always(violet, green):
    one = fight(violet=violet, green=green)
    other = fight(violet=green, green=violet, active="green")
    swap: dict[str | None, str] = {"violet": "green", "green": "violet"}
    assert other.sides == {swap[colour]: side for colour, side in one.sides.items()}
    assert (other.winner, other.legendary) == (swap[one.winner], swap[one.legendary])
    assert {*other.sunk} == {swap[colour] for colour in one.sunk}


ABILITIES = " boom throw:x throw:-1 move:1:1 throw:100 take_off:1:2:3 throw:2: throw:! throw:²"  # the first is empty
TABLES: list[tuple[dict[str, Any], str]] = [
    ({"cubes": 3}, "battle.cubes is 3; allowed is a table, each value a whole number from 0 to 29"),
    ({"cubes": {"purple": 30, "green": 1}}, "battle.cubes.purple is 30; allowed is a whole number from 0 to 29"),
    ({"combat": "duel"}, "battle.combat is 'duel'; allowed is one of ship, merchant, building, tie_break"),
    ({"active": 3}, "battle.active is 3; allowed is a text"),
    ({"abilities": {"green": "throw"}}, "battle.abilities.green is 'throw'; allowed is a list"),
    ({"abilities": {"green": ["x" * 41]}}, "allowed is one of throw, card, move,"),
    ({"abilities": {"red": ["throw"]}}, "battle.abilities.red is unknown; allowed are purple, green"),
    ({"rulings": {"stuck": []}}, "battle.rulings.stuck is []; allowed is one of shaken, rethrown"),
    ({"provoked": 1}, "battle.provoked is 1; allowed is true or false"),
    ({"sides": {"red": {"damage": 1}}}, "battle.sides.red is unknown; allowed are purple, green"),
    ({"sides": {"green": 3}}, "battle.sides.green is 3; allowed is a table"),
    *(
        ({"sides": {"green": {key: value}}}, f"battle.sides.green.{key} is ")
        for key, value in (
            *(("supply", value) for value in ("20", "", False, 30)),
            *(("damage", value) for value in (1.0, 5)),
            *(("pirate", 1), ("island", True), ("island_for", "throw"), ("island_for", ["lunch"]), ("sails", 1)),
        )
    ),
]


@each_case(
    ("wrong", "part"),
    [
        (lambda: rules_of(violet=1), "number of sides is 1"),
        (lambda: rules_of(a=1, b=1, c=1), "number of sides is 3"),
        (lambda: rules_of("tie_break", violet=1), "number of sides is 1"),
        (lambda: rules_of("tie_break", "a", a=1, b=1), "active side of a tie-break"),
        (lambda: rules_of("tie_break", a=0, b={"supply": 0}), "cubes of a tie_break combat is 0"),
        (lambda: setup(0, 0), "cubes of a ship combat is 0; allowed is 1 or more"),
        (lambda: rules_of(**{"violet": 1, "": 1}), "colours is"),
        (lambda: rules_of(active="blue", violet=1, green=1), "active side is 'blue'"),
        (lambda: rules_of(violet=-1, green=1), "cubes.violet is -1"),
        (lambda: rules_of(violet=1, green={"supply": -1}), "sides.green.supply is -1"),
        (lambda: rules_of(violet={"island": -1}, green=1), "sides.violet.island is -1"),
        (lambda: rules_of(violet={"damage": 5}, green=1), "sides.violet.damage is 5"),
        (lambda: player_cubes(-1), "cannons is -1"),
        (lambda: player_cubes(1, buildings=-1), "buildings is -1"),
        (lambda: rules_of("building", violet=6, green=3), "cubes of green is 3; allowed is 2, 5, 7"),
        (lambda: rules_of("building", violet=6, green=6), "or 4, 7, 9 after its last turn"),
        (lambda: rules_of("building", rulings={"last_turn": "ships"}, violet=6, green=4),
         "cubes of green is 4; allowed is 2, 5, 7 (garrison, fort, both); say"),
        (lambda: rules_of("merchant", black=4, violet=6), "active side is 'black'; allowed is violet"),
        (lambda: rules_of("merchant", "black", violet=6, black=4), "active side is 'black'"),
        (lambda: rules_of(violet=30, green=3), "cubes.violet is 30; allowed is a whole number from 0 to 29"),
        (lambda: rules_of(violet={"supply": 30}, green=3), "sides.violet.supply is 30"),
        (lambda: rules_of(violet={"supply": 20, "island": 10}, green=3),
         "supply and island of violet together is 30; allowed is up to 29"),
        (lambda: rules_of("merchant", violet=6, black=21), "cubes of black is 21"),
        (lambda: rules_of("merchant", violet=6, black={"cubes": 4, "supply": 21}), "supply of black is 21"),
        (lambda: rules_of("merchant", violet=6, black={"cubes": 4, "island": 1}), "island of black is 1"),
        (lambda: rules_of("merchant", violet=6, black={"cubes": 4, "pirate": True}), "pirate of black is true"),
        (lambda: rules_of("merchant", violet=6, black={"cubes": 4, "damage": 1}), "damage of black is 1"),
        (lambda: rules_of(provoked=True, violet=6, green=3), "provoked is true"),
        (lambda: rules_of(provoked=True, violet=PIRATE, green=3), "the other than the active"),
        (lambda: rules_of(violet={"abilities": ["move"] * 51}, green=3),
         "number of abilities of violet is 51; allowed is up to 50"),
        *((lambda kind=kind: rules_of(kind, violet=1, green={"cubes": 2} | able("throw")),
           "number of abilities of green is 1") for kind in ("merchant", "building", "tie_break")),
        (lambda: Ability("throw", 10**9), "count of ability throw is 1000000000; allowed is up to 99"),
        (lambda: Ability.parse("throw:" + "9" * 5000), "ability is 'throw:999"),
        (lambda: Ability("throw", 1, spared=1), "spared of ability throw is 1; allowed is 0"),
        (lambda: Rulings().but(stuck="all"), "battle.rulings.stuck is 'all'; allowed is one of shaken, rethrown"),
        # Line 1043.
        (lambda: rules_of("building", violet=6, green={"cubes": 5, "pirate": True}), "pirate of green is true"),
        # Lines 825 and 949: one building of each kind; these and the port count where ship fights ship, not together.
        (lambda: player_cubes(3, buildings=4), "buildings is 4; allowed is a whole number from 0 to 3"),
        (lambda: player_cubes(3, buildings=1, attacked_in_port=True), "buildings is 1"),
        (lambda: player_cubes(3, buildings=1, kind="merchant"), "buildings is 1"),
        (lambda: player_cubes(3, attacked_in_port=True, kind="building"), "attacked_in_port is true"),
        (lambda: building_cubes(fort=False, garrison=False), "buildings is 'none'; allowed is a fort"),
        (lambda: Ability("move", 1), "count of ability move is 1; allowed is 0"),
        (lambda: Ability("throw", 2, coins=1), "coins of ability throw is 1; allowed is 0"),
        (lambda: Ability(UNKNOWN), "kind of an ability is 'duel'"),
        *((lambda text=text: Ability.parse(text), "ability is") for text in ABILITIES.split(" ")),
        *((lambda table=table: BattleRules(**table), part) for table, part in TABLES),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_in_one_line(wrong, part):
    with pytest.raises(UsageError, match=re.escape(part)) as error:
        wrong()
    assert "allowed" in str(error.value)
    assert len(str(error.value)) < 400


def test_buildings_defend_with_their_numbers_and_2_more_after_the_last_turn_as_ruled():
    for rulings in (Rulings(), Rulings(last_turn="ships"), Rulings(last_turn="everywhere")):
        for fort, garrison in ((True, False), (False, True), (True, True)):
            for last in (False, True):
                cubes = building_cubes(fort=fort, garrison=garrison, had_last_turn=last, rulings=rulings)
                assert rules_of("building", rulings=rulings, violet=6, green=cubes)


def test_the_scope_of_the_last_turns_cubes_is_a_ruling():
    scope = {
        choice: [
            last_turn_cubes("ship", Rulings(last_turn=choice)),
            last_turn_cubes("building", Rulings(last_turn=choice), ship=False),
            last_turn_cubes("tie_break", Rulings(last_turn=choice)),
        ]
        for choice in ("combats", "ships", "everywhere")
    }
    assert scope == {"combats": [2, 2, 0], "ships": [2, 0, 0], "everywhere": [2, 2, 2]}
    assert player_cubes(3, had_last_turn=True, kind="tie_break") == 3
    everywhere = Rulings(last_turn="everywhere")
    assert player_cubes(3, had_last_turn=True, kind="tie_break", rulings=everywhere) == 5
    assert building_cubes(fort=True, garrison=False, had_last_turn=True, rulings=Rulings(last_turn="ships")) == 5


def test_a_turn_may_beat_a_pirates_ship_and_then_attack_its_fort_but_neither_twice():
    """Line 1043; mended: the second combat was refused as one against the same opponent; a fight lost was enough."""
    begun = TurnLeft(6, pirates=("green", "blue"))
    combat = rules_of(violet=1, green=PIRATE)
    lost, won = (resolve(combat, BOARD, lie(**{side: ["one"]})) for side in ("green", "violet"))
    for now in (
        begun,
        begun.spend("green", 3, merchant_mode=lost.merchant_mode),
        begun.spend("green", 3, merchant_mode=won.merchant_mode),  # blue is there still, at green's fort
    ):
        with pytest.raises(UsageError, match=r"pirates at the fort of green is \[.*'blue'\]; allowed is none; beat"):
            now.spend("green", 2, target="fort", merchant_mode=("green", "blue"))
    turn = replace(begun, pirates=("green",)).spend("green", 3, merchant_mode=won.merchant_mode)
    turn = turn.spend("green", 2, target="fort")
    assert turn.fought == (("green", "ship"), ("green", "fort"))
    assert turn.spend("green", target="garrison").cannons == 1
    for target in ("ship", "fort", "buildings"):
        with pytest.raises(UsageError, match="not fought in this turn"):
            turn.spend("green", target=target)
    unknown: Any = "outpost"
    with pytest.raises(UsageError, match="target is 'outpost'; allowed is one of ship, fort, garrison, buildings"):
        turn.spend("green", target=unknown)


@each_case(
    ("names", "kind", "brings"),
    [
        (["coin", "one"], "ship", Worth(coins=1)),
        (["one", "coin"], "ship", Worth(coins=1)),
        (["one", "coin"], "building", Worth(strength=1)),
        (["one", "coin"], "tie_break", Worth(strength=1)),
        (["damage", "one"], "tie_break", Worth(strength=1)),
        (["damage", "one"], "ship", Worth(damage=1)),
        (["damage", "coin"], "ship", Worth(coins=1)),
        (["damage", "coin"], "building", Worth(damage=1)),
        (["coin", "cargo"], "merchant", Worth(coins=1, cargo=1)),
        (["one", "two"], "ship", Worth(strength=3)),
        (["damage", "damage"], "ship", Worth(damage=1)),
        (["coin"], "building", Worth()),
        (["damage"], "tie_break", Worth()),
    ],
)
def test_a_cube_in_two_zones_counts_in_both_until_plunder_or_damage_takes_it_off(names, kind, brings):
    """Lines 983, 1015, 1027 and 1035 read to the letter; against buildings nothing is plundered (1013)."""
    assert worth_in([BOARD.zone(name) for name in names], kind) == brings


def test_a_cube_in_an_explosive_zone_or_that_touches_one_explodes():
    places = lie(violet=["bang", "one", "border"], green=["damage", "bang"])
    assert [cube.id for cube in in_explosive(places, BOARD)] == [0, 4]
    places = lie(violet=["one", "two"])
    first, second = places
    assert in_explosive(places, BOARD, {first: ("one", "bang")}) == (first,)
    assert in_explosive(places, BOARD, {second: ("two", "one")}) == ()


def test_by_the_letter_a_cube_across_two_zones_counts_in_both_and_explodes_if_one_is_explosive():
    both: Any = {"rulings": {"two_zones": "both"}}
    battle = run([{0: "one+two", 10: "two"}], setup(active="green", **both))
    assert (battle.result().sides["violet"].strength, battle.result().winner) == (3, "violet")
    assert battle.across == ((0, ("one", "two")),)
    assert [x.touches[1:] for x in battle.steps[0].landings] == [("two",), ()]
    nearest = run([{0: "one+two", 10: "two"}], setup(active="green"))
    assert (nearest.result().winner, nearest.across) == ("green", ())
    bangs = run([{0: "coin+bang", 10: "one"}, {0: "one+two", 1: "coin"}], setup(**both))
    assert kinds(bangs) == ["throw", "explosion"]
    assert numbers(bangs.steps[1].thrown) == [0, 1]


def test_a_cube_stays_in_both_zones_until_it_is_pushed_or_thrown_and_a_saved_battle_knows_it():
    combat = setup(violet_side=able("strength:1"), green_side=able("throw:1"), rulings={"two_zones": "both"})
    script = ({0: "one+two", 10: "one"}, {11: "coin"}, {})
    model = ScriptedShip(script=script)
    battle = advance(model, start(model, combat, 1), {})
    battle = Battle.from_token(battle.token())
    assert battle.result().sides["violet"].strength == 3
    use = {"green": lambda battle, side, uses: uses[0]}
    for _ in range(2):  # violet passes; green throws a cube that pushes nothing
        battle = advance(model, battle, use)
    assert at(battle)[11] == "coin"
    assert battle.across == ((0, ("one", "two")),)
    pushing = ScriptedShip(script=({0: "one+two", 10: "one"}, {11: "coin", 0: "two"}))
    battle = advance(pushing, start(pushing, combat, 1), {})
    for _ in range(2):
        battle = advance(pushing, battle, use)
    assert (battle.across, battle.result().sides["violet"].strength) == ((), 2)


def test_a_model_that_knows_no_contacts_cannot_rule_that_a_cube_is_in_both():
    blind = DiceShip(tells_contacts=False)
    with pytest.raises(
        UsageError, match=r"ruling two_zones is 'both'; allowed is another choice with the model 'dice'"
    ):
        start(blind, setup(rulings={"two_zones": "both"}), 1)
    start(blind, setup(), 1)


@each_case(
    ("island_for", "first", "extra", "ability"),
    [
        (("throw", "explosion", "ability"), 2, 1, 1),
        (("throw",), 2, 0, 0),
        (("explosion", "ability"), 1, 1, 1),
        (("ability",), 1, 0, 1),
        ((), 1, 0, 0),
    ],
)
def test_a_side_takes_cubes_off_islands_on_the_occasions_it_wants_to(island_for, first, extra, ability):
    """Line 895: it may. Violet has one cube in its supply, five on islands, and throws 2; one explodes; it throws 1."""
    side: Any = {"supply": 1, "island": 5, "island_for": island_for} | able("throw:1")
    combat = setup(2, 1, violet_side=side)  # violet 0 to 5, green from 6
    thrown = {0: "bang", 6: "two"} | ({1: "coin"} if first == 2 else {})
    used = first
    exploded = {0: "coin"} | ({used: "coin"} if extra else {})
    used += extra
    script = [thrown, exploded, *([{used: "coin"}] if ability else [])]
    battle = run(script, combat, violet=["throw:1"] if ability else [])
    assert len(battle.steps[0].thrown) == first + 1
    assert len(battle.steps[1].thrown) == 1 + extra
    assert battle.account()["island"]["violet"] == 5 - (first - 1) - extra - ability
    assert ("ability" in kinds(battle)) == bool(ability)


def test_what_a_table_says_of_a_side_is_the_side_and_is_written_back():
    table: Any = {"supply": 20, "island": 2, "island_for": ["throw", "ability"], "damage": 1, "pirate": True}
    rules = BattleRules().but(
        abilities={}, cubes={"green": 3, "red": 2}, sides={"green": table, "red": {"island_for": []}}
    )
    green, red = map(rules.side, ("green", "red"))
    assert green == SideRules(supply=20, island=2, island_for=("throw", "ability"), damage=1, pirate=True)
    assert (green.model_dump(mode="json"), red.island_for) == (table, ())
    assert rules.but(sides={}).side("green") == SideRules()


def test_tokens_of_battles_that_cannot_be_are_refused_in_one_line():
    battle = advance(DiceShip(), start(DiceShip(), setup(2, 2, violet_side=able("throw:1")), 1), {})
    good = unpack(TOKEN_PREFIX, battle.token(), dict, "battle", "it")
    harm = {
        "supply": [],
        "turn": "blue",
        "contenders": ["violet", "red"],
        "used": [["violet", {"ability": 3}]],
        "resting": [99],
        "across": [[0, ["nowhere"]]],
        "seed": "1",
        "passes": None,
        "steps": {},
        "numbered": 10**30,
        "hand": [{"id": 0, "colour": "violet", "edge": 0.008}],
        "state": 7,
        "rules": {},
        "board": good["board"] | {"zones": [good["board"]["zones"][0] | {"printed": {"kind": "treasure"}}]},
    }
    assert Battle.from_token(pack(TOKEN_PREFIX, good)) == battle
    for name, value in harm.items():
        with pytest.raises(UsageError, match=r"battle token .* does not hold a battle|state token"):
            Battle.from_token(pack(TOKEN_PREFIX, good | {name: value}))

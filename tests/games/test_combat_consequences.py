"""Dead Reckoning: what follows a combat, which cannot be, what a turn leaves, and cubes that are in two zones."""

from typing import Any

import pytest
from support.battles import able, at, kinds, numbers, run, setup
from support.cases import each_case
from support.fights import fight, lie
from support.ships import BOARD, DiceShip, ScriptedShip

from tower_sim.errors import UsageError
from tower_sim.games.dead_reckoning.abilities import Ability, Worth
from tower_sim.games.dead_reckoning.battle import TOKEN_PREFIX, Battle, advance, start
from tower_sim.games.dead_reckoning.combat import in_explosive, resolve, worth_in
from tower_sim.games.dead_reckoning.rules import BattleRules
from tower_sim.games.dead_reckoning.rulings import Rulings
from tower_sim.games.dead_reckoning.sides import (
    Setup,
    Side,
    TurnLeft,
    building_cubes,
    last_turn_cubes,
    player_cubes,
    side_words,
)
from tower_sim.games.dead_reckoning.words import battle_json
from tower_sim.token import pack, unpack


@each_case("kind", ["ship", "merchant", "building"])
def test_a_pirate_ship_that_sinks_goes_to_merchant_mode_also_when_it_won(kind):
    """Line 1111: mended, the winner that sank used to stay a pirate."""
    sinking: Any = {"damage": 4, "pirate": True}
    result = fight(kind, violet=["two", "two"], green=["damage"], violet_side=sinking)
    assert (result.winner, result.sunk, result.merchant_mode) == ("violet", ("violet",), ("violet",))
    afloat = fight(kind, violet=["two", "two"], green=["damage"], violet_side={"pirate": True, "damage": 3})
    assert (afloat.sunk, afloat.merchant_mode) == ((), ())


def test_both_ships_may_leave_pirate_mode_the_beaten_and_the_one_that_sank_winning():
    both = fight(
        violet=["two"], green=["damage"], violet_side={"damage": 4, "pirate": True}, green_side={"pirate": True}
    )
    assert (both.winner, both.sunk, both.merchant_mode) == ("violet", ("violet",), ("violet", "green"))


def test_who_moved_onto_a_pirate_and_lost_is_barred_from_the_island():
    """Line 975; not who attacked of its own will, and not who won."""
    sides = (Side("violet", 1), Side("green", 1, pirate=True))

    def barred(provoked, **zones):
        return resolve(Setup("ship", sides, "violet", provoked=provoked), BOARD, lie(**zones)).barred

    assert barred(True, green=["one"]) == "violet"
    assert barred(False, green=["one"]) is None
    assert barred(True, violet=["one"]) is None


@each_case(
    ("kind", "violet", "green", "terror"),
    [
        ("ship", 0, 4, ("violet",)),
        ("ship", 4, 0, ("green",)),
        ("ship", 4, 4, ("green", "violet")),
        ("ship", 0, 0, ()),
        ("building", 4, 0, ("green",)),
        ("merchant", 4, 0, ()),
    ],
)
def test_who_sinks_another_players_ship_is_the_terror_of_the_seas(kind, violet, green, terror):
    """Line 1143, with 1113: a building's owner may be; a non-player is no player."""
    cubes: Any = {"violet": ["damage"], "green": ["damage"]}
    result = fight(kind, **cubes, violet_side={"damage": violet}, green_side={"damage": green})
    assert result.terror == terror


def test_whether_a_ship_that_a_building_beats_leaves_pirate_mode_is_a_ruling():
    def after(choice):
        rulings = Rulings(beaten_by_building=choice)
        return fight("building", rulings, green=["one"], violet_side={"pirate": True}).merchant_mode

    assert (after("leaves"), after("stays")) == (("violet",), ())
    assert fight("ship", Rulings(beaten_by_building="stays"), green=["one"], violet_side={"pirate": True}).merchant_mode


def test_a_mover_that_takes_less_damage_takes_none_below_none():
    """Lines 1523-1524: move any cube to an adjacent zone, and take so much less."""
    move = Ability.parse("move:2")
    for cubes, taken in ((["damage"] * 4, 3), (["damage"], 0), ([], 0)):  # 1 of it is for losing
        result = fight(violet=[], green=[*cubes, "one"], used=[("violet", move)])
        assert (result.winner, result.sides["violet"].damage_taken) == ("green", taken)
    assert fight(green=["damage", "one"], used=[("green", move)]).sides["violet"].damage_taken == 2


@each_case(
    ("ruling", "choice", "moves", "taken"),
    [
        ("spared_damage", "all", 1, 0),  # 1 for losing, and none dealt
        ("spared_damage", "dealt", 1, 1),
        ("spared_damage", "dealt", 3, 1),
    ],
)
def test_whether_a_mover_is_spared_the_damage_for_losing_is_a_ruling(ruling, choice, moves, taken):
    move = Ability("move", spared=moves)
    rulings = Rulings(**{ruling: choice})
    assert fight(rulings=rulings, green=["one"], used=[("violet", move)]).sides["violet"].damage_taken == taken


def test_whether_abilities_bring_goods_against_buildings_is_a_ruling():
    """Lines 1058 and 1476: nobody plunders, but a gunner's coins are no plunder."""
    used = [("violet", Ability.parse("take_off:1:2")), ("violet", Ability.parse("win_bonus:0:1:3"))]
    for choice, (coins, cargo) in {"counted": (3, 3), "none": (0, 0)}.items():
        side = fight("building", Rulings().but(goods_at_buildings=choice), violet=["one"], used=used).sides["violet"]
        assert (side.coins, side.cargo, side.damage_given) == (coins, cargo, 1)
    assert fight("ship", Rulings(goods_at_buildings="none"), violet=["one"], used=used).sides["violet"].coins == 3


def test_plunder_of_zones_is_to_be_placed_and_coins_of_abilities_are_not():
    """Line 1015: into a hold with space, onto the island of the combat, or back; line 1476: onto the ship."""
    used = [("violet", Ability.parse("take_off:1:2"))]
    result = fight(violet=["both", "choice", "choice", "one"], green=["cargo"], used=used)
    assert result.sides["violet"].coins == 3
    assert result.to_place == {"violet": Worth(coins=1, cargo=1, choice=4), "green": Worth(cargo=1)}
    assert fight("building", violet=["both"], used=used).to_place["violet"] == Worth()
    assert fight("merchant", green=["both"]).to_place["green"] == Worth()


@each_case(
    ("loser", "dealt", "violet_sank", "green_sank"),
    [
        ([], 1, ("violet",), ()),  # green, at 4 before, takes 1 for losing only
        (["damage"], 1, ("violet", "green"), ("green",)),  # both sink, violet by damage dealt
    ],
)
def test_who_sank_a_ship_that_sinks_by_losing_or_with_the_other_is_a_ruling(loser, dealt, violet_sank, green_sank):
    for choice, terror in (("opponent", violet_sank), ("dealt", green_sank)):
        at_4: Any = {"damage": 4}
        result = fight(
            rulings=Rulings().but(who_sank=choice), violet=["one"], green=loser, violet_side=at_4, green_side=at_4
        )
        assert set(result.terror) == set(terror)
        assert result.sides["green"].damage_taken == dealt


def test_buildings_defend_with_their_numbers_and_2_more_after_the_last_turn_as_ruled():
    for rulings in (Rulings(), Rulings(last_turn="ships"), Rulings(last_turn="everywhere")):
        for fort, garrison in ((True, False), (False, True), (True, True)):
            for last in (False, True):
                cubes = building_cubes(fort=fort, garrison=garrison, had_last_turn=last, rulings=rulings)
                assert Setup("building", (Side("violet", 6), Side("green", cubes)), rulings=rulings)


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
    """Line 1043; mended: the second combat was refused as one against the same opponent."""
    turn = TurnLeft(6).spend("green", 3).spend("green", 2, target="fort")
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


def test_a_cube_that_touches_an_explosive_zone_and_another_explodes():
    places = lie(violet=["one", "two"])
    first, second = places
    assert in_explosive(places, BOARD, {first: ("one", "bang")}) == (first,)
    assert in_explosive(places, BOARD, {second: ("two", "one")}) == ()


def test_by_the_letter_a_cube_across_two_zones_counts_in_both_and_explodes_if_one_is_explosive():
    both: Any = {"rulings": {"two_zones": "both"}}
    battle = run([{0: "one+two", 10: "two"}], setup(active="green", **both))
    assert (battle.result().sides["violet"].strength, battle.result().winner) == (3, "violet")
    assert battle.across == ((0, ("one", "two")),)
    landings = battle_json(battle)["steps"][0]["landings"]
    assert [x["also"] for x in landings] == [["two"], []]
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
    green, red = rules.setup.sides
    assert green == Side("green", 3, 20, 2, (), 1, True, ("throw", "ability"))
    assert (side_words(green), red.island_for) == (table, ())
    assert rules.but(sides={}).setup.sides == (Side("green", 3), Side("red", 2))


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
        "setup": {},
        "board": good["board"] | {"zones": [good["board"]["zones"][0] | {"printed": {"kind": "treasure"}}]},
    }
    assert Battle.from_token(pack(TOKEN_PREFIX, good)) == battle
    for name, value in harm.items():
        with pytest.raises(UsageError, match=r"battle token .* does not hold a battle|state token") as error:
            Battle.from_token(pack(TOKEN_PREFIX, good | {name: value}))
        assert "\n" not in str(error.value)

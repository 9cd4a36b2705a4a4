"""Battles with the real ship: colours are alike, the active side has only the ties, saved battles go on."""

from collections import Counter
from dataclasses import replace

import pytest

from tower_sim.apparatus import Surface, load
from tower_sim.games.dead_reckoning import Ability, Battle, BattleRules, start, when_behind
from tower_sim.games.dead_reckoning.battle import play
from tower_sim.simulator import PhysicsModel

BATTLES = 15
POLICIES = {"purple": when_behind, "green": when_behind}
ABLE = BattleRules(
    cubes={"purple": 6, "green": 5},
    abilities={
        "purple": tuple(map(Ability.parse, ("throw:2", "move", "strength:1"))),
        "green": tuple(map(Ability.parse, ("throw:2", "take_off", "card:1"))),
    },
)


@pytest.fixture(name="model", scope="module")
def _model():
    with PhysicsModel(load("dead_reckoning")) as model:
        yield model


def fight(model: PhysicsModel, rules: BattleRules, game: int) -> Battle:
    *_, battle = play(model, start(model, rules, 11, game), POLICIES)
    return battle


@pytest.fixture(name="even", scope="module")
def _even(model: PhysicsModel) -> list[Battle]:
    rules = BattleRules(cubes={"purple": 5, "green": 5})
    return [fight(model, rules, game) for game in range(BATTLES)]


def test_with_the_colours_exchanged_the_same_battle_is_fought_with_the_colours_exchanged(model, even):
    other = {"purple": "green", "green": "purple"}
    rules = BattleRules(cubes={"green": 5, "purple": 5})
    for game, battle in enumerate(even):
        exchanged = fight(model, rules, game)
        assert exchanged.result().winner == other[battle.result().winner]
        for step, same in zip(battle.steps, exchanged.steps, strict=True):
            assert [(x.cube.id, other[x.cube.colour], x.place) for x in step.landings] == [
                (x.cube.id, x.cube.colour, x.place) for x in same.landings
            ]


def test_the_active_side_has_the_ties_and_nothing_else(model, even):
    rules = BattleRules(cubes={"purple": 5, "green": 5}, active="green")
    ties = 0
    for game, battle in enumerate(even):
        turned = fight(model, rules, game)
        assert turned.steps == battle.steps
        one, other = battle.result(), turned.result()
        strengths = [one.sides[colour].strength for colour in ("purple", "green")]
        ties += (is_tie := strengths[0] == strengths[1])
        assert (one.winner, other.winner) == (("purple", "green") if is_tie else (one.winner, one.winner))
    assert 0 < ties < BATTLES  # both cases were seen


def test_every_cube_is_accounted_for_abilities_and_explosions_are_seen_and_every_battle_ends_in_zones(model):
    seen = Counter[str]()
    for game in range(BATTLES):
        *steps, battle = play(model, start(model, ABLE, 12, game), POLICIES)
        for each in (*steps, battle):
            counts = sum((Counter(by_colour) for by_colour in each.account().values()), Counter[str]())
            assert counts == {"purple": 29, "green": 29}
            assert each.state.residents == ()
            assert Battle.from_token(each.token()) == each
        seen.update(step.ability or step.kind for step in battle.steps)
        assert all(place.startswith("zone:") for place in battle.places.values())
        assert not battle.state.board.at("zone:explosive_shot")
    assert min(seen["explosion"], seen["throw:2"], seen["move"]) > 0


def test_rulings_that_throw_again_end_and_those_that_lose_cubes_account_for_them(model):
    rulings = {"on_cube": "rethrown", "left_board": "lost", "pushed_onto_border": "stays"}
    crowded = ABLE.but(cubes={"purple": 20, "green": 20}, abilities={}, rulings=rulings)
    lost = 0
    for game in range(8):
        battle = fight(model, crowded, game)
        lost += len(battle.lost)
        assert sum(sum(counts.values()) for counts in battle.account().values()) == 58
        assert set(battle.account()["table"].values()) == {0}
    assert lost > 0


def test_cubes_that_stick_in_a_rough_ship_are_shaken_free_and_the_battle_goes_on():
    """With friction 0.8 a cube stays on a deck of 35 degrees (it slides above 38.7), until the ship is shaken."""
    ship = load("dead_reckoning")
    rough = replace(ship, surfaces={**ship.surfaces, "ship": Surface(0.8, 0.1)})
    freed = 0
    with PhysicsModel(rough) as model:
        for game in range(3):
            *_, battle = play(model, start(model, BattleRules(), 3, game))
            stuck = [sum(x.inside for x in step.landings) for step in battle.steps]
            shakes = [i for i, step in enumerate(battle.steps) if step.kind == "shake"]
            assert all(stuck[i - 1] > 0 for i in shakes)
            freed += sum(stuck[i] < stuck[i - 1] for i in shakes)
            assert stuck[-1] == 0
            assert sum(sum(counts.values()) for counts in battle.account().values()) == 58
    assert freed > 0

"""The npm package plays Python's games, goes on where it was saved, and refuses the rest. About 10 s."""

from __future__ import annotations

import functools
import json
from collections import Counter
from collections.abc import Callable, Mapping
from importlib import resources
from typing import Any, cast

import numpy as np
import pytest
from support.amerigo import play
from support.npm_project import ask, make
from support.portable import ODD, model_of
from vectors.renew import Resting, WordStream, move

from tower_sim.apparatus import load
from tower_sim.drops import estimate_chances
from tower_sim.games.amerigo import Rules, Tokens, action_points, actions_allowed, gold_for_passing, options
from tower_sim.games.amerigo.many import ACTION_POINTS, ACTIONS, GOLD, GOLD_WITH_TOKEN, sample_games
from tower_sim.games.amerigo.rules import MAX_COLOURS, MAX_DIVISOR, MAX_DROPS, TokenRulings
from tower_sim.games.rules import questions
from tower_sim.surrogate import SurrogateModel, shipped
from tower_sim.surrogate.kernel import OUT
from tower_sim.surrogate.ship import landing
from tower_sim.values import MAX_CUBES, supply

pytestmark = pytest.mark.slow

WORD = 1 << 32
SEED = (1, 2, 3, 4)
GENERATOR = {"kind": "xoshiro128**", "state": [*SEED]}
Ask = Callable[..., list[Any]]


@pytest.fixture(scope="module")
def npm(tmp_path_factory: pytest.TempPathFactory) -> Ask:
    return functools.partial(ask, make(tmp_path_factory.mktemp("npm")))


# The same games


def counts(entries: list[dict[str, Any]], colours: tuple[str, ...]) -> list[Any]:
    return [[[entry[key][c] for c in colours] for entry in entries] for key in ("thrown", "emerged", "inside")]


@pytest.mark.parametrize("name", ["amerigo", "amerigo-club", "amerigo-rulebook"])
def test_sampled_games_are_those_of_python(npm: Ask, name: str):
    for plain, seed, number in (({}, 7, 60), (ODD, 2**100 + 3, 40)):
        rules = Rules(**plain)
        games = sample_games(model_of(name), rules, number, seed)
        (found,) = npm({"do": "sampled", "tower": name, "rules": plain, "seed": str(seed), "games": [*range(number)]})
        assert len(found) == number
        for game, entries in enumerate(found):
            expected = [
                each[game].tolist()
                for each in (games.each_colour("thrown"), games.each_colour("out"), games.each_colour("inside"))
            ]
            assert counts(entries, tuple(rules.colours)) == expected
            phases = entries[1:]
            for figure, found_in in (
                (ACTION_POINTS, [e["actionPoints"] for e in phases]),
                (ACTIONS, [len(e["actions"]) for e in phases]),
                (GOLD, [e["gold"] for e in phases]),
                (GOLD_WITH_TOKEN, [e["goldWithToken"] for e in phases]),
            ):
                assert found_in == figure.by_phase(games)[game].tolist(), figure.key
            assert {entries[0][key] for key in ("actionPoints", "gold", "goldWithToken")} == {0}


NAMES = ["red", "__proto__", "constructor", "toString", "", "ü→𝄞", "a.b", "0"]  # of colours


def any_drop(rng: np.random.Generator, floors: int) -> tuple[dict[str, Any], list[dict[str, Any]], list[int]]:
    """Return a state, a throw and four words, with cubes of odd numbers and colours, in no order."""
    inside, thrown = (int(rng.choice([0, 1, 3, 9, 60])) for _ in range(2))
    numbers = [int(number) for number in rng.choice(1000, inside + thrown, replace=False) * 3 - 700]
    cubes = [{"id": number, "colour": str(rng.choice(NAMES))} for number in numbers]
    drops = int(rng.choice([1, 5, 400, 2**53 - 2]))
    lying: list[dict[str, Any]] = []
    for cube in cubes[:inside]:
        floor, since = int(rng.integers(floors)), int(rng.integers(max(0, drops - 40), drops))
        lying.append({**cube, "floor": floor, "since": since, "inCrowd": rng.random() < 0.5})
    return {"drops": drops, "cubes": lying}, cubes[inside:], [1 + int(word) for word in rng.integers(0, WORD - 1, 4)]


def drop_of(tower: SurrogateModel, state: dict[str, Any], thrown: list[dict[str, Any]], four: list[int]) -> Any:
    """Return what the package should answer, by Python's table and generator."""
    word = WordStream(SEED)
    word.state = (four[0], four[1], four[2], four[3])
    cubes = sorted([*state["cubes"], *thrown], key=lambda cube: cube["id"])
    crowd = len(thrown) >= tower.table.to_plain()["crowd_from"]
    resting = [
        Resting(cube["floor"], state["drops"] - cube["since"], cube["inCrowd"]) if "floor" in cube else None
        for cube in cubes
    ]
    ends = move(tower.table, resting, word) if thrown else [cube["floor"] for cube in cubes]
    fresh = {"since": state["drops"], "inCrowd": crowd}
    plain = [{"id": cube["id"], "colour": cube["colour"]} for cube in cubes]
    places = [*(f"inside:{region}" for region in tower.table.regions), "tray"]
    after = [{**fresh, **cube, "floor": end} for cube, end in zip(cubes, ends, strict=True) if end != OUT]
    return {
        "state": {"drops": state["drops"] + 1, "cubes": after},
        "emerged": [cube for cube, end in zip(plain, ends, strict=True) if end == OUT],
        "landings": [{**cube, "floor": e, "place": places[e]} for cube, e in zip(plain, ends, strict=True)],
        "generator": {"kind": "xoshiro128**", "state": [*word.state]},
    }


@pytest.mark.parametrize("name", ["amerigo", "amerigo-club", "amerigo-rulebook"])
def test_any_drop_onto_any_state_is_pythons(npm: Ask, name: str):
    """Cube by cube in 200 drops of each tower, from every kind of state, and the generator after it."""
    rng, tower = np.random.default_rng(len(name)), model_of(name)
    drops = [any_drop(rng, len(tower.table.regions)) for _ in range(200)]
    asks = [
        {"do": "dropped", "tower": name, "state": state, "thrown": new, "generator": {**GENERATOR, "state": four}}
        for state, new, four in drops
    ]
    assert npm(*asks) == [drop_of(tower, *drop) for drop in drops]


KEYS = ("index", "round", "phase", "skipped", "thrown", "emerged", "inside", "actions", "gold")


def row(entry: Mapping[str, Any], points: str) -> dict[str, Any]:
    return {key: entry[key] for key in KEYS} | {"points": entry[points]}


def test_the_commands_games_are_the_same_from_300_seeds(npm: Ask):
    tower = model_of("amerigo")
    rng = np.random.default_rng(2)
    seeds = [0, 1, WORD - 1, WORD, 2**64, 2**96 + 5, 2**128 - 1]
    seeds += [int(rng.integers(0, 2**62)) ** 2 % 2**128 for _ in range(293)]
    rules: list[dict[str, Any]] = [ODD if i % 3 == 0 else {"rounds": 2} for i in range(len(seeds))]
    asks = zip(seeds, rules, strict=True)
    found = npm(*({"do": "commanded", "tower": "amerigo", "rules": of, "seed": str(seed)} for seed, of in asks))
    for seed, of, entries in zip(seeds, rules, found, strict=True):
        expected = [entry.plain for entry in play(tower, Rules(**of), seed)]
        assert [row(entry, "actionPoints") for entry in entries] == [row(each, "action_points") for each in expected]


def test_what_a_player_may_choose_is_pythons_in_2000_cases(npm: Ask):
    rng = np.random.default_rng(3)
    colours = [*Rules().colours]
    cases: list[dict[str, Any]] = []
    expected: list[Any] = []

    def few(most: int) -> dict[str, int]:
        return {c: int(rng.integers(0, most)) for c in colours if rng.random() < 0.4}

    for _ in range(2000):
        rulings = {name: str(rng.choice([*question.choices])) for name, question in questions(TokenRulings).items()}
        substitute, divisor = str(rng.choice(["", "white", "red"])), int(rng.integers(1, 5))
        plain = {"rulings": rulings, "substitute": substitute, "gold_divisor": divisor}
        marker = None if rng.random() < 0.2 else str(rng.choice(colours))
        two = [*map(str, rng.choice(colours, 2, replace=False))] if rng.random() < 0.5 else []
        tokens: dict[str, Any] = {"extra": few(3), "once": few(6), "exchange": two, "gold": rng.random() < 0.5}
        emerged, points = few(8), bool(rng.integers(0, 2))
        cases.append({"do": "options", "given": [emerged, plain, marker, {**tokens, "victoryPoints": points}]})
        cases.append({"do": "phase", "emerged": emerged, "rules": plain})
        rules = Rules(**plain)
        may = options(emerged, rules, marker, Tokens(**{**tokens, "exchange": tuple(two)}, victory_points=points))
        choices = [{"action": x.action, "cubes": x.cubes, "points": x.points, "once": x.once} for x in may.choices]
        expected.append({"choices": choices, "gold": may.gold, "victoryPoints": may.victory_points})
        gold = gold_for_passing(emerged, rules.gold_divisor)
        expected.append([[*actions_allowed(emerged, rules)], action_points(emerged), gold])
    assert npm(*cases) == expected
    assert sum(any(c["cubes"] != c["action"] for c in each["choices"]) for each in expected[::2]) > 200


def test_the_published_rules_the_rulings_and_the_limits_are_pythons():
    text = (resources.files("tower_sim.clients") / "npm/rules.js").read_text("utf-8")
    limits = {"cubes": MAX_CUBES, "drops": MAX_DROPS, "colours": MAX_COLOURS, "divisor": MAX_DIVISOR}
    choices = {name: [*question.choices] for name, question in questions(TokenRulings).items()}
    for name, said in (("LIMITS", limits), ("RULINGS", choices)):
        assert f"const {name} = {{ {', '.join(f'{key}: {json.dumps(of)}' for key, of in said.items())} }};" in text


def test_rules_with_every_key_are_pythons(npm: Ask):
    for plain in ({}, ODD, {"rulings": {"stand_in_exchange": "there"}, "substitute": ""}):
        (found,) = npm({"do": "rules", "given": plain})
        rules = Rules(**plain)
        expected = rules.model_dump(mode="json", exclude={"knocks"}) | {"cubes": rules.counts}
        assert found == expected


@pytest.mark.parametrize("name", ["amerigo", "amerigo-club", "amerigo-rulebook"])
def test_the_chances_of_the_next_throw_are_pythons(npm: Ask, name: str):
    """Counts exactly, intervals to 1e-9: from the empty tower, and after three throws."""
    model, rng = model_of(name), np.random.default_rng(4)
    crowd, regions = model.table.to_plain()["crowd_from"], model.table.regions
    after = model.empty()
    for thrown in ({"red": 12}, {"blue": 30, "green": 4}, {"red": 5}):
        cubes = supply(thrown, model.cube_edge, first_id=after.next_id)
        after = model.drop(after, cubes, rng).state
    sizes = [len(event.thrown) for event in after.log]
    lying = [
        {"id": each.cube.id, "colour": each.cube.colour, "floor": regions.index(each.region), "since": each.since}
        | {"inCrowd": sizes[each.since] >= crowd}
        for each in after.residents
    ]
    options_ = [{"blue": 4}, {"white": 1, "blue": 0, "red": 7}]
    for state, plain, draws, seed in ((model.empty(), EMPTY, 2, 2**100), (after, {"drops": 3, "cubes": lying}, 300, 5)):
        given = {"tower": name, "state": plain, "options": options_, "draws": draws, "seed": str(seed)}
        (found,) = npm({"do": "chances", **given})
        expected = [each.document() for each in estimate_chances(model, state, options_, draws, seed)]
        assert [leaf(each, exact=True) for each in found] == [leaf(each, exact=True) for each in expected]
        for one, other in zip(found, expected, strict=True):
            assert leaf(one, exact=False) == pytest.approx(leaf(other, exact=False), rel=1e-9, abs=1e-12)


def leaf(value: Any, *, exact: bool, path: str = "") -> dict[str, Any]:
    """Return the values of a document by path: all but the ends of intervals, or these."""
    if isinstance(value, dict):
        inner = [leaf(each, exact=exact, path=f"{path}.{key}") for key, each in cast("dict[str, Any]", value).items()]
        return {key: each for one in inner for key, each in one.items()}
    return {path: value} if exact != path.endswith((".low", ".high")) else {}


# Generators


def test_a_generator_is_plain_data_that_goes_on_where_it_was_saved(npm: Ask):
    word = WordStream(SEED, 5)
    (begun,) = npm({"do": "seeded", "seed": SEED, "stream": 5})
    assert begun == {"kind": "xoshiro128**", "state": [*word.state]}
    (found,) = npm({"do": "words", "generator": begun, "count": 300})
    assert found["drawn"] == [word() for _ in range(300)]
    assert found["generator"]["state"] == [*word.state]
    forks = npm(*({"do": "fork", "generator": found["generator"], "number": n} for n in (0, 3, WORD - 1)))
    assert [each["state"] for each in forks] == [[*WordStream(word.state, n).state] for n in (0, 3, WORD - 1)]
    seeds = [0, 7, WORD, 2**128 - 1]
    expected = [np.random.SeedSequence(seed).generate_state(4).tolist() for seed in seeds]
    assert npm(*({"do": "fourWords", "seed": str(seed)} for seed in seeds)) == expected


def test_a_game_stopped_after_every_drop_and_one_of_the_hosts_words_are_the_same_game(npm: Ask):
    (found,) = npm({"do": "drops", "count": 1})
    assert len(found["whole"]) == 36
    assert found["parts"] == found["whole"]
    assert found["hosted"] == found["whole"]


# What is refused

LYING = {"id": 1, "colour": "red", "floor": 0, "since": 2, "inCrowd": False}
STATE = {"drops": 3, "cubes": [{**LYING, "id": 7}, LYING]}
FIGHT = {"kind": "merchant", "sides": [{"cubes": 3}, {"cubes": 3}]}


def with_(cube: dict[str, Any]) -> dict[str, Any]:
    return {"drops": 3, "cubes": [{**LYING, "id": 7}, {**LYING, **cube}]}


EMPTY = {"drops": 0, "cubes": []}
TURN = {"index": 1, "tower": STATE}
RANDOM, TOO_BIG, NEGATIVE = ({"js": f"npm.fromWords({draw})"} for draw in ("Math.random", "() => 2 ** 32", "() => -1"))
REFUSED: list[tuple[str, list[Any], str, str]] = [
    ("amerigo.drop", [with_({"floor": 9}), [], GENERATOR], "state.cubes[1].floor", "is 9; allowed is a whole number"),
    ("amerigo.drop", [with_({"since": 3}), [], GENERATOR], "state.cubes[1].since", "below state.drops, 3"),
    ("amerigo.drop", [with_({"inCrowd": 1}), [], GENERATOR], "state.cubes[1].inCrowd", "true or false"),
    ("amerigo.drop", [with_({"id": 7}), [], GENERATOR], "state.cubes[1].id", "a number that no other cube has"),
    ("amerigo.drop", [STATE, [{"id": 2}, {"id": 7}], GENERATOR], "thrown[1].id", "a number that no other cube has"),
    ("amerigo.drop", [STATE, [{"id": 2}, 5], GENERATOR], "thrown[1]", "a cube { id, colour }"),
    ("amerigo.drop", [None, [], GENERATOR], "state", "as empty() or drop(...).state"),
    ("amerigo.drop", [EMPTY, [{"id": 2}], {"js": "Math.random"}], "generator", "Math.floor(Math.random() * 42949672"),
    ("amerigo.drop", [EMPTY, [{"id": 2}]], "generator", "make one with seeded([1, 2, 3, 4]) or fromSystem()"),
    ("amerigo.drop", [EMPTY, [], {"js": "npm.fromWords"}], "generator", "or fromWords(...) around a function"),
    ("amerigo.drop", [EMPTY, [{"id": 2}], {"js": "npm.fromWords(() => 7n)"}], "a word drawn", "is 7n; allowed"),
    ("amerigo.drop", [EMPTY, [{"id": 2}], {"js": "npm.fromWords(() => NaN)"}], "a word drawn", "is NaN; allowed"),
    ("amerigo.covers", [-1, 0], "thrown", "from 0"),
    ("deadReckoning.covers", [3, 0.5], "lying", "from 0"),
    ("fork", [{"js": "npm.fromWords(() => 7)"}, 1], "generator", "no state to save or fork"),
    ("playGame", [{"js": "deadReckoning"}, GENERATOR], "tower", "amerigo of tower-sim/towers/amerigo"),
    ("sampleGame", [None, 7], "tower", "a tower, such as"),
    ("fork", [GENERATOR, 2**32], "number", "is 4294967296; allowed is a whole number from 0 to 2^32 - 1"),
    ("seeded", [[1, 2, 3, 4], 2**32], "stream", "from 0 to 2^32 - 1"),
    ("sampleGame", [{"js": "amerigo"}, 7, 2**32], "game", "from 0 to 2^32 - 1"),
    ("fourWords", [2**60], "seed", "a number above 2^53 - 1 is not exact"),
    ("amerigo.drop", [STATE, [], {"kind": "pcg"}], "generator.kind", '"xoshiro128**"'),
    ("amerigo.drop", [STATE, [], {**GENERATOR, "state": [0, 0, 0, 0]}], "generator.state", "not all 0"),
    ("amerigo.drop", [STATE, [], {**GENERATOR, "state": [1, 2, 0.5, 0]}], "generator.state[2]", "from 0 to 2^32 - 1"),
    ("amerigo.drop", [STATE, [{"id": 2}], RANDOM], "a word drawn", "Math.random gives fractions"),
    ("amerigo.drop", [STATE, [{"id": 2}], TOO_BIG], "a word drawn", "is 4294967296; allowed"),
    ("amerigo.drop", [STATE, [{"id": 2}], NEGATIVE], "a word drawn", "is -1; allowed is"),
    ("seeded", [[1, 2, 3]], "seed", "four whole numbers"),
    ("fourWords", [-1], "seed", "from 0 to 2^128 - 1"),
    ("load", ["{"], "generator", "save(generator)"),
    ("rulesOf", [{"cubes": {"red": 2}}], "rules.cubes.blue", "is undefined; allowed is a whole number from 0 to"),
    ("rulesOf", [{"phases": ["red", "pink"]}], "rules.phases[1]", "one of blue, black"),
    ("rulesOf", [{"goldDivisor": 3}], "rules.goldDivisor", "gold_divisor"),
    ("rulesOf", [{"colours": ["a", "b"], "cubes": 3}], "rules.substitute", '"" for none, or one of a, b'),
    ("rulesOf", [{"rulings": {"other": "both"}}], "rules.rulings.other", "one of the keys stand_in_tokens"),
    ("rulesOf", [{"js": 'JSON.parse(\'{"__proto__": {"rounds": 3}}\')'}], "rules.__proto__", "one of the keys name"),
    ("chances", [{"js": "amerigo"}, EMPTY, [{"blue": 0}], 9, 7], "options[0]", "1 to 500 cubes"),
    ("chances", [{"js": "amerigo"}, EMPTY, [{"blue": 1}], 1, 7], "draws", "from 2 to 1000000"),
    ("options", [{"pink": 1}], "emerged.pink", "one of the keys blue"),
    ("options", [{"blue": -1}], "emerged.blue", "a whole number from 0"),
    ("nextThrow", [{"index": 36, "tower": EMPTY}], "game.index", "the game is over"),
    ("playDrop", [{"js": "amerigo"}, TURN, GENERATOR], "game.tower.cubes[0].colour", "black"),
    ("amerigo.drop", [EMPTY, {"js": "Array(10001).fill(7)"}, GENERATOR], "thrown.length", "number from 0 to 10000"),
    ("amerigo.drop", [{**EMPTY, "cubes": [7] * 10001}, [], {}], "state.cubes.length", "a whole number from 0 to 10000"),
    ("towerOf", [{"schema": "x"}], "document.schema", "tower-sim/surrogate-table"),
    ("deadReckoning.battle", [{**FIGHT, "kind": "duel"}, GENERATOR], "setup.kind", "ship, merchant, building"),
    ("deadReckoning.battle", [{**FIGHT, "sides": [{"cubes": 3}, {"cubes": 21}]}, {}], "setup.sides[1].cubes", "to 20"),
    ("deadReckoning.battle", [{**FIGHT, "sides": [{"cubes": 0}, {"cubes": 0}]}, {}], "setup.sides", "one cube or more"),
    ("deadReckoning.result", [FIGHT, [{"side": 0, "place": "sea"}]], "cubes[0].place", "zone:"),
    ("deadReckoning.drop", [{"cubes": [{"id": 1, "place": "x"}]}, [], GENERATOR], "state.cubes[0].place", "zone:"),
]


def test_what_cannot_begin_is_a_range_error_with_the_fields_path(npm: Ask):
    found = npm(*({"do": "refused", "call": call, "given": given} for call, given, _, _ in REFUSED))
    for refused, (call, _, path, part) in zip(found, REFUSED, strict=True):
        assert refused is not None, (call, path)
        assert refused[:2] == ["RangeError", path]
        assert refused[2].startswith(f"{path} is ")
        assert part in refused[2]


def test_whatever_is_given_ends_in_an_answer_or_a_range_error_with_a_path(npm: Ask):
    """34 odd values in each of some 80 places."""
    (found,) = npm({"do": "garbage"})
    assert len(found) > 34 * 75
    other = [each for each in found if each[2] not in ("fine", "RangeError")]
    assert other == []
    assert Counter(each[2] for each in found)["fine"] > 50


# The ship

SHIP = load("dead_reckoning")
LAW = shipped(SHIP.name, SHIP.digest).board_law_of(SHIP.digest)


@pytest.mark.parametrize("kind", ["ship", "merchant", "building"])
def test_battles_are_drawn_from_the_law_and_counted_as_python_counts(npm: Ask, kind: str):
    setup = {"kind": kind, "sides": [{"cubes": 7, "damage": 1}, {"cubes": 5}]}
    battles = npm(*({"do": "battle", "setup": setup, "seed": SEED, "stream": n} for n in range(60)))
    stock = 29
    for stream, battle in enumerate(battles):
        word, before = WordStream(SEED, stream), {}
        for step in battle["steps"]:
            lying = {cube: place for cube, place in before.items() if int(cube) not in step["thrown"]}
            thrown = len(step["thrown"])
            u = np.array([word() for _ in range(thrown + 2 * len(lying))]) / WORD
            here = np.array([LAW.places.index(place) for place in lying.values()], int)
            landed, moved = landing(LAW, thrown, here, u)
            places = [LAW.places[k] for k in (*moved, *landed)]
            expected = dict(zip([*lying, *map(str, step["thrown"])], places, strict=True))
            assert step["places"] == expected
            before = {cube: step["places"][cube] for cube in expected}  # in the order in which they came to lie there
        assert battle["generator"]["state"] == [*word.state]
        cubes = [{"side": int(int(cube) >= stock), "place": place} for cube, place in before.items()]
        (again,) = npm({"do": "result", "setup": setup, "cubes": cubes}) if stream < 3 else (battle["result"],)
        assert again == battle["result"]
    four = np.random.SeedSequence(9).generate_state(4).tolist()
    few = npm(*({"do": "battle", "setup": setup, "seed": four, "stream": n} for n in range(5, 25)))
    (odds,) = npm({"do": "odds", "setup": setup, "seed": 9, "count": 20, "first": 5})
    assert odds["wins"] == [sum(each["result"]["winner"] == side for each in few) for side in (0, 1)]
    assert odds["sides"][0]["strength"]["sum"] == sum(each["result"]["sides"][0]["strength"] for each in few)
    assert {each["result"]["winner"] for each in few} == {0, 1} or odds["wins"][0] == 20

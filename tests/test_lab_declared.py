"""Declared games in the lab's page play as Python plays them: the same words give the same games, throw by throw."""

from __future__ import annotations

import contextlib
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2, norm
from support.cases import each_case
from support.declared import HEAD, NUMBERS, At, dungeon, expressions, games
from support.declared import table as a_game
from support.fakes import CoinTower
from support.node import NODE, PORTS
from support.played import Page, Picks, Seed, told, turns_of
from support.portable import model_of

from tests.measure.fuzz_games import GAMES, Fuzz
from tower_sim.apparatus.catalogue import load
from tower_sim.errors import UsageError
from tower_sim.games.declared.checked import declaration_of
from tower_sim.games.declared.compared import main_reading, values_of
from tower_sim.games.declared.expressions import MAX_NUMBER
from tower_sim.games.declared.game import DeclaredGame
from tower_sim.games.declared.grammar import read_expression
from tower_sim.games.declared.plain import expression_of, plain
from tower_sim.games.declared.rules import DeclaredRules
from tower_sim.reading import toml_table
from tower_sim.surrogate import export
from tower_sim.surrogate.generator import WordStream
from tower_sim.surrogate.model import SurrogateModel
from tower_sim.surrogate.store import shipped
from tower_sim.surrogate.table import FloorTable, Table

pytestmark = PORTS

SEED: Seed = (2026, 17, 3, 4)
PICKS = 2**31  # the streams of what games pick begin there
ALL = 10**6  # throws
LOG_ODDS = 512  # of a table, for a log-odds of 1
SHIPPED = [name for name in GAMES if name != "dungeon"]


def game_of(text: str) -> DeclaredGame:
    return DeclaredGame(declaration_of(toml_table(text, "the file")))


@pytest.fixture(scope="module")
def model() -> SurrogateModel:
    return model_of("amerigo")


def changed(table: Table, log_odds: float) -> Table:
    """A table whose floors let cubes through more easily that arrive there."""

    def easier(floor: FloorTable) -> FloorTable:
        return replace(
            floor, arriving_thrown=tuple(entry + round(log_odds * LOG_ODDS) for entry in floor.arriving_thrown)
        )

    return replace(table, floors=tuple(easier(floor) for floor in table.floors))


@pytest.fixture(scope="module")
def tight() -> SurrogateModel:
    """A tower that often brings out nothing."""
    shape = load("amerigo")
    made = SurrogateModel(shape, shipped(shape.name, shape.digest))
    made.table = changed(made.table, -2.5)
    return made


@pytest.fixture(scope="module")
def page(model: SurrogateModel, tight: SurrogateModel, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    sampler = tmp_path_factory.mktemp("sampler") / "sampler.mjs"
    document = export.document(model.fitted)
    sampler.write_text(export.js_text(document), "utf-8")
    opened = Page(NODE, sampler)
    for name, table in (
        ("amerigo", model.table), ("tight", tight.table), ("easy", changed(model.table, 0.5)),
    ):  # fmt: skip
        opened.ask("table", name=name, document={**document, "table": table.to_plain()})
    yield opened
    opened.close()


class Both:
    """A game in both languages."""

    def __init__(self, page: Page, game: DeclaredGame) -> None:
        self.page, self.game = page, game
        self.tree = json.loads(json.dumps(plain(game.declaration)))
        self.colours = game.declaration.colours

    def rules(self, choices: Mapping[str, Any]) -> DeclaredRules:
        return self.game.read({"rules": dict(choices)})

    def agree(
        self, model: SurrogateModel, table: str, stream: int, choices: Mapping[str, Any], most: int = 10**6
    ) -> int:
        """Play a game in both, up to so many throws; return how many throws were equal."""
        rules = self.rules(choices)
        tower, picks = WordStream(SEED, stream), WordStream(SEED, stream + PICKS)
        turns, error = turns_of(self.game, rules, model, tower, picks, most)
        found = self.page.ask(
            "play", tree=self.tree, table=table, choices=choices, seed=SEED, tower=stream, pick=stream + PICKS
        )
        if error:
            assert found == {"error": error}
            return 0
        regions = model.table.regions
        expected = [told(turn, self.colours, regions) for turn in turns]
        if len(turns) == most:  # it goes on, and may come to a number that cannot be
            assert found.get("throws", expected)[:most] == expected
            return most
        assert found["throws"] == expected
        assert tuple(found["figures"]) == self.game.measured(turns, rules)
        return len(turns)


def choices_of(game: DeclaredGame, rng: random.Random) -> dict[str, Any]:
    """Some values for some parameters and policies, most of them near the usual."""
    of = game.declaration
    some: dict[str, Any] = {}
    for one in of.parameters.values():
        least, most = one.least, min(one.most, max(10, one.least))
        some[one.name] = rng.choice(one.of) if one.of else rng.randint(least, most)
    some |= {one.name: rng.choice([*one.choices]) for one in of.policies.values()}
    return {name: value for name, value in some.items() if rng.random() < 0.6}


# The same words, the same games


@pytest.mark.parametrize("name", GAMES)
def test_a_game_is_played_throw_by_throw_as_python_plays_it(
    page: Page, model: SurrogateModel, tight: SurrogateModel, name: str
):
    both, rng = Both(page, game_of(GAMES[name])), random.Random(7)
    throws = sum(both.agree(model, "amerigo", stream, {}) for stream in range(5))
    for stream in range(10, 30):
        choices = choices_of(both.game, rng)
        try:
            both.rules(choices)
        except UsageError:
            assert page.ask("wrong", tree=both.tree, choices=choices)
            continue
        tower, table = ((model, "amerigo"), (tight, "tight"))[stream % 2]
        throws += both.agree(tower, table, stream, choices, 60)
    assert throws > 150


@pytest.mark.parametrize("name", SHIPPED)
def test_a_game_by_a_tower_that_tosses_coins_is_read_as_python_reads_it(page: Page, name: str):
    """The tower's drops are given to the page: so few come out that throws bring nothing, and towers are emptied."""
    both, rng = Both(page, game_of(GAMES[name])), random.Random(8)
    tower = CoinTower(p_out=0.15, p_resident=0.05)
    unloaded = nothing = 0
    for stream in range(8):
        choices = choices_of(both.game, rng) if stream else {}
        rules = both.rules(choices)
        turns, error = turns_of(both.game, rules, tower, None, WordStream(SEED, stream), ALL)
        assert not error
        outs = [[cube.id for cube in turn.entry.out] for turn in turns if turn.entry.attempts]
        found = page.ask("fed", tree=both.tree, outs=outs, choices=choices, seed=SEED, pick=stream)
        assert found["throws"] == [told(turn, both.colours, ("tower",)) for turn in turns]
        unloaded += sum(turn.entry.unloaded for turn in turns)
        nothing += sum(not turn.entry.out for turn in turns)
    assert nothing or name == "wallenstein"  # which throws many
    assert unloaded or name not in ("amazonas", "seafarers")  # others never are, or have too many cubes for it


@settings(max_examples=150)
@given(given=games(), stream=st.integers(0, 2**16), tables=st.booleans())
def test_any_game_is_played_as_python_plays_it(
    page: Page, model: SurrogateModel, tight: SurrogateModel, given: dict[str, Any], stream: int, tables: bool
):
    both = Both(page, DeclaredGame(declaration_of(given)))
    both.agree(*((model, "amerigo") if tables else (tight, "tight")), stream, {}, 40)


@pytest.mark.parametrize("nothing", ["read", "skip", "again"])
def test_cubes_move_after_a_throw_that_brings_nothing_as_in_python(
    page: Page, model: SurrogateModel, tight: SurrogateModel, nothing: str
):
    given = {
        **HEAD,
        "pools": {"bag": {"red": 5, "blue": 3}, "hand": {"blue": 4}, "box": {}},
        "rounds": {"times": 6},
        "phase": [
            {
                "name": "draw",
                "throw": ["bag.red"],
                "along": ["box"],
                "needs": ["out.red", "out.blue"],
                "nothing": nothing,
                "before": [{"cubes": "hand", "to": "bag", "number": 1}],
                "read": {"n": "count(out) - count(tower)", "c": {"most": "out", "tie": "none"}},
                "after": [
                    {"cubes": "bag.blue", "to": "box", "number": "1 + count(out)"},
                    {"cubes": "tower", "to": "hand", "when": "count(tower) > 3", "number": 2},
                    {"cubes": "c", "to": "bag"},
                    {"cubes": "out", "to": "hand"},
                ],
            }
        ],
    }
    if nothing == "again":
        given["phase"][0]["unload"] = "bag"
    both = Both(page, DeclaredGame(declaration_of(given)))
    for stream in range(12):
        assert both.agree(*((model, "amerigo"), (tight, "tight"))[stream % 2], stream, {}, 50) >= 6


def test_a_mutated_game_is_refused_before_or_played_as_python_plays_it(page: Page, model: SurrogateModel):
    fuzz, played, throws = Fuzz(seed=5), 0, 0
    for number in range(700):
        text = fuzz._mutated(GAMES[[*GAMES][number % len(GAMES)]])
        try:
            both = Both(page, game_of(text))
            both.rules({})
        except UsageError:
            continue
        played += 1
        throws += both.agree(model, "amerigo", number, {}, 12)
    assert played > 80
    assert throws > 700


def test_names_that_javascript_knows_and_groups_in_any_order_are_as_in_python(page: Page, model: SurrogateModel):
    given = {
        **HEAD,
        "colours": ["constructor", "valueof", "7", "prototype", "3"],
        "groups": {"keys": ["3", "7", "constructor"]},
        "parameters": {"hasown": {"is": 2, "to": 5}},
        "pools": {"tostring": {"colours": "hasown"}, "length": {}},
        "values": {"proto": {"constructor": 5, "7": 2}},
        "rounds": {"times": 6},
        "phase": [
            {
                "name": "then",
                "throw": ["tostring", "length"],
                "read": {
                    "inside": {"one": "tower"},
                    "isprototypeof": {"one": "out"},
                    "then_set": {"set": "out.keys"},
                    "first": {"most": "out.keys", "tie": "first"},
                    "name": {"value": "isprototypeof", "of": "proto"},
                    "entries": "sum(proto, out.isprototypeof) + name / 2 * 2",
                    "map": {"which": {"constructor": "isprototypeof == constructor", "get": "count(out.7) > 1"}},
                },
                "effects": {"on": "map", "constructor": {"says": "</script>", "amount": "name"}},
                "after": [
                    {"cubes": "inside", "to": "length"},
                    {"cubes": "isprototypeof", "to": "length"},
                    {"cubes": "out", "to": "tostring"},
                ],
            }
        ],
    }
    both = Both(page, DeclaredGame(declaration_of(given)))
    assert sum(both.agree(model, "amerigo", stream, {}) for stream in range(10)) == 60


@pytest.mark.parametrize("name", [name for name in GAMES if name != "wallenstein"])
def test_a_game_is_told_in_pythons_words(page: Page, model: SurrogateModel, name: str):
    """But for Wallenstein, whose cubes of a colour are in two pools: Python tells colours in the order of the cubes."""
    both = Both(page, game_of(GAMES[name]))
    rules = both.rules({})
    for number in range(6):
        words = WordStream(SEED, number), WordStream(SEED, number + PICKS)
        turns, _ = turns_of(both.game, rules, model, *words, ALL)
        found = page.ask("game", tree=both.tree, table="amerigo", choices={}, seed=SEED, game=number)
        begun = [f"{each['index']:4} {each['round']:3}  " for each in found["throws"]]
        lines = [start + line for start, line in zip(begun, found["lines"], strict=True)]
        assert lines == [both.game.line(turn, rules) for turn in turns]
        assert found["summary"] == both.game.summary(turns, rules)


def test_amerigo_declared_is_the_portable_samplers_amerigo_count_for_count(page: Page):
    """Which is Python's `sample_games`: see test_surrogate_portable.py."""
    tree = plain(game_of(GAMES["amerigo_declared"]).declaration)
    rules = {"colours": tree["colours"], "cubes": 7, "rounds": 5}
    for number, sampled in enumerate(page.ask("sampler", seed=SEED, first=0, games=20, rules=rules)):
        found = page.ask("play", tree=tree, table="amerigo", choices={}, seed=SEED, tower=number)["throws"]
        for mine, key in (("thrown", "thrown"), ("out", "emerged"), ("inside", "inside")):
            assert [throw[mine] for throw in found] == sampled[key]


# Expressions


@settings(max_examples=300)
@given(expressions())
def test_an_expression_is_the_number_that_python_makes_of_it(page: Page, text: str):
    at = At(numbers=NUMBERS)
    expression = read_expression(text, "here", at.names)
    try:
        value = expression.value(at)
        expected: Any = None if value is None else str(value)
    except UsageError as error:
        expected = {"error": str(error)}
    numbers = {name: str(number) if isinstance(number, Fraction) else number for name, number in NUMBERS.items()}
    worked = partial(page.ask, "worked", numbers=numbers, words={}, limit=MAX_NUMBER)
    assert worked(given=expression_of(expression, at.names)) == expected


@each_case(
    ("text", "value"),
    [
        ("1 / 3 + 1 / 3 + 1 / 3 == 1", "1"),
        ("999999999 / 1000000000 / 999999937 / 999999893 * 999999893 * 999999937 * 1000000000", "999999999"),
        ("ceil(-7 / 2)", "-3"),
        ("ceil(7 / 2)", "4"),
        ("1000000000 + 1 / 7 - 1 / 7", {"error": f"here (1000000000 + 1 / 7 - 1 / 7) is a number over {MAX_NUMBER}"}),
        ("0 * -5", "0"),
        ("500000000 * 2", "1000000000"),
        ("-500000000 * 2", "-1000000000"),
        ("500000000 * 2 + 1", {"error": f"here (500000000 * 2 + 1) is a number over {MAX_NUMBER}"}),
    ],
)
def test_fractions_are_exact_however_long(page: Page, text: str, value: Any):
    at = At()
    given = expression_of(read_expression(text, "here", at.names), at.names)
    found = page.ask("worked", given=given, numbers={}, words={}, limit=MAX_NUMBER)
    assert found == value if isinstance(value, str) else found["error"].startswith(value["error"])


# Figures of many games


@pytest.mark.parametrize("name", ["amazonas", "seafarers", "amerigo_declared", "wallenstein"])
def test_figures_of_many_games_are_those_of_the_games_one_by_one(page: Page, name: str):
    game = game_of(GAMES[name])
    tree = plain(game.declaration)
    found = page.ask("many", tree=tree, table="amerigo", choices={}, seed=SEED, first=3, games=4, parts=3)
    played = [
        page.ask("play", tree=tree, table="amerigo", choices={}, seed=SEED, tower=stream, pick=stream + PICKS)
        for stream in range(3, 15)
    ]
    assert found["games"] == 12
    assert [*zip(*found["figures"], strict=True)] == [tuple(each["figures"]) for each in played]
    assert [figure["key"] for figure in tree["figures"]] == [figure.key for figure in game.figures()]
    thrown = [throw for each in played for throw in each["throws"] if any(throw["thrown"])]
    assert found["throws"] == len(thrown)
    assert found["outside"] == 0 or name == "wallenstein"  # 120 armies are more than any data have
    for reading in tree["readings"]:
        read = [value for each in played for value in each["read"][reading["name"]]]
        flat = [one for value in read for one in (value if reading["kind"] == "set" else [value])]
        times = {value: flat.count(value) for value in (reading["values"] or sorted(set(flat)))}
        assert found["read"][reading["name"]] == {"reads": len(read), "values": [[*each] for each in times.items()]}
    if main := main_reading(game.declaration):
        values = values_of(game.declaration, main)
        shares = [[each["read"][main].count(value) / len(each["read"][main]) for each in played] for value in values]
        assert found["shares"] == shares


def test_a_game_of_many_knows_nothing_of_the_one_before(page: Page):
    """Whether a game ends is looked at after its first phase too, before anything was read."""
    last = {"cubes": "out", "to": "bag"}
    given = {
        **HEAD,
        "pools": {"bag": {"red": 6, "blue": 2}},
        "rounds": {"times": 9, "until": "x == red"},
        "phase": [
            {"name": "a", "throw": ["bag"], "after": [last]},
            {"name": "b", "throw": ["bag"], "read": {"x": {"one": "out"}}, "after": [last]},
        ],
    }
    tree = plain(declaration_of(given))
    many = page.ask("many", tree=tree, table="amerigo", choices={}, seed=SEED, first=0, games=20, parts=1)
    single = [page.ask("game", tree=tree, table="amerigo", choices={}, seed=SEED, game=number) for number in range(20)]
    assert [*zip(*many["figures"], strict=True)] == [tuple(each["figures"]) for each in single]
    assert min(len(each["throws"]) for each in single) == 2


def test_throws_that_no_data_cover_are_counted_as_the_model_says(page: Page, model: SurrogateModel):
    both = Both(page, game_of(GAMES["archipelago"]))
    choices = {"sample": 30, "turns": 4}
    outside = 0
    for stream in range(6):
        words = WordStream(SEED, stream), WordStream(SEED, stream + PICKS)
        turns, _ = turns_of(both.game, both.rules(choices), model, *words, ALL)
        inside = [0, *(len(turn.state.residents) for turn in turns)]
        for turn, before in zip(turns, inside[:-1], strict=True):
            outside += not model.fitted.covers(len(turn.entry.thrown), 0 if turn.entry.unloaded else before)
    found = page.ask("many", tree=both.tree, table="amerigo", choices=choices, seed=SEED, first=0, games=6, parts=1)
    assert found["outside"] == outside


def test_what_the_data_cover_is_what_the_model_says(page: Page, model: SurrogateModel):
    rows = ((3, 0, 10), (5, 2, 20), (9, 4, 30))  # of which 4 and 7 lie in the middle
    for covered in (model.fitted.covered, rows, ()):
        fitted = replace(model.fitted, covered=covered)
        drops = [
            (thrown, inside) for thrown in range(0, 130, 1 if covered == rows else 3) for inside in range(0, 130, 2)
        ]
        found = page.ask("covers", rows=covered, drops=drops)
        assert found == [fitted.covers(*each) for each in drops]


def test_a_word_that_would_make_chances_unequal_is_drawn_again(page: Page):
    for n, drawn in (
        (3, [0, 7, 9]),
        (3, [1, 7]),
        (5, [0, 2**32 - 1, 3]),
        (6, [0, 0, 2**31, 1]),
        (500, [0, 1, 9 * 10**6]),
    ):
        left = iter(drawn)
        expected = Picks(cast("WordStream", lambda left=left: next(left))).integers(n)
        assert page.ask("pick", drawn=drawn, n=n) == [expected, [*left]]


def test_a_cubes_chance_to_be_picked_is_the_same_for_all(page: Page):
    """A pick that left out or doubled one in a thousand words would be found with probability over 0.99."""
    for n in (3, 7, 36):
        counts = np.array(page.ask("picked", seed=SEED, n=n, times=200_000))
        assert chi2.sf(((counts - 200_000 / n) ** 2 / (200_000 / n)).sum(), n - 1) > 1e-4


def z_of(python: Any, found: Sequence[float]) -> float:
    spread = np.var(python, ddof=1) / len(python) + np.var(found, ddof=1) / len(found)
    return float((np.mean(found) - np.mean(python)) / np.sqrt(spread))


def test_figures_have_the_distribution_of_pythons_own_games(page: Page, model: SurrogateModel):
    """250 games by numpy's words against 3000 by ours, at a level of 1e-4 for three figures.

    The standard error of the cubes inside is some 0.05: 0.35 cubes more or less are found with probability over 0.99. A
    tower that lets cubes through with log-odds greater by 0.5 is.
    """
    game = game_of(GAMES["amazonas"])
    rules, tree = game.read({}), plain(game.declaration)
    python = np.array([game.measured([*game.play(model, rules, seed)], rules) for seed in range(250)])
    keys = [figure["key"] for figure in tree["figures"]]

    def found(table: str) -> Any:
        many = page.ask("many", tree=tree, table=table, choices={}, seed=SEED, first=0, games=3000, parts=1)
        return dict(zip(keys, many["figures"], strict=True))

    ours, easier = found("amerigo"), found("easy")
    limit = norm.isf(1e-4 / 3 / 2)
    assert {*python[:, keys.index("amount")], *ours["amount"]} == {-23}  # as every event comes as often as it is there
    for key in ("event_again", "inside", "throws"):
        assert abs(z_of(python[:, keys.index(key)], ours[key])) < limit
    inside = python[:, keys.index("inside")]
    assert np.std(inside, ddof=1) / 250**0.5 < 0.055
    assert z_of(inside, easier["inside"]) < -limit


# What the tower stands in for, and what a table may choose


WITHOUT_STAIRS = dungeon().replace("stairs = 1", 'stairs = "steps"').replace("trap = 4", 'trap = "steps"')
OF_KINDS = """
kinds = { feet = ["stairs", "trap"] }
[parameters]
steps = { is = 0, to = 4 }
"""
WITH_DEVICES = {**GAMES, "without stairs": WITHOUT_STAIRS + OF_KINDS}


@each_case("name", WITH_DEVICES)
def test_the_device_has_the_exact_odds_that_python_has(page: Page, name: str):
    game, rng = game_of(WITH_DEVICES[name]), random.Random(9)
    tree = plain(game.declaration)
    for choices in ({}, *(choices_of(game, rng) for _ in range(10))):
        try:
            stand_in = game.stand_in(game.read({"rules": choices}))
        except UsageError:
            continue
        found = page.ask("device", tree=tree, choices=choices)
        if stand_in is None:
            assert found is None
            continue
        device, lumped = stand_in.device, stand_in.device.lumped()
        assert (found["kind"], found["reads"], found["draws"]) == (stand_in.kind, stand_in.column, stand_in.draws)
        assert {one["event"]: one["exact"] for one in found["events"]} == {
            event: str(chance) for event, chance in device.chances().items()
        }
        assert {one["name"]: one["exact"] for one in found["kinds"]} == {
            kind: str(lumped.chances()[kind]) for kind in device.kinds
        }
        assert found["twice"] == {"share": float(device.twice()), "exact": str(device.twice())}
        assert all(one["share"] == float(device.chances()[one["event"]]) for one in found["events"])


ODD = [None, True, -1, 0, 1, 3, 5, 1.5, 10**9, 10**30, "", "uniform", "red", "x" * 300, [], {}, float("nan")]


def test_choices_are_refused_where_python_refuses_them(page: Page):
    rng, refused = random.Random(10), 0
    for name in GAMES:
        both = Both(page, game_of(GAMES[name]))
        of = both.game.declaration
        assert page.ask("usual", tree=both.tree) == both.rules({}).plain
        keys = [*of.parameters, *of.policies, "nobody", "constructor"]
        for _ in range(60):
            choices = {**choices_of(both.game, rng), rng.choice(keys): rng.choice(ODD)}
            choices = json.loads(json.dumps(choices).replace("NaN", '"NaN"'))
            said = page.ask("wrong", tree=both.tree, choices=choices)
            try:
                both.rules(choices)
                assert said == ""
            except UsageError:
                assert "; allowed is " in said
                assert len(said) < 400
                assert "\n" not in said
                played = page.ask("play", tree=both.tree, table="amerigo", choices=choices, seed=SEED, tower=0)
                assert played == {"error": said}
                refused += 1
    assert refused > 100


def test_a_deck_that_cannot_be_is_refused_as_python_refuses_it(page: Page):
    text = (
        dungeon()
        .replace("times = 15", 'times = "rooms"')
        .replace('counts = "deck"', 'counts = { monster = "rooms - 3" }')
    )
    parameters = "\n[parameters]\nrooms = { is = 5, to = 20000 }\n"
    both = Both(page, game_of(text + '\ndeal = "2 * rooms - 8"\n' + parameters))
    for rooms in (0, 2, 3, 4, 5, 6, 9, 15, 10_004, 20_000):
        said = page.ask("wrong", tree=both.tree, choices={"rooms": rooms})
        try:
            both.rules({"rooms": rooms})
            assert said == ""
        except UsageError:
            assert said


def test_a_game_has_as_many_rounds_and_cubes_as_in_python_and_no_more(page: Page):
    given = a_game(parameters={"n": {"is": 1}, "m": {"is": 1}}, rounds={"times": "n"}, pools={"bag": {"red": "m"}})
    both = Both(page, DeclaredGame(declaration_of(given)))
    for n, m in ((0, 1), (9_999, 1), (10_000, 500), (10_001, 1), (1, 0), (1, 501)):
        choices = {"n": n, "m": m}
        said = page.ask("wrong", tree=both.tree, choices=choices)
        assert bool(said) == (n in (0, 10_001) or m in (0, 501))
        with contextlib.nullcontext() if not said else pytest.raises(UsageError):
            both.rules(choices)


# The scripts


def test_the_scripts_are_plain_and_use_no_chance_of_their_own():
    for path in sorted((Path(__file__).parent.parent / "tower_sim/lab/page").glob("declared*.js")):
        text = path.read_text("utf-8")
        assert "Math.random" not in text
        assert "import " not in text.replace("important", "")
        assert "innerHTML" not in text
        assert len(text.splitlines()) <= 400


def test_figures_of_a_files_own_are_the_same_numbers_in_the_page(page: Page, model: SurrogateModel):
    figures = """
[figures.spare]
of = "max(out - floor(thrown / 2), 0)"
unit = "cubes"
[figures.mixed]
of = "not colours == 1"
where = "out > 0 and before > 1"
[figures.of_own]
of = "own_out"
among = "own + lead"
[figures.fullest]
of = "inside"
take = "most"
"""
    both, rng = Both(page, game_of(GAMES["seafarers"] + figures)), random.Random(3)
    assert len(both.tree["own"]) == 4
    assert sum(both.agree(model, "amerigo", stream, choices_of(both.game, rng)) for stream in range(5)) > 100
    spread = '[figures.apart]\nof = "out - lead * 2"\ntake = "spread"\n'
    both = Both(page, game_of(GAMES["seafarers"] + spread))  # whose sum of squares is rounded otherwise
    turns, _ = turns_of(both.game, both.rules({}), model, WordStream(SEED, 9), WordStream(SEED, 9 + PICKS), ALL)
    found = page.ask("play", tree=both.tree, table="amerigo", choices={}, seed=SEED, tower=9, pick=9 + PICKS)
    assert found["figures"] == pytest.approx(both.game.measured(turns, both.rules({})), rel=1e-12)

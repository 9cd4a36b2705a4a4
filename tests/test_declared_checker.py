"""The checker of declared games: what is wrong in a file is told in one line that begins with the key's path."""

from __future__ import annotations

import copy
import tomllib
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from support.cases import each_case
from support.declared import games, phase, table

from tests.measure.fuzz_games import GAMES, Fuzz
from tower_sim.errors import UsageError
from tower_sim.games.declared.checked import declaration_of, read_file
from tower_sim.games.declared.files import text_of

POLICY = {"is": "one", "of": {"one": {"one": "out"}, "most": {"most": "out"}}}
WHICH = {"yes": "count(out) > 1", "no": 1}
FILES = sorted(path.stem for path in (Path(declaration_of.__code__.co_filename).parent / "files").glob("*.toml"))


def parameter(**of: Any) -> dict[str, Any]:
    return table(parameters={"n": of})


def moves(*of: Any) -> dict[str, Any]:
    return phase(after=[*of, {"cubes": "out", "to": "bag"}])


def device(**of: Any) -> dict[str, Any]:
    return phase(read={"event": {"one": "out"}}) | {"devices": {"deck": of}}


WRONG: list[tuple[dict[str, Any], str]] = [
    # the head
    ({}, r"schema and version is \[nothing, nothing\]; allowed is \['tower-sim/game', 1\]"),
    (table(version=2), r"schema and version is \['tower-sim/game', 2\]"),
    (table(version=True), "schema and version"),
    (table(version=1.0), "schema and version"),
    (table(schema="tower-sim/state"), "schema and version"),
    (table(name=None), r"file\.name is missing; allowed is a table with name, pools, phase; add it"),
    (table(name="Amazonas"), "name is 'Amazonas'; allowed is a word of up to 40 small letters, digits and _, a letter"),
    (table(name="1st"), "name is '1st'"),
    (table(name="cubes"), "name is 'cubes'; allowed is a word other than drops, cubes"),
    (table(name=["a"]), r"name is \['a'\]"),
    (table(title=3), "title is 3; allowed is a text"),
    (table(about="two\nlines"), "about is"),
    (table(pool={}), "file.pool is unknown; .*did you mean pools?"),
    (table(pools=None), "file.pools is missing"),
    (table(knocked="tray"), "knocked is 'tray'; allowed is one of bag, spent"),
    # colours, groups, pools, values
    (table(colours=[]), "number of items of colours is 0; allowed is 1 to 100"),
    (table(colours=["red", "red"]), "colours is .*each colour once"),
    (table(colours=["red", "out"]), "a word in colours is 'out'; allowed is a word other than"),
    (table(colours=["red", "Blue"]), "a word in colours is 'Blue'"),
    (table(colours=["red"]), "a key of pools.bag is 'blue'; allowed is one of red"),
    (table(pools={"bag": {"a" * 41: 1}}), "a key of pools is 'a"),
    (table(pools={}), "pools is {}; allowed is one pool of cubes or more"),
    (table(pools={"bag": {}}), "number of colours in pools is 0"),
    (table(pools={"bag": 3}), "pools.bag is 3; allowed is a table"),
    (table(pools={"bag": {"red": -1}}), "pools.bag.red .* is -1; allowed is a whole number from 0"),
    (table(pools={"bag": {"red": "count(bag)"}}), "pools.bag.red .*count"),
    (table(pools={"bag": {"red": 1.5}}), "pools.bag.red is 1.5"),
    (table(pools={"bag": {"red": 400, "blue": 400}}), "number of cubes in pools is 800; allowed is 1 to 500"),
    (table(pools={"bag": {"red": 0}}), "number of cubes in pools is 0"),
    (table(pools={"bag": {"red": 10**9}}), "pools.bag.red is 1000000000; allowed is up to 500 cubes"),
    (table(pools={"red": {"red": 1}}), "pools.red is 'red'; allowed is a name that colours do not have"),
    (table(groups={"warm": ["purple"]}), "groups.warm is 'purple'; allowed is one of red, blue"),
    (table(groups={"warm": []}), "number of items of groups.warm is 0"),
    (table(groups={"warm": ["red", "red"]}), "groups.warm is .*each word once"),
    (table(groups={"bag": ["red"]}), "pools.bag is 'bag'; allowed is a name that groups do not have"),
    (table(values={"pips": {"purple": 1}}), "a key of values.pips is 'purple'"),
    (table(values={"pips": {"red": "1"}}), "values.pips.red is '1'; allowed is a whole number"),
    (table(values={"bag": {"red": 1}}), "values.bag is 'bag'"),
    # parameters and policies
    (parameter(), "parameters.n.is is missing"),
    (parameter(**{"is": 3, "from": 4}), "parameters.n.is is 3; allowed is a whole number from 4"),
    (parameter(**{"is": 3, "to": 2}), "parameters.n.is is 3"),
    (parameter(**{"is": 1, "from": 3, "to": 2}), "parameters.n.to is 2; allowed is a whole number from 3"),
    (parameter(**{"is": "red"}), "parameters.n.is is 'red'"),
    (parameter(**{"is": "green", "of": ["red", "blue"]}), "parameters.n.is is 'green'; allowed is one of red, blue"),
    (parameter(**{"is": "red", "of": "colour"}), "parameters.n.of is 'colour'"),
    (
        parameter(**{"is": "red", "of": ["red"], "to": 3}),
        "parameters.n.to is 3; allowed is none where there is an `of`",
    ),
    (table(parameters={"apparatus": {"is": 1}}), "parameters.apparatus is 'apparatus'; allowed is a name other than"),
    (table(parameters={"count": {"is": 1}}), "a key of parameters is 'count'"),
    (table(policies={"pick": {"is": "all", **{k: v for k, v in POLICY.items() if k == "of"}}}), "policies.pick.is is"),
    (table(policies={"pick": {"is": "a", "of": {"a": {"one": "out"}, "b": 1}}}), "policies.pick.of.b is 'a number'"),
    (table(policies={"pick": {"is": "a", "of": {"a": {"one": "oot"}}}}), r"policies.pick.of.a.one is 'oot'"),
    (table(policies={"pick": {"is": "a", "of": {"a": "nosuch + 1"}}}), "a name in policies.pick.of.a "),
    # rounds
    (table(rounds={"times": "count(bag)"}), "rounds.times .*allowed are a set of cubes there: none here"),
    (table(rounds={"times": 10**6}), "rounds.times is 1000000; allowed is a whole number from 1 to 10000"),
    (table(rounds={"times": "0 - 1"}), "rounds.times .* is -1"),
    (
        table(rounds={"times": 0}),
        "rounds.times is 0; allowed is a whole number from 1 to 10000; play one round or more",
    ),
    (table(rounds={"until": "nosuch == 1"}), "a name in rounds.until"),
    (table(rounds={"until": True}), "rounds.until is true"),
    (table(rounds=3), "rounds is 3; allowed is a table"),
    # phases
    (table(phase=[]), "number of items of phase is 0; allowed is 1 to 50"),
    (table(phase={}), "phase is {}; allowed is a list"),
    (table(phase=[3]), r"phase\[0\] is 3; allowed is a table"),
    (table(setup={"throw": ["bag"]}), "setup.after is missing"),
    (table(setup={"name": "x", "throw": ["bag"], "after": []}), "setup.name is unknown"),
    (phase(name="setup"), r"phase\[0\].name is 'setup'"),
    (phase(name=None), r"phase\[0\].name is missing"),
    (
        table(phase=[*phase()["phase"], *phase()["phase"]]),
        r"phase\[1\].name is 'draw'; allowed is a name that no other",
    ),
    (phase(each="warm"), r"phase\[0\].each is 'warm'"),
    (phase(each=["red", "purple"]), r"phase\[0\].each is 'purple'"),
    (phase(when="count(out)"), r"phase\[0\].when .*allowed are a set of cubes there: bag, spent, tower"),
    (phase(throw=[]), r"number of items of phase\[0\].throw is 0"),
    (phase(throw="bag"), r"phase\[0\].throw is 'bag'; allowed is a list"),
    (phase(throw=["bog"]), r"phase\[0\].throw\[0\] is 'bog'; allowed is one of bag, spent, tower; .*did you mean bag"),
    (phase(throw=["bag.phase"]), r"what follows bag. in phase\[0\].throw\[0\] is 'phase'"),
    (phase(throw=["tower"]), r"phase\[0\].throw\[0\] is 'tower'; allowed is one of bag, spent"),
    (phase(throw=["bag + 1"]), r"phase\[0\].throw\[0\] .*has '\+'"),
    (phase(along=["out"]), r"phase\[0\].along\[0\] is 'out'"),
    (phase(sample="half"), r"a name in phase\[0\].sample"),
    (phase(nothing="wait"), r"phase\[0\].nothing is 'wait'; allowed is one of read, skip, again"),
    (phase(unload="bag"), r"phase\[0\].unload is 'bag'; allowed is none without nothing = \"again\""),
    (phase(nothing="again", unload="tower"), r"phase\[0\].unload is 'tower'; allowed is one of bag, spent"),
    # readings
    (phase(read={"event": {"one": "out", "tie": "none"}}), r"phase\[0\].read.event.tie is unknown"),
    (phase(read={"event": {"any": "out"}}), r"phase\[0\].read.event is {'any': 'out'}; allowed is an expression"),
    (phase(read={"event": {"most": "out", "tie": "last"}}), r"phase\[0\].read.event.tie is 'last'"),
    (phase(read={"event": {"set": "out.warm"}}), r"what follows out. in phase\[0\].read.event.set is 'warm'"),
    (phase(read={"event": {"value": "event", "of": "pips"}}), r"phase\[0\].read.event.value is 'event'"),
    (phase(read={"event": {"value": "event"}}), r"phase\[0\].read.event.of is nothing"),
    (phase(read={"event": {"which": {}}}), r"phase\[0\].read.event.which is {}"),
    (phase(read={"event": {"which": "a"}}), r"phase\[0\].read.event.which is 'a'; allowed is a table"),
    (phase(read={"event": "later + 1", "later": 1}), r"a name in phase\[0\].read.event .* is 'later'"),
    (phase(read={"drop": 1}), r"a key of phase\[0\].read is 'drop'"),
    (phase(read={"emerged": 1}), r"phase\[0\].read.emerged is 'emerged'; allowed is a name that no column has"),
    (phase(read={"red": 1}), r"phase\[0\].read.red is 'red'; allowed is a name that nothing else in the file has"),
    (phase(read={"x": True}), r"phase\[0\].read.x is true"),
    (phase(read={"x": "out"}), r"phase\[0\].read.x .*has a set of cubes where a number is needed"),
    (
        table(phase=[{**phase(read={"x": w})["phase"][0], "name": f"p{i}"} for i, w in enumerate([1, {"set": "out"}])]),
        r"phase\[1\].read.x is 'several colours'; allowed is a number",
    ),
    # effects
    (phase(effects={}), r"phase\[0\].effects.on is nothing"),
    (phase(read={"x": 1}, effects={"on": "x"}), r"phase\[0\].effects.on is 'x'"),
    (phase(read={"x": {"one": "out"}}, effects={"on": "x", "wolf": {"says": "a"}}), r"a key of phase\[0\].effects is"),
    (phase(read={"x": {"one": "out"}}, effects={"on": "x", "red": {}}), r"phase\[0\].effects.red.says is missing"),
    (
        phase(read={"x": {"which": WHICH}}, effects={"on": "x", "red": {"says": ""}}),
        r"a key of phase\[0\].effects is 'red'; allowed is one of yes, no",
    ),
    (
        phase(read={"x": {"one": "out"}}, effects={"on": "x", "red": {"says": "a", "amount": "y"}}),
        r"a name in phase\[0\].effects.red.amount",
    ),
    # moves
    (phase(after=[]), r"phase\[0\].after: cubes that came out and are not named would lie nowhere; .*end it with"),
    (phase(after=[{"cubes": "out", "to": "bag", "number": 3}]), r"phase\[0\].after: cubes that came out"),
    (phase(after=[{"cubes": "out.red", "to": "bag"}]), r"phase\[0\].after: cubes that came out"),
    (moves({"cubes": "out"}), r"phase\[0\].after\[0\].to is missing"),
    (moves({"cubes": "out", "to": "tower"}), r"phase\[0\].after\[0\].to is 'tower'; allowed is one of bag, spent"),
    (moves({"cubes": "thrown", "to": "bag"}), r"phase\[0\].after\[0\].cubes is 'thrown'"),
    (moves({"cubes": "event", "to": "bag"}), r"phase\[0\].after\[0\].cubes is 'event'"),
    (moves({"cubes": "out", "to": "bag", "number": "x"}), r"a name in phase\[0\].after\[0\].number"),
    (moves({"cubes": "out", "to": "bag", "when": ""}), r"phase\[0\].after\[0\].when is ''"),
    (moves({"cubes": "out", "too": "bag"}), r"phase\[0\].after\[0\].too is unknown.*did you mean to"),
    (moves(3), r"phase\[0\].after\[0\] is 3; allowed is a table"),
    (phase(before=[{"cubes": "out", "to": "bag"}]), r"phase\[0\].before\[0\].cubes is 'out'"),
    # devices
    (device(kind="cards"), "devices.deck.kind is 'cards'; allowed is one of deck, bag, dice"),
    (device(kind="deck"), "keys of devices.deck is .*allowed is counts and no dice for deck"),
    (device(kind="dice", counts="bag"), "keys of devices.deck is .*allowed is dice and no counts or deal for dice"),
    (device(kind="dice", dice=[[]]), r"number of items of devices.deck.dice\[0\] is 0"),
    (device(kind="deck", counts="box"), "devices.deck.counts is 'box'; allowed is one of bag, spent"),
    (device(kind="deck", counts={"red": -1}), r"devices.deck.counts.red \(-1\) is -1"),
    (device(kind="deck", counts="bag", reads="nothing"), "devices.deck.reads is 'nothing'; allowed is one of event"),
    (device(kind="deck", counts="bag", kinds={"warm": ["wolf"]}), "devices.deck.kinds.warm is 'wolf'"),
    (device(kind="deck", counts="bag", deal=0), "devices.deck.deal is 0; allowed is a whole number from 1"),
]


@each_case(("given", "told"), WRONG, ids=[told[:50] for _, told in WRONG])
def test_what_is_wrong_in_a_file_is_told_in_one_line_that_begins_with_the_keys_path(given: dict[str, Any], told: str):
    from tower_sim.games.declared import DeclaredGame

    with pytest.raises(UsageError, match=f"^{told}") as caught:
        DeclaredGame(declaration_of(copy.deepcopy(given))).read({})
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 600


def test_the_small_game_of_these_tests_is_right():
    for given in (table(), phase(), moves(), device(kind="deck", counts="bag", reads="event", deal=2)):
        assert declaration_of(given).table == given


@pytest.mark.whole
@hypothesis.settings(max_examples=100, deadline=None)
@hypothesis.given(game=games())
def test_every_game_of_the_random_ones_is_right(game: dict[str, Any]):
    assert declaration_of(game).table == game


@each_case("name", FILES)
def test_what_ships_is_right_and_says_what_it_is(name: str):
    declaration = declaration_of(tomllib.loads(text_of(name)))
    assert declaration.name == name
    assert len(declaration.about.split()) > 4
    assert declaration.source
    assert declaration.apparatus
    assert all(one.says for one in (*declaration.parameters.values(), *declaration.policies.values()))


def test_a_file_that_is_wrong_is_named(tmp_path: Path):
    path = tmp_path / "mine.toml"
    for text, told in (
        ("", r"game '.*mine.toml': schema and version"),
        ("name = ", r"game '.*mine.toml' is not TOML"),
        (" " * 200_001, "size of game file '.*mine.toml'"),
        ("a." * 3000 + "b = 1", "line 1 of game"),
    ):
        path.write_text(text)
        with pytest.raises(UsageError, match=told):
            read_file(path)
    with pytest.raises(UsageError, match="cannot be read"):
        read_file(tmp_path / "none.toml")


def test_300_mutations_of_what_ships_are_read_or_refused_in_one_line_and_those_read_lose_no_cube():
    fuzz = Fuzz(seed=1)
    for number in range(300):
        fuzz.attack(number)
    assert fuzz.failures == []
    assert fuzz.counts["refused"] > 100
    assert fuzz.counts["played"] > 20
    assert set(GAMES) <= {*FILES, "amerigo_declared", "dungeon"}

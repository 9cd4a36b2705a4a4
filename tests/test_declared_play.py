"""Declared games are played as their files say: Amerigo as it is coded, no cube lost, picks without favour."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from scipy import stats
from support.cases import each_case
from support.declared import AMERIGO, games, phase, table
from support.fakes import CoinTower, ScriptedTower

from tower_sim import registry
from tower_sim.apparatus.catalogue import load
from tower_sim.contract import DropModel
from tower_sim.cubes import Cube
from tower_sim.errors import UsageError
from tower_sim.games import amerigo
from tower_sim.games.declared import DeclaredGame
from tower_sim.games.declared.checked import declaration_of
from tower_sim.games.declared.play import Throw
from tower_sim.games.declared.table import LostCube, Tabletop
from tower_sim.games.game import Game, Turn, game_seed
from tower_sim.models import open_model, settings_of
from tower_sim.outcome import Outcome
from tower_sim.state import TowerState
from tower_sim.testing import GameContract

AMAZONAS: Game = registry.get("game", "amazonas")
DECLARED: Game = registry.get("game", str(AMERIGO))
RED, BLUE = "red", "blue"


def game(of: Mapping[str, Any]) -> DeclaredGame:
    return DeclaredGame(declaration_of(of))


def throws(of: Mapping[str, Any], model: DropModel, seed: int = 1, **rules: Any) -> list[Throw]:
    played = game(of)
    return [turn.entry for turn in played.play(model, played.read({"rules": rules}), seed)]


def colours(cubes: Sequence[Cube]) -> dict[str, int]:
    return dict(Counter(cube.colour for cube in cubes))


def ids(cubes: Sequence[Cube]) -> list[int]:
    return [cube.id for cube in cubes]


# The contract of every game


class TestAmazonas(GameContract):
    game = AMAZONAS
    tables = {"rules": {"money": 3, "pick": "most"}}  # noqa: RUF012

    @pytest.fixture(scope="class")
    @classmethod
    def model(cls):
        return CoinTower(failure_rate=0.1)


class TestAmerigoDeclared(GameContract):
    game = DECLARED
    tables = {"rules": {"rounds": 1, "cubes": 3}, "knocks": {"2": 0.5, "7": 1}}  # noqa: RUF012

    @pytest.fixture(scope="class")
    @classmethod
    def model(cls):
        return CoinTower(failure_rate=0.1)


# Amerigo, declared and coded


def differences(declared: Sequence[Turn], coded: Sequence[Turn]) -> list[str]:
    """Where two games are not the same, cube for cube."""
    found: list[str] = [] if len(declared) == len(coded) else ["number of drops"]
    for one, other in zip(declared, coded, strict=False):
        throw: Throw = one.entry
        entry: amerigo.DropEntry = other.entry
        read = {name: read.value for name, read in throw.read.items()} or {"actions": (), "points": 0, "gold": 0}
        pairs = {
            "thrown": (colours(throw.thrown), {c: n for c, n in entry.thrown.items() if n}),
            "emerged": (ids(throw.out), ids(entry.state.central)),
            "inside": (ids(one.state.cubes), ids(other.state.cubes)),
            "state": (one.state, other.state),
            "tray": (ids(throw.table.pools["tray"]), sorted(ids(entry.state.waiting))),
            "storage": (ids(throw.table.pools["storage"]), sorted(ids((*entry.state.storage, *entry.state.central)))),
            "round and phase": ((throw.round, throw.phase), (entry.round, entry.phase)),
            "status": ((throw.status, throw.attempts, throw.failures), (entry.status, entry.attempts, entry.failures)),
            "skipped": (not throw.out, entry.skipped),
            "action points": (read["points"], entry.action_points),
            "gold": (read["gold"], entry.gold),
            "actions": (read["actions"], entry.actions),
        }
        found += [f"drop {one.index}: {what} {a} {b}" for what, (a, b) in pairs.items() if a != b]
    return found


@pytest.mark.parametrize("number", [40, pytest.param(200, marks=pytest.mark.long)])
@pytest.mark.parametrize("name", ["surrogate", "two_thirds"])
def test_amerigo_declared_is_amerigo_coded_cube_for_cube(name: str, number: int):
    with open_model(load("amerigo"), name) as model:
        for run in range(number):
            of = [list(each.play(model, each.read({}), 7, run)) for each in (DECLARED, amerigo.GAME)]
            assert differences(of[0], of[1]) == []


@pytest.mark.parametrize("rules", [{"cubes": 1, "rounds": 9, "gold_divisor": 2}, {"rounds": 0}], ids=["few", "set-up"])
def test_amerigo_declared_is_amerigo_coded_by_other_rules_with_knocks_and_failed_draws(rules: dict[str, int]):
    model = CoinTower(p_out=0.5, p_resident=0.2, failure_rate=0.2)
    knocks = {"0": 0.3} | ({"4": 0.9, "5": 0.9, "11": 0.5, "62": 1.0} if rules["rounds"] else {})
    tables = {"rules": rules, "knocks": knocks}
    empty = 0
    for run in range(20):
        of = [list(each.play(model, each.read(tables), 7, run)) for each in (DECLARED, amerigo.GAME)]
        assert differences(of[0], of[1]) == []
        empty += sum(not turn.entry.thrown for turn in of[0])
    assert empty > 20 or not rules["rounds"]


def test_amerigo_declared_is_amerigo_coded_with_rigid_bodies_and_a_knock():
    tables = {"rules": {"rounds": 1, "cubes": 2}, "knocks": {"0": 2.0, "3": 1.0}}
    with open_model(load("amerigo"), "physics", settings_of("physics", None, "fast")) as model:
        of = [list(each.play(model, each.read(tables), 7)) for each in (DECLARED, amerigo.GAME)]
    assert differences(of[0], of[1]) == []


def test_a_difference_would_be_seen():
    of = [list(each.play(CoinTower(), each.read({}), seed)) for each, seed in ((DECLARED, 1), (amerigo.GAME, 2))]
    assert len(differences(of[0], of[1])) > 50


# No cube is lost


@pytest.mark.whole
@settings(max_examples=75, deadline=None)
@given(of=games())
def test_every_cube_is_in_exactly_one_place_after_every_throw_of_any_game(of: dict[str, Any]):
    played, model = game(of), CoinTower(p_out=0.6, p_resident=0.3)
    rules = played.read({"knocks": {"0": 0.5, "1": 1.0}} if played.read({}).most_throws > 1 else {})
    cubes = sorted(cube for pool in rules.supply(model.cube_edge).values() for cube in pool)
    for i, turn in zip(range(40), played.play(model, rules, 1), strict=False):
        throw: Throw = turn.entry
        there = [*turn.state.cubes, *(cube for pool in throw.table.pools.values() for cube in pool)]
        assert sorted(there) == cubes
        assert throw.table.out == ()
        assert turn.index == i
        assert set(throw.out) <= set(cubes)


@dataclass(frozen=True)
class Thief(CoinTower):
    """A tower that keeps a cube that came out, tells one twice, or gives another in its place."""

    way: str = "keeps"

    def drop(self, state: TowerState, cubes: Sequence[Cube], rng: np.random.Generator) -> Outcome:
        outcome = super().drop(state, cubes, rng)
        first, *others = outcome.landings
        other = replace(first, cube=replace(first.cube, id=99))
        landings = {"keeps": others, "doubles": [first, first, *others], "swaps": [other, *others]}[self.way]
        return replace(outcome, landings=tuple(landings))


@each_case(("way", "number"), [("keeps", 4), ("doubles", 6), ("swaps", 5)])
def test_a_tower_that_loses_doubles_or_exchanges_a_cube_is_found_out(way: str, number: int):
    with pytest.raises(LostCube, match=f"^{number} cubes are there instead of 5"):
        throws(table(), Thief(p_out=1.0, p_resident=1.0, way=way))


def test_a_cube_that_is_not_of_the_game_is_refused_on_its_table():
    own, other = Cube(0, RED, 0.008), Cube(1, RED, 0.008)
    with pytest.raises(LostCube):
        Tabletop.start({"a": (own,), "b": ()}, CoinTower().empty()).moved((other,), "b")


# What is picked


def test_one_of_those_out_is_picked_without_favour():
    """4,000 picks among 5 cubes; a cube that is 1.3 times as likely as the others would be found by 99 of 100 tests."""
    number, level = 4000, 1e-3
    favoured = np.array([1.3, 1, 1, 1, 1]) / 5.3
    strength = number * float(((favoured - 0.2) ** 2 / 0.2).sum())
    assert stats.ncx2.sf(stats.chi2.isf(level, 4), 4, strength) > 0.99
    of = game(phase(read={"event": {"one": "out"}}))
    model, rules = CoinTower(p_out=1.0), of.read({})
    picked = Counter(
        turn.entry.read["event"].cube.id for run in range(number) for turn in of.play(model, rules, 7, run)
    )
    assert sorted(picked) == [0, 1, 2, 3, 4]
    assert stats.chisquare([picked[i] for i in range(5)]).pvalue > level


def test_a_sample_is_drawn_without_favour_and_in_the_order_of_the_numbers():
    """Each of the 10 pairs of 5 cubes in 4,000 samples; one 1.5 times as likely is found by 99 of 100 tests."""
    number, level = 4000, 1e-3
    favoured = np.array([1.5] + [1] * 9) / 10.5
    strength = number * float(((favoured - 0.1) ** 2 / 0.1).sum())
    assert stats.ncx2.sf(stats.chi2.isf(level, 9), 9, strength) > 0.99
    of = game(phase(sample=2))
    model, rules = CoinTower(), of.read({})
    drawn = Counter(tuple(ids(turn.entry.thrown)) for run in range(number) for turn in of.play(model, rules, 7, run))
    assert len(drawn) == 10
    assert all(pair == tuple(sorted(pair)) for pair in drawn)
    assert stats.chisquare(list(drawn.values())).pvalue > level


def test_the_game_picks_from_a_stream_of_its_own_for_each_throw_in_the_order_of_the_file():
    of = game(phase(sample=3, read={"a": {"one": "out"}, "b": {"one": "thrown"}}) | {"rounds": {"times": 2}})
    for run, seed in ((None, 7), (4, game_seed(7, 4))):
        for turn in of.play(CoinTower(p_out=1.0), of.read({}), 7, run):
            rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(turn.index, 2)))
            sample = sorted(rng.choice(5, 3, replace=False).tolist())
            picked = [sample[rng.integers(3)], sample[rng.integers(3)]]
            assert ids(turn.entry.thrown) == sample
            assert [turn.entry.read[name].cube.id for name in "ab"] == picked


def test_what_the_game_picks_shifts_no_draw_of_the_tower():
    for policy in ("uniform", "most"):
        rules = AMAZONAS.read({"rules": {"pick": policy}})
        first = next(AMAZONAS.play(CoinTower(), rules, 7))
        assert first.entry.out == next(AMAZONAS.play(CoinTower(), AMAZONAS.read({}), 7)).entry.out


# What a phase does


def test_all_events_of_a_deck_come_once_each_whatever_the_tower_keeps():
    rules = AMAZONAS.read({})
    counts = rules.counts["waiting"]
    for model in (CoinTower(), CoinTower(p_out=0.2, p_resident=0.05), CoinTower(p_out=1.0)):
        for seed in range(20):
            events = [turn.facts["event"] for turn in AMAZONAS.play(model, rules, seed) if turn.facts.get("event")]
            assert Counter(events) == Counter(counts)
            assert len(events) == 18


def test_nothing_out_is_thrown_again_and_a_tower_that_holds_all_is_emptied():
    of = phase(nothing="again", unload="bag", read={"n": "count(out)"})
    (first, second) = throws(of, ScriptedTower(drops=({}, {RED: 1})))
    assert (ids(first.thrown), first.out, first.unloaded) == ([0, 1, 2, 3, 4], (), False)
    assert (ids(second.thrown), ids(second.out), second.unloaded) == ([0, 1, 2, 3, 4], [0], True)
    assert first.read == {}
    assert second.read["n"].value == 1
    assert second.facts["skipped"] is False
    assert ids(second.table.tower.cubes) == [1, 2, 3, 4]


def test_a_tower_is_not_emptied_while_something_is_left_to_throw():
    of = phase(nothing="again", unload="bag") | {"rounds": {"times": 2}}
    played = throws(of, ScriptedTower(drops=({RED: 1}, {RED: 1})))
    assert [(ids(throw.thrown), throw.unloaded) for throw in played] == [([0, 1, 2, 3, 4], False), ([0], False)]


def test_what_was_read_in_a_round_before_is_not_read_again_where_nothing_came_out():
    of = phase(nothing="skip", read={"n": "count(out)"}) | {"rounds": {"times": 2}}
    played = throws(of, ScriptedTower(drops=({RED: 1}, {})))
    assert [throw.read["n"].value for throw in played] == [1, None]


def test_without_a_pool_to_empty_it_into_the_phase_ends_and_after_100_throws_too():
    of = phase(nothing="again", read={"n": "count(out)"})
    played = throws(of, CoinTower(p_out=0.0, p_resident=0.0))
    assert [len(throw.thrown) for throw in played] == [5, 0]
    assert played[1].attempts == 0
    assert played[1].read["n"].value is None
    of = phase(nothing="again", unload="bag")
    assert len(throws(of, CoinTower(p_out=0.0, p_resident=0.0))) == 100


@pytest.mark.parametrize(("nothing", "value"), [("read", 0), ("skip", None)])
def test_nothing_out_is_read_as_nothing_or_not_read(nothing: str, value: object):
    of = phase(nothing=nothing, read={"n": "count(out)", "one": {"one": "out"}, "twice": "n * 2"})
    (throw,) = throws(of, CoinTower(p_out=0.0))
    assert {name: read.value for name, read in throw.read.items()} == {"n": value, "one": None, "twice": value}
    assert throw.facts["skipped"] is True


def test_what_goes_along_is_thrown_where_there_is_something_to_throw():
    of = phase(throw=["bag.red"], along=["spent"]) | {"pools": {"bag": {RED: 1, BLUE: 1}, "spent": {BLUE: 1}}}
    assert [ids(throw.thrown) for throw in throws(of, CoinTower(p_out=1.0))] == [[0, 2]]
    of["pools"]["bag"][RED] = 0
    assert [ids(throw.thrown) for throw in throws(of, CoinTower(p_out=1.0))] == [[]]


def test_a_phase_of_each_colour_is_named_by_it_and_throws_it():
    of = phase(each="colours", throw=["bag.phase"], read={"own": "count(out.phase)", "is_red": "phase == red"})
    played = throws(of | {"rounds": {"times": 2}}, CoinTower(p_out=1.0, p_resident=1.0))
    assert [(throw.round, throw.phase) for throw in played] == [(1, RED), (1, BLUE), (2, RED), (2, BLUE)]
    assert [ids(throw.thrown) for throw in played] == [[0, 1, 2], [3, 4]] * 2
    assert [throw.read["own"].value for throw in played] == [3, 2, 3, 2]
    assert [throw.read["is_red"].value for throw in played] == [1, 0, 1, 0]


def test_moves_take_what_is_still_there_in_order_of_numbers_while_out_stays_what_came_out():
    after = [
        {"cubes": "out.red", "number": 2, "to": "spent"},
        {"cubes": "out", "number": "count(out) - 3", "to": "spent"},
        {"cubes": "out.red", "to": "spent", "when": "count(spent) > 100"},
        {"cubes": "out", "to": "bag"},
    ]
    (throw,) = throws(phase(after=after), CoinTower(p_out=1.0))
    assert ids(throw.table.pools["spent"]) == [0, 1, 2, 3]
    assert ids(throw.table.pools["bag"]) == [4]


def test_the_very_cube_that_was_picked_is_moved_and_of_the_most_numerous_all():
    after = [{"cubes": "event", "to": "spent"}, {"cubes": "out", "to": "bag"}]
    for seed in range(5):
        (throw,) = throws(phase(read={"event": {"one": "out"}}, after=after), CoinTower(), seed)
        assert ids(throw.table.pools["spent"]) == ([throw.read["event"].cube.id] if throw.out else [])  # pyright: ignore
    (throw,) = throws(phase(read={"event": {"most": "out"}}, after=after), CoinTower(p_out=1.0))
    assert ids(throw.table.pools["spent"]) == [0, 1, 2]


def test_a_cube_that_was_picked_of_those_thrown_stays_in_the_tower_where_it_did():
    after = [{"cubes": "event", "to": "spent"}, {"cubes": "out", "to": "bag"}]
    (throw,) = throws(phase(read={"event": {"one": "thrown"}}, after=after), CoinTower(p_out=0.0))
    assert throw.read["event"].cube in throw.table.tower.cubes
    assert len(throw.table.tower.cubes) == 5


def test_a_cube_that_was_picked_in_a_pool_is_moved_from_there_and_cubes_can_be_taken_out_of_the_tower():
    after = [{"cubes": "stolen", "to": "spent"}, {"cubes": "tower", "to": "spent"}, {"cubes": "out", "to": "bag"}]
    of = phase(throw=["bag.red"], read={"stolen": {"one": "bag.blue"}}, after=after)
    (throw,) = throws(of, ScriptedTower(drops=({RED: 1},)))
    assert colours(throw.table.pools["spent"]) == {RED: 2, BLUE: 1}
    assert throw.table.tower.cubes == ()


def test_moves_before_a_throw_and_conditions_of_a_phase_see_what_was_read_before():
    draw = phase(read={"n": "count(out)"})["phase"][0]
    late = {**draw, "name": "late", "when": "n == 2", "before": [{"cubes": "spent", "number": "n - 1", "to": "bag"}]}
    late |= {"throw": ["bag.blue"], "read": {"m": "n + count(bag)"}}
    of = table(phase=[draw, late], pools={"bag": {RED: 2}, "spent": {BLUE: 3}})
    played = throws(of, CoinTower(p_out=1.0))
    assert [throw.phase for throw in played] == ["draw", "late"]
    assert ids(played[1].thrown) == [2]
    assert played[1].read["m"].value == 2 + 2
    late["when"] = "n == 3"
    assert len(throws(of, CoinTower(p_out=1.0))) == 1


def test_a_run_ends_where_its_end_holds():
    of = phase(throw=["bag"], after=[{"cubes": "out", "number": 1, "to": "spent"}, {"cubes": "out", "to": "bag"}])
    played = throws(of | {"rounds": {"times": 50, "until": "count(bag) == 0"}}, CoinTower(p_out=1.0))
    assert len(played) == 5


def test_parameters_of_colour_add_to_that_colour_and_name_it():
    of = phase(read={"a": "count(out.who)"}) | {"parameters": {"who": {"is": RED, "of": [RED, BLUE]}}}
    of["pools"] = {"bag": {RED: 3, BLUE: 2, "who": 4}}
    for who, number in ((RED, 7), (BLUE, 6)):
        (throw,) = throws(of, CoinTower(p_out=1.0), who=who)
        assert throw.read["a"].value == number


def test_effects_are_told_by_colour_before_group_with_their_amount():
    effects = {"on": "event", "red": {"says": "a", "amount": "drop - 3"}, "all": {"says": "b"}}
    of = phase(read={"event": {"most": "out"}}, effects=effects) | {"groups": {"all": [RED, BLUE]}}
    (throw,) = throws(of, CoinTower(p_out=1.0))
    assert (throw.facts["effect"], throw.facts["amount"]) == ("red", -3)
    (throw,) = throws(of | {"pools": {"bag": {RED: 1, BLUE: 2}}}, CoinTower(p_out=1.0))
    assert (throw.facts["effect"], throw.facts["amount"]) == ("all", None)


def test_words_say_who_won_and_the_first_that_holds_counts():
    which = {"red": "count(out.red) > 3", "even": "count(out.red) == 3", "none": 1}
    for red, word in ((4, "red"), (3, "even"), (1, "none")):
        of = phase(read={"won": {"which": {f"{key}_side": way for key, way in which.items()}}})
        (throw,) = throws(of | {"pools": {"bag": {RED: red}}}, CoinTower(p_out=1.0))
        assert throw.read["won"].value == f"{word}_side"


@each_case(
    ("changes", "told"),
    [
        ({"read": {"n": "1 / count(spent)"}}, r"phase\[0\]\.read\.n \(1 / count\(spent\)\) is a division by 0"),
        ({"read": {"n": "count(out) / 2"}}, r"phase\[0\]\.read\.n .* is 5/2; allowed is a whole number"),
        ({"sample": "0 - 1"}, r"phase\[0\]\.sample .* is -1; allowed is a whole number from 0"),
        (
            {"after": [{"cubes": "out", "number": "0 - 2", "to": "bag"}, {"cubes": "out", "to": "bag"}]},
            r"phase\[0\]\.after\[0\]\.number .* is -2",
        ),
    ],
)
def test_what_goes_wrong_in_play_is_told_in_one_line_with_the_keys_path(changes: dict[str, Any], told: str):
    with pytest.raises(UsageError, match=f"^{told}"):
        throws(phase(**changes), CoinTower(p_out=1.0))


def test_knocks_need_a_pool_and_a_drop_that_there_is():
    of = game(table())
    with pytest.raises(UsageError, match=r'^knocks is \[0\]; allowed is none: .*write knocked = "POOL"'):
        of.read({"knocks": {"0": 1}})
    with pytest.raises(UsageError, match="number of a knock is '1'; allowed is a drop's, from 0 to 0"):
        game(table(knocked="bag")).read({"knocks": {"1": 1}})

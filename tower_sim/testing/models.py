"""What every model promises, as test classes that each model's tests inherit."""

from __future__ import annotations

import copy
import json
import math
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np
import pytest

from tower_sim.contract import BoardModel, DropModel
from tower_sim.cubes import Cube, supply
from tower_sim.errors import UsageError
from tower_sim.model import knock_then_drop, redo, until_landed
from tower_sim.outcome import Outcome, Status
from tower_sim.state import TowerState, rng_text

ODD: Mapping[str, Any] = {
    "None": None, "seven": 7, "minus one": -1, "a half": 0.5, "nan": math.nan, "inf": math.inf, "huge": 10**5000,
    "True": True, "complex": 1j, "text": "red", "empty text": "", "lines": "red\nblue", "bytes": b"red", "list": [],
    "list of None": [None], "table": {}, "set": set(), "object": object(), "array": np.zeros(2), "class": Cube,
    "RandomState": np.random.RandomState(1), "numpy int": np.int64(3), "numpy float": np.float64(0.5),
    "numpy single": np.float32(0.008), "module": np.random,
}  # fmt: skip
NUMBERS = {"seven", "a half", "numpy int", "numpy float", "numpy single"}
MAY_PASS = {  # of the odd values, by the argument they are given for; every other one must be refused
    "cubes": {"list"},
    "strength": NUMBERS,
    "id": {"seven", "numpy int"},
    "colour": {"text", "empty text", "lines"},
}
Cubes = tuple[Cube, ...]
Calls = dict[str, Callable[[Any], Any]]
Chain = list[tuple[TowerState, Outcome]]
PLACE = re.compile(r"inside:\w+|tray|table|border|zone:\w+")


class DropModelContract:
    """Inherit, and override the `model` fixture with scope "class" or wider; a drop may fail, a promise may not.

    A model whose tower keeps no cube sets `keeps_cubes = False`; the tests that need a cube inside are then skipped.
    One that refuses knocks sets `knocks = False`.
    """

    supply_size = 20
    throw_size = 5
    chain_length = 10
    keeps_cubes = True
    knocks = True

    @pytest.fixture(scope="class")
    @classmethod
    def model(cls) -> DropModel:
        raise AssertionError("override the model fixture")

    @pytest.fixture(scope="class")
    @classmethod
    def cubes(cls, model: DropModel) -> Cubes:
        return supply({"red": cls.supply_size // 2, "blue": -(-cls.supply_size // 2)}, model.cube_edge)

    @pytest.fixture(scope="class")
    @classmethod
    def chain(cls, model: DropModel, cubes: Cubes) -> Chain:
        """Each drop of a chain: the state before it and its outcome; states are immutable, so tests share them."""
        return list(cls._chain(model, cubes, hand_over=lambda state: state))

    @pytest.fixture(scope="class")
    @classmethod
    def laden(cls, chain: Chain) -> TowerState:
        """A state with cubes inside, if this model's tower keeps any."""
        states = [outcome.state for _, outcome in chain if outcome.state.residents or not cls.keeps_cubes]
        assert states, f"no cube inside after any of {cls.chain_length} drops; is keeps_cubes = False right?"
        return states[-1]

    @classmethod
    def _chain(
        cls, model: DropModel, cubes: Sequence[Cube], hand_over: Callable[[TowerState], TowerState]
    ) -> Iterator[tuple[TowerState, Outcome]]:
        """Throw the first cubes of a queue, put what came out at its end, hand the state over to the next drop."""
        state, queue = model.empty(), list(cubes)
        for number in range(cls.chain_length):
            state = hand_over(state)
            thrown = queue[: cls.throw_size]
            outcome = model.drop(state, thrown, _rng(number))
            yield state, outcome
            state = outcome.state
            inside = set(state.cubes)
            queue = [cube for cube in (*queue[cls.throw_size :], *thrown) if cube not in inside]
            queue += sorted(set(cubes) - inside - set(queue))

    def _outside(self, cubes: Sequence[Cube], state: TowerState) -> list[Cube]:
        return [cube for cube in cubes if cube not in state.cubes][: self.throw_size]

    def test_every_thrown_and_resident_cube_lands_exactly_once(self, chain: Chain) -> None:
        for before, outcome in chain:
            assert sorted(outcome.lying) == sorted(set(before.board.cubes) - set(outcome.thrown))
            accounted = (*before.cubes, *outcome.lying, *outcome.thrown)
            assert sorted(x.cube for x in outcome.landings) == sorted(accounted)
            if outcome.status.is_landing:
                accounted = (*outcome.state.cubes, *outcome.emerged)
                assert sorted(accounted) == sorted((*before.cubes, *outcome.thrown))

    def test_the_new_state_holds_exactly_the_cubes_inside_and_a_failed_drop_leaves_the_state_alone(
        self, chain: Chain
    ) -> None:
        for before, outcome in chain:
            if outcome.status.is_landing:
                assert sorted(outcome.state.cubes) == sorted(outcome.inside)
                places = {x.cube: x.place for x in outcome.landings}
                assert all(places[r.cube] == r.region for r in outcome.state.board.lying)
            else:
                assert outcome.state == before

    def test_outcomes_name_their_model_and_count_as_one_attempt(self, model: DropModel, chain: Chain) -> None:
        for _, outcome in chain:
            assert (outcome.model, outcome.apparatus) == (model.name, model.apparatus)
            assert outcome.status in Status
            assert (outcome.attempts, outcome.knocked_out) == (1, ())

    def test_every_place_has_a_legal_form_and_only_a_failed_drop_loses_cubes(self, chain: Chain) -> None:
        for _, outcome in chain:
            for landing in outcome.landings:
                lost = landing.place == "lost" and not outcome.status.is_landing
                assert lost or PLACE.fullmatch(landing.place), landing

    def test_a_landed_drop_adds_itself_to_the_log(self, chain: Chain) -> None:
        for number, (before, outcome) in enumerate(chain):
            if outcome.status.is_landing:
                *past, event = outcome.state.log
                assert tuple(past) == before.log
                assert (event.kind, event.rng) == ("drop", rng_text(_rng(number)))
                assert sorted(event.thrown) == sorted(outcome.thrown)
                assert sorted(event.emerged) == [cube.id for cube in outcome.emerged]

    def test_a_resident_remembers_the_last_drop_that_threw_it_counted_from_0(self, chain: Chain) -> None:
        for _, outcome in chain:
            drops = [event for event in outcome.state.log if event.kind == "drop"]
            for resident in outcome.state.residents:
                assert resident.since == max(i for i, event in enumerate(drops) if resident.cube in event.thrown)

    def test_a_chain_of_drops_equals_the_same_chain_through_tokens(
        self, model: DropModel, cubes: Cubes, chain: Chain
    ) -> None:
        def by_text(state: TowerState) -> TowerState:
            return TowerState.from_token(state.token())

        assert list(self._chain(model, cubes, hand_over=by_text)) == chain

    def test_a_state_can_be_forked_and_the_input_state_stays_as_it_was(
        self, model: DropModel, cubes: Cubes, laden: TowerState
    ) -> None:
        token, thrown = laden.token(), self._outside(cubes, laden)
        one = model.drop(laden, thrown, _rng(50))
        other = model.drop(laden, thrown, _rng(50))
        assert one == other
        assert laden.token() == token

    def test_the_rng_given_is_the_only_source_of_randomness_and_is_drawn_from(
        self, model: DropModel, cubes: Cubes, laden: TowerState
    ) -> None:
        thrown, given = self._outside(cubes, laden), [_rng(51), _rng(51)]
        outcomes: list[Outcome] = []
        for seed, rng in enumerate(given):
            np.random.seed(seed)
            random.seed(seed)
            outcomes.append(model.drop(laden, thrown, rng))
            assert rng_text(rng) != rng_text(_rng(51))
        assert outcomes[0] == outcomes[1]
        assert rng_text(given[0]) == rng_text(given[1])

    def test_another_rng_may_give_another_outcome(self, model: DropModel, cubes: Cubes) -> None:
        thrown = cubes[: self.throw_size]
        landings = (str(model.drop(model.empty(), thrown, _rng(60 + i)).landings) for i in range(60))
        first = next(landings)
        assert any(other != first for other in landings)

    def test_replaying_the_log_from_the_empty_tower_gives_the_same_state(
        self, model: DropModel, laden: TowerState
    ) -> None:
        knocked = model.knock(laden, 0.5, _rng(52)).state if self.knocks else laden
        assert redo(model, knocked) == knocked

    def test_throwing_nothing_is_allowed_and_loses_no_cube(self, model: DropModel, laden: TowerState) -> None:
        outcome = model.drop(laden, (), _rng(53))
        assert outcome.thrown == ()
        assert sorted(x.cube for x in outcome.landings) == sorted((*laden.cubes, *laden.board.cubes))

    @pytest.mark.parametrize("strength", [0.0, 0.3, 2.0])
    def test_a_knock_keeps_every_cube_and_is_logged_or_is_refused(
        self, model: DropModel, laden: TowerState, strength: float
    ) -> None:
        if not self.knocks:
            with pytest.raises(UsageError, match="knock"):
                model.knock(laden, strength, _rng(54))
            return
        outcome = model.knock(laden, strength, _rng(54))
        assert outcome.thrown == ()
        assert sorted(x.cube for x in outcome.landings) == sorted((*laden.cubes, *laden.board.cubes))
        if outcome.status.is_landing:
            assert sorted((*outcome.state.cubes, *outcome.emerged)) == sorted(laden.cubes)
            event = outcome.state.log[-1]
            assert (event.kind, event.strength, event.thrown) == ("knock", strength, ())
            assert sorted(event.emerged) == [cube.id for cube in outcome.emerged]
        else:
            assert outcome.state == laden

    @pytest.mark.parametrize("strength", [-0.1, math.nan, math.inf, -math.inf])
    def test_a_knock_of_negative_or_endless_strength_is_refused(self, model: DropModel, strength: float) -> None:
        with pytest.raises(UsageError):
            model.knock(model.empty(), strength, _rng(55))

    def test_a_cube_thrown_twice_is_refused(self, model: DropModel, cubes: Cubes) -> None:
        with pytest.raises(UsageError):
            model.drop(model.empty(), (cubes[0], cubes[0]), _rng(56))

    def test_two_cubes_of_one_number_are_refused(self, model: DropModel, cubes: Cubes) -> None:
        with pytest.raises(UsageError):
            model.drop(model.empty(), (cubes[0], replace(cubes[0], colour="green")), _rng(56))

    def test_a_cube_already_inside_is_refused(self, model: DropModel, laden: TowerState) -> None:
        if not self.keeps_cubes:
            pytest.skip("this tower keeps no cube")
        with pytest.raises(UsageError):
            model.drop(laden, laden.cubes[:1], _rng(57))

    @pytest.mark.parametrize("foreign", [{"digest": "another"}, {"model": "another"}])
    def test_a_state_of_another_model_or_apparatus_is_refused(
        self, model: DropModel, cubes: Cubes, foreign: dict[str, str]
    ) -> None:
        state = replace(model.empty(), **foreign)
        with pytest.raises(UsageError):
            model.drop(state, cubes[:1], _rng(58))
        with pytest.raises(UsageError):
            model.knock(state, 0.5, _rng(58))

    def test_a_generator_that_could_not_be_replayed_is_refused(self, model: DropModel, cubes: Cubes) -> None:
        with pytest.raises(UsageError):
            model.drop(model.empty(), cubes[:1], np.random.Generator(np.random.MT19937(1)))

    def test_whatever_is_given_for_an_argument_is_refused_in_one_line_or_meant(
        self, model: DropModel, cubes: Cubes, laden: TowerState
    ) -> None:
        wrong: list[str] = []
        for slot, call in self._calls(model, cubes, laden).items():
            for name, value in ODD.items():
                if told := _mistake(lambda c=call, v=value: c(v), name in MAY_PASS.get(slot.split(".")[-1], ())):
                    wrong.append(f"{slot} = {name}: {told}")
        assert wrong == []

    def _calls(self, model: Any, cubes: Sequence[Cube], laden: TowerState) -> Calls:
        """For each argument of each method, a call that is right but for that argument."""
        new, edge = Cube(laden.next_id, "green", model.cube_edge), model.cube_edge

        def drop(*thrown: Cube) -> Outcome:
            return model.drop(laden, thrown, _rng(59))

        return {
            "drop.state": lambda x: model.drop(x, (new,), _rng(59)),
            "drop.cubes": lambda x: model.drop(laden, x, _rng(59)),
            "drop.rng": lambda x: model.drop(laden, (new,), x),
            "cube": lambda x: drop(new, x),
            "cube.id": lambda x: drop(Cube(x, "green", edge)),
            "cube.colour": lambda x: drop(Cube(new.id, x, edge)),
            "cube.edge": lambda x: drop(Cube(new.id, "green", x)),
            "knock.state": lambda x: model.knock(x, 0.5, _rng(59)),
            "knock.strength": lambda x: model.knock(laden, x, _rng(59)),
            "knock.rng": lambda x: model.knock(laden, 0.5, x),
            "until_landed.seed": lambda x: until_landed(lambda rng: model.drop(laden, (new,), rng), x),
            "knock_then_drop.seed": lambda x: knock_then_drop(model, laden, 0.5, (new,), x),
            "redo.state": lambda x: redo(model, x),
            "take": lambda x: laden.take([x]),
        }

    def test_a_generator_of_cubes_is_refused_before_it_loses_them(self, model: DropModel, cubes: Cubes) -> None:
        with pytest.raises(UsageError, match=r"cubes is <generator .*allowed is a list or tuple"):
            model.drop(model.empty(), cast("Any", (cube for cube in cubes[:3])), _rng(59))

    def test_a_cube_of_another_size_is_refused(self, model: DropModel, cubes: Cubes) -> None:
        for edge in (0.5, model.cube_edge * 1.000001, -model.cube_edge, 10**400):
            with pytest.raises(UsageError, match="edge"):
                model.drop(model.empty(), (replace(cubes[0], edge=edge),), _rng(59))

    def test_numbers_of_numpy_are_as_good_as_others_and_can_be_written_down(
        self, model: DropModel, cubes: Cubes
    ) -> None:
        of_numpy = [
            Cube(cast("int", np.int64(c.id)), np.str_(c.colour), np.float64(c.edge)) for c in cubes[: self.throw_size]
        ]
        outcome = model.drop(model.empty(), of_numpy, _rng(60))
        assert outcome == model.drop(model.empty(), cubes[: self.throw_size], _rng(60))
        assert TowerState.from_token(outcome.state.token()) == outcome.state
        json.dumps(outcome.to_json(1))

    def test_a_state_of_another_model_is_not_replayed(self, model: DropModel, laden: TowerState) -> None:
        with pytest.raises(UsageError, match="state belongs to another"):
            redo(model, replace(laden, model="another"))

    def test_a_copy_is_used_as_a_context_manager_and_closing_it_twice_leaves_the_other_open(
        self, model: DropModel, cubes: Cubes
    ) -> None:
        before = model.drop(model.empty(), cubes[:1], _rng(61))
        with copy.copy(model) as other:
            assert other.drop(other.empty(), cubes[:1], _rng(61)) == before
        other.close()
        assert model.drop(model.empty(), cubes[:1], _rng(61)) == before

    def test_the_json_document_has_the_documented_keys_and_a_state_that_reads_back(self, chain: Chain) -> None:
        _, outcome = chain[-1]
        document = json.loads(json.dumps(outcome.to_json(7, ["green"]), allow_nan=False))
        assert list(document) == [
            "schema", "version", "seed", "model", "apparatus", "status", "attempts", "thrown", "emerged", "inside",
            "knocked_out", "extrapolated", "landings", "state",
        ]  # fmt: skip
        assert (document["schema"], document["version"], document["seed"]) == ("tower-sim/outcome", 1, "7")
        for key in ("thrown", "emerged", "inside", "knocked_out"):
            assert document[key].keys() >= {"green"}
            assert document[key]["green"] == 0
        assert sum(document["thrown"].values()) == len(outcome.thrown)
        counted = sum(document["inside"].values()) + sum(document["emerged"].values())
        assert counted + len(outcome.lying) == len(document["landings"])
        assert TowerState.from_token(document["state"]) == outcome.state


class BoardModelContract(DropModelContract):
    """What every BoardModel promises besides; the state after the chain has cubes on its board."""

    keeps_cubes = False

    def test_a_thrown_cube_that_lies_on_the_board_is_taken_off_first(
        self, model: BoardModel, laden: TowerState
    ) -> None:
        again = laden.board.cubes[:2]
        outcome = model.drop(laden, again, _rng(70))
        assert not set(outcome.lying) & set(again)
        assert set(outcome.lying) == set(laden.board.cubes) - set(again)

    def test_another_cube_of_a_number_that_lies_on_the_board_is_refused(
        self, model: BoardModel, laden: TowerState
    ) -> None:
        other = replace(laden.board.cubes[0], colour="green")
        with pytest.raises(UsageError):
            model.drop(laden, (other,), _rng(71))
        with pytest.raises(UsageError):
            model.place(laden, other, model.board.zones[0].name, _rng(71))

    def test_what_lands_on_the_board_is_in_the_state_where_the_outcome_says(self, chain: Chain) -> None:
        for _, outcome in chain:
            if outcome.status.is_landing:
                on_board = {x.cube: x.place for x in outcome.landings if not x.inside}
                assert {r.cube: r.region for r in outcome.state.board.lying} == on_board

    def test_a_cube_can_be_placed_in_every_zone_from_the_supply_and_from_the_board(
        self, model: BoardModel, laden: TowerState
    ) -> None:
        new = Cube(laden.next_id, "green", model.cube_edge)
        for cube in (new, laden.board.cubes[0]):
            for number, zone in enumerate(model.board.zones):
                outcome = model.place(laden, cube, zone.name, _rng(80 + number))
                assert outcome.status.is_landing
                assert {x.cube: x.place for x in outcome.landings}[cube] == f"zone:{zone.name}"
                assert sorted(outcome.state.board.cubes) == sorted({*laden.board.cubes, cube})
                event = outcome.state.log[-1]
                assert (event.kind, event.thrown, event.place) == ("place", (cube,), zone.name)
                assert event.rng == rng_text(_rng(80 + number))

    def test_placing_depends_on_its_arguments_only(self, model: BoardModel, laden: TowerState) -> None:
        zone, cube = model.board.zones[0].name, laden.board.cubes[0]
        token = laden.token()
        assert model.place(laden, cube, zone, _rng(90)) == model.place(laden, cube, zone, _rng(90))
        assert laden.token() == token

    def test_an_unknown_zone_is_refused_in_one_line(self, model: BoardModel, laden: TowerState) -> None:
        with pytest.raises(UsageError, match="nowhere"):
            model.place(laden, laden.board.cubes[0], "nowhere", _rng(91))

    def test_taking_and_placing_are_logged_and_replayed(self, model: BoardModel, laden: TowerState) -> None:
        zone, (first, second, *_) = model.board.zones[1].name, laden.board.cubes
        state = model.place(laden.take([first]), second, zone, _rng(92)).state
        state = model.drop(state, [first], _rng(93)).state
        assert redo(model, state) == state
        assert TowerState.from_token(state.token()) == state

    def _calls(self, model: Any, cubes: Sequence[Cube], laden: TowerState) -> Calls:
        new, zone = Cube(laden.next_id, "green", model.cube_edge), model.board.zones[0].name
        placed: Calls = {
            "place.state": lambda x: model.place(x, new, zone, _rng(59)),
            "place.cube": lambda x: model.place(laden, x, zone, _rng(59)),
            "place.zone": lambda x: model.place(laden, new, x, _rng(59)),
            "place.rng": lambda x: model.place(laden, new, zone, x),
        }
        return super()._calls(model, cubes, laden) | placed

    def test_a_cube_that_is_not_on_the_board_cannot_be_taken(self, model: BoardModel, laden: TowerState) -> None:
        with pytest.raises(UsageError, match="does not lie on the board"):
            laden.take([Cube(999, "red", model.cube_edge)])


def _mistake(call: Callable[[], Any], may_pass: bool) -> str:
    """Say what is wrong with how a call ended: it must be refused in one line, unless it `may_pass`; '' when all is."""
    try:
        call()
    except UsageError as error:
        return "" if "\n" not in str(error) and len(str(error)) < 1000 else f"refused with {str(error)!r}"
    except Exception as error:
        return f"ended in {type(error).__name__}: {error}"
    return "" if may_pass else "was accepted"


def _rng(number: int) -> np.random.Generator:
    return np.random.default_rng(np.random.SeedSequence(2013, spawn_key=(number,)))

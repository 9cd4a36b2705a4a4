"""The core gives the same bytes: on every machine, compiled or not, in threads, and whether it lives on or is saved."""

import math
import platform
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np
import pytest
from support.cases import each_case

from calibration.validation.living import Twins, moment, play_twins
from calibration.validation.same import FUSED, count_code
from tests.support.golden_scenes import JAMMING, ROUGH, SCENES, STANDARD, digest, kept
from tower_sim.apparatus import load, names
from tower_sim.compiled.marks import OPTIONS
from tower_sim.physics import Scene
from tower_sim.physics.core import engine
from tower_sim.simulator import PhysicsModel
from tower_sim.values import Cube, Outcome, TowerState, supply

TOWERS = [name for name in names() if load(name).board is None]


def hand(model: PhysicsModel, number: int, first: int = 0) -> tuple[Cube, ...]:
    return supply({"any": number}, model.cube_edge, first_id=first)


@each_case("name", SCENES)
def test_a_scene_is_to_the_last_digit_that_of_every_other_machine(name: str):
    """After a change that is meant to change results: python -m calibration.validation.same renew."""
    assert digest(name) == kept()[name]


def test_there_are_forty_scenes_no_two_alike_and_no_other_digest_is_kept():
    assert len(SCENES) == 40
    assert kept().keys() == SCENES.keys()
    assert len(set(kept().values())) == 40


def test_a_digest_sees_the_twelfth_digit_of_a_velocity(monkeypatch: pytest.MonkeyPatch):
    gently, throw = engine.CoreEngine.set_velocity, Scene.throw

    def set_faster(self: Any, body: int, velocity: Sequence[float], spin: Sequence[float]) -> None:
        gently(self, body, [x + 1e-12 for x in velocity], spin)

    def throw_faster(self: Scene, cubes: Sequence[Cube], rng: np.random.Generator) -> None:
        throw(self, cubes, rng)
        self.tables.cubes["let_velocity"][self.tables.drop[0].laid :] += 1e-12

    monkeypatch.setattr(engine.CoreEngine, "set_velocity", set_faster)
    monkeypatch.setattr(Scene, "throw", throw_faster)
    for name in ("falls on an edge", "rulebook, two", "wallenstein, taken", "dead_reckoning, fast"):
        assert digest(name) != kept()[name]


def test_machine_code_rounds_every_product_before_it_is_added():
    """Of `face_row`, which has many a product to add; where a compiler may fuse the two, the same check sees it."""
    numba = pytest.importorskip("numba")

    def code(**more: Any) -> str:
        function = numba.njit(**(OPTIONS | more))(poly)
        function(np.ones(9))
        return "".join(function.inspect_asm().values())

    def poly(x: Any) -> float:
        return (x[0] * x[1] + x[2]) * x[3] + x[4] * x[5] + x[6]

    assert count_code(code())["lines"] > 5
    assert count_code(code())["fused"] == 0
    features = numba.core.codegen.get_host_cpu_features()
    if "+fma," in features or platform.machine() in ("aarch64", "arm64"):
        assert count_code(code(fastmath={"contract"}))["fused"] > 0


@each_case("line", ["\tvfmadd213sd\t%xmm2, %xmm1, %xmm0", "\tfmadd\td0, d1, d2, d3", "\tfmls v0.2d, v1.2d, v2.2d"])
def test_a_fused_multiply_add_is_known_by_its_name(line: str):
    assert FUSED.search(line)
    assert not FUSED.search("\tvmulsd\t%xmm2, %xmm1, %xmm0\n\tfmul\td0, d1, d2\n\tfmov d0, d1\n")


@pytest.mark.parametrize("constant", ["_SKIN", "_FAR"])
@pytest.mark.parametrize("factor", [0.9, 1.5, 4.0])
def test_how_far_around_neighbours_are_listed_changes_no_digit(constant: str, factor: float, monkeypatch):
    """A skin of 4 times 0.4 edges; a bound on the look ahead that no cube of these scenes comes to."""
    monkeypatch.setattr(engine, constant, factor * getattr(engine, constant))
    assert {name: digest(name) for name in SCENES} == kept()


def test_a_bound_on_the_look_ahead_that_cubes_do_come_to_changes_digits(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(engine, "_FAR", 0.015)
    assert digest("fast against a thin plate") != kept()["fast against a thin plate"]


@pytest.mark.parametrize("threads", [2, 4])
def test_threads_that_drop_at_once_with_models_of_their_own_get_the_bytes_that_each_gets_alone(threads: int):
    starts = [k * len(SCENES) // threads for k in range(threads)]
    orders = [[*SCENES][start:] + [*SCENES][:start] for start in starts]
    with ThreadPoolExecutor(threads) as pool:
        for digests in pool.map(lambda order: {name: digest(name) for name in order}, orders):
            assert digests == kept()


@pytest.mark.parametrize("name", TOWERS)
@pytest.mark.parametrize(
    ("seed", "drops"), [(1, 8), *(pytest.param(seed, 36, marks=pytest.mark.slow) for seed in range(5))]
)
def test_a_game_saved_after_each_drop_is_the_game_that_lives_on(name: str, seed: int, drops: int):
    """Where all cubes of a colour are inside there is none to drop."""
    with PhysicsModel(load(name), STANDARD) as model:
        moments = list(play_twins(model, seed, drops))
    assert [each.drop for each in moments if not each.is_same] == []
    assert len(moments) >= drops / 2
    assert max(each.residents for each in moments) > 0


def resident_cubes(twins: Twins) -> tuple[Cube, ...]:
    return (*twins.state.cubes, *twins.state.board.cubes)


def fill(twins: Twins) -> Iterator[Outcome]:
    for k in range(20):
        yield twins.drop(hand(twins.model, 12, 12 * k), 1, k)
        if len(resident_cubes(twins)) > 1:
            return
    pytest.fail("nothing stays")


def knock(twins: Twins) -> Iterator[Outcome]:
    for k, strength in enumerate((0.05, 0.3, 2.0)):
        yield twins.knock(strength, 2, k)
    yield twins.drop(hand(twins.model, 3, 300), 3)


def take(twins: Twins) -> Iterator[Outcome]:
    twins.take(resident_cubes(twins)[::2])
    yield twins.drop((), 4)
    yield twins.drop(hand(twins.model, 2, 300), 5)


def throw_again(twins: Twins) -> Iterator[Outcome]:
    """On a board: cubes are thrown that lie there."""
    again = twins.state.board.cubes[::2] or hand(twins.model, 4)
    twins.take([cube for cube in again if cube in twins.state.cubes])
    yield twins.drop(again, 6)
    yield twins.drop((), 7)


@pytest.mark.parametrize("name", ["amerigo", "wallenstein", "dead_reckoning"])
@each_case("story", [knock, take, throw_again])
@each_case("rate", [None, 20], ids=["at once", "poured"])
@each_case("settings", [STANDARD, JAMMING], ids=["at rest", "jammed"])
def test_what_can_happen_to_a_tower_happens_alike_to_the_living_and_the_saved(
    story: Callable[[Twins], Iterator[Outcome]], name: str, rate: float | None, settings: Any
):
    """Jammed: time is up before any cube has been quiet for long enough, so they are stopped as they are."""
    shape = load(name)
    shape = replace(shape, hand=replace(shape.hand, rate=rate or shape.hand.rate))
    with PhysicsModel(shape, settings) as model, Twins(model) as twins:
        statuses = [str(outcome.status) for outcome in chain(fill(twins), story(twins))]
        assert set(statuses) <= {"settled", "jammed"}
        assert (settings is STANDARD) or "jammed" in statuses
        assert twins.are_same


def test_twins_that_differ_in_one_digit_are_told_apart():
    with PhysicsModel(load("amerigo"), ROUGH) as model, Twins(model) as twins:
        while not twins.state.residents:
            twins.drop(hand(model, 12, 12 * twins.state.drops), 10, twins.state.drops)
        assert twins.are_same
        first, *others = twins.state.residents
        assert first.pose is not None
        x, y, z = first.pose.position
        moved = replace(first, pose=replace(first.pose, position=(math.nextafter(x, 1.0), y, z)))
        twins.state = replace(twins.state, residents=(moved, *others))
        assert not twins.are_same
        twins.state = replace(twins.state, residents=(first, *others), touches=twins.state.touches[1:])
        assert not twins.are_same


def resting() -> tuple[PhysicsModel, TowerState]:
    model = PhysicsModel(load("amerigo"), STANDARD)
    return model, model.drop(model.empty(), hand(model, 30), np.random.default_rng(11)).state


def test_a_fork_is_a_copy_two_continuations_of_one_state_are_equal_whatever_happened_between():
    model, state = resting()
    with model:
        again = TowerState.from_token(state.token())
        assert moment(again) == moment(state)
        assert state.touches
        first = model.drop(state, hand(model, 5, 30), np.random.default_rng(12))
        model.drop(state, hand(model, 9, 30), np.random.default_rng(13))
        model.knock(state, 2.0, np.random.default_rng(14))
        second = model.drop(again, hand(model, 5, 30), np.random.default_rng(12))
    with PhysicsModel(load("amerigo"), STANDARD) as other:
        third = other.drop(again, hand(model, 5, 30), np.random.default_rng(12))
    assert first == second == third


def test_where_nothing_is_taken_nothing_wakes():
    model, state = resting()
    with model:
        again = model.drop(state, (), np.random.default_rng(17)).state
    assert moment(again) == moment(state)

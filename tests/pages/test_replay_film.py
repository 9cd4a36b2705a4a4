"""What is recorded while physics runs: it changes nothing, and it is what happened."""

import copy
import pickle
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.filmed import counted, filmed, filming, outcomes, recorded
from tests.support.hulls import as_hull
from tower_sim import registry
from tower_sim.apparatus.catalogue import load
from tower_sim.cubes import Cube
from tower_sim.model import knock_then_drop
from tower_sim.outcome import Status
from tower_sim.physics.core import CoreEngine
from tower_sim.physics.film import Film, Reel, Shot
from tower_sim.physics.settings import PhysicsSettings, accuracy
from tower_sim.replay.moving import Spell, spells
from tower_sim.replay.takes import RATE, Lying, Take, _Shown, takes  # pyright: ignore[reportPrivateUsage]
from tower_sim.simulator import PhysicsModel
from tower_sim.state import Pose

AMERIGO, SHIP = load("amerigo"), load("dead_reckoning")
_FLOORS = [box for box in AMERIGO.boxes if "floor" in box.part]
HULLS = replace(
    AMERIGO, name="hulls", boxes=tuple(b for b in AMERIGO.boxes if b not in _FLOORS), hulls=tuple(map(as_hull, _FLOORS))
)
TOWERS = {
    "amerigo": AMERIGO,
    "wallenstein": load("wallenstein"),
    "hulls": HULLS,
    "piles": replace(AMERIGO, swept=False),
}
TOWER_ACTIONS = st.one_of(
    st.tuples(st.just("drop"), st.integers(1, 12)), st.tuples(st.just("knock"), st.sampled_from([0.05, 0.5, 3.0]))
)
SHIP_ACTIONS = st.one_of(
    st.tuples(st.sampled_from(["drop", "again"]), st.integers(1, 6)),
    st.tuples(st.just("knock"), st.sampled_from([0.5, 2.0])),
    st.tuples(st.just("place"), st.sampled_from([zone.name for zone in SHIP.board.zones] if SHIP.board else [])),
)
SEEDS = st.integers(0, 2**32)


def same(apparatus: Any, actions: Any, seed: int, physics: PhysicsSettings | None = None) -> None:
    """Recorded or not, outcomes are equal, and so are the states' tokens, which hold every bit of every pose.

    And the takes of those that landed end where their outcomes do.
    """
    with PhysicsModel(apparatus, physics) as plain, filming(apparatus, physics) as (model, film):
        both = list(zip(outcomes(plain, actions, seed), outcomes(model, actions, seed), strict=True))
        shots = film.taken()
        assert plain.effort == model.effort
    for one, other in both:
        assert one == other
        assert one.state.token() == other.state.token()
    assert [shot.kind for shot in shots] == ["drop" if kind == "again" else kind for kind, _ in actions]
    landed = [outcome for _, outcome in both if outcome.status.is_landing]
    for outcome, take in zip(landed, takes(shots, apparatus), strict=True):
        check(take, apparatus)
        assert [(x.cube, x.place, x.pose) for x in take.rest] == [(x.cube, x.place, x.pose) for x in outcome.landings]
        assert counted(take)[1] == Counter(cube.colour for cube in outcome.emerged)


@settings(max_examples=12)
@given(name=st.sampled_from(sorted(TOWERS)), actions=st.lists(TOWER_ACTIONS, min_size=1, max_size=3), seed=SEEDS)
def test_recording_changes_no_draw_of_a_tower_and_its_takes_end_where_the_draws_do(name: str, actions: Any, seed: int):
    same(TOWERS[name], actions, seed)


@settings(max_examples=8)
@given(actions=st.lists(SHIP_ACTIONS, min_size=1, max_size=3), seed=SEEDS)
def test_recording_changes_no_draw_of_a_board_and_its_takes_end_where_the_draws_do(actions: Any, seed: int):
    same(SHIP, actions, seed)


@pytest.mark.bullet
@settings(max_examples=3)
@given(ship=st.booleans(), seed=SEEDS)
def test_recording_changes_no_draw_of_an_engine_that_is_asked_for_each_window(ship: bool, seed: int):
    actions = [("drop", 6), ("place", "cargo"), ("drop", 0)] if ship else [("drop", 5), ("knock", 2.0), ("drop", 3)]
    same(SHIP if ship else AMERIGO, actions, seed, accuracy("bullet", "standard"))


@pytest.mark.whole
@pytest.mark.parametrize("name", ["amerigo", "dead_reckoning", "wallenstein"])
def test_a_recorded_game_is_the_game_and_every_take_is_of_its_turn(name: str):
    """Every cube that a turn's takes throw is one that its state's log says was thrown in it."""
    game = registry.get("game", name)
    apparatus, rules = load(game.apparatus), game.read({})
    with PhysicsModel(apparatus) as plain, filming(apparatus) as (model, film):
        turns = []
        before = 0
        for turn, made in recorded(game.start(model, rules, 11), film, apparatus):
            log = [event for event in turn.state.log[before:] if event.kind != "take"]
            assert [(take.kind, take.thrown) for take in made] == [(event.kind, event.thrown) for event in log]
            before = len(turn.state.log)
            turns.append(turn)
            for take in made:
                check(take, apparatus)
        expected = list(game.start(plain, rules, 11))
        assert [game.ways.line(turn, rules) for turn in turns] == [game.ways.line(turn, rules) for turn in expected]
        assert turns[-1].state.token() == expected[-1].state.token()


def check(take: Take, apparatus: Any) -> None:
    """Look at what holds of every take."""
    start = {each.cube.id: each for each in take.start}
    rest = {each.cube.id: each for each in take.rest}
    assert {cube.id for cube in take.thrown}.isdisjoint(start)
    assert len({track.cube for track in take.tracks}) == len(take.tracks)
    assert [each.frame for each in take.happenings] == sorted(each.frame for each in take.happenings)
    assert all(0 <= each.frame < take.frames for each in take.happenings)
    for track in take.tracks:
        assert track.first >= 0
        assert 1 <= len(track.poses) < take.frames - track.first
        assert np.isfinite(track.poses).all()
        assert np.linalg.norm(track.poses[:, 3:], axis=1) == pytest.approx(1)
        assert (np.sum(track.poses[1:, 3:] * track.poses[:-1, 3:], axis=1) > 0).all()
        assert np.abs(np.diff(track.poses[:, :3], axis=0)).max(initial=0) < 6 / RATE  # m: nothing is faster than 6 m/s
    for number, lying in rest.items():
        words = [each.word for each in take.happenings if each.cube == number]
        gone = not lying.place.startswith("inside:") and (number not in start or start[number].place[:7] == "inside:")
        assert words.count("out") == gone
        assert words.count("thrown") == (number not in start)
        moves = [word for word in words if word in ("thrown", "woken", "rest")]
        swept = number not in start and lying.pose is None
        assert moves[1::2] == ["rest"] * (len(moves) // 2) or swept
        if lying.pose:
            assert len(moves) % 2 == 0
            last = [each for each in take.happenings if each.cube == number and each.word == "rest"]
            assert not last or last[-1].place == lying.place
        if number not in {track.cube for track in take.tracks} and number in start:
            assert start[number].pose == lying.pose
    inside, out = counted(take)
    assert inside == Counter(each.cube.colour for each in take.rest if each.place.startswith("inside:"))
    lay = {each.cube.id for each in take.start if not each.place.startswith("inside:")}
    assert out == Counter(
        x.cube.colour for x in take.rest if not x.place.startswith("inside:") and x.cube.id not in lay
    )


# What the film holds


def test_a_run_that_is_filmed_is_as_long_as_one_that_is_not(monkeypatch: pytest.MonkeyPatch):
    """The core writes frames within its compiled runs; it is not asked for more of them."""
    runs: dict[str, list[int]] = {"run": [], "run_filmed": []}
    run, run_filmed = CoreEngine.run, CoreEngine.run_filmed

    def counted_run(self: Any, windows: int, calm: Any) -> int:
        runs["run"].append(windows)
        return run(self, windows, calm)

    def counted_run_filmed(self: Any, windows: int, calm: Any) -> Any:
        runs["run_filmed"].append(windows)
        return run_filmed(self, windows, calm)

    monkeypatch.setattr(CoreEngine, "run", counted_run)
    monkeypatch.setattr(CoreEngine, "run_filmed", counted_run_filmed)
    with PhysicsModel(AMERIGO) as plain, filming(AMERIGO) as (model, _):
        for each in (plain, model):
            list(outcomes(each, [("drop", 20), ("knock", 1.0)], 5))
    assert runs["run"] == runs["run_filmed"]
    assert max(runs["run"]) > 1


def test_the_core_films_what_it_would_have_said_after_each_window(monkeypatch: pytest.MonkeyPatch):
    actions = [("drop", 12), ("drop", 12), ("knock", 1.0)]
    with filming(AMERIGO) as (model, film):
        list(outcomes(model, actions, 3))
        fast = film.taken()
    monkeypatch.setattr("tower_sim.physics.world.Films", Film)  # which the core is not
    with filming(AMERIGO) as (model, film):
        list(outcomes(model, actions, 3))
        slow = film.taken()
    for one, other in zip(fast, slow, strict=True):
        assert one.reel
        assert other.reel
        assert frames(one.reel) == frames(other.reel)
        assert (one.reel.windows, one.reel.swept, one.reel.let_go) == (
            other.reel.windows,
            other.reel.swept,
            other.reel.let_go,
        )


def frames(reel: Reel) -> list[tuple[int, tuple[int, ...], bytes]]:
    """Return every window by itself."""
    return [
        (strip.first + k, strip.numbers, poses.tobytes())
        for strip in reel.strips
        for k, poses in enumerate(strip.poses)
    ]


def test_the_last_window_is_the_outcome():
    with filming(AMERIGO) as (model, film):
        (outcome,) = outcomes(model, [("drop", 25)], 6)
        (shot,) = film.taken()
    assert shot.reel
    last = shot.reel.strips[-1]
    rows = {landing.cube.id: landing.pose for landing in outcome.landings if landing.inside}
    assert set(last.numbers) - set(shot.reel.swept) == set(rows)
    for number, pose in zip(last.numbers, last.poses[-1].tolist(), strict=True):
        assert number in shot.reel.swept or rows[number] == Pose(tuple(pose[:3]), tuple(pose[3:]))


def test_knocking_an_empty_tower_and_throwing_nothing_are_takes_in_which_nothing_moves():
    _, made = filmed(AMERIGO, [("knock", 1.0), ("drop", 0), ("drop", 9), ("drop", 0)], 1)
    assert [len(take.tracks) for take in made] == [0, 0, 9, 0]
    for take in made:
        check(take, AMERIGO)


def test_the_windows_of_a_reel_follow_each_other():
    with filming(SHIP) as (model, film):
        list(outcomes(model, [("drop", 6), ("again", 3)], 2))
        for shot in film.taken():
            assert shot.reel
            expected = 1
            for strip in shot.reel.strips:
                assert strip.first == expected
                assert strip.poses.shape[1:] == (len(strip.numbers), 7)
                expected += len(strip.poses)
            assert shot.reel.windows == expected - 1


def test_a_copy_of_a_model_that_records_has_a_film_of_its_own():
    with filming(AMERIGO) as (model, film):
        for other in (copy.copy(model), pickle.loads(pickle.dumps(model))):
            with other:
                list(outcomes(other, [("drop", 2)], 1))
                assert other.film is not None
                assert other.film is not film
                assert len(other.film.taken()) == 1
        assert film.taken() == []
    with PhysicsModel(AMERIGO) as plain:
        assert copy.copy(plain).film is None


# Which draws are takes


def test_a_knock_before_a_throw_is_a_take_of_its_own():
    with filming(AMERIGO) as (model, film):
        (first,) = outcomes(model, [("drop", 30)], 4)
        film.taken()
        cubes = [replace(cube, id=cube.id + 100) for cube in first.thrown[:3]]
        both = knock_then_drop(model, first.state, 3.0, cubes, np.random.SeedSequence(2))
        knock, throw = takes(film.taken(), AMERIGO)
    assert (knock.kind, throw.kind) == ("knock", "drop")
    assert knock.strength == 3.0
    assert knock.happenings[0].word == "knocked"
    assert [each.cube for each in knock.happenings if each.word == "out"] != []
    assert set(throw.thrown) == {*cubes, *both.knocked_out}


def test_draws_that_failed_are_no_takes_but_are_named_in_the_next():
    with filming(AMERIGO) as (model, film):
        list(outcomes(model, [("drop", 2)], 1))
        (shot,) = film.taken()
    failed = Shot("drop", 0.0, shot.state, replace(shot.outcome, status=Status.ESCAPED), None)
    late = Shot("drop", 0.0, shot.state, replace(shot.outcome, status=Status.TIMED_OUT), None)
    first, second = takes([failed, late, shot, shot, failed], AMERIGO)
    assert first.redrawn == (Status.ESCAPED, Status.TIMED_OUT)
    assert second.redrawn == ()


def test_a_draw_that_was_no_landing_is_kept_without_its_pictures():
    with filming(AMERIGO, PhysicsSettings(longest=0.3)) as (model, film):
        (outcome,) = outcomes(model, [("drop", 3)], 1)
        assert not outcome.status.is_landing
        assert [(shot.reel, shot.outcome) for shot in film.taken()] == [(None, outcome)]


def test_a_drop_that_jams_ends_with_every_cube_where_it_then_is():
    creeping = PhysicsSettings(longest=3.0, quiet_time=2.9, creep=0.5)
    with filming(AMERIGO, creeping) as (model, film):
        (outcome,) = outcomes(model, [("drop", 10)], 1)
        assert outcome.status is Status.JAMMED
        (take,) = takes(film.taken(), AMERIGO)
    check(take, AMERIGO)
    assert 3 * RATE < take.frames < 3.2 * RATE  # from the last cube on, which is let go .1 s after the first
    assert take.status is Status.JAMMED


def test_takes_of_other_draws_are_not_those_of_a_game():
    game = registry.get("game", "dead_reckoning")
    with filming(SHIP) as (model, film):
        list(outcomes(model, [("drop", 2)], 1))
        first, *_ = recorded(game.start(model, game.read({}), 3), film, SHIP)
        assert len(first[1]) == 1


# Moving and lying still, by made-up motion


def path(*parts: tuple[int, float]) -> Any:
    """Return poses after 0, 1, ... windows of a cube that goes along x: so many windows, so fast (m/s)."""
    x = np.concatenate(([0.0], np.cumsum([speed * 0.01 for windows, speed in parts for _ in range(windows)])))
    poses = np.zeros((len(x), 1, 7))
    poses[:, 0, 0], poses[:, 0, 6] = x, 1.0
    return poses


def test_a_cube_moves_from_its_first_step_to_its_last_and_short_pauses_are_none():
    assert spells(path((10, 0.0), (5, 0.1), (30, 0.0)), 0.01, 0.008, [False]) == [[Spell(10, 15)]]
    assert spells(path((10, 0.1), (19, 0.0), (5, 0.1), (20, 0.0)), 0.01, 0.008, [False]) == [[Spell(0, 34)]]
    assert spells(path((10, 0.1), (20, 0.0), (5, 0.1)), 0.01, 0.008, [False]) == [[Spell(0, 10), Spell(30, 35)]]


def test_a_cube_at_rest_that_hardly_moves_was_not_woken_and_one_thrown_always_moves():
    shiver = path((10, 0.0), (1, 0.01), (30, 0.0))
    assert spells(shiver, 0.01, 0.008, [False]) == [[]]
    assert spells(path((40, 0.001)), 0.01, 0.008, [False]) == [[]]  # slower than what counts as moving
    assert spells(shiver, 0.01, 0.008, [True]) == [[Spell(0, 11)]]
    assert spells(path((30, 0.0)), 0.01, 0.008, [True]) == [[Spell(0, 1)]]


def test_a_cube_that_only_turns_moves():
    poses = path((40, 0.0))
    angle = np.clip(np.arange(41) - 10, 0, 10) * 0.01 * 2.0  # 2 rad/s for ten windows
    poses[:, 0, 5], poses[:, 0, 6] = np.sin(angle / 2), np.cos(angle / 2)
    assert spells(poses, 0.01, 0.008, [False]) == [[Spell(10, 20)]]


def test_the_film_of_a_flight_is_a_parabola():
    """Before it meets anything, a thrown cube falls as Galileo says, in every frame; linear between windows."""
    with filming(AMERIGO) as (model, film):
        list(outcomes(model, [("drop", 1)], 9))
        (shot,) = film.taken()
        (take,) = takes([shot], AMERIGO)
    assert shot.reel
    (track,) = take.tracks
    first = shot.reel.let_go[0][1]
    fallen = first.position[2] - track.poses[:6, 2]
    time = np.arange(6) / RATE
    speed = (fallen[3] / time[3]) - 9.81 / 2 * time[3]
    assert fallen == pytest.approx(speed * time + 9.81 / 2 * time**2, abs=9.81 * 0.01 * 0.002 + 1e-4)


def test_a_film_gives_its_shots_once():
    film = Film()
    assert film.taken() == []
    with PhysicsModel(AMERIGO, record=film) as model:
        list(outcomes(model, [("drop", 1), ("drop", 1)], 9))
    assert len(film.taken()) == 2
    assert film.taken() == []


def test_a_cube_that_is_shoved_twice_rests_between_on_the_floor_that_it_fell_to():
    """Cube 9 falls 4 cm to the lower floor, lies for 0.3 s and falls 4 cm more; cube 3 lies on the upper floor."""
    falls = 0.11 + path((8, -0.5), (30, 0.0), (8, -0.5), (10, 0.0))[:, 0, 0]
    poses = np.zeros((len(falls), 2, 7))
    poses[:, 0, 1], poses[:, 0, 2], poses[:, 1, 2], poses[:, :, 6] = 0.02, 0.12, falls, 1.0
    reel = Reel(0.01)
    reel.add((3, 9), poses[1:])
    cubes = {number: Cube(number, "red", AMERIGO.cube_edge) for number in (3, 9)}
    start = {
        number: Lying(cubes[number], "inside:upper_floor", Pose((0.0, y, z), (0.0, 0.0, 0.0, 1.0)))
        for number, y, z in ((3, 0.02, 0.12), (9, 0.0, 0.11))
    }
    rest = start | {9: Lying(cubes[9], "inside:ramp", Pose((0.0, 0.0, 0.03), (0.0, 0.0, 0.0, 1.0)))}
    shown = _Shown(reel, AMERIGO, start, rest)
    found = shown.happenings(set())
    assert [(each.word, each.cube, each.place) for each in found] == [
        ("woken", 9, ""), ("rest", 9, "inside:lower_floor"), ("woken", 9, ""), ("rest", 9, "inside:ramp"),
    ]  # fmt: skip
    assert [each.frame / RATE for each in found] == pytest.approx([0.0, 0.08, 0.38, 0.46], abs=1 / RATE)

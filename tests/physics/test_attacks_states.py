"""Tokens and states that nobody made honestly: an answer that loses no cube, or one line; never anything else."""

import base64
import hashlib
import re
import time
import zlib
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from functools import reduce
from itertools import product
from operator import getitem
from typing import Any, cast

import numpy as np
import pytest
from support.attacks import places
from support.cases import each_case
from support.touches import conserved, plain, pressing, unpacked

from tests.support.towers import RULEBOOK
from tower_sim.apparatus import load
from tower_sim.drops import DropModel, redo, until_landed
from tower_sim.errors import UsageError
from tower_sim.models import open_model
from tower_sim.physics import PhysicsSettings
from tower_sim.physics.core.drop import MOST_OVERLAP
from tower_sim.simulator import PhysicsModel
from tower_sim.surrogate import ShipSurrogate
from tower_sim.tools import pack
from tower_sim.values import BoardState, Cube, Event, Pose, Resident, Status, TowerState, supply
from tower_sim.values.state import TOKEN_PREFIX

SHIPPED, SHAPE, SHIP = load("amerigo"), load(RULEBOOK), load("dead_reckoning")
EDGE = SHIPPED.cube_edge
LONGEST = 1000  # characters of an error
ODD: list[Any] = [
    None, True, False, 0, 1, 2, 3, 7, 98, 99, -1, 2**53, 10**59, 0.0, 0.5, -1.0, 1e308, EDGE, "", "x", "red",
    "drop", "knock", "take", "place", "tower", "upper_floor", "lower_floor", "zone:choice", "border", "table", [], {},
    [[]], [0, "red", EDGE], [None] * 5, {"a": 1},
]  # fmt: skip


def rng(*number: int) -> np.random.Generator:
    return np.random.default_rng([12, *number])


def chain(model: DropModel, drops: int, *, first: int = 20, seed: int = 0) -> TowerState:
    state = model.empty()
    for i in range(drops):
        cubes = supply({"red": first if i == 0 else 2, "blue": 2}, model.cube_edge, first_id=state.next_id)
        state = model.drop(state, cubes, rng(seed, i)).state
    return state


def attempt(call: Callable[..., Any], *arguments: Any) -> Any:
    """Call, for 5 s of this process at most; return what comes, also a UsageError, which is one short line."""
    begun = time.process_time()
    try:
        answer = call(*arguments)
    except UsageError as error:
        answer = error
    assert time.process_time() - begun < 5
    assert not isinstance(answer, UsageError) or ("\n" not in str(answer) and len(str(answer)) < LONGEST)
    return answer


def assert_refused(reason: str, call: Callable[..., Any], *arguments: Any) -> None:
    error = attempt(call, *arguments)
    assert isinstance(error, UsageError)
    assert re.search(reason, str(error)), str(error)


def seal(packed: bytes) -> str:
    text = base64.urlsafe_b64encode(zlib.compress(packed, 1)).decode().rstrip("=")
    return f"{TOKEN_PREFIX}.{text}.{hashlib.sha256(f'{TOKEN_PREFIX}.{text}'.encode()).hexdigest()[:16]}"


def mutate(token: str, random: np.random.Generator) -> str:
    """Change some of a token's characters, its bytes or its JSON; the digest is right in two of three."""
    raw = bytearray(unpacked(token), "utf-8")
    kind = int(random.integers(6))
    if kind < 2:
        text = list(token)
        for _ in range(int(random.integers(1, 4))):
            code = random.choice([0, 10, 46, 65, 95, 127, 233, 0xDC80, 0x1F600])
            text[int(random.integers(len(text)))] = chr(int(code))
        return "".join(text)
    for _ in range(int(random.integers(1, 5))):
        at = int(random.integers(len(raw)))
        if kind == 2:
            raw[at] = int(random.integers(256))
        elif kind == 3:
            raw[at : at + int(random.integers(1, 20))] = b""
        else:
            piece = str(random.choice(["[", "]", "{", ",", '"', "1e999", "-", "NaN", "9" * 70, "null"]))
            raw[at:at] = piece.encode()
    if kind == 5:
        raw = raw[: int(random.integers(len(raw)))]
    return seal(bytes(raw))


def test_10_000_mutated_tokens_are_read_or_refused_in_one_line():
    random, refused = rng(1), 0
    with open_model(SHIPPED, "surrogate") as model:
        token = chain(model, 3).token()
        for _ in range(10_000):
            state = attempt(TowerState.from_token, mutate(token, random))
            assert isinstance(state, (TowerState, UsageError))
            refused += isinstance(state, UsageError)
            if isinstance(state, TowerState):
                outcome = attempt(model.drop, state, (), rng(2))
                assert isinstance(outcome, UsageError) or conserved(state, outcome)
    assert 8_000 < refused < 10_000


BODIES = {
    "nothing": b"",
    "no JSON": b"\xff\xfe",
    "deep": b"[" * 100_000 + b"]" * 100_000,
    "deep in a table": b'{"residents":' + b"[" * 50_000 + b"]" * 50_000 + b"}",
    "a list": b"[]",
    "a number": b"7",
    "empty": b"{}",
    "ten million brackets": b"[" + b"[]," * 5_000_000 + b"[]]",
    "a long number": b'{"residents": ' + b"9" * 100_000 + b"}",
    "infinity": b'{"residents": [[0, "red", 1e999, "tower", 0]], "log": [], "board": [], "model": "", "apparatus": ""}',
}


@each_case("what", BODIES)
def test_a_token_with_another_body_is_refused_in_one_line(what: str):
    assert_refused("", TowerState.from_token, seal(BODIES[what]))


EMPTY = {"model": "", "apparatus": "", "digest": "", "residents": [], "log": [], "board": [], "touches": []}
RNG = "a" * 32 + ":" + "b" * 32 + ":"
CROWDS: dict[str, tuple[dict[str, Any], str]] = {
    "1,300,000 touches": ({"touches": [[0, 0]] * 1_300_000}, "unpacks to some 3900010 values; allowed are up to"),
    "450,000 residents": ({"residents": [[0, "", 0, "", 0]] * 450_000}, "unpacks to some 2700010 values"),
    "3,000,000 numbers": ({"log": [["drop", "", [], [1] * 3_000_000, 0, ""]]}, "unpacks to some 30000"),
    "10,001 residents": ({"residents": [[0, "", 0, "", 0]] * 10_001}, "it has 10001 cubes inside; allowed are up to"),
    "10,001 on a board": ({"board": [[0, "", 0, "", 0]] * 10_001}, "it has 10001 cubes on its board"),
    "60,000 events": ({"log": [["drop", RNG, [], [], 0.0, ""]] * 60_000}, "it has 60000 events in its past; allowed"),
    "32,001 touches": ({"touches": [[0, -1, 0, 0, 0]] * 32_001}, "it has 32001 touches; allowed are up to 32000"),
    "a throw of 10,001": ({"log": [["drop", "", [[0, "", 0]] * 10_001, [], 0, ""]]}, "an event of more than 10000 cu"),
    "10,001 that came out": ({"log": [["drop", "", [], [0] * 10_001, 0, ""]]}, "an event of more than 10000 cubes"),
    "a long word": ({"model": "x" * 8_000_000}, "unpacks to more than 8000000 bytes; allowed are up to 8000000 bytes"),
}


@each_case("what", CROWDS)
def test_a_token_that_unpacks_to_more_than_a_state_holds_is_refused_before_it_is_read(what: str):
    fields, reason = CROWDS[what]
    token = pack(TOKEN_PREFIX, EMPTY | fields)
    assert len(token) < 40_000
    assert_refused(reason, TowerState.from_token, token)


def test_the_longest_past_that_a_token_may_hold_is_read_and_goes_on():
    with open_model(SHIPPED, "surrogate") as model:
        start = model.empty()
        for cubes, drops in ((1, 50_000), (10_000, 1)):
            thrown = supply({"red": cubes}, EDGE)
            emerged = () if drops == 1 else tuple(range(cubes))
            region = cast("Any", model).table.regions[0]
            inside = tuple(Resident(cube, region, 0) for cube in thrown if drops == 1)
            state = replace(start, residents=inside, log=(Event("drop", RNG, thrown, emerged),) * drops)
            assert TowerState.from_token(state.token()) == state
            assert len(model.drop(state, (), rng(1)).state.log) == drops + 1


def test_taking_ten_thousand_cubes_by_hand_takes_as_long_as_they_are_many():
    cubes = supply({"red": 10_000}, EDGE)
    state = TowerState("", "", "", tuple(Resident(cube, "tower", 0) for cube in cubes))
    assert attempt(state.take, cubes).residents == ()


def craft(state: TowerState, random: np.random.Generator) -> str:
    """Return its token with one to three values nudged, exchanged, repeated or left out, most for alike ones."""
    document = plain(state)
    for _ in range(int(random.choice([1, 1, 1, 2, 3]))):
        values = [(way, reduce(getitem, way, document)) for way in places(document)]
        (*way, last), value = values[int(random.integers(len(values)))]
        holder = reduce(getitem, way, document)
        kind = int(random.integers(10))
        if kind < 3 and isinstance(value, (int, float)):
            holder[last] = value + type(value)(random.choice([-1, 1, 2, 40, 1e-3, -1e-3, 0.02]))
        elif kind < 5 and isinstance(holder, list) and isinstance(value, list):
            holder.insert(int(last), deepcopy(value))
        elif kind < 6 and isinstance(holder, list) and isinstance(value, list):
            del holder[last]
        elif kind < 9:
            alike = [other for _, other in values if type(other) is type(value)]
            holder[last] = deepcopy(alike[int(random.integers(len(alike)))])
        else:
            holder[last] = deepcopy(ODD[int(random.integers(len(ODD)))])
    return pack(TOKEN_PREFIX, document)


def attack(model: DropModel, start: TowerState, count: int, *, replays: bool = True) -> int:
    """Throw nothing into `count` crafted states that can be read, and return how many of them were refused."""
    random, read, refused = rng(3), 0, 0
    while read < count:
        state = attempt(TowerState.from_token, craft(start, random))
        if not isinstance(state, TowerState):
            continue
        read += 1
        outcome = attempt(model.drop, state, (), rng(4))
        refused += isinstance(outcome, UsageError)
        if not isinstance(outcome, UsageError):
            assert not outcome.status.is_landing or conserved(state, outcome), plain(state)
            assert TowerState.from_token(state.token()) == state
        if replays and read % 10 == 0:
            attempt(redo, model, state)
    return refused


@pytest.mark.parametrize("number", [800, pytest.param(4_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", ["surrogate", "two_thirds"])
def test_crafted_states_of_a_model_without_physics_are_refused_or_lose_no_cube(name: str, number: int):
    with open_model(SHIPPED, name) as model:
        start = chain(model, 4)
        assert start.residents
        assert number / 20 < attack(model, start, number) < number


@pytest.mark.parametrize("number", [500, pytest.param(2_000, marks=pytest.mark.slow)])
def test_crafted_boards_without_physics_are_refused_or_lose_no_cube(number: int):
    with open_model(SHIP, "surrogate") as model:
        assert isinstance(model, ShipSurrogate)
        start = chain(model, 2, first=6)
        start = model.place(start, start.board.cubes[0], "choice", rng(4)).state.take(start.board.cubes[1:3])
        assert number / 20 < attack(model, start, number) < number


@pytest.mark.parametrize("shape", [SHAPE, SHIP], ids=["tower", "ship"])
def test_300_crafted_states_of_physics_are_refused_or_lose_no_cube(shape: Any):
    with PhysicsModel(shape) as model:
        start = pressing(chain(model, 2, first=25 if shape is SHAPE else 5), shape)
        assert start.touches
        assert 15 < attack(model, start, 300, replays=False) < 300


@pytest.fixture(name="full", scope="module")
def _full(model: PhysicsModel) -> TowerState:
    cubes = supply({"red": 40, "blue": 2}, model.cube_edge)
    state = until_landed(lambda drawn: model.drop(model.empty(), cubes, drawn), np.random.SeedSequence(12)).state
    assert len(state.residents) >= 5
    return state


def edit(resident: Resident, **fields: Any) -> Resident:
    cube, pose = ({key: fields.pop(key) for key in keys if key in fields} for keys in (CUBE, POSE))
    assert resident.pose is not None
    inner = {"cube": replace(resident.cube, **cube), "pose": replace(resident.pose, **pose)}
    return replace(resident, **(inner | fields))


def change(state: TowerState, **fields: Any) -> TowerState:
    return replace(state, residents=(edit(state.residents[0], **fields), *state.residents[1:]))


def change_log(state: TowerState, **fields: Any) -> TowerState:
    return replace(state, log=(replace(state.log[0], **fields), *state.log[1:]))


def heap(state: TowerState, number: int, step: float) -> TowerState:
    first = state.residents[0]
    x, y, z = first.pose.position if first.pose else (0.0, 0.0, 0.0)
    cubes = supply({"red": number}, first.cube.edge)
    inside = tuple(edit(first, cube=cube, position=(x, y, z + i * step)) for i, cube in enumerate(cubes))
    return replace(state, residents=inside, log=(Event("drop", "", cubes, ()),))


CUBE, POSE = ("id", "colour", "edge"), ("position", "orientation")


NAN, INF = float("nan"), float("inf")
ATTACKS: dict[str, tuple[Callable[[TowerState], TowerState], str]] = {
    "100 cubes at one pose": (lambda s: heap(s, 100, 0.0), "deep in another"),
    "100 cubes hardly apart": (lambda s: heap(s, 100, 0.00005), "deep in another"),
    "501 cubes": (lambda s: heap(s, 501, 0.01), "number of cubes in the state is 501; allowed is up to 500"),
    "a cube twice": (lambda s: replace(s, residents=(*s.residents, s.residents[0])), "a cube twice"),
    "a number twice": (lambda s: change(s, id=s.residents[1].cube.id), "a cube twice"),
    "a negative number": (lambda s: change(s, id=-1), "number .id. of a cube is -1"),
    "a number beyond JSON": (lambda s: change(s, id=2**53), "number .id. of a cube"),
    "an edge": (lambda s: change(s, edge=0.009), "edge 9 mm; allowed is this apparatus's 8.547 mm"),
    "a huge edge": (lambda s: change(s, edge=10**400), "edge"),
    "no edge": (lambda s: change(s, edge=NAN), "edge nan mm"),
    "an unknown region": (lambda s: change(s, region="attic"), "region of cube .* is 'attic'; allowed is one of"),
    "a region that is none": (lambda s: change(s, region=None), "region of a cube of the state is nothing"),
    "since the 99th drop": (
        lambda s: change(s, since=99),
        "since drop 99, of 1 in its past",
    ),
    "since for ever": (lambda s: change(s, since=INF), "since of a cube of the state is inf"),
    "before the first drop": (lambda s: change(s, since=-1), "since drop -1"),
    "no pose": (lambda s: change(s, pose=None), "no pose for cube"),
    "nowhere": (lambda s: change(s, position=(NAN, 0.0, 0.1)), "position of a cube"),
    "far away": (lambda s: change(s, position=(0.0, INF, 0.1)), "position of a cube"),
    "in a wall": (lambda s: change(s, position=(0.0, 0.0299, 0.09)), "deep in another or in a part"),
    "two numbers": (lambda s: change(s, position=(0.0, 0.1)), "7 numbers"),
    "a word": (lambda s: change(s, position=("a", 0.0, 0.1)), "7 numbers"),
    "a long quaternion": (lambda s: change(s, orientation=(0.0, 0.0, 0.0, 1.1)), "unit quaternion"),
    "no quaternion": (lambda s: change(s, orientation=(0.0, 0.0, 0.0, 0.0)), "unit quaternion"),
    "nan as quaternion": (lambda s: change(s, orientation=(NAN, 0.0, 0.0, 1.0)), "unit quaternion"),
    "a strength of nan": (lambda s: change_log(s, strength=NAN), "strength of an event"),
    "a list of cubes": (lambda s: replace(s, residents=list(s.residents)), "residents of state"),
    "no cubes": (lambda s: replace(s, residents=(None,)), "a cube of the state is nothing"),
    "no board": (lambda s: replace(s, board=None), "board of state is nothing"),
    "a board": (lambda s: replace(s, residents=(), board=BoardState(s.residents)), "on a board, which 'rulebook' has"),
}


@each_case("what", ATTACKS)
def test_a_damaged_state_is_refused_before_any_physics(model: PhysicsModel, full: TowerState, what: str):
    attack, reason = ATTACKS[what]
    before = model.effort
    assert_refused(reason, model.drop, attack(full), (), rng(1))
    assert_refused(reason, model.knock, attack(full), 1.0, rng(1))
    assert model.effort == before


def test_boards_with_wrong_contents_are_refused_before_any_physics():
    with PhysicsModel(SHIP) as model:
        state = chain(model, 1, first=6)
        first, second, *_ = state.board.lying
        for fields, reason in (
            ({"region": "zone:moon"}, "region of cube"),
            ({"region": "tray"}, "region of cube"),
            ({"since": 3}, "since drop 3, of 1"),
            ({"pose": None}, "no pose"),
            ({"pose": second.pose}, "deep in another"),
        ):
            board = state.board.placed(edit(first, **fields))
            assert_refused(reason, model.drop, replace(state, board=board), (), rng(1))
        assert state.board.placed(first).lying  # and the state itself is fine
        assert conserved(state, model.drop(TowerState.from_token(state.token()), (), rng(1)))


def test_states_that_physics_leaves_pass_its_door_also_those_of_jams():
    """Of tower and ship, settled and stopped by the clock, knocked and taken from, each through its token."""
    passed = dict.fromkeys(Status, 0)
    for shape, stopped in product((SHAPE, SHIP), (False, True)):
        with PhysicsModel(shape, PhysicsSettings(longest=2.5, quiet_time=2.4) if stopped else None) as model:
            for seed in range(4 if stopped else 2):
                state, left = model.empty(), supply({"red": 12 if shape is SHIP or stopped else 49}, model.cube_edge)
                for drop in range(3):
                    outcome = model.drop(state, left, rng(seed, drop))
                    if not outcome.status.is_landing:
                        break
                    passed[outcome.status] += 1
                    state = TowerState.from_token(outcome.state.token())
                    left = [cube for cube in outcome.emerged if shape is not SHIP][:9]
                    if shape is SHIP:
                        state = state.take(state.board.cubes[::3])
                    if drop == 1:
                        state = TowerState.from_token(model.knock(state, 1.0, rng(seed)).state.token())
    assert passed[Status.SETTLED] >= 10
    assert passed[Status.JAMMED] >= 8, passed


COARSE = {"timestep": 1 / 250, "step_travel": 0.25, "passed_travel": 0.25}
# Drops that end with a cube too deep in a part, if nobody looks: profile, cubes, seconds between two, seed, settings
TOO_DEEP: dict[str, tuple[str, int, float, int, dict[str, Any]]] = {
    "cut short": ("dead_reckoning", 30, 0.05, 228, COARSE | {"quiet_time": 1.9, "longest": 2.0, "creep": 1.0}),
    "parted slowly in the ship": ("dead_reckoning", 30, 0.0, 48, COARSE | {"relaxation": 1.0}),
    "parted slowly in the tower": (RULEBOOK, 49, 0.0, 22, COARSE | {"relaxation": 1.0}),
    "soon asleep": ("dead_reckoning", 30, 0.0, 29, COARSE | {"quiet_time": 0.01}),
}


@each_case("how", TOO_DEEP)
def test_physics_leaves_no_state_that_its_door_refuses(how: str):
    """What is too deep when all sleep is given more time, in which it is parted; when time is up it is no landing."""
    name, number, interval, seed, settings = TOO_DEEP[how]
    shape = load(name)
    shape = replace(shape, hand=replace(shape.hand, rate=1 / interval if interval else shape.hand.rate))
    with PhysicsModel(shape, PhysicsSettings(engine="core", **settings)) as model:
        outcome = model.drop(model.empty(), supply({"red": number}, model.cube_edge), np.random.default_rng(seed))
        assert outcome.status is (Status.TIMED_OUT if how == "cut short" else Status.SETTLED)
        again = model.drop(TowerState.from_token(outcome.state.token()), (), rng(1))
        assert conserved(outcome.state, again)


def test_cubes_may_overlap_by_no_more_than_the_bound(model: PhysicsModel):
    """Two cubes stacked in the funnel: with 0.9 of the bound they pass, with 1.1 they do not."""
    flat = Pose((0.0, 0.04, 0.21), (0.0, 0.0, 0.0, 1.0))
    lowest = replace(model.empty(), residents=(Resident(Cube(0, "red", model.cube_edge), "funnel", 0, flat),))
    state = heap(lowest, 2, model.cube_edge * (1 - 0.9 * MOST_OVERLAP))
    assert conserved(state, model.drop(state, (), rng(1)))
    deeper = heap(lowest, 2, model.cube_edge * (1 - 1.1 * MOST_OVERLAP))
    assert_refused("deep in another", model.drop, deeper, (), rng(1))


def test_a_log_that_places_no_cube_or_two_is_not_replayed():
    with open_model(SHIP, "surrogate") as model:
        assert isinstance(model, ShipSurrogate)
        state = chain(model, 1, first=2)
        one, other = state.board.cubes[:2]
        for cubes in ((), (one, other)):
            wrong = replace(state, log=(*state.log, Event("place", state.log[0].rng, cubes, (), place="choice")))
            assert_refused("placed at once in its log is [02]; allowed is 1", redo, model, wrong)

"""Physics in JavaScript (tower_sim/web/src/physics): what it does is what Python does, byte for byte."""

import json
import random
import zlib
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.support.chains import chains, profiles
from tests.support.hulls import pegged
from tests.support.node import answered, needs_node
from tower_sim.apparatus import Apparatus, load
from tower_sim.errors import UsageError
from tower_sim.physics import PhysicsSettings, accuracy, document
from tower_sim.physics.core.machine import CORE
from tower_sim.tools import pack
from tower_sim.web.page import DIGESTS

SUPPORT = Path(__file__).parents[1] / "support"
BUILT = DIGESTS.parent / "physics-index.js"
JAMS = PhysicsSettings(quiet_time=1.9, longest=2.0, creep=1.0)
"""No cube is quiet for long enough, so that a drop ends when its time is up: cubes that lie still are jammed."""
TOO_SHORT = PhysicsSettings(quiet_time=0.5, longest=0.6, creep=0.001)
BY_STATUS = {"jammed": JAMS, "timed_out": TOO_SHORT, "settled": accuracy("core", "fast")}
PRINTED = Path(__file__).parents[2] / "docs/printed/pegs.toml"
by_node = [pytest.mark.slow, needs_node]


def steps_by_node(steps: int, settings: PhysicsSettings | None = None, *shapes: Apparatus) -> tuple[Any, list[str]]:
    """Repeat steps of random chains in JavaScript; return what differs and how many were done, and Python's lines."""
    many = [asdict(chain) for chain in chains(steps, settings=settings, shapes=shapes)]
    request = {"physics": str(BUILT), "core": str(CORE.path), "profiles": profiles(settings, shapes), "chains": many}
    lines = [step.get("line", "") for chain in many for step in chain["steps"]]
    return answered(SUPPORT / "physics_ask.mjs", given=request), lines


def parts_by_node(**request: Any) -> Any:
    return answered(SUPPORT / "physics_parts.mjs", given={"physics": str(BUILT), **request})


def test_only_settings_of_the_core_and_kinds_that_say_where_cubes_are_can_be_data():
    with pytest.raises(UsageError, match="settings are of the engine bullet; allowed is the core"):
        document(load("amerigo"), PhysicsSettings(engine="bullet"))
    fast = document(load("amerigo"), accuracy("core", "fast"))
    assert fast["settings"]["timestep"] == 1 / 500
    assert fast["digest"] != document(load("amerigo"))["digest"]


@pytest.mark.parametrize(
    ("steps", "least", "shapes"),
    [
        pytest.param(100, 95, list[Apparatus], marks=by_node, id="of all profiles"),
        pytest.param(20, 15, lambda: [load(PRINTED)], marks=by_node, id="through a printed tower"),
        # some 70 pairs a cube: more than there is room for at first
        pytest.param(10, 0, lambda: [pegged("amerigo", 2000)], marks=by_node, id="over two thousand prisms"),
        pytest.param(1000, 0, list[Apparatus], marks=[pytest.mark.long, needs_node], id="a thousand"),
    ],
)
def test_steps_of_random_chains_are_pythons(steps: int, least: int, shapes: Callable[[], list[Apparatus]]):
    answer, _ = steps_by_node(steps, None, *shapes())
    assert answer["differ"] == []
    assert answer["steps"] >= least  # refused ones among them
    assert answer["windows"] > 1000 or steps < 100  # of the steps that went window by window


@pytest.mark.slow
@needs_node
@pytest.mark.parametrize("status", BY_STATUS)
def test_drops_that_jam_or_end_before_rest_and_other_settings_are_pythons(status: str):
    answer, lines = steps_by_node(15, BY_STATUS[status])
    assert answer["differ"] == []
    assert any(f'"status": "{status}"' in line for line in lines)


@pytest.mark.slow
@needs_node
def test_packing_is_that_of_zlib_and_unpacking_undoes_it():
    draw = random.Random(1)
    texts = ["", "a", "abc", "a" * 1000, "".join(draw.choice("0123456789.-e,[]") for _ in range(90_000))]
    texts += [json.dumps([[draw.randrange(50), "blue", draw.random()] for _ in range(n)]) for n in (3, 40, 4000)]
    a, b, rare = 1, 1, ""
    for k in range(21):  # how often as Fibonacci's numbers: codes of more than 15 bits, which are made shorter
        rare, a, b = rare + chr(40 + k) * a, b, a + b
    texts.append("".join(draw.sample(rare, len(rare))))
    packed = parts_by_node(texts=texts)
    assert [bytes.fromhex(each) for each in packed["packed"]] == [zlib.compress(text.encode(), 9) for text in texts]
    assert packed["same"] == [True] * len(texts)


@pytest.mark.slow
@needs_node
def test_numbers_and_words_are_written_as_python_writes_them():
    draw = np.random.default_rng(2)
    numbers = [float(x) for x in draw.normal(size=200) * 10.0 ** draw.integers(-25, 25, 200)]
    numbers += [0.0, -0.0, 1.0, 1e15, 1e16, 123456789012345680.0, 1e-4, 9.999e-5, 5e-324, 1.7976931348623157e308]
    words = ["", "plain", 'a "quote"', "back\\slash", "ünïcode", "\x7f", "😀", "\t\n\x01"]
    answer = parts_by_node(numbers=numbers, words=words)
    assert answer["numbers"] == [repr(x) for x in numbers]
    assert answer["words"] == [json.dumps(word) for word in words]


@pytest.mark.slow
@needs_node
def test_a_seed_or_key_that_javascript_would_round_or_cut_is_refused():
    words, seeds = "a whole number from 0 to 2^32 - 1", "a whole number from 0 to 2^128 - 1, or its text"
    wrong: list[tuple[Any, list[Any], str]] = [
        ("7", [0, 2**32], f"key[1] is 4294967296; allowed is {words}"),
        ("7", [-1], f"key[0] is -1; allowed is {words}"),
        ("7", [0.5], f"key[0] is 0.5; allowed is {words}"),
        (2**53, [], f"seed is 9007199254740992; allowed is {seeds}"),
        (-1, [], f"seed is -1; allowed is {seeds}"),
        (str(2**128), [], f'seed is "{2**128}"; allowed is {seeds}'),
    ]
    right = [("7", [2**32 - 1]), (2**53 - 1, []), (str(2**128 - 1), [0, 1])]
    drawn = parts_by_node(draws=[*right, *((seed, key) for seed, key, _ in wrong)])["drawn"]
    expected: list[str] = []
    for seed, key in right:
        state = np.random.PCG64(np.random.SeedSequence(int(seed), spawn_key=key)).state["state"]
        expected.append(f"{state['state']:x}:{state['inc']:x}:")
    assert drawn == [*expected, *(line for _, _, line in wrong)]


@pytest.mark.slow
@needs_node
def test_what_python_refuses_is_refused_and_the_field_is_named():
    from tower_sim.simulator import PhysicsModel
    from tower_sim.values import Cube, TowerState

    model, ship = PhysicsModel(load("amerigo")), PhysicsModel(load("dead_reckoning"))
    rng = np.random.default_rng
    cubes = tuple(Cube(i, "blue", model.cube_edge) for i in range(40))
    good = model.drop(model.empty(), cubes, rng(1)).state
    assert good.residents
    plain = good.to_plain()
    first = plain["residents"][0]
    rest = plain["residents"][1:]
    too_deep = [[*first[:5], *row[5:]] for row in rest[:1]]
    forged: list[tuple[str, Any]] = [
        ("state", plain | {"digest": "0" * 16}),
        ("state", plain | {"digest": PhysicsModel(load("amerigo"), accuracy("core", "fast")).empty().digest}),
        ("state", plain | {"model": "surrogate"}),
        ("state.residents", plain | {"residents": [[*first[:3], "attic", *first[4:]], *rest]}),
        ("state.residents", plain | {"residents": [*too_deep, *rest]}),
        ("state.residents", plain | {"residents": [[*first[:5], *(11.0, 0.0, 0.0), *first[8:]], *rest]}),
        ("state.residents", plain | {"residents": [[*first[:8], 1.0, 1.0, 0.0, 0.0], *rest]}),
        ("state.residents", plain | {"residents": [first[:5], *rest]}),
        ("state.residents", plain | {"residents": [first, *plain["residents"]]}),
        ("state.residents", plain | {"log": []}),
        ("state.board", plain | {"board": plain["residents"]}),
        ("state.touches", plain | {"touches": [[first[0], -1, 1, 2]]}),
        ("state.touches", plain | {"touches": [[first[0], -1, 1, 2, 10**15 + 1]]}),
        ("token", plain | {"touches": [[first[0], -1, 1]] * 32_001}),
        ("token", plain | {"residents": [first[:7], *rest]}),
        ("token", plain | {"apparatus": 3}),
        ("token", plain | {"residents": [[first[0], "bl\nue", *first[2:]]]}),
        ("token", "[" * 9_000_000),
        ("token", [0] * 3_000_000),
    ]
    tokens = ("", "TOWER2.a.b", "ümlaut", good.token()[:-1] + "x", "TOWER3..e3b0c44298fc1c14")
    steps: list[tuple[str, dict[str, Any]]] = [("token", {"token": token}) for token in tokens]
    steps += [(path, {"token": pack("TOWER3", each)}) for path, each in forged]
    thrown = [
        ("cubes.id", [[-1, "blue"]]), ("cubes.id", [[0.5, "blue"]]), ("cubes.id", [[2**53, "blue"]]),
        ("cubes.colour", [[1, "bl\tue"]]), ("cubes.colour", [[1, 7]]), ("cubes.edge", [[1, "blue", 0.008]]),
        ("cubes", [[0, "blue"], [0, "red"]]), ("cubes", [[i, "blue"] for i in range(1000, 1501)]),
        ("cubes", [[good.residents[0].cube.id, "blue"]]),
    ]  # fmt: skip
    steps += [(path, {"cubes": each}) for path, each in thrown]
    steps += [("strength", {"strength": each}) for each in (-1.0, 5.5, 1e300)]
    steps += [("zone", {"zone": each}) for each in ("nowhere", "zone_A", ship.board.zones[0].name[:-1] + "q")]
    turn, still = [0.0, 0.0, 0.0, 1.0], [0.0] * 6
    top = [0.0, 0.0, model.shape.rim_top + 0.02]
    steps += [
        (path, {"hand": rows})
        for path, rows in (
            ("launches", []),
            ("launches", [[0.0, *top, *turn]]),
            ("launches.windows", [[0.5, *top, *turn, *still]]),
            ("launches.windows", [[13_000, *top, *turn, *still]]),
            ("launches.windows", [[5, *top, *turn, *still], [4, *top, *turn, *still]]),
            ("launches.pose", [[0, *top, 1.0, 1.0, 0.0, 0.0, *still]]),
            ("launches.pose", [[0, 0.9, *top[1:], *turn, *still]]),
            ("launches.pose", [[0, *top, *turn, *still], [0, *top, *turn, *still]]),
            ("launches.velocity", [[0, *top, *turn, 11.0, *still[1:]]]),
        )
    ]

    edge, red = model.cube_edge, Cube(0, "red", ship.cube_edge)
    calls: dict[str, Callable[[Any], object]] = {
        "token": lambda token: model.knock(TowerState.from_token(token), 0.0, rng(1)),
        "cubes": lambda rows: model.drop(good, [Cube(*row, *[edge] * (3 - len(row))) for row in rows], rng(1)),
        "strength": lambda strength: model.knock(good, strength, rng(1)),
        "zone": lambda zone: ship.place(ship.empty(), red, zone, rng(1)),
        "hand": lambda rows: model.throw_by_hand(good, [Cube(100 + i, "red", edge) for i in range(len(rows))], rows),
    }
    for _, step in steps:
        for kind, value in step.items():
            with pytest.raises(UsageError):
                calls[kind](value)
    request = {"core": str(CORE.path), "profiles": profiles(), "state": good.token()}
    messages = parts_by_node(**request, steps=[step for _, step in steps])["refused"]
    assert [path for path, _ in messages] == [path for path, _ in steps]
    for path, message in messages:
        assert message.startswith(f"{path} ")
        assert "; allowed is " in message
        assert message.isprintable()
        assert len(message) < 300

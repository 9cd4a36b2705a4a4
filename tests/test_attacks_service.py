"""Lines that somebody sends to the service: each is answered by one line, an answer or an error, whatever it is."""

from __future__ import annotations

import io
import json
import os
import random
import re
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
from support.attacks import garbled, mutated

from tower_sim.apparatus.parts import Apparatus
from tower_sim.contract import DropModel
from tower_sim.errors import UsageError
from tower_sim.models import open_model
from tower_sim.physics.settings import PhysicsSettings
from tower_sim.service import Opened, parsing, serve

NUMBER = 5000
LONGEST = 5.0  # seconds of this process
CUBES = {"blue": 4, "red": 2}
RULES = {"colours": ["red", "blue"], "phases": ["red"], "cubes": 3, "rounds": 1, "substitute": "", "name": "mine"}
VALID: list[dict[str, Any]] = [
    {"do": "hello", "id": 1},
    {"id": "a", "do": "drop", "cubes": CUBES, "seed": 7, "model": "two_thirds", "apparatus": "amerigo"},
    {
        "id": "b",
        "do": "drop",
        "cubes": CUBES,
        "seed": "8",
        "model": "surrogate",
        "state": None,
        "knock": None,
        "engine": None,
    },
    {"id": "c", "do": "drop", "cubes": {"purple": 6}, "model": "surrogate", "apparatus": "dead_reckoning"},
    {"id": ["d"], "do": "game", "rules": RULES, "rounds": 2, "model": "two_thirds", "seed": 3},
    {"id": None, "do": "game", "rules": "amerigo", "rounds": 1, "model": "surrogate", "seed": 3},
    {
        "id": {"e": 1},
        "do": "battle",
        "apparatus": "dead_reckoning",
        "model": "surrogate",
        "cubes": {"purple": 4, "green": 3},
        "kind": "ship",
        "active": "green",
        "abilities": {"green": ["throw:2", "move"], "purple": ["take_off:1:2", "strength:1", "win_bonus:0:1:0"]},
        "rulings": {"left_board": "lost", "stuck": "shaken"},
        "sides": {"green": {"supply": 10, "damage": 1, "pirate": True}},
        "games": 2,
        "seed": 5,
    },
    {"id": 9, "do": "battle", "model": "surrogate", "cubes": {"purple": 2, "black": 3}, "kind": "merchant", "seed": 1},
    {"id": 11, "do": "play", "game": "amerigo", "rules": RULES | {"knocks": {}}, "model": "surrogate", "seed": 1},
    {"id": 12, "do": "play", "game": "dead_reckoning", "rules": {"cubes": {"a": 2, "b": 3}}, "model": "surrogate"},
    {"id": 13, "do": "play", "game": "chain", "rules": {"drops": 3}, "apparatus": "amerigo", "model": "two_thirds"},
    {"id": 10, "do": "battle", "model": "surrogate", "cubes": {"a": 2, "b": 3}, "kind": "tie_break", "seed": 1},
]


def cheap(apparatus: Apparatus, name: str, settings: PhysicsSettings | None) -> AbstractContextManager[DropModel]:
    """Any model but physics, whose drops take seconds."""
    if name == "physics":
        raise UsageError("model is 'physics'; allowed is a fast one here; take it")
    return open_model(apparatus, name, settings)


def lines(states: list[str]) -> Iterator[bytes]:
    """Requests with values changed, with characters changed, and other JSON and bytes."""
    rng = random.Random(20261122)
    for number in range(NUMBER):
        valid = {**rng.choice(VALID)}
        if valid.get("apparatus") != "dead_reckoning" and rng.random() < 0.3 and valid["do"] == "drop":
            valid["state"] = rng.choice(states)
        kind = number % 10
        if kind == 8:
            text = garbled(json.dumps(valid), rng)
        elif kind == 9:
            text = rng.choice(
                [
                    json.dumps(mutated([valid], rng)),
                    "[" * rng.choice([39, 41, 900, 990, 1000, 5000, 100_000]) + "]" * rng.randrange(1000),
                    '{"id": ' + "[" * (depth := rng.randrange(900, 1000)) + "]" * depth + ', "do": "hello"}',
                    '{"id": "\\ud800", "do": "hello"}',
                    '{"id": "\\udc00\\ud800", "do": "game", "rounds": "\\ud800"}',
                    '{"id": ' + rng.choice(["1e400", "9" * 5000, "NaN", "0" * 90, "1e-400"]) + ', "do": "hello"}',
                    '{"do": "drop", "do": "hello"}',
                    "x" * rng.choice([10, 10_000, 3_000_000]),
                    "\x00\x1b\x7f\u2028",
                ]
            )
        else:
            text = json.dumps(mutated(valid, rng))
        yield text.encode(errors="surrogatepass").replace(b"\n", b" ").replace(b"\r", b" ")
    for _ in range(50):
        yield rng.randbytes(rng.randrange(1, 60)).replace(b"\n", b"")


@pytest.mark.whole
def test_every_line_is_answered_by_one_line_soon(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """Longer work is allowed, and tested for its bounds elsewhere: here a request asks for 20 games at most."""
    monkeypatch.setattr(parsing, "MAX_GAMES", 20)
    monkeypatch.setattr(parsing, "MAX_DROPS", 100)
    replied: Counter[str] = Counter()
    with Opened(cheap) as opened:

        def reply(line: bytes) -> dict[str, Any] | None:
            out = io.BytesIO()
            begun = time.process_time()
            serve(io.BytesIO(line + b"\n"), out, opened)
            assert time.process_time() - begun < LONGEST, line[:500]
            found = out.getvalue()
            assert found.count(b"\n") == (1 if line.strip() else 0)
            return json.loads(found, parse_constant=pytest.fail) if found else None

        states = [str((reply(json.dumps(VALID[i]).encode()) or {})["state"]) for i in (1, 2)]
        for line in lines(states):
            if (found := reply(line)) is not None:
                replied[found["schema"]] += 1
                said = found.get("error", "")
                assert not said.startswith("internal"), line[:500]
                assert len(said) < 800
                assert "\n" not in said
    assert capsys.readouterr().err == ""
    assert sum(replied.values()) > 0.98 * NUMBER
    assert replied["tower-sim/error"] > NUMBER / 2
    assert all(replied[schema] > 100 for schema in ("tower-sim/outcome", "tower-sim/service")), replied


@pytest.mark.posix
def test_files_that_are_none_are_refused_in_one_line(tmp_path: Path):
    os.mkfifo(tmp_path / "pipe.json")
    with Opened() as opened:
        for name in (str(tmp_path / "pipe.json"), "/dev/zero", str(tmp_path), "n" * 300, "a\0b", "/dev/stdin"):
            for field in ("apparatus", "model", "rules"):
                request = {"do": "game", "model": "two_thirds", "rounds": 0, field: name}
                out = io.BytesIO()
                serve(io.BytesIO(json.dumps(request).encode()), out, opened)
                assert re.search("allowed|check its path", json.loads(out.getvalue())["error"])

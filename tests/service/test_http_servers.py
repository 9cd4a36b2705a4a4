"""Any number of servers: the same request has the same answer from each, and one that is killed costs nothing."""

from __future__ import annotations

import http.client
import json
import random
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.network import Running, running

from tower_sim import TowerState

pytestmark = pytest.mark.posix
TABLE = Path(__file__).parents[2] / "docs/clients/table.py"


@pytest.fixture
def two() -> Iterator[list[Running]]:
    with running("--workers", "1") as one, running("--workers", "1") as other:
        yield [one, other]


def bodies(number: int) -> list[dict[str, Any]]:
    rng = random.Random(number)
    models = ["surrogate"] * 9 + ["physics"]
    return [
        {"cubes": {"blue": rng.randint(1, 6)}, "model": rng.choice(models), "seed": str(rng.getrandbits(128))}
        for _ in range(number)
    ]


class Callers:
    """Eight callers, each with a tower of its own: a request begins with the state before it."""

    def __init__(self, servers: list[Running], seed: int) -> None:
        self.answers: list[list[bytes]] = [[] for _ in range(8)]
        self.repeated = 0
        self._servers, self._rng = servers, random.Random(seed)

    def run(self, killed_after: int | None = None) -> None:
        threads = [threading.Thread(target=self._play, args=(caller,)) for caller in range(8)]
        for thread in threads:
            thread.start()
        while killed_after is not None and sum(map(len, self.answers)) < killed_after:
            threads[0].join(0.001)
        if killed_after is not None:
            self._servers[0].process.kill()
        for thread in threads:
            thread.join()

    def _play(self, caller: int) -> None:
        state = None
        for body in bodies(200)[caller::8]:
            answer = self._ask(body | {"state": state if body["model"] == "surrogate" else None})
            self.answers[caller].append(answer)
            state = json.loads(answer)["state"] if body["model"] == "surrogate" else state

    def _ask(self, body: dict[str, Any]) -> bytes:
        servers = self._rng.sample(self._servers, 2)
        for server in servers:
            client = server.client()
            try:
                got = client.post("/v1/drops", body)
            except (OSError, http.client.HTTPException):
                self.repeated += 1
                continue
            finally:
                client.close()
            assert got.status == 200, got
            return got.body
        raise AssertionError("no server answered")


def test_two_servers_give_the_same_bytes_and_one_that_is_killed_costs_nothing(two: list[Running]):
    client, other = (server.client() for server in two)
    asked = bodies(200)
    assert [client.post("/v1/drops", body).body for body in asked] == [
        other.post("/v1/drops", body).body for body in asked
    ]
    whole, broken = Callers(two, 1), Callers(two, 2)
    whole.run()
    broken.run(killed_after=60)
    assert broken.answers == whole.answers
    assert whole.repeated == 0 < broken.repeated
    assert sum(map(len, broken.answers)) == 200


def throw(file: Path, cubes: str, *servers: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, TABLE, file, cubes, *servers], capture_output=True, text=True)


def test_the_example_of_a_table_keeps_its_tower_and_asks_again_what_was_not_answered(tmp_path: Path):
    file = tmp_path / "table.db"
    with running("--workers", "1") as service:
        here, nobody = f"http://127.0.0.1:{service.port}", "http://127.0.0.1:9"
        assert throw(file, "blue=9", here).stdout.startswith('throw 1: out {"blue": ')
        failed = throw(file, "red=4", nobody)
        assert (failed.returncode, failed.stderr) == (1, "No server answers. The throw is kept: run this again.\n")
        done = throw(file, "green=1", nobody, here)  # first the throw that was kept
        assert done.stdout.startswith('throw 2: out {"red": ')
        assert "allowed is" in throw(file, "green=501", here).stderr
        assert throw(file, "green=1", here).stdout.startswith('throw 3: out {"green": ')
    rows = sqlite3.connect(file).execute("SELECT state, answer FROM throws ORDER BY number").fetchall()
    states = [json.loads(answer)["state"] for _, answer in rows]
    assert [state for state, _ in rows] == [None, *states[:2]]
    log = TowerState.from_token(states[2]).log
    assert [[cube.colour for cube in event.thrown] for event in log] == [["blue"] * 9, ["red"] * 4, ["green"]]

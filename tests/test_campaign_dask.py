"""A campaign on a Dask scheduler with real workers: the same files, also when a worker dies."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from support.campaigns import BATTLES, GAMES, tree

from tower_sim.campaign import parse, run, verify
from tower_sim.campaign.dask_engine import task
from tower_sim.campaign.engines import Report, WorkersLost
from tower_sim.campaign.environment import WrongEnvironment, environment
from tower_sim.campaign.spec import Spec
from tower_sim.errors import UsageError

pytestmark = pytest.mark.whole

pytest.importorskip("distributed")
SPEC = parse(BATTLES.replace("battles = 12", "battles = 16").replace("shard = 4", "shard = 2"))
EDGES = """
[campaign]
kind = "chain"
apparatus = "amerigo"
chains = 3
shard = 1
seed = "7"

[chain]
supply = 24
drops = 4
throw = 12

[vary.fields]
profile.cubes.edge_mm = [5, 7, 9]
"""


class Cluster:
    """A scheduler and `workers` with so many `threads`, each a process of its own, started with Dask's commands."""

    def __init__(self, where: Path, workers: int = 2, threads: int = 1) -> None:
        self.file = where / "scheduler.json"
        self.processes: list[subprocess.Popen[bytes]] = []
        self.start("scheduler", "--port", "0", "--no-dashboard", "--no-show")
        while not self.file.exists():
            assert self.processes[0].poll() is None, "the scheduler did not start"
            time.sleep(0.05)
        import json

        self.address: str = json.loads(self.file.read_text())["address"]
        command = ("worker", "--nthreads", str(threads), "--no-nanny", "--no-dashboard")
        self.workers = [self.start(*command) for _ in range(workers)]

    def start(self, *words: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "dask", words[0], "--scheduler-file", str(self.file), *words[1:]]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=self.file.parent)
        self.processes.append(process)
        return process

    def close(self) -> None:
        for process in self.processes:
            process.kill()
            process.wait()


@pytest.fixture(name="lasting", scope="module")
def _lasting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """One worker with two threads, for tests that kill nobody."""
    with closing(Cluster(tmp_path_factory.mktemp("dask"), workers=1, threads=2)) as cluster:
        while sum(_known(cluster).values()) < 2:
            time.sleep(0.05)
        yield cluster


@pytest.fixture(name="serial", scope="module")
def _serial(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What one process makes of SPEC."""
    directory = tmp_path_factory.mktemp("serial") / "out"
    run(SPEC, directory)
    return tree(directory)


class Killer:
    """Kills a process when it hears of the first shard."""

    def __init__(self, victim: subprocess.Popen[bytes]) -> None:
        self.victim = victim
        self.heard = 0

    def begin(self, spec: Spec, to_do: int) -> None:
        assert to_do == spec.shards

    def note(self, report: Report) -> None:
        self.heard += 1
        if self.heard == 1:
            self.victim.kill()


def test_a_worker_killed_in_mid_run_changes_no_file_and_when_the_scheduler_dies_finished_shards_are_kept(
    tmp_path: Path, serial: dict[str, bytes]
):
    later = tmp_path / "later"
    with closing(Cluster(tmp_path)) as cluster:
        while len(_known(cluster)) < 2:
            time.sleep(0.05)
        killer = Killer(cluster.workers[0])
        summary = run(SPEC, tmp_path / "out", dask=cluster.address, progress=killer)
        assert sorted(summary.finished) == list(range(SPEC.shards))
        assert cluster.workers[0].poll() is not None
        assert len(_known(cluster)) == 1
        with pytest.raises(WorkersLost, match="finished shards are kept"):
            run(SPEC, later, dask=cluster.address, progress=Killer(cluster.processes[0]))
    assert verify(tmp_path / "out") == []
    assert tree(tmp_path / "out") == serial
    assert sum(name.startswith("receipts/") for name in tree(later)) >= 1
    run(SPEC, later)
    assert tree(later) == serial


def _known(cluster: Cluster) -> dict[str, int]:
    """How many threads each worker that the scheduler knows has."""
    import distributed

    with distributed.Client(cluster.address, set_as_default=False) as client:
        known: Any = client.nthreads()
    return dict(known)


def test_a_worker_with_two_threads_gives_the_files_of_one_process_although_cubes_of_three_edges_fall_at_once(
    lasting: Cluster, tmp_path: Path
):
    """Before drops of a process waited for each other, some of the nine shards had other cubes in other places."""
    spec = parse(EDGES)
    run(spec, tmp_path / "out", dask=lasting.address)
    run(spec, tmp_path / "serial")
    assert verify(tmp_path / "out") == []
    assert tree(tmp_path / "out") == tree(tmp_path / "serial")


def test_a_cluster_of_our_own_gives_the_same_files(tmp_path: Path):
    spec = parse(GAMES)
    run(spec, tmp_path / "out", workers=2, dask="local")
    run(spec, tmp_path / "serial")
    assert tree(tmp_path / "out") == tree(tmp_path / "serial")


def test_a_worker_of_other_versions_refuses_the_task_and_says_which():
    spec, here = parse(GAMES), environment()
    assert task(spec.canonical, 0, here).shard is not None
    for part, name in (("versions", "numpy"), ("versions", "tower_sim"), ("platform", "machine")):
        other = {**here, part: here[part] | {name: "0.1"}}
        with pytest.raises(WrongEnvironment, match=rf"has {name} .* instead of 0.1; allowed is what the client has"):
            task(spec.canonical, 0, other)


def test_a_refusal_ends_the_run_as_the_callers_mistake(lasting: Cluster):
    from tower_sim.campaign.dask_engine import distributed

    here = environment()
    other = {**here, "versions": here["versions"] | {"scipy": "0.1"}}
    with pytest.raises(UsageError, match="scipy"):
        list(distributed(parse(GAMES), [0, 1], lasting.address, 1, other))


def test_an_address_without_a_scheduler_is_the_callers_mistake(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setattr("tower_sim.campaign.dask_engine._CONNECT", 0.2)
    for address in ("tcp://127.0.0.1:1", "nowhere"):
        with pytest.raises(UsageError, match="no scheduler there"):
            run(parse(GAMES), tmp_path / "out", dask=address)

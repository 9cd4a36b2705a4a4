"""Many processes, Dask, and kills: the dataset is the same as without them, file for file."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
from support.campaigns import BATTLES, DROPS_IN_PHYSICS, GAMES, RUNNING, run_whole, tree
from support.cases import each_case

from tower_sim.campaign import Shard, Spec, parse, run, run_shard, status, verify
from tower_sim.campaign.store import MANIFEST, environment
from tower_sim.errors import UsageError

RUN = """
import sys
import threading
import tower_sim.tools.terminal
from tower_sim.campaign import campaign_run
if __name__ == "__main__":
    tower_sim.tools.terminal.QUIET = float(sys.argv[4])
    status = campaign_run(sys.argv[1], sys.argv[2], int(sys.argv[3]))
    assert "pandas" not in sys.modules  # pyarrow would load it unasked, for half a second
    sys.exit(status)
"""
MANY = GAMES.replace("games = 12", "games = 50").replace("shard = 2", "shard = 1")


class Campaign:
    def __init__(self, where: Path, text: str) -> None:
        self.where, self.file, self.out = where, where / "campaign.toml", where / "out"
        self.file.write_text(text)

    def start(self, workers: int, quiet: float = 2.0, stderr: int = subprocess.PIPE) -> subprocess.Popen[str]:
        command = [sys.executable, "-c", RUN, str(self.file), str(self.out), str(workers), str(quiet)]
        return subprocess.Popen(command, text=True, start_new_session=True, stdout=subprocess.PIPE, stderr=stderr)

    def done(self) -> list[str]:
        path = self.out / MANIFEST
        return path.read_text().split("\n")[1:-1] if path.exists() else []

    def until_a_shard_is_done(self, process: subprocess.Popen[str], more: int = 1) -> None:
        enough = len(self.done()) + more
        while process.poll() is None and len(self.done()) < enough:
            time.sleep(0.002)


SCRIPT = """
from tower_sim.campaign import load, run, verify
print(sorted(run(load("campaign.toml"), "out", 2).finished), verify("out"))
"""


@pytest.mark.slow
@each_case("stdin", [False, True])
def test_a_script_without_a_main_guard_and_standard_input_run_a_campaign(stdin: bool, tmp_path: Path):
    (tmp_path / "campaign.toml").write_text(GAMES)
    (tmp_path / "go.py").write_text(SCRIPT)
    words, text = ([sys.executable, "-"], SCRIPT) if stdin else ([sys.executable, "go.py"], "")
    done = subprocess.run(words, input=text, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "[0, 1, 2, 3, 4, 5] []\n", "")


def has_ended(group: int) -> bool:
    """Whether within 10 minutes, a limit for tests that fail, nobody of the process group is left."""
    for _ in range(6000):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.1)
    return False


@each_case("text", [GAMES, BATTLES.replace("battles = 12", "battles = 6")])
def test_two_processes_give_the_same_files_as_one(text: str, tmp_path: Path):
    spec = parse(text)
    assert sorted(run(spec, tmp_path / "out", 2).finished) == list(range(spec.shards))
    assert tree(tmp_path / "out") == run_whole(text, tmp_path / "whole")


@pytest.mark.slow
@pytest.mark.posix
@pytest.mark.parametrize(
    ("text", "kills", "spread"),
    [
        (MANY, 20, 0.2),  # one and two processes are each killed at any time, and after a shard
        (BATTLES.replace("battles = 12", "battles = 150"), 10, 1.5),
    ],
    ids=["games", "physics"],
)
def test_a_campaign_killed_many_times_ends_as_if_it_had_not_been(text: str, kills: int, spread: float, tmp_path: Path):
    """Its process group is killed at random moments: every third kill at any time, others soon after a shard is done.

    A campaign that ends before all kills are done is compared and begun anew.
    """
    campaign, whole, rng = Campaign(tmp_path, text), run_whole(text, tmp_path / "whole"), random.Random(1)
    directory = done = 0
    while True:
        campaign.out = campaign.where / f"killed_{directory}"
        process = campaign.start(1 + done % 2)
        before = set(campaign.done())
        if done < kills:
            if done % 3:
                campaign.until_a_shard_is_done(process)
            time.sleep(rng.uniform(0, spread))
        else:
            process.wait()
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            done += 1
            assert set(campaign.done()) >= before  # no finished shard is lost
            if (campaign.out / MANIFEST).exists():
                assert all("not done" in problem for problem in verify(campaign.out))
            continue
        assert process.returncode == 0, process.communicate()[1]
        assert verify(campaign.out) == []
        assert tree(campaign.out) == whole
        directory += 1
        if done >= kills:
            break


def interrupt(campaign: Campaign, number: int, workers: int) -> tuple[subprocess.Popen[str], str, str]:
    """Send a signal when three more shards are done; what came to its end before the signal is begun anew."""
    for _ in range(20):
        process = campaign.start(workers)
        campaign.until_a_shard_is_done(process, more=3)
        if process.poll() is None:
            os.killpg(process.pid, number)
        out, error = process.communicate(timeout=600)
        if process.returncode:
            return process, out, error
        shutil.rmtree(campaign.out)
    pytest.fail("each of 20 campaigns came to its end before it could be interrupted")


@pytest.mark.slow
@pytest.mark.posix
def test_interrupted_it_stops_cleanly_says_how_to_go_on_and_goes_on(tmp_path: Path):
    campaign = Campaign(tmp_path, MANY)
    for number, workers in ((signal.SIGINT, 2), (signal.SIGINT, 1), (signal.SIGTERM, 2)):
        process, out, error = interrupt(campaign, number, workers)
        assert process.returncode == 1
        again = f"to go on: tower-sim campaign run {campaign.file} -o {campaign.out}{' --workers 2' * (workers == 2)}"
        lines = [line for line in error.splitlines() if not line.startswith("...")]  # progress, on a slow machine
        assert lines == [f"tower-sim: interrupted; finished shards are kept; {again}"]
        assert "done" in out
        assert has_ended(process.pid)
        assert not list(campaign.out.rglob("*.part"))
    assert campaign.start(2).wait() == 0
    assert tree(campaign.out) == run_whole(MANY, tmp_path / "whole")


@pytest.mark.slow
@pytest.mark.posix
def test_workers_end_by_themselves_when_their_client_is_killed_alone(tmp_path: Path):
    campaign = Campaign(tmp_path, MANY)
    process = campaign.start(2)
    campaign.until_a_shard_is_done(process)
    process.kill()
    process.wait()
    assert has_ended(process.pid)


def _die_once(spec: Spec, index: int, expected: object) -> Shard:
    if index == 1 and not Path(os.environ["DIED"]).exists():
        Path(os.environ["DIED"]).touch()
        os._exit(9)
    return run_shard(spec, index)


def _die_at_1(spec: Spec, index: int, expected: object) -> Shard:
    if index == 1:
        os._exit(9)
    return run_shard(spec, index)


def _die() -> None:
    os._exit(9)


@pytest.mark.slow
def test_when_a_worker_dies_its_shard_is_played_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(RUNNING, "_attempt", _die_once)
    monkeypatch.setenv("DIED", str(tmp_path / "died"))
    spec = parse(GAMES)
    assert sorted(run(spec, tmp_path / "out", workers=2).finished) == list(range(spec.shards))
    assert (tmp_path / "died").exists()
    assert tree(tmp_path / "out") == run_whole(GAMES, tmp_path / "whole")


def test_a_shard_at_which_workers_die_has_failed_and_others_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(RUNNING, "_attempt", _die_at_1)
    summary = run(parse(GAMES), tmp_path / "out", workers=2)
    assert [*map(str, summary.failed.values())] == ["its worker died"]
    assert status(tmp_path / "out")["shards"]["missing"] == [*summary.failed] == [1]


def test_when_no_worker_lives_the_run_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("tower_sim.tools.pool._begin", _die)
    with pytest.raises(RUNNING.WorkersLost, match=r"3 times in a row a worker died .* try --workers 1"):
        run(parse(GAMES), tmp_path / "out", workers=2)


def test_no_workers_are_refused(tmp_path: Path):
    with pytest.raises(UsageError, match="workers is 0"):
        run(parse(GAMES), tmp_path / "out", workers=0)


@pytest.mark.slow
@pytest.mark.parametrize("module", ["pyarrow", "distributed"])
def test_without_the_extras_the_tower_works_and_a_campaign_says_what_to_install(module: str, tmp_path: Path):
    (tmp_path / "campaign.toml").write_text(GAMES)
    code = f"""
import sys
sys.modules[{module!r}] = None
import tower_sim, tower_sim.cli
from tower_sim.campaign import campaign_run
assert tower_sim.cli.main(["play", "amerigo", "--set", "rounds=1", "--seed", "1", "--json"]) == 0
try:
    campaign_run("campaign.toml", "out", 1, {"local" if module == "distributed" else ""!r})
except tower_sim.UsageError as error:
    sys.exit(str(error))
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    name = "dask" if module == "distributed" else "campaign"
    (line,) = [line for line in done.stderr.splitlines() if not line.startswith("...")]  # progress, on a slow machine
    assert re.search(f"the extra '{name}' needs; try: .*-m pip install pyarrow rich", line)
    assert done.returncode == 1


def test_on_a_terminal_a_bar_tells_how_far_and_how_fast(tmp_path: Path):
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    process = Campaign(tmp_path, GAMES).start(1, 0.0, theirs)
    os.close(theirs)
    text = b""
    with suppress(OSError):  # the terminal is closed: all is said
        while part := os.read(ours, 4096):
            text += part
    assert process.wait() == 0
    assert b"12/12" in text
    assert b"a minute" in text


def test_off_a_terminal_lines_tell_how_far(tmp_path: Path):
    process = Campaign(tmp_path, GAMES).start(1, 0.0)
    lines = [line.split(", ")[0] for line in process.communicate()[1].splitlines()]
    assert {"... 1 of 6 shards looked at", "... 12 of 12 games"} <= set(lines)


EDGES = DROPS_IN_PHYSICS.replace("chains = 2", "chains = 3\nshard = 1") + (
    "[vary.fields]\nprofile.cubes.edge_mm = [5, 7, 9]\n"
)


class Cluster:
    """A scheduler and `workers` with so many `threads`, each a process of its own, started with Dask's commands."""

    def __init__(self, where: Path, workers: int, threads: int) -> None:
        pytest.importorskip("distributed")
        self.file = where / "scheduler.json"
        self.processes: list[subprocess.Popen[bytes]] = []
        self.start("scheduler", "--port", "0", "--no-dashboard", "--no-show")
        while not self.file.exists():
            assert self.processes[0].poll() is None, "the scheduler did not start"
            time.sleep(0.05)
        self.address: str = json.loads(self.file.read_text())["address"]
        command = ("worker", "--nthreads", str(threads), "--no-nanny", "--no-dashboard")
        self.workers = [self.start(*command) for _ in range(workers)]
        while self.threads() < workers * threads:
            time.sleep(0.05)

    def start(self, *words: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "dask", words[0], "--scheduler-file", str(self.file), *words[1:]]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=self.file.parent)
        self.processes.append(process)
        return process

    def threads(self) -> int:
        import distributed

        client: Any = distributed.Client(self.address, set_as_default=False)
        with client:
            return sum(client.nthreads().values())

    def close(self) -> None:
        for process in self.processes:
            process.kill()
            process.wait()


@pytest.fixture(name="lasting", scope="module")
def _lasting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with closing(Cluster(tmp_path_factory.mktemp("dask"), workers=1, threads=2)) as cluster:
        yield cluster


class Killer:
    def __init__(self, victim: subprocess.Popen[bytes]) -> None:
        self.victim = victim
        self.begin = self.note = lambda *_, **__: None

    def __call__(self, done: int) -> None:
        if done:
            self.victim.kill()


@pytest.mark.slow
def test_a_worker_killed_changes_no_file_and_when_the_scheduler_dies_finished_shards_are_kept(tmp_path: Path):
    text = BATTLES.replace("battles = 12", "battles = 16").replace("shard = 4", "shard = 2")
    spec, later, whole = parse(text), tmp_path / "later", run_whole(text, tmp_path / "whole")
    kill: Any = Killer
    with closing(Cluster(tmp_path, workers=2, threads=1)) as cluster:
        summary = run(spec, tmp_path / "out", dask=cluster.address, tell=kill(cluster.workers[0]))
        assert sorted(summary.finished) == list(range(spec.shards))
        assert cluster.workers[0].poll() is not None
        with pytest.raises(RUNNING.WorkersLost, match="finished shards are kept"):
            run(spec, later, dask=cluster.address, tell=kill(cluster.processes[0]))
    assert verify(tmp_path / "out") == []
    assert tree(tmp_path / "out") == whole
    assert status(later)["shards"]["done"]
    assert run_whole(text, later) == whole


@pytest.mark.slow
def test_a_worker_with_two_threads_gives_the_files_of_one_process(lasting: Cluster, tmp_path: Path):
    run(parse(EDGES), tmp_path / "out", dask=lasting.address)
    assert tree(tmp_path / "out") == run_whole(EDGES, tmp_path / "whole")


@pytest.mark.slow
def test_a_cluster_of_our_own_gives_the_same_files(tmp_path: Path):
    pytest.importorskip("distributed")
    run(parse(GAMES), tmp_path / "out", workers=2, dask="local")
    assert tree(tmp_path / "out") == run_whole(GAMES, tmp_path / "whole")


@pytest.mark.slow
def test_workers_of_other_versions_end_the_run(lasting: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    here = environment()
    assert isinstance(RUNNING._attempt(parse(GAMES), 0, here), Shard)
    for name in ("numpy", "machine"):
        with pytest.raises(UsageError, match=rf"has {name} .* instead of 0.1; allowed is what the client has"):
            RUNNING._attempt(parse(GAMES), 0, here | {name: "0.1"})
    monkeypatch.setattr(RUNNING, "environment", lambda: {"scipy": "0.1"})
    with pytest.raises(UsageError, match="scipy"):
        run(parse(GAMES), tmp_path / "out", dask=lasting.address)


@each_case("address", ["tcp://127.0.0.1:1", "nowhere"])
def test_an_address_without_a_scheduler_is_refused(address: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    pytest.importorskip("distributed")
    monkeypatch.setattr(RUNNING, "_CONNECT", 0.2)
    with pytest.raises(UsageError, match="no scheduler there"):
        run(parse(GAMES), tmp_path / "out", dask=address)

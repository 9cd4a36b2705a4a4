"""Many processes, and kills: the dataset is the same as without them, file for file."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from multiprocessing.connection import Connection
from pathlib import Path

import pytest
from support.campaigns import BATTLES, GAMES, tree

from tower_sim.campaign import engines, parse, progress, run, verify
from tower_sim.campaign.engines import MAX_DEATHS
from tower_sim.campaign.engines import _work as work
from tower_sim.errors import UsageError
from tower_sim.progress import Telling

RUN = """
import sys
import threading
from tower_sim.campaign import campaign_run
status = campaign_run(sys.argv[1], sys.argv[2], int(sys.argv[3]))
assert "pandas" not in sys.modules  # pyarrow would load it unasked, where it is installed: half a second
sys.exit(status)
"""
MANY = GAMES.replace("games = 12", "games = 50").replace("shard = 2", "shard = 1")


class Campaign:
    """A campaign file, and the directory that runs of it write."""

    def __init__(self, where: Path, text: str) -> None:
        self.text, self.where = text, where
        self.file, self.out = where / "campaign.toml", where / "out"
        self.file.write_text(text)

    def start(self, workers: int) -> subprocess.Popen[str]:
        command = [sys.executable, "-c", RUN, str(self.file), str(self.out), str(workers)]
        return subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
        )

    def receipts(self) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in sorted((self.out / "receipts").glob("[0-9]*.json"))}

    def until_a_shard_is_done(self, process: subprocess.Popen[str], more: int = 1) -> None:
        enough = len(self.receipts()) + more
        while process.poll() is None and len(self.receipts()) < enough:
            time.sleep(0.002)


def gone(group: int) -> bool:
    """Whether within 10 minutes, a limit for tests that fail, nobody of the process group is left."""
    for _ in range(6000):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.1)
    return False


def log(out: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in (out / "log.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("text", [GAMES, BATTLES.replace("battles = 12", "battles = 6")], ids=["games", "battles"])
def test_two_processes_give_the_same_files_as_one(text: str, tmp_path: Path):
    spec = parse(text)
    for workers in (1, 2):
        assert sorted(run(spec, tmp_path / str(workers), workers).finished) == list(range(spec.shards))
        assert verify(tmp_path / str(workers)) == []
    assert tree(tmp_path / "1") == tree(tmp_path / "2")


@pytest.fixture(name="many", scope="module")
def _many(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What an uninterrupted run makes of MANY."""
    return uninterrupted(MANY, tmp_path_factory.mktemp("many"))


def uninterrupted(text: str, where: Path) -> dict[str, bytes]:
    run(parse(text), where / "whole")
    return tree(where / "whole")


def killed(campaign: Campaign, whole: dict[str, bytes], kills: int, seed: int, spread: float) -> None:
    """Start, kill the whole process group at a random moment, `kills` times; then let it come to its end as `whole`.

    Every third kill comes at any time from the start of the process on, the others soon after a shard is done. When
    the campaign comes to its end before all kills are done, it is compared and begun anew in another directory.
    """
    rng = random.Random(seed)
    directory = done = 0
    while True:
        campaign.out = campaign.where / f"killed_{directory}"
        process = campaign.start(1 + done % 2)
        before = campaign.receipts()
        if done < kills:
            if done % 3:
                campaign.until_a_shard_is_done(process)
            time.sleep(rng.uniform(0, spread))
        else:
            process.wait()
        alive = process.poll() is None
        if alive:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            done += 1
            now = campaign.receipts()
            assert now.items() >= before.items()  # no finished shard is lost
            if (campaign.out / "manifest.json").exists():
                assert all("missing" in problem or "not finished" in problem for problem in verify(campaign.out))
            continue
        assert process.returncode == 0, process.communicate()[1]
        assert verify(campaign.out) == []
        assert tree(campaign.out) == whole
        directory += 1
        if done >= kills:
            break
    assert done == kills


@pytest.mark.whole
@pytest.mark.posix
@pytest.mark.parametrize("kills", [6, pytest.param(20, marks=pytest.mark.long)])
def test_a_campaign_killed_many_times_ends_as_if_it_had_not_been(kills: int, many: dict[str, bytes], tmp_path: Path):
    """Six are the fewest of which one and two processes are each killed at any time, and after a shard."""
    killed(Campaign(tmp_path, MANY), many, kills, seed=1, spread=0.2)


@pytest.mark.whole
@pytest.mark.posix
@pytest.mark.parametrize(
    ("battles", "kills", "spread"), [(16, 2, 0.7), pytest.param(300, 20, 1.5, marks=pytest.mark.long)]
)
def test_a_campaign_of_physics_killed_many_times_ends_as_if_it_had_not_been(
    battles: int, kills: int, spread: float, tmp_path: Path
):
    text = BATTLES.replace("battles = 12", f"battles = {battles}")
    killed(Campaign(tmp_path, text), uninterrupted(text, tmp_path), kills, 2, spread)


def interrupted(campaign: Campaign, number: int, workers: int) -> tuple[subprocess.Popen[str], str, str]:
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


@pytest.mark.whole
@pytest.mark.posix
def test_interrupted_it_stops_cleanly_says_how_to_go_on_and_goes_on(many: dict[str, bytes], tmp_path: Path):
    campaign = Campaign(tmp_path, MANY)
    for number, workers in ((signal.SIGINT, 2), (signal.SIGINT, 1), (signal.SIGTERM, 2)):
        process, out, error = interrupted(campaign, number, workers)
        assert process.returncode == 1
        again = f"to go on: tower-sim campaign run {campaign.file} -o {campaign.out}{' --workers 2' * (workers == 2)}"
        lines = [line for line in error.splitlines() if not line.startswith("...")]  # progress, on a slow machine
        assert lines == [f"tower-sim: interrupted; finished shards are kept; {again}"]
        assert "done" in out
        assert gone(process.pid)
        assert log(campaign.out)[-1]["event"] == "interrupted"
        assert not list(campaign.out.rglob("*.part"))
        assert not (campaign.out / ".owner").exists()
    assert campaign.start(2).wait() == 0
    assert tree(campaign.out) == many


@pytest.mark.whole
@pytest.mark.posix
def test_workers_end_by_themselves_when_their_client_is_killed_alone(tmp_path: Path):
    campaign = Campaign(tmp_path, MANY)
    process = campaign.start(2)
    campaign.until_a_shard_is_done(process)
    process.kill()
    process.wait()
    assert gone(process.pid)


def _dies_once(connection: Connection, spec_text: str, index: int) -> None:
    """A worker that dies at shard 1, when it is the first to whom that happens."""
    if index == 1:
        try:
            Path(os.environ["DIED"]).touch(exist_ok=False)
        except FileExistsError:
            pass
        else:
            os._exit(9)
    work(connection, spec_text, index)


def _always_dies(_connection: Connection, _spec_text: str, _index: int) -> None:
    os._exit(9)


@pytest.mark.whole
def test_a_worker_that_dies_is_replaced_and_its_shard_is_done_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(engines, "_work", _dies_once)
    monkeypatch.setenv("DIED", str(tmp_path / "died"))
    spec = parse(GAMES)
    summary = run(spec, tmp_path / "out", workers=2)
    assert sorted(summary.finished) == list(range(spec.shards))
    assert [line["shard"] for line in log(tmp_path / "out") if line["event"] == "again"] == [1]
    run(spec, tmp_path / "serial")
    assert tree(tmp_path / "out") == tree(tmp_path / "serial")


def test_a_shard_at_which_three_workers_die_has_failed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(engines, "_work", _always_dies)
    spec = parse(GAMES.replace("shard = 2", "shard = 12"))
    summary = run(spec, tmp_path / "out", workers=2)
    assert summary.failed == {0: "its worker died"}
    assert [line["event"] for line in log(tmp_path / "out")].count("again") == MAX_DEATHS - 1


def test_no_workers_are_refused(tmp_path: Path):
    with pytest.raises(UsageError, match="workers is 0"):
        run(parse(GAMES), tmp_path / "out", workers=0)


@pytest.mark.whole
@pytest.mark.parametrize("module", ["pyarrow", "distributed"])
def test_without_the_extras_the_tower_works_and_a_campaign_says_what_to_install(module: str, tmp_path: Path):
    (tmp_path / "campaign.toml").write_text(GAMES)
    code = f"""
import sys
import threading
sys.modules[{module!r}] = None
import tower_sim, tower_sim.cli
from tower_sim.campaign import campaign_run
assert tower_sim.cli.main(["play", "amerigo", "--rounds", "1", "--seed", "1", "--json"]) == 0
try:
    campaign_run("campaign.toml", "out", 1, {"local" if module == "distributed" else ""!r})
except tower_sim.UsageError as error:
    sys.exit(str(error))
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    name = "dask" if module == "distributed" else "campaign"
    told = [line for line in done.stderr.splitlines() if not line.startswith("...")]  # progress, on a slow machine
    assert len(told) == 1
    assert re.search(f"the extra '{name}' needs; try: .*-m pip install numba pyarrow rich", told[0])
    assert done.returncode == 1


# How far it is

AT_ONCE = "import tower_sim.progress\ntower_sim.progress.QUIET = 0.0\n"


def test_on_a_terminal_a_bar_tells_how_far_and_how_fast(tmp_path: Path):
    pty = pytest.importorskip("pty")
    campaign = Campaign(tmp_path, GAMES)
    ours, theirs = pty.openpty()
    command = [sys.executable, "-c", AT_ONCE + RUN, str(campaign.file), str(campaign.out), "1"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=theirs, start_new_session=True)
    os.close(theirs)
    shown = b""
    try:
        while part := os.read(ours, 4096):
            shown += part
    except OSError:  # the terminal is closed: all is said
        pass
    assert process.wait() == 0
    assert b"12/12" in shown
    assert b"a minute" in shown


def test_off_a_terminal_lines_tell_how_far(tmp_path: Path):
    campaign = Campaign(tmp_path, GAMES)
    command = [sys.executable, "-c", AT_ONCE + RUN, str(campaign.file), str(campaign.out), "1"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0
    lines = [line.split(", ")[0] for line in done.stderr.splitlines()]
    assert {"... 1 of 6 shards looked at", "... 12 of 12 games"} <= set(lines)


def test_a_run_is_told_while_its_first_shard_is_not_done(monkeypatch: pytest.MonkeyPatch):
    told_at: list[int] = []
    ticked = threading.Event()

    def tell(_: object, done: int) -> None:
        told_at.append(done)
        ticked.set()

    spec = parse(GAMES)
    monkeypatch.setattr(Telling, "__call__", tell)
    monkeypatch.setattr(progress, "_TICK", 0.01)
    with progress.told(spec) as telling:
        telling.begin(spec, spec.shards)
        assert ticked.wait(60)
    assert set(told_at) == {0}

"""Files whole or not at all, wherever people ask for them."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from support.campaigns import tree
from support.cases import each_case
from support.command_line import COMMANDS, refusal

from tower_sim.campaign import load, run
from tower_sim.cli import main
from tower_sim.errors import UsageError
from tower_sim.report.page import Report, Section, Table
from tower_sim.tools import writing
from tower_sim.tools.writing import WritingFailed, check, write

SPEC = '[campaign]\ngame = "amerigo"\napparatus = "amerigo"\nmodel = "two_thirds"\nseed = "7"\ngames = 6\nshard = 2\n'


@pytest.mark.posix
def test_a_file_is_written_anew_with_its_mode_kept_and_nothing_beside_it(tmp_path: Path):
    path = tmp_path / "out.txt"
    check(path)
    assert list(tmp_path.iterdir()) == []
    write(path, "snow é\n")
    assert path.read_bytes() == "snow é\n".encode()
    path.chmod(0o640)
    check(path)
    assert path.read_bytes() == "snow é\n".encode()
    write(path, b"more")
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (b"more", 0o640)
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.posix
def test_a_link_is_followed_and_a_name_as_long_as_allowed_is_written(tmp_path: Path):
    (tmp_path / "link").symlink_to(tmp_path / "target")
    write(tmp_path / "link", b"x")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_bytes() == b"x"
    write(tmp_path / ("n" * 255), b"y")
    assert (tmp_path / ("n" * 255)).read_bytes() == b"y"


@each_case("path", ["n" * 300, "none/out.png", "a\0b", "", "file/out.png", "folder", "p" * 5000])
@pytest.mark.posix
def test_a_place_that_cannot_be_written_is_told_before_and_after_the_work(
    path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("")
    (tmp_path / "folder").mkdir()
    before = sorted(tmp_path.iterdir())
    for attempt in (lambda: check(path, "picture"), lambda: write(path, b"x", "picture")):
        with pytest.raises(UsageError, match="picture is ") as caught:
            attempt()
        assert "\n" not in str(caught.value)
        assert len(str(caught.value)) < 400
    assert sorted(tmp_path.iterdir()) == before


@each_case("call", ["fsync", "replace"])
@each_case("number", [errno.ENOSPC, errno.EIO, errno.EDQUOT])
def test_a_disk_that_fails_leaves_the_old_file_whole_and_nothing_beside_it(
    call: str, number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    path = tmp_path / "out.txt"
    path.write_text("old")

    def fail(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as patched:
        patched.setattr(writing.os, call, fail)
        with pytest.raises(WritingFailed, match=rf"table '.*out.txt' cannot be written \({os.strerror(number)}\)"):
            write(path, b"new", "table")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_a_device_is_written_into_and_never_replaced():
    with pytest.raises(WritingFailed, match="No space left on device"):
        write("/dev/full", b"x")
    write("/dev/null", b"x")
    assert all(stat.S_ISCHR(os.stat(path).st_mode) for path in ("/dev/full", "/dev/null"))


@pytest.mark.posix
def test_a_pipe_gets_all_of_it_and_stays_a_pipe(tmp_path: Path):
    os.mkfifo(tmp_path / "pipe")
    data = bytes(200_000)  # more than a pipe holds
    check(tmp_path / "pipe")  # waits for no reader
    writer = threading.Thread(target=write, args=(tmp_path / "pipe", data))
    writer.start()
    assert (tmp_path / "pipe").read_bytes() == data
    writer.join()
    assert stat.S_ISFIFO(os.stat(tmp_path / "pipe").st_mode)


@pytest.mark.skipif(not getattr(os, "geteuid", int)(), reason="the superuser may write everywhere")
def test_a_file_that_may_not_be_written_is_not_replaced(tmp_path: Path):
    (tmp_path / "out").write_text("old")
    (tmp_path / "out").chmod(0o400)
    with pytest.raises(UsageError, match="Permission denied"):
        write(tmp_path / "out", b"new")


WITHOUT_POSIX = """
import concurrent.futures, logging, multiprocessing, os, random, signal, subprocess, sys, tempfile, threading
import matplotlib.pyplot, numba, numpy, pyarrow.parquet, scipy.stats
for name in ("fcntl", "resource", "termios", "pwd", "grp"):
    sys.modules[name] = None
for name in ("register_at_fork", "O_NONBLOCK", "set_blocking", "fork", "sync", "geteuid", "mkfifo", "killpg", "uname"):
    delattr(os, name)
for name in ("pthread_sigmask", "pthread_kill", "SIGKILL", "SIGHUP", "SIGALRM", "alarm"):
    delattr(signal, name)
from matplotlib.figure import Figure
from tower_sim.cli import main

def called(command):
    if command.startswith("study"):  # its pictures are made, and not painted: `play` has painted one
        Figure.savefig = lambda *_, **__: None
    return main(command.split())

if __name__ == "__main__":
    sys.exit(next(filter(None, map(called, sys.argv[1:])), 0))
"""


@pytest.mark.slow
def test_without_what_only_posix_has_towers_are_played_drawn_compared_and_studied_and_campaigns_run(tmp_path: Path):
    """Of Windows' Python only the absence of some names is imitated here; its file system and its signals are not."""
    (tmp_path / "spec.toml").write_text(SPEC)
    (tmp_path / "here.py").write_text(WITHOUT_POSIX)  # each process of a campaign runs it again

    commands = (
        "play amerigo --set rounds=1 --seed 1 --save-plot game.png",
        "compare amerigo --set cubes=6 --games 3 --seed 1 --model two_thirds",
        "campaign run spec.toml -o data --workers 2",
        "campaign report data -o report",
    )
    here = [sys.executable, "here.py", *commands]
    done = subprocess.run(here, cwd=tmp_path, capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "game.png").exists()
    assert (tmp_path / "report").is_dir()
    run(load(tmp_path / "spec.toml"), tmp_path / "with")
    assert tree(tmp_path / "data") == tree(tmp_path / "with")


REPLACED = {  # commands that write results, each with one of its files
    "play amerigo --set rounds=1 --model two_thirds --seed 1 --save-plot g.png": "g.png",
    "page replay amerigo --cubes blue=1 --seed 1 -o r.html": "r.html",
    "page lab -o lab.html --tower amerigo": "lab.html",
    "page record -o record.html": "record.html",
    "model export amerigo --to js -o x.mjs": "x.mjs",
    "model export amerigo --to npm -o package": "package/README.md",
    "campaign report data -o report": "report/report.md",
}


def in_folder(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("campaign")
    (folder / "spec.toml").write_text(SPEC)
    run(load(folder / "spec.toml"), folder / "data", 1)
    return folder / "data"


@pytest.mark.slow
@each_case("line", REPLACED)
def test_a_command_replaces_its_result_also_one_that_somebody_changed(
    line: str, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    path, line = tmp_path / REPLACED[line], line.replace("data", str(data))
    assert main(line.split()) == 0
    first, files = path.read_bytes(), in_folder(tmp_path)
    path.write_bytes(b"changed")
    assert main(line.split()) == 0
    assert (path.read_bytes(), in_folder(tmp_path)) == (first, files)


def test_only_commands_that_write_a_file_for_people_to_edit_have_force():
    have = [name for name, command in COMMANDS.items() if any(param.name == "force" for param in command.params)]
    assert have == ["tower import", "tower fit"]


def test_a_profile_that_is_there_is_kept_in_one_line_before_any_work(tmp_path: Path):
    (tmp_path / "mine.toml").write_text("mine")
    line = refusal("tower", "fit", "rulebook-setup", "-o", "mine.toml", cwd=tmp_path)
    assert line.startswith("tower-sim: profile 'mine.toml' is there already; allowed is a new name; ")
    assert "--force to replace it" in line
    assert (tmp_path / "mine.toml").read_text() == "mine"
    assert in_folder(tmp_path) == {"mine.toml"}


def test_a_report_that_cannot_be_finished_leaves_each_file_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def report(words: str) -> None:
        Report(words, [], [Section("One", table=Table("one", ["a"], [[words]]))]).write(tmp_path)

    report("first")
    real, calls = os.replace, list[int]()

    def fail(source: Path, target: str) -> None:
        calls.append(1)
        if len(calls) == 2:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        real(source, target)

    files = in_folder(tmp_path)
    with monkeypatch.context() as patched:
        patched.setattr(writing.os, "replace", fail)
        with pytest.raises(WritingFailed, match="No space left"):
            report("second")
    assert (tmp_path / "tables/one.csv").read_text() == "a\nsecond\n"
    assert (tmp_path / "report.md").read_text().startswith("# first\n")
    assert in_folder(tmp_path) == files

"""Files whole or not at all, wherever people ask for them."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from support.campaigns import tree
from support.cases import each_case
from support.command_line import COMMANDS, refusal
from support.meshes import small_tower

from tower_sim.campaign import load, run
from tower_sim.cli import main
from tower_sim.errors import UsageError
from tower_sim.report import Report, Section, Table
from tower_sim.tools import WritingFailed, check, keeping, write, write_all, writing

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


WRITTEN = {  # every command that writes results, with one of its files
    "play amerigo --set rounds=1 --model two_thirds --seed 1 --save-plot g.png": "g.png",
    "compare amerigo --set cubes=6 --games 3 --seed 1 --model two_thirds --save-plot c.html": "c.html",
    "page live -o live.html --tower amerigo": "live.html",
    "page lab -o lab.html --tower amerigo": "lab.html",
    "page record -o record.html": "record.html",
    "page replay amerigo --cubes blue=1 --seed 1 -o r.html": "r.html",
    "campaign report data -o report": "report/tables/autocorrelation.csv",
    "tower show amerigo -o tower.png": "tower.png",
    "tower import mesh.stl -o mine.toml --edge 14": "mine.png",
    "tower fit rulebook-setup -o fitted.toml --seed 1": "fitted.calibration/report.html",
    "tower test my_tower --model surrogate --games 8 --seed 1 -o tested": "tested/report.md",
    "tower export amerigo -o tower.stl": "tower.stl",
    "model export amerigo --to js -o x.mjs": "x.mjs",
    "model export amerigo --to npm -o package": "package/README.md",
}


def in_folder(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("campaign")
    (folder / "spec.toml").write_text(SPEC)
    run(load(folder / "spec.toml"), folder / "data", 1)
    return folder / "data"


@pytest.mark.slow
@each_case("line", WRITTEN)
def test_a_command_keeps_a_file_that_differs_and_replaces_it_with_force(
    line: str, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    small_tower().export("mesh.stl")
    path, words = tmp_path / WRITTEN[line], line.replace("data", str(data)).split()
    assert main(words) == 0
    files = contents(tmp_path)
    path.write_bytes(b"mine")
    kept = contents(tmp_path)
    assert main(words) == 2
    assert contents(tmp_path) == kept
    assert main([*words, "--force"]) == 0
    assert contents(tmp_path) == files
    if not line.startswith("tower fit"):  # hours of work, so it asks for --force first, whatever comes of it
        assert main(words) == 0  # what stays the same
        assert contents(tmp_path) == files


def test_every_command_that_writes_results_has_force():
    have = {name for name, command in COMMANDS.items() if "--force" in list_options(command)}
    write = {name for name, command in COMMANDS.items() if {"-o", "--save-plot"} & list_options(command)}
    assert have == write - {"campaign run"}  # which goes on with its dataset, and refuses another
    tested = {next(name for name in have if line.startswith(name)) for line in WRITTEN}
    assert have == tested | {"model fit", "model check"}  # which need a campaign of physics


def list_options(command: Any) -> set[str]:
    return {option for param in command.params for option in param.opts}


RANDOM = [  # commands that draw a seed
    "play amerigo --save-plot mine.png",
    "compare amerigo --set cubes=6 --save-plot mine.png",
    "compare amerigo --wish actions=3 -o mine.toml",
    "page replay amerigo -o mine.html",
    "tower fit my_tower -o mine.toml",
    "tower fit my_tower -o other.toml",
    "tower fit --wish inside=5 -o new.toml",
    "tower test my_tower -o report",
    "model check amerigo data -o report",
]


@each_case("line", RANDOM)
def test_a_drawn_seed_never_gives_the_same_file_so_it_is_refused_before_any_work(line: str, tmp_path: Path):
    (tmp_path / "other.calibration").mkdir()
    (tmp_path / "report").mkdir()
    for name in (
        "mine.png",
        "mine.html",
        "mine.toml",
        "other.calibration/report.md",
        "new.surrogate.json",
        "report/report.html",
    ):
        (tmp_path / name).write_text("mine")
    files = contents(tmp_path)
    # refusal: nothing was printed, so no game was played
    assert "is there already; allowed is a new name; give another, or --force" in refusal(*line.split(), cwd=tmp_path)
    assert contents(tmp_path) == files


EXTRAS = {  # commands that need an extra, each with one of its packages
    "tower fit my_tower -o mine.toml": "jinja2",
    "tower fit --wish inside=5 -o mine.toml": "pyarrow",
    "compare amerigo --set cubes=6 --save-plot c.html": "jinja2",
    "campaign run spec.toml -o data": "pyarrow",
    "campaign run spec.toml -o data --dask local": "distributed",
    "campaign report data -o report": "jinja2",
    "model fit data -o fast.json": "pyarrow",
    "model check amerigo data -o report": "sklearn.ensemble",
    "tower export amerigo": "manifold3d",
    "serve --http": "uvicorn",
}


@each_case("line", EXTRAS)
def test_a_command_asks_for_its_extra_before_any_work_and_leaves_nothing(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "spec.toml").write_text(SPEC)
    monkeypatch.setitem(sys.modules, EXTRAS[line], None)
    assert f"{EXTRAS[line]} is not installed (" in refusal(*line.split(), cwd=tmp_path)
    assert in_folder(tmp_path) == {"spec.toml"}


def test_all_files_are_checked_before_the_first_is_written(tmp_path: Path):
    (tmp_path / "b").write_text("mine")
    (tmp_path / "c").write_text("mine, too")
    with keeping(), pytest.raises(UsageError, match=r"table '.*b' \(and 1 more\) is there already"):
        write_all({tmp_path / "a": "1", tmp_path / "b": "2", tmp_path / "c": "3"}, "table")
    assert contents(tmp_path) == {"b": b"mine", "c": b"mine, too"}
    with keeping():
        write_all({tmp_path / "b": "mine", tmp_path / "in" / "d": "1"})
        write(tmp_path / "in" / "d", "2")  # its own
    write(tmp_path / "c", "3")  # a function of Python replaces
    assert contents(tmp_path) == {"b": b"mine", "c": b"3", "in/d": b"2"}
    (tmp_path / "in" / "e").mkdir()
    with pytest.raises(UsageError, match="Is a directory"):
        write_all({tmp_path / "b": "4", tmp_path / "in" / "e": "5"})
    assert (tmp_path / "b").read_text() == "mine"


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

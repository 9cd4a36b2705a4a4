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

from tower_sim import cli, made, writing
from tower_sim.campaign import load, run
from tower_sim.cli import main
from tower_sim.cli.parser import Parser
from tower_sim.errors import UsageError
from tower_sim.study.sheets import Sheets
from tower_sim.writing import WritingFailed, check, write


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


@each_case("path", ["n" * 300, "none/out.png", "a\0b", "", "file/out.png", "folder", "p" * 5000, "pipe"])
@pytest.mark.posix
def test_a_place_that_cannot_be_written_is_told_before_and_after_the_work(
    path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("")
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")  # nobody reads it
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
def test_a_pipe_that_is_read_gets_all_of_it(tmp_path: Path):
    os.mkfifo(tmp_path / "pipe")
    got: list[bytes] = []
    descriptor = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    os.set_blocking(descriptor, True)

    def read() -> None:
        with open(descriptor, "rb") as file:
            got.append(file.read())

    data = bytes(200_000)  # more than a pipe holds
    reader = threading.Thread(target=read)
    write_end = os.open(tmp_path / "pipe", os.O_WRONLY)  # so that the reader waits for us
    reader.start()
    write(tmp_path / "pipe", data)
    os.close(write_end)
    reader.join()
    assert got == [data]


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


@pytest.mark.whole
def test_without_what_only_posix_has_towers_are_played_drawn_compared_and_studied_and_campaigns_run(tmp_path: Path):
    """Of Windows' Python only the absence of some names is imitated here; its file system and its signals are not."""
    spec = '[campaign]\nkind = "game"\napparatus = "amerigo"\nmodel = "two_thirds"\nseed = "7"\ngames = 6\nshard = 2\n'
    (tmp_path / "spec.toml").write_text(spec)
    (tmp_path / "here.py").write_text(WITHOUT_POSIX)  # each process of a campaign runs it again

    commands = (
        "play amerigo --rounds 1 --seed 1 --save-plot game.png",
        "compare amerigo --set cubes=6 --games 3 --seed 1 --model two_thirds",
        "campaign run spec.toml -o data --workers 2",
        "study data -o report",
    )
    here = [sys.executable, "here.py", *commands]
    done = subprocess.run(here, cwd=tmp_path, capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "game.png").exists()
    assert (tmp_path / "report").is_dir()
    run(load(tmp_path / "spec.toml"), tmp_path / "with")
    assert tree(tmp_path / "data") == tree(tmp_path / "with")


BEGUN = "play amerigo --rounds 1 --model two_thirds --seed 1"
FOREIGN = {
    f"{BEGUN} --save-plot g.png": "g.png",
    "play amerigo --rounds 1 --replay r.html": "r.html",
    "drop amerigo --cubes blue=1 --replay r.glb": "r.glb",
    "battle --cubes blue=3,red=3 --save-plot g.pdf": "g.pdf",
    "compare amerigo --set cubes=6 --games 3 --model two_thirds --save-plot g.png": "g.png",
    "design --inside 20 -o mine.toml": "mine.toml",
    "design --inside 20 -o new.toml --save-plot g.png": "g.png",
    "calibrate my_tower -o mine.toml": "mine.toml",
    "calibrate my_tower -o other.toml": "other.surrogate.json",
    "lab -o lab.html": "lab.html",
    "live -o tower.html": "tower.html",
    "show amerigo -o g.png": "g.png",
    "surrogate fit none -o m.json": "m.json",
    "surrogate check amerigo none -o report": "report/report.md",
    "surrogate export amerigo --to js -o x.mjs": "x.mjs",
    "surrogate export --to npm -o package": "package/package.json",
    "export amerigo --to svg -o panels": "panels/README.txt",
    "study data -o report": "report/report.html",
}
"""Every command that writes files, with one of them."""


def called(line: str, *more: str) -> int:
    return main([*line.split(), *more])


def in_folder(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of a small campaign."""
    folder = tmp_path_factory.mktemp("campaign")
    spec = '[campaign]\nkind = "game"\napparatus = "amerigo"\nmodel = "two_thirds"\nseed = "7"\ngames = 6\nshard = 2\n'
    (folder / "spec.toml").write_text(spec)
    run(load(folder / "spec.toml"), folder / "data", 1)
    return folder / "data"


@each_case("line", FOREIGN)
def test_no_command_replaces_what_it_did_not_make(
    line: str, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / FOREIGN[line]
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(b'{"mine": 1}\n')
    before = in_folder(tmp_path)
    assert called(line.replace("data", str(data))) == 2
    said = capsys.readouterr().err
    assert "there already" in said or "other things in it" in said
    assert ("--force" in said or "try another name" in said, said.count("\n")) == (True, 1)
    assert path.read_bytes() == b'{"mine": 1}\n'
    assert in_folder(tmp_path) == before


def test_force_is_one_option_of_every_command_that_writes_files():
    writers: set[str] = set()
    helps: set[str] = set()

    def gather(parser: Parser, name: str) -> None:
        commands = parser.commands()
        for word, (each, _) in commands.items():
            gather(each, f"{name} {word}".strip())
        options = {action.dest: action for action in parser.arguments()}
        if {"output", "save_plot", "replay"} & set(options) and name != "campaign run":  # it goes on with its own
            writers.add(name)
            helps.add(str(options["force"].help))

    gather(cli.parser(), "")
    assert writers == {" ".join(word for word in line.split()[:2] if word in SUBWORDS) for line in FOREIGN}
    assert len(helps) == 1


SUBWORDS = {"fit", "check", *(line.split()[0] for line in FOREIGN)}  # `surrogate export` is a word of another's too


AGAIN = {
    f"{BEGUN} --save-plot g.png": "g.png",
    f"{BEGUN} --save-plot g.svg": "g.svg",
    f"{BEGUN} --save-plot g.pdf": "g.pdf",
    f"{BEGUN} --save-plot g.eps": "g.eps",
    "lab -o lab.html --apparatus amerigo": "lab.html",
    "surrogate export amerigo --to js -o x.mjs": "x.mjs",
    "surrogate export amerigo --to json -o x.json": "x.json",
    "surrogate export amerigo --to lua -o x.lua": "x.lua",
    "surrogate export amerigo --to php -o x.php": "x.php",
    "surrogate export amerigo --to java -o CubeTower.java": "CubeTower.java",
    "surrogate export amerigo --to npm -o package": "package/README.md",
}
"""Commands that are called again, in scripts: they replace their own files."""


@pytest.mark.whole
@each_case("line", AGAIN)
def test_a_command_replaces_its_own_file_until_somebody_changes_it(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / AGAIN[line]
    assert called(line) == 0
    first, files = path.read_bytes(), in_folder(tmp_path)
    assert called(line) == 0
    assert (path.read_bytes(), in_folder(tmp_path)) == (first, files)
    changed = first.replace(b"a", b"b", 1)
    path.write_bytes(changed)
    capsys.readouterr()
    assert called(line) == 2
    assert "changed since" in capsys.readouterr().err
    assert path.read_bytes() == changed
    assert called(line, "--force") == 0
    assert path.read_bytes() == first


@each_case("suffix", [".png", ".glb", ".json", ".html", ".toml", ".pdf", ".mjs", ".lua"])
def test_a_mark_says_who_made_a_file_and_whether_one_byte_of_it_is_another(suffix: str, tmp_path: Path):
    plain = b"glTF" + bytes(4) + b"\x11\0\0\0{  }\n" if suffix == ".glb" else b'{\n "a": 1\n}\n'
    plain += b"IEND    crc\n" if suffix == ".png" else b""
    path = tmp_path / f"file{suffix}"
    data = made.marked(plain, suffix, "tower-sim play")
    path.write_bytes(data)
    assert made.maker(path) == made.Maker("tower-sim play", True)
    for at in range(len(data)):
        path.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
        assert made.maker(path) != made.Maker("tower-sim play", True), at
    path.write_bytes(plain)
    assert made.maker(path) is None


def test_what_python_writes_without_a_command_bears_no_mark(tmp_path: Path):
    write(tmp_path / "mine.toml", "a = 1\n")
    assert (tmp_path / "mine.toml").read_bytes() == b"a = 1\n"
    assert made.maker(tmp_path / "mine.toml") is None


def test_a_report_replaces_its_own_files_until_somebody_changes_one(tmp_path: Path):
    def wrote(words: str) -> None:
        sheets = Sheets(tmp_path)
        sheets.text(f"# {words}")
        sheets.table("one", ["a"], [[1]])
        sheets.close()

    with writing.by("tower-sim study"):
        wrote("first")
        wrote("second")
    (tmp_path / "tables/one.csv").write_text("mine")
    with writing.by("tower-sim study"), pytest.raises(UsageError, match=r"one\.csv.*changed since"):
        wrote("third")
    assert ("second" in (tmp_path / "report.md").read_text(), (tmp_path / "tables/one.csv").read_text()) == (
        True,
        "mine",
    )
    with writing.by("tower-sim surrogate check"), pytest.raises(UsageError, match="tower-sim study made it"):
        wrote("third")
    with writing.by("tower-sim study", is_forced=True):
        wrote("third")
    assert (tmp_path / "tables/one.csv").read_text() == "a\n1\n"


def test_what_a_person_filled_in_stays_with_force_too_and_is_not_given_other_parts(tmp_path: Path):
    forms = {"drops.csv": b"drop\n", "parts": b"1"}

    def wrote(files: dict[str, bytes], is_forced: bool = False) -> tuple[str, ...]:
        with writing.by("tower-sim export", is_forced=is_forced):
            writing.check_folder(tmp_path, ("parts",), "output", ("drops.csv",))
            return writing.write_folder(tmp_path, files, filled_in=("drops.csv",))

    assert wrote(forms) == ()
    assert wrote(forms) == ()
    (tmp_path / "drops.csv").write_bytes(b"drop\n0,9\n")
    for is_forced in (False, True):
        assert wrote({**forms, "parts": b"2"}, is_forced) == ("drops.csv",)
        with pytest.raises(UsageError, match="not of these parts"):
            wrote({"drops.csv": b"drop of another\n", "parts": b"3"}, is_forced)
    assert writing.write_folder(tmp_path, forms, filled_in=("drops.csv",)) == ("drops.csv",)  # from Python
    assert ((tmp_path / "drops.csv").read_bytes(), (tmp_path / "parts").read_bytes()) == (b"drop\n0,9\n", b"1")
    (tmp_path / made.LIST).unlink()
    with pytest.raises(UsageError, match="for you to write into"):
        wrote(forms, True)


def test_a_folder_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    files = {"a": b"1", "b/c": b"2"}
    writing.write_folder(tmp_path, files)
    calls: list[int] = []

    def fail(_: int) -> None:
        calls.append(1)
        if len(calls) == 3:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    before = {name: (tmp_path / name).read_bytes() for name in (made.LIST, *files)}
    with monkeypatch.context() as patched:
        patched.setattr(writing.os, "fsync", fail)
        with pytest.raises(WritingFailed):
            writing.write_folder(tmp_path, {"a": b"3", "b/c": b"4"})
    assert {name: (tmp_path / name).read_bytes() for name in (made.LIST, *files)} == before
    assert in_folder(tmp_path) == {made.LIST, "a", "b", "b/c"}


def test_an_empty_file_and_a_device_are_nobodys(tmp_path: Path):
    (tmp_path / "made.txt").touch()  # as mktemp makes one
    with writing.by("tower-sim show"):
        write(tmp_path / "made.txt", b"x\n")
        write("/dev/null", b"x")
        with pytest.raises(UsageError, match="nothing in it says"):
            check(tmp_path / "made.txt")

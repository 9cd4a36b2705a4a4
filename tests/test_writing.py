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

from tower_sim import writing
from tower_sim.campaign import load, run
from tower_sim.errors import UsageError
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


@pytest.mark.parametrize("path", ["n" * 300, "none/out.png", "a\0b", "", "file/out.png", "folder", "p" * 5000, "pipe"])
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


@pytest.mark.parametrize("call", ["fsync", "replace"])
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO, errno.EDQUOT])
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
from tower_sim.cli import main
if __name__ == "__main__":
    sys.exit(next(filter(None, (main(command.split()) for command in sys.argv[1:])), 0))
"""


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

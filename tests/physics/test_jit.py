"""What numba has compiled is kept in files: one that is damaged is set aside, and a folder that takes none is said."""

import hashlib
import multiprocessing
import pickle
from pathlib import Path
from typing import Any

import pytest

from tower_sim.tools import jit

pytestmark = pytest.mark.skipif(not jit.is_compiled(), reason="numba is not installed")


def double(x: float) -> float:
    return x + x


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    from numba import config

    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path / "kept"))
    return tmp_path / "kept"


def called(capsys: pytest.CaptureFixture[str]) -> tuple[bool, list[str]]:
    jit._say.cache_clear()
    function: Any = jit.kept(double)
    assert function(2.0) == 4.0
    return bool(function.stats.cache_hits), capsys.readouterr().err.splitlines()


def test_a_damaged_file_is_set_aside_said_in_a_line_and_made_again(folder: Path, capsys: pytest.CaptureFixture[str]):
    assert called(capsys) == (False, [])
    assert called(capsys) == (True, [])
    (file,) = folder.rglob("*.nbc")
    whole = file.read_bytes()

    def sealed(content: bytes) -> bytes:
        return hashlib.sha256(content).digest() + content

    head = pickle.dumps(pickle.loads(whole[32:]))  # of this numba and source
    damaged = {
        "empty": b"",
        "cut": whole[: len(whole) // 2],
        "garbage": b"garbage",
        "a bit": whole[:900] + bytes([whole[900] ^ 1]) + whole[901:],
        "an empty page": whole[:-900] + bytes(512) + whole[-388:],
    }
    unreadable = {"no pickle": sealed(b"garbage"), "another's": sealed(head + pickle.dumps((1, 2)))}
    for name, content in (damaged | unreadable).items():
        file.write_bytes(content)
        was_read, (line,) = called(capsys)
        assert not was_read
        assert ("is damaged: set aside" if name in damaged else "is unreadable (") in line, name
        assert file.with_suffix(".damaged").read_bytes() == content
        assert called(capsys) == (True, []), name
    file.write_bytes(sealed(pickle.dumps(("0.0.1", None)) + b"what only that one can read"))
    assert called(capsys) == (False, [])  # of another numba: replaced without a word
    assert called(capsys) == (True, [])


def test_a_folder_that_takes_no_file_is_said_in_a_line_by_the_first_process(folder: Path, capsys, monkeypatch):
    called(capsys)
    begun: Any = jit.kept(double)
    was_there = begun._cache
    (at,) = folder.iterdir()
    for file in at.iterdir():
        file.unlink()
    at.rmdir()
    at.write_text("in its place")
    for why, shelf in {"Not a directory": was_there, "File exists": jit.Shelf(None, at)}.items():
        for name, lines in (("MainProcess", 1), ("SpawnPoolWorker-1", 1), ("SpawnPoolWorker-2", 0)):
            jit._say.cache_clear()
            monkeypatch.setattr(multiprocessing.current_process(), "name", name)
            function: Any = jit.kept(double)
            function._cache = shelf
            assert function(2.0) == 4.0
            messages = capsys.readouterr().err.splitlines()
            assert len(messages) == lines
            assert all(why in line and "each process compiles for itself" in line for line in messages)

"""Files that somebody gives us: mutated, special, endless, with names too long; each is read or refused in one line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.cases import each_case

from tower_sim.cli import main

NUMBER = 1000  # what goes wrong with one mutation of 330 is found with 0.95
HERE = Path(__file__).parent
SPEC = '[campaign]\nkind = "game"\napparatus = "amerigo"\nmodel = "two_thirds"\ngames = 1\nseed = "1"\n'


@pytest.mark.whole
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the memory in use is read from Linux's /proc")
def test_mutated_profiles_rules_rulings_variants_and_campaigns_are_read_or_refused(tmp_path: Path):
    """In a process of its own that may take 1 GiB more than its imports do; 5 s for each."""
    command = [sys.executable, str(HERE / "attack_files.py"), str(NUMBER), "20261122"]
    path = os.pathsep.join([str(HERE), str(HERE.parent)])
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env={**os.environ, "PYTHONPATH": path})
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout)
    assert found["failures"] == []
    assert found["read"] + found["refused"] == NUMBER
    assert found["read"] > NUMBER / 20
    assert found["refused"] > NUMBER / 2


READERS = {
    "profile": ("play", "amerigo", "--apparatus", "FILE", "--model", "two_thirds"),
    "profile shown": ("show", "FILE", "-o", "x.png"),
    "rules": ("play", "amerigo", "--rules", "FILE", "--model", "two_thirds"),
    "model": ("play", "amerigo", "--model", "FILE.json"),
    "state": ("drop", "amerigo", "--cubes", "blue=1", "--model", "two_thirds", "--state", "@FILE"),
    "rulings": ("battle", "--cubes", "purple=1,green=1", "--model", "surrogate", "--rulings", "FILE"),
    "game": ("play", "FILE.toml", "--model", "two_thirds"),
    "game compared": ("compare", "FILE.toml", "--set", "pick=most", "--games", "2"),
    "variant": ("compare", "FILE", "amerigo", "--games", "2"),
    "campaign file": ("campaign", "run", "FILE", "-o", "out"),
    "campaign status": ("campaign", "status", "FILE"),
    "manifest": ("campaign", "status", "HOLDER"),
    "study": ("study", "HOLDER", "-o", "out"),
    "fit": ("surrogate", "fit", "HOLDER", "-o", "m.json"),
    "checked model": ("surrogate", "check", "FILE.json", "HOLDER"),
    "exported model": ("surrogate", "export", "FILE.json", "--to", "js", "-o", "m.js"),
    "records": ("fairness", "FILE.csv"),
    "calibration": ("calibrate", "FILE.csv", "-o", "p.toml"),
    "observation": ("calibrate", "FILE.toml", "-o", "p.toml"),
}


@each_case("reader", READERS)
@each_case("kind", ["pipe", "endless", "large", "directory", "long name", "none", "latin", "zeros"])
def test_what_is_no_file_of_ours_is_refused_in_one_line(
    kind: str, reader: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "HOLDER").mkdir()
    arguments = [word.replace("FILE", "n" * 300 if kind == "long name" else "FILE") for word in READERS[reader]]
    for name in ("FILE", "FILE.json", "FILE.csv", "FILE.toml", "HOLDER/manifest.json"):
        if kind == "pipe":
            os.mkfifo(name)
        elif kind == "endless":
            os.symlink("/dev/zero", name)
        elif kind == "large":
            with open(name, "wb") as file:
                file.truncate(2**33)  # holes: takes no room
        elif kind == "directory":
            os.mkdir(name)
        elif kind == "latin":
            Path(name).write_bytes(b'x = "caf\xe9"\n')
        elif kind == "zeros":
            Path(name).write_bytes(bytes(1000))
    assert main(arguments) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.count("\n") == 1
    assert len(told.err) < 1100


WRITERS = {
    "picture": ("show", "amerigo", "-o", "FILE.png"),
    "game": ("play", "amerigo", "--model", "two_thirds", "--save-plot", "FILE.png"),
    "replay": ("drop", "amerigo", "--cubes", "blue=1", "--replay", "FILE.html"),
    "export": ("surrogate", "export", "amerigo", "--to", "js", "-o", "FILE"),
    "battle": ("battle", "--cubes", "purple=2,green=1", "--model", "surrogate", "--save-plot", "FILE.png"),
    "comparison": ("compare", "amerigo", "amerigo-club", "--games", "2", "--save-plot", "FILE.svg"),
    "fitted model": ("surrogate", "fit", "spec.toml", "-o", "FILE.json"),
    "campaign": ("campaign", "run", "spec.toml", "-o", "FILE"),
}


@each_case("writer", WRITERS)
def test_a_name_that_is_too_long_is_refused_in_one_line_before_any_work(
    writer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "spec.toml").write_text(SPEC)
    assert main([word.replace("FILE", "n" * 300) for word in WRITERS[writer]]) == 2
    told = capsys.readouterr()
    assert (told.out, told.err.count("\n")) == ("", 1)
    assert "File name too long" in told.err
    assert [path.name for path in tmp_path.iterdir()] == ["spec.toml"]

"""The container file: its steps, done as a script where no container runtime is, make a service that runs."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.network import Client

pytestmark = pytest.mark.posix
ROOT = Path(__file__).parent.parent
FILE = (ROOT / "docs/container/Containerfile").read_text("utf-8")
STEPS = ROOT / "docs/container/steps.sh"


def test_the_container_has_an_ordinary_user_and_writes_to_data_alone():
    words = [line.split(maxsplit=1) for line in FILE.splitlines() if line and not line.startswith("#")]
    said = [word for word, _ in words]
    assert said[0] == "FROM"
    assert said.index("USER") > max(i for i, word in enumerate(said) if word == "RUN")  # nothing is done as the user
    user = dict(words)["USER"]
    assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", user)
    assert '"/data/towers.db"' in FILE
    for line in FILE.splitlines():
        if line.startswith("COPY"):
            for source in line.split()[1:-1]:
                assert (ROOT / source).exists()


@pytest.mark.skipif(not hasattr(os, "getuid") or not shutil.which("setpriv"), reason="there is no setpriv")
def test_its_last_step_serves_from_a_root_that_holds_this_package(tmp_path: Path):
    """ENTRYPOINT and USER as they stand; what RUN would install is the package that is tested, through a launcher."""
    folder = tmp_path / "opt/tower_sim/bin"
    folder.mkdir(parents=True)
    (tmp_path / "data").mkdir()
    paths = os.pathsep.join(path for path in sys.path if path)
    launcher = folder / "tower-sim"
    launcher.write_text(f'#!/bin/sh\nPYTHONPATH="{paths}" exec "{sys.executable}" -m tower_sim "$@"\n')
    launcher.chmod(0o755)
    text = STEPS.read_text("utf-8").replace(
        '"$(id -u)" = 0', '"$(id -u)" = none'
    )  # Python may lie where only we may go
    (tmp_path / "docs/container").mkdir(parents=True)
    script = tmp_path / "docs/container/steps.sh"
    script.write_text(text)
    (tmp_path / "docs/container/Containerfile").write_text(FILE)
    process = subprocess.Popen(
        ["bash", str(script), "run", str(tmp_path), "--port", "0"], stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stderr
        line = process.stderr.readline()
        found = re.search(r"answers at http://127\.0\.0\.1:(\d+), keeps (.*);", line)
        assert found, line
        assert Path(found[2]) == tmp_path / "data/towers.db"
        got = Client(int(found[1])).post("/v1/drops", {"cubes": {"blue": 4}, "model": "surrogate"})
        assert got.status == 201
    finally:
        process.kill()
        process.communicate()


@pytest.mark.long
def test_every_step_from_an_empty_folder(tmp_path: Path):
    """Installs the package with all that it needs, and compiles the physics: minutes."""
    environment = os.environ | {"PYTHON": shutil.which("python3.11", path="/usr/bin:/usr/local/bin") or sys.executable}
    built = subprocess.run(
        [str(STEPS), "build", str(tmp_path / "root")], env=environment, capture_output=True, text=True
    )
    assert built.returncode == 0, built.stderr[-2000:]
    os.chmod(tmp_path, 0o755)
    for parent in tmp_path.parents:
        if parent.is_relative_to("/tmp") and parent != Path("/tmp"):
            os.chmod(parent, 0o755)
    process = subprocess.Popen(
        [str(STEPS), "run", str(tmp_path / "root"), "--port", "0"], stderr=subprocess.PIPE, text=True, env=environment
    )
    try:
        assert process.stderr
        line = process.stderr.readline()
        found = re.search(r"answers at http://127\.0\.0\.1:(\d+),", line)
        assert found, line
        assert Client(int(found[1])).post("/v1/drops", {"cubes": {"blue": 4}}).status == 201
        if os.getuid() == 0:
            (user,) = re.findall(r"^Uid:\s+(\d+)", Path(f"/proc/{process.pid}/status").read_text(), re.M)
            assert user == "10001"
    finally:
        process.kill()
        process.communicate()

"""The container file: its steps, done as a script where no container runtime is, make a service that runs."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from support.network import Client

pytestmark = pytest.mark.posix
ROOT = Path(__file__).parents[2]
FILE = (ROOT / "docs/container/Containerfile").read_text("utf-8")
STEPS = ROOT / "docs/container/steps.sh"


def test_the_container_has_an_ordinary_user_and_writes_to_data_alone():
    words = [line.split(maxsplit=1) for line in FILE.splitlines() if line and not line.startswith("#")]
    steps = [word for word, _ in words]
    assert steps[0] == "FROM"
    assert steps.index("USER") > max(i for i, word in enumerate(steps) if word == "RUN")  # nothing is done as the user
    user = dict(words)["USER"]
    assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", user)
    assert '"/data/towers.db"' in FILE
    for line in FILE.splitlines():
        if line.startswith("COPY"):
            for source in line.split()[1:-1]:
                assert (ROOT / source).exists()


def test_the_proxy_forwards_to_the_port_of_the_service_and_asks_a_path_that_there_is():
    text = (ROOT / "docs/container/Caddyfile").read_text("utf-8")
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]
    assert sum(line.endswith("{") for line in lines) == lines.count("}")
    forwards = [line.split()[1] for line in lines if line.startswith("reverse_proxy ")]
    port = re.search(r"^EXPOSE (\d+)$", FILE, re.M)
    assert port
    assert forwards == [f"127.0.0.1:{port[1]}"]
    assert "health_uri /readyz" in lines
    assert "max_size 1MiB" in lines  # as --max-body
    if caddy := shutil.which("caddy"):
        command = [caddy, "validate", "--adapter", "caddyfile", "--config", str(ROOT / "docs/container/Caddyfile")]
        assert subprocess.run(command, capture_output=True).returncode == 0


def can_seal() -> bool:
    """Whether a mount namespace may be made here, as root may unless it is itself in a container without that right."""
    tried = ["unshare", "--mount", "mount", "-o", "remount,bind,ro", "/proc"]
    return bool(shutil.which("unshare")) and subprocess.run(tried, capture_output=True).returncode == 0


def within(process: int, *command: str) -> subprocess.CompletedProcess[str]:
    whole = ["nsenter", "--target", str(process), "--mount", *command]
    return subprocess.run(whole, capture_output=True, text=True, env=os.environ | {"LC_ALL": "C"})


def assert_read_only_but_for_data(process: int, root: Path) -> None:
    """Not even root can write outside of data, anywhere that the service sees."""
    mounts = [line.split() for line in Path(f"/proc/{process}/mounts").read_text().splitlines()]
    seen = {place: options.split(",") for _, place, _, options, *_ in mounts}  # the last of a place hides the others
    assert [place for place, options in seen.items() if "rw" in options] == [str(root / "data")]
    for place in (root / "opt", root, Path("/tmp"), Path("/etc"), Path("/dev/shm")):
        refused = within(process, "touch", str(place / "something"))
        assert (refused.returncode, "Read-only file system" in refused.stderr) == (1, True), refused
    assert within(process, "touch", str(root / "data/something")).returncode == 0


@contextmanager
def served(script: Path, root: Path, *options: str) -> Iterator[tuple[Client, int]]:
    command = ["bash", str(script), "run", *options, str(root), "--port", "0"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr
        line = process.stderr.readline()
        match = re.search(r"answers at http://127\.0\.0\.1:(\d+), keeps (.*);", line)
        assert match, line
        assert Path(match[2]) == root / "data/towers.db"
        yield Client(int(match[1])), process.pid
    finally:
        process.kill()
        process.communicate()


@pytest.mark.skipif(not shutil.which("setpriv"), reason="there is no setpriv")
@pytest.mark.parametrize("options", [(), ("--read-only",)])
def test_its_last_step_serves_from_a_root_that_holds_this_package(tmp_path: Path, options: tuple[str, ...]):
    """ENTRYPOINT as it stands; what RUN would install is the package that is tested, through a launcher.

    The physics runs by wasmtime, which starts at once. In the container numba runs it, compiled when the container
    is built: see the long test.
    """
    if options and not can_seal():
        pytest.skip("a mount namespace cannot be made here: that needs root")
    folder = tmp_path / "opt/tower_sim/bin"
    folder.mkdir(parents=True)
    (tmp_path / "data").mkdir()
    paths = os.pathsep.join(path for path in sys.path if path)
    launcher = folder / "tower-sim"
    launcher.write_text(
        f'#!/bin/sh\nTOWER_SIM_CORE=wasm PYTHONPATH="{paths}" exec "{sys.executable}" -m tower_sim "$@"\n'
    )
    launcher.chmod(0o755)
    text = STEPS.read_text("utf-8")
    assert '"$(id -u)" = 0' in text
    text = text.replace('"$(id -u)" = 0', '"$(id -u)" = none')  # Python may lie where only we may go
    (tmp_path / "docs/container").mkdir(parents=True)
    script = tmp_path / "docs/container/steps.sh"
    script.write_text(text)
    script.chmod(0o755)
    (tmp_path / "docs/container/Containerfile").write_text(FILE)
    with served(script, tmp_path, *options) as (client, process):
        assert client.post("/v1/drops", {"cubes": {"blue": 4}, "model": "surrogate"}).status == 201
        if options:
            assert_read_only_but_for_data(process, tmp_path)


@pytest.mark.long
def test_every_step_from_an_empty_folder(tmp_path: Path):
    """Installs the package with all that it needs, and compiles the physics: minutes."""
    environment = os.environ | {"PYTHON": shutil.which("python3.11", path="/usr/bin:/usr/local/bin") or sys.executable}
    command = [str(STEPS), "build", str(tmp_path / "root")]
    built = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr[-2000:]
    os.chmod(tmp_path, 0o755)
    for parent in tmp_path.parents:
        if parent.is_relative_to("/tmp") and parent != Path("/tmp"):
            os.chmod(parent, 0o755)
    is_sealed = can_seal()
    with served(STEPS, tmp_path / "root", *["--read-only"] * is_sealed) as (client, process):
        assert client.post("/v1/drops", {"cubes": {"blue": 4}}).status == 201
        if is_sealed:
            assert_read_only_but_for_data(process, tmp_path / "root")
        if os.getuid() == 0:
            (user,) = re.findall(r"^Uid:\s+(\d+)", Path(f"/proc/{process}/status").read_text(), re.M)
            assert user == "10001"

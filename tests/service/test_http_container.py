"""The container file: its steps, done as a script where no container runtime is, make a service that runs."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from support.network import Client, running, until

pytestmark = pytest.mark.posix
ROOT = Path(__file__).parents[2]
FILE = (ROOT / "docs/container/Containerfile").read_text("utf-8")
STEPS = ROOT / "docs/container/steps.sh"
CADDY = shutil.which("caddy")


def test_the_container_has_an_ordinary_user_and_copies_what_there_is():
    words = [line.split(maxsplit=1) for line in FILE.splitlines() if line and not line.startswith("#")]
    steps = [word for word, _ in words]
    assert steps[0] == "FROM"
    assert steps.index("USER") > max(i for i, word in enumerate(steps) if word == "RUN")  # nothing is done as the user
    assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", dict(words)["USER"])
    for line in FILE.splitlines():
        if line.startswith("COPY"):
            for source in line.split()[1:-1]:
                assert (ROOT / source).exists()


def test_the_proxy_forwards_to_the_servers_that_run_beside_it():
    proxy, compose = ((ROOT / "docs/container" / name).read_text("utf-8") for name in ("Caddyfile", "compose.yaml"))
    (port,) = re.findall(r"^EXPOSE (\d+)$", FILE, re.M)
    (servers,) = re.findall(r"^ +SERVERS: (.*)$", compose, re.M)
    assert f"reverse_proxy {{$SERVERS:{servers}}} {{" in proxy
    names = re.findall(r"^  (\w+):(?: &server| \*server)$", compose, re.M)
    assert [f"{name}:{port}" for name in names] == servers.split()
    for line in ("health_uri /readyz", "max_size 1MiB"):  # as max_body
        assert line in proxy


@pytest.mark.skipif(not CADDY, reason="there is no caddy")
def test_behind_the_proxy_the_death_of_a_server_costs_few_requests_a_repetition(tmp_path: Path):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    body = {"cubes": {"blue": 20}, "seed": "7"}
    with running("--workers", "1") as one, running("--workers", "1") as two:
        servers = f"127.0.0.1:{one.port} 127.0.0.1:{two.port}"
        env = os.environ | {"SITE": f"http://:{port}", "SERVERS": servers, "HOME": str(tmp_path)}
        command = [str(CADDY), "run", "--adapter", "caddyfile", "--config", str(ROOT / "docs/container/Caddyfile")]
        with subprocess.Popen(command, env=env, stderr=subprocess.DEVNULL) as proxy:
            try:
                client = Client(port)
                until(lambda: answers(client))
                found = {client.post("/v1/drops", body).body}
                killer = threading.Timer(0.3, one.process.kill)
                killer.start()
                statuses: list[int] = []
                while statuses.count(200) < 40:
                    got = client.post("/v1/drops", body)
                    statuses.append(got.status)
                    found |= {got.body} if got.status == 200 else set()
                assert one.process.wait(10) != 0
                assert set(statuses) <= {200, 502, 503}
                assert len(statuses) < 45
                assert found == {two.client().post("/v1/drops", body).body}
            finally:
                proxy.kill()


def answers(client: Client) -> bool:
    try:
        return client.get("/readyz").status == 200
    except OSError:
        client.close()
        return False


def can_seal() -> bool:
    """Whether a mount namespace may be made here, as root may unless it is itself in a container without that right."""
    tried = ["unshare", "--mount", "mount", "-o", "remount,bind,ro", "/proc"]
    return bool(shutil.which("unshare")) and subprocess.run(tried, capture_output=True).returncode == 0


def within(process: int, *command: str) -> subprocess.CompletedProcess[str]:
    whole = ["nsenter", "--target", str(process), "--mount", *command]
    return subprocess.run(whole, capture_output=True, text=True, env=os.environ | {"LC_ALL": "C"})


def assert_read_only(process: int, root: Path) -> None:
    """Not even root can write anywhere that the service sees."""
    mounts = [line.split() for line in Path(f"/proc/{process}/mounts").read_text().splitlines()]
    seen = {place: options.split(",") for _, place, _, options, *_ in mounts}  # the last of a place hides the others
    assert [place for place, options in seen.items() if "rw" in options] == []
    for place in (root / "opt", root, Path("/tmp"), Path("/etc"), Path("/dev/shm")):
        refused = within(process, "touch", str(place / "something"))
        assert (refused.returncode, "Read-only file system" in refused.stderr) == (1, True), refused


@contextmanager
def served(script: Path, root: Path, *options: str) -> Iterator[tuple[Client, int]]:
    command = ["bash", str(script), "run", *options, str(root), "--port", "0"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr
        line = process.stderr.readline()
        match = re.search(r"answers at http://127\.0\.0\.1:(\d+);", line)
        assert match, line
        yield Client(int(match[1])), process.pid
    finally:
        process.kill()
        process.communicate()


@pytest.mark.skipif(not shutil.which("setpriv"), reason="there is no setpriv")
@pytest.mark.parametrize("options", [(), ("--read-only",)])
def test_its_last_step_serves_from_a_root_that_holds_this_package(tmp_path: Path, options: tuple[str, ...]):
    """ENTRYPOINT as it stands; what RUN would install is the package that is tested, through a launcher."""
    if options and not can_seal():
        pytest.skip("a mount namespace cannot be made here: that needs root")
    folder = tmp_path / "opt/tower_sim/bin"
    folder.mkdir(parents=True)
    paths = os.pathsep.join(path for path in sys.path if path)
    launcher = folder / "tower-sim"
    launcher.write_text(f'#!/bin/sh\nPYTHONPATH="{paths}" exec "{sys.executable}" -m tower_sim "$@"\n')
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
        assert client.post("/v1/drops", {"cubes": {"blue": 4}, "model": "surrogate"}).status == 200
        if options:
            assert_read_only(process, tmp_path)


@pytest.mark.long
def test_every_step_from_an_empty_folder(tmp_path: Path):
    """Installs the package with all that it needs: minutes."""
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
        assert client.post("/v1/drops", {"cubes": {"blue": 4}}).status == 200
        if is_sealed:
            assert_read_only(process, tmp_path / "root")
        if os.getuid() == 0:
            (user,) = re.findall(r"^Uid:\s+(\d+)", Path(f"/proc/{process}/status").read_text(), re.M)
            assert user == "10001"

"""The chat example: interactions as Discord documents them, signed, answered from a service of the documented form."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, cast

import pytest
from support.cases import each_case
from support.node import NODE, PORTS

CHAT = Path(__file__).parents[2] / "docs/clients/chat.mjs"
NEEDED = ("fastapi", "uvicorn", "httptools", "prometheus_client")
TOKEN = "a token that is long enough"
# Signs with a key of its own: prints the public half, then for every line of JSON the signature of time and body.
SIGNER = """
import { generateKeyPairSync, sign } from "node:crypto";
import { createInterface } from "node:readline";
const { publicKey, privateKey } = generateKeyPairSync("ed25519");
console.log(Buffer.from(publicKey.export({ format: "jwk" }).x, "base64url").toString("hex"));
for await (const line of createInterface({ input: process.stdin })) {
  console.log(sign(null, Buffer.from(JSON.parse(line)), privateKey).toString("hex"));
}
"""

pytestmark = PORTS


class Service(ThreadingHTTPServer):
    """A stand-in of the service: every other cube comes out, what is asked with a known key is answered as before."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.requests: list[tuple[str, dict[str, Any]]] = []
        self.answers: dict[tuple[str, str], tuple[int, dict[str, Any]]] = {}
        self.towers: dict[str, int] = {}

    def answer(self, path: str, key: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Return the status and the answer, and do a thing once for each key."""
        if (path, key) not in self.answers:
            self.requests.append((path, body))
            self.answers[path, key] = self._make_answer(path, body)
        return self.answers[path, key]

    def _make_answer(self, path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        if path == "/v1/towers":
            tower = f"{len(self.towers):032x}"
            self.towers[tower] = 0
            return 201, {"id": tower, "inside": {}, **body}
        tower = path.split("/")[3]
        count = sum(body["cubes"].values())
        if count > 1000:
            return 422, {"title": "Unprocessable Content", "detail": f"cubes are {count}; allowed are 1000 at most"}
        self.towers[tower] += count - count // 2
        return 201, {"tower": tower, "emerged": {"blue": count // 2, "red": 0}, "inside": {"red": self.towers[tower]}}


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        key = self.headers.get("Idempotency-Key", "")
        status, answer = 401, {"title": "Unauthorized"}
        if self.headers.get("Authorization") == f"Bearer {TOKEN}" and 16 <= len(key) <= 255:
            status, answer = cast("Service", self.server).answer(self.path, key, body)
        text = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json" if status < 400 else "application/problem+json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


class Chat:
    """The example as it runs, and Discord before it."""

    def __init__(self, address: str, signer: subprocess.Popen[str]) -> None:
        self.address = address
        self._signer = signer

    def send(self, interaction: dict[str, Any], *, tampered: bool = False) -> tuple[int, Any]:
        time, body = "1700000000", json.dumps(interaction)
        assert self._signer.stdin is not None
        assert self._signer.stdout is not None
        print(json.dumps(time + body), file=self._signer.stdin, flush=True)
        signature = self._signer.stdout.readline().strip()
        headers = {"X-Signature-Ed25519": signature, "X-Signature-Timestamp": time}
        data = (body.replace("4blue", "9blue") if tampered else body).encode()
        request = urllib.request.Request(self.address, data, headers, method="POST")
        try:
            with urllib.request.urlopen(request, timeout=30) as response:
                return response.status, json.loads(response.read())
        except urllib.error.HTTPError as error:
            return error.code, json.loads(error.read())

    def says(self, text: str, number: int, channel: str = "7") -> str:
        options = [{"name": "cubes", "value": text}]
        command = {"type": 2, "id": str(number), "channel_id": channel, "data": {"name": "tower", "options": options}}
        status, answer = self.send(command)
        assert (status, answer["type"]) == (200, 4)
        return answer["data"]["content"]


@contextmanager
def chatting(service: str, token: str) -> Iterator[Chat]:
    signed = [str(NODE), "--input-type=module", "-e", SIGNER]
    with subprocess.Popen(signed, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as signer:
        assert signer.stdout is not None
        public = signer.stdout.readline().strip()
        env = {**os.environ, "PUBLIC_KEY": public, "TOWER_SIM": service, "TOKEN": token, "PORT": "0"}
        with subprocess.Popen([str(NODE), str(CHAT)], env=env, stdout=subprocess.PIPE, text=True) as program:
            assert program.stdout is not None
            try:
                port = program.stdout.readline().split()[-1]
                yield Chat(f"http://127.0.0.1:{port}", signer)
            finally:
                program.kill()
                signer.kill()


@contextmanager
def serving() -> Iterator[Service]:
    with Service() as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def test_a_channel_throws_into_its_own_tower_and_a_command_twice_throws_once():
    with serving() as service, chatting(f"http://127.0.0.1:{service.server_port}", TOKEN) as chat:
        assert chat.send({"type": 1}) == (200, {"type": 1})
        assert chat.says("4blue 2 red", 11) == "Out comes 3 blue; inside now: 3 red."
        assert chat.says("4blue 2 red", 11) == "Out comes 3 blue; inside now: 3 red."
        assert chat.says("1blue 1blue", 12) == "Out comes 1 blue; inside now: 4 red."
        assert chat.says("1red", 13, channel="8") == "Out comes nothing; inside now: 1 red."
        first, second = service.towers
        tower = "/v1/towers", {"apparatus": "amerigo", "model": "surrogate"}
        assert service.requests == [
            tower,
            (f"/v1/towers/{first}/drops", {"cubes": {"blue": 4, "red": 2}}),
            (f"/v1/towers/{first}/drops", {"cubes": {"blue": 2}}),
            tower,
            (f"/v1/towers/{second}/drops", {"cubes": {"red": 1}}),
        ]
        assert {len(key) for _, key in service.answers} == {64}


def test_what_is_not_discords_or_cannot_be_thrown_throws_nothing():
    with serving() as service, chatting(f"http://127.0.0.1:{service.server_port}", TOKEN) as chat:
        data = {"name": "tower", "options": [{"value": "4blue"}]}
        forged = {"type": 2, "id": "1", "channel_id": "7", "data": data}
        assert chat.send(forged, tampered=True)[0] == 401
        assert chat.send({"type": 3})[0] == 400
        assert "say how many" in chat.says("all of them", 2)
        assert service.requests[1:] == []
        assert chat.says("1001red", 3) == "Nothing was thrown: cubes are 1001; allowed are 1000 at most"
    with chatting(f"http://127.0.0.1:{service.server_port}", TOKEN) as chat:
        assert chat.says("4blue", 4) == "Nothing was thrown: the service of the towers does not answer"


def test_a_request_that_breaks_off_does_not_end_it():
    with serving() as service, chatting(f"http://127.0.0.1:{service.server_port}", TOKEN) as chat:
        host, port = chat.address.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port))) as broken:
            broken.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf")
            assert chat.send({"type": 1}) == (200, {"type": 1})  # now it waits for the other half
        for _ in range(3):
            assert chat.send({"type": 1}) == (200, {"type": 1})


@each_case("key", [None, "", "0f", "g" * 64])
def test_a_key_that_is_none_is_told_in_one_line(key: str | None):
    env = {name: value for name, value in os.environ.items() if name != "PUBLIC_KEY"}
    env |= {} if key is None else {"PUBLIC_KEY": key}
    done = subprocess.run([str(NODE), str(CHAT)], env=env, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(r'PUBLIC_KEY is ".*"; allowed is [^\n]*\n', done.stderr)


def test_without_its_token_the_service_is_not_asked():
    with serving() as service, chatting(f"http://127.0.0.1:{service.server_port}", "another") as chat:
        assert chat.says("4blue", 1) == "Nothing was thrown: Unauthorized"
        assert service.requests == []


@pytest.mark.skipif(
    not all(importlib.util.find_spec(name) for name in NEEDED),
    reason="the extra service is not installed: pip install '.[service]'",
)
def test_the_real_service_keeps_a_channels_tower(tmp_path: Path):
    (tmp_path / "token").write_text(TOKEN.replace(" ", "-"), "utf-8")
    (line,) = re.findall(r"<!-- chat -->\n```sh\ntower-sim (.*) &\n", (CHAT.parents[1] / "npm.md").read_text("utf-8"))
    words = line.replace("--port 8484", "--port 0").split()
    command = [sys.executable, "-m", "tower_sim", *words, "--token-file", "token"]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(CHAT.parents[2]), os.environ.get("PYTHONPATH", "")])}
    with subprocess.Popen(command, cwd=tmp_path, env=env, stderr=subprocess.PIPE, text=True) as service:
        assert service.stderr is not None
        try:
            address = next((match for line in service.stderr if (match := re.search(r"http://\S+:\d+", line))), None)
            assert address is not None
            with chatting(address[0], TOKEN.replace(" ", "-")) as chat:
                texts = [chat.says("12blue 3red", 1), chat.says("12blue 3red", 1), chat.says("1green", 2)]
                other = chat.says("1green", 3, channel="8")
                refused = chat.says("99999999blue", 4)
        finally:
            service.terminate()
    counts = [sum(map(int, re.findall(r"\d+", text))) for text in [*texts, other]]
    assert texts[0] == texts[1]
    assert counts[0] == 15
    assert sum(map(int, re.findall(r"\d+", texts[0].split(";")[1]))) + 1 == counts[2]
    assert counts[3] == 1
    assert refused.startswith("Nothing was thrown: ")
    assert "99999999" in refused

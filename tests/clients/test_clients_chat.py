"""The chat example: interactions as Discord documents them, signed, answered from the service."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from support.cases import each_case
from support.command_line import COMMANDS
from support.network import Running, running
from support.node import NODE, PORTS

from tower_sim import TowerState

CHAT = Path(__file__).parents[2] / "docs/clients/chat.mjs"
TOKEN = "a-token-that-is-long-enough"
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

pytestmark = [*PORTS, pytest.mark.posix]


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
def chatting(service: str, token: str, towers: Path) -> Iterator[Chat]:
    signed = [str(NODE), "--input-type=module", "-e", SIGNER]
    with subprocess.Popen(signed, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as signer:
        assert signer.stdout is not None
        public = signer.stdout.readline().strip()
        env = {**os.environ, "PUBLIC_KEY": public, "TOWER_SIM": service, "TOKEN": token, "PORT": "0"}
        env["TOWERS"] = str(towers)
        with subprocess.Popen([str(NODE), str(CHAT)], env=env, stdout=subprocess.PIPE, text=True) as program:
            assert program.stdout is not None
            try:
                port = program.stdout.readline().split()[-1]
                yield Chat(f"http://127.0.0.1:{port}", signer)
            finally:
                program.kill()
                signer.kill()


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Running]:
    (tmp_path / "token").write_text(TOKEN, "utf-8")
    with running("--token-file", str(tmp_path / "token"), "--workers", "1") as service:
        yield service


def name_cubes(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{number} {colour}" for colour, number in counts.items() if number) or "nothing"


def said(document: dict[str, Any]) -> str:
    return f"Out comes {name_cubes(document['emerged'])}; inside now: {name_cubes(document['inside'])}."


def test_a_channel_throws_into_its_own_tower_and_a_command_twice_throws_once(service: Running, tmp_path: Path):
    address, towers = f"http://127.0.0.1:{service.port}", tmp_path / "towers.json"
    with chatting(address, TOKEN, towers) as chat:
        assert chat.send({"type": 1}) == (200, {"type": 1})
        first, again = (chat.says("4blue 2 red", 11) for _ in range(2))
        kept = json.loads(towers.read_text())
        other = chat.says("1red", 13, channel="8")
    with chatting(address, TOKEN, towers) as chat:  # the file outlives the program
        assert chat.says("4blue 2 red", 11) == first == again == said(kept["7"])
        second = chat.says("1blue 1blue", 12)
    after = json.loads(towers.read_text())
    assert [second, other] == [said(after["7"]), said(after["8"])]
    drops = [
        [(event.kind, name_cubes(Counter(cube.colour for cube in event.thrown))) for event in state.log]
        for state in (TowerState.from_token(after[channel]["state"]) for channel in ("7", "8"))
    ]
    assert drops == [[("drop", "4 blue, 2 red"), ("drop", "2 blue")], [("drop", "1 red")]]


def test_what_is_not_discords_or_cannot_be_thrown_throws_nothing(service: Running, tmp_path: Path):
    address, towers = f"http://127.0.0.1:{service.port}", tmp_path / "towers.json"
    with chatting(address, TOKEN, towers) as chat:
        data = {"name": "tower", "options": [{"value": "4blue"}]}
        forged = {"type": 2, "id": "1", "channel_id": "7", "data": data}
        assert chat.send(forged, tampered=True)[0] == 401
        assert chat.send({"type": 3})[0] == 400
        assert "say how many" in chat.says("all of them", 2)
        assert chat.says("501red", 3).startswith("Nothing was thrown: cubes.red is 501; allowed is ")
    with chatting(address, "another", towers) as chat:
        assert chat.says("4blue", 1) == "Nothing was thrown: Send the token that this service was started with."
    service.kill()
    with chatting(address, TOKEN, towers) as chat:
        assert chat.says("4blue", 4) == "Nothing was thrown: the service of the towers does not answer"
    assert not towers.exists()


def test_a_request_that_breaks_off_does_not_end_it(tmp_path: Path):
    with chatting("http://127.0.0.1:9", TOKEN, tmp_path / "towers.json") as chat:
        host, port = chat.address.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port))) as broken:
            broken.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf")
            assert chat.send({"type": 1}) == (200, {"type": 1})  # now it waits for the other half
        for _ in range(3):
            assert chat.send({"type": 1}) == (200, {"type": 1})


@each_case("key", [None, "", "0f", "g" * 64])
def test_a_key_that_is_none_is_refused_in_one_line(key: str | None):
    env = {name: value for name, value in os.environ.items() if name != "PUBLIC_KEY"}
    env |= {} if key is None else {"PUBLIC_KEY": key}
    done = subprocess.run([str(NODE), str(CHAT)], env=env, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(r'PUBLIC_KEY is ".*"; allowed is [^\n]*\n', done.stderr)


def test_the_page_starts_the_service_with_options_that_it_has():
    (line,) = re.findall(
        r"<!-- chat -->\n```sh\ntower-sim serve (.*) &\n", (CHAT.parents[1] / "npm.md").read_text("utf-8")
    )
    assert COMMANDS["serve"].make_context("serve", line.split()).params["http"]

"""The service on the network in a process of its own, asked as any client does."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tower_sim.service import Limits

_AT = re.compile(r"answers at http://127\.0\.0\.1:(\d+);")
_KEPT = 2.0  # s: a connection that nobody uses for 5 is closed by the service


def until(condition: Callable[[], object]) -> None:
    """Wait until a condition holds; an AssertionError when it has not after a minute."""
    for _ in range(3000):
        if condition():
            return
        time.sleep(0.02)
    raise AssertionError("it never came")


@dataclass
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def document(self) -> Any:
        return json.loads(self.body)

    @property
    def code(self) -> str:
        assert self.headers["content-type"] == "application/problem+json", self
        document = self.document
        assert document["status"] == self.status
        return document["code"]


class Client:
    """One connection that is kept; raises OSError or http.client.HTTPException when the service is gone."""

    def __init__(self, port: int, token: str = "") -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        self._token = token
        self._used = time.monotonic()

    def ask(self, method: str, path: str, body: Any = None, *, raw: bytes | None = None, **headers: str) -> Answer:
        """Send a request; `headers` by their names with underscores."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if body is not None or raw is not None:
            sent.setdefault("content-type", "application/json")
            raw = json.dumps(body).encode() if raw is None else raw
        if self._token:
            sent.setdefault("authorization", f"Bearer {self._token}")
        if time.monotonic() - self._used > _KEPT:
            self._connection.close()  # and opened again by the request
        self._connection.request(method, path, raw, sent)
        got = self._connection.getresponse()
        answer = Answer(got.status, {name.lower(): value for name, value in got.getheaders()}, got.read())
        self._used = time.monotonic()
        return answer

    def get(self, path: str, **headers: str) -> Answer:
        return self.ask("GET", path, raw=None, **headers)

    def post(self, path: str, body: Any, **headers: str) -> Answer:
        return self.ask("POST", path, body, raw=None, **headers)

    def close(self) -> None:
        self._connection.close()


def _with_limits(options: Sequence[str]) -> list[str]:
    """Write the limits among the options, such as --queue 9, into a file."""
    pairs = [*zip(options[::2], options[1::2], strict=True)]
    limits = {name[2:].replace("-", "_"): value for name, value in pairs}
    known = {name: value for name, value in limits.items() if name in Limits.model_fields}
    if not known:
        return list(options)
    file = Path(tempfile.mkdtemp()) / "limits.toml"
    file.write_text("".join(f"{name} = {value}\n" for name, value in known.items()))
    rest = [word for name, value in pairs if name[2:].replace("-", "_") not in known for word in (name, value)]
    return [*rest, "--limits", str(file)]


class Running:
    """A service at work on a free port."""

    def __init__(self, *options: str) -> None:
        command = [sys.executable, "-m", "tower_sim", "serve", "--http", "--port", "0", *_with_limits(options)]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)
        self.said: list[str] = []
        assert self.process.stderr
        for line in self.process.stderr:
            self.said.append(line)
            if found := _AT.search(line):
                self.port = int(found[1])
                break
        else:
            raise AssertionError("".join(self.said))
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stderr
        self.said.extend(self.process.stderr)

    def client(self, token: str = "") -> Client:
        return Client(self.port, token)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        self._reader.join(10)

    def stop(self) -> int:
        """Ask it to stop, and return its exit status."""
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(60)
        finally:
            self.kill()


@contextmanager
def running(*options: str) -> Iterator[Running]:
    service = Running(*options)
    try:
        yield service
    finally:
        service.kill()

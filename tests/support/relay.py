"""A relay between programs on this machine that keeps what the one that is asked says."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Thread

_TRIES = 600  # half a minute


class Relay:
    """Hands on every connection to `port`, from a port of its own; `said` is all that came back, in pieces."""

    def __init__(self, port: int) -> None:
        self._to = port
        self._door = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._door.getsockname()[1]
        self.said: list[bytes] = []
        Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):  # the door was closed
            while True:
                asking, _ = self._door.accept()
                Thread(target=self._hand_on, args=(asking,), daemon=True).start()

    def _hand_on(self, asking: socket.socket) -> None:
        """Connect as soon as somebody listens: a program that starts up is not missing."""
        for _ in range(_TRIES):
            with suppress(ConnectionRefusedError):
                asked = socket.create_connection(("127.0.0.1", self._to))
                Thread(target=_copy, args=(asking, asked, None), daemon=True).start()
                _copy(asked, asking, self.said)
                return
            time.sleep(0.05)
        asking.close()

    def close(self) -> None:
        """Take no more connections."""
        self._door.close()


def _copy(source: socket.socket, target: socket.socket, kept: list[bytes] | None) -> None:
    with suppress(OSError):
        while data := source.recv(65536):
            if kept is not None:
                kept.append(data)
            target.sendall(data)
    with suppress(OSError):
        target.shutdown(socket.SHUT_WR)


@contextmanager
def relay(port: int) -> Iterator[Relay]:
    """Give a relay to `port`, and close it afterwards."""
    found = Relay(port)
    try:
        yield found
    finally:
        found.close()


def free_port() -> int:
    """Return a port that is free now."""
    with socket.create_server(("127.0.0.1", 0)) as door:
        return door.getsockname()[1]

"""Connections: how many of one caller and of all, and how long a request may take to arrive or an answer to be taken.

The server that is under the application waits for its clients as long as they like.
"""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from typing import Any, cast

import httptools
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from tower_sim.service.http.hosts import caller
from tower_sim.service.http.problems import MEDIA, Problem
from tower_sim.service.http.settings import Settings

MOST_HEAD = 65_536  # bytes of the first line and the headers of a request
MOST_AHEAD = 32  # requests that a client sends before the first of them is answered
_SWEEPS = 4  # within the time that something may take


class Gate:
    """The connections of a service at work."""

    def __init__(self, settings: Settings) -> None:
        self._most, self._of_one = settings.connections, settings.per_address
        self._patience = float(settings.patience)
        self._open: dict[str, set[Connection]] = {}
        self._sweeping: asyncio.TimerHandle | None = None
        self.number = 0
        self.closed = 0

    def connect(self, **given: Any) -> Connection:
        """Return the protocol of a new connection, as uvicorn asks for it."""
        return Connection(self, **given)

    def enter(self, one: Connection) -> bool:
        """Let a connection in, and close another for it where there are too many; False where none can be closed.

        That is the one that has waited longest for its client: of the same caller, or of the caller with most.
        """
        there = self._open.get(one.caller, set[Connection]())
        if self._of_one and len(there) >= self._of_one:
            crowd = there
        elif self.number >= self._most:
            crowd = max(self._open.values(), key=len)
        else:
            crowd = None
        if crowd is not None:
            idle = [each for each in crowd if each.is_waiting]
            if not idle:
                return False
            self.close(min(idle, key=lambda each: each.since))
        self._open.setdefault(one.caller, set()).add(one)
        self.number += 1
        if self._sweeping is None:
            self._sweep_later(one.loop)
        return True

    def leave(self, one: Connection) -> None:
        """Forget a connection, if it was let in."""
        there = self._open.get(one.caller, set[Connection]())
        if one in there:
            there.remove(one)
            self.number -= 1
            if not there:
                del self._open[one.caller]

    def close(self, one: Connection) -> None:
        """End a connection that keeps others waiting."""
        self.closed += 1
        self.leave(one)
        one.end("slow", "The request was not here in time; send the same again.")

    def _sweep_later(self, loop: asyncio.AbstractEventLoop) -> None:
        self._sweeping = loop.call_later(self._patience / _SWEEPS, self._sweep, loop)

    def _sweep(self, loop: asyncio.AbstractEventLoop) -> None:
        now = loop.time()
        for each in [each for there in self._open.values() for each in there]:
            if each.is_late(now, self._patience):
                self.close(each)
        self._sweeping = None
        if self.number:
            self._sweep_later(loop)


class Connection(HttpToolsProtocol):
    """A connection, which knows `since` when (the loop's time) its client has not done what it is waited for."""

    def __init__(self, gate: Gate, **given: Any) -> None:
        super().__init__(**given)
        self._gate = gate
        self._head = 0  # bytes that came since the last request of which there are all headers
        self._heads = 0  # such requests
        self._is_body = False
        self._unsent = 0
        self.caller = ""
        self.since = 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin, if the gate lets it in."""
        super().connection_made(transport)
        self.caller = caller(self.client[0]) if self.client else ""
        self.since = self.loop.time()
        if not self._gate.enter(self):
            self.end("busy", "Too many connections at once; ask again in a moment.")

    def connection_lost(self, exc: Exception | None) -> None:
        """End."""
        self._gate.leave(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read on, unless what stands before a body is too long."""
        was_body, before = self._is_body, self._heads
        super().data_received(data)
        if was_body or self._is_body or self._heads > before:
            self._head = 0
            return
        self._head += len(data)
        if self._head > MOST_HEAD and not self.transport.is_closing():
            self.end("head.too_large", f"The first line and the headers have more than {MOST_HEAD} bytes.")

    def on_message_begin(self) -> None:
        """Begin a request, unless too many are sent ahead."""
        self.since = self.loop.time()
        if len(self.pipeline) >= MOST_AHEAD:
            raise httptools.HttpParserError("too many requests before an answer")
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Go on with the body."""
        self._heads += 1
        self._is_body = True
        self.since = self.loop.time()
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """Go on with the next request."""
        self._is_body = False
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """Wait for another request."""
        self.since = self.loop.time()
        super().on_response_complete()

    def resume_writing(self) -> None:
        """Go on, since the client has taken what was sent."""
        self.since = self.loop.time()
        super().resume_writing()

    @property
    def is_waiting(self) -> bool:
        """Whether it is the client's turn: to send the rest of a request, or another."""
        last = self._last
        return not self.pipeline and (last is None or last.response_complete or last.more_body)

    @property
    def _last(self) -> RequestResponseCycle | None:
        """The request of which there are all headers."""
        return cast("RequestResponseCycle | None", self.cycle)

    def is_late(self, now: float, patience: float) -> bool:
        """Say whether its client has done nothing of what it is waited for, for longer than `patience` (s).

        The body of a request that is being read is waited for by its reader, which tells its client more.
        """
        unsent = self.transport.get_write_buffer_size()
        if unsent and not 0 < self._unsent <= unsent:
            self.since = now  # it takes what is sent
        self._unsent = unsent
        last = self._last
        is_read = last is not None and last.more_body and not last.response_complete
        if is_read or not (unsent or self.is_waiting):
            return False
        return now - self.since > patience

    def end(self, code: str, detail: str) -> None:
        """Close the connection; where a request has begun that nobody answers yet, say why."""
        if self.transport.get_write_buffer_size():  # and it does not take what is sent
            self.transport.abort()
            return
        is_answered = self._last is not None and not self._last.response_complete
        if not is_answered and (self._head or code == "busy"):
            self.transport.write(_answer(Problem(code, detail)))
        self.transport.close()


def _answer(problem: Problem) -> bytes:
    body, phrase = problem.body(), HTTPStatus(problem.status).phrase
    head = f"Content-Type: {MEDIA}\r\nContent-Length: {len(body)}\r\nConnection: close"
    return f"HTTP/1.1 {problem.status} {phrase}\r\n{head}\r\n\r\n".encode() + body

"""The service on the network within this process, without a connection: what an application is given and gives."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

from support.network import Answer

from tower_sim.service.http.app import application
from tower_sim.service.http.gate import Gate
from tower_sim.service.http.hosts import Hosts
from tower_sim.service.http.settings import Settings

HOST = {"host": "127.0.0.1:8484"}
Pieces = Iterable[bytes | None]
"""A body as it arrives: None is a client that hangs up; after the last piece nothing comes."""


class Service:
    """A service at work; `app` is its application."""

    def __init__(self, app: Any) -> None:
        self.app = app

    async def ask(
        self, method: str, path: str, body: Any = None, *, pieces: Pieces | None = None, **headers: str
    ) -> Answer | None:
        """Send a request, and return its answer: None where nothing was answered."""
        raw = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        waiting = iter([raw] if pieces is None else pieces)
        whole = HOST | ({"content-length": "9", "content-type": "application/json"} if raw or pieces else {})
        whole |= {name.replace("_", "-"): value for name, value in headers.items()}
        scope: dict[str, Any] = {
            "type": "http",
            "method": method,
            "path": path,
            "raw_path": path.encode(),
            "query_string": b"",
            "root_path": "",
            "scheme": "http",
            "http_version": "1.1",
            "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", 8484),
            "headers": [(name.encode(), value.encode()) for name, value in whole.items()],
        }
        sent: list[dict[str, Any]] = []

        async def receive() -> dict[str, Any]:
            piece = next(waiting, b"")
            if piece is None:
                return {"type": "http.disconnect"}
            if piece == b"" and pieces is not None:
                await asyncio.Event().wait()
            return {"type": "http.request", "body": piece, "more_body": pieces is not None}

        async def send(message: dict[str, Any]) -> None:
            sent.append(message)

        await self.app(scope, receive, send)
        if not sent:
            return None
        named = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
        return Answer(sent[0]["status"], named, b"".join(message.get("body", b"") for message in sent[1:]))


@asynccontextmanager
async def serving(folder: Path, **settings: Any) -> AsyncIterator[Service]:
    """A service of a new file in `folder`, from its start to its end."""
    whole = Settings(folder / "towers.db", **cast("dict[str, Any]", {"workers": 1} | settings))
    app: Any = application(whole, Gate(whole), Hosts())
    begun, ends, over = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def receive() -> dict[str, Any]:
        if not begun.is_set():
            return {"type": "lifespan.startup"}
        await ends.wait()
        return {"type": "lifespan.shutdown"}

    async def send(message: dict[str, Any]) -> None:
        (over if begun.is_set() else begun).set()

    lifespan = asyncio.ensure_future(app({"type": "lifespan", "state": {}}, receive, send))
    await begun.wait()
    try:
        yield Service(app)
    finally:
        ends.set()
        await lifespan

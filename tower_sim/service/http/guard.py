"""What stands before all routes: the name asked for, the token, the rate, the whole body in time, a free place."""

from __future__ import annotations

import asyncio
import hmac
import time
from collections import OrderedDict
from typing import TYPE_CHECKING

from starlette.requests import ClientDisconnect
from starlette.routing import Route

from tower_sim.service import codes
from tower_sim.service.http.hosts import Hosts, caller_of
from tower_sim.service.http.problems import Problem
from tower_sim.service.http.service import Service, refused

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

_BURST = 10  # seconds' worth of requests that may come at once
_ADDRESSES = 10_000  # whose rates are known
_FREE = {"/healthz", "/openapi.json"}  # of the token
_ALWAYS = {"/healthz", "/metrics"}  # answered, however much there is to do
_FOLLOWS = "/events"  # the end of a path that waits for what others do: it takes no place
_HUNG_UP = 499  # counted for a client that does not wait for its answer, as other servers count it


class Guard:
    """What every request passes first, and what counts it after."""

    def __init__(self, app: ASGIApp, service: Service, hosts: Hosts) -> None:
        self._app = app
        self._settings = service.settings
        self._metrics = service.metrics
        self._token = service.settings.token.encode()
        self._hosts = hosts
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began = time.perf_counter()
        status = _HUNG_UP

        async def counted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            try:
                self._check(scope)
                if any(name in (b"content-length", b"transfer-encoding") for name, _ in scope["headers"]):
                    receive = _again(await self._body(receive), receive)
                await self._in_a_place(scope, receive, counted)
            except Problem as problem:
                await refused(problem)(scope, receive, counted)
        except ClientDisconnect:
            pass
        except Exception:
            status = 500
            raise
        finally:
            route = scope.get("route")
            path = route.path if isinstance(route, Route) else "none"
            method = scope["method"] if path != "none" else "any"
            self._metrics.answered(path, method, status, time.perf_counter() - began)

    async def _in_a_place(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request that is here as a whole, unless too many are being answered."""
        metrics, path = self._metrics, scope["path"]
        takes = 0 if path in _ALWAYS or path.endswith(_FOLLOWS) else 1
        if takes and metrics.at_once >= self._settings.max_at_once:
            raise Problem("busy", "Too many requests at once; ask again in a moment.", headers={"Retry-After": "1"})
        metrics.at_once += takes
        try:
            await self._app(scope, receive, send)
        finally:
            metrics.at_once -= takes

    def _check(self, scope: Scope) -> None:
        """Raise Problem for a request that is not to be answered, before its body is read."""
        self._hosts.check(scope)
        path = scope["path"]
        if self._token and path not in _FREE:
            self._check_token(scope)
        if path != "/healthz" and self._settings.rate and not self._has_left(caller_of(scope)):
            text = f"More than {self._settings.rate} requests a second; ask again in a second."
            raise Problem("rate", text, headers={"Retry-After": "1"})

    def _check_token(self, scope: Scope) -> None:
        shown = next((value for name, value in scope["headers"] if name == b"authorization"), None)
        asks = {"WWW-Authenticate": "Bearer"}
        if shown is None:
            raise Problem("token.missing", "Send the header Authorization: Bearer TOKEN.", headers=asks)
        if not hmac.compare_digest(shown, b"Bearer " + self._token):
            raise Problem("token.wrong", "Send the token that this service was started with.", headers=asks)

    async def _body(self, receive: Receive) -> bytes:
        """Return a body. Raises Problem for one that is too long or takes too long, ClientDisconnect."""
        most, whole = self._settings.max_body, bytearray()
        closes = {"Connection": "close"}
        try:
            async with asyncio.timeout(self._settings.patience):
                while True:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise ClientDisconnect
                    whole += message.get("body", b"")
                    if len(whole) > most:
                        detail = f"The body has more than {most} bytes; send less, or start again without a state."
                        raise Problem(codes.BODY_TOO_LARGE, detail, headers=closes)
                    if not message.get("more_body", False):
                        return bytes(whole)
        except TimeoutError:
            detail = f"The body was not here within {self._settings.patience} s; send the same again."
            raise Problem("slow", detail, headers=closes) from None

    def _has_left(self, caller: str) -> bool:
        rate, now = float(self._settings.rate), time.monotonic()
        left, before = self._left.pop(caller, (rate * _BURST, now))
        left = min(rate * _BURST, left + (now - before) * rate)
        self._left[caller] = (left - 1.0 if left >= 1.0 else left, now)
        if len(self._left) > _ADDRESSES:
            self._left.popitem(last=False)
        return left >= 1.0


def _again(body: bytes, receive: Receive) -> Receive:
    """Return what gives a body that was received already, and then what comes after it."""
    given = False

    async def again() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again

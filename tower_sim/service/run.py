"""Run the service over HTTP until it is stopped."""

from __future__ import annotations

import gc
import socket
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

from tower_sim.errors import UsageError, check_whole, fault, quote
from tower_sim.service.limits import Limits
from tower_sim.tools import extra, read_text, terminable

LEAST_TOKEN = 16  # characters: if drawn at random, about 80 bits or more
SWITCH = 0.001  # s after which a thread that computes in Python lets another, such as that of /healthz, go on


def read_token(path: str | Path) -> str:
    """Return the token in a file of one line."""
    token = read_text(path, "--token-file", limit=1_000, advice="write one line into it").strip()
    if not token or not token.isascii() or not token.isprintable() or " " in token:
        raise fault(f"token in {quote(str(path))}", "not one word", "one line of visible ASCII characters", "draw one")
    if len(token) < LEAST_TOKEN:
        raise fault("length of the token", len(token), f"from {LEAST_TOKEN} characters", "draw a longer one")
    return token


def serve_http(limits: Limits, host: str, port: int, token: str = "", origins: Sequence[str] = ()) -> None:
    """Serve until Ctrl-C or SIGTERM; then finish the requests under way within 10 seconds."""
    extra("fastapi", "service")
    uvicorn = extra("uvicorn", "service")
    from tower_sim.service.app import application

    check_whole("port", port, 0, 65_535)
    with _listen(host, port) as server:
        app = application(limits, token, origins)
        address = server.getsockname()
        name = f"[{address[0]}]" if ":" in address[0] else address[0]
        print(f"tower-sim: answers at http://{name}:{address[1]}; Ctrl-C ends it", file=sys.stderr)
        if not token and not address[0].startswith(("127.", "::1")):
            print("tower-sim: everyone who reaches this address may ask; --token-file changes that", file=sys.stderr)
        config = uvicorn.Config(
            app,
            log_level="error",  # one line for each malformed request would let strangers fill a disk
            access_log=False,
            server_header=False,
            proxy_headers=False,  # anyone can write them
            ws="none",
            loop="uvloop" if find_spec("uvloop") else "asyncio",
            timeout_graceful_shutdown=10,
        )
        sys.setswitchinterval(SWITCH)
        gc.collect()
        gc.freeze()  # objects made so far stay; each full collection of them would stop the loop for some 50 ms
        with suppress(KeyboardInterrupt), terminable():  # a service that is stopped ends with exit status 0
            uvicorn.Server(config).run(sockets=[server])


def _listen(host: str, port: int) -> socket.socket:
    try:
        family, kind, number, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        server = socket.socket(family, kind, number)
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        server.bind(address)
        server.listen(2048)
    except (OSError, UnicodeError) as error:
        raise UsageError(
            f"--host {quote(host)} --port {port} cannot be listened on ({error}); allowed is an address of this machine"
            " and a port that is free; try --port 0 for any that is"
        ) from error
    return server

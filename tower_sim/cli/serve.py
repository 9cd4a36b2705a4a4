"""Run `tower-sim serve`: answer requests, as JSON lines or over HTTP."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from tower_sim.errors import UsageError, fault
from tower_sim.tools.interrupts import terminable


def serve(
    http: bool,
    host: str | None,
    port: int | None,
    db: Path | None,
    token_file: Path | None,
    cors: Sequence[str],
    limits: Path | None,
) -> None:
    """Answer JSON lines on standard input or, with `http`, requests over HTTP."""
    if http:
        from tower_sim.service.http.run import run
        from tower_sim.service.http.settings import Limits, Settings, read_limits, read_token

        bounds = read_limits(limits) if limits is not None else Limits()
        token = read_token(token_file) if token_file is not None else ""
        settings = Settings(db or Path("tower-sim.db"), token, bounds)
        run(settings, host or "127.0.0.1", 8484 if port is None else port, cors)
        return
    options = {"host": host, "port": port, "db": db, "token-file": token_file, "cors": cors or None, "limits": limits}
    for option, value in options.items():
        if value is not None:
            raise UsageError(f"--{option} is of the service on the network; add --http, or leave it out")
    from tower_sim.service import ModelCache
    from tower_sim.service import serve as answer_lines

    source: TextIO | None = sys.stdin
    if source is None:  # Python sets it to None when it was closed
        raise fault("standard input", "closed", "a pipe or a file of requests", 'try: echo \'{"do": "hello"}\' | ...')
    with ModelCache() as models, terminable():
        answer_lines(source.buffer, sys.stdout.buffer, models)

"""`tower-sim serve`: a JSON request a line, a JSON reply a line; with `--http` on the network."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TextIO

from tower_sim.cli.common import whole
from tower_sim.cli.parser import Parser
from tower_sim.errors import UsageError, fault
from tower_sim.interrupts import terminable

_LIMITS = {  # fields of http.settings.Settings, with the stand-in for their value and the help
    "keep_days": ("N", "how long answers are kept (default: 365)"),
    "max_body": ("BYTES", "of a request (default: 1048576)"),
    "max_at_once": ("N", "requests being answered (default: 256)"),
    "rate": ("N", "requests a second of one address (default: 1000; 0: any)"),
    "per_address": ("N", "connections of one (default: 100; 0: any)"),
    "patience": ("SECONDS", "for a request to arrive (default: 20)"),
    "workers": ("N", "processes to use (default: all cores)"),
    "queue": ("N", "requests that wait for them (default: 200)"),
}


def add(serve: Parser) -> None:
    """Add what the command takes."""
    serve.add_argument("--http", action="store_true", help="answer over HTTP instead (extra: service)")
    net = serve.add_argument_group("with --http")
    net.add_argument("--host", metavar="NAME", help="the address to listen on (default: 127.0.0.1)")
    net.add_argument("--port", type=whole, metavar="N", help="the port; 0: any that is free (default: 8484)")
    net.add_argument("--name", action="append", metavar="NAME", help="a name it is asked by, too; repeatable")
    net.add_argument("--db", type=Path, metavar="FILE", help="the one file that is kept (default: tower-sim.db)")
    net.add_argument("--token-file", type=Path, metavar="FILE", help="whoever asks must show the token in it")
    net.add_argument("--cors", action="append", metavar="ORIGIN", help="a web page's origin that may ask; repeatable")
    for name, (stand_in, told) in _LIMITS.items():
        net.add_argument(f"--{name.replace('_', '-')}", type=whole, metavar=stand_in, help=told)
    net.add_argument("--backup", type=Path, metavar="FILE", help="copy --db, also of a service at work, and end")
    serve.set_defaults(run=_serve)


def _serve(options: argparse.Namespace) -> None:
    if options.http or options.backup:
        _serve_http(options)
        return
    for name in ("host", "port", "name", "db", "token_file", "cors", *_LIMITS):
        if getattr(options, name) is not None:
            raise UsageError(
                f"--{name.replace('_', '-')} is of the service on the network; add --http, or leave it out"
            )
    from tower_sim.service import Opened, serve

    source: TextIO | None = sys.stdin
    if source is None:  # Python has it so when it was closed
        raise fault("standard input", "closed", "a pipe or a file of requests", 'try: echo \'{"do": "hello"}\' | ...')
    with Opened() as opened, terminable():
        serve(source.buffer, sys.stdout.buffer, opened)


def _serve_http(options: argparse.Namespace) -> None:
    from tower_sim.service.http.files import backup
    from tower_sim.service.http.run import read_token, run
    from tower_sim.service.http.settings import Settings

    db: Path = options.db or Path("tower-sim.db")
    if options.backup is not None:
        backup(db, options.backup)
        print(f"copied {db} to {options.backup}")
        return
    limits = {name: getattr(options, name) for name in _LIMITS if getattr(options, name) is not None}
    token = read_token(options.token_file) if options.token_file is not None else ""
    port = 8484 if options.port is None else options.port
    run(Settings(db, token, **limits), options.host or "127.0.0.1", port, options.name or (), options.cors or ())

"""A table for any number of browsers: this server draws with physics, every page shows it from state and seed alone.

    python docs/clients/two_browsers/server.py [PORT]

GET / is the page, GET /element.js the element of the npm package, GET /table what lies there as JSON, and
GET /table?after=N the same once there is a throw after number N; POST /throw {"cubes": {"blue": 4}} throws.
"""

from __future__ import annotations

import json
import secrets
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from tower_sim import PhysicsModel, load
from tower_sim.errors import UsageError
from tower_sim.requests import Throw, drop_document, outcome
from tower_sim.web import element_module

NAME = "amerigo"
PAGE = Path(__file__).with_name("page.html")
WAIT = 20.0  # s that a page waits for the next throw before it asks again


class Table:
    """What lies on the table: the last throw, by its number, and the browsers that wait for the next."""

    def __init__(self) -> None:
        self.model = PhysicsModel(load(NAME))
        empty = self.model.empty().token()
        self.last = {"number": 0, "before": empty, "seed": None, "cubes": {}, "document": {"state": empty}}
        self.news = threading.Condition()

    def throw(self, cubes: dict[str, int]) -> dict:
        """Throw; raises UsageError for cubes that cannot be thrown."""
        with self.news:
            before = self.last["document"]["state"]
            request = Throw.of(apparatus=NAME, cubes=cubes, state=before, seed=secrets.randbits(64))
            document = drop_document(request, outcome(request, self.model))
            number = self.last["number"] + 1
            self.last = {
                "number": number,
                "before": before,
                "seed": document["seed"],
                "cubes": cubes,
                "document": document,
            }
            self.news.notify_all()
            return self.last

    def after(self, number: int) -> dict:
        """Return the last throw, once its number is greater than that, or after a while."""
        with self.news:
            self.news.wait_for(lambda: self.last["number"] > number, WAIT)
            return self.last


def handler(table: Table) -> type[BaseHTTPRequestHandler]:
    """Return what answers requests at a table."""
    element = element_module([NAME]).encode()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked = urlsplit(self.path)
            if asked.path == "/favicon.ico":
                self.give(204, "image/x-icon", b"")
            elif asked.path == "/":
                self.give(200, "text/html; charset=utf-8", PAGE.read_bytes())
            elif asked.path == "/element.js":
                self.give(200, "text/javascript; charset=utf-8", element)
            elif asked.path == "/table":
                after = parse_qs(asked.query).get("after", ["-1"])[0]
                self.give_json(200, table.after(int(after) if after.isdecimal() else -1))
            else:
                self.give_json(404, {"error": "there is /, /element.js, /table and /throw"})

        def do_POST(self) -> None:
            try:
                asked = json.loads(self.rfile.read(min(int(self.headers.get("Content-Length", 0)), 10_000)))
                self.give_json(200, table.throw(asked["cubes"]))
            except (UsageError, ValueError, KeyError, TypeError) as error:
                self.give_json(400, {"error": str(error)})

        def give_json(self, status: int, plain: dict) -> None:
            self.give(status, "application/json", json.dumps(plain).encode())

        def give(self, status: int, kind: str, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing of each request."""

    return Handler


def serve(port: int = 0) -> ThreadingHTTPServer:
    """Return a server of a new table on the loopback interface; port 0 is any that is free."""
    server = ThreadingHTTPServer(("127.0.0.1", port), handler(Table()))
    server.daemon_threads = True
    return server


if __name__ == "__main__":
    one = serve(int(sys.argv[1]) if len(sys.argv) > 1 else 8765)
    print(f"http://127.0.0.1:{one.server_port}/  (open it in two browsers)", flush=True)
    one.serve_forever()

"""How many drops a second the service on the network gives: by the surrogate and by physics, beside a bare handler.

    python -m tests.measure.load

Asks with wrk (a package of Linux distributions), in turn: the service for drops of 4 cubes by the surrogate, each
committed before its answer, by clients that ask again at once, and by clients that pause for a moment; a Starlette
handler that reads four fields from JSON and answers with one, in the same server; the service for drops of 20 cubes by
physics. Of each run it prints requests a second, median, 99 % and the processor time of a request; then how long this
disk took to keep a page just before, and how much work waited for a processor.
A service is new for each run, with a new file in `--folder`: on a disk, because a commit waits for it.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from tests.measure.script import option, script
from tests.support.network import Client, running
from tower_sim.errors import UsageError

WRK = """
wrk.method = "POST"
wrk.body = BODY
wrk.headers["Content-Type"] = "application/json"
if PAUSE > 0 then
  delay = function() return math.random(0, PAUSE) end
end
done = function(summary, latency)
  local failed = summary.errors
  io.stderr:write(string.format('{"answers": %d, "microseconds": %d, "median": %d, "late": %d, "failed": %d}\\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
    failed.connect + failed.read + failed.write + failed.status + failed.timeout))
end
"""
BARE = """
import sys, uvicorn
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route

async def answer(call):
    asked = await call.json()
    return JSONResponse({"sum": asked["a"] + asked["b"] + asked["c"] + asked["d"]}, 201)

app = Starlette(routes=[Route("/v1/drops", answer, methods=["POST"])])
uvicorn.run(app, port=int(sys.argv[1]), log_level="warning", access_log=False, loop="uvloop", http="httptools")
"""


@dataclass(frozen=True, slots=True)
class Case:
    title: str
    body: str
    clients: int
    options: tuple[str, ...] | None  # of the service; None: the bare handler
    pause: int = 0  # ms at most before a client asks again, drawn anew each time


SURROGATE = Case("4 cubes, surrogate", '{"cubes": {"blue": 4}, "model": "surrogate"}', 16, ("--workers", "1"))
PAUSING = replace(SURROGATE, title="4 cubes, surrogate, clients that pause", pause=5)
HANDLER = Case("bare handler", '{"a": 1, "b": 2, "c": 3, "d": 4}', 16, None)
PHYSICS = Case("20 cubes, physics, two workers", '{"cubes": {"blue": 20}}', 8, ("--workers", "2"))

CASES = {"surrogate": SURROGATE, "pausing": PAUSING, "bare": HANDLER, "physics": PHYSICS}


def measure(case: Case, seconds: int, folder: Path) -> float:
    page_s = _time_page(folder)
    with _serving(case, folder) as (port, process):
        _warm_up(case, port)
        before = _processor_seconds(process)
        found = _run_wrk(case, port, seconds)
        busy = _processor_seconds(process) - before
    if found["failed"] or not found["answers"]:
        counted = f"of {found['answers']} answers {found['failed']} failed"
        raise UsageError(f"{counted}; allowed are answers, none of them failed; look at what the service says")
    rate = found["answers"] / found["microseconds"] * 1e6
    print(
        f"{case.title}: {rate:.0f} a second, median {found['median'] / 1e3:.2f} ms, 99 % within "
        f"{found['late'] / 1e3:.1f} ms, processor {busy / found['answers'] * 1e6:.0f} us each "
        f"(a page kept in {page_s * 1e3:.2f} ms, load {os.getloadavg()[0]:.1f})",
        flush=True,
    )
    return rate


@contextmanager
def _serving(case: Case, folder: Path) -> Iterator[tuple[int, int]]:
    if case.options is not None:
        with (
            tempfile.TemporaryDirectory(dir=folder) as name,
            running(Path(name) / "towers.db", *case.options) as service,
        ):
            yield service.port, service.process.pid
            service.stop()  # its workers, too
        return
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with subprocess.Popen([sys.executable, "-c", BARE, str(port)]) as process:
        try:
            _wait(port)
            yield port, process.pid
        finally:
            process.kill()


def _wait(port: int) -> None:
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise UsageError("the bare handler does not answer; allowed is one that does; install the extra service")


def _warm_up(case: Case, port: int) -> None:
    client = Client(port)
    client.post("/v1/drops", json.loads(case.body))
    client.close()
    _run_wrk(case, port, 1)


def _run_wrk(case: Case, port: int, seconds: int) -> dict[str, int]:
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
        script.write(WRK.replace("BODY", json.dumps(case.body)).replace("PAUSE", str(case.pause)))
        script.flush()
        url = f"http://127.0.0.1:{port}/v1/drops"
        command = ["wrk", "-t1", f"-c{case.clients}", f"-d{seconds}s", "-s", script.name, url]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stderr.splitlines()[-1])


def _processor_seconds(process: int) -> float:
    used: dict[int, int] = {}
    children: dict[int, list[int]] = {}
    for task in Path("/proc").glob("[0-9]*"):
        try:
            fields = (task / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        used[int(task.name)] = int(fields[11]) + int(fields[12])
        children.setdefault(int(fields[1]), []).append(int(task.name))
    ours = [process]
    for one in ours:
        ours += children.get(one, [])
    return sum(used[one] for one in ours) / os.sysconf("SC_CLK_TCK")


def _time_page(folder: Path) -> float:
    """Return the median time (s) of writing a page of 4096 bytes so that it outlives a power cut."""
    times: list[float] = []
    with tempfile.TemporaryFile(dir=folder, buffering=0) as file:
        for _ in range(50):
            began = time.perf_counter()
            file.write(bytes(4096))
            os.fdatasync(file.fileno())
            times.append(time.perf_counter() - began)
    return statistics.median(times)


def measure_all(runs: int, seconds: int, folder: Path, only: str | None) -> None:
    if shutil.which("wrk") is None:
        raise UsageError("wrk is not installed; allowed is a machine that has it; install the package wrk")
    for name, case in [*CASES.items()] * runs:
        if only in (None, name):
            measure(case, seconds, folder)


main = script(
    __doc__,
    measure_all,
    option("--runs", type=int, default=3, help="how often (default: 3)"),
    option("--seconds", type=int, default=5, help="of each run (default: 5)"),
    option("--folder", type=Path, default=Path(), help="where the service's file is (default: here)"),
    option("--only", choices=CASES, help="leave out the others"),
)

if __name__ == "__main__":
    raise SystemExit(main())

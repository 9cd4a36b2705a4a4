"""What `/metrics` tells, in the format of Prometheus: counts and times by route, never by identifier or address."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

if TYPE_CHECKING:
    from tower_sim.service.http.gate import Gate
    from tower_sim.service.http.store import Database
    from tower_sim.service.http.workers import Workers

MEDIA = "text/plain; version=0.0.4; charset=utf-8"
_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 60.0)


class Metrics:
    """The metrics of one service, in a registry of its own."""

    def __init__(self, store: Database, workers: Workers) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "tower_sim_requests", "Requests answered", ("route", "method", "status"), registry=self._registry
        )
        self._seconds = Histogram(
            "tower_sim_seconds", "Time to the end of an answer", ("route",), buckets=_BUCKETS, registry=self._registry
        )
        self._drawn = Counter("tower_sim_drawn", "Draws begun", ("kind", "model"), registry=self._registry)
        self._of_request: dict[tuple[str, str, int], Counter] = {}
        self._of_route: dict[str, Histogram] = {}
        self._of_draw: dict[tuple[str, str], Counter] = {}
        at_once = Gauge("tower_sim_requests_at_once", "Requests being answered", registry=self._registry)
        waiting = Gauge("tower_sim_workers_waiting", "Work that waits for a process", registry=self._registry)
        running = Gauge("tower_sim_workers_running", "Work that processes do", registry=self._registry)
        self._commits = Counter("tower_sim_commits", "Commits to the file of answers", registry=self._registry)
        self._store, self._commits_told = store, 0
        self.at_once = 0
        at_once.set_function(lambda: self.at_once)
        waiting.set_function(lambda: workers.waiting)
        running.set_function(lambda: workers.running)

    def watch(self, gate: Gate) -> None:
        """Tell of the connections, too."""
        is_open = Gauge("tower_sim_connections", "Connections that are open", registry=self._registry)
        closed = Gauge("tower_sim_connections_closed", "Closed for their clients' slowness", registry=self._registry)
        is_open.set_function(lambda: gate.number)
        closed.set_function(lambda: gate.closed)

    def answered(self, route: str, method: str, status: int, seconds: float) -> None:
        """Count an answer."""
        key = (route, method, status)
        counter = self._of_request.get(key)
        if counter is None:
            counter = self._of_request[key] = self._requests.labels(route, method, str(status))
        counter.inc()
        histogram = self._of_route.get(route)
        if histogram is None:
            histogram = self._of_route[route] = self._seconds.labels(route)
        histogram.observe(seconds)

    def drawn(self, kind: str, model: str) -> None:
        """Count a draw."""
        counter = self._of_draw.get((kind, model))
        if counter is None:
            counter = self._of_draw[kind, model] = self._drawn.labels(kind, model)
        counter.inc()

    def text(self) -> bytes:
        """Return all of them."""
        commits = self._store.commits
        self._commits.inc(commits - self._commits_told)
        self._commits_told = commits
        return generate_latest(self._registry)

"""The metrics at `/metrics` for Prometheus: by route, never by identifier or address."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

if TYPE_CHECKING:
    from tower_sim.service.http.store import Database
    from tower_sim.service.http.workers import Workers

MEDIA = "text/plain; version=0.0.4; charset=utf-8"
_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 60.0)


class Metrics:
    """The metrics of one service, in their own registry."""

    def __init__(self, store: Database, workers: Workers) -> None:
        registry = self._registry = CollectorRegistry()
        requests = Counter("tower_sim_requests", "Requests answered", ("route", "method", "status"), registry=registry)
        about = "Time to the end of an answer"
        seconds = Histogram("tower_sim_seconds", about, ("route",), buckets=_BUCKETS, registry=registry)
        draws = Counter("tower_sim_drawn", "Draws begun", ("kind", "model"), registry=registry)
        self._requests, self._seconds, self._drawn = cache(requests.labels), cache(seconds.labels), cache(draws.labels)
        waiting = Gauge("tower_sim_workers_waiting", "Work that waits for a process", registry=registry)
        running = Gauge("tower_sim_workers_running", "Work that processes do", registry=registry)
        self._commits = Counter("tower_sim_commits", "Commits to the file of answers", registry=registry)
        self._store, self._commits_before = store, 0
        waiting.set_function(lambda: workers.waiting)
        running.set_function(lambda: workers.running)

    def count_answer(self, route: str, method: str, status: int, seconds: float) -> None:
        """Count an answer and its time (s)."""
        self._requests(route, method, status).inc()
        self._seconds(route).observe(seconds)

    def count_draw(self, kind: str, model: str) -> None:
        self._drawn(kind, model).inc()

    def text(self) -> bytes:
        commits = self._store.commits
        self._commits.inc(commits - self._commits_before)
        self._commits_before = commits
        return generate_latest(self._registry)

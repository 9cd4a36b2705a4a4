"""The metrics at `/metrics`, in the format of Prometheus: counts and times by route, never by identifier or address."""

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
        self._registry = CollectorRegistry()
        of = self._registry
        asked = Counter("tower_sim_requests", "Requests answered", ("route", "method", "status"), registry=of)
        about = "Time to the end of an answer"
        taken = Histogram("tower_sim_seconds", about, ("route",), buckets=_BUCKETS, registry=of)
        drawn = Counter("tower_sim_drawn", "Draws begun", ("kind", "model"), registry=of)
        self._requests, self._seconds, self._drawn = cache(asked.labels), cache(taken.labels), cache(drawn.labels)
        waiting = Gauge("tower_sim_workers_waiting", "Work that waits for a process", registry=self._registry)
        running = Gauge("tower_sim_workers_running", "Work that processes do", registry=self._registry)
        self._commits = Counter("tower_sim_commits", "Commits to the file of answers", registry=self._registry)
        self._store, self._commits_told = store, 0
        waiting.set_function(lambda: workers.waiting)
        running.set_function(lambda: workers.running)

    def answered(self, route: str, method: str, status: int, seconds: float) -> None:
        """Count an answer and its time (s)."""
        self._requests(route, method, status).inc()
        self._seconds(route).observe(seconds)

    def drawn(self, kind: str, model: str) -> None:
        self._drawn(kind, model).inc()

    def text(self) -> bytes:
        commits = self._store.commits
        self._commits.inc(commits - self._commits_told)
        self._commits_told = commits
        return generate_latest(self._registry)

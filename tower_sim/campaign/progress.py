"""How far a run is, in the one style of `tower_sim.progress`; also while no shard comes to its end."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from threading import Event, Lock, Thread

from tower_sim.campaign.engines import Report
from tower_sim.campaign.spec import Spec
from tower_sim.progress import Telling, telling

_TICK = 1.0  # seconds: a shard may take minutes


class _Told:
    """Tells how many runs are done, and of every shard that failed."""

    def __init__(self, tell: Telling) -> None:
        self._tell = tell
        self._spec: Spec | None = None
        self._done = 0
        self._lock = Lock()

    def begin(self, spec: Spec, to_do: int) -> None:
        """See Progress."""
        with self._lock:
            self._spec = spec
            self._tell.begin(min(to_do * spec.shard, spec.total))

    def note(self, report: Report) -> None:
        """See Progress."""
        with self._lock:
            if report.shard is not None and self._spec is not None:
                self._done += len(self._spec.runs_of(report.index))
                self._tell(self._done)
            else:
                self._tell.note(f"shard {report.index}: {report.error}{', once more' if report.again else ''}")

    def tick(self) -> None:
        """Tell that nothing more is done yet, when it is time."""
        with self._lock:
            if self._spec is not None:
                self._tell(self._done)


@contextmanager
def told(spec: Spec) -> Generator[_Told, None, None]:
    """Tell on standard error, in the block, how far a run of `spec` is."""
    ended = Event()
    with telling(spec.game.runs) as tell:
        progress = _Told(tell)

        def tick() -> None:
            while not ended.wait(_TICK):
                progress.tick()

        ticker = Thread(target=tick, daemon=True)
        ticker.start()
        try:
            yield progress
        finally:
            ended.set()
            ticker.join()

"""A bar on a terminal: how far, how fast, how long still. Quiet elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from tower_sim.campaign.engines import Report
from tower_sim.campaign.spec import Spec
from tower_sim.extras import extra


class _Bar:
    """Tells a rich progress bar."""

    def __init__(self, bar: Any) -> None:
        self._bar, self._task = bar, bar.add_task("checking", total=None, rate="")
        self._spec: Spec | None = None

    def begin(self, spec: Spec, to_do: int) -> None:
        """Set the length of the bar, in runs."""
        self._spec = spec
        self._bar.reset(self._task, total=min(to_do * spec.shard, spec.total), description=f"{spec.kind}s")

    def note(self, report: Report) -> None:
        """Move on."""
        if report.shard is not None and self._spec is not None:
            self._bar.advance(self._task, len(self._spec.runs_of(report.index)))
            speed = self._bar.tasks[0].speed
            self._bar.update(self._task, rate=f"{speed * 60:.3g} a minute" if speed else "")
        else:
            self._bar.print(f"shard {report.index}: {report.error}{', once more' if report.again else ''}")


@contextmanager
def on_terminal() -> Generator[_Bar | None, None, None]:
    """Show a bar on standard error while in the block; None, and no need of rich, where that is no terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    progress = extra("rich.progress", "campaign")
    console = extra("rich.console", "campaign").Console(stderr=True)
    columns = (
        progress.TextColumn("{task.description}"),
        progress.BarColumn(),
        progress.MofNCompleteColumn(),
        progress.TextColumn("{task.fields[rate]}"),
        progress.TimeRemainingColumn(),
    )
    with progress.Progress(*columns, console=console) as bar:
        yield _Bar(bar)

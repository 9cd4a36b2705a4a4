"""Run a campaign: find what is missing, have it done, write it down. The client alone writes."""

from __future__ import annotations

import time
from contextlib import closing, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from tower_sim.campaign.dataset import spans
from tower_sim.campaign.documents import MANIFEST
from tower_sim.campaign.engines import Report, Reports, WorkersLost, processes, serial
from tower_sim.campaign.environment import environment
from tower_sim.campaign.files import StoreError
from tower_sim.campaign.growth import as_planned, keep
from tower_sim.campaign.progress import told
from tower_sim.campaign.spec import Spec, load
from tower_sim.campaign.store import CampaignStatus, DamagedManifest, Store
from tower_sim.campaign.vary import FEWEST_RUNS, SAMPLED
from tower_sim.errors import check_whole
from tower_sim.interrupts import terminable
from tower_sim.pool import MOST_WORKERS
from tower_sim.progress import telling
from tower_sim.reading import as_path
from tower_sim.registry import get
from tower_sim.terminal import warn


class Progress(Protocol):
    """Told how far a run is."""

    def begin(self, spec: Spec, to_do: int) -> None:
        """Know that `to_do` shards are to be done."""
        ...

    def note(self, report: Report) -> None:
        """Know what became of a shard."""
        ...


@dataclass(frozen=True, slots=True)
class Summary:
    """What a run did: the shards it finished, those that failed (with why), the files it set aside; was it stopped?"""

    finished: tuple[int, ...]
    failed: dict[int, str]
    set_aside: tuple[str, ...]
    interrupted: bool


def run(spec: Spec, directory: Path, workers: int = 1, dask: str = "", progress: Progress | None = None) -> Summary:
    """Do every shard of `spec` that `directory` lacks or has damaged, with `workers` processes or a Dask scheduler.

    A campaign of one point that has fewer runs there is made one of as many as `spec` has; what is done is kept.
    `dask` is a scheduler's address, or `local` for one of our own with `workers` workers. SIGINT or SIGTERM ends the
    run; finished shards are kept. Raises UsageError for a directory, an address, workers or a model that cannot be
    used, StoreError when the directory cannot be written any more, WorkersLost when there are no workers any more.
    """
    check_whole("workers", workers, 1, MOST_WORKERS)
    expected = environment()
    spec = as_planned(spec, directory)
    if not dask and not (directory / MANIFEST).exists():
        with spec.point(0).open_model():  # one that cannot be had here is refused before anything is written
            pass
    with Store.opened(directory, spec, expected) as store, terminable():
        if kept := keep(store):
            store.log("more runs", kept=kept)
        set_aside = store.set_aside()
        to_do = _to_do(store, is_told=progress is not None)
        for index in to_do:
            store.drop(index)
        if progress:
            progress.begin(spec, len(to_do))
        store.log("start", shards=spec.shards, to_do=len(to_do), workers=workers, dask=dask, set_aside=set_aside)
        if dask and to_do:
            from tower_sim.campaign.dask_engine import distributed

            reports = distributed(spec, to_do, dask, workers, expected)
        else:
            reports = processes(spec, to_do, workers) if workers > 1 else serial(spec, to_do)
        finished, failed, interrupted = _collected(store, reports, progress)
        if not failed and not interrupted and (to_do or store.manifest_problems()):
            store.finish()
        store.log("interrupted" if interrupted else "end", finished=len(finished), failed=len(failed))
    return Summary(tuple(finished), failed, tuple(set_aside), interrupted)


def _to_do(store: Store, is_told: bool) -> list[int]:
    """Return the shards that are not done and whole; told how far it is, since every byte is looked at."""
    to_do: list[int] = []
    with telling("shards looked at", store.spec.shards) if is_told else nullcontext() as tell:
        for index in range(store.spec.shards):
            if store.problems(index):
                to_do.append(index)
            if tell:
                tell(index + 1)
    return to_do


def _collected(store: Store, reports: Reports, progress: Progress | None) -> tuple[list[int], dict[int, str], bool]:
    finished: list[int] = []
    failed: dict[int, str] = {}
    begun = time.monotonic()
    try:
        with closing(reports):
            for report in reports:
                if report.shard is not None:
                    store.put(report.shard)
                    finished.append(report.index)
                    store.log("shard", shard=report.index, seconds=round(time.monotonic() - begun, 3))
                elif report.again:
                    store.log("again", shard=report.index, error=report.error)
                else:
                    failed[report.index] = report.error
                    store.log("failed", shard=report.index, error=report.error)
                if progress:
                    progress.note(report)
    except KeyboardInterrupt:
        return finished, failed, True
    return finished, failed, False


def campaign_run(spec_path: str | Path, out: str | Path, workers: int = 1, dask: str = "") -> int:
    """Run the campaign file `spec_path` into the directory `out`, tell what happened; returns the exit status.

    Raises UsageError for the caller's mistakes.
    """
    spec = load(spec_path)
    if few := few_runs(spec):
        warn(few)
    engine = get("engine", spec.settings["engine"]) if spec.settings else None
    if hint := getattr(engine, "faster", str)():
        warn(hint)
    with_whom = (f" --workers {workers}" if workers > 1 else "") + (f" --dask {dask}" if dask else "")
    again = f"tower-sim campaign run {spec_path} -o {out}{with_whom}"
    try:
        with told(spec) as progress:
            summary = run(spec, Path(out), workers, dask, progress)
    except (StoreError, WorkersLost) as error:
        warn(str(error))
        return 1
    for name in summary.set_aside:
        warn(f"{name}: of no shard of this campaign, moved to set_aside/")
    for index, error in sorted(summary.failed.items()):
        warn(f"shard {index} failed: {error}")
    if summary.interrupted:
        warn(f"interrupted; finished shards are kept; to go on: {again}")
    elif summary.failed:
        warn(f"{len(summary.failed)} shards failed; to try them again: {again}")
    print(campaign_status(out))
    return int(summary.interrupted or bool(summary.failed))


def few_runs(spec: Spec) -> str:
    """Say that a design whose points are no sample has too few runs at each for an interval; empty when it has not."""
    if len(spec.points) == 1 or spec.design in SAMPLED or spec.runs >= FEWEST_RUNS:
        return ""
    what = spec.game.runs
    return (
        f"{spec.runs} {what} at each of {len(spec.points)} points: too few for intervals in a study; "
        f"write {what} = {FEWEST_RUNS} or more"
    )


def status(directory: Path) -> CampaignStatus:
    """Say how far the campaign in `directory` is; raises UsageError when there is none."""
    return Store.read(directory).status()


def campaign_status(directory: str | Path) -> str:
    """Say in a few lines how far the campaign in `directory` is; raises UsageError when there is none."""
    now = status(as_path("directory", directory))
    spec = now.spec
    what, points = spec.game.runs, len(spec.points)
    rest = f"{now.runs_done} of {spec.total} {what} are done; run the campaign again to do the rest."
    lines = [
        rest if now.missing else f"All {spec.total} {what} are done.",
        f"{directory}: {spec.kind} at {points} point{'' if points == 1 else 's'}, {spec.apparatus}, {spec.model}, "
        f"seed {spec.seed}",
        f"shards: {len(now.done)} done, {len(now.missing)} missing, of {spec.shards}",
    ]
    if now.missing:
        lines.append(f"missing: {spans(now.missing)}")
    if now.failed:
        lines.append(f"failed in the last run: {spans(now.failed)}")
    lines.append(f"draws that were no landing: {now.redrawn}; runs cut short by five in a row: {now.unfinished}")
    return "\n".join(lines)


def verify(directory: Path) -> list[str]:
    """Check every byte of a campaign's dataset; returns what is wrong, a line for each file, nothing if all is well.

    Raises UsageError when there is no campaign.
    """
    try:
        store = Store.read(directory)
    except DamagedManifest as error:
        return [error.wrong]
    problems: list[str] = []
    for index in range(store.spec.shards):
        problems += store.problems(index)
    problems += [f"{name}: foreign: of no shard of this campaign" for name in store.foreign()]
    return problems or store.manifest_problems()


def campaign_verify(directory: str | Path) -> tuple[str, int]:
    """Check a campaign's directory; returns what to print and the exit status: 0 all is well, 1 there are problems."""
    problems = verify(as_path("directory", directory))
    if not problems:
        return f"{directory}: every file is whole", 0
    return "\n".join([*problems, f"{directory}: {len(problems)} problems; run the campaign again to mend them"]), 1

"""More runs for a campaign that has some: what is done is kept, as part of the larger campaign.

Run r of a campaign of one point does not depend on how many there are, so that a shard of the same runs has the same
rows; its files name their campaign, and are written again under the larger one's. Meanwhile the manifest of the smaller
one lies in `before.json`: a run that was killed goes on from there. What cannot be kept is played again.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tower_sim.campaign.arrow import relabelled
from tower_sim.campaign.documents import MANIFEST, Document, manifest_at, names
from tower_sim.campaign.files import remove
from tower_sim.campaign.spec import Spec
from tower_sim.campaign.store import BEFORE, Store, head_in
from tower_sim.campaign.work import Shard


def as_planned(spec: Spec, directory: Path) -> Spec:
    """Return `spec` with the shards of the campaign in `directory`, where it is that one and its file names none."""
    found = manifest_at(directory / MANIFEST) if spec.shard_is_usual else None
    if found is None:
        return spec
    theirs = found[1]
    planned = replace(spec, shard=theirs.shard)
    is_that = replace(planned, runs=theirs.runs).canonical == theirs.canonical
    return planned if is_that else spec


def keep(store: Store) -> int:
    """Make the whole shards of the smaller campaign that was here those of this one; returns how many there were."""
    path = store.directory / BEFORE
    found = manifest_at(path)
    kept = 0
    if found is not None:
        before = Store(store.directory, head_in(found[0]), found[1])
        for index in range(before.spec.shards):
            is_same = before.spec.runs_of(index) == store.spec.runs_of(index)
            if is_same and not before.problems(index):
                store.put(_relabelled(before, store, index))
                kept += 1
    remove(path)
    return kept


def _relabelled(before: Store, store: Store, index: int) -> Shard:
    """Return a whole shard of `before` as the one that `store` would have made."""
    receipt: Document = before.receipt(index) or {}
    files = dict(zip(store.tables, names(index, store.tables), strict=True))
    return Shard(
        index,
        {table: relabelled(store.directory / name, {"spec": store.spec.digest}) for table, name in files.items()},
        {table: receipt["files"][name]["rows"] for table, name in files.items()},
        receipt["failed_draws"],
        tuple(receipt["unfinished_runs"]),
    )

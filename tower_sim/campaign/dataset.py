"""Reading a dataset: only bytes that the receipts and the manifest vouch for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from tower_sim.campaign.documents import MANIFEST, names, receipt_name, same
from tower_sim.campaign.files import digest
from tower_sim.campaign.store import Store, listed_form
from tower_sim.errors import UsageError

_MEND = "run the campaign again to mend it"


@dataclass(frozen=True)
class Dataset:
    """A campaign's directory whose bytes were looked at: the numbers of its shards that are `done` and `missing`."""

    store: Store
    done: tuple[int, ...]
    missing: tuple[int, ...]

    def tables(self, name: str) -> Iterator[bytes]:
        """Give the Parquet file of table `name` of each shard that is done, in order.

        Raises UsageError, in one line that names the file, when it is not as its receipt says.
        """
        for index in self.done:
            file = f"{name}/{index:05d}.parquet"
            receipt = self.store.receipt(index)
            try:
                data = (self.store.directory / file).read_bytes()
            except OSError as error:
                raise self._changed(f"{file}: {error.strerror or error}") from error
            if receipt is None or digest(data) != receipt["files"][file]["sha256"]:
                raise self._changed(f"{file}: changed while it was read")
            yield data

    def _changed(self, why: str) -> UsageError:
        return UsageError(f"campaign {self.store.directory}: {why}; allowed is a directory at rest; try again")


def open_dataset(directory: Path) -> Dataset:
    """Look at every byte of the campaign in `directory`; shards that are not done yet are `missing`.

    Raises UsageError, in one line that names the shard's file, when something is damaged, foreign, or gone from a shard
    of which other files are there; also when there is no campaign.
    """
    store = Store.read(directory)
    for name in store.foreign():
        raise _refused(directory, f"{name}: foreign: of no shard of it")
    listing = store.listing()
    listed = None if listing is None else cast("list[object]", listing if isinstance(listing, list) else [])
    if listed is not None and len(listed) != store.spec.shards:
        raise _refused(directory, f"{MANIFEST}: changed: it does not list every shard")
    done: list[int] = []
    missing: list[int] = []
    for index in range(store.spec.shards):
        files = [directory / name for name in (*names(index, store.tables), receipt_name(index))]
        there = [path.exists() or path.is_symlink() for path in files]
        if not any(there) or (listed is None and not there[-1]):  # tables without a receipt: killed before it was done
            missing.append(index)
            continue
        problems = store.problems(index)
        receipt = store.receipt(index)
        if not problems and receipt and listed is not None and not same(listed[index], listed_form(receipt)):
            problems = [f"{receipt_name(index)}: changed: it is not what {MANIFEST} lists"]
        if problems:
            raise _refused(directory, problems[0])
        done.append(index)
    return Dataset(store, tuple(done), tuple(missing))


def _refused(directory: Path, problem: str) -> UsageError:
    return UsageError(f"campaign {directory}: {problem}; allowed is a dataset as it was written; {_MEND}")


def spans(values: tuple[int, ...]) -> str:
    """Write sorted numbers shortly: 0-4, 7, 9-11."""
    spans: list[list[int]] = []
    for value in values:
        if spans and value == spans[-1][1] + 1:
            spans[-1][1] = value
        else:
            spans.append([value, value])
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in spans)

"""The directory of a campaign: tables and receipts by shard, a manifest, a log; written so that a kill loses nothing.

    DIRECTORY/manifest.json            the spec and all that decides its results; at the end every shard's files
              drops/00012.parquet      a table's rows of one shard
              cubes/00012.parquet
              receipts/00012.json      written after its tables: the shard is done
              log.jsonl                times, hosts, failures, interruptions; the only file that differs between runs
              set_aside/               files of shards that are not of this campaign, moved out of the way

Without its log, the directory of a run that was killed and gone on with equals that of one that was not.
"""

from __future__ import annotations

import json
import os
import platform
import re
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tower_sim.campaign.arrow import parquet_metadata
from tower_sim.campaign.environment import Environment, difference
from tower_sim.campaign.files import (
    PART,
    digest,
    locked,
    make_directory,
    move,
    remove,
    sealed,
    told,
    unsealed,
    write,
)
from tower_sim.campaign.spec import Spec, canonical_json
from tower_sim.campaign.tables import TABLES
from tower_sim.campaign.work import Shard
from tower_sim.errors import UsageError

SCHEMA = "tower-sim/campaign"
VERSION = 1
RECEIPT = "tower-sim/campaign-receipt"
MANIFEST = "manifest.json"
LOG = "log.jsonl"
RECEIPTS = "receipts"
SET_ASIDE = "set_aside"
_FOLDERS = (*(table.name for table in TABLES), RECEIPTS)
_OURS = {MANIFEST, LOG, SET_ASIDE, ".lock", f".{MANIFEST}{PART}", *_FOLDERS}
_NAME = re.compile(r"(\d{5,})\.(parquet|json)")


class DamagedManifest(UsageError):
    """A manifest that was changed or is truncated; running the campaign again mends it."""


@dataclass(frozen=True, slots=True)
class Status:
    """How far a campaign is: the numbers of its shards that are done, missing, and failed in the last run."""

    spec: Spec
    done: tuple[int, ...]
    missing: tuple[int, ...]
    failed: tuple[int, ...]
    redrawn: int
    unfinished: int


@dataclass(frozen=True)
class Store:
    """A directory that holds, or will hold, the campaign of `head` (the manifest without its shards)."""

    directory: Path
    head: dict[str, Any]
    spec: Spec

    @staticmethod
    @contextmanager
    def opened(directory: Path, spec: Spec, environment: Environment) -> Generator[Store, None, None]:
        """Make the directory or go on with it, and keep other runs out of it meanwhile.

        Raises UsageError when it holds another campaign, one made with other versions, or something else.
        """
        make_directory(directory)
        with locked(directory):
            store = Store(directory, head_of(spec, environment), spec)
            store._check_owner()
            for folder in _FOLDERS:
                make_directory(directory / folder)
            store._clean()
            if _read_manifest(directory) is None:
                write(directory / MANIFEST, sealed(store.head | {"shards": None}))
            yield store

    @staticmethod
    def read(directory: Path) -> Store:
        """Look at a directory by its manifest; raises UsageError when it has none, or a damaged one."""
        if not (directory / MANIFEST).is_file():
            raise UsageError(f"{directory} holds no {MANIFEST}; allowed is the --out of a campaign; check the path")
        head = _read_manifest(directory)
        if head is None:
            raise DamagedManifest(
                f"{directory / MANIFEST} was changed or is truncated; run the campaign again to mend it"
            )
        if (head.get("schema"), head.get("version")) != (SCHEMA, VERSION):
            raise UsageError(
                f"{directory / MANIFEST} is {head.get('schema')!r} version {head.get('version')!r}; "
                f"allowed is {SCHEMA!r} version {VERSION}; use the tower_sim that made it"
            )
        head.pop("shards", None)
        return Store(directory, head, Spec.from_canonical(canonical_json(head["spec"])))

    def names(self, index: int) -> list[str]:
        """Return the names of a shard's tables, within the directory."""
        return [f"{table.name}/{index:05d}.parquet" for table in TABLES]

    def receipt_name(self, index: int) -> str:
        """Return the name of a shard's receipt, within the directory."""
        return f"{RECEIPTS}/{index:05d}.json"

    def put(self, shard: Shard) -> None:
        """Write a shard: its tables, then its receipt; doing it twice changes nothing. Raises as `files.write` does."""
        files: dict[str, Any] = {}
        for table, name in zip(TABLES, self.names(shard.index), strict=True):
            data = shard.tables[table.name]
            write(self.directory / name, data)
            files[name] = {"sha256": digest(data), "bytes": len(data), "rows": shard.rows[table.name]}
        runs = self.spec.runs_of(shard.index)
        receipt = {
            "schema": RECEIPT,
            "version": VERSION,
            "campaign": self.head["campaign"],
            "shard": shard.index,
            "runs": [runs.start, runs.stop - 1],
            "failed_draws": shard.failures,
            "unfinished_runs": list(shard.unfinished),
            "files": files,
        }
        write(self.directory / self.receipt_name(shard.index), sealed(receipt))

    def drop(self, index: int) -> None:
        """Take a shard's receipt away, if it has one: it is not done."""
        if (self.directory / self.receipt_name(index)).exists():
            remove(self.directory / self.receipt_name(index))

    def finish(self) -> None:
        """Write the manifest with every shard's files; all shards must be done."""
        shards = [self.receipt(index) for index in range(self.spec.shards)]
        write(self.directory / MANIFEST, sealed(self.head | {"shards": [_listed(each) for each in shards if each]}))

    def receipt(self, index: int) -> dict[str, Any] | None:
        """Read a shard's receipt; None when it is missing, damaged, or of another campaign or shard."""
        data = _bytes(self.directory / self.receipt_name(index))
        receipt = unsealed(data) if data is not None else None
        if receipt is None or (receipt.get("campaign"), receipt.get("shard")) != (self.head["campaign"], index):
            return None
        return receipt

    def is_there(self, index: int) -> bool:
        """Whether a shard has its receipt and tables of the right lengths; `problems` looks into them."""
        receipt = self.receipt(index)
        if receipt is None:
            return False
        paths = {self.directory / name: facts["bytes"] for name, facts in receipt["files"].items()}
        return all(path.is_file() and path.stat().st_size == size for path, size in paths.items())

    def problems(self, index: int) -> list[str]:
        """Say what is wrong with a shard, a file a line; nothing when it is done and whole."""
        receipt = self.receipt(index)
        name = self.receipt_name(index)
        if receipt is None:
            data = _bytes(self.directory / name)
            if data is None:
                return [f"{name}: missing: shard {index} is not done"]
            found = unsealed(data)
            if found is None:
                return [f"{name}: changed or truncated"]
            return [f"{name}: foreign: {self._origin(found.get('campaign'), found.get('shard'))}"]
        found = [self._problem(name, index, facts) for name, facts in receipt["files"].items()]
        return [problem for problem in found if problem]

    def foreign(self) -> list[str]:
        """Name the files beside the shards that are of no shard of this campaign."""
        found: list[str] = []
        for folder in _FOLDERS:
            suffix = "json" if folder == RECEIPTS else "parquet"
            for path in sorted((self.directory / folder).glob("*")):
                match = _NAME.fullmatch(path.name)
                is_ours = match and match[2] == suffix and path.name == f"{int(match[1]):05d}.{suffix}"
                if not (is_ours and match and int(match[1]) < self.spec.shards) and not path.name.endswith(PART):
                    found.append(f"{folder}/{path.name}")
        return found

    def set_aside(self) -> list[str]:
        """Move the foreign files to `set_aside`, so that nobody reads them with the dataset; returns their names."""
        names = self.foreign()
        for name in names:
            move(self.directory / name, self.directory / SET_ASIDE / name)
        return names

    def manifest_problems(self) -> list[str]:
        """Say what is wrong with the manifest's contents, now that all shards are whole."""
        manifest = _read_manifest(self.directory)
        listed = manifest.get("shards") if manifest else None
        if listed is None:
            return [f"{MANIFEST}: not finished: it does not list the shards"]
        receipts = [self.receipt(index) for index in range(self.spec.shards)]
        if listed != [_listed(each) for each in receipts if each]:
            return [f"{MANIFEST}: changed: its list of shards is not that of the receipts"]
        return []

    def head_problems(self) -> list[str]:
        """Say what is wrong with the head of the manifest."""
        head = {key: value for key, value in self.head.items() if key != "campaign"}
        whole = digest(canonical_json(head).encode()) == self.head["campaign"]
        if not whole or self.spec.digest != self.head["spec_digest"]:
            return [f"{MANIFEST}: changed: its digests do not match"]
        return []

    def log(self, event: str, **facts: Any) -> None:
        """Add a line to the log."""
        now = time.strftime("%Y-%m-%dT%H:%M:%S%z")
        line = {"time": now, "event": event, "host": platform.node(), "pid": os.getpid()}
        path = self.directory / LOG
        try:
            with open(path, "a+b") as file:
                if file.seek(0, os.SEEK_END) and (file.seek(-1, os.SEEK_END), file.read(1))[1] != b"\n":
                    file.write(b"\n")  # a kill cut the last line short
                file.write((json.dumps(line | facts) + "\n").encode())
        except OSError as error:
            raise told(path, error) from error

    def status(self) -> Status:
        """Say how far the campaign is, without looking into its tables."""
        receipts = {index: self.receipt(index) for index in range(self.spec.shards) if self.is_there(index)}
        missing = tuple(index for index in range(self.spec.shards) if index not in receipts)
        known = [receipt for receipt in receipts.values() if receipt]
        return Status(
            spec=self.spec,
            done=tuple(receipts),
            missing=missing,
            failed=tuple(sorted(self._failed() & set(missing))),
            redrawn=sum(receipt["failed_draws"] for receipt in known),
            unfinished=sum(len(receipt["unfinished_runs"]) for receipt in known),
        )

    def _failed(self) -> set[int]:
        """Return the shards that failed since the last start in the log."""
        failed: set[int] = set()
        for line in (_bytes(self.directory / LOG) or b"").splitlines():
            try:
                entry: dict[str, Any] = json.loads(line)
            except ValueError:
                continue
            if entry.get("event") == "start":
                failed = set()
            elif entry.get("event") == "failed":
                failed.add(entry["shard"])
        return failed

    def _problem(self, name: str, index: int, facts: dict[str, Any]) -> str:
        data = _bytes(self.directory / name)
        if data is None:
            return f"{name}: missing"
        if (len(data), digest(data)) == (facts["bytes"], facts["sha256"]):
            return ""
        metadata = parquet_metadata(data)
        if metadata and (metadata.get("spec"), metadata.get("shard")) != (self.spec.digest, str(index)):
            return f"{name}: foreign: of shard {metadata.get('shard')} of the spec {metadata.get('spec', '')[:16]}"
        if len(data) < facts["bytes"]:
            return f"{name}: truncated: {len(data)} of {facts['bytes']} bytes"
        return f"{name}: changed: its SHA-256 is not that of its receipt"

    def _origin(self, campaign: object, shard: object) -> str:
        is_ours = campaign == self.head["campaign"]
        return f"of shard {shard}" if is_ours else f"of another campaign, {str(campaign)[:16]}"

    def _check_owner(self) -> None:
        """Refuse a directory that is not this campaign's."""
        strange = sorted(path.name for path in self.directory.iterdir() if path.name not in _OURS)
        if not (self.directory / MANIFEST).exists() and strange:
            raise UsageError(
                f"{self.directory} holds {strange[0]!r} and no campaign; allowed is a new or empty directory, or one "
                "of this campaign; give another --out"
            )
        found = _read_manifest(self.directory)
        if found is None:
            owners = {owner for path in (self.directory / RECEIPTS).glob("*.json") if (owner := _owner(path))}
            if owners and self.head["campaign"] not in owners:
                raise UsageError(f"{self.directory} holds shards of another campaign; give another --out")
        elif found.get("spec_digest") != self.spec.digest:
            raise UsageError(
                f"{self.directory} holds another campaign (spec {str(found.get('spec_digest'))[:16]}, this is "
                f"{self.spec.digest[:16]}); allowed is the same spec; give another --out"
            )
        elif found.get("campaign") != self.head["campaign"]:
            here = {part: self.head[part] for part in ("versions", "platform")}
            theirs = {part: found.get(part, {}) for part in here}
            why = difference(theirs, here) or "other apparatus or settings digests"
            raise UsageError(
                f"{self.directory} was made elsewhere: here is {why}; allowed is the same, for the same bytes; "
                "go on there or give another --out"
            )

    def _clean(self) -> None:
        """Remove what an interrupted write left."""
        for folder in (self.directory, *(self.directory / name for name in _FOLDERS)):
            for path in folder.glob(f".*{PART}"):
                remove(path)


def head_of(spec: Spec, environment: Environment) -> dict[str, Any]:
    """Return the manifest without its shards: the spec, and all that decides what it gives."""
    points: list[dict[str, Any]] = []
    for number, values in enumerate(spec.points):
        point = spec.point(number)
        points.append({"values": values, "apparatus": point.apparatus.digest, "settings": point.model_digest})
    head = {"schema": SCHEMA, "version": VERSION, "spec": json.loads(spec.canonical), "spec_digest": spec.digest}
    head |= environment | {"points": points}
    return head | {"campaign": digest(canonical_json(head).encode())}


def _listed(receipt: dict[str, Any]) -> dict[str, Any]:
    return {key: receipt[key] for key in ("shard", "runs", "failed_draws", "unfinished_runs", "files")}


def _read_manifest(directory: Path) -> dict[str, Any] | None:
    data = _bytes(directory / MANIFEST)
    return None if data is None else unsealed(data)


def _owner(path: Path) -> str:
    receipt = unsealed(_bytes(path) or b"")
    return str(receipt.get("campaign", "")) if receipt else ""


def _bytes(path: Path) -> bytes | None:
    """Return a file's content; None when there is none."""
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None

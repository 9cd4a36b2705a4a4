"""The directory of a campaign: tables and receipts by shard, a manifest, a log; written so that a kill loses nothing.

    DIRECTORY/manifest.json            the spec and all that decides its results; at the end every shard's files
              drops/00012.parquet      a table's rows of one shard
              cubes/00012.parquet
              GAME/00012.parquet       what the game tells of each drop, where it tells more
              poses/00012.parquet      what draws looked like, where that is recorded
              receipts/00012.json      written after its tables: the shard is done
              log.jsonl                times, hosts, failures, interruptions; the only file that differs between runs
              before.json              while a campaign is given more runs: the manifest of the smaller one
              set_aside/               files of shards that are not of this campaign, moved out of the way

Without its log, the directory of a run that was killed and gone on with equals that of one that was not.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
import stat
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, cast

from tower_sim.campaign import tables
from tower_sim.campaign.arrow import parquet_columns, parquet_metadata
from tower_sim.campaign.documents import (
    MANIFEST,
    OWN_TABLE,
    RECEIPT,
    RECEIPTS,
    SCHEMA,
    VERSION,
    content,
    manifest_at,
    names,
    read_manifest,
    receipt_fault,
    receipt_name,
    same,
    tables_in,
)
from tower_sim.campaign.environment import Environment, difference
from tower_sim.campaign.files import LOCKS, digest, locked, make_directory, move, remove, sealed, told, unsealed, write
from tower_sim.campaign.spec import Spec, canonical_json
from tower_sim.campaign.tables import POSES, TableKind, own_table
from tower_sim.campaign.work import Shard
from tower_sim.errors import UsageError, fault, shown
from tower_sim.physics.engine import version_of
from tower_sim.replay import stored
from tower_sim.writing import PART

LOG = "log.jsonl"
SET_ASIDE = "set_aside"
BEFORE = "before.json"
_NAME = re.compile(r"(\d{5,})\.(parquet|json)")


class DamagedManifest(UsageError):
    """A manifest that was changed or is truncated; running the campaign again mends it. `wrong` says what is."""

    def __init__(self, path: Path, wrong: str) -> None:
        self.wrong = f"{MANIFEST}: {wrong}"
        super().__init__(f"{path} was changed or is truncated ({wrong}); run the campaign again to mend it")


@dataclass(frozen=True, slots=True)
class CampaignStatus:
    """How far a campaign is: the numbers of its shards that are done, missing, and failed in the last run."""

    spec: Spec
    done: tuple[int, ...]
    missing: tuple[int, ...]
    failed: tuple[int, ...]
    redrawn: int
    unfinished: int

    @property
    def runs_done(self) -> int:
        """How many runs are in the shards that are done."""
        return sum(len(self.spec.runs_of(index)) for index in self.done)

    def document(self) -> dict[str, Any]:
        """Return the document of `campaign status --json`, ready for `json.dumps`."""
        spec = self.spec
        return {
            "schema": "tower-sim/campaign-status",
            "version": 1,
            "kind": spec.kind,
            "apparatus": spec.apparatus,
            "model": spec.model,
            "seed": str(spec.seed),
            "digest": spec.digest,
            "points": len(spec.points),
            "runs": {"done": self.runs_done, "of": spec.total},
            "shards": {
                "of": spec.shards,
                "done": list(self.done),
                "missing": list(self.missing),
                "failed": list(self.failed),
            },
            "redrawn": self.redrawn,
            "unfinished": self.unfinished,
        }


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
        store = Store(directory, head_of(spec, environment), spec)
        store._check_owner()  # before anything is put there, and again when nobody else can
        with locked(directory):
            store._check_owner()
            for folder in store._folders:
                make_directory(directory / folder)
            store._clean()
            manifest, _ = manifest_at(directory / MANIFEST) or (None, None)
            if manifest is not None and _is_smaller(manifest, store.head):
                write(directory / BEFORE, content(directory / MANIFEST) or b"")
            if manifest is None or not same(head_in(manifest), store.head):
                write(directory / MANIFEST, sealed(store.head | {"shards": None}))
            yield store

    @staticmethod
    def read(directory: Path) -> Store:
        """Look at a directory by its manifest; raises UsageError when it has none, or a damaged one."""
        data = content(directory / MANIFEST)
        if data is None:
            given = shown(str(directory))
            raise UsageError(f"{given} holds no {MANIFEST}; allowed is the directory of a campaign; check the path")
        found = read_manifest(data)
        if isinstance(found, str):
            raise DamagedManifest(directory / MANIFEST, found)
        manifest, spec = found
        store = Store(directory, head_in(manifest), spec)
        if (version := store.head["versions"].get("tables")) != str(tables.VERSION):
            what = f"version of the tables in {shown(str(directory))}"
            raise fault(what, version, str(tables.VERSION), "take the tower_sim that made it")
        return store

    @property
    def tables(self) -> tuple[str, ...]:
        """The names of the tables, in the order of the receipts."""
        return tables_in(self.head)

    @property
    def _folders(self) -> tuple[str, ...]:
        return (*self.tables, RECEIPTS)

    def put(self, shard: Shard) -> None:
        """Write a shard: its tables, then its receipt; doing it twice changes nothing. Raises as `files.write` does."""
        files: dict[str, Any] = {}
        for table, name in zip(self.tables, names(shard.index, self.tables), strict=True):
            data = shard.tables[table]
            write(self.directory / name, data)
            files[name] = {"sha256": digest(data), "bytes": len(data), "rows": shard.rows[table]}
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
        write(self.directory / receipt_name(shard.index), sealed(receipt))

    def drop(self, index: int) -> None:
        """Take a shard's receipt away, if it has one: it is not done."""
        if (self.directory / receipt_name(index)).exists():
            remove(self.directory / receipt_name(index))

    def finish(self) -> None:
        """Write the manifest with every shard's files; all shards must be done."""
        shards = [self.receipt(index) for index in range(self.spec.shards)]
        write(
            self.directory / MANIFEST, sealed(self.head | {"shards": [listed_form(shard) for shard in shards if shard]})
        )

    def receipt(self, index: int) -> dict[str, Any] | None:
        """Read a shard's receipt; None when it is missing, damaged, or of another campaign or shard."""
        receipt, wrong = self._receipt(index)
        return None if wrong else receipt

    def _receipt(self, index: int) -> tuple[dict[str, Any], str]:
        """Read a shard's receipt, and say what is wrong with it."""
        try:
            data = content(self.directory / receipt_name(index))
        except UsageError as error:
            return {}, f"damaged: {error}"
        if data is None:
            return {}, f"missing: shard {index} is not done"
        receipt = unsealed(data)
        if receipt is None:
            return {}, "changed or truncated"
        if not same([receipt.get("campaign"), receipt.get("shard")], [self.head["campaign"], index]):
            return receipt, f"foreign: {self._origin(receipt.get('campaign'), receipt.get('shard'))}"
        wrong = receipt_fault(receipt, self.spec, index, self.tables)
        return receipt, f"changed: {wrong}" if wrong else ""

    def is_there(self, index: int) -> bool:
        """Whether a shard has its receipt and tables of the right lengths; `problems` looks into them."""
        receipt = self.receipt(index)
        if receipt is None:
            return False
        return all(_length(self.directory / name) == facts["bytes"] for name, facts in receipt["files"].items())

    def problems(self, index: int) -> list[str]:
        """Say what is wrong with a shard, a file a line; nothing when it is done and whole."""
        receipt, wrong = self._receipt(index)
        if wrong:
            return [f"{receipt_name(index)}: {wrong}"]
        problems = [self._problem(name, index, facts) for name, facts in receipt["files"].items()]
        return [problem for problem in problems if problem] or self._miscounted(receipt, index)

    def _miscounted(self, receipt: dict[str, Any], index: int) -> list[str]:
        """Say that the receipt counts other failures than its table of drops has."""
        name = names(index, self.tables)[0]
        columns = parquet_columns(self.directory / name, ("run", "emerged"))
        if columns is None:
            return [f"{name}: changed: it is no table of drops"]
        failed = [emerged is None for emerged in columns[1]]  # no landing
        last = dict(zip(columns[0], failed, strict=True))  # of each run its last row
        counted = [sum(failed), sorted(run for run, is_cut in last.items() if is_cut)]
        if same([receipt["failed_draws"], receipt["unfinished_runs"]], counted):
            return []
        return [f"{receipt_name(index)}: changed: it counts other failures than {name} has"]

    def foreign(self) -> list[str]:
        """Name the files beside the shards that are of no shard of this campaign."""
        strangers: list[str] = []
        for folder in self._folders:
            suffix = "json" if folder == RECEIPTS else "parquet"
            for path in sorted((self.directory / folder).glob("*")):
                match = _NAME.fullmatch(path.name)
                is_ours = match and match[2] == suffix and path.name == f"{int(match[1]):05d}.{suffix}"
                if not (is_ours and match and int(match[1]) < self.spec.shards) and not path.name.endswith(PART):
                    strangers.append(f"{folder}/{path.name}")
        return strangers

    def set_aside(self) -> list[str]:
        """Move the foreign files to `set_aside`, so that nobody reads them with the dataset; returns their names.

        One whose name is taken there goes to `set_aside/1`, then `set_aside/2`, ...: nothing is overwritten.
        """
        strangers = self.foreign()
        for name in strangers:
            folders = (self.directory / SET_ASIDE / (str(i) if i else "") for i in count())
            move(self.directory / name, next(to for to in folders if not os.path.lexists(to / name)) / name)
        return strangers

    def manifest_problems(self) -> list[str]:
        """Say what is wrong with the manifest's contents, now that all shards are whole."""
        listed = self.listing()
        if listed is None:
            return [f"{MANIFEST}: not finished: it does not list the shards"]
        receipts = [self.receipt(index) for index in range(self.spec.shards)]
        if not same(listed, [listed_form(receipt) for receipt in receipts if receipt]):
            return [f"{MANIFEST}: changed: its list of shards is not that of the receipts"]
        return []

    def listing(self) -> object:
        """Return what a finished manifest says of the shards, whatever that is; None while it lists none."""
        found = manifest_at(self.directory / MANIFEST)
        return found[0].get("shards") if found else None

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

    def status(self) -> CampaignStatus:
        """Say how far the campaign is, without looking into its tables."""
        receipts = {index: self.receipt(index) for index in range(self.spec.shards) if self.is_there(index)}
        missing = tuple(index for index in range(self.spec.shards) if index not in receipts)
        known = [receipt for receipt in receipts.values() if receipt]
        return CampaignStatus(
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
        try:
            lines = (content(self.directory / LOG) or b"").splitlines()
        except UsageError:  # too long, or none of ours: nothing is known
            return failed
        for line in lines:
            try:
                entry: object = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if not isinstance(entry, dict):
                continue
            facts = cast("dict[str, object]", entry)
            if facts.get("event") == "start":
                failed = set()
            elif facts.get("event") == "failed" and isinstance(facts.get("shard"), int):
                failed.add(cast("int", facts["shard"]))
        return failed

    def _problem(self, name: str, index: int, facts: dict[str, Any]) -> str:
        path = self.directory / name
        length = _length(path)
        if length is None:
            return f"{name}: missing, or no regular file"
        metadata = parquet_metadata(path)
        schema = TableKind(name.split("/")[0], ()).schema_name()
        ours = {"schema": schema, "version": str(tables.VERSION), "spec": self.spec.digest, "shard": str(index)}
        if metadata and any(metadata.get(key) != ours[key] for key in ("spec", "shard")):
            return f"{name}: foreign: of shard {metadata.get('shard')} of the spec {metadata.get('spec', '')[:16]}"
        if length < facts["bytes"]:
            return f"{name}: truncated: {length} of {facts['bytes']} bytes"
        if length > facts["bytes"] or _digest_of(path) != facts["sha256"]:
            return f"{name}: changed: its SHA-256 is not that of its receipt"
        is_ours = ours | {"rows": str(facts["rows"])} == {key: metadata.get(key) for key in (*ours, "rows")}
        return "" if is_ours else f"{name}: changed: its contents are not those of its receipt"

    def _origin(self, campaign: object, shard: object) -> str:
        is_ours = campaign == self.head["campaign"]
        return f"of shard {shard}" if is_ours else f"of another campaign, {str(campaign)[:16]}"

    def _check_owner(self) -> None:
        """Refuse a directory that is not this campaign's."""
        known = (path.name for path in self.directory.glob(f".*{PART}"))  # of an interrupted write
        ours = {MANIFEST, LOG, SET_ASIDE, BEFORE, *LOCKS, *self._folders}
        strange = sorted({path.name for path in self.directory.iterdir()} - ours - set(known))
        if not (self.directory / MANIFEST).exists() and strange:
            raise UsageError(
                f"{self.directory} holds {strange[0]!r} and no campaign; allowed is a new or empty directory, or one "
                "of this campaign; give another -o"
            )
        manifest, _ = manifest_at(self.directory / MANIFEST) or (None, None)
        if manifest is None:
            owners = {owner for path in (self.directory / RECEIPTS).glob("*.json") if (owner := _owner(path))}
            if owners and self.head["campaign"] not in owners:
                raise UsageError(f"{self.directory} holds shards of another campaign; give another -o")
        elif _is_smaller(manifest, self.head):
            return
        elif manifest.get("spec_digest") != self.spec.digest:
            raise UsageError(
                f"{self.directory} holds another campaign (spec {str(manifest.get('spec_digest'))[:16]}, this is "
                f"{self.spec.digest[:16]}); allowed is the same spec, of one design point also with more runs; "
                "give another -o"
            )
        elif manifest.get("campaign") != self.head["campaign"]:
            here = {part: self.head[part] for part in ("versions", "platform")}
            theirs = {part: manifest[part] for part in here}
            why = difference(theirs, here) or "other apparatus or settings digests"
            raise UsageError(
                f"{self.directory} was made elsewhere: here is {why}; allowed is the same, for the same bytes; "
                "go on there or give another -o"
            )

    def _clean(self) -> None:
        """Remove what an interrupted write left."""
        for folder in (self.directory, *(self.directory / name for name in self._folders)):
            for path in folder.glob(f".*{PART}"):
                if path.is_file():
                    remove(path)


def head_of(spec: Spec, environment: Environment) -> dict[str, Any]:
    """Return the manifest without its shards: the spec, and all that decides what it gives."""
    points: list[dict[str, Any]] = []
    for number, values in enumerate(spec.points):
        point = spec.point(number)
        points.append({"values": values, "apparatus": point.apparatus.digest, "settings": point.model_digest})
    head = {"schema": SCHEMA, "version": VERSION, "spec": json.loads(spec.canonical), "spec_digest": spec.digest}
    own = own_table(game := spec.game)
    played = {"game": f"{game.name} {game.version}"} | ({} if own is None else {OWN_TABLE: own.name})
    engine = spec.settings.get("engine")  # not there without physics
    played |= {} if engine is None else {"engine": f"{engine} {version_of(engine) or 'without a version'}"}
    played |= {POSES.name: str(stored.VERSION)} if spec.record else {}
    head |= {"versions": environment["versions"] | played, "platform": environment["platform"], "points": points}
    return head | {"campaign": digest(canonical_json(head).encode())}


def _is_smaller(manifest: dict[str, Any], head: dict[str, Any]) -> bool:
    """Say whether a directory's campaign is that of `head` with fewer runs, whose numbers mean the same ones."""
    theirs, ours = manifest["spec"], head["spec"]
    if len(ours["points"]) != 1 or not theirs["runs"] < ours["runs"]:
        return False
    others = ("versions", "platform", "points")
    return same(theirs | {"runs": ours["runs"]}, ours) and all(same(manifest[part], head[part]) for part in others)


def listed_form(receipt: dict[str, Any]) -> dict[str, Any]:
    """Return what the manifest keeps of a receipt."""
    return {key: receipt[key] for key in ("shard", "runs", "failed_draws", "unfinished_runs", "files")}


def head_in(manifest: dict[str, Any]) -> dict[str, Any]:
    """Return a manifest without its shards."""
    return {key: value for key, value in manifest.items() if key != "shards"}


def _owner(path: Path) -> str:
    try:
        receipt = unsealed(content(path) or b"")
    except UsageError:
        return ""
    return str(receipt.get("campaign", "")) if receipt else ""


def _length(path: Path) -> int | None:
    """Return the length of a regular file; None when there is none."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_size if stat.S_ISREG(status.st_mode) else None


def _digest_of(path: Path) -> str:
    """Return the SHA-256 of a file that may be large; empty when it cannot be read."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""

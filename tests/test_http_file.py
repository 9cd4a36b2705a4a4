"""The one file of the service: who may read it, whose it is, what a full disk, a wrong clock and a bad byte do."""

from __future__ import annotations

import asyncio
import os
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from support.asgi import serving
from support.cases import each_case

from tower_sim.errors import UsageError
from tower_sim.service.http import files
from tower_sim.service.http.files import backup
from tower_sim.service.http.store import DAY, Database, answer_row
from tower_sim.writing import WritingFailed

pytestmark = pytest.mark.posix
LIGHT: dict[str, Any] = {"cubes": {"blue": 4}, "model": "surrogate", "seed": "7"}
KEY: dict[str, Any] = {"idempotency_key": "a-key-of-this-test-0001"}


def rights(folder: Path) -> dict[str, str]:
    return {path.name: f"{path.stat().st_mode & 0o777:o}" for path in folder.iterdir()}


def test_nobody_else_may_read_the_file_or_what_is_beside_it(tmp_path: Path):
    db = tmp_path / "towers.db"
    before = os.umask(0o022)
    try:
        Database(db).close()
        db.chmod(0o644)  # as it was made before
        store = Database(db)
        asyncio.run(store.write(answer_row("x", "drop", b"{}")))
        backup(db, tmp_path / "copy.db")
        assert rights(tmp_path) == dict.fromkeys(("towers.db", "towers.db-wal", "towers.db-shm", "copy.db"), "600")
        store.close()
    finally:
        os.umask(before)


OTHERS: dict[str, str | bytes] = {
    "tables": "CREATE TABLE mine (x)",
    "a name": "PRAGMA application_id = 7",
    "a version": "PRAGMA user_version = 7",
    "no database": b"a letter to my aunt " * 100,
}


@each_case("other", OTHERS.values(), ids=OTHERS)
def test_another_programs_file_is_refused_and_left_as_it_is(tmp_path: Path, other: str | bytes):
    db = tmp_path / "other.db"
    if isinstance(other, bytes):
        db.write_bytes(other)
    else:
        with sqlite3.connect(db) as made:
            made.execute(other)
        made.close()
    db.chmod(0o644)
    before = db.read_bytes()
    for use in (lambda: Database(db), lambda: backup(db, tmp_path / "copy.db")):
        with pytest.raises(UsageError, match=r"another program's|not a database"):
            use()
        assert db.read_bytes() == before
        assert rights(tmp_path) == {"other.db": "644"}


def no_room(*_: Any, **__: Any) -> None:
    raise sqlite3.OperationalError("disk I/O error")


@pytest.mark.parametrize(("free", "error", "says"), [(10, WritingFailed, "full"), (10**9, UsageError, "I/O error")])
def test_a_start_says_that_the_disk_is_full_where_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free: int, error: type[Exception], says: str
):
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=free))
    monkeypatch.setattr(sqlite3, "connect", no_room)
    with pytest.raises(error, match=says):
        Database(tmp_path / "towers.db")


def test_a_start_writes_nothing_into_a_file_that_needs_nothing(tmp_path: Path):
    """So that a service starts on a full disk, too, and gives what it has."""
    db = tmp_path / "towers.db"
    Database(db).close()
    before = db.read_bytes()
    with sqlite3.connect(db) as other:
        other.execute("PRAGMA query_only = 1")
    Database(db).close()
    assert db.read_bytes() == before


def empty(path: Path) -> None:
    path.touch()


def in_no_folder(path: Path) -> None:
    Database(path).close()


@pytest.mark.parametrize(("make", "target"), [(empty, "copy.db"), (in_no_folder, "no/such/copy.db")])
def test_a_backup_that_fails_leaves_nothing(tmp_path: Path, make: Callable[[Path], None], target: str):
    make(tmp_path / "towers.db")
    with pytest.raises(UsageError):
        backup(tmp_path / "towers.db", tmp_path / target)
    assert os.listdir(tmp_path) == ["towers.db"]


def test_a_backup_that_stops_on_its_way_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    Database(tmp_path / "towers.db").close()
    seen: list[list[str]] = []

    def stop(*_: Any) -> None:
        seen.append(sorted(os.listdir(tmp_path)))
        raise KeyboardInterrupt

    monkeypatch.setattr(files.os, "replace", stop)
    with pytest.raises(KeyboardInterrupt):
        backup(tmp_path / "towers.db", tmp_path / "copy.db")
    assert len(seen[0]) == 2  # the copy was there, under another name
    assert os.listdir(tmp_path) == ["towers.db"]


def test_a_clock_that_is_ahead_for_less_than_a_day_deletes_nothing(tmp_path: Path):
    """Kept for 10 days; each purge at a time that the clock shows, and what is there after it."""
    now = 1_000 * DAY
    store = Database(tmp_path / "towers.db")

    def after(shown: float) -> list[str]:
        asyncio.run(store.write(*store.purge(10, shown)))
        return sorted(name.decode() for (name,) in store.read("SELECT hash FROM answers"))

    try:
        insert = "INSERT INTO answers (hash, kind, made, body, seal) VALUES (?, 'drop', ?, x'00', x'00')"
        for name, age in ((b"11 days", 11), (b"8 days", 8), (b"9 days", 9)):
            asyncio.run(store.write((insert, (name, now - age * DAY))))
        assert after(now) == ["11 days", "8 days", "9 days"]  # the first time that it sees a clock
        assert after(now + 700 * DAY) == ["8 days", "9 days"]  # ahead, for some hours: those were too young before
        assert after(now + 700.5 * DAY) == ["8 days", "9 days"]
        assert after(now + 0.9 * DAY) == ["8 days", "9 days"]  # set right
        assert after(now + 1.1 * DAY) == ["8 days", "9 days"]
        assert after(now + 2.2 * DAY) == ["8 days"]  # the other is 11.2 days old, and was 10.1
        assert after(now + 2.3 * DAY) == ["8 days"]
        assert after(now + 800 * DAY) == []  # it was 10.3 days old before
    finally:
        store.close()


def test_a_tower_is_kept_as_long_as_it_is_used_however_old_it_is(tmp_path: Path):
    """Kept for 10 days: both towers were made 30 days ago, and drops were thrown 12 and 8 days ago."""
    now = 1_000 * DAY
    store = Database(tmp_path / "towers.db")
    try:
        insert = "INSERT INTO towers (hash, made, used, fields, drops, inside) VALUES (?, ?, ?, '', 0, '{}')"
        for name, age in ((b"12 days", 12), (b"8 days", 8)):
            asyncio.run(store.write((insert, (name, now - 30 * DAY, now - age * DAY))))
        for shown in (now - DAY, now):  # a purge deletes what was old enough a day before
            asyncio.run(store.write(*store.purge(10, shown)))
        assert store.read("SELECT hash FROM towers") == [(b"8 days",)]
    finally:
        store.close()


def test_an_answer_that_changed_on_the_disk_is_not_given(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    async def whole() -> None:
        async with serving(tmp_path) as served:
            keyed = await served.ask("POST", "/v1/drops", LIGHT, **KEY)
            tower = await served.ask("POST", "/v1/towers", {"model": "surrogate"}, **KEY)
            assert keyed
            assert tower
            place = f"{tower.headers['location']}/drops"
            drop = await served.ask("POST", place, LIGHT | {"model": None}, **KEY)
            assert drop
            assert drop.code == "field.unknown"
            drop = await served.ask("POST", place, {"cubes": {"blue": 4}}, **KEY)
            assert drop
            assert drop.status == 201
            with sqlite3.connect(tmp_path / "towers.db") as other:
                other.execute("UPDATE answers SET body = CAST(replace(body, 'settled', 'jammed!') AS BLOB)")
                other.execute("UPDATE keys SET body = CAST(replace(body, 'amerigo', 'amerika') AS BLOB)")
            other.close()
            for method, path, body in (
                ("GET", keyed.headers["location"], None),
                ("POST", "/v1/drops", LIGHT),
                ("POST", "/v1/towers", {"model": "surrogate"}),
                ("POST", place.replace("drops", "forks"), {"after": 0}),
            ):
                got = await served.ask(method, path, body, **KEY)
                assert got
                assert (got.status, got.code) == (500, "damaged"), path

    asyncio.run(whole())
    assert capsys.readouterr().err.count("is damaged") == 4

"""The directory: every damage is found and named, mended by running again; nobody else's directory is touched."""

from __future__ import annotations

import errno
import json
import os
import random
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from support.campaigns import GAMES, tree
from support.cases import each_case

from tower_sim.campaign import campaign_run, campaign_status, campaign_verify, parse, run, verify
from tower_sim.campaign import engines as engines_module
from tower_sim.campaign import files as files_module
from tower_sim.campaign.environment import environment
from tower_sim.campaign.files import StoreError, locked
from tower_sim.campaign.store import Store, head_of
from tower_sim.errors import UsageError
from tower_sim.physics.bullet import BulletEngine
from tower_sim.physics.engine import version_of

SPEC = parse(GAMES)  # 6 shards


@pytest.fixture(name="whole", scope="module")
def _whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("whole") / "out"
    assert run(SPEC, directory).finished == tuple(range(6))
    assert verify(directory) == []
    return directory


@pytest.fixture(name="copy")
def _copy(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(whole, tmp_path / "out"))


@pytest.fixture(name="other", scope="module")
def _other(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("other") / "out"
    run(parse(GAMES.replace("games = 12", "games = 14")), directory)
    return directory


def flip(path: Path, position: int) -> None:
    data = bytearray(path.read_bytes())
    data[position] ^= 1 << (position % 8)
    path.write_bytes(data)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-100])


def longer(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b"x")


DAMAGES: dict[str, tuple[Callable[[Path, Path], object], str, int]] = {
    "a truncated table": (lambda out, _: cut(out / "drops/00002.parquet"), r"drops/00002.parquet: truncated", 2),
    "an emptied table": (
        lambda out, _: (out / "cubes/00002.parquet").write_bytes(b""),
        "cubes/00002.parquet: truncated",
        2,
    ),
    "a longer table": (lambda out, _: longer(out / "drops/00002.parquet"), "drops/00002.parquet: changed", 2),
    "a flipped byte of drops": (
        lambda out, _: flip(out / "drops/00001.parquet", 999),
        "drops/00001.parquet: changed",
        1,
    ),
    "a flipped byte of cubes": (
        lambda out, _: flip(out / "cubes/00001.parquet", 999),
        "cubes/00001.parquet: changed",
        1,
    ),
    "a flipped byte of a receipt": (
        lambda out, _: flip(out / "receipts/00004.json", 300),
        "receipts/00004.json: changed",
        4,
    ),
    "a truncated receipt": (
        lambda out, _: cut(out / "receipts/00004.json"),
        "receipts/00004.json: changed or truncated",
        4,
    ),
    "a missing table": (lambda out, _: (out / "cubes/00000.parquet").unlink(), "cubes/00000.parquet: missing", 0),
    "a missing receipt": (
        lambda out, _: (out / "receipts/00005.json").unlink(),
        "receipts/00005.json: missing: shard 5",
        5,
    ),
    "a table of another shard": (
        lambda out, _: shutil.copy(out / "drops/00001.parquet", out / "drops/00003.parquet"),
        "drops/00003.parquet: foreign: of shard 1",
        3,
    ),
    "a receipt of another shard": (
        lambda out, _: shutil.copy(out / "receipts/00001.json", out / "receipts/00003.json"),
        "receipts/00003.json: foreign: of shard 1",
        3,
    ),
    "a table of another campaign": (
        lambda out, other: shutil.copy(other / "cubes/00003.parquet", out / "cubes/00003.parquet"),
        "cubes/00003.parquet: foreign: of shard 3 of the spec",
        3,
    ),
    "a shard of another campaign": (
        lambda out, other: [
            shutil.copy(other / name, out / name)
            for name in ("drops/00003.parquet", "cubes/00003.parquet", "receipts/00003.json")
        ],
        "receipts/00003.json: foreign: of another campaign",
        3,
    ),
}


@each_case("damage", DAMAGES)
def test_damage_is_found_by_name_and_exactly_it_is_mended(damage: str, tmp_path: Path, other: Path, whole: Path):
    spoil, message, index = DAMAGES[damage]
    copy = Path(shutil.copytree(whole, tmp_path / "out"))
    spoil(copy, other)
    problems = verify(copy)
    assert len(problems) == 1
    assert problems[0].startswith(message)
    text, status = campaign_verify(copy)
    assert status == 1
    assert message in text
    assert run(SPEC, copy).finished == (index,)
    assert verify(copy) == []
    assert tree(copy) == tree(whole)


def test_files_of_no_shard_are_named_and_set_aside(copy: Path, other: Path, whole: Path):
    foreign = ["cubes/00006.parquet", "drops/00006.parquet", "receipts/00006.json"]
    for name in foreign:
        shutil.copy(other / name, copy / name)
    (copy / "drops/notes.txt").write_text("mine")
    found = verify(copy)
    assert [problem.split(":")[0] for problem in found] == [
        "drops/00006.parquet", "drops/notes.txt", "cubes/00006.parquet", "receipts/00006.json",
    ]  # fmt: skip
    assert all("foreign" in problem for problem in found)
    summary = run(SPEC, copy)
    assert summary.finished == ()
    assert len(summary.set_aside) == 4
    assert verify(copy) == []
    assert (copy / "set_aside/drops/notes.txt").read_text() == "mine"
    (copy / "drops/notes.txt").write_text("mine too")
    (copy / "drops/notes.txt").chmod(0o400)
    run(SPEC, copy)
    (copy / "drops/notes.txt").mkdir()
    run(SPEC, copy)
    assert (copy / "set_aside/drops/notes.txt").read_text() == "mine"
    assert (copy / "set_aside/1/drops/notes.txt").read_text() == "mine too"
    assert (copy / "set_aside/2/drops/notes.txt").is_dir()
    shutil.rmtree(copy / "set_aside")
    assert tree(copy) == tree(whole)


def test_every_flipped_bit_is_found_and_its_file_named(copy: Path):
    rng = random.Random(1)
    names = sorted(tree(copy))
    for _ in range(60):
        path = copy / rng.choice(names)
        data = path.read_bytes()
        flip(path, rng.randrange(len(data)))
        problems = verify(copy)
        assert any(str(path.relative_to(copy)) in problem for problem in problems), path
        path.write_bytes(data)
    assert verify(copy) == []


@pytest.mark.parametrize("spoil", [cut, lambda path: flip(path, 2000), Path.unlink, lambda path: path.write_bytes(b"")])
def test_a_damaged_manifest_is_written_anew_for_the_same_campaign(
    spoil: Callable[[Path], None], copy: Path, whole: Path
):
    spoil(copy / "manifest.json")
    assert run(SPEC, copy).finished == ()
    assert tree(copy) == tree(whole)


def test_a_damaged_manifest_does_not_give_the_directory_away(copy: Path):
    cut(copy / "manifest.json")
    before = tree(copy)
    with pytest.raises(UsageError, match="shards of another campaign"):
        run(parse(GAMES + "[rules]\nrounds = 1\n"), copy)
    assert tree(copy) == before


def test_a_manifest_that_was_sealed_again_with_another_version_is_found(copy: Path):
    manifest = json.loads((copy / "manifest.json").read_text())
    manifest["versions"]["numpy"] = "0.1"
    manifest.pop("digest")
    (copy / "manifest.json").write_bytes(files_module.sealed(manifest))
    assert verify(copy) == ["manifest.json: changed: its digests do not match"]
    with pytest.raises(UsageError, match=r"manifest.json was changed or is truncated \(changed: its digests"):
        campaign_status(copy)
    assert run(SPEC, copy).finished == ()
    assert verify(copy) == []


# Whose directory it is


def test_a_directory_of_another_spec_is_refused_in_one_line(copy: Path):
    before = tree(copy)
    with pytest.raises(UsageError, match="holds another campaign") as caught:
        run(parse(GAMES.replace("games = 12", "games = 10")), copy)
    assert "\n" not in str(caught.value)
    assert tree(copy) == before


@pytest.mark.parametrize("part", ["versions", "platform"])
def test_a_directory_made_with_other_versions_is_refused_and_the_first_is_named(tmp_path: Path, part: str):
    made = environment()
    name = "numpy" if part == "versions" else "machine"
    made[part][name] = "0.1"
    with Store.opened(tmp_path / "out", SPEC, made):
        pass
    with pytest.raises(UsageError, match=rf"made elsewhere: here is {name} .* instead of 0.1"):
        run(SPEC, tmp_path / "out")


def test_a_directory_with_something_else_is_left_alone(tmp_path: Path):
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(UsageError, match=r"holds 'thesis.tex' and no campaign"):
        run(SPEC, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_the_manifest_names_all_that_decides_the_results(whole: Path):
    manifest = json.loads((whole / "manifest.json").read_text())
    assert list(manifest) == [
        "schema", "version", "spec", "spec_digest", "versions", "platform", "points", "campaign", "shards", "digest",
    ]  # fmt: skip
    assert (manifest["schema"], manifest["version"]) == ("tower-sim/campaign", 1)
    assert manifest["versions"].keys() >= {"tower_sim", "python", "numpy", "scipy", "pyarrow"}
    assert manifest["versions"].get(BulletEngine.distribution) == version_of("bullet")
    assert manifest["platform"].keys() == {"system", "machine"}
    assert manifest["points"] == [{"values": {}, "apparatus": SPEC.point(0).apparatus.digest, "settings": None}]
    assert [shard["shard"] for shard in manifest["shards"]] == list(range(6))
    for shard in manifest["shards"]:
        for name, facts in shard["files"].items():
            data = (whole / name).read_bytes()
            assert (facts["bytes"], facts["sha256"]) == (len(data), files_module.digest(data))


def test_the_head_names_each_points_apparatus_and_settings():
    spec = parse(
        GAMES.replace('model = "two_thirds"\n', "") + "[vary.fields]\nsettings.iterations = [10, 20]\n"
        "profile.ramp.angle_deg = [30, 31]\n"
    )
    points = head_of(spec, environment())["points"]
    assert len({point["apparatus"] for point in points}) == 2
    assert len({point["settings"] for point in points}) == 2
    assert [point["values"]["settings.iterations"] for point in points] == [10, 10, 20, 20]


def test_looking_at_a_directory_without_a_campaign_is_a_mistake(tmp_path: Path):
    for look in (campaign_status, campaign_verify):
        with pytest.raises(UsageError, match=r"holds no manifest.json"):
            look(tmp_path)


# Half-written files, full disks, read-only places


def test_what_an_interrupted_write_left_is_removed(copy: Path, whole: Path):
    (copy / "receipts/00001.json").unlink()
    (copy / "drops/.00001.parquet.part").write_bytes(b"PAR1 half")
    (copy / ".manifest.json.part").write_bytes(b"{")
    with open(copy / "log.jsonl", "ab") as log:
        log.write(b'{"time": "20')
    assert run(SPEC, copy).finished == (1,)
    assert tree(copy) == tree(whole)
    lines = (copy / "log.jsonl").read_text().splitlines()
    assert lines.count('{"time": "20') == 1
    assert all(json.loads(line)["event"] for line in lines if line != '{"time": "20')


@pytest.mark.whole
@each_case("after", [0, 1, 2, 4, 5, 9, 12, 17, 30])
def test_a_full_disk_ends_the_run_with_one_line_and_loses_no_finished_shard(
    after: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], whole: Path
):
    (tmp_path / "games.toml").write_text(GAMES)
    out = tmp_path / "out"
    calls = 0
    fsync = os.fsync

    def full(descriptor: int) -> None:
        nonlocal calls
        calls += 1
        if calls > after:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        fsync(descriptor)

    def nothing_written(*_: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(files_module.os, "fsync", full)
        patched.setattr(Path, "write_text", nothing_written)  # who has the lock
        assert campaign_run(tmp_path / "games.toml", out) == 1
    error = capsys.readouterr().err
    assert "No space left on device" in error
    assert "finished shards are kept" in error
    assert sum(not line.startswith("...") for line in error.splitlines()) == 1
    assert not list(out.rglob("*.part"))
    receipts = {path.name: path.read_bytes() for path in (out / "receipts").glob("*")}
    assert campaign_run(tmp_path / "games.toml", out) == 0
    assert all((out / "receipts" / name).read_bytes() == data for name, data in receipts.items())
    assert tree(out) == tree(whole)


def test_a_full_disk_is_told_by_the_log_too(copy: Path, monkeypatch: pytest.MonkeyPatch):
    cut(copy / "drops/00001.parquet")

    def full(store: Store, event: str, **facts: object) -> None:
        raise files_module.told(store.directory / "log.jsonl", OSError(errno.ENOSPC, "No space left on device"))

    monkeypatch.setattr(Store, "log", full)
    with pytest.raises(StoreError, match=r"log.jsonl cannot be written \(No space left"):
        run(SPEC, copy)


@pytest.mark.parametrize("number", [errno.EROFS, errno.EACCES])
def test_a_read_only_place_is_the_callers_mistake(number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def refuse(*_: object, **__: object) -> int:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(files_module.os, "open", refuse)
    with pytest.raises(UsageError, match=rf"cannot be written \({os.strerror(number)}\); allowed is a writable"):
        run(SPEC, tmp_path / "out")


@pytest.mark.posix
@pytest.mark.skipif(not getattr(os, "geteuid", int)(), reason="the superuser may write everywhere")
def test_a_read_only_directory_is_the_callers_mistake(tmp_path: Path):
    tmp_path.chmod(0o500)
    with pytest.raises(UsageError, match="Permission denied"):
        run(SPEC, tmp_path / "out")


def test_a_file_where_the_directory_should_be_is_the_callers_mistake(tmp_path: Path):
    (tmp_path / "out").write_text("a file")
    with pytest.raises(UsageError, match="cannot be written"):
        run(SPEC, tmp_path / "out")
    with pytest.raises(UsageError, match="cannot be written"):
        run(SPEC, tmp_path / "out/below")


# One run at a time


HOLD = """
import sys
from pathlib import Path
from tower_sim.campaign.files import locked
with locked(Path(sys.argv[1])):
    print("locked", flush=True)
    sys.stdin.read()
"""


def test_a_second_run_in_the_same_directory_is_refused_with_the_owners_number(tmp_path: Path):
    (tmp_path / "out").mkdir()
    with locked(tmp_path / "out"):
        for _ in range(2):  # the first try does not end the lock
            with pytest.raises(UsageError, match=rf"in use by process {os.getpid()} on"):
                run(SPEC, tmp_path / "out")
    assert run(SPEC, tmp_path / "out").finished == tuple(range(6))
    assert [path.name for path in (tmp_path / "out").glob(".*")] == [".lock.db"]
    assert (tmp_path / "out/.lock.db").read_bytes() == b""


def test_the_lock_of_another_process_holds_until_it_dies(tmp_path: Path, whole: Path):
    (tmp_path / "out").mkdir()
    command = [sys.executable, "-c", HOLD, str(tmp_path / "out")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert process.stdout.readline() == "locked\n"
        with pytest.raises(UsageError, match=rf"in use by process {process.pid} on"):
            run(SPEC, tmp_path / "out")
        process.kill()
    assert (tmp_path / "out/.owner").exists()  # it could not take its name away
    run(SPEC, tmp_path / "out")
    assert not (tmp_path / "out/.owner").exists()
    assert tree(tmp_path / "out") == tree(whole)


def test_one_of_many_threads_gets_the_lock_and_when_it_ends_another_one(tmp_path: Path):
    inside = threading.Lock()

    def enter(_: int) -> bool:
        try:
            with locked(tmp_path):
                assert inside.acquire(blocking=False)  # nobody else is in
                time.sleep(0.001)
                inside.release()
        except UsageError:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert any(pool.map(enter, range(200)))


def test_what_is_no_lock_where_the_lock_should_be_is_told_in_one_line(tmp_path: Path):
    (tmp_path / ".lock.db").write_text("a poem" * 200)
    with pytest.raises(StoreError, match=r"\.lock\.db cannot be written \(file is not a database\)"), locked(tmp_path):
        pass
    (tmp_path / ".lock.db").unlink()
    (tmp_path / ".lock.db").mkdir()
    with pytest.raises(UsageError, match=r"\.lock\.db cannot be written"), locked(tmp_path):
        pass


def test_without_sqlite_a_campaign_says_what_it_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "sqlite3", None)
    with pytest.raises(UsageError, match="a Python without sqlite3; allowed is one with it"), locked(tmp_path):
        pass


# Failed shards


def test_a_shard_that_raises_is_told_and_the_others_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], whole: Path
):
    (tmp_path / "games.toml").write_text(GAMES)
    out = tmp_path / "out"
    run_shard = engines_module.run_shard

    def breaks(spec: object, index: int) -> object:
        if index in (1, 4):
            raise ZeroDivisionError("a bug\nin two lines")
        return run_shard(SPEC, index)

    with monkeypatch.context() as patched:
        patched.setattr(engines_module, "run_shard", breaks)
        assert campaign_run(tmp_path / "games.toml", out) == 1
    told = capsys.readouterr()
    assert "shard 1 failed: ZeroDivisionError: a bug in two lines" in told.err
    assert "2 shards failed; to try them again: tower-sim campaign run" in told.err
    assert "shards: 4 done, 2 missing, of 6" in told.out
    assert "failed in the last run: 1, 4" in campaign_status(out)
    assert [problem.split(":")[0] for problem in verify(out)] == ["receipts/00001.json", "receipts/00004.json"]
    assert campaign_run(tmp_path / "games.toml", out) == 0
    assert "failed in the last run" not in campaign_status(out)
    assert tree(out) == tree(whole)


def test_the_status_says_what_is_done_and_missing(copy: Path):
    assert "shards: 6 done, 0 missing, of 6" in campaign_status(copy)
    for name in ("receipts/00001.json", "drops/00002.parquet", "receipts/00004.json"):
        (copy / name).unlink()
    assert "shards: 3 done, 3 missing, of 6\nmissing: 1-2, 4" in campaign_status(copy)


def test_a_dataset_whose_tables_have_another_version_is_refused_in_one_line(tmp_path: Path):
    here = environment()
    theirs = here | {"versions": here["versions"] | {"tables": "2"}}
    with Store.opened(tmp_path, SPEC, theirs):
        pass
    with pytest.raises(UsageError, match=r"^version of the tables in '.*' is '2'; allowed is 3; .*$"):
        Store.read(tmp_path)
    with pytest.raises(UsageError, match=r"here is tables 3 instead of 2; .*give another -o$"):
        run(SPEC, tmp_path)

"""The directory: damage is found by name and mended by running again; nobody else's directory is touched.

Manifests that somebody wrote: none ends in a traceback.
"""

from __future__ import annotations

import errno
import json
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from support.attacks import mutated
from support.campaigns import GAMES, RUNNING, run_whole, tree
from support.cases import each_case

from tower_sim.campaign import (
    campaign_run,
    campaign_status,
    campaign_verify,
    canonical_json,
    parse,
    run,
    status,
    verify,
)
from tower_sim.campaign import store as store_module
from tower_sim.campaign.store import MANIFEST, Head, Store, make_head
from tower_sim.errors import UsageError

SPEC = parse(GAMES)  # 6 shards
OTHER = '{"schema":"tower-sim/campaign","version":9}'
OF_FIVES = GAMES.replace("shard = 2", "shard = 5")  # 12 games, the last shard of 2
MORE = OF_FIVES.replace("games = 12", "games = 17")


@pytest.fixture(name="whole", scope="module")
def _whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("whole") / "out"
    run_whole(GAMES, directory)
    return directory


@pytest.fixture(name="copy")
def _copy(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(whole, tmp_path / "out"))


def flip(path: Path, position: int) -> None:
    data = bytearray(path.read_bytes())
    data[position] ^= 1 << (position % 8)
    path.write_bytes(data)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-100])


def copy_table(out: Path, one: int, other: int) -> None:
    shutil.copy(out / f"drops/{one:05d}.parquet", out / f"drops/{other:05d}.parquet")


def renumber(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b'"shard":3', b'"shard":2'))


def drop_line(out: Path, number: int) -> None:
    lines = (out / MANIFEST).read_bytes().splitlines(keepends=True)
    (out / MANIFEST).write_bytes(b"".join(lines[:number] + lines[number + 1 :]))


@contextmanager
def refused(message: str, out: Path) -> Iterator[None]:
    before = tree(out)
    with pytest.raises(UsageError, match=message) as error:
        yield
    assert "\n" not in str(error.value)
    assert tree(out) == before


DAMAGES: dict[str, tuple[Callable[[Path], object], str, int]] = {
    "a truncated table": (lambda out: cut(out / "drops/00002.parquet"), "drops/00002.parquet: changed", 2),
    "a flipped byte": (lambda out: flip(out / "cubes/00001.parquet", 999), "cubes/00001.parquet: changed", 1),
    "a missing table": (lambda out: (out / "cubes/00000.parquet").unlink(), "cubes/00000.parquet: missing", 0),
    "a changed line": (lambda out: renumber(out / MANIFEST), f"{MANIFEST}: line 5 was changed", 3),
    "a last line that is cut": (lambda out: cut(out / MANIFEST), "shard 5: not done", 5),
    "a missing line": (lambda out: drop_line(out, 6), "shard 5: not done", 5),
    "a table of another shard": (lambda out: copy_table(out, 1, 3), "drops/00003.parquet", 3),
}


@each_case("damage", DAMAGES)
def test_damage_is_found_by_name_and_exactly_it_is_mended(damage: str, tmp_path: Path, whole: Path):
    spoil, message, index = DAMAGES[damage]
    copy = Path(shutil.copytree(whole, tmp_path / "out"))
    spoil(copy)
    problem, *not_done = verify(copy)
    assert problem.startswith(message)
    assert not_done == ([f"shard {index}: not done"] if "line 5" in message else [])
    text, code = campaign_verify(copy)
    assert (code, problem in text) == (1, True)
    assert run(SPEC, copy).finished == [index]
    assert verify(copy) == []
    assert tree(copy) == tree(whole)


def test_every_flipped_bit_is_found_and_its_file_named(copy: Path):
    rng = random.Random(1)
    names = sorted(tree(copy))
    for number in range(60):
        path = copy / (MANIFEST if number % 3 == 0 else rng.choice(names))
        data = path.read_bytes()
        flip(path, rng.randrange(len(data)))
        try:
            lines = "\n".join(verify(copy))
        except UsageError as error:
            lines = str(error)
        assert str(path.relative_to(copy)) in lines, path
        path.write_bytes(data)
    assert verify(copy) == []


def test_files_of_no_shard_are_named_and_neither_read_nor_touched(copy: Path):
    copy_table(copy, 0, 6)
    (copy / "drops/notes.txt").write_text("mine")
    assert verify(copy) == [f"drops/{x}: foreign: of no shard of this campaign" for x in ("00006.parquet", "notes.txt")]
    with refused(r"drops/00006.parquet is of no shard of this campaign; .* move it away", copy):
        run(SPEC, copy)


def write_head(out: Path, **changes: object) -> None:
    first = json.loads((out / MANIFEST).read_bytes().splitlines()[0])
    head = {key: value for key, value in (first | changes).items() if key not in ("schema", "version", "digest")}
    (out / MANIFEST).write_text(Head(**head).line + "\n")


@each_case(
    ("spoil", "message"),
    [
        (lambda out: flip(out / MANIFEST, 300), r"was changed or is truncated \(.*; its shards are kept"),
        (lambda out: (out / MANIFEST).write_bytes(b""), r"was changed or is truncated"),
        (lambda out: (out / MANIFEST).write_text(OTHER), r"allowed is 'tower-sim/campaign', 2; use the tower_sim"),
        (lambda out: (out / MANIFEST).rename(out / "manifest.json"), r"holds a campaign of an older version"),
        (lambda out: (out / MANIFEST).unlink(), r"holds 'amerigo' and no campaign"),
        (lambda out: write_head(out, versions={"numpy": "0.1"}), r"made elsewhere: here is numpy"),
        (lambda out: write_head(out, versions={"machine": "pdp"}), r"made elsewhere: here is machine"),
        (lambda out: write_head(out, spec=parse(OF_FIVES).plain), r"holds another campaign"),
    ],
)
def test_a_directory_that_is_not_of_this_campaign_is_refused_in_one_line_and_left_as_it_is(
    spoil: Callable[[Path], object], message: str, whole: Path, tmp_path: Path
):
    copy = Path(shutil.copytree(whole, tmp_path / "out"))
    spoil(copy)
    with refused(message, copy):
        run(SPEC, copy)


def test_tables_of_another_version_are_refused(copy: Path):
    write_head(copy, versions=make_head(SPEC).versions | {"tables": "3"})
    with refused(r"^version of the tables in '.*' is '3'; allowed is 4; .*$", copy):
        Store.read(copy)


def test_the_name_of_a_table_cannot_lead_out_of_the_directory(copy: Path):
    first = json.loads((copy / MANIFEST).read_bytes().splitlines()[0])
    (copy / MANIFEST).write_text(json.dumps(first | {"tables": ["drops", "../lots"]}))
    with refused(r"was changed or is truncated \(tables", copy):
        Store.read(copy)


def test_the_manifest_names_all_that_decides_the_results(whole: Path):
    lines = [json.loads(line) for line in (whole / MANIFEST).read_text().splitlines()]
    assert list(lines[0]) == ["schema", "version", "spec", "versions", "tables", "points", "digest"]
    assert lines[0]["versions"].keys() >= {"tower_sim", "python", "numpy", "scipy", "pyarrow", "game", "machine"}
    assert lines[0]["points"] == [{"apparatus": SPEC.point(0).apparatus.digest, "settings": None}]
    assert [line["shard"] for line in lines[1:]] == list(range(6))
    assert [*lines[1]["sha256"]] == lines[0]["tables"] == ["drops", "cubes", "amerigo"]


def test_the_head_names_each_points_apparatus_and_settings():
    varied = "[vary.fields]\nsettings.iterations = [10, 20]\nprofile.ramp.angle_deg = [30, 31]\n"
    points = make_head(parse(GAMES.replace('model = "two_thirds"\n', "") + varied)).points
    assert len({point["apparatus"] for point in points}) == len({point["settings"] for point in points}) == 2


def test_looking_at_a_directory_without_a_campaign_is_a_mistake(tmp_path: Path):
    for look in (campaign_status, campaign_verify):
        with pytest.raises(UsageError, match=rf"holds no {MANIFEST}"):
            look(tmp_path)


def test_a_campaign_given_more_games_is_the_campaign_that_had_them_from_the_start(tmp_path: Path):
    run(parse(OF_FIVES), tmp_path / "few")
    many = run_whole(MORE, tmp_path / "many")
    table = tmp_path / "few/drops/00001.parquet"
    damaged = Path(shutil.copytree(tmp_path / "few", tmp_path / "damaged"))
    cut(damaged / "drops/00001.parquet")
    assert run(parse(MORE), damaged).finished == [1, 2, 3]
    modified = table.stat().st_mtime_ns
    assert run(parse(MORE), tmp_path / "few").finished == [2, 3]  # the shard that had two games only, and the new one
    assert table.stat().st_mtime_ns == modified
    assert tree(tmp_path / "few") == tree(damaged) == many


@each_case("text", [GAMES.replace("= 12", "= 11"), GAMES + "[rules]\ncubes = 6\n"])
def test_fewer_games_and_other_rules_are_another_campaign(text: str, whole: Path):
    with refused(r"holds another campaign .* also with more runs", whole):
        run(parse(text), whole)


def test_more_games_at_several_points_are_another_campaign(tmp_path: Path):
    varied = '[vary.fields]\n"rules.cubes" = [6, 7]\n'
    run(parse(GAMES.replace("games = 12", "games = 2") + varied), tmp_path / "two")
    with refused("holds another campaign", tmp_path / "two"):
        run(parse(GAMES + varied), tmp_path / "two")


def test_what_an_interrupted_write_left_is_removed(copy: Path, whole: Path):
    drop_line(copy, 6)
    with open(copy / MANIFEST, "ab") as manifest:
        manifest.write(b'{"shard":5,"sha256":{"dro')
    (copy / "drops/.00001.parquet.part").write_bytes(b"PAR1 half")
    (copy / ".manifest.part").write_bytes(b"{")
    assert verify(copy) == ["shard 5: not done"]
    assert run(SPEC, copy).finished == [5]
    assert tree(copy) == tree(whole)


@pytest.mark.slow
@each_case("after", [0, 1, 2, 4, 5, 9, 12, 17, 30])
def test_a_full_disk_ends_the_run_with_one_line_and_loses_no_finished_shard(
    after: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], whole: Path
):
    (tmp_path / "games.toml").write_text(GAMES)
    out, calls, fsync = tmp_path / "out", 0, os.fsync

    def full(descriptor: int) -> None:
        nonlocal calls
        calls += 1
        if calls > after:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        fsync(descriptor)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        assert campaign_run(tmp_path / "games.toml", out) == 1
    (line,) = [line for line in capsys.readouterr().err.splitlines() if not line.startswith("...")]
    assert "No space left on device" in line
    assert "finished shards are kept" in line
    assert not list(out.rglob("*.part"))
    done = status(out)["shards"]["done"] if (out / MANIFEST).exists() else []
    times = {path: path.stat().st_mtime_ns for path in (out / f"drops/{index:05d}.parquet" for index in done)}
    assert campaign_run(tmp_path / "games.toml", out) == 0
    assert times == {path: path.stat().st_mtime_ns for path in times}
    assert tree(out) == tree(whole)


@each_case("number", [errno.EROFS, errno.EACCES])
def test_a_file_in_its_place_and_a_read_only_place_are_refused(number: int, tmp_path: Path, monkeypatch: Any):
    (tmp_path / "file").write_text("a file")
    for out in ("file", "file/below"):
        with pytest.raises(UsageError, match="file"):
            run(SPEC, tmp_path / out)

    def refuse(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(store_module, "sync_directory", refuse)
    with pytest.raises(UsageError, match=os.strerror(number)):
        run(SPEC, tmp_path / "out")


HOLD = """
import sys
from pathlib import Path
from tower_sim.campaign.store import _lock
with _lock(Path(sys.argv[1])):
    print("locked", flush=True)
    sys.stdin.read()
"""


def test_a_second_run_in_the_same_directory_is_refused_until_the_first_ends_or_dies(tmp_path: Path, whole: Path):
    out = tmp_path / "out"
    out.mkdir()
    command = [sys.executable, "-c", HOLD, str(out)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert process.stdout.readline() == "locked\n"
        for _ in range(2):  # the first try does not end the lock
            with pytest.raises(UsageError, match="is in use by another run"):
                run(SPEC, out)
        process.kill()
    run(SPEC, out)
    assert tree(out) == tree(whole)
    assert (out / ".lock.db").read_bytes() == b""
    with store_module._lock(out), pytest.raises(UsageError, match="in use"):  # of this process, too
        run(SPEC, out)


def test_what_is_no_lock_where_the_lock_should_be_is_told_in_one_line(tmp_path: Path):
    (tmp_path / ".lock.db").write_text("a poem" * 200)
    with pytest.raises(UsageError, match=r"\.lock\.db is no lock \(file is not a database\)"):
        run(SPEC, tmp_path)
    (tmp_path / ".lock.db").unlink()
    (tmp_path / ".lock.db").mkdir()
    with pytest.raises(UsageError, match=r"\.lock\.db"):
        run(SPEC, tmp_path)


def test_a_shard_that_raises_is_told_and_the_others_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], whole: Path
):
    (tmp_path / "games.toml").write_text(GAMES)
    out, run_shard = tmp_path / "out", RUNNING.run_shard

    def breaks(spec: object, index: int) -> object:
        if index in (1, 4):
            raise ZeroDivisionError("a bug\nin two lines")
        return run_shard(SPEC, index)

    with monkeypatch.context() as patch:
        patch.setattr(RUNNING, "run_shard", breaks)
        assert campaign_run(tmp_path / "games.toml", out) == 1
    streams = capsys.readouterr()
    assert "shard 1 failed: ZeroDivisionError: a bug in two lines at breaks, line" in streams.err
    assert "2 shards failed; to try again: tower-sim campaign run" in streams.err
    assert "shards: 4 done, 2 missing, of 6\nmissing: 1, 4" in streams.out
    assert verify(out) == ["shard 1: not done", "shard 4: not done"]
    assert campaign_run(tmp_path / "games.toml", out) == 0
    assert tree(out) == tree(whole)


ATTACKS = 700
SMALL = """
[campaign]
game = "amerigo"
apparatus = "amerigo"
model = "two_thirds"
games = 1
shard = 1
seed = "7"
[rules]
rounds = 0
[vary.fields]
rules.cubes = [5, 6]
"""


@pytest.mark.slow
def test_no_line_of_a_manifest_ends_in_a_traceback_or_counts_as_whole(tmp_path: Path):
    out = tmp_path / "out"
    run_whole(SMALL, out)
    rng = random.Random(20261122)
    original = (out / MANIFEST).read_bytes()
    lines = [json.loads(line) for line in original.splitlines()]
    refused = found = 0
    for attack in range(ATTACKS):
        number = rng.randrange(len(lines))
        forged = [json.dumps(line, separators=(",", ":")) for line in lines]
        document = mutated(lines[number], rng)
        if number == 0 and rng.random() < 0.7:
            document.pop("digest", None)
            try:
                document["digest"] = sha256(canonical_json(document).encode()).hexdigest()
            except ValueError:  # not a number
                document["digest"] = ""
        forged[number] = json.dumps(document, separators=(",", ":"))
        data = "".join(f"{line}\n" for line in forged).encode()
        (out / MANIFEST).write_bytes(data)
        for look in (lambda: verify(out), lambda: campaign_status(out)):
            try:
                answer = look()
            except UsageError as error:
                refused += len(str(error)) < 2000
            else:
                # another head that is right in itself tells of another campaign, whose files these could be
                assert answer or number == 0 or data == original, f"attack {attack} on line {number} counts as whole"
                found += isinstance(answer, list) and bool(answer)
    (out / MANIFEST).write_bytes(original)
    assert verify(out) == []
    assert found > ATTACKS / 8
    assert refused > ATTACKS / 4

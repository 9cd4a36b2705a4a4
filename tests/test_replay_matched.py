"""Outcomes that nobody saw fall, shown by recorded drops: the bank's answers, the pages, the commands."""

from __future__ import annotations

import contextlib
import json
import re
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.banks import RULES, bank_in
from support.cases import each_case

from tower_sim.campaign import parse
from tower_sim.cli import main
from tower_sim.errors import UsageError
from tower_sim.replay.bank import Bank, Found
from tower_sim.replay.cast import Cast
from tower_sim.replay.compose import of_document
from tower_sim.replay.document import Replay
from tower_sim.replay.foreign import read_drops
from tower_sim.replay.matched import Playback
from tower_sim.replay.matching import OUT, THROWN, Sought, Wanted, distance, level_of, moves_of
from tower_sim.replay.stored import recorded_cubes
from tower_sim.replay.takes import ModelCounts, Take

pytest.importorskip("duckdb")
pytest.importorskip("pyarrow")

Capture = pytest.CaptureFixture[str]
DROP = ("drop", "amerigo", "--cubes")
WITH = ("--bank", "BANK", "--replay", "x.html")
PLAY = ("play", "amerigo", "--model", "surrogate", "--seed", "5")


@pytest.fixture(name="directory", scope="module")
def _directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return bank_in(tmp_path_factory.mktemp("small"))


@pytest.fixture(name="bank", scope="module")
def _bank(directory: Path):
    with Bank(directory) as bank:
        yield bank


@pytest.fixture(name="rules", scope="module")
def _rules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("rules") / "short.toml"
    path.write_text(RULES)
    return path


def rng() -> np.random.Generator:
    return np.random.default_rng(3)


def wanted_of(take: Take, told: bool = True) -> Wanted:
    """What is wanted of the very drop that a take is of, of each cube or by counts alone."""
    colours = {each.cube.id: each.cube.colour for each in take.rest}
    cubes = recorded_cubes(take)
    out = Counter(colours[cube.number] for cube in cubes if cube.after == OUT)
    if told:
        return Wanted(tuple(Sought(x.number, colours[x.number], x.before, x.after) for x in cubes), out)
    places = [THROWN if x.before == THROWN else "inside:" for x in cubes]
    return Wanted(tuple(Sought(x.number, colours[x.number], y) for x, y in zip(cubes, places, strict=True)), out)


def every(bank: Bank) -> list[Take]:
    return [bank.take(Found(number, "exact", 0, 0, 0, 1)) for number in range(1, bank.drops + 1)]


# The bank


def test_every_drop_of_a_bank_matches_itself_as_well_as_it_is_known(bank: Bank):
    assert bank.drops > 50
    for take in every(bank):
        found = bank.find(wanted_of(take), rng())
        assert found is not None
        assert (found.level, found.distance) == ("exact", 0)
        assert moves_of(recorded_cubes(bank.take(found))) == moves_of(recorded_cubes(take))
        by_counts = bank.find(wanted_of(take, told=False), rng())
        assert by_counts is not None
        assert by_counts.level == "counts"
        assert by_counts.among >= found.among


def test_the_best_level_of_all_drops_is_found_and_the_least_distance(bank: Bank):
    """Against looking at every drop, for drops that are not in the first half of the bank."""
    takes = every(bank)
    half = len(takes) // 2
    known = [moves_of(recorded_cubes(take)) for take in takes[:half]]
    levels: Counter[str] = Counter()
    with Bank(bank.directory, first=half) as first:
        assert first.drops == half
        for take in takes[half:]:
            wanted = wanted_of(take)
            found = first.find(wanted, rng())
            assert found is not None
            best = [level for level in ("exact", "floors", "counts") if level in [level_of(wanted, m) for m in known]]
            levels[found.level] += 1
            assert found.level == (best[0] if best else "nearest")
            assert found.number <= half
            if not best:
                far = [each for each in (distance(wanted, moves) for moves in known) if each is not None]
                assert found.distance == min(far) == distance(wanted, known[found.number - 1])
                assert found.among == far.count(min(far))
    assert set(levels) == {"exact", "floors", "counts", "nearest"}, "else the bank is too small or too large"


def test_one_of_several_is_drawn_by_the_generator_alone(bank: Bank):
    wanted = max((wanted_of(take, told=False) for take in every(bank)), key=lambda x: among(bank, x))
    found = [bank.find(wanted, np.random.default_rng(seed)) for seed in range(30)]
    assert found == [bank.find(wanted, np.random.default_rng(seed)) for seed in range(30)]
    assert len({each.number for each in found if each}) > among(bank, wanted) // 2 > 1


def among(bank: Bank, wanted: Wanted) -> int:
    found = bank.find(wanted, rng())
    return 0 if found is None else found.among


def test_nothing_is_found_where_nothing_throws_as_many(bank: Bank):
    assert bank.thrown() == [1, 2, 14]
    assert bank.find(Wanted(tuple(Sought(i, "red", THROWN, OUT) for i in range(3)), {"red": 3}), rng()) is None


@pytest.fixture(name="copy")
def _copy(directory: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(directory, tmp_path / "copy[1]*"))


def test_a_folder_may_have_any_name(copy: Path, bank: Bank):
    with Bank(copy) as other:
        assert other.drops == bank.drops


def no_manifest(copy: Path) -> None:
    (copy / "manifest.json").unlink()


def not_recorded(copy: Path) -> None:
    path = copy / "manifest.json"
    path.write_text(
        path.read_text().replace('"record":true', '"record":false').replace('"record": true', '"record": false')
    )


def other_schema(copy: Path) -> None:
    (copy / "manifest.json").write_text('{"schema": "tower-sim/campaign"}')


def no_shard(copy: Path) -> None:
    shutil.rmtree(copy / "receipts")


def no_drops(copy: Path) -> None:
    shutil.rmtree(copy / "poses")


def foreign(copy: Path) -> None:
    path = copy / "manifest.json"
    digest = json.loads(path.read_text())["spec_digest"]
    path.write_text(path.read_text().replace(digest, "0" * 64))


def truncated(copy: Path) -> None:
    path = copy / "poses/00001.parquet"
    path.write_bytes(path.read_bytes()[:-50])


def no_table(copy: Path) -> None:
    path = copy / "poses/00001.parquet"
    path.write_bytes((copy / "drops/00001.parquet").read_bytes())


@each_case(
    ("harm", "said"),
    [
        (no_manifest, "holds no manifest.json"),
        (not_recorded, "has no recorded drops"),
        (other_schema, "holds no manifest of a campaign that is known here"),
        (no_shard, "has no finished shard"),
        (no_drops, "cannot be read"),
        (foreign, "has poses/00000.parquet of another campaign"),
        (truncated, "cannot be read"),
        (no_table, "cannot be read"),
    ],
)
def test_what_is_no_bank_is_refused_in_one_line(harm: Any, said: str, directory: Path, tmp_path: Path):
    copy = Path(shutil.copytree(directory, tmp_path / "copy"))
    harm(copy)
    with pytest.raises(UsageError, match=re.escape(said)) as refused:
        Bank(copy)
    assert "\n" not in str(refused.value)


def test_the_document_shows_a_campaign_and_python_that_work(directory: Path, tmp_path: Path, capsys: Capture):
    text = (Path(__file__).parent.parent / "docs/replay_bank.md").read_text("utf-8")
    (spec,) = re.findall(r"```toml\n(.*?)```", text, re.S)
    assert parse(spec).record
    (code,) = re.findall(r"```python\n(.*?)```", text, re.S)
    code = code.replace('"BANK"', repr(str(directory))).replace('{"blue": 4, "red": 3}', '{"blue": 7, "red": 7}')
    exec(compile(code, "docs/replay_bank.md", "exec"), {})
    assert re.fullmatch(r"\d+ frames Matched\(level='\w+', says='.*', given=None\)\n", capsys.readouterr().out)


# Which cube is which


@settings(max_examples=60)
@given(st.data())
def test_a_cube_is_in_one_place_and_keeps_its_colour(data: st.DataObject):
    """A game of other numbers than the page's: each drop says which go in and how many of a colour come out."""
    colours = {i: "red" if i < 5 else "blue" for i in range(8)}
    cast, inside, on_page = Cast(), set[int](), frozenset[int]()
    for _ in range(5):
        outside = sorted(set(colours) - inside)
        thrown = data.draw(st.sets(st.sampled_from(outside))) if outside else set[int]()
        there = inside | thrown
        out = data.draw(st.sets(st.sampled_from(sorted(there)))) if there else set[int]()
        cubes = tuple(
            Sought(i, colours[i], THROWN if i in thrown else "inside:a", OUT if i in out else "inside:a")
            for i in sorted(there)
        )
        wanted = Wanted(cubes, Counter(colours[i] for i in out))
        asked = cast.enter(wanted)
        assert [(x.colour, x.before, x.after) for x in asked.cubes] == [(x.colour, x.before, x.after) for x in cubes]
        assert {x.number for x in asked.cubes if x.before != THROWN} == on_page
        assert all(cast.colours[x.number] == x.colour for x in asked.cubes)
        assert len({x.number for x in asked.cubes}) == len(cubes)
        shown_out = set[int]()  # other cubes of the colours than the wanted ones come out
        for colour, number in asked.out.items():
            of_colour = [x.number for x in asked.cubes if x.colour == colour]
            shown_out |= set(data.draw(st.permutations(of_colour))[:number])
        on_page = frozenset(x.number for x in asked.cubes) - shown_out
        cast.leave(on_page)
        inside = there - out


def test_what_is_nearest_says_in_what_it_differs(bank: Bank):
    """Drops of the bank with a cube less, or many more, inside: some that lay still are left out, or are missing."""
    said: list[str] = []
    for take in every(bank):
        wanted = wanted_of(take, told=False)
        staying = [x.number for x in recorded_cubes(take) if x.before != THROWN and x.after != OUT]
        for cubes in (
            tuple(cube for cube in wanted.cubes if cube.number not in staying[:1]),
            (*wanted.cubes, *(Sought(100 + i, "red", "inside:") for i in range(30))),
        ):
            out = {c: min(n, sum(x.colour == c for x in cubes)) for c, n in wanted.out.items()}
            asked = Wanted(cubes, out)
            shown = Playback(bank, rng()).take_of(asked)
            assert shown is not None
            assert shown.matched is not None
            if shown.matched.level == "nearest":
                said.append(shown.matched.says)
                inside = sum(x.before != THROWN for x in cubes)
                assert f"{inside - len(shown.start)} are missing" in said[-1] or len(shown.start) == inside
    assert any("not drawn" in each for each in said)
    assert all(each.startswith("No recorded drop has these counts; this is the nearest.") for each in said)


def test_what_the_model_gave_stands_in_takes_that_end_otherwise_or_show_nothing(bank: Bank):
    """Three cubes, which no drop of the bank throws; and a drop of two of which more come out than ever did."""
    cubes = tuple(Sought(i, "red" if i else "blue", THROWN) for i in range(3))
    take = Playback(bank, rng()).take_of(Wanted(cubes, {"red": 2}))
    assert (take.frames, take.tracks, [cube.id for cube in take.thrown]) == (0, (), [0, 1, 2])
    assert take.matched is not None
    assert take.matched.level == "none"
    assert take.matched.given == ModelCounts({"red": 2}, {"blue": 1})
    assert Counter(each.cube.colour for each in take.rest if each.place == "tray") == {"red": 2}
    thirty = tuple(Sought(i, "red", "inside:" if i > 1 else THROWN) for i in range(32))
    take = Playback(bank, rng()).take_of(Wanted(thirty, {"red": 31}))
    assert take.matched is not None
    assert take.matched.level == "nearest"
    assert take.matched.given == ModelCounts({"red": 31}, {"red": 1})


def test_numbers_of_the_drop_are_those_of_the_page_as_far_as_can_be():
    wanted = Wanted((Sought(3, "red", "inside:a", OUT), Sought(9, "red", THROWN, "inside:a")), {"red": 1})
    assert [cube.number for cube in Cast().enter(wanted).cubes] == [3, 9]
    nameless = Wanted((Sought(-1, "red", "inside:"), Sought(-2, "blue", THROWN)), {})
    assert sorted(cube.number for cube in Cast().enter(nameless).cubes) == [0, 1]


# Pages


def run(capsys: Capture, *words: str) -> str:
    assert main(list(words)) == 0
    return capsys.readouterr().out


def read(path: Path) -> Replay:
    return Replay.read(path.read_text("utf-8"))


def ends(replay: Replay) -> list[tuple[dict[str, Any], Counter[str], Counter[str]]]:
    """Of every step's take, if it has one: it, and how many cubes of each colour are inside and out at its end."""
    names = [colour["name"] for colour in replay.header["colours"]]
    colour = {number: names[i] for number, i in replay.header["cubes"]}
    found: list[tuple[dict[str, Any], Counter[str], Counter[str]]] = []
    for step in replay.header["steps"]:
        for take in step["takes"]:
            inside = Counter(colour[n] for n, place, _ in take["rest"] if place.startswith("inside:"))
            out = Counter(colour[n] for n, place, _ in take["rest"] if not place.startswith("inside:"))
            found.append((take, inside, out))
    return found


def positive(counts: dict[str, int]) -> dict[str, int]:
    return {colour: number for colour, number in counts.items() if number}


def check_game(replay: Replay, document: dict[str, Any]) -> Counter[str]:
    """Compare a page with what the game's document says; returns how many takes are of each level."""
    entries = [entry for entry in document["drops"] if sum(entry["thrown"].values())]
    assert len(replay.header["steps"]) == len(document["drops"])
    before: set[int] = set()
    levels: Counter[str] = Counter()
    for (take, inside, out), entry in zip(ends(replay), entries, strict=True):
        level = take["matched"]["level"]
        levels[level] += 1
        if level != "nearest":
            assert (inside, out) == (positive(entry["inside"]), positive(entry["emerged"]))
            if before:
                assert {n for n, *_ in take["start"]} == before
        before = {n for n, place, _ in take["rest"] if place.startswith("inside:")} if level != "nearest" else set()
    about = replay.header["about"]["matched"]
    assert {level: number for level, number in about["levels"].items() if number} == levels
    assert str(sum(levels.values()) - levels["nearest"]) in about["says"]
    return levels


def test_a_game_by_the_surrogate_is_shown_with_its_counts(
    directory: Path, rules: Path, tmp_path: Path, capsys: Capture
):
    page, again = tmp_path / "game.html", tmp_path / "again.html"
    words = (*PLAY, "--rules", str(rules), "--bank", str(directory), "--json", "--replay")
    document = json.loads(run(capsys, *words, str(page)))
    run(capsys, *words, str(again))
    assert page.read_bytes() == again.read_bytes(), "the seed decides which drops are shown"
    levels = check_game(read(page), document)
    assert levels["exact"] + levels["floors"] + levels["counts"] > 3


def test_its_document_is_shown_by_counts_alone(directory: Path, rules: Path, tmp_path: Path, capsys: Capture):
    path, page = tmp_path / "game.json", tmp_path / "game.html"
    path.write_text(run(capsys, *PLAY, "--rules", str(rules), "--json"))
    words = ("replay", str(path), "--bank", str(directory), "-o", str(page))
    *said, seed = run(capsys, *words).splitlines()
    replay = read(page)
    assert said == [replay.header["about"]["matched"]["says"], str(page)]
    drawn = page.read_bytes()
    run(capsys, *words, *f"--{seed}".split())  # as it is printed: seed N
    assert page.read_bytes() == drawn
    levels = check_game(replay, json.loads(path.read_text()))
    assert set(levels) <= {"counts", "nearest"}
    assert levels["counts"] > 3


def test_a_drops_document_is_shown_as_its_own_cubes(directory: Path, tmp_path: Path, capsys: Capture):
    words = ("drop", "amerigo", "--model", "surrogate", "--seed", "3")
    first = run(capsys, *words, "--cubes", "blue=1", "--json")
    token = json.loads(first)["state"]
    path, page = tmp_path / "drop.json", tmp_path / "drop.html"
    path.write_text(run(capsys, *words, "--state", token, "--cubes", "red=2", "--json"))
    document = json.loads(path.read_text())
    run(capsys, "replay", str(path), "--bank", str(directory), "-o", str(page), "--seed", "0")
    replay = read(page)
    ((take, inside, out),) = ends(replay)
    assert take["matched"]["level"] in ("floors", "counts")
    assert (inside, out) == (positive(document["inside"]), positive(document["emerged"]))
    names = [colour["name"] for colour in replay.header["colours"]]
    assert {(n, names[c]) for n, c in replay.header["cubes"]} == {
        (x["cube"], x["colour"]) for x in document["landings"]
    }
    assert sorted(take["thrown"]) == sorted(x["cube"] for x in document["landings"] if x["colour"] == "red")


def test_a_knock_in_a_document_is_told_and_not_shown(bank: Bank):
    drops = [
        {"index": 0, "thrown": {"red": 2}, "emerged": {"red": 1}, "inside": {"red": 0}},
        {"index": 1, "thrown": {"red": 2}, "emerged": {"red": 2}, "inside": {"red": 0}},
        {"index": 2, "thrown": {"red": 0}, "emerged": {"red": 0}, "inside": {"red": 0}},
    ]
    head = {"schema": "tower-sim/amerigo-game", "version": 1, "seed": "1", "apparatus": "amerigo", "model": "physics"}
    replay = of_document(read_drops(head | {"drops": drops, "knocks": {"0": 1.0}, "id": 7}), bank, rng())
    assert [len(step["takes"]) for step in replay.header["steps"]] == [1, 1, 0]
    assert replay.header["about"]["matched"]["levels"]["knocks"] == 1
    assert "1 knock on the table cannot be shown" in replay.header["summary"]


@each_case(
    ("words", "said"),
    [
        ((*DROP, "red=1", "--bank", "BANK"), "allowed is one beside --replay only; add --replay FILE.html"),
        ((*DROP, "red=1", "--model", "physics", *WITH), "none with the model physics"),
        ((*PLAY, "--replay", "x.html"), "add --bank DIR of recorded drops"),
        (("drop", "amerigo-club", *DROP[2:], "red=1", "--model", "surrogate", *WITH), "is of the tower amerigo"),
        ((*DROP, "red=5", "--model", "surrogate", *WITH), "has no drop that throws 5 cubes"),
        (("replay", "nothing.json", "--bank", "BANK", "-o", "x.html"), "cannot be read"),
        (("replay", "nothing.json", "--bank", "BANK", "-o", "x.mp4"), "ends in '.mp4'"),
    ],
)  # fmt: skip
def test_what_cannot_be_shown_is_refused_in_one_line(
    words: tuple[str, ...], said: str, directory: Path, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    assert main([str(directory) if word == "BANK" else word for word in words]) == 2
    captured = capsys.readouterr()
    assert captured.err.count("\n") == 1
    assert said in captured.err
    assert list(tmp_path.iterdir()) == []


FIRST = {"round": 0, "phase": "setup", "thrown": {"red": 2}, "emerged": {"red": 1}, "inside": {"red": 1}}
HEAD = {"schema": "tower-sim/amerigo-game", "version": 1, "seed": "1", "apparatus": "amerigo", "model": "surrogate"}
GAME: dict[str, Any] = HEAD | {"knocks": {}, "drops": [FIRST]}


def test_cubes_of_a_document_come_in_the_order_of_its_colours_in_every_process():
    """A set of colours would have another order in each process, and so would the numbers on the page."""
    colours = ("blue", "black", "red", "brown", "green", "yellow", "white")
    drop = {"thrown": {"blue": 1}, "emerged": {}, "inside": dict.fromkeys(colours, 2)}
    (step,) = read_drops(GAME | {"drops": [drop]}).steps
    assert step.wanted
    inside = dict.fromkeys(cube.colour for cube in step.wanted.cubes if cube.before != THROWN)
    assert tuple(inside) == colours


@each_case(
    ("change", "said"),
    [
        ({"schema": "tower-sim/battle"}, None),
        ({"schema": "tower-sim/battle", "drops": 3}, "one with `drops`"),
        ({"version": 9}, "version 9'; allowed is"),
        ({"seed": 1}, "seed of the document is 1"),
        ({"drops": [FIRST | {"emerged": {"red": 3}}]}, None),
        ({"drops": [FIRST | {"emerged": {}}]}, "cubes of red inside before drop 0 is -1"),
        ({"drops": [FIRST | {"emerged": {"red": 501}}]}, "emerged of 'red' is 501"),
        ({"drops": [FIRST | {"emerged": {"red": -1}}]}, "emerged of 'red' is -1"),
        ({"drops": [FIRST | {"emerged": 1}]}, "emerged is 1; allowed is a JSON object"),
    ],
)  # fmt: skip
def test_documents_are_checked(change: dict[str, Any], said: str | None):
    if said is None:
        assert read_drops(GAME | change).steps
        return
    with pytest.raises(UsageError, match=re.escape(said)):
        read_drops(GAME | change)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 600) | st.text(max_size=4) | st.floats(allow_nan=False),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["red", "thrown", "inside"]), inner, max_size=2)
    ),
    max_leaves=4,
)


@settings(max_examples=300)
@given(
    st.sampled_from(["schema", "seed", "knocks", "drops", "thrown", "emerged", "inside", "index", "effect", "phase"]),
    JSON,
)
def test_a_strange_document_is_a_usage_error_or_a_document(key: str, value: Any):
    drop = FIRST
    changed = GAME | ({"drops": [drop | {key: value}]} if key in drop or key == "effect" else {key: value})
    with contextlib.suppress(UsageError):
        read_drops(changed)

"""Observations of real towers and drops of one's own: read exactly, refused in one line when they cannot be."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cases import each_case
from support.recorded import WORDS, write_records

from tower_sim.calibration import evidence, records
from tower_sim.calibration.observations import read_folder
from tower_sim.errors import UsageError

HEADER = "drop,thrown_red,out_red,thrown_blue,out_blue,note\n"
GOOD = f"# my tower, 8 mm cubes\n{HEADER}0,5,3,5,3,set-up\n\n1,,1,3,4,\n2,1,,,1\n"


@pytest.fixture(name="file")
def _file(tmp_path: Path) -> Callable[[str], Path]:
    def write(text: str) -> Path:
        path = tmp_path / "mine.csv"
        path.write_text(text, "utf-8")
        return path

    return write


def test_the_known_observations_have_sources_and_their_totals():
    result = {each.name: each for each in read_folder()}
    assert len(result) == 28
    assert all(each.source and each.doubt for each in result.values())
    assert {name: each.numbers for name, each in result.items() if each.numbers} == {
        "rulebook-setup": {"setup_inside": (21, 21)},
        "rulebook-phase": {"out": (8, 8)},
        "rulebook-gold": {"out": (10, 10)},
        "club-retained": {"inside": (4, 6)},
        "club-out": {"out": (4, 9)},
        "review-a": {"out": (8, 8)},
        "review-b": {"out": (8, 8)},
        "review-c": {"out": (6, 6)},
        "review-d": {"out": (8, 8)},
        "caption-setup": {"setup_inside": (15, 15)},
        "photograph-yellow": {"out": (6, 6)},
        "sibling-throw": {"out": (2, 2)},
    }
    assert sum(result["rulebook-setup"].thrown.values()) == 49


@each_case("ends", [(0, 49), (49, 49), (0, 0), (4, 6)])
def test_every_observation_that_is_allowed_gives_numbers(ends: tuple[int, int], tmp_path: Path):
    (tmp_path / "said.toml").write_text(f"{WORDS}out_total = {list(ends)}\ninside_in_play = {list(ends)}\n")
    result = evidence.of_observation(evidence.read(tmp_path / "said.toml"))
    assert len(result) >= 2
    assert np.isfinite([(*each.values, each.sd) for each in result]).all()


def test_records_are_read_with_what_is_then_inside(file):
    first, second, third = records.read(file(GOOD))
    counts = [[tuple(each.values()) for each in (row.thrown, row.out, row.inside)] for row in (first, second)]
    assert counts == [[(5, 5), (3, 3), (2, 2)], [(0, 3), (1, 4), (1, 1)]]
    assert third.inside == {"red": 2, "blue": 0}


@each_case(
    ("change", "says"),
    [
        (("1,,1,3,4,", "1,,3,3,4,"), "line 5: 3 red out; allowed is at most 2"),
        (("2,1,,,1", "2,1,,,2"), "line 6: 2 blue out; allowed is at most 1"),
        (("1,,1,3,4,", "2,,1,3,4,"), "line 5: drop 2; allowed is 1, the next, or 0 for a new game with the tower em"),
        (("0,5,3,5,3", "1,5,3,5,3"), "line 3: drop 1 is the first; allowed is 0"),
        (("1,,1,3,4,", "0,,1,3,4,"), "line 5: 1 red out; allowed is at most 0"),
        (("0,5,3", "0,five,3"), "line 3, thrown_red = 'five'"),
        (("0,5,3", "0,-5,3"), "line 3, thrown_red = '-5'"),
        (("0,5,3", "0,5.5,3"), "line 3, thrown_red = '5.5'"),
        (("0,5,3", "0,5.000,3"), "line 3, thrown_red = '5.000'"),
        (("0,5,3", f"0,{'9' * 900},3"), "line 3, thrown_red = '999"),
        (("0,5,3", f"0,{'9' * 5000},3"), "line 3 has a cell of 5000 characters"),
        (("0,5,3", "0,900,3"), "line 3: 905 cubes thrown; allowed are up to 500 in a game"),
        (("0,5,3", "0,999999999,3"), "line 3: 1000000004 cubes thrown; allowed are up to 500"),
        (("1,,1", "1,900,1"), "line 5: 900 red thrown; allowed is at most 3, what lies outside (5 thrown in drop 0, 2"),
        (("1,,1,3", "1,,1,4"), "line 5: 4 blue thrown; allowed is at most 3"),
        (("2,1,,,1", "2,5,,,1"), "line 6: 5 red thrown; allowed is at most 4, what lies outside"),
        (("0,5,3", ",5,3"), "line 3: no drop; allowed is its number"),
        (("set-up", '"set-up'), "line 3: '0,5,3,5,3,\"set-up' cannot be read"),
        (("set-up", 'set\nup"'), "line 4 has 1 of 6 cells"),
        (("set-up", '"set-\nup"'), "line 3: '0,5,3,5,3,\"set-' cannot be read"),
        (("set-up", "x" * 1001), "line 3 has a cell of 1001 characters"),
        (("set-up", "x" * 200_000), "line 3 has 200010 characters; allowed are 1000 a cell"),
        (("2,1,,,1", "2,1,,,1,,,7"), "line 6 has 8 cells; allowed are 6"),
        (("1,,1,3,4,", "1,,1"), "line 5 has 3 of 6 cells; allowed is a whole row"),
        (("2,1,,,1", "2,1"), "line 6 has 2 of 6 cells"),
        (("2,1,,,1", "4,1,,,1"), "line 6: drop 4; allowed is 2, the next"),
        (("out_blue,", ""), "column 'out_blue' is missing"),
        (("thrown_blue,", ""), "column 'thrown_blue' is missing"),
        (("out_blue", "out_red"), "column 'out_red' is there twice"),
        (("note", "weather"), "column 'weather' is unknown"),
        (("note\n0,5,3,5,3,set-up", "mark\n0,5,3,5,3,set-up"), "line 3, mark 'set-up'; allowed are beside, miscount, "),
        (("drop,", "row,"), "column 'row' is unknown"),
        (("drop,", "drop,throw,"), "columns drop and throw; allowed is drop for games or throw for free throws"),
        (("thrown_red,out_red", "thrown,out"), "columns thrown and 'thrown_blue'; allowed are those of colours or"),
        (("thrown_red,out_red,thrown_blue,out_blue", "thrown"), "column 'out_any' is missing"),
        (("note", "thrown_\x1b[2J"), "column 'thrown_\\x1b[2j' names no colour"),
        (("note", "thrown_"), "column 'thrown_' names no colour"),
        (("note", f"thrown_{'x' * 50}"), "names no colour; allowed are up to 40 letters"),
        (("note", "note" + ",out_red" * 100), "line 2 has 106 cells; allowed are up to 100"),
        ((HEADER, HEADER.replace(",", " ")), "between commas, semicolons, tabs"),
    ],
)
def test_what_cannot_be_is_refused_with_its_line(file, change: tuple[str, str], says: str):
    assert change[0] in GOOD
    with pytest.raises(UsageError) as caught:
        records.read(file(GOOD.replace(*change, 1)))
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


@each_case(
    ("rows", "inside"),
    [
        ("0,5,3,5,3,beside\n1,,1,3,4,beside knock", (1, 1)),
        ("0,5,3,5,3,\n1,,,,,emptied\n2,5,1,,", (4, 0)),  # all lie outside again
        ("0,5,3,5,3,\n1,2,9,2,1,miscount\n2,,,,", (0, 4)),  # no red is; 2 of 5 blue lay outside: 3 + 2 - 1
        ("0,5,3,5,3,\n1,,,5,1,miscount\n2,,2,,4", (0, 0)),  # 5 blue lay outside, so none was inside
        ("0,5,3,5,3,recount\n1,,2,,,", (0, 2)),  # of 5 and 5 cubes 2 and 2 were inside when the record began
        ("0,5,3,5,3,\n1,5,4,5,1,recount\n2,4,4,,", (1, 4)),  # throws are missing before it
    ],
)
def test_a_mark_tells_what_happened_and_what_is_then_inside(file, rows: str, inside: tuple[int, int]):
    result = records.read(file(f"{HEADER.replace('note', 'mark')}{rows}\n"))
    assert tuple(result[-1].inside.values()) == inside
    assert [" ".join(row.marks) for row in result] == ["".join(line.split(",")[5:]) for line in rows.splitlines()]


def spreadsheets() -> dict[str, bytes]:
    """GOOD as people's programs write it."""
    semicolons = GOOD.replace(",", ";")
    other_order = "note;out_blue;thrown_blue;DROP;Out_Red;Thrown_Red\n;3;5;0;3;5\n;4;3;1;1;\nlate;1;;2;;1\n"
    return {
        "Excel in German": semicolons.replace("set-up", "Aufbau: schräg, ein Stoß").encode("cp1252"),
        "Excel in French, decimals": re.sub(r"(?<=;)(\d)(?=[;\r\n])", r"\1,0", semicolons).encode(),
        "UTF-16, high byte first": b"\xfe\xff" + GOOD.encode("utf-16-be"),
        "a line that names the separator": f"sep=;\n{semicolons}".encode(),
        "pandas with gaps": re.sub(r"(?<=,)(\d)(?=[,\n])", r"\1.0", GOOD).encode(),
        "a remark in quotes": GOOD.replace("# my tower, 8 mm cubes", '"# my tower, 8 mm cubes"').encode(),
        "empty cells and lines": re.sub("\n", ",,,\n,,,,,,\n\n", GOOD).encode(),
        "capitals": GOOD.replace("thrown_", "Thrown_").replace("out_", "OUT_").replace("drop", "Drop ").encode(),
        "another order": other_order.encode(),
        "no last line break": GOOD.rstrip("\n").encode(),
        "names in words": GOOD.replace("thrown_", "Thrown ").replace("out_", "out  ").encode(),
        "digits of a Japanese keyboard": GOOD.replace("0,5,3", "0,\uff15,3").encode(),
    }


@each_case("program", spreadsheets())
def test_what_spreadsheets_write_is_simply_read(program: str, tmp_path: Path):
    (tmp_path / "good.csv").write_bytes(GOOD.encode())
    (tmp_path / "mine.csv").write_bytes(spreadsheets()[program])
    assert records.read(tmp_path / "mine.csv") == records.read(tmp_path / "good.csv")


@each_case(
    ("data", "says"),
    [
        (GOOD.encode("utf-16-le"), "are no text"),  # without its mark
        (b"PK\x03\x04\x14\x00\x06\x00\x08\x00", "are no text; allowed is a CSV file; in a spreadsheet, save it as CSV"),
        (b"\xff\xfe\x00", "are no text"),
        (b"\x81\x8d", "are no text"),
        (b"#" * 2_000_001, "more than 2000000 bytes"),
        ((HEADER + "0,9,,,\n" + "0,1,,,\n" * 5000).encode(), "have over 2000 drops"),
        ((HEADER + "0,9,,,\n" + "".join(f"{i},,,,\n" for i in range(1, 401))).encode(), "line 402: drop 400; allowed"),
        (b"", "allowed is a header"),
        (b"# nothing\n", "allowed is a header"),
        (b"drop,thrown_red,out_red\n", "allowed is a row a drop"),
    ],
    ids=["utf-16", "xlsx", "half a letter", "bytes", "large", "drops", "long game", "empty", "remark", "header"],
)
def test_what_is_no_csv_of_drops_is_one_line(data: bytes, says: str, tmp_path: Path):
    (tmp_path / "mine.csv").write_bytes(data)
    with pytest.raises(UsageError) as caught:
        records.read(tmp_path / "mine.csv")
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_new_game_begins_with_the_emptied_tower_where_the_drop_returns_to_0(file):
    result = records.read(file(f"{GOOD}0,2,1,1,1\n1,,1,,\n0,3,,,\n"))
    assert [(each.game, each.number) for each in result] == [(1, 0), (1, 1), (1, 2), (2, 0), (2, 1), (3, 0)]
    assert [each.inside["red"] for each in result] == [2, 1, 2, 1, 0, 3]
    assert records.summary(result).splitlines() == [
        "6 drops in 3 games (3, 2, 1); colours: red, blue",
        "first drop of game 1: 10 thrown, 6 out, 4 inside",
        "first drop of game 2: 3 thrown, 2 out, 1 inside",
        "first drop of game 3: 3 thrown, 0 out, 3 inside",
        "later drops: 2.3 out on average (1 to 5), 1.3 inside (0 to 2)",
    ]


def test_colours_may_be_left_out(file):
    result = records.read(file("drop,thrown,out\n0,49,30\n1,5,7\n"))
    assert [(each.thrown, each.out, each.inside) for each in result] == [
        ({"any": 49}, {"any": 30}, {"any": 19}),
        ({"any": 5}, {"any": 7}, {"any": 17}),
    ]
    assert not records.has_colours(result)
    assert records.summary(result).startswith("2 drops; colours not recorded\nfirst drop: 49 thrown, 30 out, 19 inside")
    with pytest.raises(UsageError, match=r"line 3: 33 cubes thrown; allowed is at most 30, what lies outside \(49"):
        records.read(file("drop,thrown,out\n0,49,30\n1,33,7\n"))
    with pytest.raises(UsageError, match=r"line 3: 27 cubes out; allowed is at most 26"):
        records.read(file("drop,thrown,out\n0,49,30\n1,7,27\n"))


def test_free_throws_are_of_any_number_but_no_more_come_out_than_there_are(file):
    text = "throw,thrown_red,out_red,thrown_blue,out_blue\n0,3,1,,\n1,,,40,31\n2,9,11,1,\n0,20,5,,\n"
    result = records.read(file(text))
    assert [each.is_free for each in result] == [True] * 4
    assert [(each.game, each.number) for each in result] == [(1, 0), (1, 1), (1, 2), (2, 0)]
    assert [each.inside for each in result[2:]] == [{"red": 0, "blue": 10}, {"red": 15, "blue": 0}]
    assert records.summary(result).splitlines()[:2] == [
        "4 free throws in 2 series (3, 1); colours: red, blue",
        "first throw of series 1: 3 thrown, 1 out, 2 inside",
    ]
    for change, says in (
        (("1,,,40,31", "1,,,40,41"), "line 3: 41 blue out; allowed is at most 40"),
        (("1,,,40,31", "1,499,,,"), "line 3: 499 cubes thrown; allowed are up to 498 beside 2 inside"),
        (("1,,,40,31", "2,,,40,31"), "line 3: throw 2; allowed is 1, the next, or 0 for the tower emptied"),
    ):
        with pytest.raises(UsageError) as caught:
            records.read(file(text.replace(*change)))
        assert says in str(caught.value)


@st.composite
def drops_of_a_tower(draw: st.DrawFn) -> list[records.Record]:
    """Up to four games or series of up to five drops, of cubes in colours with awkward names."""
    is_free = draw(st.booleans())
    names = st.text("abc,; \"#'é_", min_size=1, max_size=5).filter(lambda name: name == name.strip())
    colours = draw(st.lists(names, min_size=1, max_size=3, unique=True))
    result: list[records.Record] = []
    for game in range(1, draw(st.integers(1, 4)) + 1):
        inside = dict.fromkeys(colours, 0)
        outside = {colour: draw(st.integers(0, 9)) for colour in colours}
        for number in range(draw(st.integers(1, 5))):
            least = dict.fromkeys(colours, 0) if number else outside
            most = dict.fromkeys(colours, 30) if is_free else outside
            thrown = {colour: draw(st.integers(least[colour], most[colour])) for colour in colours}
            out = {colour: draw(st.integers(0, inside[colour] + thrown[colour])) for colour in colours}
            inside = {colour: inside[colour] + thrown[colour] - out[colour] for colour in colours}
            outside = {colour: outside[colour] - thrown[colour] + out[colour] for colour in colours}
            result.append(records.Record(number, thrown, out, inside, game, is_free))
    return result


@given(drops_of_a_tower(), st.lists(st.text(st.characters(exclude_characters="\0")), max_size=3))
def test_what_is_written_reads_back_as_it_was(tmp_path_factory, drops: list[records.Record], remarks: list[str]):
    path = tmp_path_factory.mktemp("written") / "mine.csv"
    write_records(path, drops, remarks)
    assert records.read(path) == drops
    kept = [line for line in path.read_text("utf-8").splitlines() if line.startswith("#")]
    assert kept == [f"# {line}" for remark in remarks for line in remark.splitlines() or [""]]


@st.composite
def spreadsheet(draw: st.DrawFn) -> Callable[[str], bytes]:
    """A way in which a program may write a CSV: nothing of it changes a number."""
    separator, end = draw(st.sampled_from(",;\t")), draw(st.sampled_from(["\n", "\r\n", "\r"]))
    encoding = draw(st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "cp1252"]))
    style = draw(st.sampled_from(["{}", "{},0" if separator != "," else '"{},0"', "{}.0", "{}.00"]))
    quoted, empty, blanks = draw(st.booleans()), draw(st.integers(0, 3)), draw(st.sampled_from(["", " "]))

    def of(cell: str) -> str:
        number = style.format(cell) if cell.isdigit() else cell
        return f'"{number}"' if quoted and '"' not in number else blanks + number

    def write(text: str) -> bytes:
        lines = [[of(cell) for cell in line.split(",")] + [""] * empty for line in text.splitlines()]
        return end.join([*map(separator.join, lines), ""]).encode(encoding)

    return write


@given(drops_of_a_tower(), spreadsheet())
def test_no_program_changes_what_is_read(tmp_path_factory, drops: list[records.Record], program: Any):
    """Separator, byte-order mark, line ends, quotes, decimals, empty columns at the end: the same drops."""
    path = tmp_path_factory.mktemp("written") / "mine.csv"
    names = dict(zip(drops[0].thrown, ["red", "blue", "gr\u00fcn"], strict=False))
    kinds = ("thrown", "out", "inside")
    renamed = [{kind: {names[c]: n for c, n in getattr(drop, kind).items()} for kind in kinds} for drop in drops]
    plain = [replace(drop, **counts) for drop, counts in zip(drops, renamed, strict=True)]
    write_records(path, plain)
    path.write_bytes(program(path.read_text("utf-8")))
    assert records.read(path) == plain


def test_check_says_what_was_recorded_and_the_form_is_a_page(file, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert records.main(["check", str(file(GOOD))]) == 0
    assert "3 drops; colours: red, blue" in capsys.readouterr().out
    assert records.main(["check", str(tmp_path / "none.csv")]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert records.main(["form", str(tmp_path / "form.pdf")]) == 0
    assert (tmp_path / "form.pdf").read_bytes().startswith(b"%PDF")
    assert records.main(["form", str(tmp_path / "form.doc")]) == 2

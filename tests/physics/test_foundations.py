"""What everything else leans on: how a received value is quoted, how files are read, how progress is told."""

import errno
import io
import os
import pickle
import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from support.cases import each_case

from tower_sim.errors import UsageError, fault, near, quote
from tower_sim.games.chain import GAME
from tower_sim.tools import extra, json_value, pip_install, read_bytes, read_text, report_progress, say, toml_table
from tower_sim.tools.pool import packages
from tower_sim.tools.reading import MAX_DEPTH
from tower_sim.tools.terminal import fold


@each_case(
    "value",
    ["x" * 5000, 10**5000, [10**5000], -(10**400), ["y" * 300] * 300, "two\nlines", b"\xff" * 9000, {"a": 1e300}],
    ids=lambda value: type(value).__name__,
)
def test_a_received_value_is_quoted_on_one_short_line(value: object):
    for text in (quote(value), str(fault("it", value, "less"))):
        assert "\n" not in text
        assert len(text) < 220


def test_short_values_are_quoted_as_they_are():
    assert [quote(v) for v in (3, 2.5, "blue", None, ["a"])] == ["3", "2.5", "'blue'", "nothing", "['a']"]
    assert quote(10**60) == "a number of about 60 digits"


def nested(depth: int) -> str:
    return "[" * depth + "]" * depth


@each_case(
    ("reader", "text", "says"),
    [
        (json_value, nested(10**5), "is not JSON|depth of it"),
        (json_value, nested(MAX_DEPTH + 2), "depth of it"),
        (json_value, '{"a": NaN}', "NaN is no number"),
        (json_value, '{"a": 1e999}', "a of it is inf"),
        (json_value, '{"a": ' + "9" * 4000 + "}", "about 4000 digits"),
        (json_value, "9" * 5000, "is not JSON"),
        (json_value, '{"a"', "is not JSON"),
        (toml_table, "a = " + nested(10**5), "is not TOML|depth"),
        (toml_table, "a = " + nested(MAX_DEPTH + 2), "depth"),
        (toml_table, "a = nan", "a of it is nan"),
        (toml_table, "a = " + "9" * 4000, "about 4000 digits"),
        (toml_table, "a = " + "9" * 5000, "is not TOML"),
        (toml_table, "a = ", "is not TOML"),
        (toml_table, "a." * 500_000 + "a = 1", "line 1 of it is 'a.a.a.* parts"),
        (toml_table, "x = 1\n[" + "'a' . " * 500_000 + "a]", "line 2 of it is .* parts"),
    ],
)
def test_json_and_toml_that_nobody_means_are_refused_in_one_line(
    reader: Callable[[str, str], object], text: str, says: str
):
    with pytest.raises(UsageError, match=says) as error:
        reader(text, "it")
    assert len(str(error.value)) < 300


@pytest.mark.posix
def test_only_regular_files_of_a_stated_size_are_read(tmp_path: Path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "large").write_bytes(bytes(101))
    for path in (tmp_path / "pipe", "/dev/zero", tmp_path, tmp_path / "none", "n" * 300, "a\0b", tmp_path / "large"):
        with pytest.raises(UsageError, match="a file of ours"):
            read_bytes(path, "a file of ours", limit=100)


def test_a_byte_order_mark_is_read_and_other_encodings_are_named(tmp_path: Path):
    (tmp_path / "bom").write_bytes("\ufeffa = 1".encode())
    assert read_text(tmp_path / "bom", "file") == "a = 1"
    (tmp_path / "wide").write_bytes("a = 1".encode("utf-16"))
    with pytest.raises(UsageError, match=r"is not UTF-8 \(byte 0\)"):
        read_text(tmp_path / "wide", "file")


class FullDisk(io.StringIO):
    tried = 0

    def write(self, text: str) -> int:
        self.tried += 1
        raise OSError(errno.ENOSPC, "No space left on device")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def report(what: str, number: int, seconds: float, stream: io.StringIO) -> str:
    now = [0.0]
    with report_progress(what, number, stream=stream, clock=lambda: now[0]) as tell:
        for done in range(1, number + 1):
            now[0] += seconds
            tell(done)
        if isinstance(stream, FullDisk):
            tell.note("a shard failed")
    return stream.getvalue()


def test_progress_is_silent_for_two_seconds_and_then_tells_now_and_then_on_a_terminal_by_a_bar():
    assert report("games", 3, 0.5, io.StringIO()) == ""
    lines = report("games", 100, 0.5, io.StringIO()).splitlines()
    assert lines[0] == "... 4 of 100 games, 2 s, about 48 s left"
    assert [float(line.split(", ")[1].split()[0]) for line in lines] == [2, 6, 14, 30, 50]
    assert lines[-1] == "... 100 of 100 games, 50 s"
    bar = report("battles", 10, 1, Terminal())
    assert "battles" in bar
    assert "10/10" in bar


def test_the_time_left_leaves_out_what_happens_once():
    """The first of 7 turns also compiles for 100 s; a campaign's first two shards of 5 games are played at once."""
    stream, now = io.StringIO(), [0.0]
    with report_progress("turns", 7, stream=stream, clock=lambda: now[0]) as tell:
        for done, seconds in enumerate((101.0, 10.0, 10.0), 1):
            now[0] += seconds
            tell(done)
    assert stream.getvalue().splitlines() == ["... 1 of 7 turns, 101 s", "... 2 of 7 turns, 111 s, about 50 s left",
                                              "... 3 of 7 turns, 121 s, about 40 s left"]  # fmt: skip
    stream, now = io.StringIO(), [0.0]
    with report_progress("games", stream=stream, clock=lambda: now[0]) as tell:
        tell.begin(45, 5, once=10)
        for done, seconds in ((5, 100), (10, 100), (20, 100), (25, 50)):
            now[0] += seconds
            tell(done)
    lines = stream.getvalue().splitlines()
    assert [line.partition(" s")[2] for line in lines] == ["", "", "", ", about 3 min left"]


def test_a_full_standard_error_ends_no_work():
    stream = FullDisk()
    report("games", 9, 5, stream)
    assert stream.tried > 2


def test_a_near_miss_is_suggested_and_a_far_one_is_not():
    assert near("--sede", ["--seed", "--json"]) == "; did you mean --seed?"
    assert near("--zzzz", ["--seed", "--json"]) == ""


def test_a_missing_extra_says_what_to_install_wherever_tower_sim_came_from():
    says = r"pyarroww is not installed .*; try: .*-m pip install pyarrow rich jinja2 markdown-it-py scikit-learn$"
    with pytest.raises(UsageError, match=says):
        extra("pyarroww", "surrogate")
    assert pip_install("numpy") in {f"{each} -m pip install numpy" for each in ("python", shlex.quote(sys.executable))}
    assert packages("dask") == ("pyarrow", "rich", "jinja2", "markdown-it-py", "distributed")


def test_on_a_narrow_terminal_long_lines_are_folded_between_words_and_nothing_is_lost():
    row = "   7/35     1 blue         3    7   17 |    3     .   2     1     .      1     . |   3    3"
    text = f"{row}\nshort\n\n{'word ' * 40}"
    for width in (40, 60, 80):
        lines = fold(text, width).split("\n")
        assert max(map(len, lines)) <= width
        assert " ".join(lines).split() == text.split()
        assert lines[0].startswith("   7/35     1 blue")
    assert fold(text, 0) == text
    assert fold("x" * 90, 60) == "x" * 90  # a token can still be copied whole


@each_case(("is_terminal", "columns", "lines"), [(True, "60", 2), (True, "200", 1), (False, "60", 1), (False, "", 1)])
def test_a_terminal_folds_and_nothing_else_does(is_terminal: bool, columns: str, lines: int, monkeypatch):
    stream = Terminal() if is_terminal else io.StringIO()
    monkeypatch.setattr("sys.stdout", stream)
    monkeypatch.setenv("COLUMNS", columns)
    say("a word " * 13)  # 91 columns
    assert stream.getvalue().count("\n") == lines


def test_prose_is_not_wider_than_can_be_read_and_rows_go_on_under_their_last_column():
    assert max(map(len, fold("word " * 80, 300).split("\n"))) <= 100
    assert fold("  core  " + "word " * 40, 60).split("\n")[1].startswith(" " * 8 + "word")
    assert fold("  " + "word " * 40, 60).split("\n")[1].startswith("  word")


@each_case(
    ("name", "says"),
    [
        ("none", "it is not there; check its spelling and the folder that you are in; give one"),
        ("", "it is a folder; allowed is a regular file, such as one in it; give one"),
        ("file/none", "a part of its path is a file, no folder; check its path; give one"),
        ("x" * 300, "no file has so long a name; check its path; give one"),
        ("a\0b", "no file has a name with such a character; check its path; give one"),
    ],
)
def test_a_file_that_cannot_be_read_is_told_with_why_and_what_to_try(name: str, says: str, tmp_path: Path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError) as refused:
        read_bytes(tmp_path / name, "rules file", advice="give one")
    assert f"cannot be read: {says}" in str(refused.value)
    assert str(refused.value).startswith("rules file '")


def test_the_callers_mistake_is_one_line_whatever_was_received():
    for text in ("a\nb", "a\r\nb", "a\u2028b", "a\x0cb"):
        assert str(UsageError(text)) == "a b"
        assert str(pickle.loads(pickle.dumps(UsageError(text)))) == "a b"
    with pytest.raises(UsageError, match=r"^chain.supply is .*two.+lines.*; allowed"):
        GAME.read({"chain": {"supply": {"two\nlines": -1}}})

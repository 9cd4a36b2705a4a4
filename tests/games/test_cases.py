"""What many tests stand on: cases of one item are all tried, each on its own, and all that fail are named."""

import inspect
import os
from pathlib import Path

import pytest
from support.cases import each_case


def test_every_case_is_tried_on_its_own_and_all_that_fail_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    tried: list[tuple[int, str]] = []

    @each_case("number", [1, 2, 3])
    @each_case(("word", "length"), [("a", 1), pytest.param("bb", 2, id="two")])
    def check(number: int, word: str, length: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
        assert list(tmp_path.iterdir()) == []
        assert "MARK" not in os.environ
        (tmp_path / "mark").touch()
        monkeypatch.setenv("MARK", "1")
        tried.append((number, word))
        assert len(word) == length
        if word == "bb" and number > 1:
            raise ValueError(f"{number} is too much")

    assert [*inspect.signature(check).parameters] == ["tmp_path", "monkeypatch"]
    with pytest.raises(pytest.fail.Exception) as failed:
        check(tmp_path=tmp_path, monkeypatch=monkeypatch)
    assert tried == [(number, word) for number in (1, 2, 3) for word in ("a", "bb")]
    message = str(failed.value)
    assert message.startswith("2 of 3 cases fail\n\n[1: 2] ")
    for part in ("[2: 3] ", "1 of 2 cases fail", "[two] ", "ValueError: 2 is too much", "ValueError: 3 is too much"):
        assert part in message
    assert message.count(f"{__file__}:") == 2
    assert "MARK" not in os.environ


def test_all_are_skipped_or_none_is():
    for first, expected in ((1, pytest.skip.Exception), (2, pytest.fail.Exception)):

        @each_case("number", [1, 2, 3])
        def check(number: int, first: int = first):
            if number == first:
                pytest.skip("not here")

        with pytest.raises(expected, match="not here"):
            check()


def test_cases_that_are_none_are_a_mistake():
    with pytest.raises(AssertionError, match="there is no case of number"):
        each_case("number", [])

"""Names that a terminal or a page would obey: refused, or written out; colours with a typing error."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.cases import each_case
from support.command_line import refusal

from tower_sim.apparatus import load, parse, shipped
from tower_sim.drawing.files import cube_colours
from tower_sim.errors import UsageError, find_slip, printable
from tower_sim.models import open_model
from tower_sim.requests import Throw, read_variant
from tower_sim.requests.request import MAX_STATE
from tower_sim.service.lines import read_request
from tower_sim.tools import pack, say
from tower_sim.values import COLOURS, Cube, Event, TowerState, parse_counts, supply
from tower_sim.web import Page

WILD = {"escape": "\x1b[31mred", "NUL": "re\0d", "bell": "red\a", "surrogate": "red\udc80", "bidi": "\u202eder",
        "C1": "red\x9b2J", "line": "red\nblue", "separator": "re\u2028d", "width": "re\u200bd"}  # fmt: skip


def drop(cubes: dict[Any, int], state: TowerState | None = None) -> Throw:
    return Throw.of(model="surrogate", cubes=cubes, state=state)


@each_case("colour", WILD.values(), ids=WILD)
def test_a_colour_that_does_not_print_is_refused_at_every_door_and_written_out(colour: str):
    shape = load("amerigo")
    token = pack("TOWER3", {"model": "", "apparatus": "", "digest": "", "residents": [[0, colour, 0.1, "", 0]],
                            "log": [], "board": [], "touches": []})  # fmt: skip
    with open_model(shape, "two_thirds") as model:
        for call in (
            lambda: drop({colour: 2}),
            lambda: supply({colour: 2}, 0.01),
            lambda: parse_counts(f"{colour}=2", "--cubes"),
            lambda: read_request({"do": "drop", "model": "surrogate", "cubes": {colour: 2}}),
            lambda: model.drop(model.empty(), [Cube(0, colour, shape.cube_edge)], np.random.default_rng(1)),
            lambda: TowerState.from_token(token),
        ):
            with pytest.raises(UsageError) as error:
                call()
            assert str(error.value).isprintable()
            assert "characters that can be printed" in str(error.value)


@each_case("name", WILD.values(), ids=WILD)
def test_a_profile_or_a_variant_of_a_name_that_does_not_print_is_refused(name: str, tmp_path: Path):
    with pytest.raises(UsageError, match="allowed is one of characters that can be printed; rename the file") as error:
        parse(shipped()["amerigo"], name)
    assert str(error.value).isprintable()
    if "\0" in name:
        return
    (tmp_path / f"{name}.toml").write_text("rounds = 3\n", "utf-8")
    with pytest.raises(UsageError, match="name of the variant") as error:
        read_variant(tmp_path / f"{name}.toml")
    assert str(error.value).isprintable()


def test_what_is_said_and_pages_titles_have_what_does_not_print_written_out(capsys: pytest.CaptureFixture[str]):
    wild = "".join(letter for letter in "".join(WILD.values()) if letter != "\n")
    say(f"wrote {wild}\nand more")
    out = capsys.readouterr().out
    assert out == f"wrote {printable(wild)}\nand more\n"
    assert "\\x1b[31mred" in out
    assert "\\u202e" in out
    title = Page(wild, body="").text().split("<title>")[1].split("</title>")[0]
    assert title == printable(wild)
    assert str(UsageError(f"file {wild} is not there")).isprintable()
    assert printable("tower ümlaut ☃ 塔\n") == "tower ümlaut ☃ 塔\n"


# Colours with a typing error


@each_case(
    ("word", "colour"),
    [("bleu", "blue"), ("Blue", "blue"), ("bluee", "blue"), ("bue", "blue"), ("gren", "green"), ("balck", "black"),
     ("rde", "red"), ("purpel", "purple"), ("yelow", "yellow")],
)  # fmt: skip
def test_a_colour_with_a_typing_error_is_asked_after(word: str, colour: str):
    line = f"a colour of cubes is '{word}'; allowed is .*; did you mean {colour}\\?$"
    for call in (lambda: drop({word: 4}), lambda: read_request({"do": "drop", "cubes": {word: 4}})):
        with pytest.raises(UsageError, match=line):
            call()
    assert re.search(line, refusal("throw", "amerigo", "--model", "surrogate", "--cubes", f"{word}=4"))


def test_new_colours_and_those_of_the_state_may_be_thrown():
    for colour in (*COLOURS, "teal", "orange", "grün", "blau", "rot", "blue2", "dark blue", "a", "any", "light-red"):
        drop({colour: 1})
    model = open_model("amerigo", "surrogate")
    cubes = supply({"bleu": 3, "teal": 1}, model.cube_edge)
    state = replace(model.empty(), log=(Event("drop", "", cubes, tuple(cube.id for cube in cubes)),))
    drop({"bleu": 2}, state)
    with pytest.raises(UsageError, match=r"did you mean teal\?"):
        drop({"tael": 2}, state)


def test_the_known_colours_are_those_that_have_a_paint_of_their_own():
    assert len({*cube_colours(COLOURS).values()}) == len(COLOURS)
    assert {word for word in ("", "b", "bl", "teal", "blackish") if find_slip(word, COLOURS)} == set()
    assert find_slip("bleu", COLOURS) == find_slip("blue", COLOURS) == "blue"


# A state that is asked for over the wire


def test_a_service_takes_states_of_a_million_bytes_and_no_more():
    plain = {"model": "", "apparatus": "", "digest": "", "residents": [], "log": [], "board": [], "touches": []}
    event = ["drop", "a" * 70, [[7, "red", 0.008547008547008548]], [7], 0.0, ""]
    request = {"do": "drop", "model": "surrogate", "cubes": {"red": 1}}
    assert len(json.dumps([event] * 7_500, separators=(",", ":"))) < MAX_STATE
    read_request(request | {"state": pack("TOWER3", plain | {"log": [event] * 7_500})})
    with pytest.raises(UsageError, match="unpacks to more than 1000000 bytes; allowed are up to 1000000 bytes"):
        read_request(request | {"state": pack("TOWER3", plain | {"log": [event] * 9_000})})

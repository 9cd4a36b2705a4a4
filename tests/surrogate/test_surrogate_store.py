"""The file of a fitted surrogate: read back as it was written, and every damage refused in one line."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import replace
from functools import reduce
from itertools import product
from operator import getitem
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.cases import each_case
from support.command_line import refusal

from tower_sim.apparatus import load
from tower_sim.cli import main
from tower_sim.errors import UsageError
from tower_sim.surrogate import (
    BOARD,
    FAILED_NAME,
    TOWER,
    Cascade,
    Fitted,
    FloorLaw,
    Passing,
    Polyline,
    RungScore,
    Source,
    load_fitted,
    shipped,
    store,
)

SHAPE = load("amerigo")
SHIPPED = shipped(SHAPE.name, SHAPE.digest)
Capture = pytest.CaptureFixture[str]


def flat(*values: float) -> Polyline:
    return Polyline(tuple(range(len(values))), values, (0.5,) * len(values))


SMALL = Fitted(
    kind=TOWER,
    apparatus="a tower",
    apparatus_digest="0123456789abcdef",
    data=(Source("abc", 7, 250),),
    covered=((1, 0, 30), (7, 2, 25)),
    scores=(RungScore("cascade", "3 cascade", -4.25, 0.125, 1.5, 0.0625),),
    lower_rungs={"groups": (0.1, -1e-06, 3.0), "shared": (1e20,)},
    law=Cascade(
        (
            FloorLaw(
                "floor",
                arriving=Passing(flat(1.5, 2.0), flat(0.0, -0.1), flat(0.3)),
                fresh=flat(0.0, -0.2),
                pushed=-0.25,
                pushed_error=0.1,
                lying=Passing(flat(-1.5, -1.0), flat(0.0, 0.3), flat(0.6)),
                age=flat(0.0, -0.4),
                crowd=flat(0.5, 0.25),
            ),
        )
    ),
    engine="core",
)


@pytest.mark.parametrize("fitted", [SMALL, SHIPPED], ids=["small", "shipped"])
def test_a_model_is_read_back_as_it_was_written(fitted: Fitted, tmp_path: Path):
    text = fitted.to_json()
    again = Fitted.from_json(text)
    assert again == fitted
    assert again.digest == fitted.digest
    assert again.to_json() == deepcopy(fitted).to_json() == text
    (tmp_path / "model.json").write_text(text, "utf-8")
    assert load_fitted(tmp_path / "model.json") == fitted


def test_that_a_check_failed_is_kept_named_and_not_to_be_edited_away():
    failed = replace(SMALL, failed="It failed: physics 16.5, surrogate 9.07.")
    text = failed.to_json()
    assert Fitted.from_json(text) == failed
    assert failed.digest != SMALL.digest
    for old in (failed.failed, f',\n "failed": "{failed.failed}"'):
        assert old in text
        with pytest.raises(UsageError, match="surrogate is damaged"):
            Fitted.from_json(text.replace(old, ""))


def test_all_that_names_its_model_says_that_the_check_failed(tmp_path: Path, capsys: Capture):
    file = tmp_path / "mine.json"
    file.write_text(replace(SHIPPED, failed="It failed: physics 16.5, surrogate 9.07.").to_json(), "utf-8")
    of = ["--model", str(file), "--seed", "1"]
    for words in (["play", "amerigo", "--set", "rounds=1"], ["throw", "amerigo", "--cubes", "blue=9"]):
        assert main([*words, *of]) == 0
        assert "surrogate that failed its check" in capsys.readouterr().out.splitlines()[0]
        assert main([*words, *of, "--json"]) == 0
        document = json.loads(capsys.readouterr().out)
        assert document["model"] == FAILED_NAME
    (tmp_path / "token").write_text(document["state"])
    assert main(["throw", "amerigo", "--cubes", "red=2", "--state", f"@{tmp_path / 'token'}", *of]) == 0
    assert main(["compare", "amerigo", "--set", "cubes=5", "--games", "400", *of]) == 0
    told = " ".join(capsys.readouterr().out.partition("house rules compared")[0].split())
    assert "surrogate that failed its own check" in told
    assert (": very likely" in told, ": certain" in told) == (True, False)
    assert main(["model", "export", str(file), "--to", "json", "-o", str(tmp_path / "table.json")]) == 0
    assert "It failed: physics 16.5" in capsys.readouterr().err


def sealed(plain: Mapping[str, Any]) -> str:
    """The text of a file whose digest is right, whatever else is not."""
    body = {key: value for key, value in plain.items() if key != "digest"}
    return json.dumps(body | {"digest": store._digest(body)})


def edited(*path: str | int, to: Any) -> str:
    """The small model's file with one entry replaced, or removed (`to` is ...), and the digest made right."""
    plain: Any = json.loads(SMALL.to_json())
    *way, last = path
    at: Any = plain
    for key in way:
        at = at[key]
    if to is ...:
        del at[last]
    else:
        at[last] = to
    return sealed(plain)


FLOORS: Any = SMALL.law.to_plain()["floors"][0]
FLOOR: tuple[str | int, ...] = ("law", "floors", 0)
DAMAGES = {
    "nothing": ("", "is not JSON"),
    "truncated": (SMALL.to_json()[:300], "is not JSON"),
    "lists without end": ("[" * 100_000, "is not JSON"),
    "a digit flipped": (SMALL.to_json().replace("-0.25", "-0.26"), "surrogate is damaged"),
    "foreign JSON": ('{"schema": "another", "version": 1}', "schema 'another' version 1"),
    "a list": ("[1, 2]", "schema nothing version nothing"),
    "a number": ("3", "schema nothing version nothing"),
    "another schema": (edited("schema", to="tower-sim/outcome"), "schema 'tower-sim/outcome' version 1"),
    "another version": (edited("version", to=2), "schema 'tower-sim/surrogate' version 2"),
    "a key missing": (edited("covered", to=...), "keys of the surrogate"),
    "a key too many": (edited("more", to=1), "keys of the surrogate"),
    "an unknown kind": (edited("kind", to="ship"), "kind of the surrogate is 'ship'; allowed is tower or board"),
    "a board of floors": (edited("kind", to=BOARD), "terms of the law is ()"),
    "data that are no campaign": (edited("data", to=[{"digest": "abc"}]), "cannot be read"),
    "rungs in a list": (edited("lower_rungs", to=[1]), "cannot be read"),
    "a row covered with two numbers": (edited("covered", to=[[1, 2]]), "cannot be read"),
    "a score without its error": (edited("scores", 0, "se", to=...), "cannot be read"),
    "no law": (edited("law", to=None), "keys of law of the model"),
    "no floor": (edited("law", "floors", to=[]), "floors of law is 0; allowed is 1 to 12"),
    "floors in no list": (edited("law", "floors", to={}), "law, floors of the model is {}; allowed is a list"),
    "a floor without age": (edited(*FLOOR, "age", to=...), "keys of law, floors 0 of the model"),
    "a region that is a number": (edited(*FLOOR, "region", to=5), "region of the model is 5; allowed is a word"),
    "a group without a curve": (edited(*FLOOR, "lying", "sd", to=...), "keys of law, floors 0, lying of the model"),
    "knots and values of unlike number": (edited(*FLOOR, "age", "knots", to=[0]), "lengths of law, floors 0, age"),
    "knots that fall": (edited(*FLOOR, "age", "knots", to=[2, 1]), "knots of law, floors 0, age"),
    "a table without end": (edited(*FLOOR, "age", "knots", to=[0, 10**5]), "rising whole numbers from 0 to 1000"),
    "floors without end": (edited("law", "floors", to=[FLOORS] * 13), "floors of law is 13; allowed is 1 to 12"),
    "rows covered out of order": (edited("covered", to=[[7, 0, 30], [1, 2, 25]]), "in the order of the cubes thrown"),
    "a row covered in words": (edited("covered", to=[["7", 0, 30]]), "a number of covered is '7'"),
    "a kind that is a list": (edited("kind", to=[TOWER]), "kind of the surrogate is"),
    "a broken knot": (edited(*FLOOR, "age", "knots", to=[0, 1.5]), "law, floors 0, age, knots of the model is 1.5"),
    "a word for a number": (edited(*FLOOR, "pushed", to="much"), "floors 0, pushed of the model is 'much'"),
    "true for a number": (edited(*FLOOR, "pushed", to=True), "floors 0, pushed of the model is true"),
    "not a number": (edited(*FLOOR, "fresh", "values", 1, to=math.nan), "NaN is no number"),
    "a number out of bounds": (edited(*FLOOR, "pushed", to=1e6), "a number between -1e6 and 1e6"),
    "a number for a list": (edited(*FLOOR, "age", "values", to=1.0), "floors 0, age, values of the model is 1.0"),
}


def test_the_digest_changes_with_every_number_of_the_law():
    groups = product(("arriving", "lying"), ("thrown", "lying", "sd"), ["values"], [0])
    paths: Any = [("pushed",), *groups, *product(("fresh", "age", "crowd"), ["values"], [1])]
    files = [edited(*FLOOR, *path, to=reduce(getitem, path, FLOORS) + 1e-6) for path in paths]
    assert len({SMALL.digest, *(Fitted.from_json(file).digest for file in files)}) == 1 + 10


@each_case("damage", DAMAGES)
def test_a_damaged_file_is_refused_in_one_line_that_names_it(damage: str, tmp_path: Path):
    text, told = DAMAGES[damage]
    path = tmp_path / "model.json"
    path.write_text(text, "utf-8")
    with pytest.raises(UsageError) as caught:
        load_fitted(path)
    line = str(caught.value)
    assert line.startswith(f"surrogate file {str(path)!r}: ")
    assert told in line
    assert "\n" not in line


@pytest.mark.posix
def test_a_file_that_is_not_text_or_no_file_is_refused_in_one_line(tmp_path: Path):
    (tmp_path / "latin.json").write_bytes(b'{"schema": "caf\xe9"}')
    os.mkfifo(tmp_path / "pipe.json")
    for name, why in (
        ("latin.json", "is not UTF-8"),
        ("none.json", "it is not there"),
        ("", "a regular file"),
        ("pipe.json", "a regular file"),
        ("n" * 300 + ".json", "so long a name"),
    ):
        with pytest.raises(UsageError, match=f"surrogate file .*{why}"):
            load_fitted(tmp_path / name)


def test_a_damaged_model_exits_2_with_one_line(tmp_path: Path):
    path, text = tmp_path / "model.json", SHIPPED.to_json()
    of_another = "surrogate was fitted for apparatus 'a tower' (0123456789abcdef)"
    files = {"is not JSON": text[: len(text) // 2], "version 2": edited("version", to=2), of_another: SMALL.to_json()}
    for message, bad in files.items():
        path.write_text(bad, "utf-8")
        assert message in refusal("play", "amerigo", "--model", str(path))


@given(st.integers(0, len(SMALL.to_json()) - 1), st.characters(min_codepoint=32, max_codepoint=126))
@settings(max_examples=200, deadline=None)
def test_one_wrong_character_is_noticed(at: int, character: str):
    text = SMALL.to_json()
    changed = text[:at] + character + text[at + 1 :]
    if json_of(changed) == json.loads(text):  # a space for a line's end, or the same character
        assert Fitted.from_json(changed) == SMALL
    else:
        with pytest.raises(UsageError, match=r"^[^\n]+$"):
            Fitted.from_json(changed)


def json_of(text: str) -> object:
    """What a text says as JSON, or None if it is none."""
    try:
        return json.loads(text)
    except ValueError:
        return None

"""The sampler in Lua, PHP and Java: what their own interpreters draw is what Python draws, cube by cube."""

from __future__ import annotations

import hashlib
import json
import re
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.portable import EXPECTED, MADE_UP, ODD_RULES, SEED, VECTORS, made_up, model_of
from support.tongues import Asked, Tongue, asked

from tower_sim import cli
from tower_sim.clients import tongues
from tower_sim.clients.write import export_command
from tower_sim.errors import UsageError
from tower_sim.games.amerigo import Rules
from tower_sim.games.amerigo.many import sample_games
from tower_sim.surrogate import export
from tower_sim.surrogate.generator import WordStream
from tower_sim.surrogate.model import SurrogateModel
from tower_sim.surrogate.store import fitted_or_shipped
from tower_sim.surrogate.table import OUT, WORD, Resting, move

pytestmark = pytest.mark.ports

ROOT = Path(__file__).parent.parent
TONGUES = [
    Tongue("lua", "lua5.2", "lua5.2"),
    Tongue("lua", "lua5.4", "lua5.4"),
    Tongue("php", "php", "php-cli", ("-d", "error_reporting=-1", "-d", "display_errors=1")),
    Tongue("java", "java", "default-jdk-headless", ("-XX:TieredStopAtLevel=1", "-Xshare:auto")),
]
each_tongue = pytest.mark.parametrize("tongue", TONGUES, ids=lambda tongue: tongue.interpreter)


@pytest.fixture(scope="module")
def model() -> SurrogateModel:
    return model_of("amerigo")


@pytest.fixture(scope="module")
def samplers(model: SurrogateModel, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Samplers by language and table, each made once: `made_up` that of the stored vectors, `amerigo` the shipped."""
    made: dict[tuple[str, str], Asked] = {}

    def sampler(tongue: Tongue, name: str) -> Asked:
        if (tongue.interpreter, name) not in made:
            document = MADE_UP if name == "made_up" else export.document(model.fitted)
            folder = tmp_path_factory.mktemp(f"{tongue.interpreter}_{name}")
            made[tongue.interpreter, name] = asked(tongue, document, folder)
        return made[tongue.interpreter, name]

    return sampler


# What is drawn


@each_tongue
def test_the_words_are_the_generators_also_when_it_is_saved_and_resumed(samplers: Any, tongue: Tongue):
    pairs: list[tuple[export.Seed, int]] = [
        (SEED, 3),
        ((0, 0, 0, 0), 0),
        ((WORD - 1, WORD - 1, WORD - 1, WORD - 1), WORD - 1),
        ((1, 2, 3, 4), WORD + 5),
    ]
    for seed, stream in pairs:
        found = [int(line) for line in samplers(tongue, "made_up")("words", *seed, stream)]
        assert found == list(islice(iter(WordStream(seed, stream), None), 1000))


@each_tongue
def test_the_stored_vectors_are_matched(samplers: Any, tongue: Tongue):
    stored = (VECTORS / "vectors.jsonl").read_text("utf-8").splitlines()
    assert samplers(tongue, "made_up")("vectors", *SEED, len(stored)) == stored


@pytest.mark.parametrize(
    "tongue",
    [pytest.param(each, marks=[pytest.mark.long] if each.interpreter == "lua5.2" else []) for each in TONGUES],
    ids=lambda tongue: tongue.interpreter,
)
def test_all_ten_thousand_vectors_are_matched(samplers: Any, tongue: Tongue):
    """Of two Luas, which run the same file, one by default."""
    assert EXPECTED["vectors"] == 10_000
    lines = samplers(tongue, "made_up")("vectors", *SEED, EXPECTED["vectors"])
    assert hashlib.sha256("".join(f"{line}\n" for line in lines).encode()).hexdigest() == EXPECTED["sha256"]


def test_lua_needs_no_library_of_bits(samplers: Any):
    """As some hosts have none; 5.4 has none, 5.2 is kept from it."""
    without = samplers(TONGUES[0], "made_up")("vectors", *SEED, 200, options=("-e", "bit32 = nil"))
    assert without == (VECTORS / "vectors.jsonl").read_text("utf-8").splitlines()


@each_tongue
def test_whole_games_are_those_of_sample_games(samplers: Any, tongue: Tongue, model: SurrogateModel):
    a, b, c, d = (int(word) for word in np.random.SeedSequence(2026).generate_state(4))
    found = [json.loads(line) for line in samplers(tongue, "amerigo")("games", a, b, c, d, 25)]
    assert len(found) == 50
    for rules, games in ((Rules(), found[:25]), (ODD_RULES, found[25:])):
        played = sample_games(model, rules, 25, 2026)
        for kind in ("thrown", "emerged", "inside"):
            assert [game[kind] for game in games] == getattr(played, kind).tolist()


@each_tongue
@pytest.mark.parametrize("name", ["made_up", "amerigo"])
def test_a_drop_says_where_every_cube_is_and_what_carries_over(
    samplers: Any, model: SurrogateModel, tongue: Tongue, name: str
):
    table = made_up() if name == "made_up" else model.table
    first, second, third = json.loads(samplers(tongue, name)("scene", *SEED)[0])
    word = WordStream(SEED)
    places = [*(f"inside:{region}" for region in table.regions), "tray"]
    ends = move(table, [None] * 60, word)
    cubes = [{"id": i, "colour": "red"} for i in range(60)]
    assert first["landings"] == [{**cube, "floor": e, "place": places[e]} for cube, e in zip(cubes, ends, strict=True)]
    assert first["emerged"] == [cube for cube, end in zip(cubes, ends, strict=True) if end == OUT]
    inside = [
        {**cube, "floor": end, "since": 4, "inCrowd": True} for cube, end in zip(cubes, ends, strict=True) if end != OUT
    ]
    assert inside
    assert first["state"] == {"drops": 5, "cubes": inside}
    ends = move(table, [*(Resting(end, 1, True) for end in ends if end != OUT), None], word)
    thrown = {"id": 70, "colour": "blue", "since": 5, "inCrowd": False}
    after = [{**cube, "floor": end} for cube, end in zip([*inside, thrown], ends, strict=True)]
    assert [landing["floor"] for landing in second["landings"]] == ends
    assert second["state"] == {"drops": 6, "cubes": [cube for cube in after if cube["floor"] != OUT]}
    assert third["state"] == {"drops": 6, "cubes": inside}  # nothing thrown moves nothing
    assert third["emerged"] == []


@pytest.mark.parametrize("tongue", TONGUES[2:], ids=lambda tongue: tongue.interpreter)
def test_what_one_language_saved_another_goes_on_with(samplers: Any, tongue: Tongue):
    saved, sampler = samplers(TONGUES[0], "amerigo")("saved", *SEED), samplers(tongue, "amerigo")
    (sampler.folder / "saved.json").write_text("\n".join(saved), "utf-8")
    assert json.loads(sampler("carried")[0]) == json.loads(sampler("scene", *SEED)[0])[1]


@each_tongue
def test_the_hosts_own_generator_throws_the_cubes(samplers: Any, tongue: Tongue):
    (inside,) = samplers(tongue, "amerigo")("host", *SEED, 50)
    assert 8 * 50 < int(inside) < 30 * 50  # some 18 of 49 stay


# What is not allowed


@each_tongue
def test_what_no_drop_can_begin_with_is_told_in_one_line_that_says_where_and_what_is_allowed(
    samplers: Any, tongue: Tongue
):
    lines = samplers(tongue, "made_up")("refused")
    assert len(lines) > 30
    for line in lines:
        told, _, message = line.partition("\t")
        assert told in message, line
        assert "; allowed is " in message, line


@pytest.mark.parametrize(
    "tongue", [each for each in TONGUES if each.to != "java"], ids=lambda tongue: tongue.interpreter
)
def test_whatever_it_is_given_ends_in_an_answer_or_an_error_that_says_what_is_allowed(samplers: Any, tongue: Tongue):
    """27 odd values in each of 49 places; Java's compiler refuses most of them."""
    *wrong, counts = samplers(tongue, "made_up")("garbage")
    assert wrong == []
    calls, answered = map(int, counts.split())
    assert calls == 27 * 49
    assert 50 < answered < 300


@pytest.mark.parametrize("to", tongues.FORMATS)
def test_a_board_has_no_table_for_these_languages(to: str, tmp_path: Path):
    with pytest.raises(
        UsageError, match=rf"^what to export to {to} is 'dead_reckoning'; allowed is a tower.*js or json"
    ):
        export_command("dead_reckoning", to, tmp_path / "CubeTower.java")
    assert [*tmp_path.iterdir()] == []


@each_tongue
def test_names_of_the_table_may_have_any_letters(tongue: Tongue, tmp_path: Path):
    """They are read back as they were: quotes, backslashes, line breaks, what lies beyond 16 bits."""
    odd = ['a"b', "c'd\\", "e\nf", "$g {h} %s", "ü→𝄞", "?>", "]]--", "\\u0022", "*/"]
    plain = json.loads(json.dumps(MADE_UP))
    plain["table"]["regions"] = odd[:3]
    plain["apparatus"] = "".join(odd)
    sampler = asked(tongue, plain, tmp_path)
    found = json.loads(sampler("names")[0])
    assert found == [plain["apparatus"], *odd[:3]]


# The documentation


@each_tongue
def test_the_use_that_the_document_shows_runs_as_it_stands(tongue: Tongue, tmp_path: Path):
    tongue.needed()
    text = (ROOT / "docs" / "surrogate_portable.md").read_text("utf-8")
    (command,) = re.findall(rf"`tower-sim (surrogate export amerigo --to {tongue.to} -o (\S+))`", text)
    (code,) = re.findall(rf"```{tongue.to}\n(.*?)```", text, re.S)
    words = command[0].replace(command[1], str(tmp_path / command[1])).split()
    assert cli.main(words) in (None, 0)
    use = tmp_path / {"lua": "use.lua", "php": "use.php", "java": "Use.java"}[tongue.to]
    use.write_text(code, "utf-8")
    if tongue.to == "java":
        javac = Tongue("java", "javac", "default-jdk-headless")
        javac.run("--release", "8", "-Xlint:-options", command[1], "Use.java", at=tmp_path)
        told = tongue.run("-cp", ".", "Use", at=tmp_path)
    else:
        told = tongue.run(use.name, at=tmp_path)
    assert told.splitlines() == ["2 cubes", "3 cubes", "36 drops"]


def test_the_shipped_towers_are_exported_and_the_java_file_bears_the_name_of_its_class(tmp_path: Path):
    plain = export.document(fitted_or_shipped("amerigo-club"))
    for to in tongues.FORMATS:
        made = tongues.text(to, plain, tmp_path / "CubeTower.java")
        assert plain["model"] in made
        assert max(map(len, made.splitlines())) <= 120
    with pytest.raises(UsageError, match=r"allowed is a file called CubeTower.java, after its class"):
        export_command("amerigo", "java", tmp_path / "tower.java")

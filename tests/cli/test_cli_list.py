"""`tower-sim tower list` and `tower-sim completion`: what there is, for people, programs and shells."""

from pathlib import Path

import pytest

from tower_sim import cli
from tower_sim.apparatus import names
from tower_sim.cli.towers import make_document
from tower_sim.models import MODELS
from tower_sim.tools import registry

TOY = Path(__file__).parents[1] / "toy"
SHELLS = ("bash", "zsh", "fish")


def test_the_list_has_all_that_is_registered_each_with_a_plain_sentence_and_its_package():
    document = make_document()
    assert list(document) == ["schema", "version", "apparatus", "games", "engines", "models"]
    for key, group in (("apparatus", "apparatus"), ("games", "game"), ("engines", "engine")):
        assert [entry["name"] for entry in document[key]] == list(registry.names(group))
    assert [entry["name"] for entry in document["models"]] == list(MODELS)
    profiles = [name for entry in document["apparatus"] for name in entry["profiles"]]
    assert sorted(profiles) == names()
    for key in ("apparatus", "games", "engines", "models"):
        for entry in document[key]:
            assert entry["package"] == "tower_sim"
            assert entry["error"] is None
            assert len(entry["about"].split()) > 4
            assert not entry["about"].endswith(".")


def test_the_list_for_people_names_the_same_things(capsys: pytest.CaptureFixture[str]):
    assert cli.main(["tower", "list"]) == 0
    text = capsys.readouterr().out
    document = make_document()
    for key in ("apparatus", "games", "engines", "models"):
        for entry in document[key]:
            assert f"  {entry['name']} " in text
            assert entry["about"] in text
            assert ", ".join(entry.get("accuracies", [])) in text
    assert "from tower_sim" not in text

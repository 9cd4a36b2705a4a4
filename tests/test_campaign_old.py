"""Datasets of versions 1 and 2 of the tables, as they were written then: read, verified, studied, never gone on with.

`datasets/*.zip` were written by the commits that had these versions, with the models named below.
"""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
import pytest
from support.fakes import CoinTower
from support.old import OLD, lay_tower

from tower_sim.campaign import Spec, campaign_run, campaign_status, campaign_verify, parse, run, verify
from tower_sim.campaign.data import Campaign, Words
from tower_sim.campaign.load import load
from tower_sim.campaign.point import Point
from tower_sim.campaign.store import Store
from tower_sim.models import open_model
from tower_sim.study.report import study

DATASETS = Path(__file__).parent / "datasets"


@pytest.fixture(name="old", params=[*OLD])
def _old(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, str]:
    """The directory of an old dataset, and its campaign file."""
    with zipfile.ZipFile(DATASETS / f"{request.param}.zip") as packed:
        packed.extractall(tmp_path / "old")
    lay_tower(tmp_path)
    return tmp_path / "old", OLD[request.param]


def again(text: str, directory: Path, monkeypatch: pytest.MonkeyPatch) -> Spec:
    """Run an old dataset's campaign now; its games were played with a coin that fails half of its draws.

    Its battles were fought with the surrogate that shipped then.
    """
    spec = parse(text, directory.parent)
    with monkeypatch.context() as patched:
        if spec.kind == "game":
            patched.setattr(Point, "open_model", lambda _: CoinTower(failure_rate=0.5))
        elif spec.kind == "battle":
            law = str(DATASETS / "dead_reckoning.json")
            patched.setattr(Point, "open_model", lambda point: open_model(point.apparatus, law))
        run(spec, directory)
    return spec


def arrays(campaign: Campaign) -> dict[str, list[object]]:
    """Everything that a campaign holds, as lists."""
    found: dict[str, list[object]] = {}
    columns = {**vars(campaign.drops), **campaign.facts, **vars(campaign.cubes), **vars(campaign.failed)}
    for name, column in columns.items():
        if name != "facts":
            is_words = isinstance(column, Words)
            found[name] = [(*column.names, None)[i] for i in column.codes] if is_words else np.asarray(column).tolist()
    return found


def test_an_old_dataset_is_whole_and_of_the_same_spec_as_now(old: tuple[Path, str]):
    directory, text = old
    store = Store.read(directory)
    assert store.spec == parse(text, directory.parent)
    assert store.tables == ("drops", "cubes")
    assert campaign_verify(directory) == (f"{directory}: every file is whole", 0)
    assert f"shards: {store.spec.shards} done, 0 missing" in campaign_status(directory)
    (directory / "cubes/00000.parquet").unlink()
    assert verify(directory) == ["cubes/00000.parquet: missing, or no regular file"]


def test_an_old_dataset_holds_what_a_new_one_of_its_campaign_does(
    old: tuple[Path, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    directory, text = old
    spec = again(text, tmp_path / "new", monkeypatch)
    before, now = load(directory), load(tmp_path / "new")
    assert arrays(before) == arrays(now)
    assert set(before.facts) == {column.name for column in spec.game.columns}
    assert before.game is now.game is spec.game
    assert before.run_point.tolist() == now.run_point.tolist()
    if spec.kind == "game":
        assert now.unfinished.any()


@pytest.mark.usefixtures("unpainted_here")
def test_the_study_of_an_old_dataset_has_the_tables_of_a_new_one(
    old: tuple[Path, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    directory, text = old
    again(text, tmp_path / "new", monkeypatch)
    study(directory, tmp_path / "before")
    study(tmp_path / "new", tmp_path / "now")
    tables = sorted(path.name for path in (tmp_path / "before/tables").iterdir())
    assert tables == sorted(path.name for path in (tmp_path / "now/tables").iterdir())
    assert len(tables) > 5
    for name in tables:
        one, other = ((tmp_path / which / "tables" / name).read_text("utf-8") for which in ("before", "now"))
        if name == "campaign.csv":  # tells the versions that made it
            one, other = ("\n".join(x for x in text.splitlines() if "made with" not in x) for text in (one, other))
        assert one == other, name


def test_an_old_dataset_is_not_gone_on_with_and_one_line_says_what_to_do(old: tuple[Path, str], tmp_path: Path):
    directory, text = old
    (tmp_path / "campaign.toml").write_text(text, "utf-8")
    files = {path: path.read_bytes() for path in directory.rglob("*") if path.is_file()}
    with pytest.raises(ValueError, match=r"tables of version [12].*; allowed is 3.*give another -o") as caught:
        campaign_run(tmp_path / "campaign.toml", directory)
    assert "\n" not in str(caught.value)
    assert {path: path.read_bytes() for path in directory.rglob("*") if path.is_file()} == files

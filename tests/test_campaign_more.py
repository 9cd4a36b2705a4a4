"""More runs for a campaign: the directory is that of a campaign that had them from the start, and nothing is lost."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from support.campaigns import GAMES, tree
from support.cases import each_case

from tower_sim.campaign import growth, parse, run, store, verify
from tower_sim.campaign.store import BEFORE
from tower_sim.errors import UsageError

MORE = GAMES.replace("games = 12", "games = 17")


@pytest.fixture(name="few", scope="module")
def _few(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """12 games in shards of 5, the last of 2."""
    directory = tmp_path_factory.mktemp("few") / "out"
    run(parse(of_fives(GAMES)), directory)
    return directory


@pytest.fixture(name="many", scope="module")
def _many(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    directory = tmp_path_factory.mktemp("many") / "out"
    run(parse(of_fives(MORE)), directory)
    return tree(directory)


def of_fives(text: str) -> str:
    return text.replace("shard = 2", "shard = 5")


def test_a_campaign_given_more_games_is_the_campaign_that_had_them_from_the_start(
    few: Path, many: dict[str, bytes], tmp_path: Path
):
    out = Path(shutil.copytree(few, tmp_path / "out"))
    assert run(parse(of_fives(MORE)), out).finished == (2, 3)  # the shard that had two games only, and the new one
    assert tree(out) == many
    assert verify(out) == []
    assert run(parse(of_fives(MORE)), out).finished == ()


@each_case(
    ("name", "done"),
    [
        ("manifest.json", (2, 3)),
        ("drops/00000.parquet", (2, 3)),
        ("receipts/00000.json", (0, 2, 3)),  # its tables are written already, and not told of
        ("drops/00001.parquet", (2, 3)),
        (BEFORE, (2, 3)),
    ],
)
def test_killed_while_it_is_given_more_games_it_ends_as_if_it_had_not_been(
    name: str, done: tuple[int, ...], few: Path, many: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """The process ends before a file is written, or before what tells of the smaller campaign is taken away."""
    out = Path(shutil.copytree(few, tmp_path / "out"))
    write, remove = store.write, growth.remove

    def killed(path: Path, *data: bytes) -> None:
        if path == out / name and (data or name == BEFORE) and (name != BEFORE or not data):
            raise KeyboardInterrupt
        (write if data else remove)(path, *data)

    with monkeypatch.context() as patch:
        patch.setattr(store, "write", killed)
        patch.setattr(growth, "remove", killed)
        with pytest.raises(KeyboardInterrupt):
            run(parse(of_fives(MORE)), out)
    assert (out / BEFORE).exists()
    assert run(parse(of_fives(MORE)), out).finished == done
    assert tree(out) == many


def test_fewer_games_other_rules_and_several_points_are_another_campaign(few: Path, tmp_path: Path):
    out = Path(shutil.copytree(few, tmp_path / "out"))
    before = tree(out)
    for text in (
        GAMES.replace("= 12", "= 11"),
        MORE + "[rules]\ncubes = 6\n",
        MORE.replace('model = "two_thirds"', ""),
    ):
        with pytest.raises(UsageError, match=r"holds another campaign .* also with more runs"):
            run(parse(of_fives(text)), out)
    assert tree(out) == before
    varied = '[vary.fields]\n"rules.cubes" = [6, 7]\n'
    small = GAMES.replace("games = 12", "games = 2")
    run(parse(small + varied), tmp_path / "two")
    with pytest.raises(UsageError, match="holds another campaign"):
        run(parse(GAMES + varied), tmp_path / "two")


def test_damage_is_not_kept(few: Path, many: dict[str, bytes], tmp_path: Path):
    out = Path(shutil.copytree(few, tmp_path / "out"))
    table = out / "drops" / "00001.parquet"
    table.write_bytes(table.read_bytes()[:-50])
    assert run(parse(of_fives(MORE)), out).finished == (1, 2, 3)
    assert tree(out) == many


def test_a_directory_goes_on_with_the_shards_it_was_planned_with(few: Path, many: dict[str, bytes], tmp_path: Path):
    """A file that names no shard had others under an older version."""
    out = Path(shutil.copytree(few, tmp_path / "out"))
    unsaid = GAMES.replace("shard = 2\n", "")
    assert parse(unsaid).shard == 500
    assert run(parse(unsaid), out).finished == ()
    assert tree(out) == tree(few)
    run(parse(unsaid.replace("= 12", "= 17")), out)
    assert tree(out) == many


def test_shards_are_of_a_nominal_time_whatever_the_model():
    """20,000 games of a surrogate are 40 shards, not 2000; fewer runs where a worker could not hold their rows."""
    unsaid = GAMES.replace("shard = 2\n", "").replace("games = 12", "games = 20000")
    assert [parse(unsaid.replace("two_thirds", model)).shards for model in ("physics", "surrogate")] == [2000, 40]
    chains = '[campaign]\nkind = "chain"\napparatus = "amerigo"\nmodel = "two_thirds"\nchains = 1000\nseed = "1"\n'
    spec = parse(chains + "[chain]\nsupply = 400\ndrops = 400\n")
    assert spec.shard == 5_000_000 // (400 * 400)

"""The surrogate that `calibrate` fits lies beside the profile, and everything that is fast finds it there."""

from pathlib import Path

import pytest

from tower_sim import open_model
from tower_sim.apparatus.catalogue import load, shipped
from tower_sim.calibration.stand_in import StandIn, stand_in
from tower_sim.campaign import parse, run
from tower_sim.cli import main
from tower_sim.errors import UsageError
from tower_sim.service.opened import Opened
from tower_sim.surrogate.store import beside, fitted_or_shipped, load_fitted

pytestmark = pytest.mark.whole


@pytest.fixture(name="profile", scope="module")
def _profile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The shipped tower as a file of one's own."""
    file = tmp_path_factory.mktemp("mine") / "mine.toml"
    file.write_text(shipped()["amerigo"], "utf-8")
    return file


@pytest.fixture(name="made", scope="module")
def _made(profile: Path) -> StandIn:
    """Fitted to 40 games of the shipped surrogate, which stand for the tower's."""
    spec = parse('[campaign]\nkind = "game"\napparatus = "amerigo"\nmodel = "surrogate"\ngames = 40\nseed = "1"\n')
    games = profile.parent / "games"
    run(spec, games)
    return stand_in(games, profile, 0)


def test_it_lies_beside_the_profile_and_says_how_good_it_is(made: StandIn, profile: Path):
    assert made.file == beside(profile) == profile.parent / "mine.surrogate.json"
    assert load_fitted(made.file) == made.fitted
    assert made.fitted.apparatus_digest == load(profile).digest
    assert made.checked.games == 12  # 3 of 10
    assert made.words.startswith("Beside 12 simulated games that the surrogate was not fitted to, it keeps ")
    assert made.words.count(" at 95 %") == 2
    assert "12 held-out games" in made.details


def test_play_compare_export_and_the_service_find_it(
    made: StandIn, profile: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    own = load(profile)
    with open_model(own, "surrogate") as model, open_model(own, str(made.file)) as named:
        assert model.name == named.name
        assert model.empty() == named.empty()  # a state names the law
    assert fitted_or_shipped(profile) == made.fitted
    assert main(["play", "amerigo", "--apparatus", str(profile), "--model", "surrogate", "--seed", "1"]) == 0
    (tmp_path / "rules.toml").write_text(f'apparatus = "{profile.as_posix()}"\n')
    assert main(["compare", str(tmp_path / "rules.toml"), "--set", "cubes=6", "--games", "20", "--seed", "1"]) == 0
    assert main(["surrogate", "export", str(profile), "--to", "json", "-o", str(tmp_path / "table.json")]) == 0
    assert "mine" in capsys.readouterr().out
    with Opened() as opened:
        first = opened.model(str(profile), "surrogate")
        assert opened.model(str(profile), "surrogate") is first
        assert first.empty() != opened.model("amerigo", "surrogate").empty()


def test_one_of_another_tower_is_refused_in_a_line_and_without_one_the_shipped_is_asked(made: StandIn, tmp_path: Path):
    changed = tmp_path / "mine.toml"
    changed.write_text(shipped()["amerigo"].replace("restitution = 0.", "restitution = 0.0", 1), "utf-8")
    with pytest.raises(UsageError, match="apparatus is 'mine'; allowed is one with a surrogate"):
        open_model(load(changed), "surrogate")
    beside(changed).write_bytes(made.file.read_bytes())
    with pytest.raises(
        UsageError, match=r"mine\.surrogate\.json' was fitted for another mine .* has changed; fit it"
    ) as no:
        open_model(load(changed), "surrogate")
    assert "\n" not in str(no.value)


def test_the_file_is_no_part_of_what_a_tower_is(profile: Path):
    own = load(profile)
    assert own.file == profile
    assert load("amerigo").file is None
    assert own.digest == load("amerigo").digest

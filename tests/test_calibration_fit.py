"""The fit: summaries, emulator and posterior against what they must be, by enumeration or by construction."""

from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel
from support.cases import each_case
from support.recorded import Line

from tests.measure.design import prior_points, save, side_by_side
from tests.measure.renew import FITTED, PROFILES
from tower_sim.apparatus.amerigo.tower import SquareTower
from tower_sim.apparatus.catalogue import load as load_apparatus
from tower_sim.apparatus.catalogue import parse as parse_profile
from tower_sim.apparatus.sheets import between
from tower_sim.calibration import summaries
from tower_sim.calibration.design import Design, shipped
from tower_sim.calibration.emulator import Emulator, shipped_kernels
from tower_sim.calibration.evidence import Evidence, of_observation, of_records, read
from tower_sim.calibration.evidence import shipped as shipped_evidence
from tower_sim.calibration.fit import TARGETS, TOLD, Discrepancy, fit
from tower_sim.calibration.observations import observations
from tower_sim.calibration.parameters import (
    FEATURES,
    NUMBERS,
    TOWER,
    campaign_text,
    features,
    fields,
    profile_text,
    readings,
    values,
)
from tower_sim.calibration.records import Record
from tower_sim.calibration.summaries import (
    DROPS,
    EVERY,
    SETUP,
    SUMMARIES,
    WHOLE,
    Window,
    from_campaign,
    from_records,
    game_counts,
    windows,
)
from tower_sim.campaign import parse, run
from tower_sim.campaign.reader import load
from tower_sim.errors import UsageError
from tower_sim.games.amerigo import Rules, play
from tower_sim.surrogate.two_thirds import TwoThirdsRule

COLOURS = list(Rules().colours)


def recorded(seed: int, drops: int = DROPS, game: int = 1) -> list[Record]:
    """A game of the 2/3-1/3 rule, as an owner records it."""
    entries = list(play(TwoThirdsRule(load_apparatus("amerigo")), Rules(), seed))[:drops]
    return [Record(e.index, dict(e.thrown), dict(e.emerged), dict(e.inside), game) for e in entries]


# --- parameters ---------------------------------------------------------------------------------------------------


def prior_and_corners() -> np.ndarray:
    """2,000 points of the prior, of which every second has most coordinates at an end."""
    rng = np.random.default_rng(5)
    unit = rng.random((2000, len(NUMBERS)))
    ends = rng.integers(2, size=unit.shape).astype(float)
    unit[::2] = np.where(rng.random(unit[::2].shape) < 0.8, ends[::2], unit[::2])
    return unit


@pytest.mark.whole
def test_every_point_of_the_prior_is_a_tower_and_its_profile_says_the_same():
    unit = prior_and_corners()
    for point in unit.tolist():
        tower = parse_profile(profile_text(point, ["a tower"], {"friction": "fitted"}), "point")
        assert tower.rim_top < 0.429 - 0.05  # the longest side of the game's box, and something to stand on
        for name, value in fields(point).items():
            inner = tower.profile
            for word in name.removeprefix("profile.").split("."):
                inner = inner[word]
            assert inner == value
    middle = (0.5,) * len(NUMBERS)
    assert parse(campaign_text([middle], 2, 1)).points[0] == fields(middle)


def test_floors_have_openings_that_cubes_pass_bars_and_ledges_that_fill_the_tube():
    for point in prior_and_corners()[:500].tolist():
        tower = cast("SquareTower", parse_profile(profile_text(point, [], {}), "point")).given
        edge, inside = tower.cubes.edge, tower.tube.inside
        for floor in tower.floors.values():
            holes = floor.cut(inside)
            narrowest = min(min(x1 - x0, y1 - y0) for x0, x1, y0, y1 in holes) / edge
            assert narrowest > 1.3 - 1e-3
            bars = [(high - low) / edge for low, high in between(floor.across(inside), inside)]
            inner = bars[1:-1] if floor.ledge else bars
            assert len(inner) == floor.openings - 1
            assert all(0.499 < bar < 3.001 for bar in inner)


def test_numbers_and_features_stay_within_their_limits_and_say_what_the_profile_has():
    unit = prior_and_corners()
    read, seen = readings(unit), features(unit)
    low, high = (np.array([getattr(number, end) for number in NUMBERS]) for end in ("low", "high"))
    assert (read > low - 1e-9).all()
    assert (read < high + 1e-9).all()
    assert seen.shape == (2000, len(FEATURES))
    assert (seen > -1e-9).all()
    assert (seen < 1.5).all()
    for point, numbers in zip(unit[:50].tolist(), read[:50], strict=True):
        assert list(values(point).values()) == pytest.approx(numbers.tolist())
        set_to, own = fields(point), values(point)
        assert set_to["profile.upper_floor.openings"] == own["upper_openings"]
        assert set_to["profile.lower_floor.opening_mm"] == pytest.approx(own["lower_opening"] * own["edge"], abs=0.01)
        assert set_to["profile.surfaces.cube.friction"] == pytest.approx(own["friction"], abs=1e-4)
        assert (set_to["profile.upper_floor.rows"] == 2) == (own["grid"] in (1, 3))
        assert (set_to["profile.lower_floor.rows"] == 2) == (own["grid"] in (2, 3))


def test_every_known_value_of_the_tower_names_its_source_and_fitted_profiles_say_the_same():
    """Whoever reads a profile sees where each [K] is from; `profile_text` takes these comments from base.toml."""
    tower = TOWER.read_text("utf-8").splitlines()
    first = tower.index('schema = "tower-sim/apparatus"')
    known = [line.partition("[K]")[2] for line in tower[first:] if "[K]" in line]
    assert len(known) == 5
    assert all(words.startswith(" gamesfanatic.pl: ") for words in known)
    sources = [line for line in tower[:first] if not line.startswith("# The ")]
    assert sources[0].startswith("# Sources of [K]: gamesfanatic.pl, ")
    written = profile_text([0.5] * len(NUMBERS), ["The tower, fitted."], {}).splitlines()
    for profile in (written, *((PROFILES / f"{name}.toml").read_text("utf-8").splitlines() for name in FITTED)):
        assert sources == profile[profile.index(sources[0]) : profile.index(tower[first])]
        assert [line.partition("[K]")[2] for line in profile if " [K] " in line][-5:] == known


def test_the_points_of_the_prior_are_always_the_same_and_go_on():
    assert prior_points(8)[:4] == prior_points(4)
    assert values([0.5] * len(NUMBERS))["friction"] == pytest.approx((0.2 + 0.577) / 2)


# --- summaries ----------------------------------------------------------------------------------------------------


def test_a_campaign_and_the_records_of_its_games_give_the_same_summaries(tmp_path: Path):
    text = '[campaign]\nkind = "game"\napparatus = "amerigo"\nmodel = "two_thirds"\ngames = 3\nseed = "5"\n'
    spec = parse(text)
    run(spec, tmp_path / "games")
    games = from_campaign(load(tmp_path / "games"), 1, 3)
    for i in range(3):
        (own,) = from_records(recorded(spec.game_seed(i)))
        for window in [*windows(0, DROPS), *windows(5, 20)]:
            assert window.of(own) == pytest.approx(float(window.of(games)[0, i]))
        for name in set(EVERY) - {"old"}:
            assert EVERY[name].of(own) == pytest.approx(float(EVERY[name].of(games)[0, i]), nan_ok=True), name
        known = own.old_out >= 0
        assert known.sum() > 10
        assert (own.old_out[known] == games.old_out[0, i, known]).all()
        assert (own.out - own.own_out <= games.old_out[0, i]).all()


def test_the_colours_thrown_are_followed_by_hand():
    zero = {"red": 0, "blue": 0}
    rows = [
        Record(0, {"red": 3, "blue": 3}, {"red": 1, "blue": 2}, {"red": 2, "blue": 1}),
        Record(1, {"red": 1, "blue": 0}, {"red": 2, "blue": 1}, {"red": 1, "blue": 0}),
        Record(2, zero, zero, {"red": 1, "blue": 0}),
    ]
    (game,) = from_records(rows)
    assert game.own.tolist() == [6, 3, 0]
    assert game.own_out.tolist() == [3, 2, 0]
    assert game.inside.tolist() == [3, 1, 1]


@given(st.floats(0, 49))
def test_scales_go_there_and_back(cubes: float):
    for name in ("setup", "inside", "out", "spread", "turn"):
        each = SUMMARIES[name]
        assert float(each.back(each.scale(cubes))) == pytest.approx(cubes, abs=1e-9)


def test_a_game_that_ends_early_has_no_later_summaries():
    (game,) = from_records(recorded(1, drops=10))
    assert not np.isnan(SETUP.of(game))
    assert not np.isnan(Window("inside", 1, 10).of(game))
    assert np.isnan(WHOLE["inside"].of(game))


# --- evidence -----------------------------------------------------------------------------------------------------


def test_observations_become_evidence_of_their_kind():
    found = {each.name: of_observation(each) for each in observations()}
    assert {"knock", "memory"} <= {name for name, each in found.items() if not each}
    (setup,) = found["rulebook-setup"]
    assert (setup.windows, setup.noise, setup.doubt) == ((SETUP,), "games", 2.0)
    assert SUMMARIES["setup"].back(setup.values[0]) == pytest.approx(21)
    assert [each.windows[0].summary for each in found["club-out"]] == ["out", "spread"]
    assert found["rulebook-phase"][0].noise == "one phase"


def test_records_become_a_game_each_and_equal_games_their_mean():
    rows = [*recorded(1), *recorded(2, game=2), *recorded(3, drops=9, game=3)]
    two, one = of_records(rows, "mine")
    assert (two.games, one.games) == (2, 1)
    parts = [np.array([window.of(game) for window in two.windows]) for game in from_records(rows)[:2]]
    assert two.values == pytest.approx((parts[0] + parts[1]) / 2)
    assert [window.summary for window in one.windows] == ["setup", "inside", "out", "own", "spread", "single", "many"]


def test_half_of_the_drops_can_be_held_out():
    (one,) = of_records(recorded(1), "mine", split=18)
    assert {window.stop for window, held in zip(one.windows, one.held, strict=True) if not held} == {1, 18}
    assert {window.start for window, held in zip(one.windows, one.held, strict=True) if held} == {18}


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([Record(0, {"red": 20}, {"red": 9}, {"red": 11})], "20 cubes in the first drop; allowed is 49"),
        ([*recorded(1), Record(36, dict.fromkeys(COLOURS, 0), dict.fromkeys(COLOURS, 0), {})], "37 drops"),
    ],
)
def test_records_that_the_design_does_not_cover_are_refused(rows: list[Record], said: str):
    with pytest.raises(UsageError, match=said):
        of_records(rows, "mine")


@each_case("name", ["knock", "nothing.txt", "missing"])
def test_what_is_no_evidence_is_refused_in_one_line(name: str):
    with pytest.raises(UsageError) as refused:
        read(name)
    assert "\n" not in str(refused.value)
    assert "allowed" in str(refused.value)


def test_evidence_that_ships_goes_by_its_name():
    assert {"rulebook-setup", "club-out", "my_tower"} <= set(shipped_evidence())
    assert read("rulebook-setup")[0].name == "rulebook-setup"


# --- emulator -----------------------------------------------------------------------------------------------------


def known(points: int, games: int, rng: np.random.Generator) -> tuple[Design, np.ndarray]:
    """A design of made-up towers whose mean share inside is known: it falls with the opening, rises with friction."""
    unit = np.array(prior_points(points))
    seen = dict(zip(FEATURES, features(unit).T, strict=True))
    odds = 2.0 - 4.0 * seen["lower_opening"] + 1.5 * seen["friction"] - 0.5 * seen["lower_openings"]
    share = 1 / (1 + np.exp(-(odds[:, None] + 0.2 * rng.normal(size=(points, games)))))
    inside = rng.binomial(49, share[..., None], (*share.shape, DROPS)).astype(np.int16)
    out = rng.poisson((49 - inside) / 7).astype(np.int16)
    own = np.full_like(out, 7)
    unknown = np.full_like(out, -1)
    counts = game_counts(out, out, inside, own, np.minimum(out, own), unknown, unknown, unknown)
    return Design(unit, counts), odds


def test_the_emulator_knows_points_it_has_not_seen_as_well_as_it_says():
    """Of 60 points, so 90 % +- 4 % within; its misses have a root mean square of 1 +- 0.1."""
    design, _ = known(180, 4, np.random.default_rng(1))
    seen, held = design.take(np.arange(120)), design.take(np.arange(120, 180))
    at = Emulator(seen).at(WHOLE["inside"], held.unit)
    games = WHOLE["inside"].of(held.games)
    z = (games.mean(1) - at.mean) / np.hypot(at.error, at.games / 2)
    assert 0.7 < np.sqrt(np.mean(z**2)) < 1.35
    assert np.mean(np.abs(z) < 1.645) > 0.78
    assert 1 - np.var(games.mean(1) - at.mean) / np.var(games.mean(1)) > 0.95
    assert np.median(at.games) == pytest.approx(np.median(games.std(1, ddof=1)), rel=0.35)


def test_kernels_can_be_kept():
    design, _ = known(36, 3, np.random.default_rng(2))
    first = Emulator(design)
    at = first.at(WHOLE["setup"], design.unit)
    again = Emulator(design, first.kernels).at(WHOLE["setup"], design.unit)
    assert np.allclose(at.mean, again.mean, atol=1e-4)
    assert set(first.kernels) == {f"{name} {moment}" for name in ("setup", "inside") for moment in ("mean", "spread")}


def test_predictions_are_those_of_the_library():
    design, _ = known(36, 3, np.random.default_rng(4))
    emulator = Emulator(design)
    emulator.at(WHOLE["inside"], design.unit)
    process, centre, scale = emulator._fit(WHOLE["inside"], "mean")
    _, seen, values, noise = emulator._data(WHOLE["inside"], "mean")
    of = process.kernel
    matern: Any = Matern
    kernel = ConstantKernel(of.variance) * matern(of.lengths, nu=2.5) + WhiteKernel(of.nugget)
    regressor: Any = GaussianProcessRegressor
    process = regressor(kernel, alpha=np.maximum(noise / scale**2, 1e-8), optimizer=None)
    process.fit(seen, (values - centre) / scale)
    x = features(np.random.default_rng(5).random((2500, len(NUMBERS))))
    mean, sd = process.predict(x, return_std=True)
    own, error = emulator._predict(WHOLE["inside"], "mean", x)
    assert own == pytest.approx(centre + scale * mean, abs=1e-9)
    assert error == pytest.approx(scale * sd, rel=1e-6)


def test_games_enough_are_demanded():
    design, _ = known(12, 1, np.random.default_rng(3))
    with pytest.raises(UsageError, match="two games or more = 0"):
        Emulator(design).at(SETUP, design.unit)


def test_the_design_that_ships_has_its_kernels_and_can_be_saved(tmp_path: Path):
    design = shipped()
    assert len(design.unit) >= 1000
    assert [tuple(x) for x in design.unit] == prior_points(len(design.unit))
    whole = design.games.thrown[..., -1] >= 0
    assert whole.mean() > 0.95
    assert ((design.games.inside[..., 0] + design.games.out[..., 0])[whole] == 49).all()
    save(design, tmp_path / "again.npz")
    others = {"most_inside", "share_out", "actions", "action_points", "gold", "gold_with_token"}  # found when asked for
    assert {name.split()[0] for name in shipped_kernels()} == {*EVERY, "turn"} - others


def test_parts_of_a_design_have_their_games_side_by_side():
    (one, _), (other, _) = (known(3, games, np.random.default_rng(games)) for games in (2, 4))
    both = side_by_side([one, other])
    assert both.games.inside.shape == (3, 6, DROPS)
    assert (both.games.out[:, :2] == one.games.out).all()
    assert (both.games.out[:, 2:] == other.games.out).all()


# --- fit ----------------------------------------------------------------------------------------------------------


def setup_seen(cubes: float, games: int = 1) -> Evidence:
    value = float(SUMMARIES["setup"].scale(cubes))
    return Evidence("seen", "", "", "measurement", (SETUP,), (value,), games=games)


def test_the_posterior_is_the_one_that_a_grid_gives():
    """One number matters, its prior is uniform, all else is normal: enumerate it. 4,000 draws: se of a mean 0.003."""
    none = Discrepancy(setup=0.2)
    found = fit(Line(0.1), [setup_seen(20)], np.random.default_rng(1), none)  # type: ignore[arg-type]
    x = np.linspace(0, 1, 20001)
    sd = np.sqrt(0.3**2 + 0.1**2 + 0.2**2)
    weight = norm.pdf(setup_seen(20).values[0], 1 - 4 * x, sd)
    weight /= weight.sum()
    mean = float((weight * x).sum())
    assert found.posterior.unit[:, 0].mean() == pytest.approx(mean, abs=0.012)
    assert found.posterior.unit[:, 0].std() == pytest.approx(float(np.sqrt((weight * (x - mean) ** 2).sum())), abs=0.01)
    assert np.quantile(found.posterior.unit[:, 1], 0.5) == pytest.approx(0.5, abs=0.05)
    assert found.posterior.effective < found.prior.effective


def test_what_is_wrong_with_the_simulation_is_the_same_for_evidence_and_prediction():
    """Many games of one tower: its own long-run mean is known, however wrong the simulation may be."""
    much = Discrepancy(setup=0.6, inside=0.6)
    found = fit(Line(), [setup_seen(20, games=400)], np.random.default_rng(1), much)  # type: ignore[arg-type]
    setup, inside = found.posterior.itself("setup"), found.posterior.itself("inside")
    assert setup.low < 20 < setup.high
    assert setup.width < 1.5
    assert inside.width > 5 * setup.width
    assert set(found.posterior.targets) == {*TARGETS, *TOLD}


def test_intervals_cover_towers_made_by_the_same_law():
    """100 towers: 90 % +- 3 %; the region of 95 % is 84 to 95."""
    rng = np.random.default_rng(4)
    wrong, inside = Discrepancy(setup=0.2), 0
    for _ in range(100):
        truth = 1 - 4 * rng.random() + 0.2 * rng.normal()
        seen = summaries.expit(truth + 0.3 * rng.normal())
        found = fit(Line(), [setup_seen(float(seen))], rng, wrong, sample=256, checks=False)  # type: ignore[arg-type]
        at = found.posterior.itself("setup")
        inside += at.low < float(summaries.expit(truth)) < at.high
    assert 84 <= inside <= 95


def test_held_out_is_predicted_from_the_rest_only():
    law = Line()
    both = [setup_seen(20, 50), Evidence("other", "", "", "measurement", (WHOLE["inside"],), (-3.0,), games=50)]
    found = fit(law, both, np.random.default_rng(1))  # type: ignore[arg-type]
    alone = fit(law, both[:1], np.random.default_rng(1))  # type: ignore[arg-type]
    held = {check.name: check for check in found.held_out}
    assert held["other"].predicted.middle == pytest.approx(alone.posterior.interval("inside").middle, abs=0.5)
    assert held["other"].tail < 0.05
    assert found.predictive[0].observed == pytest.approx(20)


def test_a_prediction_of_the_evidence_is_of_other_games():
    """As wide as the noise of a game at least: of 1,000 games of noise 0.3 the mean is known, the next game is not."""
    one = fit(Line(), [setup_seen(20)], np.random.default_rng(1))  # type: ignore[arg-type]
    at = one.predictive[0].predicted
    low, high = (float(summaries.expit(summaries.logit(20.0) + 1.645 * 0.3 * sign)) for sign in (-1, 1))
    assert at.low < low
    assert at.high > high


def test_the_discrepancy_of_what_comes_out_follows_from_what_stays():
    names = ["setup", "inside", "out", "own", "spread"]
    for cubes in (1.0, 20.0, 45.0):
        found = Discrepancy().covariance(names, np.array([cubes]), np.zeros((1, 5)))[0]
        assert np.linalg.eigvalsh(found).min() > -1e-12
        assert found[1, 2] == pytest.approx(-(cubes / 49) * found[1, 1])
        assert found[0, 1] == pytest.approx(0.85 * 0.17 * 0.42)
        assert np.sqrt(np.diag(found)[:2]) == pytest.approx([0.17, 0.42])

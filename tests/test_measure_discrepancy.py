"""How far other physics moves towers is found beyond what their games explain, and on the towers that are said."""

import numpy as np
import pytest

from tests.measure.discrepancy import BINS, SETTINGS, differences, moved, text, towers
from tower_sim.calibration import design
from tower_sim.calibration.summaries import WHOLE, expit
from tower_sim.campaign import parse


@pytest.mark.parametrize("sd", [0.0, 0.3])
def test_what_moves_towers_is_told_from_what_games_do(sd: float):
    """4,000 towers, noise of sd 0.2 to 0.6 that is known of each; the error of the variance is 0.005."""
    rng = np.random.default_rng(1)
    noise = rng.uniform(0.2, 0.6, 4000) ** 2
    found = moved(0.1 + sd * rng.normal(size=4000) + np.sqrt(noise) * rng.normal(size=4000), noise, rng)
    assert found.variance == pytest.approx(sd**2 + 0.1**2, abs=0.02)
    assert found.shift == pytest.approx(0.1, abs=4 * found.se)
    assert f"4000 | {found.shift:+.3f} +- " in str(found)


def test_the_interval_covers_about_as_often_as_it_says():
    """100 samples of 300 towers: of 95 % the region of 99.9 % is 87 to 100; resampling is a little short."""
    rng = np.random.default_rng(2)
    covered = 0
    for _ in range(100):
        found = moved(0.3 * rng.normal(size=300) + 0.4 * rng.normal(size=300), np.full(300, 0.16), rng)
        covered += found.low < 0.09 < found.high
    assert 87 <= covered <= 99


def test_fewer_towers_are_among_more_and_lie_in_every_bin():
    few, more = towers(24), towers(96)
    assert set(few) < set(more)
    shipped = design.shipped()
    rows = [shipped.unit.tolist().index(list(tower)) for tower in more]
    inside = expit(WHOLE["inside"].of(shipped.games.take(rows)).mean(1))
    assert np.histogram(inside, BINS)[0].tolist() == [32, 32, 32]


def test_the_campaigns_differ_in_their_settings_only():
    (tower,) = towers(3)[:1]
    specs = {name: parse(text([tower], 2, settings)) for name, settings in SETTINGS.items()}
    assert {spec.seed for spec in specs.values()} == {20261122}
    assert len({str(spec.profile) for spec in specs.values()}) == 1
    for name, settings in SETTINGS.items():
        assert dict(specs[name].settings) == settings.table()


def test_differences_are_of_towers_that_tell_the_summary():
    some = design.shipped().take(np.arange(40))
    off, noise, known = differences("single", some, some)
    assert known.sum() == len(off) == len(noise)
    assert (off == 0).all()
    assert (noise >= 0).all()

"""The pictures of a swept report: nothing hidden, every curve named, each mark one point."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support.pictures import faults

from tower_sim.statistics import Estimates
from tower_sim.study import plots_sweep
from tower_sim.study.points import Varied
from tower_sim.study.sensitivity import smooth
from tower_sim.study.sweeps import SweptCurve

pytestmark = pytest.mark.pictures

RNG = np.random.default_rng(1)


def numbers(name: str, values: Any) -> Varied:
    values = np.asarray(values, float)
    return Varied(name, True, values, tuple(f"{value:g}" for value in np.unique(values)))


def figures(points: int, count: int = 5, rule: bool = False, half: float = 0.3) -> list[SweptCurve]:
    found: list[SweptCurve] = []
    for i in range(count):
        y = 3 + i + np.sin(np.arange(points)) + RNG.normal(0, 0.1, points)
        beside = y + 1 if rule else None
        found.append(
            SweptCurve(
                "tower",
                f"figure {i}",
                "cubes",
                Estimates(y, y - half, y + half),
                np.full(points, 9),
                np.full(points, half / 2),
                np.full(points, 8),
                beside,
            )
        )
    return found


def drawn() -> dict[str, Any]:
    throws, supplies = np.repeat([3, 7, 14, 28, 49], 3), np.tile([35, 49, 98], 5)
    grid = numbers("chain.throw", throws), numbers("chain.supply", supplies)
    words = Varied("chain.policy", False, np.arange(3.0), ("fixed", "uniform", "cover"))
    x = RNG.random(40) * 20
    lines = [(at := np.linspace(0, 20, 30), smooth(x, figures(40, 1)[0].y.value, at, RNG)), None]
    shares = [Estimates(*(np.full(12, value) for value in (1 / 12, 0.05, 0.1)))] * 5
    means = [Estimates(*(np.linspace(low, 20, 24) for low in (3, 2, 4)))] * 5
    names = [f"opening_mm = {n}.25, gold_divisor = 3" for n in (3, 7, 14, 28, 49)]
    return {
        "one field": plots_sweep.curves(figures(5, rule=True), numbers("x", [3, 7, 14, 28, 49]), None, "x", "9 games"),
        "a family": plots_sweep.curves(figures(15, 7, rule=True), *grid, "chain.throw", "9 chains"),
        "words": plots_sweep.curves(figures(3, 4, rule=True), words, None, "chain.policy", "9 chains"),
        "no intervals": plots_sweep.curves(figures(5, half=np.nan), numbers("x", range(5)), None, "x", "3 games"),
        "contours": plots_sweep.contours(figures(15), *grid),
        "fields": plots_sweep.fields(figures(40, 1)[0], [numbers("a", x), numbers("b", RNG.random(40))], lines),
        "bars": plots_sweep.bars_by_point(shares, names, [90] * 5, "out of a drop [cubes]"),
        "courses": plots_sweep.courses_by_point(means, names, "mean inside [cubes]"),
    }


@pytest.fixture(name="pictures", scope="module")
def _pictures() -> dict[str, Any]:
    return drawn()


def test_nothing_is_hidden_and_every_line_is_named(pictures: dict[str, Any]):
    assert {name: found for name, picture in pictures.items() if (found := faults(picture))} == {}


def test_a_family_names_each_curve_once_and_the_rule(pictures: dict[str, Any]):
    (legend,) = pictures["a family"].legends
    assert [text.get_text() for text in legend.get_texts()] == [
        "chain.supply = 35", "chain.supply = 49", "chain.supply = 98", "2/3-1/3 rule",
    ]  # fmt: skip


def test_words_are_categories_without_a_line_between_them(pictures: dict[str, Any]):
    panel = pictures["words"].axes[0]
    assert [text.get_text() for text in panel.get_xticklabels()] == ["fixed", "uniform", "cover"]
    assert {line.get_linestyle() for line in panel.lines} <= {"None", "none"}


def test_a_point_without_an_interval_is_drawn_bare(pictures: dict[str, Any]):
    for panel in pictures["no intervals"].axes[:5]:
        for bar in panel.collections:
            assert not any(len(part) and np.ptp(np.asarray(part)[:, 1]) > 0 for part in bar.get_segments())

"""The pictures of a swept report: nothing hidden, every curve named, each mark one point."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from support.pictures import faults

from tower_sim.report import charts
from tower_sim.results import Estimates
from tower_sim.studies.retention import swept
from tower_sim.studies.retention.design import SweptCurve, Varied

pytestmark = pytest.mark.slow

RNG = np.random.default_rng(1)


def numbers(name: str, values: Any) -> Varied:
    values = np.asarray(values, float)
    return Varied(name, True, values, tuple(f"{value:g}" for value in np.unique(values)))


def figures(points: int, count: int = 5, rule: bool = False, half: float = 0.3) -> list[SweptCurve]:
    found: list[SweptCurve] = []
    for i in range(count):
        y = 3 + i + np.sin(np.arange(points)) + RNG.normal(0, 0.1, points)
        beside = y + 1 if rule else None
        values, error, runs = Estimates(y, y - half, y + half), np.full(points, half / 2), np.full(points, 8)
        found.append(SweptCurve("tower", f"figure {i}", "cubes", values, error, runs, beside))
    return found


@pytest.fixture(name="pictures", scope="module")
def drawn() -> dict[str, Any]:
    throws, supplies = np.repeat([3, 7, 14, 28, 49], 3), np.tile([35, 49, 98], 5)
    grid = numbers("chain.throw", throws), numbers("chain.supply", supplies)
    words = Varied("chain.policy", False, np.arange(3.0), ("fixed", "uniform", "cover"))

    def against(some: list[SweptCurve], x: Varied, family: Varied | None, name: str) -> Any:
        panels = [swept._against(curve, x, family, name) for curve in some]
        return charts.figure(panels, 1.95, foot=True, head="9 games")

    (curve,) = figures(40, 1)
    fields = [numbers("a", RNG.random(40) * 20), numbers("b", RNG.random(40))]
    campaign: Any = SimpleNamespace(spec={"design": "sobol"}, rng=lambda _: RNG)
    sample = swept.Swept(campaign, [curve], fields, [[field] for field in fields], [], np.arange(40), {})
    return {
        "one field": against(figures(5, rule=True), numbers("x", [3, 7, 14, 28, 49]), None, "x"),
        "a family": against(figures(15, 7, rule=True), *grid, "chain.throw"),
        "words": against(figures(3, 4, rule=True), words, None, "chain.policy"),
        "no intervals": against(figures(5, half=np.nan), numbers("x", range(5)), None, "x"),
        "contours": charts.figure([swept._contours(curve, *grid) for curve in figures(15)], 2.1),
        "fields": swept._against_fields(sample, curve, 0).drawn,
    }


def test_nothing_is_hidden_and_every_line_is_named(pictures: dict[str, Any]):
    assert {name: found for name, picture in pictures.items() if (found := faults(picture))} == {}


def test_a_family_names_each_curve_once_and_the_rule(pictures: dict[str, Any]):
    (legend,) = pictures["a family"].legends
    named = sorted(text.get_text() for text in legend.get_texts())
    assert named == ["2/3-1/3 rule", "chain.supply = 35", "chain.supply = 49", "chain.supply = 98"]


def test_words_are_categories_without_a_line_between_them(pictures: dict[str, Any]):
    panel = pictures["words"].axes[0]
    assert [text.get_text() for text in panel.get_xticklabels()] == ["fixed", "uniform", "cover"]
    assert {line.get_linestyle() for line in panel.lines} <= {"None", "none"}


def test_a_point_without_an_interval_is_drawn_bare(pictures: dict[str, Any]):
    for panel in pictures["no intervals"].axes[:5]:
        for bar in panel.collections:
            assert not any(len(part) and np.ptp(np.asarray(part)[:, 1]) > 0 for part in bar.get_segments())

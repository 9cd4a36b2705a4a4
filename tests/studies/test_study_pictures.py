"""The pictures of a study: nothing is hidden, every line is named, counts are whole, and signs can be seen."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matplotlib.patches import Rectangle
from support.cases import each_case
from support.datasets import coin_games, write, write_battles
from support.pictures import faults

from tower_sim.games.amerigo import Rules
from tower_sim.report import Panel, charts
from tower_sim.report.charts import BEYOND, FEW, beside, cells, has_ratio
from tower_sim.results import Estimate, Estimates
from tower_sim.studies import study

pytestmark = pytest.mark.slow

Pictures = dict[str, Any]


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Pictures]:
    """The figures of four reports by name: 12 games, 3 games (no intervals), 6 games with 1 cube a colour, battles."""
    found: dict[str, Pictures] = {"games": {}, "few": {}, "bare": {}, "battles": {}}
    games = {"games": (12, Rules()), "few": (3, Rules(rounds=2)), "bare": (6, Rules(cubes=1, rounds=2))}
    with pytest.MonkeyPatch.context() as patch:
        for name, made in found.items():
            patch.setattr(charts, "svg", lambda figure, key, caption, made=made: made.update({key: figure}) or "<svg/>")
            folder = tmp_path_factory.mktemp(name)
            if name in games:
                write(folder / "in", *coin_games(*games[name]))
            else:
                write_battles(folder / "in", ["purple"] * 4 + ["green"] * 2, [0] * 6)
            study(folder / "in", folder / "out")
    return found


@pytest.mark.parametrize("name", ["games", "few", "bare", "battles"])
def test_no_picture_of_a_report_hides_anything_or_leaves_a_line_unnamed(reports: Any, name: str):
    wrong = {key: found for key, figure in reports[name].items() if (found := faults(figure))}
    assert wrong == {}
    assert len(reports[name]) >= 4
    if name == "games":
        assert {"setup_inside", "inside_by_drop", "out_of_drop", "thrown_out", "map", "stays", "memory", "fairness",
                "beside_the_rule"} <= {*reports["games"]}  # fmt: skip
        for panel in reports["games"]["stays"].axes:
            assert "2/3-1/3 rule" in [text.get_text() for text in panel.get_legend().get_texts()]


def a_panel() -> tuple[Any, Any]:
    figure = charts.figure([Panel("x", "y", [charts.points([0, 1, 2, 3], [0, 3, 3, 3], "a line")], "n = 4")], 2.5)
    return figure, figure.axes[0]


def test_a_legend_over_data_is_found_and_ours_stands_over_the_panel_with_its_title():
    figure, panel = a_panel()
    assert faults(figure) == {}
    assert panel.get_legend().get_title().get_text() == "n = 4"
    panel.legend(loc="upper right")
    assert faults(figure) == {"hidden_by_legends": ["a line"]}


def test_a_dashed_line_without_a_name_half_a_cube_and_words_on_words_are_found():
    figure, panel = a_panel()
    panel.axhline(1.2, ls="--")
    panel.set_yticks([0, 2.5])
    panel.set_ylabel("mean out [cubes]")
    panel.text(1, 1, "these words")
    panel.text(1, 1.02, "lie on these")
    assert faults(figure) == {
        "overlaps": [("these words", "lie on these")],
        "unnamed": ["mean out [cubes]"],
        "half_counts": ["mean out [cubes]: 2.5"],
    }


@each_case("top", [1, 2, 5, 12.4, 49, 300])
def test_means_of_counts_have_whole_ticks_unless_the_axis_is_short(top: float):
    panel = charts.figure([Panel("x", "y", [], limits=(0, top))]).axes[0]
    ticks = [tick for tick in panel.get_yticks() if 0 <= tick <= top]
    assert len(ticks) >= 3
    assert all(tick == round(tick) for tick in ticks) == (top >= 2)


def test_a_value_without_an_interval_has_no_whiskers():
    bare = np.array([np.nan, 0.5])
    values = Estimates(np.array([1.0, 2.0]), 1 + bare, 2 + bare)
    panel = charts.figure([Panel("x", "y", [charts.points(np.arange(2), values)])]).axes[0]
    (drawn,) = panel.containers
    first, second = drawn[2][0].get_segments()
    assert len(first) == 0
    assert second[:, 1].tolist() == [1.5, 2.5]


def a_map(excess: np.ndarray, few: np.ndarray | None = None, edged: np.ndarray | None = None) -> Any:
    x, y = (np.arange(length + 1) - 0.5 for length in excess.shape)
    return charts.figure([Panel("thrown [cubes]", "inside [cubes]", [cells(x, y, excess, "{:+.1f}", few, edged)])])


def test_more_and_less_are_told_apart_by_colour_and_by_the_sign_of_their_number():
    figure = a_map(np.array([[-2.0, 0.0, 1.0]]))
    less, same, more = figure.axes[0].patches
    assert less.get_facecolor()[2] > less.get_facecolor()[0] + 0.3, "blue"
    assert more.get_facecolor()[0] > more.get_facecolor()[2] + 0.3, "red"
    assert same.get_facecolor()[3] == 0, "the paper"
    assert less.get_facecolor()[3] == 2 * more.get_facecolor()[3]
    assert [text.get_text() for text in figure.axes[0].texts] == ["-2.0", "+0.0", "+1.0"]
    assert faults(figure) == {}


def test_cells_with_few_drops_are_hatched_and_those_that_differ_have_an_edge():
    excess = np.array([[-2.0, 0.05, 0.05]])
    figure = a_map(excess, few=excess == 0.05, edged=excess == -2)
    hatched = [patch for patch in figure.axes[0].patches if isinstance(patch, Rectangle) and patch.get_hatch()]
    assert [patch.get_y() for patch in hatched] == [0.5, 1.5]
    assert {text.get_text() for text in figure.axes[0].get_legend().get_texts()} == {FEW, BEYOND}
    assert faults(figure) == {}


def test_nothing_is_divided_by_a_value_that_may_be_0():
    assert has_ratio(Estimate(0.5, 0.4, 0.6, 9))
    assert has_ratio(Estimate(-0.5, -0.6, -0.4, 9))
    assert not has_ratio(Estimate(0.02, -0.01, 0.05, 9))
    assert not has_ratio(Estimate(0.04, 0.01, 0.07, 9)), "as uncertain as it is large"
    assert not has_ratio(Estimate(0.0, 0.0, 0.0, 9))
    assert has_ratio(Estimate(2.0, float("nan"), float("nan"), 9)), "known, without an interval"
    rows = [
        ("sure", Estimate(9.0, 8.0, 10.0, 9), Estimate(6.0, 5.9, 6.1, 9)),
        ("unsure", Estimate(0.9, 0.8, 1.0, 9), Estimate(0.02, -0.01, 0.05, 9)),
        ("far", Estimate(9.0, 8.0, 10.0, 9), Estimate(1.0, 0.9, 1.1, 9)),
    ]
    figure = charts.figure(*beside(rows, ("this campaign", "2/3-1/3 rule")))
    (panel,) = figure.axes
    points = [tuple(line.get_xydata()[0]) for line in panel.get_lines() if line.get_marker() in ("o", "s")]
    assert sorted(points) == [(1.0, 0.14), (1.5, -0.14)]
    assert [text.get_text() for text in panel.get_yticklabels()] == ["sure"]
    assert faults(figure) == {}

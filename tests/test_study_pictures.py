"""The pictures of a study: nothing is hidden, every line is named, counts are whole, and signs can be seen."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from support.cases import each_case
from support.datasets import coin_games, write, write_battles
from support.pictures import faults

from tower_sim.games.amerigo import Rules
from tower_sim.statistics import Estimate, Estimates
from tower_sim.study import study
from tower_sim.study.plots import SIM, counted, label, legend, panels, whiskers
from tower_sim.study.plots_beside import beside, has_ratio
from tower_sim.study.plots_map import FEW, heat_map
from tower_sim.study.retention import FEWEST, Map
from tower_sim.study.sheets import Sheets

pytestmark = pytest.mark.pictures

Pictures = dict[str, Any]


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Pictures]:
    """The figures of four reports by name: 12 games, 3 games (no intervals), 6 games with 1 cube a colour, battles."""
    found: dict[str, Pictures] = {}
    with pytest.MonkeyPatch.context() as patch:
        for name, games, rules in (
            ("games", 12, Rules()),
            ("few", 3, Rules(rounds=2)),
            ("bare", 6, Rules(cubes=1, rounds=2)),
        ):
            made = found[name] = {}
            patch.setattr(Sheets, "picture", lambda _, key, figure, caption, made=made: made.update({key: figure}))
            folder = tmp_path_factory.mktemp(name)
            write(folder / "in", *coin_games(games, rules))
            study(folder / "in", folder / "out")
        made = found["battles"] = {}
        patch.setattr(Sheets, "picture", lambda _, key, figure, caption, made=made: made.update({key: figure}))
        folder = tmp_path_factory.mktemp("battles")
        write_battles(folder / "in", ["purple"] * 4 + ["green"] * 2, [0] * 6)
        study(folder / "in", folder / "out")
    return found


@pytest.mark.parametrize("name", ["games", "few", "bare", "battles"])
def test_no_picture_of_a_report_hides_anything_or_leaves_a_line_unnamed(reports: Any, name: str):
    wrong = {key: found for key, figure in reports[name].items() if (found := faults(figure))}
    assert wrong == {}
    assert len(reports[name]) >= 4


def test_the_pictures_of_games_are_all_there(reports: dict[str, Pictures]):
    assert {"setup", "inside_by_drop", "out_of_drop", "thrown_and_colours", "map", "stays", "memory", "fairness",
            "beside_the_rule"} <= {*reports["games"]}  # fmt: skip


def test_every_panel_with_the_rules_line_names_it(reports: dict[str, Pictures]):
    for panel in reports["games"]["stays"].axes:
        assert "2/3-1/3 rule" in [text.get_text() for text in panel.get_legend().get_texts()]


# The checks can fail


def a_panel() -> tuple[Any, Any]:
    figure, (panel,) = panels(1, 1, 2.5)
    panel.plot([0, 1, 2, 3], [0, 3, 3, 3], label="a line", **SIM)
    return figure, panel


def test_a_legend_over_data_is_found():
    figure, panel = a_panel()
    panel.legend(loc="upper right")
    assert faults(figure) == {"hidden_by_legends": ["a line"]}
    figure, panel = a_panel()
    label(panel, "x", "y", "n = 4")
    legend(panel)
    assert faults(figure) == {}
    assert panel.get_legend().get_title().get_text() == "n = 4"


def test_a_dashed_line_without_a_name_half_a_cube_and_words_on_words_are_found():
    figure, panel = a_panel()
    panel.axhline(1.2, ls="--")
    panel.set_yticks([0, 2.5])
    label(panel, "x", "mean out [cubes]")
    panel.text(1, 1, "these words")
    panel.text(1, 1.02, "lie on these")
    assert faults(figure) == {
        "overlaps": [("these words", "lie on these")],
        "unnamed": ["mean out [cubes]"],
        "half_counts": ["mean out [cubes]: 2.5"],
    }


@each_case("top", [1, 2, 5, 12.4, 49, 300])
def test_means_of_counts_have_whole_ticks_unless_the_axis_is_short(top: float):
    figure: Any = Figure()
    panel = figure.subplots()
    panel.set_ylim(0, top)
    counted(panel.yaxis)
    ticks = [tick for tick in panel.get_yticks() if 0 <= tick <= top]
    assert len(ticks) >= 3
    assert all(tick == round(tick) for tick in ticks) == (top >= 2)


def test_a_value_without_an_interval_has_no_whiskers():
    _, (panel,) = panels(1, 1, 2.5)
    bare = np.array([np.nan, 0.5])
    whiskers(panel, np.arange(2), Estimates(np.array([1.0, 2.0]), 1 + bare, 2 + bare), SIM)
    (bars,) = panel.containers
    first, second = bars[2][0].get_segments()
    assert len(first) == 0
    assert second[:, 1].tolist() == [1.5, 2.5]


# The map


def a_map(excess: np.ndarray, drops: int = 20) -> Map:
    shape = excess.shape
    spread = np.full(shape, 0.1)
    return Map(
        thrown_edges=np.arange(shape[0] + 1),
        inside_edges=np.arange(shape[1] + 1),
        drops=np.full(shape, drops),
        runs=np.full(shape, drops),
        mean=Estimates(5 + excess, 5 + excess - spread, 5 + excess + spread),
        rule=np.full(shape, 5.0),
        excess=Estimates(excess, excess - spread, excess + spread),
    )


def test_more_and_less_than_the_rule_are_told_apart_by_colour_and_named_on_the_bar():
    figure = heat_map(a_map(np.array([[-2.0, 0.0, 1.0]] * 2)))
    _, right = (axes for axes in figure.axes if axes.get_xlabel() == "thrown [cubes]")
    (mesh,) = right.collections
    less, same, more = (mesh.cmap(mesh.norm(x)) for x in (-1.0, 0.0, 1.0))
    assert less[2] > less[0] + 0.3, "blue"
    assert more[0] > more[2] + 0.3, "red"
    assert min(same[:3]) > 0.95, "white"
    assert mesh.norm.vmin == -mesh.norm.vmax == -2
    bars = [axes.get_xlabel() for axes in figure.axes if axes.get_label() == "<colorbar>"]
    assert bars == ["mean out [cubes]", "mean out minus 2/3-1/3 rule's [cubes]"]
    assert faults(figure) == {}


def test_cells_with_few_drops_are_hatched_and_those_that_differ_have_an_edge():
    figure = heat_map(a_map(np.array([[-2.0, 0.05, 0.05]]), drops=FEWEST))
    right = figure.axes[1]
    edges = np.concatenate([line.get_xydata() for line in right.get_lines()])
    assert edges[:, 1].min() == -0.5
    assert edges[:, 1].max() == 0.5, "around the first cell only"
    few = heat_map(a_map(np.array([[-2.0, 0.05, 0.05]]), drops=FEWEST - 1))
    for panel in few.axes[:2]:
        assert sum(isinstance(patch, Rectangle) and patch.get_hatch() is not None for patch in panel.patches) == 3
        assert [text.get_text() for text in panel.get_legend().get_texts()] == [FEW]
    assert faults(figure) == faults(few) == {}


# Beside the rule


def test_nothing_is_divided_by_a_value_that_may_be_0():
    assert has_ratio(Estimate(0.5, 0.4, 0.6, 9))
    assert has_ratio(Estimate(-0.5, -0.6, -0.4, 9))
    assert not has_ratio(Estimate(0.02, -0.01, 0.05, 9))
    assert not has_ratio(Estimate(0.04, 0.01, 0.07, 9)), "as uncertain as it is large"
    assert not has_ratio(Estimate(0.0, 0.0, 0.0, 9))
    assert has_ratio(Estimate(2.0, float("nan"), float("nan"), 9)), "known, without an interval"
    near_0 = Estimate(0.02, -0.01, 0.05, 9)
    rows = [
        ("sure", "cubes", Estimate(9.0, 8.0, 10.0, 9), Estimate(6.0, 5.9, 6.1, 9)),
        ("unsure", "1", Estimate(0.9, 0.8, 1.0, 9), near_0),
        ("far", "1", Estimate(9.0, 8.0, 10.0, 9), Estimate(1.0, 0.9, 1.1, 9)),
    ]
    figure = beside(rows, ("this campaign", "2/3-1/3 rule"))
    (panel,) = figure.axes
    points = [tuple(line.get_xydata()[0]) for line in panel.get_lines() if line.get_marker() in ("o", "s")]
    assert sorted(points) == [(1.0, 0.14), (1.0, 2.14), (1.5, -0.14)]
    words = [text.get_text() for text in panel.texts]
    assert {"0.90", "0.020", "9"} <= {*words}, (
        "both values of the row without a ratio are told, and how far the far one"
    )
    assert faults(figure) == {}

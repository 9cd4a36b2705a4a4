"""The atlas: figures of towers, indices where the truth is known, and the document beside the table that ships."""

import csv
import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pytest
from pyarrow import parquet

import tower_sim
from tower_sim.apparatus import space
from tower_sim.campaign import parse, run
from tower_sim.campaign.reader import load
from tower_sim.design import atlas, effects, words
from tower_sim.design.features import features
from tower_sim.design.towers import (
    BY_NAME,
    OUTPUTS,
    SHIPPED,
    Towers,
    read_table,
    runs_of,
    table_of,
    towers_of,
    write_table,
)
from tower_sim.errors import UsageError
from tower_sim.gaussian import Matern, fit
from tower_sim.study import sobol

ROOT = Path(__file__).parent.parent
DOC = (ROOT / "docs/atlas.md").read_text("utf-8")
COLUMN = {name: i for i, name in enumerate(effects.COLUMNS)}
COIN = """
[campaign]
kind = "game"
model = "two_thirds"
apparatus = "amerigo"
games = 60
seed = "5"
"""


def towers(number: int, noise: float) -> Towers:
    """Towers that keep as many cubes as `truth` says, give or take `noise`."""
    unit = sobol.points(len(space.NAMES), number, 1)
    value = truth(unit) + np.random.default_rng(2).normal(0, noise, number)
    nothing = np.full(number, np.nan)
    every = {output.name: value for output in OUTPUTS}
    return Towers(np.arange(number), space.values(unit), np.ones(number, int), every, dict.fromkeys(every, nothing))


def truth(unit: np.ndarray) -> np.ndarray:
    """Rise with one number, and with the product of two others about their middle."""
    u = {name: unit[:, i] for name, i in COLUMN.items() if i < unit.shape[1]}
    return 10 * u["lower_opening"] + 16 * (u["tower_friction"] - 0.5) * (u["tube"] - 0.5)


ALONE, TOGETHER = 100 / 12, 256 / 144  # variances of the two terms
SHARE = {"lower_opening": ALONE / (ALONE + TOGETHER), "tube": TOGETHER / (ALONE + TOGETHER)}


@pytest.fixture(scope="module")
def made() -> atlas.AtlasPart:
    return atlas.make(towers(128, 0.3), 0, None, [BY_NAME["inside"]]).parts["inside"]


def test_indices_of_a_known_truth_without_emulator_or_noise():
    found = effects.effects(lambda unit: truth(unit)[:, None].repeat(3, 1), 3)
    for name, alone, whole in (("lower_opening", 1, 1), ("tube", 0, 1), ("tower_friction", 0, 1), ("edge_mm", 0, 0)):
        share = SHARE["lower_opening" if name == "lower_opening" else "tube"]
        assert found.first[name].value == pytest.approx(alone * share, abs=0.02)
        assert found.total[name].error < 0.025
        assert found.total[name].value == pytest.approx(whole * share, abs=3 * found.total[name].error + 1e-9)
    assert found.pairs[0].index.value == pytest.approx(SHARE["tube"], abs=0.03)


def test_the_atlas_of_noisy_towers_finds_the_truth(made: atlas.AtlasPart):
    assert made.quality.told > 0.9
    total, first = made.effects.total, made.effects.first
    for name, share in (("lower_opening", SHARE["lower_opening"]), ("tube", SHARE["tube"])):
        assert total[name].value == pytest.approx(share, abs=3 * total[name].error + 0.02)
        assert 0 < total[name].error < 0.08
    assert first["tube"].value == pytest.approx(0, abs=0.05)
    assert max(total[name].value for name in ("edge_mm", "floors", effects.DUMMY)) < 0.03


def test_the_strongest_pair_is_the_true_one(made: atlas.AtlasPart):
    pair = made.effects.pairs[0]
    assert set(pair.names) == {"tube", "tower_friction"}
    assert pair.index.value == pytest.approx(SHARE["tube"], abs=0.06)
    assert made.effects.pairs[1].index.value < 0.02


def test_a_main_effect_is_the_truth_averaged_and_its_band_holds_it(made: atlas.AtlasPart):
    effect = made.effects.main["lower_opening"]
    expected = 10 * space.BY_NAME["lower_opening"].share(effect.at)
    np.testing.assert_allclose(effect.mean, expected, atol=0.6)
    assert (np.abs(effect.mean - expected) < 4 * effect.error + 0.05).all()
    np.testing.assert_array_equal(made.effects.main["floors"].at, [1, 2])


def test_words_name_what_matters_first(made: atlas.AtlasPart):
    said = words.opening(atlas.Atlas(towers(64, 0.5), {}, {"inside": made}))
    named = r"\*\*width of the lower floor's slots\*\* \(`lower_opening`: 0\.\d ± 0\.\d at 1\.33 edges, 9\.\d ± "
    assert re.search(rf"stay inside .* depends most on the {named}", said)


def test_the_jackknife_of_a_mean_is_its_standard_error():
    values = np.random.default_rng(0).normal(size=20)
    without = (values.sum() - values) / 19
    error = sobol.jackknife(np.concatenate([[values.mean()], without]))
    assert error == pytest.approx(values.std(ddof=1) / np.sqrt(20))


def test_noise_is_that_of_towers_that_do_about_the_same():
    many = towers(256, 0.0)
    mean = np.linspace(0, 40, 256)
    several = Towers(
        many.point, many.numbers, np.full(256, 3), {"inside": mean}, {"inside": np.where(mean > 20, 4.0, 0.0)}
    )
    low, high = atlas.within(several, "inside", np.array([5.0, 35.0]))
    assert (low, high) == (pytest.approx(0.02 * 2), pytest.approx(4, rel=0.01))


def test_too_few_towers_are_refused():
    with pytest.raises(UsageError, match="towers = 32; allowed are 50 or more"):
        atlas.make(towers(32, 0.5))


@pytest.mark.whole
def test_figures_of_games_by_the_rule_of_two_thirds(tmp_path: Path):
    """A thrown cube comes out with 2/3, one inside with 1/3: so half of them are out after log 2 / log 1.5 drops."""
    run(parse(COIN), tmp_path / "run", 1)
    by_run = runs_of(load(tmp_path / "run"))
    mean = {name: float(np.nanmean(value)) for name, value in by_run.items()}
    assert mean["setup"] == pytest.approx(49 / 3, abs=4 * np.sqrt(49 * 2 / 9 / 60))
    assert 2 ** mean["half_life"] == pytest.approx(np.log(2) / np.log(1.5), rel=0.06)
    assert mean["clogged"] == 0
    campaign = load(tmp_path / "run")
    drops = campaign.drops
    first = drops.run == 0
    play = first & (drops.drop > 0)
    assert by_run["inside"][0] == drops.inside_after[play].mean()
    assert by_run["out"][0] == drops.emerged[play].mean()
    assert by_run["colours"][0] == (campaign.out_by_colour[play] > 0).sum(1).mean()


def test_a_campaign_without_numbers_of_a_tower_is_refused(tmp_path: Path):
    run(parse(COIN.replace("60", "1")), tmp_path / "run", 1)
    with pytest.raises(UsageError, match="varies nothing; allowed are fields such as"):
        towers_of(load(tmp_path / "run"))


def test_the_table_is_read_as_it_was_written(tmp_path: Path):
    kernel = Matern(0.3, np.linspace(0.5, 50, 31), 1e-3)
    written = replace(towers(64, 0.5), kernels={"out": kernel})
    write_table(tmp_path / "towers.parquet", written, {output.name: np.full(64, 0.5) for output in OUTPUTS})
    read, errors = read_table(tmp_path / "towers.parquet")
    np.testing.assert_allclose(read.numbers, written.numbers)
    assert list(read.kernels) == ["out"]
    assert (read.kernels["out"].variance, read.kernels["out"].nugget) == (kernel.variance, kernel.nugget)
    assert read.kernels["out"].lengths.tolist() == kernel.lengths.tolist()
    for output in OUTPUTS:
        np.testing.assert_allclose(read.values[output.name], written.values[output.name], rtol=1e-5)
        assert (errors[output.name] == 0.5).all()


def packed(table: Any, **more: Any) -> bytes:
    buffer = pyarrow.BufferOutputStream()
    parquet.write_table(table.replace_schema_metadata(more or table.schema.metadata), buffer)
    return buffer.getvalue().to_pybytes()


def test_a_file_that_is_no_table_of_towers_is_refused_in_one_line():
    """Each was a traceback, or was read whole however large."""
    table = parquet.read_table(SHIPPED)
    whole, names = SHIPPED.read_bytes(), table.column_names
    kernel = {"variance": 1, "lengths": [1], "nugget": 1}

    def but(name: str, values: Sequence[object]) -> bytes:
        return packed(table.set_column(names.index(name), name, pyarrow.array(values)))

    for data, says in (
        (b"", "Parquet file size is 0 bytes"),
        (b"no table at all", "Parquet magic bytes not found"),
        (whole[:-20], "Parquet magic bytes not found"),
        (packed(pyarrow.table({"a": [1, 2]})), "Column point does not exist"),
        (packed(table.slice(0, 5)), "towers: 5, not 50 to 5000"),
        (packed(pyarrow.concat_tables([table] * 3)), "towers: 6144, not 50 to 5000"),
        (but("tube", ["x"] * len(table)), "column tube is string, no numbers"),
        (but("tube", [99.0] * len(table)), "tube is not always 5 to 10"),
        (but("tube", [None] * (len(table) - 1) + [7.0]), "tube is not always 5 to 10"),
        (but("runs", [0] * len(table)), "runs is not always 1 or more"),
        (but("out", [float("inf")] * len(table)), "out is not always a number with a standard error"),
        (packed(table.append_column("blob", pyarrow.array([f"{i}" * 9000 for i in range(len(table))]))), "more than 1"),
        (packed(table, kernels="{"), "Expecting property name"),
        (packed(table, kernels="[1]"), "no attribute"),
        (packed(table, kernels=json.dumps({"out": kernel})), "the kernel of 'out' is none of ours"),
    ):
        with pytest.raises(UsageError, match=r"^'mine.parquet' is no table of towers \(") as refused:
            table_of(data, "mine.parquet")
        assert says in str(refused.value)
        assert str(refused.value).endswith("; leave it out for the table that ships")


def marked(name: str) -> str:
    found = re.search(rf"<!-- {name} -->\n(.*?)\n<!-- /{name} -->", DOC, re.S)
    assert found, name
    return found[1]


@pytest.mark.parametrize(("output", "told"), [("out", 0.6), ("colours", 0.27)])
def test_the_kernels_that_ship_tell_of_towers_left_out(output: str, told: float):
    """Of half of the towers: 0.66 and 0.32 when they were fitted, with chance in the games; 0.65 and 0.20 from 400."""
    shipped, errors = read_table(SHIPPED)
    x, y = features(shipped.numbers[:1024]), shipped.values[output][:1024]
    noise = errors[output][:1024] ** 2
    held_out = fit(x, y, noise, np.random.default_rng(0), shipped.kernels[output]).held_out()
    assert 1 - ((y - held_out) ** 2).mean() / y.var() > told


def test_the_document_tells_of_the_table_that_ships():
    shipped, errors = read_table(SHIPPED)
    assert f"{len(shipped)} towers" in marked("number")
    rows = {row.split(" | ")[0].strip("| "): row.split(" | ") for row in marked("quality").splitlines()[2:]}
    for output in OUTPUTS:
        value = shipped.values[output.name]
        there = value[~np.isnan(value)]
        _, _, mean, sd, number, *_ = rows[output.title]
        assert float(mean.split()[0]) == pytest.approx(there.mean(), abs=0.006)
        assert float(sd) == pytest.approx(there.std(), abs=0.006)
        assert int(number) == len(there)
        assert np.isfinite(errors[output.name][~np.isnan(value)]).all()


def test_the_table_of_numbers_has_a_row_for_each_parameter():
    head, _, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in words.numbers().splitlines()]
    assert head == ["number", "range", "unit", "what it is", "usual"]
    for each, (name, limits, unit, what, usual) in zip(space.PARAMETERS, rows, strict=True):
        assert (name, limits, what) == (f"`{each.name}`", f"{each.low:g} to {each.high:g}", each.words)
        assert (unit == "whole") == (each.is_count and not each.unit)
        assert float(usual) == pytest.approx(each.usual, rel=1e-5)


def test_the_documents_indices_are_those_that_ship():
    with (ROOT / "docs/atlas/indices.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert {row["number"] for row in rows} == set(effects.COLUMNS)
    by_title = {(BY_NAME[row["output"]].title, words.said(row["number"])): row for row in rows}
    head, _, *body = [[cell.strip() for cell in line.strip("|").split("|")] for line in marked("indices").splitlines()]
    assert body[-1][0] == effects.DUMMY
    for name, *cells in body:
        for title, cell in zip(head[1:], cells, strict=True):
            found = re.fullmatch(r"(-?\d+) ± \d+ \((-?\d+)\)", cell)
            assert found is not None
            total, first = found.groups()
            row = by_title[title, name]
            assert int(total) == pytest.approx(100 * float(row["total"]), abs=0.51)
            assert int(first) == pytest.approx(100 * float(row["first"]), abs=0.51)


def test_the_dummy_is_told_to_do_nothing():
    with (ROOT / "docs/atlas/indices.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert all(float(row["total"]) < 0.03 for row in rows if row["number"] == effects.DUMMY)


def test_the_campaign_that_ships_varies_all_numbers_over_their_ranges():
    text = (ROOT / "docs/atlas/campaign.toml").read_text("utf-8")
    for each in space.PARAMETERS:
        low, high = (f"{int(x)}" if each.is_count else f"{float(x)}" for x in (each.low, each.high))
        assert f'"tower.{each.name}" = {{ low = {low}, high = {high} }}' in text


def test_the_numbers_of_a_tower_are_told_in_the_document():
    for each in space.PARAMETERS:
        assert f"| `{each.name}` | {each.low:g} to {each.high:g} |" in DOC


def test_what_is_cited_is_this_version():
    assert f"version: {tower_sim.__version__}\n" in (ROOT / "CITATION.cff").read_text("utf-8")

"""A report as one HTML file and as a document: the same words, tables and pictures as its Markdown."""

import base64
import html.parser
import json
import re
from pathlib import Path

import pytest
from support.browser import axe_violations, browsing, needs_browser
from support.campaigns import AMERIGO
from support.command_line import here
from support.datasets import coin_games, write

from tower_sim.campaign import parse, run
from tower_sim.drawing import cube_colours
from tower_sim.report import Chart, Panel, Report, Section, Table, charts
from tower_sim.results import Estimate
from tower_sim.studies import study


class Read(html.parser.HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.words = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.words += data

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.found if name == tag]


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, object]]:
    place = tmp_path_factory.mktemp("page")
    write(place / "in", *coin_games(12))
    return place / "out", study(place / "in", place / "out")


def held(link: str | None) -> bytes:
    assert link is not None
    assert link.startswith("data:")
    return base64.b64decode(link.partition("base64,")[2])


def test_the_page_holds_every_chart_and_every_table_and_loads_nothing(report: tuple[Path, dict[str, object]]):
    out, _ = report
    text = (out / "report.html").read_text("utf-8")
    page = Read(text)
    drawn = [svg["aria-label"] for svg in page.all("svg") if "aria-label" in svg]
    assert len({*drawn}) == len(drawn) == len([*(out / "plots").iterdir()]) > 5
    assert not page.all("img")
    assert not any("style" in attributes for _, attributes in page.found)  # a policy forbids it
    ids = re.findall(r' id="([^"]+)"', text)
    assert len(ids) == len({*ids})
    tables = {link["download"]: held(link["href"]) for link in page.all("a") if "download" in link}
    assert tables == {path.name: path.read_bytes() for path in (out / "tables").iterdir()}
    assert not page.all("script")
    assert all((link["href"] or "").startswith(("data:", "https://", "#")) for link in page.all("a"))
    assert len(text) < 1_000_000


def test_a_chart_is_text_in_the_colours_of_its_page(report: tuple[Path, dict[str, object]]):
    for path in (report[0] / "plots").iterdir():
        text = path.read_text("utf-8")
        assert "<text" in text
        colours = {*re.findall(r'(?:fill|stroke)="(#[0-9a-f]{6})"', text)}
        of_cubes = {*cube_colours(["blue", "black", "red", "brown", "green", "yellow", "white"]).values()}
        of_cubes = {*map(charts.unthemed, of_cubes)}
        assert colours <= {*charts.DARK, *of_cubes}, path.name
        assert 'fill="#ffffff"' not in text.partition("</style>")[2].partition("<g>")[0]


def test_the_page_begins_with_its_contents_and_numbers_its_tables_and_charts(report: tuple[Path, dict[str, object]]):
    text = (report[0] / "report.html").read_text("utf-8")
    page = Read(text)
    heads = [attributes["id"] for attributes in page.all("h2")]
    links = text[text.index("<nav") : text.index("</nav>")]
    assert re.findall(r'href="#([^"]+)"', links) == heads
    assert len({*heads}) == len(heads) > 5
    assert len([fold for fold in page.all("details") if "class" not in fold]) == len(heads)
    assert text.index("<h1") < text.index("<p>") < text.index("<nav") < text.index("<h2")
    regions = [each for each in page.all("div") if each.get("class") == "scroll"]
    assert len(regions) == len(page.all("table")) == len(page.all("caption"))
    assert {(each["tabindex"], each["role"]) for each in regions} == {("0", "region")}
    assert len({each["aria-label"] for each in regions}) == len(regions)
    assert regions[0]["aria-label"] == "Table 1: players"
    named = [svg["aria-label"] for svg in page.all("svg") if "aria-label" in svg]
    assert len(page.all("figure")) == len(named) == len(page.all("figcaption"))
    assert f"Figure 1: {named[0]}" in page.words
    again = {use["href"] for use in page.all("use") if (use.get("href") or "").startswith("#svg-")}
    assert len(again) == len(page.all("svg")) - len(named) == 7
    assert again <= {f"#{svg['id']}" for svg in page.all("svg") if "id" in svg}


@needs_browser
def test_the_page_is_clean_in_either_theme_and_its_wide_tables_scroll_by_key(tmp_path: Path):
    parts: list[Section] = []
    for number in range(3):
        wide = Table(f"wide_{number}", [f"a column with a name {i}" for i in range(30)], [["123456789"] * 30])
        chart = Chart(f"p{number}", f"what it shows {number}", [Panel("x", "y", [], "a title")])
        parts.append(Section(f"Part {number}", "", wide, chart))
    Report("Study", ["What a player understands."], parts).write(tmp_path)
    with browsing(600) as watched:
        page = watched.open(tmp_path / "report.html")
        for theme in ("light", "dark"):
            page.emulate_media(color_scheme=theme)
            assert axe_violations(page) == []
            ink = page.evaluate("getComputedStyle(document.querySelector('.chart text')).fill")
            assert ink == page.evaluate("getComputedStyle(document.body).color")
        page.focus(".scroll")
        page.keyboard.press("ArrowRight")
        left = "async () => { await new Promise(setTimeout); return document.querySelector('.scroll').scrollLeft; }"
        assert any(page.evaluate(left) > 0 for _ in range(2000))


def test_the_page_says_what_the_markdown_says(report: tuple[Path, dict[str, object]]):
    out, document = report
    text = (out / "report.md").read_text("utf-8")
    words = Read((out / "report.html").read_text("utf-8")).words
    plain = [line for line in text.splitlines() if line and not {"*", "`", "[", "#", "|", "?"} & set(line)]
    assert [line for line in plain if line not in words] == []
    assert len(plain) > 15
    opening = document["says"]
    assert isinstance(opening, list)
    assert opening
    assert all(paragraph in text for paragraph in opening)
    assert text.index(opening[0]) < text.index("\n## ")


def test_the_document_has_every_table_with_its_intervals(report: tuple[Path, dict[str, object]]):
    out, document = report
    json.dumps(document, allow_nan=False)
    tables = document["tables"]
    assert isinstance(tables, dict)
    assert {f"{name}.csv" for name in tables} == {path.name for path in (out / "tables").iterdir()}
    for name, table in tables.items():
        rows = (out / "tables" / f"{name}.csv").read_text("utf-8").splitlines()
        assert len(table["rows"]) == len(rows) - 1
    actions = tables["players"]["rows"][0][2]
    assert actions["low"] < actions["value"] < actions["high"]


def test_the_text_for_a_terminal_has_the_sentences_then_tables_in_columns():
    rows = [
        ["out", 12, Estimate(2.0, 1.5, 2.5, 12)],
        ["a longer figure", 3, Estimate(0.25, 0.1, 0.4, 3)],
        ["no", 1, None],
    ]
    table = Table("figures", ["figure", "games", "mean"], rows, shown=2)
    report = Report("A title", ["First **this**."], [Section("One", "Of `it`:", table, parts=[Section("", "More.")])])
    assert report.text().split("\n\n") == [
        "First this.",
        "A title",
        "One",
        "Of it:",
        "figure           games                 mean\n"
        "out                 12  2.00 (1.50 to 2.50)\n"
        "a longer figure      3  0.25 (0.10 to 0.40)\nand 1 more row",
        "More.",
    ]
    assert report.text(0) == "First this.\n\nA title"


def test_words_of_anybody_are_words_in_the_page(tmp_path: Path):
    evil = "<script>alert(1)</script><img src=x onerror=alert(2)>"
    table = Table("t", ["who", "n"], [[evil, 1], ["mean", Estimate(1.5, float("nan"), float("nan"), 3)]])
    says = [f"By {evil}", "[a link](javascript:alert(3)) ![p](http://x/y.png)"]
    report = Report(f"Study of {evil}", says, [Section("End", table=table)])
    report.write(tmp_path)
    page = Read((tmp_path / "report.html").read_text("utf-8"))
    assert not page.all("script")
    assert not page.all("img")
    assert not [link for link in page.all("a") if str(link["href"]).startswith("javascript")]
    assert page.words.count(evil) == 4  # the title twice, the paragraph, the cell
    mean = {"value": 1.5, "low": None, "high": None, "n": 3}
    assert report.document("x")["tables"]["t"]["rows"] == [[evil, 1], ["mean", mean]]


@pytest.mark.slow
def test_the_command_says_it_in_plain_words_or_as_json(tmp_path: Path):
    run(parse(f"{AMERIGO}games = 6\n"), tmp_path / "in")
    result = here("campaign", "report", "in", "-o", "out", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    first = result.stdout.splitlines()[0]
    assert first in (tmp_path / "out" / "report.md").read_text("utf-8")
    assert "in the tower" in first
    document = json.loads(here("campaign", "report", "in", "-o", "out", "--json", cwd=tmp_path).stdout)
    assert (document["schema"], document["version"], document["says"][0]) == ("tower-sim/study", 1, first)
    status = json.loads(here("campaign", "status", "in", "--json", cwd=tmp_path).stdout)
    assert (status["schema"], status["runs"]["done"]) == ("tower-sim/campaign-status", status["runs"]["of"])

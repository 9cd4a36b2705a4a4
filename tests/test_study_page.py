"""A report as one HTML file and as a document: the same words, tables and pictures as its Markdown."""

import base64
import html.parser
import json
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from matplotlib.figure import Figure
from support.browser import axe_violations, browsing, needs_browser
from support.command_line import here
from support.datasets import coin_games, write

from tower_sim.campaign import parse, run
from tower_sim.cli import main
from tower_sim.statistics import Estimate
from tower_sim.study import study
from tower_sim.study.page import page_of
from tower_sim.study.sheets import Sheets


class Read(html.parser.HTMLParser):
    """What a page has: its elements with their attributes, and its words."""

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


@pytest.fixture(scope="module", autouse=True)
def stamped() -> Iterator[None]:
    """Each picture's file holds its number instead of the picture: a page asks for no more than which it is."""
    number = count(1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Figure, "savefig", lambda _, file, **__: file.write(f"picture {next(number)}".encode()))
        yield


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, object]]:
    place = tmp_path_factory.mktemp("page")
    write(place / "in", *coin_games(12))
    return place / "out", study(place / "in", place / "out")


def held(link: str | None) -> bytes:
    assert link is not None
    assert link.startswith("data:")
    return base64.b64decode(link.partition("base64,")[2])


def test_the_page_holds_every_picture_and_every_table_and_loads_nothing(report: tuple[Path, dict[str, object]]):
    out, _ = report
    page = Read((out / "report.html").read_text("utf-8"))
    pictures = [held(image["src"]) for image in page.all("img")]
    assert len({*pictures}) == len(pictures) > 5
    assert sorted(pictures) == sorted(path.read_bytes() for path in (out / "plots").iterdir())
    assert all(image["alt"] for image in page.all("img"))
    tables = {link["download"]: held(link["href"]) for link in page.all("a") if "download" in link}
    assert tables == {path.name: path.read_bytes() for path in (out / "tables").iterdir()}
    assert not page.all("script")
    links = [link["href"] or "" for link in page.all("a")] + [image["src"] or "" for image in page.all("img")]
    assert all(link.startswith(("data:", "https://", "#")) for link in links)


def test_the_page_begins_with_its_contents_and_numbers_its_tables_and_pictures(report: tuple[Path, dict[str, object]]):
    text = (report[0] / "report.html").read_text("utf-8")
    page = Read(text)
    heads = [attributes["id"] for attributes in page.all("h2")]
    links = [str(link["href"]) for link in page.all("a") if str(link.get("href")).startswith("#")]
    assert links == [f"#{head}" for head in heads]
    assert len({*heads}) == len(heads) > 5
    assert text.index("<h1") < text.index("<p>") < text.index("<nav") < text.index("<h2")
    regions = [each for each in page.all("div") if each.get("class") == "scroll"]
    assert len(regions) == len(page.all("table")) == len(page.all("caption"))
    assert {(each["tabindex"], each["role"]) for each in regions} == {("0", "region")}
    assert len({each["aria-label"] for each in regions}) == len(regions)
    assert regions[0]["aria-label"] == "Table 1: players"
    assert len(page.all("figure")) == len(page.all("img")) == len(page.all("figcaption"))
    assert "<p><figure" not in text
    assert f"Figure 1: {page.all('img')[0]['alt']}" in page.words


@needs_browser
def test_the_page_is_clean_in_either_theme_and_its_wide_tables_scroll_by_key(tmp_path: Path):
    sheets = Sheets(tmp_path)
    sheets.text("# Study", "What a player understands.")
    for number in range(3):
        sheets.text(f"## Part {number}")
        sheets.table(f"wide_{number}", [f"a column with a name {i}" for i in range(30)], [["123456789"] * 30])
        sheets.picture(f"p{number}", Figure(), "what it shows")
    sheets.close()
    with browsing(600) as watched:
        page = watched.open(tmp_path / "report.html")
        for theme in ("light", "dark"):
            page.emulate_media(color_scheme=theme)
            assert axe_violations(page) == []
        assert page.evaluate("getComputedStyle(document.querySelector('img')).filter") != "none"
        page.focus(".scroll")
        page.keyboard.press("ArrowRight")
        left = "async () => { await new Promise(setTimeout); return document.querySelector('.scroll').scrollLeft; }"
        assert any(page.evaluate(left) > 0 for _ in range(2000))


def test_the_page_says_what_the_markdown_says(report: tuple[Path, dict[str, object]]):
    out, document = report
    text = (out / "report.md").read_text("utf-8")
    words = Read((out / "report.html").read_text("utf-8")).words
    for line in text.splitlines():
        if line and not line.startswith(("|", "![", "([", "- ")) and not {"*", "`", "[", "#"} & set(line):
            assert line in words
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


def test_words_of_anybody_are_words_in_the_page(tmp_path: Path):
    sheets = Sheets(tmp_path)
    evil = "<script>alert(1)</script><img src=x onerror=alert(2)>"
    sheets.text(f"# Study of {evil}", f"By {evil}", "[a link](javascript:alert(3)) ![p](http://x/y.png)", "## End")
    sheets.table("t", ["who", "n"], [[evil, 1], ["mean", Estimate(1.5, float("nan"), float("nan"), 3)]])
    sheets.close()
    page = Read((tmp_path / "report.html").read_text("utf-8"))
    assert not page.all("script")
    assert not page.all("img")
    assert not [link for link in page.all("a") if str(link["href"]).startswith("javascript")]
    assert page.words.count(evil) == 4  # the title twice, the paragraph, the cell
    assert sheets.document("x")["tables"]["t"]["rows"] == [
        [evil, 1],
        ["mean", {"value": 1.5, "low": None, "high": None, "n": 3}],
    ]


@pytest.mark.whole
def test_the_command_says_it_in_plain_words_or_as_json(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    spec = '[campaign]\nkind = "game"\nmodel = "two_thirds"\napparatus = "amerigo"\ngames = 6\nseed = "5"\n'
    run(parse(spec), tmp_path / "in")
    said = here("study", "in", "-o", "out", cwd=tmp_path)
    assert said.returncode == 0, said.stderr
    first = said.stdout.splitlines()[0]
    assert first in (tmp_path / "out" / "report.md").read_text("utf-8")
    assert "in the tower" in first
    monkeypatch.chdir(tmp_path)
    assert main(["study", "in", "-o", "out", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["schema"], document["version"], document["says"][0]) == ("tower-sim/study", 1, first)
    assert main(["campaign", "status", "in", "--json"]) == 0
    status = json.loads(capsys.readouterr().out)
    assert (status["schema"], status["runs"]["done"]) == ("tower-sim/campaign-status", status["runs"]["of"])


def test_a_page_is_called_as_the_first_heading_of_its_report():
    assert "<title>Two towers</title>" in page_of("Words.\n\n# Two towers\n\n# Another\n", {})
    assert "<title>Report</title>" in page_of("## A part\n", {})

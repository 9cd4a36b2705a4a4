"""The documentation is true: its commands run, its files exist, and CI runs the commands that its pages give."""

import importlib.util
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from support.cases import each_case

import tower_sim
from calibration.validation.renew import SURROGATES
from tower_sim import cli
from tower_sim.apparatus import shipped
from tower_sim.calibration import nights, readings
from tower_sim.campaign import load as load_campaign
from tower_sim.games.dead_reckoning import Rulings
from tower_sim.games.rules import questions
from tower_sim.surrogate import TOWER, fitted_or_shipped
from tower_sim.surrogate.store import KEYS

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")
DOC = (ROOT / "docs/calibration.md").read_text("utf-8")
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
DOCS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("calibration/*.md")])


def marked(page: str, name: str) -> str:
    found = re.search(rf"<!-- {name} -->\n```(?:sh)?\n(.*?)\n```", page, re.S)
    assert found, f"no page has a block marked {name}"
    return found[1]


def test_the_readmes_two_commands_make_an_environment_and_do_their_job():
    for name, job in (("run", "tower-sim play amerigo"), ("test", "pytest")):
        command = marked(README, name)
        assert command.startswith("python3 -m venv .venv && .venv/bin/pip install ")
        assert command.endswith(job)
        assert "\n" not in command


def test_ci_reads_its_test_commands_from_the_pages_and_runs_what_the_first_leaves_out():
    script = (ROOT / ".ci/run").read_text("utf-8")
    lines = [line for line in script.splitlines() if line.startswith(("command=", "marks="))]
    assert len(lines) == 2
    call = "\n".join([shell_function("marked"), *lines, 'printf "%s\\n" "$command" "$marks"'])
    done = subprocess.run(["bash", "-c", call], cwd=ROOT, capture_output=True, text=True, check=True)
    marks = marked(CONTRIBUTING, "marks")
    assert done.stdout.splitlines() == [marked(README, "test"), marks]
    assert 'for each in "$command" "$marks"; do\n    echo "+ $each"\n    bash -euo pipefail -c "$each"\n' in script
    options = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["pytest"]["ini_options"]["addopts"]
    assert "-m 'not (long or slow)'" in options
    assert marks == ".venv/bin/python -m pytest -m 'slow and not long'"


@pytest.mark.slow
@pytest.mark.parametrize("page", ["calibration", "night"])
def test_the_commands_of_the_pages_on_calibration_run(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(nights, "JUDGE", 20)  # where it plays hundreds
    monkeypatch.setattr(nights, "ROUNDS", ((2, range(200, 201)), (1, range(204, 205))))
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    text = (ROOT / f"docs/{page}.md").read_text("utf-8")
    for line in marked(text, "fit").splitlines():
        assert cli.main(shlex.split(line)[1:]) == 0
    if page == "night":
        assert set(marked(text, "told").splitlines()) <= set(capsys.readouterr().out.splitlines())


PRINTED = ROOT / "docs/printed.md"


@pytest.mark.slow
def test_the_commands_of_the_page_on_printed_towers_run_in_their_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    shutil.copytree(ROOT / "docs/printed", "docs/printed")
    campaign = Path("docs/printed/campaign.toml")
    campaign.write_text(campaign.read_text("utf-8").replace("games = 240", "games = 10"), "utf-8")
    commands = re.findall(r"^tower-sim .+$|(?<=`)tower-sim [^`]+(?=`)", PRINTED.read_text("utf-8"), re.M)
    for command in commands:
        assert cli.main(shlex.split(command)[1:]) == 0, command
    assert Path("lab.html").is_file()


LISTS = ("tower-sim tower list",)


def inline_commands() -> list[str]:
    """Every whole `tower-sim COMMAND` of the docs that stands alone; those of a package are in test_another_package."""
    found = {c for doc in DOCS if doc != PRINTED for c in re.findall(r"`(tower-sim [^`]+)`", doc.read_text("utf-8"))}
    groups = ("campaign", "tower", "model", "page")  # their second word is an action
    return sorted(
        c
        for c in found
        if len(c.split()) > 2 + (c.split()[1] in groups) - (c in LISTS)
        and not re.search(r"[A-Z]{4,}|\.\.\.|hole_box", c)
    )


def test_the_docs_show_each_command():
    assert {c.split()[1] for c in inline_commands()} >= {"play", "throw", "compare", "tower"}


@pytest.mark.slow
@pytest.mark.parametrize("command", inline_commands())
def test_a_command_in_the_docs_runs(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.chdir(tmp_path)
    if "drop my.toml" in command:  # a tower of one's own
        (tmp_path / "my.toml").write_text(shipped()["amerigo"], "utf-8")
    (tmp_path / "docs").symlink_to(ROOT / "docs")  # for files that the docs name
    few = 100 if "--wish" in command else 4  # where it plays hundreds
    words = shlex.split(re.sub(r"(--games) \d+", rf"\1 {few}", command))[1:]
    assert cli.main(words) == 0, capsys.readouterr().err


def test_the_readmes_python_runs(tmp_path: Path):
    code = re.findall(r"```python\n(.*?)```", README, re.S)
    assert len(code) == 1
    done = subprocess.run([sys.executable, "-c", code[0]], cwd=tmp_path, capture_output=True, text=True)
    assert re.fullmatch(r"\{.*\} came out, \{.*\} are inside\n", done.stdout), done.stderr


def test_the_readme_is_short_enough_to_be_read():
    assert len(README.split()) <= 700


def example_blocks() -> list[tuple[str, str, str]]:
    """Every block marked `shown`: its page, the last command before it, and what that command prints first."""
    found: list[tuple[str, str, str]] = []
    for doc in DOCS:
        text = doc.read_text("utf-8")
        for mark in re.finditer(r"<!-- shown -->\n```\n(.*?)```", text, re.S):
            command = re.findall(r"^tower-sim [^`\n]+$|(?<=`)tower-sim [^`]+(?=`)", text[: mark.start()], re.M)[-1]
            found.append((doc.name, command, mark[1].removesuffix("TOWER3...\n")))
    return found


def test_some_pages_show_what_a_command_prints():
    assert {page for page, _, _ in example_blocks()} == {
        *("README.md", "apparatus.md", "physics.md", "start.md", "surrogate.md")
    }


@pytest.mark.parametrize(("page", "command", "shown"), example_blocks(), ids=[each[0] for each in example_blocks()])
def test_a_command_prints_what_its_page_shows(
    page: str,
    command: str,
    shown: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    monkeypatch.chdir(tmp_path)
    assert cli.main(shlex.split(command)[1:]) == 0
    assert capsys.readouterr().out.startswith(shown), page


def test_the_start_page_installs_as_the_readme_does():
    assert marked(README, "run") in (ROOT / "docs/start.md").read_text("utf-8")


def test_the_readmes_comparison_begins_as_it_shows(capsys: pytest.CaptureFixture[str]):
    match = re.search(r"<!-- compare -->\n> (.*)\n", README)
    assert match
    assert cli.main(shlex.split(readme_command("compare"))) == 0
    assert " ".join(capsys.readouterr().out.split()).startswith(match[1])


def readme_command(name: str) -> str:
    (found,) = re.findall(rf"`tower-sim ({name} amerigo --[^`]+)`", README)
    return found


def test_contributing_lists_every_mark_and_every_extra():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    listed = set(re.findall(r"^\| `([^`]+)` \|", CONTRIBUTING.partition("\n## The map\n")[0], re.M))
    marks = {mark.partition(":")[0] for mark in project["tool"]["pytest"]["ini_options"]["markers"]}
    extras = {f"[{extra}]" for extra in project["project"]["optional-dependencies"]}
    assert listed == (marks | extras)


def test_the_docs_list_every_ruling_with_its_choices_and_source():
    text = (ROOT / "docs/dead_reckoning.md").read_text("utf-8")
    for name, question in questions(Rulings).items():
        choices = " ".join(f"`{choice}`: {meaning}" for choice, meaning in question.choices.items())
        assert f"| `{name}` | {question.source} | {choices} |" in text


@pytest.mark.slow
def test_the_python_of_the_battle_runs():
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "docs/dead_reckoning.md").read_text("utf-8"), re.S)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout in ("purple\n", "green\n"), done.stderr


def anchors(page: Path) -> set[str]:
    """The anchors that GitHub makes of a page's headings: small letters, no marks, a hyphen for a space."""
    text = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.S | re.M)
    heads = [re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", head) for head in re.findall(r"^#+ (.+)$", text, re.M)]
    names = [re.sub(r"[^\w\- ]", "", head.strip().lower()).replace(" ", "-") for head in heads]
    return {f"{name}-{at}" if (at := names[:i].count(name)) else name for i, name in enumerate(names)}


def test_every_file_and_heading_that_the_docs_link_to_exists():
    broken: list[str] = []
    for doc in DOCS:
        for link in re.findall(r"\]\(([^)\s]+)\)", doc.read_text("utf-8")):
            target, _, anchor = link.partition("#")
            page = doc.parent / target if target else doc
            if "://" not in link and not (page.is_file() and (not anchor or anchor in anchors(page))):
                broken.append(f"{doc.name} links to {link}")
    assert broken == []


def test_every_page_is_in_the_contents_of_the_site():
    index = (ROOT / "docs/index.md").read_text("utf-8")
    listed = re.findall(r"^(?:.* <)?([\w./]+?)>?$", "".join(re.findall(r"```{toctree}\n(.*?)```", index, re.S)), re.M)
    pages = {page.stem for page in ROOT.glob("docs/*.md")} - {"index"}
    assert pages - set(listed) == set()
    assert [name for name in listed if not (ROOT / "docs" / f"{name}.md").is_file()] == []


def test_every_file_of_ours_that_the_docs_name_exists():
    """By its path from the root, in code or not; `calibration/NAME/report.md` is counted from docs."""
    path = re.compile(r"(?<![\w/.-])(?:tower_sim|tests|calibration)/[\w/.-]*\w")
    named = {(doc.name, file) for doc in DOCS for file in path.findall(doc.read_text("utf-8"))}
    named = {each for each in named if not each[1].endswith("-v0")}  # the name of an environment
    assert len(named) > 20
    assert [(doc, file) for doc, file in named if not any((at / file).exists() for at in (ROOT, ROOT / "docs"))] == []


def test_every_source_file_that_the_docs_name_is_one_of_ours():
    """By its name alone or the end of its path; hole_box is the other package that docs/apparatus.md writes."""
    ours = {path.as_posix() for top in ("tower_sim", "tests", "calibration") for path in (ROOT / top).rglob("*.*")}
    named = {
        (doc.name, file) for doc in DOCS for file in re.findall(r"`([\w./-]*\w\.(?:py|m?js))`", doc.read_text("utf-8"))
    }
    assert len(named) > 20
    missing = {file for _, file in named if not any(path.endswith(f"/{file}") for path in ours)}
    assert {file for file in missing if not file.startswith("hole_box/")} == set()


def test_what_the_docs_install_is_in_a_folder_or_on_the_index():
    """tower_sim is not on the index, so that no command may ask for it by its name."""
    for doc in DOCS:
        assert "install tower_sim" not in doc.read_text("utf-8").replace("'", "").replace('"', ""), doc.name
    assert "\n. .venv/bin/activate\n" in README


def test_no_pinned_file_names_a_download_host():
    assert "://" not in (ROOT / "tests/constraints.txt").read_text("utf-8")


def shell_function(name: str) -> str:
    script = (ROOT / ".ci/run").read_text("utf-8")
    return script[script.index(f"{name}() {{") : script.index("\n}\n", script.index(f"{name}() {{")) + 3]


def test_ci_looks_for_the_newest_python_first():
    call = f"{shell_function('pythons')}pythons"
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", call], capture_output=True, text=True, check=True)
    versions = [subprocess.run([python, "-V"], capture_output=True, text=True).stdout for python in done.stdout.split()]
    minors = [int(line.split(".")[1]) for line in versions]
    assert minors == sorted(minors, reverse=True)
    assert all(minor >= 12 for minor in minors)


def test_ci_runs_the_readmes_test_command_with_another_python_in_a_copy_of_what_is_tracked(tmp_path: Path):
    (tmp_path / "of it").mkdir()
    for words in (["init", "-q"], ["add", "kept"]):
        (tmp_path / "of it/kept").write_text("")
        (tmp_path / "of it/loose").write_text("")
        subprocess.run(["git", *words], cwd=tmp_path / "of it", check=True)
    command = "python3 -c \"import os, sys; print(sys.executable, sorted(set(os.listdir()) - {'.git'}))\""
    call = f"{shell_function('in_a_copy')}scratch=$1 command=$2; in_a_copy {shlex.quote(sys.executable)}"
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", call, "run", str(tmp_path), command],
        cwd=tmp_path / "of it", capture_output=True, text=True, check=True,
    )  # fmt: skip
    version = f"{sys.version_info.major}.{sys.version_info.minor}.{sys.version_info.micro}"
    assert done.stdout == f"+ python3 is Python {version}\n{sys.executable} ['kept']\n"


def test_the_example_report_is_of_the_example_campaign():
    spec = load_campaign(ROOT / "docs/example/campaign.toml")
    assert spec.total >= 200
    assert spec.digest in (ROOT / "docs/example/report.md").read_text("utf-8")


def test_the_docs_figures_of_the_fitted_profiles_are_those_of_their_reports():
    assert readings.format_summary() in DOC
    for name in readings.READINGS:
        assert f"# Report: docs/calibration/{name}/report.md\n" in shipped()[name]


@pytest.mark.parametrize("name", SURROGATES)
def test_the_report_on_a_shipped_surrogate_is_of_that_very_surrogate(name: str):
    fitted = fitted_or_shipped(name)
    head = (ROOT / "docs/surrogate" / name / "report.md").read_text("utf-8").splitlines()[0]
    assert name in head
    if fitted.kind == TOWER:
        assert fitted.digest in head
    assert {load_campaign(path).digest for path in (ROOT / "docs/surrogate").glob(f"{name}-fit*.toml")} == {
        source.digest for source in fitted.data
    }


def test_the_docs_name_every_key_of_a_surrogate_file_and_no_other():
    text = (ROOT / "docs/surrogate.md").read_text("utf-8")
    section = text.split("## The model file\n")[1].split("\n\n")[0]
    listed = section.split("these keys: ")[1]
    keys = [word for word in re.findall(r"`(\w+)`", re.sub(r"\([^)]*\)", "", listed)) if word != "digest"]
    assert [*keys, "digest"] == list(KEYS)


def test_every_extra_that_a_command_asks_for_is_one_that_exists_and_that_the_docs_name():
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    sources = [*(ROOT / "tower_sim").rglob("*.py"), *(ROOT / "calibration").rglob("*.py")]
    asks = re.compile(r'(?:extra\("[\w.]+", |need\()"(\w+)"')
    names = {name for file in sources for name in asks.findall(file.read_text("utf-8"))}
    assert {"campaign", "dask", "calibrate", "surrogate"} <= names
    assert names <= set(declared)
    text = "".join(doc.read_text("utf-8") for doc in DOCS)
    assert all(f"[{name}]" in text for name in names)


def test_what_is_cited_is_this_version():
    assert f"version: {tower_sim.__version__}\n" in (ROOT / "CITATION.cff").read_text("utf-8")


# The guide to Python

GUIDE = (ROOT / "docs/python.md").read_text("utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", GUIDE, re.S)
SHOWS = (  # what each prints: a pattern for the whole of it
    r"\{.*\} came out, \{.*\} are inside\n\{.*\} fell when somebody knocked on the table\n\{.*\}\n",
    r"[\d.]+ come out on average, with a standard error of [\d.]+\n",
    r"200 \{'out': \{.*\}, 'inside': \{.*\}\}\n400 .*did you mean blue.*\n",
    r"\[\d+, \d+, \d+, \d+\]\n",
    r"settled \{.*\} out\n",
    r"(\w[\w-]* \d+ thrown, \d+ out\n)+",
)
ASKED = """
from types import SimpleNamespace
for query in ({"blue": "3"}, {"bleu": "3"}):
    answer = throw(SimpleNamespace(path_params={"table": "one"}, query_params=query))
    import json
    print(answer.status_code, json.loads(answer.body))
"""


@each_case("number", range(len(SHOWS)))
def test_a_block_of_the_guide_runs_as_it_stands(number: int, tmp_path: Path):
    assert len(BLOCKS) == len(SHOWS)
    code = BLOCKS[number]
    if "starlette" in code:
        if importlib.util.find_spec("starlette") is None:
            pytest.skip("starlette is not installed")
        code += ASKED
    (tmp_path / "block.py").write_text(code, "utf-8")  # a file: processes that are spawned import it
    done = subprocess.run([sys.executable, "block.py"], cwd=tmp_path, capture_output=True, text=True)
    assert re.fullmatch(SHOWS[number], done.stdout), (done.stdout, done.stderr)
    assert not done.stderr


def test_the_public_names_are_sorted_and_have_docstrings():
    assert tower_sim.__all__ == sorted(tower_sim.__all__)
    for name in tower_sim.__all__:
        assert getattr(tower_sim, name).__doc__, name

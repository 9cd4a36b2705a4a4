"""What others make of the OpenAPI document: strict clients in TypeScript and Python (20 s), and schemathesis."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.browser import NODE_MODULES
from support.network import Client, Running, running
from support.node import NODE

from tower_sim.requests import games

pytestmark = pytest.mark.posix

SUPPORT = Path(__file__).parents[1] / "support"
SCHEMATHESIS = shutil.which(
    "schemathesis", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
)
CONFIG = Path(__file__).parents[1] / "schemathesis.toml"
STRICT = ("--strict", "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess", "--module", "nodenext")


@pytest.fixture
def folder(tmp_path: Path, service: Running) -> Path:
    client = Client(service.port)
    (tmp_path / "openapi.json").write_bytes(client.get("/openapi.json").body)
    client.close()
    return tmp_path


def run(folder: Path, *words: str, **more: str) -> str:
    result = subprocess.run(words, cwd=folder, capture_output=True, text=True, env={**os.environ, **more})
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def check_answers(text: str) -> None:
    answers = json.loads(text)
    assert {*answers} == {*(game.name for game in games()), "first", "event", "odds"}
    assert [answers[name] for name in ("first", "odds")] == [3, 50]
    assert 2 <= answers["event"] <= 12


def test_every_reference_of_the_document_leads_somewhere(folder: Path):
    text = (folder / "openapi.json").read_text("utf-8")
    document = json.loads(text)
    references = set(re.findall(r'"\$ref": ?"#/([^"]+)"', text))
    assert len(references) > 20
    for path in references:
        there = document
        for part in path.split("/"):
            there = there[part]


def test_a_client_in_strict_typescript_plays_every_game_and_goes_on(folder: Path, service: Running):
    needed = ("typescript", "openapi-typescript", "openapi-fetch", "@types/node")
    modules = Path(NODE_MODULES or "none")
    if not NODE or not all((modules / name).is_dir() for name in needed):
        pytest.skip(f"no {', '.join(needed)} in the folder that TOWER_SIM_NODE_MODULES names")
    (folder / "node_modules").symlink_to(modules.resolve())
    shutil.copy(SUPPORT / "http_client.mts", folder)
    run(folder, NODE, "node_modules/openapi-typescript/bin/cli.js", "openapi.json", "-o", "schema.d.ts")
    options = (*STRICT, "--target", "es2022", "--lib", "es2022,dom", "--types", "node")
    run(folder, NODE, "node_modules/typescript/bin/tsc", *options, "http_client.mts")
    check_answers(run(folder, NODE, "http_client.mjs", f"http://127.0.0.1:{service.port}"))


def test_a_client_in_python_plays_every_game_and_goes_on(folder: Path, service: Running):
    command = shutil.which("openapi-python-client")
    if command is None:
        pytest.skip("no openapi-python-client on the PATH: .ci/run makes it an environment of its own")
    bins = f"{Path(command).parent}{os.pathsep}{os.environ['PATH']}"
    words = ("generate", "--path", "openapi.json", "--output-path", "made", "--meta", "none")
    assert "WARNING" not in run(folder, command, *words, PATH=bins)
    python = str(Path(command).with_name("python"))
    script = str(shutil.copy(SUPPORT / "http_client.py", folder))
    theirs = "made/client.py"  # the same for every document, and not of our making
    checked = {"include": ["http_client.py", "made"], "strict": ["http_client.py"], "ignore": [theirs]}
    (folder / "pyrightconfig.json").write_text(json.dumps(checked))
    run(folder, sys.executable, "-m", "pyright", "--pythonpath", python)
    check_answers(run(folder, python, script, f"http://127.0.0.1:{service.port}", PYTHONPATH=str(folder)))


@pytest.mark.skipif(SCHEMATHESIS is None, reason="there is no command schemathesis; docs/http.md says how to get it")
@pytest.mark.parametrize(("examples", "least"), [(5, 300), pytest.param(500, 6_500, marks=pytest.mark.long)])
def test_no_example_gets_what_is_not_documented(tmp_path: Path, examples: int, least: int):
    with running("--queue", "5000") as service:
        done = subprocess.run(
            [
                *(str(SCHEMATHESIS), "--config-file", str(CONFIG), "run"),
                f"http://127.0.0.1:{service.port}/openapi.json",
                *("--checks", "all", "--max-examples", str(examples), "--request-timeout", "600", "--no-color"),
            ],
            capture_output=True,
            text=True,
            cwd=tmp_path,
        )
    print(done.stdout[-3000:])
    assert done.returncode == 0, done.stdout[-20000:] + done.stderr[-2000:]
    counted = re.search(r"(\d+) generated, (\d+) passed", done.stdout)
    assert counted, done.stdout
    assert int(counted[1]) == int(counted[2]) >= least
    assert "internal error" not in "".join(service.said)

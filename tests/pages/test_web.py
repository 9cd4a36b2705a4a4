"""The web app's scripts: those kept are built of the source that is here, and its types hold."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
from pathlib import Path

from support.browser import NODE_MODULES
from support.node import PORTS
from support.web import needs_esbuild

from calibration.validation.web import built, digest_of_inputs
from tower_sim.web import read_built
from tower_sim.web.page import DIGESTS, FOLDER

KEPT: dict[str, str] = json.loads(DIGESTS.read_text("utf-8"))


def test_what_is_kept_was_built_of_the_source_that_is_here():
    assert KEPT.pop("inputs") == digest_of_inputs(), "build it again: python -m calibration.validation.web"
    assert {path.name for path in DIGESTS.parent.iterdir()} == {*KEPT, DIGESTS.name}
    for name, digest in KEPT.items():
        assert hashlib.sha256(read_built(name).encode()).hexdigest() == digest, name


def test_nothing_makes_html_of_words_and_nothing_is_asked_of_a_server():
    said = re.compile(r"innerHTML|InnerHTML|eval\(|\b(fetch|XMLHttpRequest|WebSocket|importScripts)\b")
    for path in (FOLDER / "src").rglob("*.ts*"):
        assert said.search(path.read_text("utf-8")) is None, path


class TestAnew:
    pytestmark = PORTS

    def test_it_is_built_again_byte_for_byte(self):
        needs_esbuild()
        files = built(Path(NODE_MODULES))
        assert {name: text == read_built(name) for name, text in files.items()} == dict.fromkeys(files, True)

    def test_its_types_hold(self, tmp_path: Path):
        needs_esbuild()
        (tmp_path / "node_modules").symlink_to(NODE_MODULES)
        (tmp_path / "clients").symlink_to(FOLDER.parent / "clients")
        (tmp_path / "web").mkdir()
        (tmp_path / "web/src").symlink_to(FOLDER / "src")
        (tmp_path / "web/tsconfig.json").write_text((FOLDER / "tsconfig.json").read_text("utf-8"), "utf-8")
        command = ["node", f"{NODE_MODULES}/typescript/bin/tsc", "-p", str(tmp_path / "web"), "--preserveSymlinks"]
        done = subprocess.run(command, capture_output=True, text=True)
        assert (done.returncode, done.stdout) == (0, "")

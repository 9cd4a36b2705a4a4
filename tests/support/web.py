"""The modules of the web app in node: a test's own module, bundled with those of the app that it imports."""

from __future__ import annotations

import base64
import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest

from calibration.validation.web import built
from tests.support.browser import NODE_MODULES
from tower_sim.web.page import FOLDER


def document_in(file: Path, name: str) -> Any:
    """Return the JSON document that a page has under a name, also packed."""
    found = re.search(rf'<script type="application/(\S*)" id="{name}">(.*?)</script>', file.read_text("utf-8"))
    assert found
    return json.loads(found[2] if found[1] == "json" else gzip.decompress(base64.b64decode(found[2])))


def bundled(folder: Path, text: str) -> Path:
    """Write a module and what it imports (SRC is the app's source) as one file into a folder; return that.

    Skips the test where esbuild is not installed.
    """
    needs_esbuild()
    file = folder / "ask.ts"
    file.write_text(text.replace("SRC", (FOLDER / "src").as_posix()), "utf-8")
    (folder / "ask.mjs").write_text(built(Path(NODE_MODULES), file)["ask.js"], "utf-8")
    return folder / "ask.mjs"


def needs_esbuild() -> None:
    if not NODE_MODULES or not (Path(NODE_MODULES) / "esbuild").is_dir():
        pytest.skip("no esbuild: npm install it, and name its node_modules in TOWER_SIM_NODE_MODULES")

"""schemathesis over the OpenAPI document, all its checks; it is no part of the extra test (docs/http.md says why)."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from support.network import running

pytestmark = [
    pytest.mark.posix,
    pytest.mark.skipif(find_spec("schemathesis") is None, reason="schemathesis is not installed"),
]
CONFIG = Path(__file__).parent / "schemathesis.toml"


def no_failure(folder: Path, examples: int, least: int) -> None:
    with running(folder / "towers.db", "--rate", "0", "--queue", "5000") as service:
        told = subprocess.run(
            [
                *(sys.executable, "-m", "schemathesis.cli", "--config-file", str(CONFIG), "run"),
                f"http://127.0.0.1:{service.port}/openapi.json",
                *("--checks", "all", "--max-examples", str(examples), "--no-color"),
            ],
            capture_output=True,
            text=True,
            cwd=folder,
        )
    assert told.returncode == 0, told.stdout[-6000:] + told.stderr[-2000:]
    counted = re.search(r"(\d+) generated, (\d+) passed", told.stdout)
    assert counted, told.stdout
    assert int(counted[1]) == int(counted[2]) >= least
    assert "internal error" not in "".join(service.said)


def test_no_example_gets_what_is_not_documented(tmp_path: Path):
    no_failure(tmp_path, 5, 300)


@pytest.mark.long
def test_no_example_of_ten_thousand_gets_what_is_not_documented(tmp_path: Path):
    no_failure(tmp_path, 700, 10_000)

"""schemathesis over the OpenAPI document, all its checks, where its command is; docs/http.md says how to get it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.network import running

COMMAND = shutil.which("schemathesis", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
pytestmark = [
    pytest.mark.posix,
    pytest.mark.skipif(COMMAND is None, reason="there is no command schemathesis; docs/http.md says how to get it"),
]
CONFIG = Path(__file__).parents[1] / "schemathesis.toml"


@pytest.mark.parametrize(("examples", "least"), [(5, 300), pytest.param(500, 6_500, marks=pytest.mark.long)])
def test_no_example_gets_what_is_not_documented(tmp_path: Path, examples: int, least: int):
    with running(tmp_path / "towers.db", "--queue", "5000") as service:
        told = subprocess.run(
            [
                *(str(COMMAND), "--config-file", str(CONFIG), "run"),
                f"http://127.0.0.1:{service.port}/openapi.json",
                *("--checks", "all", "--max-examples", str(examples), "--request-timeout", "600", "--no-color"),
            ],
            capture_output=True,
            text=True,
            cwd=tmp_path,
        )
    print(told.stdout[-3000:])
    assert told.returncode == 0, told.stdout[-20000:] + told.stderr[-2000:]
    counted = re.search(r"(\d+) generated, (\d+) passed", told.stdout)
    assert counted, told.stdout
    assert int(counted[1]) == int(counted[2]) >= least
    assert "internal error" not in "".join(service.said)

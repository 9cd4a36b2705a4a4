"""node, which runs JavaScript outside of a browser, where it is installed."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

NODE = shutil.which("node") or ""
needs_node = pytest.mark.skipif(not NODE, reason="node is not installed here, and nothing else runs JavaScript")
PORTS = [pytest.mark.slow, needs_node]
"""The marks of a test of what we have in JavaScript."""


def answered(*words: object, given: Any = None, cwd: Path | None = None) -> Any:
    """Run node with these words and with what is given, as JSON, on its input; return the JSON that it prints."""
    command = [NODE, *map(str, words)]
    done = subprocess.run(command, input=json.dumps(given), capture_output=True, text=True, cwd=cwd, timeout=600)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)

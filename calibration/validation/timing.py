"""What the benchmarks share: clocks, the machine in words, and Python code in a process of its own."""

from __future__ import annotations

import math
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median

ROOT = Path(__file__).parents[2]
TOWER = str(ROOT / "tests/vectors/towers/tower.toml")


def timed(work: Callable[[], object], clock: Callable[[], float] = time.process_time) -> float:
    """Return the seconds that some work takes, by default of this process's CPU time."""
    begin = clock()
    work()
    return clock() - begin


def load_average() -> float:
    return round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else math.nan


def machine() -> str:
    return f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"


def spread(values: Sequence[float], form: str) -> str:
    """Write the median, then the least and the greatest."""
    return f"{median(values):{form}} ({min(values):{form}} to {max(values):{form}})"


def run_script(code: str) -> str:
    """Run code that may import the benchmarks; return what it prints."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "script.py"
        script.write_text(code)
        command, environment = [sys.executable, str(script)], os.environ | {"PYTHONPATH": str(ROOT)}
        return subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()

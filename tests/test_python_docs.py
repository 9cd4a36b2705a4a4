"""docs/python.md runs block by block, and the public names have docstrings."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest
from support.cases import each_case

import tower_sim

ROOT = Path(__file__).parent.parent
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

"""The Python of docs/surrogate.md runs as it stands there, and the model in it keeps the contract."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
GAMES, MODEL = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "surrogate.md").read_text("utf-8"), re.S)


def run(*command: str, at: Path) -> str:
    done = subprocess.run([sys.executable, *command], cwd=at, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_many_games_at_once_are_played_as_it_says(tmp_path: Path):
    line = re.fullmatch(r"([\d.]+) of 49 inside after the set-up\n", run("-c", GAMES, at=tmp_path))
    assert line
    assert 10 < float(line[1]) < 40


def test_the_model_of_ones_own_is_played_and_keeps_the_contract(tmp_path: Path):
    assert "\ncheck_model(Coins())\n" in MODEL
    assert re.fullmatch(r"\d+ cubes came out of a game\n", run("-c", MODEL, at=tmp_path))

"""Build the scripts of the pages again, from tower_sim/web/src.

    python -m calibration.validation.web [--check]

With `--check` it writes nothing and says whether the scripts kept are those. It needs node, and the
packages of tower_sim/web/package.json in the folder that TOWER_SIM_NODE_MODULES names.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import tempfile
from pathlib import Path
from typing import cast

from calibration.validation.script import option, script
from tower_sim.clients.javascript import rules_modules
from tower_sim.errors import UsageError
from tower_sim.games import Game
from tower_sim.requests import DEFAULT
from tower_sim.results import Plan, figure
from tower_sim.tools import registry
from tower_sim.web import source
from tower_sim.web.page import DIGESTS, FOLDER

_SAMPLERS = ("words.js", "seeds.js", "covered.js", "games.js", "ship.js")


def python_modules() -> dict[str, str]:
    """Return the modules that Python writes, by file: the rules of the npm package, and what the lab computes with."""
    samplers = re.sub(r"^export ", "", source("tower_sim.surrogate", *_SAMPLERS), flags=re.M)
    samplers = re.sub(r"^/\*\* What was fitted:.*\nconst MODEL = null;\n", "", samplers, flags=re.M)
    game: Game = registry.get("game", DEFAULT)
    figures = [each for each in game.figures if each.of and "old_out" not in each.names]  # which counts leave open
    terms = tuple(cast("Plan", game.plan(game.read({}))).terms)
    battle = source("tower_sim.games.dead_reckoning", "battle.js")
    lab = f"{samplers}\n{battle}\nconst FIGURES = {figure.script(figures, terms)};\n"
    lab += f"const SENTENCES = {source('tower_sim.games', 'sentences.json')};\n"
    lab += "export { FIGURES, SENTENCES, battle, covered, lawOf, playedBy, seedOf, seedWords };\n"
    return rules_modules() | {"lab.js": lab, "battle.js": f"{battle}\nexport {{ battle }};\n"}


def digest_of_inputs() -> str:
    own = (FOLDER / "package.json", FOLDER / "build.mjs")
    files = sorted([*(FOLDER / "src").rglob("*.*"), FOLDER.parent / "surrogate/seeds.js", *own])
    texts = {path.relative_to(FOLDER.parent).as_posix(): path.read_text("utf-8") for path in files} | python_modules()
    return hashlib.sha256(json.dumps(texts, sort_keys=True).encode()).hexdigest()


def built(modules: Path, *single: Path) -> dict[str, str]:
    """Return the scripts and styles by file, built again with the packages in the folder `modules`.

    With a `single` module only that one is built.
    """
    if not (modules / "esbuild").is_dir():
        raise UsageError(
            f"{modules} has no esbuild; needed are the packages of {FOLDER / 'package.json'}; install them, and name "
            "the folder node_modules in TOWER_SIM_NODE_MODULES"
        )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for path, text in python_modules().items():
            (folder / "made" / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / "made" / path).write_text(text, "utf-8")
        command = ["node", str(FOLDER / "build.mjs"), str(modules), str(folder / "made"), str(folder / "out")]
        command += map(str, single)
        subprocess.run(command, check=True)
        files = {path.name: path.read_text("utf-8") for path in sorted((folder / "out").iterdir())}
        types = FOLDER / "src/element/cube_tower.d.ts"
        return files if single else files | {"element.d.ts": types.read_text("utf-8")}


def renew(check: bool) -> bool:
    files = built(Path(os.environ.get("TOWER_SIM_NODE_MODULES", "node_modules")).resolve())
    found = {"inputs": digest_of_inputs()}
    found |= {name: hashlib.sha256(text.encode()).hexdigest() for name, text in files.items()}
    digests = json.dumps(found, indent=1) + "\n"
    if check:
        is_same = DIGESTS.read_text("utf-8") == digests
        print("the scripts are those kept" if is_same else "the scripts differ: python -m calibration.validation.web")
        return is_same
    for path in DIGESTS.parent.glob("*"):
        path.unlink()
    for name, text in (*files.items(), (DIGESTS.name, digests)):
        (DIGESTS.parent / name).write_text(text, "utf-8")
        print(f"{len(text):8} {name}")
    return True


main = script(
    __doc__,
    renew,
    option("--check", action="store_true", help="write nothing; the status is 1 if what is kept differs"),
)

if __name__ == "__main__":
    raise SystemExit(main())

"""The npm package: made and used as its README says; what it is made of. About 7 s."""

from __future__ import annotations

import functools
import http.server
import json
import posixpath
import re
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from importlib import metadata, resources
from pathlib import Path
from typing import Any

import pytest
from support.browser import NODE_MODULES, Watched, browsing, needs_browser
from support.chains import chains, profiles
from support.npm_project import ROOT, STRICT, check_types, make, node, shown, steps
from support.portable import model_of
from vectors.renew import Resting, WordStream, move

from calibration.validation import types
from tower_sim import cli
from tower_sim.clients.write import package_files
from tower_sim.surrogate.kernel import OUT

pytestmark = pytest.mark.slow

SEED = (1, 2, 3, 4)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("npm"))


# As the README says


def test_the_readmes_first_drop_is_pythons(project: Path):
    out = node(project, "first.mjs").splitlines()
    tower, word = model_of("amerigo"), WordStream(SEED)
    ends = move(tower.table, [None] * 12, word)
    assert out[0] == "out: " + " ".join(str(i) for i, end in enumerate(ends) if end == OUT)
    assert out[1] == "inside: " + " ".join(str(i) for i, end in enumerate(ends) if end != OUT)
    crowd = tower.table.to_plain()["crowd_from"]
    again = move(tower.table, [None if end == OUT else Resting(end, 1, crowd <= 12) for end in ends], word)
    assert out[2] == "out: " + " ".join(str(i) for i, end in enumerate(again) if end == OUT)


def test_the_readmes_other_files_run_and_print_what_they_should(project: Path):
    assert re.fullmatch(r"[01] 36\n", node(project, "first.cjs"))
    assert node(project, "words.mjs") == "true\nRangeError a word drawn\n"
    steps, strength, share = node(project, "battle.mjs").splitlines()
    assert re.fullmatch(r"throw( rethrow| explosion)* winner: [01]", steps)
    assert int(strength) >= 0
    assert 0.5 < float(share) < 1  # 6 cubes against 4, of which a tie is the attacker's


def test_the_readmes_throw_is_that_of_the_command_byte_for_byte(project: Path, capsys: pytest.CaptureFixture[str]):
    line, knocked, seen = node(project, "physics.mjs").splitlines()
    assert cli.main(["throw", "amerigo", "--cubes", "blue=7", "--seed", "5", "--json"]) == 0
    assert line == capsys.readouterr().out.strip()
    assert (knocked, seen) == ("settled true", "true settled")


def test_the_command_in_javascript_is_the_command_after_a_knock_and_in_commonjs_too(
    project: Path, capsys: pytest.CaptureFixture[str]
):
    words = ["throw", "dead_reckoning", "--cubes", "red=3,blue=2", "--seed", str(2**100), "--knock", "1.5", "--json"]
    assert cli.main(words) == 0
    ask = f"{{ apparatus: 'dead_reckoning', cubes: {{ red: 3, blue: 2 }}, seed: {2**100}n, knock: 1.5 }}"
    program = (
        f"const p = require('tower-sim/physics'); p.commandDrop({ask}).then((d) => console.log(p.documentText(d)))"
    )
    assert node(project, "-e", program) == capsys.readouterr().out


TYPED = """
import { AMERIGO, commandGame, fork, fromWords, next, newGame, playDrop, playGame, seeded } from "tower-sim";
import type { BattleResult, Generator, TowerState, Words } from "tower-sim";
import { amerigo } from "tower-sim/towers/amerigo";
import { deadReckoning } from "tower-sim/ships/dead-reckoning";

import { commandDrop, openPhysics, pcg64 } from "tower-sim/physics";
import type { PhysicsOutcome, PhysicsState, Status } from "tower-sim/physics";
import { profile } from "tower-sim/physics/dead-reckoning";

const model = await openPhysics(profile);
const thrown: PhysicsOutcome = model.drop(model.empty(), [{ id: 0, colour: "red" }], pcg64(7n, [0]));
const [there, how]: [PhysicsState, Status] = [thrown.state, thrown.status];
const said: string = (await commandDrop({ apparatus: "amerigo", cubes: { blue: 1 }, seed: 7, knock: 1 })).state;
console.log(there, how, said);
// @ts-expect-error: a drop has a seed
await commandDrop({ apparatus: "amerigo", cubes: { blue: 1 } });
// @ts-expect-error: nothing may change a state
thrown.state.digest = "";

type Colour = "red" | "blue";
const plain: Generator = seeded([1, 2, 3, 4]);
const mine: Words = fromWords(() => 5);
const first = amerigo.drop(amerigo.empty<Colour>(), [{ id: 0, colour: "red" }], plain);
const state: TowerState<Colour> = first.state;
const after: Generator = first.generator;
const own: Words = amerigo.drop(state, [], mine).generator;
const colour: Colour | undefined = first.emerged[0]?.colour;
const result: BattleResult = deadReckoning.battle({ kind: "ship", sides: [{ cubes: 1 }, { cubes: 2 }] }, after).result;
const stored: unknown = JSON.parse("{}");
amerigo.check(first.state);
const drops: number = playDrop(amerigo, newGame(), fork(after, 2)).entry.actionPoints + commandGame(amerigo, 7n).length;
const more = [stored, drops, next(after).word, AMERIGO.cubes["red"], playGame(amerigo, mine).generator()];
console.log(own, colour, result.sunk, more);

// @ts-expect-error: a bare function is not checked
amerigo.drop(state, [], Math.random);
// @ts-expect-error: another colour
const wider: TowerState<Colour> = amerigo.drop(state, [{ id: 1, colour: "green" }], plain).state;
// @ts-expect-error: nothing may change a state
state.drops = 4;
// @ts-expect-error: no such kind
deadReckoning.battle({ kind: "duel", sides: [{ cubes: 1 }, { cubes: 2 }] }, plain);
// @ts-expect-error: not the name of a rule
playGame(amerigo, plain, { goldDivisor: 3 });
"""


def test_typescript_takes_the_readmes_game_and_our_types_in_strict_mode(project: Path):
    for name in ("game.mts", "game.cts"):  # as an ES module and as CommonJS
        (project / name).write_text(shown()["game.ts"], "utf-8")
    (project / "typed.mts").write_text(TYPED, "utf-8")
    sources = ("game.ts", "game.mts", "game.cts", "typed.mts")
    check_types(project, *STRICT, "--exactOptionalPropertyTypes", "--outDir", "made", "--lib", "es2022,dom", *sources)
    _, command, run = steps("typescript")  # the first installs the compiler
    check_types(project, *command.split()[2:])
    for program in ("made/game.mjs", "made/game.cjs", run.split()[1]):
        out = node(project, program)
        assert out.count("points, or") == 15
        assert "{ action: 'red', cubes: 'white', points: 5, once: 0 }" in out


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None: ...

    def do_GET(self) -> None:
        if self.path == "/favicon.ico":
            self.send_response(204)
            self.end_headers()
        else:
            super().do_GET()


@contextmanager
def opened(project: Path, name: str) -> Iterator[Watched]:
    handler = functools.partial(Quiet, directory=str(project))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server, browsing() as watched:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        watched.page.context.set_offline(False)
        watched.page.goto(f"http://127.0.0.1:{server.server_port}/{name}")
        yield watched
        server.shutdown()


@needs_browser
def test_the_readmes_page_runs_in_a_browser_without_a_bundler(project: Path):
    with opened(project, "page.html") as watched:
        watched.page.wait_for_function("document.querySelector('#out').textContent")
        assert re.fullmatch("[0-7] of 7 came out", watched.page.inner_text("#out"))
    assert watched.wrong == []
    requests = {url.rsplit("/node_modules/", 1)[1] for url in watched.requests if "/node_modules/" in url}
    assert "tower-sim/towers/amerigo.js" in requests
    assert not {name for name in requests if "club" in name or "ships/" in name}


WORKER = """
import * as physics from "/node_modules/tower-sim/physics.js";
import { repeated } from "/physics_repeat.js";
onmessage = async ({ data }) => {
  try {
    postMessage(await repeated({ ...physics }, null, data.profiles, data.chains));
  } catch (error) {
    postMessage({ differ: [String(error.stack)] });
  }
};
"""


@needs_browser
def test_thirty_steps_of_random_chains_are_pythons_in_a_worker_of_a_page(project: Path):
    (project / "worker.js").write_text(WORKER, "utf-8")
    (project / "empty.html").write_text("<!doctype html><title>A page</title>", "utf-8")
    shutil.copy(ROOT / "tests/support/physics_repeat.js", project)
    scene = {"chains": [asdict(chain) for chain in chains(30)], "profiles": profiles()}
    with opened(project, "empty.html") as watched:
        script = """given => new Promise((done, failed) => {
          const worker = new Worker("/worker.js", { type: "module" });
          worker.onmessage = ({ data }) => done(data);
          worker.onerror = (event) => failed(event.message);
          worker.postMessage(given);
        })"""
        result = watched.page.evaluate(script, scene)
    assert result["differ"] == []
    assert result["steps"] >= 28
    assert watched.wrong == []


# The package


def test_a_bundle_holds_only_the_towers_that_it_imports_and_no_other_package():
    files = package_files()
    sources = {name: text for name, text in files.items() if name.endswith((".js", ".cjs"))}
    pattern = re.compile(r'(?:from |require\()"([^"]+)"')
    needed: dict[str, set[str]] = {}
    for name, text in sources.items():
        paths = pattern.findall(re.sub(r"^//.*|/\*\*.*?\*/", "", text, flags=re.M | re.S))
        assert all(path.startswith(".") for path in paths)
        needed[name] = {posixpath.normpath(posixpath.join(posixpath.dirname(name), path)) for path in paths}
        assert needed[name] <= {*sources}

    def all_of(name: str) -> set[str]:
        return {name}.union(*(all_of(each) for each in needed[name]))

    for name in sources:
        tables = {each for each in all_of(name) if each.startswith(("towers/", "ships/"))}
        assert tables == ({name} if name.startswith(("towers/", "ships/")) else set())
    assert json.loads(files["package.json"])["sideEffects"] == ["./element.js"]


def test_the_types_are_those_of_the_code_and_of_the_schemas():
    modules = Path(NODE_MODULES or "none")
    missing = [name for name in types.NEEDED if not (modules / name).is_dir()]
    if missing:
        pytest.skip(f"no {', '.join(missing)} in the folder that TOWER_SIM_NODE_MODULES names")
    stored = {path.relative_to(types.FOLDER).as_posix(): path.read_text() for path in types.FOLDER.rglob("*.d.ts")}
    assert stored == types.build(modules)  # else: python -m calibration.validation.types


def test_every_module_that_can_be_imported_has_types():
    files = package_files()
    for name, text in files.items():
        if name.endswith(".js") and not name.startswith("lib/"):
            types_of = files[name.replace(".js", ".d.ts")]
            for exported in re.findall(r"^export (?:async )?(?:function|const) (\w+)", text, re.M):
                assert re.search(rf"^export (?:declare )?(?:function|const) {exported}\b", types_of, re.M), name
        if name.endswith(".d.ts") and name != "element.d.ts":
            assert name.replace(".d.ts", ".d.cts") in files
            paths = re.findall(r'(?:from |import\()"(\.[^"]+)\.js"', text)
            files_named = {
                posixpath.normpath(posixpath.join(posixpath.dirname(name), f"{path}.d.ts")) for path in paths
            }
            assert files_named <= {*files}, name


def test_the_package_has_our_version_and_licence(project: Path):
    plain = json.loads((project / "node_modules/tower-sim/package.json").read_text("utf-8"))
    assert plain["version"] == metadata.version("tower_sim")
    licence = (resources.files("tower_sim.clients") / "npm/LICENSE").read_text("utf-8")
    assert licence == (ROOT / "LICENSE").read_text("utf-8")
    assert {path.name for path in (project / "node_modules/tower-sim").iterdir()} == {
        "LICENSE", "README.md", "element.d.ts", "element.js",
        "index.cjs", "index.d.cts", "index.d.ts", "index.js", "lib", "package.json",
        "physics", "physics.cjs", "physics.d.cts", "physics.d.ts", "physics.js", "plugins", "ships", "towers",
    }  # fmt: skip


def test_export_writes_over_nothing_but_the_same_package(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    def export(*words: str) -> tuple[int, str]:
        return cli.main(["model", "export", *words]), capsys.readouterr().err

    package = tmp_path / "package"
    own = tmp_path / "own.surrogate.json"
    shutil.copy(str(resources.files("tower_sim.surrogate") / "models/amerigo.json"), own)
    assert export("--to", "npm", "-o", str(package))[0] == 0
    assert export("--to", "npm", "-o", str(package)) == (0, "")
    status, line = export("--to", "npm", "-o", str(package), str(own))
    assert (status, "with other things in it, such as 'ships/" in line) == (2, True)
    package = tmp_path / "small"
    assert export("--to", "npm", "-o", str(package), str(own)) == (0, "")
    assert not [*(package / "ships").glob("*")]
    names = {path.name for path in (package / "towers").iterdir()}
    assert names == {f"amerigo{end}" for end in (".js", ".cjs", ".d.ts", ".d.cts")}
    (package / "README.md").write_text("mine", "utf-8")
    assert export("--to", "npm", "-o", str(package), str(own))[0] == 2
    assert (package / "README.md").read_text("utf-8") == "mine"
    assert export("--to", "npm", "-o", str(package), str(own), "--force") == (0, "")
    other = tmp_path / "other"
    other.mkdir()
    (other / "package.json").write_text('{"name": "mine"}', "utf-8")
    for words, says in (
        (["--to", "npm", "-o", str(other)], "package.json' is there already; allowed is a new name"),
        (["--to", "npm", "-o", str(other / "package.json")], "package.json"),
        (["amerigo", str(own), "--to", "npm", "-o", str(package)], "one with letters or digits that no other"),
        (["--to", "js", "-o", str(tmp_path / "x.mjs")], "model: none is given; allowed with --to js is one"),
        (["amerigo", "amerigo-club", "--to", "json", "-o", str(tmp_path / "x")], "model: 2 are given"),
        (["nowhere.json", "--to", "npm", "-o", str(tmp_path / "new")], "surrogate file"),
    ):
        status, line = export(*words)
        assert status == 2, words
        assert says in line, line
        assert line.count("\n") == 1
    assert [path.name for path in other.iterdir()] == ["package.json"]

"""The tower in boardgame.io, through its real server and clients, and in Foundry, among stand-ins of its public API."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.cases import each_case
from support.node import NODE, needs_node
from support.portable import model_of
from support.relay import free_port, relay

from tests.support.browser import NODE_MODULES
from tower_sim.clients.write import write_package
from tower_sim.games.amerigo import Rules
from tower_sim.games.amerigo.many import sample_games
from tower_sim.surrogate.cascade import CROWD
from tower_sim.surrogate.generator import WordStream
from tower_sim.surrogate.model import SurrogateModel
from tower_sim.surrogate.table import OUT, Resting, move

pytestmark = pytest.mark.ports

ROOT = Path(__file__).parent.parent
DOC = (ROOT / "docs/plugins.md").read_text("utf-8")
FOUNDRY = ROOT / "tests/support/tables/foundry.mjs"
NEEDED = ("boardgame.io", "node-persist", "koa-compose")
SEED = (1, 2, 3, 4)

needs_boardgame = pytest.mark.skipif(
    not (NODE and NODE_MODULES and all(Path(NODE_MODULES, name).is_dir() for name in NEEDED)),
    reason="no boardgame.io: npm install boardgame.io@0.50.2 node-persist@3.1.0 koa-compose@4.1.0, and say where in "
    "TOWER_SIM_NODE_MODULES",
)
needs_typescript = pytest.mark.skipif(
    not (NODE and NODE_MODULES and Path(NODE_MODULES, "typescript").is_dir()),
    reason="no TypeScript: npm install typescript@5.9.3, and say where in TOWER_SIM_NODE_MODULES",
)


@pytest.fixture(scope="module")
def model() -> SurrogateModel:
    return model_of("amerigo")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the npm package, what NODE_MODULES has beside it, and the files of docs/clients/boardgame."""
    folder = tmp_path_factory.mktemp("project")
    modules = folder / "node_modules"
    modules.mkdir()
    write_package(["amerigo"], modules / "tower-sim")
    for installed in Path(NODE_MODULES).iterdir() if NODE_MODULES else ():
        if installed.name != "tower-sim" and not installed.name.startswith("."):
            (modules / installed.name).symlink_to(installed.resolve())
    for path in (ROOT / "docs/clients/boardgame").iterdir():
        shutil.copy(path, folder)
    return folder


def steps(name: str) -> str:
    """Return the shell commands of a part of docs/plugins.md."""
    (found,) = re.findall(rf"<!-- {name} -->\n```sh\n(.*?)```", DOC, re.S)
    return found


def node(folder: Path, program: str) -> Any:
    """Run a module in a folder and return the JSON that it prints at last."""
    (folder / "program.mjs").write_text(program, "utf-8")
    done = subprocess.run([str(NODE), "program.mjs"], cwd=folder, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@needs_boardgame
def test_two_bots_play_by_the_steps_of_the_document_and_a_stored_match_goes_on(project: Path, model: SurrogateModel):
    served = free_port()
    export, install, first, *rest = steps("boardgame").splitlines()
    assert export == "tower-sim surrogate export --to npm -o tower-sim-package"  # the fixture did it, in node_modules
    assert install.startswith("npm install ./tower-sim-package ")
    for package in install.split()[3:]:  # what .ci/run installs, and the fixture put there
        assert package in (ROOT / ".ci/run").read_text("utf-8")
    words = [int(word) for word in np.random.SeedSequence(7).generate_state(4)]
    seeded = first.replace("matches", f"matches {','.join(map(str, words))}")  # the server after it has no seed
    assert seeded != first
    with relay(served) as wire:
        script = "\n".join([seeded, *rest]).replace("server.mjs 8000", f"server.mjs {served}")
        script = script.replace("127.0.0.1:8000", f"127.0.0.1:{wire.port}")
        assert script.count(str(served)) == script.count(f"127.0.0.1:{wire.port}") == 2
        done = subprocess.run(["bash", "-ec", script], cwd=project, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        said = b"".join(wire.said)
    half, whole = (json.loads(line) for line in done.stdout.splitlines() if line.startswith("{"))
    games = sample_games(model, Rules(), 1, 7)
    expected = [[int(n) for n in row] for row in games.emerged[0]]
    colours = Rules().colours
    assert [[row.get(colour, 0) for colour in colours] for row in whole["emerged"]] == expected
    assert half["emerged"] == whole["emerged"][:11]
    assert [whole["tower"]["inside"].get(colour, 0) for colour in colours] == games.inside[0][-1].tolist()
    assert len(whole["scores"]) == 2
    # Players were told what is in the tray and inside, but neither the generator nor where a cube lies.
    assert b"content-encoding" not in said.lower()
    assert b'"tray"' in said
    assert b'"inside"' in said
    assert b'"random":{"data":{"seed":' in said  # boardgame.io's own, in the state from before the first move
    assert not re.search(rb"xoshiro|\[\d+,\d+,\d+,\d+\]|floor|inCrowd|since|place", said)


LOCAL = """
import { createRequire } from "node:module";
import { towerPlugin } from "tower-sim/boardgame";
import { amerigo } from "tower-sim/towers/amerigo";
const require = createRequire(import.meta.url);
const { Client } = require("boardgame.io/client");
const { Local } = require("boardgame.io/multiplayer");
const cubes = Array.from({ length: 30 }, (_, id) => ({ id, colour: id % 2 ? "red" : "blue" }));
const game = {
  name: "least",
  plugins: [towerPlugin({ tower: amerigo, seed: [1, 2, 3, 4] })],
  setup: () => ({ tray: [] }),
  moves: {
    throwIn: ({ G, tower }) => { G.tray = tower.drop(cubes).emerged; }, // without client: false
    look: ({ G, tower }) => { G.seen = [tower.inside(), tower.drops()]; },
    wrong: ({ tower }) => { tower.drop(cubes); return "INVALID_MOVE"; },
  },
};
const ids = (client) => client.getState().G.tray.map((cube) => cube.id);
const bot = Client({ game, multiplayer: Local(), playerID: "0", debug: false });
const heard = [];
bot.subscribe((state) => heard.push(state?.G.tray.length));
bot.start();
bot.moves.throwIn();
bot.moves.look();
const alone = Client({ game, debug: false });
alone.start();
console.error = () => {}; // boardgame.io says that the move is invalid
alone.moves.wrong();
alone.moves.throwIn();
alone.moves.look();
const begun = () => {
  const plugin = towerPlugin({ tower: amerigo });
  const api = plugin.api({ data: plugin.setup(), ctx: { turn: 1 } });
  api.drop([]);
  return JSON.stringify(plugin.flush({ api }).generator.state);
};
const fresh = new Set(Array.from({ length: 20 }, begun));
const early = ({ tower }) => void tower.drop(cubes);
const refused = [{ setup: early }, { turn: { onBegin: early } }].map((part) => {
  try {
    Client({ game: { ...game, setup: undefined, ...part }, debug: false }).start();
    return "it was drawn";
  } catch (error) {
    return error.message;
  }
});
console.log(JSON.stringify({
  online: ids(bot), seen: bot.getState().G.seen, data: bot.getState().plugins.tower.data, heard: [...new Set(heard)],
  alone: ids(alone), seenAlone: alone.getState().G.seen, fresh: fresh.size, refused,
}));
process.exit(0);
"""


@needs_boardgame
def test_only_the_server_draws_and_a_refused_move_draws_nothing(project: Path, model: SurrogateModel):
    found = node(project, LOCAL)
    ends = move(model.table, [None] * 30, WordStream(SEED, 0))
    out = [number for number, end in enumerate(ends) if end == OUT]
    inside = Counter("red" if number % 2 else "blue" for number, end in enumerate(ends) if end != OUT)
    assert found["online"] == found["alone"] == out  # an invalid move before it changed nothing
    assert found["heard"] == [None, 0, len(out)]  # no state, the set-up, the server's drop: never an imagined one
    assert found["data"] == {"inside": inside, "drops": 1}
    assert found["seen"] == found["seenAlone"] == [inside, 1]
    assert found["fresh"] == 20
    assert ["Make the set-up's drop the first move" in refused for refused in found["refused"]] == [True, True]


TYPED = """
import type { Game } from "boardgame.io";
import { towerPlugin, type TowerAPI } from "tower-sim/boardgame";
import { register, worldTower, type Counts } from "tower-sim/foundry";
import { amerigo } from "tower-sim/towers/amerigo";
const game: Game<{ tray: number }, { tower: TowerAPI }> = {
  plugins: [towerPlugin({ tower: amerigo })],
  moves: { go: ({ G, tower }) => { G.tray = tower.drop([{ id: 0, colour: "red" }]).emerged.length; } },
};
const world = worldTower({ tower: amerigo, load: () => ({}), save: () => {}, uniform: Math.random });
const inside: Counts = world.inside();
// @ts-expect-error a seed is a list
towerPlugin({ tower: amerigo, seed: 7 });
// @ts-expect-error no tower
worldTower({ load: () => ({}), save: () => {}, uniform: Math.random });
console.log(game, inside, register);
"""


@needs_boardgame
@needs_typescript
def test_types_in_strict_mode(project: Path):
    (project / "typed.mts").write_text(TYPED, "utf-8")
    compiler = Path(NODE_MODULES, "typescript/bin/tsc").resolve()
    options = ["--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext", "--target", "es2022"]
    done = subprocess.run(
        [str(NODE), str(compiler), *options, "typed.mts"], cwd=project, capture_output=True, text=True
    )
    assert done.stdout == ""


@needs_node
def test_commonjs_has_the_same_names(project: Path):
    program = """
import { createRequire } from "node:module";
const require = createRequire(import.meta.url);
const names = ["tower-sim/boardgame", "tower-sim/foundry"];
const both = [];
for (const name of names) both.push([Object.keys(await import(name)).sort(), Object.keys(require(name)).sort()]);
const { worldTower } = require("tower-sim/foundry");
const { amerigo } = require("tower-sim/towers/amerigo");
let kept = {};
const world = worldTower({ tower: amerigo, load: () => kept, save: (now) => (kept = now), seed: [1, 2, 3, 4] });
const { emerged } = await world.drop({ blue: 12 });
console.log(JSON.stringify([both, emerged.blue + (world.inside().blue ?? 0)]));
"""
    both, cubes = node(project, program)
    assert all(one == other for one, other in both)
    assert both[0][0] == ["towerPlugin"]
    assert cubes == 12


def foundry(project: Path, *requests: list[Any]) -> list[Any]:
    """Ask the module of Foundry among stand-ins of its public API; see support/tables/foundry.mjs."""
    words = [str(NODE), str(FOUNDRY), str(project / "node_modules/tower-sim")]
    done = subprocess.run(words, input=json.dumps(requests), capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def rolled(model: SurrogateModel, throws: list[int]) -> list[int]:
    """Return how many cubes come out of throws of so many each, by the law in Python, from SEED."""
    word = WordStream(SEED, 0)
    inside: dict[int, tuple[int, int, bool]] = {}  # by number: floor, drop, crowd
    known, out = 0, []
    for drop, count in enumerate(throws):
        thrown = range(known, known + count)
        known += count
        resting = {i: Resting(floor, drop - since, crowd) for i, (floor, since, crowd) in inside.items()}
        ends = dict(zip([*inside, *thrown], move(model.table, [*resting.values(), *[None] * count], word), strict=True))
        out.append(sum(end == OUT for end in ends.values()))
        begun = dict.fromkeys(thrown, (0, drop, count >= CROWD)) | inside
        inside = {i: (end, *begun[i][1:]) for i, end in ends.items() if end != OUT}
    return out


@needs_node
def test_foundry_rolls_the_towers_cubes_and_goes_on_after_a_reload(project: Path, model: SurrogateModel):
    expected = rolled(model, [4, 20, 3, 9])
    found = foundry(
        project,
        ["new world", list(SEED)],
        ["roll", "4blue"],
        ["roll", "12blue", "8red"],
        ["reload", list(SEED)],
        ["together", "3blue", "9green"],
        ["stored"],
        ["inside"],
        ["uniforms"],
        ["empty"],
    )
    first, second, together, stored, inside, uniforms, empty = found
    assert [first, second, *together] == expected
    assert sum(inside.values()) == 36 - sum(expected) == len(stored["state"]["cubes"])
    assert stored["next"] == 36
    assert (uniforms, empty) == (0, {})


@needs_node
def test_foundrys_own_words_are_drawn_without_a_seed(project: Path):
    rolls = [["roll", "20blue"], ["uniforms"], ["stored"]]
    one, drawn, stored, *again = foundry(project, ["new world"], *rolls, ["new world"], *rolls)
    assert [one, drawn, stored] == again
    assert drawn > 20
    assert set(stored) == {"state", "next"}
    assert one + len(stored["state"]["cubes"]) == 20


@needs_node
def test_a_player_who_may_not_keep_the_tower_does_not_move_it(project: Path):
    refused, stored, again, alone = foundry(
        project,
        *(["new world", list(SEED)], ["player", True], ["roll", "20blue"], ["stored"], ["player", False]),
        *(["roll", "20blue"], ["new world", list(SEED)], ["roll", "20blue"]),
    )
    assert "permission" in refused["error"]
    assert stored is None
    assert again == alone


@needs_node
def test_the_roll_term_says_what_came_out_and_is_stored_in_chat(project: Path, model: SurrogateModel):
    (expected,) = rolled(model, [12])
    least, most, empty, drawn = foundry(
        project,
        ["new world", list(SEED)],
        ["term", {"thrown": {"blue": 4}}, {"minimize": True}],
        ["term", {"thrown": {"blue": 4}}, {"maximize": True}],
        ["inside"],
        ["term", {"thrown": "8blue, 4red"}, {}],
    )
    assert (least["total"], most["total"], empty) == (0, 4, {})
    assert least["isAtOnce"]
    assert most["isAtOnce"]
    assert drawn["before"] == {"total": None, "isDeterministic": False, "expression": "tower(8blue, 4red)"}
    assert not drawn["isAtOnce"]
    assert drawn["total"] == expected == sum(drawn["plain"]["emerged"].values())
    both = Counter(drawn["plain"]["emerged"]) + Counter(drawn["plain"]["inside"])
    assert both == {"blue": 8, "red": 4}
    assert drawn["plain"]["class"] == "TowerTerm"
    assert drawn["again"] == {"total": expected, "kind": "TowerTerm"}


@needs_node
def test_what_a_formula_may_say(project: Path):
    good = [["4blue"], [4, "blue"], ["4 blue", "2red"], ["1red", "2red"], ['"3 white"']]
    odd = [["4constructor", "3__proto__"]]
    bad = [["blue"], [], ["4"], ["4blue", "x"], ["-4blue"], ["1001blue"], ["0.5blue"], [None]]
    found = foundry(project, *(["parse", *words] for words in [*good, *odd, *bad]))
    assert found[: len(good)] == [{"blue": 4}, {"blue": 4}, {"blue": 4, "red": 2}, {"red": 3}, {"white": 3}]
    assert found[len(good)] == {"constructor": 4, "__proto__": 3}
    for refused in found[len(good) + 1 :]:
        assert refused["error"].startswith("RangeError: tower(")
        assert "tower(4blue, 2red)" in refused["error"]


@needs_node
def test_colours_with_the_names_of_objects_are_counted_like_others(project: Path):
    (drawn,) = foundry(project, ["new world"], ["drop", {"constructor": 9, "toString": 3}])
    both = Counter(drawn["emerged"]) + Counter(drawn["inside"])
    assert both == {"constructor": 9, "toString": 3}


@needs_node
@each_case("thrown", [{"blue": -1}, {"blue": 0.5}, {"blue": 600, "red": 401}, {"blue": "4"}, [4], None])
def test_what_a_world_cannot_throw_leaves_it_as_it_was(project: Path, thrown: Any):
    refused, stored = foundry(project, ["new world"], ["drop", thrown], ["stored"])
    assert re.match(
        r"RangeError: thrown(\.(blue|red))? is .*; allowed is whole numbers of cubes by colour", refused["error"]
    )
    assert stored is None


def test_the_document_names_files_that_are_there(tmp_path: Path):
    for name in re.findall(r"\]\((clients/[^)]+)\)", DOC):
        assert (ROOT / "docs" / name).is_file()
    assert len((ROOT / "docs/clients/chat.mjs").read_text("utf-8").splitlines()) <= 60
    (command,) = steps("foundry").splitlines()
    done = subprocess.run(
        [sys.executable, "-m", "tower_sim", *command.split()[1:]],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
    )
    assert done.returncode == 0, done.stderr
    main = (ROOT / "docs/clients/foundry/main.mjs").read_text("utf-8")
    for path in re.findall(r'from "\./(tower-sim/[^"]+)"', main):
        assert (tmp_path / path).is_file()

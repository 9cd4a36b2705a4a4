"""The tower in boardgame.io, through its real server and clients."""

from __future__ import annotations

import json
import re
import shutil
import socket
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest
from support.node import NODE, needs_node
from support.npm_project import STRICT, check_types, node
from support.portable import model_of
from vectors.renew import WordStream, move

from tests.support.browser import NODE_MODULES
from tower_sim.clients import write_package
from tower_sim.games.amerigo import Rules
from tower_sim.games.amerigo.many import sample_games
from tower_sim.surrogate import SurrogateModel
from tower_sim.surrogate.kernel import OUT

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
DOC = (ROOT / "docs/npm.md").read_text("utf-8")
NEEDED = ("boardgame.io", "node-persist", "koa-compose", "typescript")
SEED = (1, 2, 3, 4)

needs_boardgame = pytest.mark.skipif(
    not (NODE and NODE_MODULES and all(Path(NODE_MODULES, name).is_dir() for name in NEEDED)),
    reason="no boardgame.io: npm install boardgame.io@0.50.2 node-persist@3.1.0 koa-compose@4.1.0 typescript@5.9.3, "
    "and say where in TOWER_SIM_NODE_MODULES",
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


def run_program(folder: Path, program: str) -> Any:
    (folder / "program.mjs").write_text(program, "utf-8")
    return json.loads(node(folder, "program.mjs").splitlines()[-1])


def copy(source: socket.socket, target: socket.socket, kept: list[bytes]) -> None:
    with suppress(OSError):
        while data := source.recv(65536):
            kept.append(data)
            target.sendall(data)
    with suppress(OSError):
        target.shutdown(socket.SHUT_WR)


@contextmanager
def relay(port: int) -> Iterator[tuple[int, list[bytes]]]:
    """Hand on every connection to `port`, from a port that it gives, with all that comes back, in pieces."""
    sent = list[bytes]()

    def hand_on(asking: socket.socket) -> None:
        for _ in range(600):  # half a minute: a program that starts up is not missing
            with suppress(ConnectionRefusedError):
                asked = socket.create_connection(("127.0.0.1", port))
                Thread(target=copy, args=(asking, asked, []), daemon=True).start()
                return copy(asked, asking, sent)
            time.sleep(0.05)
        asking.close()

    def accept() -> None:
        with suppress(OSError):  # the door was closed
            while True:
                Thread(target=hand_on, args=(door.accept()[0],), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as door:
        Thread(target=accept, daemon=True).start()
        yield door.getsockname()[1], sent


@needs_boardgame
def test_two_bots_play_by_the_steps_of_the_document_and_a_stored_match_goes_on(project: Path, model: SurrogateModel):
    with socket.create_server(("127.0.0.1", 0)) as door:
        served = door.getsockname()[1]  # a port that is free now
    (steps,) = re.findall(r"<!-- boardgame -->\n```sh\n(.*?)```", DOC, re.S)
    export, install, first, *rest = steps.splitlines()
    assert export == "tower-sim model export --to npm -o tower-sim-package"  # the fixture did it, in node_modules
    assert install.startswith("npm install ./tower-sim-package ")
    for package in install.split()[3:]:  # what .ci/run installs, and the fixture put there
        assert package in (ROOT / ".ci/run").read_text("utf-8")
    words = [int(word) for word in np.random.SeedSequence(7).generate_state(4)]
    seeded = first.replace("matches", f"matches {','.join(map(str, words))}")  # the server after it has no seed
    assert seeded != first
    with relay(served) as (port, pieces):
        script = "\n".join([seeded, *rest]).replace("server.mjs 8000", f"server.mjs {served}")
        script = script.replace("127.0.0.1:8000", f"127.0.0.1:{port}")
        assert script.count(str(served)) == script.count(f"127.0.0.1:{port}") == 2
        done = subprocess.run(["bash", "-ec", script], cwd=project, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        sent = b"".join(pieces)
    half, whole = (json.loads(line) for line in done.stdout.splitlines() if line.startswith("{"))
    games = sample_games(model, Rules(), 1, 7)
    expected = [[int(n) for n in row] for row in games.each_colour("out")[0]]
    colours = Rules().colours
    assert [[row.get(colour, 0) for colour in colours] for row in whole["emerged"]] == expected
    assert half["emerged"] == whole["emerged"][:11]
    assert [whole["tower"]["inside"].get(colour, 0) for colour in colours] == games.each_colour("inside")[0][
        -1
    ].tolist()
    assert len(whole["scores"]) == 2
    # Players were told what is in the tray and inside, but neither the generator nor where a cube lies.
    assert b"content-encoding" not in sent.lower()
    assert b'"tray"' in sent
    assert b'"inside"' in sent
    assert b'"random":{"data":{"seed":' in sent  # boardgame.io's own, in the state from before the first move
    assert not re.search(rb"xoshiro|\[\d+,\d+,\d+,\d+\]|floor|inCrowd|since|place", sent)


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
    found = run_program(project, LOCAL)
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
import { amerigo } from "tower-sim/towers/amerigo";
const game: Game<{ tray: number }, { tower: TowerAPI }> = {
  plugins: [towerPlugin({ tower: amerigo })],
  moves: { go: ({ G, tower }) => { G.tray = tower.drop([{ id: 0, colour: "red" }]).emerged.length; } },
};
// @ts-expect-error a seed is a list
towerPlugin({ tower: amerigo, seed: 7 });
// @ts-expect-error no tower
towerPlugin({ seed: [1, 2, 3, 4] });
console.log(game);
"""


@needs_boardgame
def test_types_in_strict_mode(project: Path):
    (project / "typed.mts").write_text(TYPED, "utf-8")
    check_types(project, *STRICT, "--noEmit", "--skipLibCheck", "typed.mts")


@needs_node
def test_commonjs_has_the_same_names(project: Path):
    program = """
import { createRequire } from "node:module";
const require = createRequire(import.meta.url);
const name = "tower-sim/boardgame";
console.log(JSON.stringify([Object.keys(await import(name)).sort(), Object.keys(require(name)).sort()]));
"""
    assert run_program(project, program) == [["towerPlugin"]] * 2


@needs_node
def test_the_first_example_of_the_document_throws_two_cubes(project: Path):
    program = re.findall(r"```js\n(.*?)```", DOC, re.S)[0]
    (project / "first.mjs").write_text(program, "utf-8")
    counts = re.fullmatch(r"out: (\d) inside: (\d)\n", node(project, "first.mjs"))
    assert counts
    assert int(counts[1]) + int(counts[2]) == 2


def test_the_document_names_files_that_are_there():
    for name in re.findall(r"\]\((clients/[^)]+)\)", DOC):
        assert (ROOT / "docs" / name).is_file()
    assert len((ROOT / "docs/clients/chat.mjs").read_text("utf-8").splitlines()) <= 75  # "some 70 lines"

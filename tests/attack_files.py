"""Reads mutated profiles, rules, campaign files, records, models, books and lists; prints what came of them as JSON.

    python attack_files.py NUMBER SEED

Each must be read, or refused in one line, within 5 s of this process and 1 GiB more than the imports take.
"""

from __future__ import annotations

import json
import random
import resource
import sys
import time
import tomllib
import traceback
from collections import Counter
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any

from support.attacks import garbled, mutated, to_toml
from support.declared import dungeon

from tower_sim import campaign, made, writing
from tower_sim.apparatus import catalogue, space
from tower_sim.calibration import evidence, printed, records
from tower_sim.design.book import Book, Trial, opened
from tower_sim.design.played import TOLD as ASKED
from tower_sim.errors import UsageError
from tower_sim.games.amerigo import Rules
from tower_sim.games.dead_reckoning.rulings import Rulings
from tower_sim.printing.form import record_text
from tower_sim.surrogate import store
from tower_sim.surrogate.table import table_of
from tower_sim.variants import read_variant

LONGEST = 5.0  # seconds
MEMORY = 1 << 30  # bytes
RULES = (resources.files("tower_sim.games.amerigo") / "amerigo.toml").read_text("utf-8")
GAMES = """
[campaign]
kind = "game"
apparatus = "amerigo"
model = "two_thirds"
games = 6
shard = 2
seed = "0x0123456789abcdef0123456789abcdef"

[rules]
cubes = 6
rounds = 4
colours = ["blue", "red", "white"]

[vary]
design = "latin_hypercube"
points = 4

[vary.fields]
"rules.cubes" = { low = 5, high = 9 }
"rules.gold_divisor" = { low = 2, high = 5 }
"""
CHAINS = """
[campaign]
kind = "chain"
apparatus = "amerigo-club"
chains = 200
seed = "1"

[chain]
policy = "cover"
supply = { blue = 9, red = 5 }
drops = 12

[settings]
timestep = 0.002
iterations = 20

[vary.fields]
"chain.drops" = [3, 4]
"profile.ramp.angle_deg" = [30.2, 30.8]
"""
BATTLES = """
[campaign]
kind = "battle"
apparatus = "dead_reckoning"
model = "surrogate"
battles = 300
seed = "1"

[battle]
cubes = { purple = 6, green = 3 }
abilities = { green = ["throw:2"] }
active = "green"
combat = "ship"

[battle.rulings]
left_board = "lost"

[vary]
design = "list"

[vary.fields]
"battle.cubes.green" = [1, 8]
"battle.rulings.stuck" = ["shaken", "rethrown"]
"""
DECLARED = (
    to_toml({"declared": tomllib.loads(dungeon())})
    + '[campaign]\nkind = "declared"\napparatus = "amerigo"\nmodel = "two_thirds"\ngames = 6\nseed = "7"\n'
    + '[vary.fields]\n"declared.pools.deck.trap" = [1, 4]\n'
)
RULINGS = 'two_zones = "nearest"\nleft_board = "lost"\nstuck = "shaken"\n'


def profile(name: str) -> str:
    return catalogue.shipped()[name]


def variant(text: str) -> object:
    """Read a variant; it is one that is read from a file."""
    Path("variant.toml").write_text(text, "utf-8", errors="replace")
    return read_variant("variant.toml")


def model(text: str) -> object:
    """Read a surrogate's file, sealed anew where it is JSON, so that what it says is reached; and make its table."""
    try:
        plain = json.loads(text)
        plain.pop("digest", None)
        plain["digest"] = store._digest(plain)  # pyright: ignore[reportPrivateUsage]
        text = json.dumps(plain)
    except (ValueError, TypeError, AttributeError, RecursionError):
        pass
    fitted = store.Fitted.from_json(text)
    return table_of(fitted.cascade_of(fitted.apparatus_digest)) if fitted.kind == store.TOWER else fitted


def in_file(name: str, read: Callable[[Path], object]) -> Callable[[str], object]:
    """Return what reads a text from a file called `name`."""

    def reads(text: str) -> object:
        Path(name).write_bytes(text.encode("utf-8", "replace"))
        return read(Path(name))

    return reads


def listed(path: Path) -> object:
    """Write a folder that has a list of what was made in it: files beside it stay, its own are as they are to be."""
    (path.parent.parent / "mine").write_bytes(b"mine")
    (path.parent / "report.md").write_bytes(b"old")
    with writing.by("tower-sim study", is_forced=True):
        writing.check_folder(path.parent)
        writing.write_folder(path.parent, {"report.md": b"new"})
    assert (path.parent.parent / "mine").read_bytes() == b"mine"
    assert (path.parent / "report.md").read_bytes() == b"new"
    return made.of_folder(path.parent)


def record(path: Path) -> object:
    """Read drops; what is thrown and not out is inside, and no row is left out."""
    found = records.read(path)
    text = path.read_bytes().decode("utf-8-sig", "replace")
    rows = [line for line in text.replace("\r", "\n").split("\n") if line.strip(" ,;\t") and not line.startswith("#")]
    assert len(found) >= len([line for line in rows if line[0].isdigit()]) - 1, "a row is left out"
    return found


TOLD = """says = "eight came out"
source = "a player"
kind = "impression"
strength = "weak: of one game"
out_total = [4, 9]
inside_in_play = [3, 6]
"""
DROPS = "drop,thrown_red,out_red,thrown_blue,out_blue,note\n0,5,3,5,3,set-up\n1,,1,3,4,\n2,1,,,1\n0,3,3,,,\n"
BUILT = (
    record_text(catalogue.load("amerigo"), "0" * 16, "stl")
    .replace('= ""', '= "2026-11-23"')
    .replace("layer_mm = 0.0", "layer_mm = 0.2")
    .replace("cube_edge_mm = 0.0", "cube_edge_mm = 9.4")
)
BOOK = Book({"seed": "7"}, None, [Trial(tuple(0.5 for _ in space.NAMES), [tuple(1.0 for _ in ASKED)])])
Path("made").mkdir(exist_ok=True)
JSON: dict[str, tuple[str, Callable[[str], object]]] = {
    "model": (store.fitted_or_shipped("amerigo").to_json(), model),
    "book": (json.dumps(BOOK.document()), in_file("book.json", lambda path: opened(path, {}, None, 1))),
    "list": (made.Made().with_files(Path("made"), {"report.md": b"old"}, "tower-sim study").decode(),
             in_file(f"made/{made.LIST}", listed)),
}  # fmt: skip
TEXT = {"records": (DROPS, in_file("drops.csv", record))}
KINDS: dict[str, tuple[str, Callable[[str], object]]] = {
    "tower": (profile("amerigo"), lambda text: catalogue.parse(text, "mine")),
    "ship": (profile("dead_reckoning"), lambda text: catalogue.parse(text, "mine")),
    "rules": (RULES, Rules.from_toml),
    "rulings": (RULINGS, Rulings.from_toml),
    "variant": ('apparatus = "amerigo-club"\n' + RULES, variant),
    "games": (GAMES, campaign.parse),
    "chains": (CHAINS, campaign.parse),
    "battles": (BATTLES, campaign.parse),
    "declared": (DECLARED, campaign.parse),
    "observation": (TOLD, in_file("told.toml", evidence.read)),
    "printed": (BUILT, in_file("record.toml", printed.read)),
}


def changed(kind: str, text: str, rng: random.Random) -> str:
    """Return a text of a kind with some of it changed: letters, or what its format says."""
    if kind in TEXT or rng.random() < 0.35:
        return garbled(text, rng)
    if kind in JSON:
        return json.dumps(mutated(json.loads(text), rng))
    return to_toml(mutated(tomllib.loads(text), rng, dates=True))


def attack(number: int, seed: int) -> dict[str, Any]:
    """Read `number` mutations of all kinds in turn; what was read, refused, and failed."""
    rng = random.Random(seed)
    counts: Counter[str] = Counter()
    failures: list[str] = []
    every = KINDS | JSON | TEXT
    for i in range(number):
        kind = [*every][i % len(every)]
        text, read = every[kind]
        text = changed(kind, text, rng)
        begun = time.process_time()
        try:
            read(text)
        except UsageError as error:
            counts["refused"] += 1
            if len(str(error)) > 900 or "\n" in str(error):
                failures.append(f"{kind} {i}: no short line: {str(error)[:300]!r}")
        except Exception:
            failures.append(f"{kind} {i}: {traceback.format_exc()[-600:]} of {text[:300]!r}")
        else:
            counts["read"] += 1
        if (seconds := time.process_time() - begun) > LONGEST:
            failures.append(f"{kind} {i}: {seconds:.1f} s: {text[:500]!r}")
    return {**counts, "failures": failures}


if __name__ == "__main__":
    for each_text, each_read in (KINDS | JSON | TEXT).values():
        each_read(each_text)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, used + MEMORY))
    print(json.dumps(attack(int(sys.argv[1]), int(sys.argv[2]))))

"""Reads mutated profiles, rules, rulings, variants and campaign files; prints what came of them as JSON.

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

from tower_sim import campaign
from tower_sim.apparatus import catalogue
from tower_sim.errors import UsageError
from tower_sim.games.amerigo import Rules
from tower_sim.games.dead_reckoning.rulings import Rulings
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
}


def attack(number: int, seed: int) -> dict[str, Any]:
    """Read `number` mutations of all kinds in turn; what was read, refused, and failed."""
    rng = random.Random(seed)
    counts: Counter[str] = Counter()
    failures: list[str] = []
    for i in range(number):
        kind = [*KINDS][i % len(KINDS)]
        text, read = KINDS[kind]
        text = garbled(text, rng) if rng.random() < 0.35 else to_toml(mutated(tomllib.loads(text), rng, dates=True))
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
    for each_text, each_read in KINDS.values():
        each_read(each_text)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, used + MEMORY))
    print(json.dumps(attack(int(sys.argv[1]), int(sys.argv[2]))))

"""The draws that measured figures are means of: each is a function of a seed, which returns what it saw by name."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any, cast

import numpy as np

from calibration.validation.overlap import deepest_of
from tests.support.bench import World
from tower_sim.apparatus import Apparatus, from_tables, load
from tower_sim.apparatus.combat_ship.dimensions import CombatShip
from tower_sim.calibration import prior
from tower_sim.calibration.command import select_heavy
from tower_sim.calibration.readings import iter_fits
from tower_sim.calibration.recording import GAMES
from tower_sim.calibration.reference import fit_reference
from tower_sim.calibration.summaries import CLOG, FOR, observe
from tower_sim.calibration.verdict import STRONG, check, p_value
from tower_sim.drops import until_landed
from tower_sim.games.dead_reckoning.combat import worth
from tower_sim.physics import STANDARD, PhysicsSettings, accuracy
from tower_sim.physics.core.drop import HOLD
from tower_sim.simulator import PhysicsModel
from tower_sim.tools import registry
from tower_sim.values import Outcome, supply

ROOT = Path(__file__).parents[2]
Draw = Callable[[int], Mapping[str, float]]
"""What one draw saw, by name, from its seed; a name is left out where the draw says nothing about it."""

SETUP, KNOCKED, PRINTED = 49, 42, 20  # cubes thrown into the empty tower
WALLENSTEIN_LATER, WALLENSTEIN_THROWN = 6, 6  # throws after the set-up, cubes in each
NIGHTS = 20  # tested against one law, which the fast model's games give
STRENGTHS = (0.1, 0.4, 1, 2)  # of knocks, g
DEEP = 0.005  # edges: an overlap that would be seen
WAYS = {"at-once": (False, "swept"), "swept": (True, "swept")}  # whether poured; how the exit is cleared
SHIP = cast("CombatShip", load("dead_reckoning"))


@dataclass(frozen=True, slots=True)
class Sample:
    draw: Draw
    n: int


@cache
def tower(profile: str, way: str = "as-shipped") -> Apparatus:
    """Return a tower, also with a hand that lets go at once, or swept at the exit: see `WAYS`."""
    if way == "as-shipped":
        return load(profile)
    is_poured, emerged = WAYS[way]
    tables = copy.deepcopy(load(profile).profile)
    tables["exit"]["emerged"] = emerged
    if not is_poured:
        tables["release"] = {k: v for k, v in tables["release"].items() if k not in ("rate_per_s", "fall_m_s")}
    return from_tables(tables, profile)


def first(model: PhysicsModel, cubes: int, seed: int) -> Outcome:
    return model.drop(model.empty(), supply({"any": cubes}, model.cube_edge), np.random.default_rng(seed))


def setup(profile: str, way: str, cubes: int, seed: int) -> dict[str, float]:
    """Throw once: how many cubes stay, and whether any overlaps visibly; where those lie that came out."""
    with PhysicsModel(tower(profile, way)) as model:
        outcome = first(model, cubes, seed)
    if not outcome.status.is_landing:
        return {"failed": 1}
    places = Counter(landing.place.partition(":")[0] for landing in outcome.landings)
    out = max(sum(places[place] for place in ("doorway", "tray", "table")), 1)
    seen: dict[str, float] = {"failed": 0, "kept": len(outcome.state.residents), "missed": outcome.missed}
    if boxes := model.shape.boxes:
        poses = [resident.pose for resident in outcome.state.residents if resident.pose]
        seen["overlaps"] = deepest_of(poses, model.cube_edge, boxes) > DEEP * model.cube_edge
    return seen | {place: places[place] / out for place in ("doorway", "tray", "table")}


def game(profile: str, way: str, seed: int) -> dict[str, float]:
    amerigo: Any = registry.get("game", "amerigo")
    with PhysicsModel(tower(profile, way)) as model:
        turns = list(amerigo.start(model, amerigo.read({}), 46, seed))[1:]
    return {name: float(np.mean([sum(getattr(turn, name).values()) for turn in turns])) for name in GAME}


GAME = ("inside", "out")


def wallenstein(seed: int) -> dict[str, float]:
    """Throw 49 cubes, then six times six: cubes kept, of those out at the end, inside at the end; drops that landed."""
    seen: dict[str, float] = {}
    with PhysicsModel(load("wallenstein")) as model:
        state = model.empty()
        for drop in range(WALLENSTEIN_LATER + 1):
            number, colour = (WALLENSTEIN_THROWN, "later") if drop else (SETUP, "first")
            new = supply({colour: number}, model.cube_edge, first_id=1000 * drop)
            outcome = model.drop(state, new, np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(drop,))))
            if not outcome.status.is_landing:
                return seen | {"failed": 1}
            state = outcome.state
            seen.setdefault("kept", len(state.residents))
    left = sum(cube.colour == "first" for cube in state.cubes)
    return seen | {"failed": 0, "out": seen["kept"] - left, "inside": len(state.residents)}


def knock(profile: str, seed: int) -> dict[str, float]:
    """Knock on one state with each strength: cubes inside before, and how many come out, and whether any."""
    with PhysicsModel(load(profile)) as model:
        cubes = supply({"any": KNOCKED}, model.cube_edge)
        state = until_landed(partial(model.drop, model.empty(), cubes), np.random.SeedSequence(seed)).state
        seen: dict[str, float] = {"held": len(state.residents)}
        for i, strength in enumerate(STRENGTHS):
            stream = np.random.SeedSequence(seed, spawn_key=(i,))
            out = len(until_landed(partial(model.knock, state, strength), stream).emerged)
            seen |= {f"out-{strength:g}": out, f"any-{strength:g}": out > 0}
    return seen


@cache
def list_clogging() -> list[Any]:
    """Return the points of the heavy towers of `amerigo` that clogged in some games of the table, heaviest first."""
    _, reading, towers = next(iter_fits())
    heavy = select_heavy(reading.posterior.weight)
    return list(towers.unit[heavy[towers.is_clogged[heavy].any(1)]])


def clogged(seed: int) -> dict[str, float]:
    """Play up to five games of a tower until one clogs, and knock: cubes inside, out, and whether few are left."""
    amerigo: Any = registry.get("game", "amerigo")
    with PhysicsModel(prior.tower(list_clogging()[seed])) as model:
        for number in range(5):
            over = 0
            for turn in amerigo.start(model, amerigo.read({}), seed, number):
                state = turn.state
                over = over + 1 if turn.index and len(state.cubes) > CLOG else 0
                if over == FOR:
                    seen: dict[str, float] = {"held": len(state.cubes)}
                    for i, strength in enumerate(STRENGTHS):
                        stream = np.random.SeedSequence(seed, spawn_key=(i,))
                        out = len(until_landed(partial(model.knock, state, strength), stream).emerged)
                        seen |= {f"out-{strength:g}": out, f"clear-{strength:g}": len(state.cubes) - out <= CLOG}
                    return seen
    return {}


def alarms(seed: int) -> dict[str, float]:
    """Test nights of the fast model against a law fitted to other games of it: shares with p of 0.05 or below."""
    law = fit_reference(load("amerigo"), GAMES, 1000 + seed, model="surrogate")
    nights = observe(load("amerigo"), NIGHTS, 5000 + seed, model="surrogate")
    checks = [check([drop.record for drop in night], law) for night in nights]
    bets = {"numbers": [each.e for each in checks], "colours": [each.colours.e for each in checks]}
    return {name: float(np.mean([p_value(e) <= 1 / STRONG for e in of])) for name, of in bets.items()}


def woken(profile: str, seed: int) -> dict[str, float]:
    """Throw 49 cubes, then wake the residents without a swing: whether the state loses a cube."""
    with PhysicsModel(load(profile)) as model:
        outcome = first(model, SETUP, seed)
    if not outcome.status.is_landing:
        return {}
    state, world = outcome.state, World(model.settings)
    with world.alone():
        scene = world.scene(model.shape)
        scene.lay({each.cube: each.pose for each in state.residents if each.pose}, {}, state.touches)
        status = scene.settle((HOLD, 0.0, 0.0))
        lost = len(scene.out())
    world.close()
    return {"loses": lost > 0} if status.is_landing else {}


def ship(settings: PhysicsSettings | None, cubes: int, seed: int) -> dict[str, float]:
    """Throw cubes onto the empty board: strength, mean distance (mm) from the ship's side, shares by place."""
    with PhysicsModel(SHIP, settings) as model:
        outcome = first(model, cubes, seed)
    if not outcome.status.is_landing:
        return {"failed": 1}
    places = Counter(landing.place for landing in outcome.landings)
    strength = sum(worth(zone).strength * places[f"zone:{zone.name}"] for zone in SHIP.board.zones)
    stuck = sum(count for place, count in places.items() if place.startswith("inside"))
    shares = {name: count / cubes for name, count in (("border", places["border"]), ("table", places["table"]))}
    away = float(np.mean([each.pose.position[0] for each in outcome.landings if each.pose])) - SHIP.hull_x
    return {"failed": 0, "strength": strength, "away": 1e3 * away, "stuck": stuck / cubes, **shares}


def board(seed: int) -> dict[str, float]:
    with PhysicsModel(SHIP) as model:
        before = first(model, 9, seed)
        if not before.status.is_landing:
            return {}
        new = supply({"any": 9}, model.cube_edge, first_id=9)
        after = model.drop(before.state, new, np.random.default_rng([1, seed]))
    if not after.status.is_landing:
        return {}
    places = {landing.cube: landing.place for landing in after.landings}
    lying = before.state.board.lying
    return {"changed": sum(places[each.cube] != each.region for each in lying)}


def finer(share: float) -> PhysicsSettings:
    """Return the standard settings with this share of the step: the longest one, and the travel allowed in it."""
    standard = accuracy("core", STANDARD)
    steps = ("timestep", "step_travel", "passed_travel")
    return replace(standard, **{name: share * getattr(standard, name) for name in steps})


STEPS = {name: accuracy("core", name) for name in ("fast", "standard", "fine")} | {"quarter": finer(1 / 4)}


def step(profile: str, name: str, seed: int) -> dict[str, float]:
    with PhysicsModel(load(profile), STEPS[name]) as model:
        outcome = first(model, SETUP, seed)
    return {"kept": len(outcome.state.residents)} if outcome.status.is_landing else {}


AMERIGOS = ("amerigo", "amerigo-club", "amerigo-rulebook")
SAMPLES: Mapping[str, Sample] = {
    **{f"setup.{p}": Sample(partial(setup, p, "as-shipped", SETUP), 200) for p in AMERIGOS},
    **{f"setup.amerigo.{way}": Sample(partial(setup, "amerigo", way, SETUP), 200) for way in ("at-once", "swept")},
    **{f"game.{p}": Sample(partial(game, p, "as-shipped"), 60) for p in AMERIGOS},
    **{f"game.amerigo.{way}": Sample(partial(game, "amerigo", way), 40) for way in ("at-once", "swept")},
    "wallenstein": Sample(wallenstein, 150),
    "printed": Sample(partial(setup, str(ROOT / "docs/printed/pegs.toml"), "as-shipped", PRINTED), 200),
    **{f"knock.{p}": Sample(partial(knock, p), 200) for p in AMERIGOS[:2]},
    "clogged": Sample(clogged, 60),
    "alarms": Sample(alarms, 20),
    **{f"woken.{p}": Sample(partial(woken, p), 200) for p in AMERIGOS[:2]},
    **{f"ship.{cubes}": Sample(partial(ship, None, cubes), 400) for cubes in (3, 9, 20, 40)},
    "ship.board": Sample(board, 800),
    **{
        f"step.{p}.{name}": Sample(partial(step, p, name), 200)
        for p in ("amerigo", "amerigo-club", "wallenstein")
        for name in STEPS
    },
    **{f"step.ship.{name}": Sample(partial(ship, settings, 9), 12_000) for name, settings in STEPS.items()},
}
"""Every kind of draw by its name. A figure is called SAMPLE.NAME, where a draw says NAME."""

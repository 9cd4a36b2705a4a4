"""Simulated games of a profile's tower with the age of each cube, from which the reference distribution is fitted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import cycle, groupby, islice

import numpy as np

from tower_sim.apparatus.parts import Apparatus, as_tower
from tower_sim.calibration.observations import CUBES
from tower_sim.calibration.records import RECOUNT, Record, has_colours
from tower_sim.contract import DropModel
from tower_sim.cubes import MAX_CUBES, Cube, count_by_colour, supply
from tower_sim.drops.repeat import TooManyFailedDraws, until_landed
from tower_sim.errors import check_whole
from tower_sim.games.amerigo import DROP_STREAM, Rules, play
from tower_sim.models import PHYSICS, open_model
from tower_sim.physics.settings import PhysicsSettings
from tower_sim.state import TowerState
from tower_sim.tools.pool import in_threads
from tower_sim.tools.terminal import report_progress

COLOURS = len(Rules().colours)


@dataclass(frozen=True, slots=True)
class AgedDrop:
    """A simulated drop: its record and the ages of all cubes in drops; `ages` begins with `out_ages`, of those out."""

    record: Record
    ages: tuple[int, ...]
    out_ages: tuple[int, ...]

    @property
    def thrown_out(self) -> int:
        return self.out_ages.count(0)


@dataclass(frozen=True, slots=True)
class RecordedThrows:
    """The throws of a recorded game that is not as published: pairs of colour and cubes for each drop."""

    thrown: tuple[tuple[tuple[str, int], ...], ...]
    is_free: bool


def is_published(first: Record) -> bool:
    """Return whether a game begins as published: with CUBES cubes, equally many of each colour if known."""
    of_colour = [cubes for cubes in first.thrown.values() if cubes]
    known = has_colours([first])
    return not first.is_free and sum(of_colour) == CUBES and (not known or of_colour == [CUBES // COLOURS] * COLOURS)


def list_throws(records: Sequence[Record]) -> tuple[RecordedThrows | None, ...]:
    """Return the throws of reference games for comparison with `records`, each once; None is the published game."""
    kinds: dict[RecordedThrows | None, None] = {}
    for _, rows in groupby(records, key=lambda record: record.game):
        game = [
            record for record in rows if any(record.thrown.values()) and not (record.number and RECOUNT in record.marks)
        ]
        if game:
            thrown = tuple(tuple((c, n) for c, n in record.thrown.items() if n) for record in game)
            kinds[None if is_published(game[0]) else RecordedThrows(thrown, game[0].is_free)] = None
    return tuple(kinds) or (None,)


def observe(
    apparatus: Apparatus,
    games: int,
    seed: int,
    settings: PhysicsSettings | None = None,
    throws: Sequence[RecordedThrows | None] = (None,),
    model: str = PHYSICS,
) -> list[list[AgedDrop]]:
    """Play games with a model, on all cores; the games take turns with `throws`.

    Game i depends only on `seed`, on i and on its throws.
    """
    as_tower(apparatus)
    check_whole("seed", seed, 0)
    tasks = [(_derive_seed(seed, i), each) for i, each in enumerate(islice(cycle(throws), games))]
    watched: list[list[AgedDrop]] = []
    with report_progress("games", len(tasks)) as tell:
        for drops in in_threads(partial(_watch_game, apparatus, settings, model), tasks):
            watched.append(drops)
            tell.step()
    return watched


def _derive_seed(seed: int, game: int) -> int:
    return int(np.random.SeedSequence(seed, spawn_key=(game,)).generate_state(1, np.uint64)[0])


def _watch_game(
    apparatus: Apparatus, settings: PhysicsSettings | None, name: str, task: tuple[int, RecordedThrows | None]
) -> list[AgedDrop]:
    seed, throws = task
    with open_model(apparatus, name, settings) as model:
        return watch_game(model, seed) if throws is None else watch_throws(model, throws, seed)


def watch_game(model: DropModel, seed: int) -> list[AgedDrop]:
    """Play a game and return its drops with ages; the game ends early after five failed draws in a row."""
    drops: list[AgedDrop] = []
    tower = model.empty()
    try:
        for entry in play(model, Rules(), seed):
            if not any(entry.thrown.values()):
                continue
            record = Record(len(drops), dict(entry.thrown), dict(entry.emerged), dict(entry.inside))
            drops.append(_find_ages(record, tower, entry.state.central, entry.state.tower.cubes))
            tower = entry.state.tower
    except TooManyFailedDraws:
        pass
    return drops


def watch_throws(model: DropModel, throws: RecordedThrows, seed: int) -> list[AgedDrop]:
    """Throw what `throws` says, as far as cubes are outside, and return the drops with ages.

    The game ends early after five failed draws in a row, and before the tower would hold more than MAX_CUBES. Random:
    drop i draws from spawn key (i, DROP_STREAM) of `seed`, as in a game.
    """
    colours = list(dict.fromkeys(colour for drop in throws.thrown for colour, _ in drop))
    tower, outside = model.empty(), list[Cube]()
    drops: list[AgedDrop] = []
    for index, counts in enumerate(throws.thrown):
        if throws.is_free or not index:
            outside = list(supply(dict(counts), model.cube_edge, first_id=tower.next_id))
        thrown = tuple(cube for colour, n in counts for cube in [x for x in outside if x.colour == colour][:n])
        if not thrown:
            continue
        if len(thrown) + len(tower.cubes) > MAX_CUBES:
            break
        stream = np.random.SeedSequence(seed, spawn_key=(index, DROP_STREAM))
        try:
            outcome = until_landed(partial(model.drop, tower, thrown), stream)
        except TooManyFailedDraws:
            break
        outside = [cube for cube in outside if cube not in thrown] + list(outcome.emerged)
        put, out, inside = (
            dict(count_by_colour(cubes, colours)) for cubes in (thrown, outcome.emerged, outcome.state.cubes)
        )
        record = Record(len(drops), put, out, inside, is_free=throws.is_free)
        drops.append(_find_ages(record, tower, outcome.emerged, outcome.state.cubes))
        tower = outcome.state
    return drops


def _find_ages(record: Record, before: TowerState, out: Sequence[Cube], inside_cubes: Sequence[Cube]) -> AgedDrop:
    born = {resident.cube: resident.since for resident in before.residents}

    def age(cube: Cube) -> int:
        return before.drops - born[cube] if cube in born else 0

    out_ages = tuple(map(age, out))
    return AgedDrop(record, (*out_ages, *map(age, inside_cubes)), out_ages)

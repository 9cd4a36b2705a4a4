"""Draws that are filmed and the same draws that are not, for tests of replays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from tower_sim.apparatus.parts import Apparatus
from tower_sim.cubes import supply
from tower_sim.games.turn import Turn
from tower_sim.outcome import Outcome
from tower_sim.physics.film import Film
from tower_sim.physics.settings import PhysicsSettings
from tower_sim.replay.document import About, Replay, ShownStep, replay
from tower_sim.replay.takes import Take, takes
from tower_sim.simulator import PhysicsModel

Action = tuple[str, Any]
"""What is done to a tower: ("drop", cubes), ("knock", strength), ("place", zone), ("again", cubes off the board)."""


def outcomes(model: PhysicsModel, actions: Sequence[Action], seed: int) -> Iterator[Outcome]:
    """Do one thing after the other, each from the state before; failed draws are left as they are."""
    rng, state = np.random.default_rng(seed), model.empty()
    for kind, value in actions:
        colours = {"red": (value + 1) // 2, "blue": value // 2} if kind in ("drop", "again") else {"green": 1}
        cubes = supply(colours, model.cube_edge, first_id=state.next_id)
        if kind == "again":
            cubes = state.board.cubes[:value] or cubes
        if kind == "knock":
            outcome = model.knock(state, value, rng)
        elif kind == "place":
            outcome = model.place(state, cubes[0], value, rng)
        else:
            outcome = model.drop(state, cubes, rng)
        yield outcome
        state = outcome.state


@contextmanager
def filming(apparatus: Apparatus, settings: PhysicsSettings | None = None) -> Iterator[tuple[PhysicsModel, Film]]:
    """Open a model that records."""
    film = Film()
    with PhysicsModel(apparatus, settings, record=film) as model:
        yield model, film


def filmed(apparatus: Apparatus, actions: Sequence[Action], seed: int) -> tuple[list[Outcome], list[Take]]:
    """Return the landings of `actions` and their takes."""
    with filming(apparatus) as (model, film):
        landed = [each for each in outcomes(model, actions, seed) if each.status.is_landing]
        return landed, list(takes(film.taken(), apparatus))


def document(made: Sequence[Take], apparatus: Apparatus, title: str = "A drop", text: str = "some text") -> Replay:
    """Return takes as a document, a step each."""
    steps = [ShownStep(f"{title} {i}", text, (take,)) for i, take in enumerate(made)]
    return replay(title, text, steps, apparatus, About(apparatus.name, "physics", 7))


def counted(take: Take) -> tuple[Counter[str], Counter[str]]:
    """Return how many cubes are inside and how many came out at a take's end, by colour, as a counter on a page has it.

    Inside are those that began there and those thrown, but for those that came out.
    """
    colour = {each.cube.id: each.cube.colour for each in (*take.start, *take.rest)}
    inside = Counter(each.cube.colour for each in take.start if each.place.startswith("inside:"))
    out: Counter[str] = Counter()
    for each in take.happenings:
        if each.cube is not None and each.word == "thrown":
            inside[colour[each.cube]] += 1
        if each.cube is not None and each.word == "out":
            inside[colour[each.cube]] -= 1
            out[colour[each.cube]] += 1
    return +inside, out


def recorded(turns: Iterable[Turn], film: Film, apparatus: Apparatus) -> Iterator[tuple[Turn, tuple[Take, ...]]]:
    """Yield each turn of a run with the takes that belong to it; the run's model was given `film`.

    What a game tried before its first turn, such as whether its model takes a knock, is in none.
    """
    film.taken()
    for turn in turns:
        yield turn, takes(film.taken(), apparatus)

"""Replays of documents: what another program's drop or game did, shown by recorded drops."""

from __future__ import annotations

import numpy as np

from tower_sim.errors import fault
from tower_sim.replay.bank import Bank
from tower_sim.replay.document import About, Replay, ShownStep, replay
from tower_sim.replay.matched import KNOCKS, Playback
from tower_sim.replay.told import ToldDrops


def of_document(document: ToldDrops, bank: Bank, rng: np.random.Generator) -> Replay:
    """Return the replay of a document, with the drops of a bank; `rng` as in `Playback`.

    Raises UsageError where the bank is of a tower of another name, and where it has nothing to show.
    """
    if document.apparatus != bank.apparatus.name:
        allowed = f"{bank.apparatus.name}, whose drops the bank has"
        raise fault("apparatus of the document", document.apparatus, allowed, "give a bank of that tower")
    playback = Playback(bank, rng)
    steps: list[ShownStep] = []
    for step in document.steps:
        takes = () if step.wanted is None else (playback.take_of(step.wanted),)
        playback.levels[KNOCKS] += step.knocked
        steps.append(ShownStep(step.title, step.text, takes))
    playback.check_shown()
    matched = playback.about()
    wanted = [step.wanted for step in document.steps if step.wanted is not None]
    colours = dict.fromkeys(cube.colour for each in wanted for cube in each.cubes)
    what = "A drop" if document.game is None else f"A run of {document.game}"
    title = f"{what} in {document.apparatus}, by {document.model}, seed {document.seed}"
    about = About(document.apparatus, document.model, document.seed, document.game, matched=matched)
    return replay(title, matched["says"], steps, bank.apparatus, about, tuple(colours))

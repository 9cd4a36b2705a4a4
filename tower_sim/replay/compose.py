"""Replays of what was asked for, a drop or one run of any game, and of what another program says that one did."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tower_sim.apparatus.parts import Apparatus
from tower_sim.errors import fault
from tower_sim.games.game import Turn
from tower_sim.outcome import Outcome
from tower_sim.physics.settings import STANDARD
from tower_sim.replay.bank import Bank
from tower_sim.replay.document import About, Replay, ShownStep, replay
from tower_sim.replay.foreign import ForeignDrops
from tower_sim.replay.matched import KNOCKS, Playback
from tower_sim.replay.takes import Take
from tower_sim.requests import DropRequest, PlayRequest
from tower_sim.terminal import counted


def of_drop(
    request: DropRequest,
    apparatus: Apparatus,
    landed: Outcome,
    takes: Sequence[Take],
    matched: dict[str, Any] | None = None,
) -> Replay:
    """Return the replay of a drop, or of a knock and a drop; `matched` as in `About`."""
    step = ShownStep("Knock" if not landed.thrown else "Drop", _counts(landed), tuple(takes))
    title = f"A {step.title.lower()} in {apparatus.name}"
    return replay(
        title, landed.status.sentence, [step], apparatus, _about(request, apparatus, None, matched), request.colours
    )


def of_play(
    request: PlayRequest,
    apparatus: Apparatus,
    turns: Sequence[tuple[Turn, Sequence[Take]]],
    model: str,
    matched: dict[str, Any] | None = None,
) -> Replay:
    """Return the replay of one run, a step a turn; the `model` by its name, `matched` as in `About`."""
    game, rules = request.played, request.rules
    steps = [ShownStep(_title(turn), game.line(turn, rules), tuple(takes)) for turn, takes in turns]
    title = game.ways.caption(rules, apparatus=apparatus.name, model=model, seed=request.seed)
    summary = game.summary([turn for turn, _ in turns], rules)
    head = game.head(rules, apparatus=apparatus.name, model=model, seed=request.seed).splitlines()[1:]
    about = _about(request, apparatus, game.name, matched)
    heading, painted = "\n".join(head) or None, game.paints(rules)
    return replay(title, summary.strip("\n"), steps, apparatus, about, heading=heading, painted=painted)


def of_document(document: ForeignDrops, bank: Bank, rng: np.random.Generator) -> Replay:
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


def _title(turn: Turn) -> str:
    """Name a turn, counted from 0: Drop 0 is the first, in Amerigo the set-up."""
    return f"{turn.kind.replace('_', ' ').capitalize()} {turn.index}"


def _counts(landed: Outcome) -> str:
    """Say what a drop did, in a sentence."""
    thrown, out, inside = len(landed.thrown), len(landed.emerged), len(landed.inside)
    if not thrown:
        return f"{counted(out, 'cube')} came out at a knock, {inside} stayed inside."
    before = counted(len(landed.knocked_out), "cube")
    knocked = f" ({before} of them out at a knock before)" if landed.knocked_out else ""
    return f"{counted(thrown, 'cube')} thrown{knocked}: {out} came out, {inside} are inside."


def _about(
    request: DropRequest | PlayRequest, apparatus: Apparatus, game: str | None, matched: dict[str, Any] | None
) -> About:
    settings = request.settings
    if settings is None:
        return About(apparatus.name, request.model, request.seed, game, matched=matched)
    fine = request.accuracy or STANDARD
    return About(apparatus.name, request.model, request.seed, game, settings.engine, fine, settings.digest(), matched)

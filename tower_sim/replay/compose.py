"""Replays of what was asked for, a drop or one run of any game."""

from __future__ import annotations

from collections.abc import Sequence

from tower_sim.apparatus.parts import Apparatus
from tower_sim.games.turn import Turn
from tower_sim.outcome import Outcome
from tower_sim.physics.settings import STANDARD
from tower_sim.replay.document import About, Replay, ShownStep, replay
from tower_sim.replay.takes import Take
from tower_sim.requests import DropRequest, PlayRequest
from tower_sim.terminal import counted


def of_drop(request: DropRequest, apparatus: Apparatus, landed: Outcome, takes: Sequence[Take]) -> Replay:
    """Return the replay of a drop, or of a knock and a drop."""
    step = ShownStep("Knock" if not landed.thrown else "Drop", _counts(landed), tuple(takes))
    title = f"A {step.title.lower()} in {apparatus.name}"
    about = _about(request, apparatus)
    return replay(title, landed.status.sentence, [step], apparatus, about, request.colours)


def of_play(
    request: PlayRequest, apparatus: Apparatus, turns: Sequence[tuple[Turn, Sequence[Take]]], model: str
) -> Replay:
    """Return the replay of one run, a step a turn; the `model` by its name."""
    game, rules = request.played, request.rules
    steps = [ShownStep(_title(turn), game.ways.line(turn, rules), tuple(takes)) for turn, takes in turns]
    title = game.ways.caption(rules, apparatus=apparatus.name, model=model, seed=request.seed)
    summary = game.summary([turn for turn, _ in turns], rules)
    head = game.ways.head(rules, apparatus=apparatus.name, model=model, seed=request.seed).splitlines()[1:]
    about = _about(request, apparatus, game.name)
    heading = "\n".join(head) or None
    return replay(title, summary.strip("\n"), steps, apparatus, about, heading=heading)


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


def _about(request: DropRequest | PlayRequest, apparatus: Apparatus, game: str | None = None) -> About:
    settings = request.settings
    assert settings is not None  # physics alone has takes
    fine = request.accuracy or STANDARD
    return About(apparatus.name, request.model, request.seed, game, settings.engine, fine, settings.digest())

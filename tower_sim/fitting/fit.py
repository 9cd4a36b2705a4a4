"""`tower-sim model fit`: fit a surrogate to campaigns and write its model file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from tower_sim.campaign.reader import load_whole
from tower_sim.errors import fault
from tower_sim.fitting.data import apparatus_of
from tower_sim.fitting.kinds import KINDS
from tower_sim.fitting.tower.ladder import score_lines
from tower_sim.surrogate.store import BOARD, TOWER, Fitted, RungScore
from tower_sim.tools import writing
from tower_sim.tools.progress import nothing, telling

LEAST_RUNS = 10  # with fewer, no run would be held out


def fit(directories: Sequence[str | Path], note: Callable[[], None] = nothing) -> Fitted:
    """Fit a surrogate to campaigns; equal data give an equal model.

    Args:
        directories: The campaigns, of one apparatus (see `apparatus_of`) and with 10 runs or more together.
        note: Called after each step of the fit.

    Returns:
        The fitted law, which `Fitted.to_json` writes.
    """
    campaigns = [load_whole(directory) for directory in directories]
    apparatus = apparatus_of(campaigns)
    runs = sum(campaign.runs for campaign in campaigns)
    if runs < LEAST_RUNS:
        raise fault("runs of the campaigns", runs, f"{LEAST_RUNS} or more", "run more")
    kind = BOARD if any(campaign.kind == "battle" for campaign in campaigns) else TOWER
    return KINDS[kind].fit(campaigns, apparatus, note)


def fit_command(directories: Sequence[Path], output: Path) -> None:
    """Fit a surrogate, write its file and print the ladder; raise UsageError as `fit` does."""
    writing.check(output, "model file")
    with telling("steps of the fit") as tell:
        fitted = fit(directories, tell.step)
    writing.write(output, fitted.to_json(), "model file")
    runs, drops = sum(source.runs for source in fitted.data), sum(source.drops for source in fitted.data)
    of = f" of the engine {fitted.engine}" if fitted.engine else ""
    print(f"{fitted.kind} {fitted.apparatus}: fitted to {runs} runs, {drops} drops{of}")
    if fitted.scores:
        print(ladder_text(fitted.scores))
    print(output)


def ladder_text(scored: Sequence[RungScore]) -> str:
    """Return the ladder as a table: mean log score per drop on held-out runs, and the gain over rung 0."""
    lines = score_lines(scored, "held-out log score a drop (nats)", "over rung 0")
    best = max(scored, key=lambda rung: rung.score)
    if best != scored[-1]:
        lines.append(f"more data needed: the model's rung, {scored[-1].title!r}, does not win here, but {best.title!r}")
    return "\n".join(lines)

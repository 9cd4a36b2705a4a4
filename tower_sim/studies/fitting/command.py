"""`tower-sim model fit` and `tower-sim model check`: fit a surrogate to campaigns, or compare it with others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tower_sim.apparatus import Apparatus
from tower_sim.campaign import Campaign, load_whole
from tower_sim.errors import fault
from tower_sim.report import Report, check_report
from tower_sim.studies.fitting.board import pages as board_pages
from tower_sim.studies.fitting.board.check import check_board
from tower_sim.studies.fitting.board.fit import fit_board
from tower_sim.studies.fitting.data import find_apparatus
from tower_sim.studies.fitting.tower import pages as tower_pages
from tower_sim.studies.fitting.tower.check import check_tower
from tower_sim.studies.fitting.tower.fit import fit_tower
from tower_sim.surrogate import BOARD, TOWER, Fitted, RungScore, fitted_or_shipped
from tower_sim.tools import Telling, count_noun, need, nothing, report_progress, say, writing

SHOWN = 2  # sections of a check that the terminal shows
LEAST_RUNS = 10  # with fewer, no run would be held out


@dataclass(frozen=True)
class Kind:
    """How the surrogates of a kind are fitted and checked; `report` presents the result of `check`."""

    fit: Callable[[Sequence[Campaign], Apparatus, Callable[[], None]], Fitted]
    check: Callable[[Fitted, Sequence[Campaign], int, Telling], Any]
    report: Callable[[Any], Report]


KINDS = {
    TOWER: Kind(fit_tower, check_tower, tower_pages.report),
    BOARD: Kind(fit_board, check_board, board_pages.report),
}


def fit(directories: Sequence[str | Path], note: Callable[[], None] = nothing) -> Fitted:
    """Fit a surrogate to campaigns; equal data give an equal model.

    Args:
        directories: The campaigns, of one apparatus (see `find_apparatus`) and with 10 runs or more together.
        note: Called after each step of the fit.

    Returns:
        The fitted law, which `Fitted.to_json` writes.
    """
    campaigns = [load_whole(directory) for directory in directories]
    apparatus = find_apparatus(campaigns)
    runs = sum(campaign.runs for campaign in campaigns)
    if runs < LEAST_RUNS:
        raise fault("runs of the campaigns", runs, f"{LEAST_RUNS} or more", "run more")
    kind = BOARD if any(campaign.kind == "battle" for campaign in campaigns) else TOWER
    return KINDS[kind].fit(campaigns, apparatus, note)


def fit_command(directories: Sequence[str | Path], output: str | Path) -> None:
    """Fit a surrogate, write its file and print the ladder."""
    need("surrogate", "pyarrow")
    writing.check(output, "model file")
    with report_progress("steps of the fit") as tell:
        fitted = fit(directories, tell.step)
    writing.write(output, fitted.to_json(), "model file")
    runs, drops = sum(source.runs for source in fitted.data), sum(source.drops for source in fitted.data)
    of = f" of the engine {fitted.engine}" if fitted.engine else ""
    print(f"{fitted.kind} {fitted.apparatus}: fitted to {count_noun(runs, 'run')}, {count_noun(drops, 'drop')}{of}")
    if fitted.scores:
        print(ladder_text(fitted.scores))
    print(output)


def ladder_text(scores: Sequence[RungScore]) -> str:
    """Return the ladder as a table: mean log score per drop on held-out runs, and the gain over the first rung."""
    lines = [tower_pages.score_table(scores).text()]
    best = max(scores, key=lambda rung: rung.score)
    if best != scores[-1]:
        lines.append(f"more data needed: the model's rung, {scores[-1].title!r}, does not win here, but {best.title!r}")
    return "\n".join(lines)


def check_command(model: str, directories: Sequence[str | Path], out: str | Path | None, seed: int) -> None:
    """Check a surrogate, print the result, and write the report to `out` unless it is None."""
    fitted = fitted_or_shipped(model)
    kind = KINDS[fitted.kind]
    need("surrogate", "pyarrow", *(("sklearn.ensemble", "threadpoolctl") if fitted.kind == TOWER else ()))
    if out is not None:
        check_report(out)
    campaigns = [load_whole(directory) for directory in directories]
    with report_progress("steps of the check") as tell:
        check = kind.check(fitted, campaigns, seed, tell)
    report = kind.report(check)
    say(report.text(SHOWN))
    if out is not None:
        report.write(out)
        print(Path(out, "report.md"))

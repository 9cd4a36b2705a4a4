"""The report's section on its evidence: where it is from, how it was read, its values and clues."""

from __future__ import annotations

from tower_sim.calibration.evidence import GAMES, PHASE, SOFT, Evidence
from tower_sim.calibration.findings import phases, unit_of
from tower_sim.calibration.result import Calibration
from tower_sim.calibration.summaries import SUMMARIES, Window
from tower_sim.study.sheets import Cell, Sheets


def data(sheets: Sheets, calibration: Calibration) -> None:
    """List the evidence, how it was read, and its values."""
    rows: list[list[Cell]] = []
    values: list[list[Cell]] = []
    clues: list[list[Cell]] = []
    for i, entry in enumerate(calibration.fit.evidence, start=1):
        words = [safe(text) for text in (entry.name, entry.words, entry.source, entry.kind)]
        rows.append([i, *words, read_as(entry), f"{entry.doubt:.3g}"])
        held = entry.held or (False,) * len(entry.windows)
        for window, value, out in zip(entry.windows, entry.values, held, strict=True):
            summary = SUMMARIES[window.summary]
            span = None
            if entry.noise not in (GAMES, PHASE):
                span = " to ".join(f"{float(summary.back(value + side * entry.said)):.3g}" for side in (-1, 1))
            use = "checking" if out else "fitting"
            of = of_what(entry, window)
            values.append([i, *of, float(summary.back(value)), unit_of(window), span, use])
        clues += [[i, str(clue), f"{1 / entry.doubt:.2g}"] for clue in entry.clues]
    sheets.text(
        "## 2. Data and provenance",
        "What is known of the real tower, and how it was read. A doubt of 2 doubles the variance with which chance may "
        "move a value [A].",
    )
    sheets.table("evidence", ["entry", "name", "says", "source", "kind", "read as", "doubt"], rows)
    sheets.text("The values, each in its own unit. Words have a standard deviation (sd) of their own [A].")
    if values:
        sheets.table("values", ["entry", "summary", "of", "value", "unit", "plus and minus 1 sd", "used for"], values)
    if clues:
        sheets.text(
            "Clues have a chance under every tower: the emulated share of such phases, or the chance that a mean lies "
            f"between bounds, whose ends are soft (sd {SOFT} on the fit's scale [A]). It is raised to the power that "
            "its doubt leaves it."
        )
        sheets.table("clues", ["entry", "clue", "power"], clues)


def of_what(entry: Evidence | None, window: Window) -> tuple[str, str]:
    """Return what a value sums up, and of which phases."""
    if entry and entry.noise == PHASE:
        words = "action points of a phase" if window.summary == "points" else "out in one phase"
        return words, "one phase" if entry.games == 1 else f"{entry.games} phases"
    return SUMMARIES[window.summary].words, phases(window)


def read_as(entry: Evidence) -> str:
    """Say how an entry of the evidence was read."""
    if not entry.windows:
        return "clue" if len(entry.clues) == 1 else "clues"
    if entry.noise == GAMES:
        return "one game" if entry.games == 1 else f"mean of {entry.games} games"
    if entry.noise == PHASE:
        return "one phase" if entry.games == 1 else f"{entry.games} phases"
    return f"words about many games, sd {entry.said:.2g} on the fit's scale"


def safe(text: str) -> str:
    """Put words from outside on one line, without what Markdown would take for a table."""
    return " ".join(text.split()).replace("|", "\\|")

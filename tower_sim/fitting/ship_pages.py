"""The report on a board's surrogate: physics and surrogate side by side on held-out battles, with plots."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tower_sim.campaign.data import Array
from tower_sim.fitting.ship_check import LEVEL, PERMUTATIONS, BoardCheck, ComparedFact
from tower_sim.fitting.ship_facts import classes
from tower_sim.fitting.ship_ladder import BoardRung
from tower_sim.statistics import Estimates
from tower_sim.study.plots import BAR, FONT, INK, SIM, label, legend, panels, whiskers
from tower_sim.study.sheets import Cell, Sheets
from tower_sim.surrogate.board_law import TERMS, BoardLaw

FEWEST = 30  # under a cell's number in plots and tables, below which it is left out
DETECTED = 2.8  # standard deviations: a gap that large is found four times in five at the 5 % level
WORST = 6  # cells named as the weakest
_SURROGATE = {"color": "0.45", "marker": "s", "ms": 3.5, "lw": 1.0, "ls": "none", "mfc": "white"}


def write_report(check: BoardCheck, law: BoardLaw, out: str | Path, rungs: Sequence[BoardRung] = ()) -> None:
    """Write `report.md`, tables and plots to the directory `out`; `rungs` are those of `ladder`, if it was asked.

    Raises UsageError when `out` cannot be written.
    """
    sheets = Sheets(out)
    sheets.text(f"# The surrogate of {check.ship.name}: held-out battles")
    sheets.text(
        f"{check.battles} battles with physics that the surrogate was not fitted to ({check.throws} throws), and "
        f"{check.played} battles of the same set-ups with the surrogate. Intervals are of 95 %, by battle. Each test "
        f"permutes physics and surrogate {PERMUTATIONS} times within a set-up; p values are corrected for the "
        f"{len(check.facts)} tests by Holm's method. {100 * check.extrapolated:.1f} % of the surrogate's draws were "
        "extrapolated."
    )
    if check.engines:
        sheets.text(check.engines)
    _verdict(sheets, check)
    _weakest(sheets, check)
    _landing(sheets, check)
    _displacement(sheets, check)
    _battles(sheets, check)
    _law(sheets, law, rungs)
    sheets.close()


def board_text(check: BoardCheck) -> str:
    """Return the check as lines for a terminal: every fact's corrected p, where it is farthest off, and gains."""
    lines = [
        f"{check.ship.name}: {check.battles} battles with physics, {check.played} with the surrogate, "
        f"{100 * check.extrapolated:.1f} % of its draws extrapolated",
        *([check.engines] if check.engines else []),
        f"{'fact':44s} {'p (Holm)':>8s}  farthest off",
    ]
    for fact in check.facts:
        at = _steepest(fact)
        pair = f"{fact.physics.value[at]:.3g} with physics, {fact.surrogate.value[at]:.3g} with the surrogate"
        mark = "*" if fact.differs else " "
        lines.append(f"{fact.name:43s}{mark} {fact.holm:8.2g}  {fact.cells[at]}: {pair} ({abs(_z(fact)[at]):.1f} sd)")
    lines += [
        f"log score gained, {part}: {gain:.1f} +- {error:.1f} nats" for part, (gain, error) in check.gains.items()
    ]
    return "\n".join(lines)


def _verdict(sheets: Sheets, check: BoardCheck) -> None:
    sheets.text("## 1. What differs")
    wrong = [fact.name for fact in check.facts if fact.differs]
    if wrong:
        sheets.text(f"Differences beyond chance at {LEVEL:g}, all tests considered: {', '.join(wrong)}.")
    else:
        sheets.text(f"No fact differs beyond chance at {LEVEL:g}, all tests considered.")
    gains = [f"{part} {gain:.1f} +- {error:.1f} nats" for part, (gain, error) in check.gains.items()]
    sheets.text(
        "Log score of the law over constant shares, and over one chance of displacement for every cube and throw, "
        f"both taken from the held-out battles themselves, summed over {check.throws} throws: {', '.join(gains)}."
    )
    rows: list[list[Cell]] = []
    for fact in check.facts:
        i = _steepest(fact)
        rows.append([fact.name, len(fact.cells), fact.p, fact.holm, fact.cells[i], fact.gap[i], fact.gap_sd[i]])
    head = ["fact", "numbers", "p", "p, corrected", "farthest apart", "surrogate minus physics", "sd of that by chance"]
    sheets.table("tests", head, rows)


def _weakest(sheets: Sheets, check: BoardCheck) -> None:
    sheets.text("## 2. Where the surrogate is weakest")
    cells = [(abs(_z(fact)[i]), fact, i) for fact in check.facts for i in range(len(fact.cells)) if _known(fact)[i]]
    cells.sort(key=lambda cell: -cell[0])
    beyond = sum(z > 2 for z, _, _ in cells)
    sheets.text(
        f"Of {len(cells)} numbers {beyond} differ by more than two standard deviations of chance; about "
        f"{0.0455 * len(cells):.0f} would if surrogate and physics were the same. The farthest apart:"
    )
    sheets.table(
        "weakest",
        ["fact", "number", "physics", "surrogate", "gap in sd"],
        [[e.name, e.cells[i], e.physics.at(i, int(e.n[i])), e.surrogate.at(i, int(e.n[i])), float(_z(e)[i])]
         for _, e, i in cells[:WORST]],
    )  # fmt: skip
    coarse = [
        f"{e.name} ({e.cells[i]}) {DETECTED * e.gap_sd[i]:.2g}"
        for e in check.facts
        for i in [int(np.argmax(np.where(_known(e), e.gap_sd, 0)))]
        if e.name in ("wins", "strength", "displacement", "chains") or e.name.startswith("landing")
    ]
    sheets.text(
        f"Smaller differences than these would be missed more than once in five ({DETECTED} standard deviations, the "
        f"number of each fact that is known worst): {'; '.join(coarse)}.",
        "Left out by its making: where in a zone a cube lies; what a cube touches and rests on (so that the rulings "
        "`two_zones = both` or `rethrown` and `on_cube = rethrown` need physics); cubes that stay in the ship, and "
        "knocks; that a cube which is put into a zone pushes others; and what cubes of one throw have in common.",
    )


def _landing(sheets: Sheets, check: BoardCheck) -> None:
    sheets.text("## 3. Where thrown cubes land")
    facts = [fact for fact in check.facts if fact.name.startswith("landing")]
    sheets.table("landing", ["thrown", *_HEAD], [[fact.name.removeprefix("landing, "), *row] for fact in facts
                                                  for row in _rows_of(fact)])  # fmt: skip
    sheets.picture("landing", _landing_picture(facts), "Where thrown cubes land, physics and surrogate")


def _displacement(sheets: Sheets, check: BoardCheck) -> None:
    sheets.text("## 4. Cubes on the board that change their place")
    facts = [fact for fact in check.facts if fact.name.startswith("displacement")]
    for fact, name in zip(facts, ("displacement", "displacement_places"), strict=True):
        sheets.table(name, _HEAD, _rows_of(fact))
    figure, made = panels(1, 2, 2.9)
    for panel, fact in zip(made, facts, strict=True):
        _pair(panel, fact)
        panel.set_ylim(bottom=0)
        label(panel, "", "share of lying cubes moved", f"n = {int(fact.n.sum())} cube-throws, physics")
        legend(panel, columns=2)
    sheets.picture("displacement", figure, "Cubes that a throw moves into another place")


def _battles(sheets: Sheets, check: BoardCheck) -> None:
    sheets.text("## 5. Battles")
    by_name = {compared.name: compared for compared in check.facts}
    rows = [[name, *row] for name, compared in by_name.items() if not name.startswith(("landing", "displacement"))
            for row in _rows_of(compared, 1)]  # fmt: skip
    sheets.table("battles", ["fact", *_HEAD], rows)
    figure, made = panels(2, 2, 5.0)
    won = [name for name in by_name if name.startswith("wins by set-up")]  # one a campaign; the largest is drawn
    shown = ("chains", "steps", "strength", max(won, key=lambda name: float(by_name[name].n.sum())))
    names = ("explosions in a row", "", "", f"first cubes of {by_name['wins'].cells[0]} : the other")
    for panel, fact, x in zip(made, shown, names, strict=True):
        compared = by_name[fact]
        _pair(panel, compared, 1, turned=fact != "chains")
        y = f"won by {by_name['wins'].cells[0]}, {compared.unit}" if "wins" in fact else compared.unit
        own = round(float(compared.n.sum())) if fact in won else check.battles
        label(panel, x, y, f"{own} and {own * check.played // check.battles} battles")
        if fact == "chains":  # each length is some eight times rarer than the one before
            panel.set_yscale("log")
            panel.yaxis.set_major_formatter("{x:g}")
        else:
            panel.set_ylim(bottom=0)
        legend(panel, columns=2)
    sheets.picture("battles", figure, "Chains of explosions, steps, strength and wins, physics and surrogate")


def _law(sheets: Sheets, law: BoardLaw, rungs: Sequence[BoardRung]) -> None:
    sheets.text("## 6. The law")
    sheets.text(
        f"Of n cubes thrown onto m that lie there each lands by itself; log-odds against {law.places[_base(law)]} are "
        f"the coefficients below times {', '.join(TERMS)}, plus {law.crowd:.3f} +- {law.crowd_error:.3f} times the "
        "difference of log(1 + lying) at the two places. A lying cube changes its place with chance 1 - exp(-rate); "
        f"the log of the rate is the level below plus {law.slope:.2f} +- {law.slope_error:.2f} times log n. Errors are "
        "standard errors for independent throws."
    )
    rows: list[list[Cell]] = []
    for i, place in enumerate(law.places):
        pairs = zip(law.landing[i], law.landing_errors[i], strict=True)
        level = "never" if i == len(law.places) - 1 else f"{law.changed[i]:.2f} +- {law.changed_errors[i]:.2f}"
        rows.append([place, *(f"{a:.2f} +- {e:.2f}" if e else "0" for a, e in pairs), level, law.moved[i]])
    sheets.table("law", ["place", *TERMS, "log rate of displacement", "changes seen"], rows)
    if not rungs:
        return
    sheets.text(
        "What each term gains over the line before it, held out by battle (nats, summed over the throws fitted):"
    )
    told: list[list[Cell]] = []
    for rung in rungs:
        first = math.isnan(rung.gain)
        gain = (
            ""
            if first
            else "endless: some did move"
            if math.isinf(rung.gain)
            else f"{rung.gain:.1f} +- {rung.error:.1f}"
        )
        told.append([rung.part, rung.law, gain])
    sheets.table("terms", ["part", "law", "gain"], told)


# Parts

_HEAD = ["number", "physics", "surrogate", "of", "gap in sd"]


def _rows_of(fact: ComparedFact, fewest: int = FEWEST) -> list[list[Cell]]:
    z = _z(fact)
    return [
        [cell, fact.physics.at(i, int(fact.n[i])), fact.surrogate.at(i, int(fact.n[i])), int(fact.n[i]), float(z[i])]
        for i, cell in enumerate(fact.cells)
        if fact.n[i] >= fewest
    ]


def _z(fact: ComparedFact) -> Array:
    return fact.gap / np.where(fact.gap_sd > 0, fact.gap_sd, np.inf)


def _known(fact: ComparedFact) -> Array:
    """Say which cells both sides have enough of."""
    least = 1 if fact.unit.endswith("battle") or fact.unit.endswith("battles") else FEWEST
    return (fact.n >= least) & (fact.gap_sd > 0)


def _steepest(fact: ComparedFact) -> int:
    return int(np.argmax(np.abs(_z(fact))))


def _base(law: BoardLaw) -> int:
    return next(i for i, row in enumerate(law.landing) if not any(row))


def _pair(panel: Any, fact: ComparedFact, fewest: int = FEWEST, *, turned: bool = True) -> None:
    """Draw one fact: physics as bars, the surrogate as points, both with intervals."""
    rows = np.flatnonzero(fact.n >= fewest)
    x = np.arange(len(rows))
    physics, surrogate = (Estimates(e.value[rows], e.low[rows], e.high[rows]) for e in (fact.physics, fact.surrogate))
    panel.bar(x, physics.value, 0.7, label="physics", **BAR)
    whiskers(panel, x - 0.12, physics, {"color": INK, "ls": "none"})
    whiskers(panel, x + 0.12, surrogate, _SURROGATE, "surrogate")
    style = {"rotation": 40, "ha": "right", "rotation_mode": "anchor"} if turned else {}
    panel.set_xticks(x, [fact.cells[int(i)] for i in rows], fontsize=FONT - 1, **style)


def _landing_picture(facts: Sequence[ComparedFact]) -> Any:
    """Draw a panel a place: its share by the number thrown."""
    places = facts[0].cells
    columns = 4
    figure, made = panels(-(-len(places) // columns), columns, 1.75 * -(-len(places) // columns))
    x = np.arange(len(facts))
    for i, (panel, place) in enumerate(zip(made, places, strict=False)):
        for side, style, shift in (("physics", SIM | {"ls": "none"}, -0.1), ("surrogate", _SURROGATE, 0.1)):
            values = Estimates(*(np.array([getattr(getattr(e, side), k)[i] for e in facts])
                                 for k in ("value", "low", "high")))  # fmt: skip
            whiskers(panel, x + shift, values, style, side)
        panel.set_ylim(bottom=0)
        label(panel, "", "share" if i % columns == 0 else "", place)
        names = [name.replace(" or more", "+").replace(" to ", "-") for name in classes()]
        panel.set_xticks(x, names, fontsize=FONT - 1)
    for panel in made[len(places) :]:
        panel.set_visible(False)
    for panel in made[len(places) - columns : len(places)]:
        panel.set_xlabel("thrown [cubes]", fontsize=FONT)
    handles, names = made[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside upper right", ncols=2, fontsize=FONT, frameon=False)
    return figure

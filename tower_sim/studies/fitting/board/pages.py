"""The report on a board's surrogate: physics and surrogate compared on held-out battles, with plots."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tower_sim.report import Chart, Report, Rows, Section, Table
from tower_sim.results import Array
from tower_sim.studies.fitting.board.check import BoardCheck
from tower_sim.studies.fitting.compared import HEAD, LEVEL, SideBySide, overview, pair
from tower_sim.surrogate import TERMS, BoardLaw

FEWEST = 30  # cells with a smaller denominator are left out of plots and tables
WORST = 6  # cells reported as the weakest


def report(check: BoardCheck) -> Report:
    """Return the report on a check."""
    wrong = [fact.name for fact in check.facts if fact.differs]
    verdict = f"Differences beyond chance at {LEVEL:g}, all tests considered: {', '.join(wrong)}."
    says = [
        verdict if wrong else f"No fact differs beyond chance at {LEVEL:g}, all tests considered.",
        f"{check.battles} battles with physics that the surrogate was not fitted to ({check.throws} throws), and "
        f"{check.played} battles of the same set-ups with the surrogate. {100 * check.extrapolated:.1f} % of the "
        "surrogate's throws were extrapolated.",
        *([check.engines] if check.engines else []),
    ]
    gains = [f"{part} {gain:.1f} +- {error:.1f} nats" for part, (gain, error) in check.gains.items()]
    scores = (
        "Log score of the law over constant shares, and over one chance of displacement for every cube and throw, "
        f"both taken from the held-out battles themselves, summed over {check.throws} throws: {', '.join(gains)}. "
    )
    landing = [fact for fact in check.facts if fact.name.startswith("landing")]
    moved = [fact for fact in check.facts if fact.name.startswith("displacement")]
    battles = [fact for fact in check.facts if fact not in (*landing, *moved)]
    sections = [
        overview("What differs", scores, check.facts),
        _weakest(check),
        _numbers("Where thrown cubes land", "landing", landing),
        _numbers("Cubes on the board that change their place", "displacement", moved),
        _numbers("Battles", "battles", battles, ("chains", "steps", "strength", "wins by set-up")),
        _law(check.law),
    ]
    return Report(f"The surrogate of {check.ship.name}: held-out battles", says, sections)


def _known(fact: SideBySide) -> Array:
    """Return the cells that have enough data with physics; of battles, all that have some."""
    assert fact.physics.n is not None  # as all ratios
    return np.flatnonzero(fact.physics.n >= (1 if fact.unit.endswith(("battle", "battles", "throws")) else FEWEST))


def _numbers(title: str, name: str, facts: Sequence[SideBySide], drawn: Sequence[str] = ()) -> Section:
    rows: Rows = [[*fact.row(i), fact.physics.at(i).n] for fact in facts for i in _known(fact).tolist()]
    panels = [pair(fact, _known(fact)) for fact in facts if not drawn or fact.name in drawn]
    chart = Chart(name, f"{title}, physics and surrogate", panels, 2.5, 2, foot=True)
    return Section(title, "", Table(name, [*HEAD, "of"], rows), chart)


def _weakest(check: BoardCheck) -> Section:
    cells = [(fact, i) for fact in check.facts for i in _known(fact).tolist()]
    cells.sort(key=lambda cell: -cell[0].clearness[cell[1]])
    limits = (
        "Left out by its making: where in a zone a cube lies; what a cube touches and rests on (so that the rulings "
        "`two_zones = both` or `rethrown` and `on_cube = rethrown` need physics); cubes that stay in the ship, and "
        "knocks; that a cube which is put into a zone pushes others; and what cubes of one throw have in common."
    )
    return Section(
        "Where the surrogate is weakest",
        f"Of {len(cells)} numbers {sum(bool(fact.is_apart[i]) for fact, i in cells)} differ by an interval without 0; "
        f"about {LEVEL * len(cells):.0f} would if surrogate and physics were the same. The farthest apart:",
        Table("weakest", HEAD, [fact.row(i) for fact, i in cells[:WORST]]),
        parts=[Section("", limits)],
    )


def _law(law: BoardLaw) -> Section:
    rows: Rows = []
    for i, place in enumerate(law.places):
        pairs = zip(law.landing[i], law.landing_errors[i], strict=True)
        level = "never" if i == len(law.places) - 1 else f"{law.changed[i]:.2f} +- {law.changed_errors[i]:.2f}"
        rows.append([place, *(f"{a:.2f} +- {e:.2f}" if e else "0" for a, e in pairs), level, law.moved[i]])
    base = next(i for i, row in enumerate(law.landing) if not any(row))
    return Section(
        "The law",
        f"Of n cubes thrown onto m that lie there each lands by itself; log-odds against {law.places[base]} are the "
        f"coefficients below times {', '.join(TERMS)}, plus {law.crowd:.3f} +- {law.crowd_error:.3f} times the "
        "difference of log(1 + lying) at the two places. A lying cube changes its place with chance 1 - exp(-rate); "
        f"the log of the rate is the level below plus {law.slope:.2f} +- {law.slope_error:.2f} times log n. Errors "
        "are standard errors for independent throws.",
        Table("law", ["place", *TERMS, "log rate of displacement", "changes seen"], rows),
    )

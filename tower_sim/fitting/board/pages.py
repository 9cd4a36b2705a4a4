"""The report on a board's surrogate: physics and surrogate compared on held-out battles, with plots."""

from __future__ import annotations

import numpy as np

from tower_sim.fitting.board.check import PERMUTATIONS, BoardCheck, ComparedFact, classes
from tower_sim.fitting.numerics import LEVEL
from tower_sim.report import Chart, Panel, Report, Rows, Section, Table, charts
from tower_sim.results import Array, Cell, Estimates
from tower_sim.surrogate import TERMS, BoardLaw

FEWEST = 30  # cells with a smaller denominator are left out of plots and tables
DETECTED = 2.8  # standard deviations: so large a gap is significant at 5 % in four of five checks
WORST = 6  # cells reported as the weakest


def report(check: BoardCheck) -> Report:
    """Return the report on a check."""
    says = [
        _verdict(check),
        f"{check.battles} battles with physics that the surrogate was not fitted to ({check.throws} throws), and "
        f"{check.played} battles of the same set-ups with the surrogate. Intervals are of 95 %, by battle. Each test "
        f"permutes physics and surrogate {PERMUTATIONS} times within a set-up; p values are corrected for the "
        f"{len(check.facts)} tests by Holm's method. {100 * check.extrapolated:.1f} % of the surrogate's draws were "
        "extrapolated.",
        *([check.engines] if check.engines else []),
    ]
    sections = [
        _differs(check),
        _weakest(check),
        _landing(check),
        _displacement(check),
        _battles(check),
        _law(check.law),
    ]
    return Report(f"The surrogate of {check.ship.name}: held-out battles", says, sections)


def _verdict(check: BoardCheck) -> str:
    wrong = [fact.name for fact in check.facts if fact.differs]
    if wrong:
        return f"Differences beyond chance at {LEVEL:g}, all tests considered: {', '.join(wrong)}."
    return f"No fact differs beyond chance at {LEVEL:g}, all tests considered."


def _differs(check: BoardCheck) -> Section:
    gains = [f"{part} {gain:.1f} +- {error:.1f} nats" for part, (gain, error) in check.gains.items()]
    rows: Rows = []
    for fact in check.facts:
        i = _steepest(fact)
        rows.append([fact.name, len(fact.cells), fact.p, fact.holm, fact.cells[i], fact.gap[i], fact.gap_sd[i]])
    head = ["fact", "numbers", "p", "p, corrected", "farthest apart", "surrogate minus physics", "sd of that by chance"]
    return Section(
        "1. What differs",
        "Log score of the law over constant shares, and over one chance of displacement for every cube and throw, "
        f"both taken from the held-out battles themselves, summed over {check.throws} throws: {', '.join(gains)}.",
        Table("tests", head, rows),
    )


def _weakest(check: BoardCheck) -> Section:
    cells = [(abs(_z(fact)[i]), fact, i) for fact in check.facts for i in range(len(fact.cells)) if _has_data(fact)[i]]
    cells.sort(key=lambda cell: -cell[0])
    rows: Rows = [
        [e.name, e.cells[i], e.physics.at(i, int(e.n[i])), e.surrogate.at(i, int(e.n[i])), float(_z(e)[i])]
        for _, e, i in cells[:WORST]
    ]
    coarse = [
        f"{e.name} ({e.cells[i]}) {DETECTED * e.gap_sd[i]:.2g}"
        for e in check.facts
        for i in [int(np.argmax(np.where(_has_data(e), e.gap_sd, 0)))]
        if e.name in ("wins", "strength", "displacement", "chains") or e.name.startswith("landing")
    ]
    limits = (
        f"Smaller differences than these would be missed more than once in five ({DETECTED} standard deviations, the "
        f"number of each fact that is known worst): {'; '.join(coarse)}.\n\n"
        "Left out by its making: where in a zone a cube lies; what a cube touches and rests on (so that the rulings "
        "`two_zones = both` or `rethrown` and `on_cube = rethrown` need physics); cubes that stay in the ship, and "
        "knocks; that a cube which is put into a zone pushes others; and what cubes of one throw have in common."
    )
    return Section(
        "2. Where the surrogate is weakest",
        f"Of {len(cells)} numbers {sum(z > 2 for z, _, _ in cells)} differ by more than two standard deviations of "
        f"chance; about {0.0455 * len(cells):.0f} would if surrogate and physics were the same. The farthest apart:",
        Table("weakest", ["fact", "number", "physics", "surrogate", "gap in sd"], rows),
        parts=[Section("", limits)],
    )


def _landing(check: BoardCheck) -> Section:
    facts = [fact for fact in check.facts if fact.name.startswith("landing")]
    rows: Rows = [[fact.name.removeprefix("landing, "), *row] for fact in facts for row in _list_rows(fact)]
    x, names = np.arange(len(facts)), [name.replace(" or more", "+").replace(" to ", "-") for name in classes()]
    panels: list[Panel] = []
    for i, place in enumerate(facts[0].cells):
        both = (Estimates.of(side.at(i, 0) for side in sides)
                for sides in ([e.physics for e in facts], [e.surrogate for e in facts]))  # fmt: skip
        marks = [
            charts.points(x + 0.2 * role - 0.1, values, name, role, joined=False)
            for role, (values, name) in enumerate(zip(both, ("physics", "surrogate"), strict=True))
        ]
        panels.append(Panel("thrown [cubes]", "share", marks, place, names, floor=True))
    chart = Chart(
        "landing", charts.figure(panels, 1.75, 4, foot=True), "Where thrown cubes land, physics and surrogate"
    )
    return Section("3. Where thrown cubes land", "", Table("landing", ["thrown", *_HEAD], rows), chart)


def _displacement(check: BoardCheck) -> Section:
    facts = [fact for fact in check.facts if fact.name.startswith("displacement")]
    panels = [
        _pair(fact, "", "share of lying cubes moved", f"n = {int(fact.n.sum())} cube-throws, physics") for fact in facts
    ]
    tables = [
        Section("", table=Table(name, _HEAD, _list_rows(fact)))
        for fact, name in zip(facts, ("displacement", "displacement_places"), strict=True)
    ]
    chart = Chart("displacement", charts.figure(panels, foot=True), "Cubes that a throw moves into another place")
    return Section("4. Cubes on the board that change their place", chart=chart, parts=tables)


def _battles(check: BoardCheck) -> Section:
    by_name = {fact.name: fact for fact in check.facts}
    rows: Rows = [[name, *row] for name, fact in by_name.items() if not name.startswith(("landing", "displacement"))
                  for row in _list_rows(fact, 1)]  # fmt: skip
    won = [name for name in by_name if name.startswith("wins by set-up")]  # one a campaign; the largest is drawn
    names_shown = ("chains", "steps", "strength", max(won, key=lambda name: float(by_name[name].n.sum())))
    side = by_name["wins"].cells[0]
    panels: list[Panel] = []
    for name, x in zip(names_shown, ("explosions in a row", "", "", f"first cubes of {side} : the other"), strict=True):
        fact = by_name[name]
        battles = round(float(fact.n.sum())) if name in won else check.battles
        y = f"won by {side}, {fact.unit}" if "wins" in name else fact.unit
        title = f"{battles} and {battles * check.played // check.battles} battles"
        panels.append(_pair(fact, x, y, title, 1, is_log=name == "chains"))
    chart = Chart(
        "battles",
        charts.figure(panels, 2.5, foot=True),
        "Chains of explosions, steps, strength and wins, physics and surrogate",
    )
    return Section("5. Battles", "", Table("battles", ["fact", *_HEAD], rows), chart)


def _law(law: BoardLaw) -> Section:
    rows: Rows = []
    for i, place in enumerate(law.places):
        pairs = zip(law.landing[i], law.landing_errors[i], strict=True)
        level = "never" if i == len(law.places) - 1 else f"{law.changed[i]:.2f} +- {law.changed_errors[i]:.2f}"
        rows.append([place, *(f"{a:.2f} +- {e:.2f}" if e else "0" for a, e in pairs), level, law.moved[i]])
    base = next(i for i, row in enumerate(law.landing) if not any(row))
    return Section(
        "6. The law",
        f"Of n cubes thrown onto m that lie there each lands by itself; log-odds against {law.places[base]} are the "
        f"coefficients below times {', '.join(TERMS)}, plus {law.crowd:.3f} +- {law.crowd_error:.3f} times the "
        "difference of log(1 + lying) at the two places. A lying cube changes its place with chance 1 - exp(-rate); "
        f"the log of the rate is the level below plus {law.slope:.2f} +- {law.slope_error:.2f} times log n. Errors "
        "are standard errors for independent throws.",
        Table("law", ["place", *TERMS, "log rate of displacement", "changes seen"], rows),
    )


# Parts

_HEAD = ["number", "physics", "surrogate", "of", "gap in sd"]


def _list_rows(fact: ComparedFact, fewest: int = FEWEST) -> list[list[Cell]]:
    z = _z(fact)
    return [
        [cell, fact.physics.at(i, int(fact.n[i])), fact.surrogate.at(i, int(fact.n[i])), int(fact.n[i]), float(z[i])]
        for i, cell in enumerate(fact.cells)
        if fact.n[i] >= fewest
    ]


def _z(fact: ComparedFact) -> Array:
    return fact.gap / np.where(fact.gap_sd > 0, fact.gap_sd, np.inf)


def _has_data(fact: ComparedFact) -> Array:
    least = 1 if fact.unit.endswith("battle") or fact.unit.endswith("battles") else FEWEST
    return (fact.n >= least) & (fact.gap_sd > 0)


def _steepest(fact: ComparedFact) -> int:
    return int(np.argmax(np.abs(_z(fact))))


def _pair(fact: ComparedFact, x: str, y: str, title: str, fewest: int = FEWEST, *, is_log: bool = False) -> Panel:
    rows = np.flatnonzero(fact.n >= fewest)
    at = np.arange(len(rows))
    marks = [
        charts.bars(at, fact.physics.take(rows), "physics", 0.7),
        charts.points(at + 0.12, fact.surrogate.take(rows), "surrogate", charts.RULE, joined=False),
    ]
    if is_log:
        marks.append(lambda axis: axis.set_yscale("log"))
    return Panel(x, y, marks, title, [fact.cells[int(i)] for i in rows], floor=not is_log)

"""The report of a calibration: two sentences, then what was compared, the results, and their uncertainty."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tower_sim.calibration.evidence import GAMES, PHASE, Evidence
from tower_sim.calibration.fit import CLOGS, LEVEL, Fit, PredictiveCheck, interval
from tower_sim.calibration.law import TARGETS, TOLD
from tower_sim.calibration.nights import Agreement
from tower_sim.calibration.prior import NUMBERS, Parameter
from tower_sim.calibration.summaries import (
    BOTH,
    CLOG,
    CLOGGED,
    CUBES,
    DROPS,
    EVERY,
    FOR,
    SETUP,
    SUMMARIES,
    Array,
    Window,
)
from tower_sim.report import Chart, Panel, Report, Rows, Section, Table, charts
from tower_sim.results import Estimate, between, show

PERCENT = f"{100 * LEVEL:.0f} %"
FEW = 40  # effective towers, below which intervals are rough
NARROWER, MOVED = 0.9, 0.1  # informed: interval over the prior's, or shift of the median over the range
ODD = 0.05  # tail probability below which the report warns of an observation
LEVELS = 0.05, 0.5, 0.95  # of the points whose errors are listed
CAPTION = "Grey: all towers of the prior. Blue line: weighted by the evidence"
SHOWN = 2  # sections that the terminal shows


@dataclass(frozen=True, slots=True)
class Calibration:
    """The result of a calibration.

    `why` says why the profile's tower was chosen; `does` has its long-run means with standard errors. `again` is the
    command that repeats the calibration. `wished` says whether a wish is met.
    """

    name: str
    fit: Fit
    towers: int
    games: int
    why: str
    does: Mapping[str, tuple[float, float]]
    again: str
    notes: tuple[str, ...] = ()
    wished: tuple[str, ...] = ()
    agreement: Agreement | None = None


@dataclass(frozen=True, slots=True)
class Learnt:
    """The intervals of a free number in the prior and the posterior, in its own unit."""

    parameter: Parameter
    prior: Estimate
    posterior: Estimate

    @property
    def is_informed(self) -> bool:
        """Return whether the interval shrank below NARROWER of the prior's, or the median moved by over MOVED."""
        moved = (self.posterior.value - self.prior.value) / (self.parameter.high - self.parameter.low)
        return self.posterior.width < NARROWER * self.prior.width or abs(moved) > MOVED


def compare_numbers(fit: Fit) -> list[Learnt]:
    """Return what the evidence says about each free number."""
    before, after = fit.prior.numbers, fit.posterior.numbers
    return [Learnt(each, interval(before[:, i]), interval(after[:, i])) for i, each in enumerate(NUMBERS)]


def format_sentences(fit: Fit) -> tuple[str, str]:
    """Return a sentence on what such a tower does, and a sentence on how sure that is."""
    posterior = fit.posterior
    setup, inside, out = (posterior.interval(target) for target in TARGETS)
    choice = ""
    if "single" in posterior.played:
        tenths = round(10 * (1 - posterior.interval("single").value))
        share = {0: "hardly any", 10: "nearly all"}.get(tenths, f"{tenths} of 10")
        choice = f"; {share} phases offer two actions or more"
    of_setup, of_play = (between(replace(each, low=max(each.low, 0.0))) for each in (setup, inside))
    return (
        f"Such a tower keeps about {round(setup.value)} of {CUBES} cubes after the set-up and about "
        f"{round(inside.value)} in play, and about {round(out.value)} come out in a phase{choice}.",
        f"{PERCENT} of the towers that agree keep {of_setup} after the set-up and {of_play} in play; this rests on an "
        f"effective {round(posterior.effective)} simulated towers.",
    )


def _is_wish(check: PredictiveCheck, evidence: Sequence[Evidence]) -> bool:
    return any(entry.name == check.name and entry.kind == "wish" for entry in evidence)


def list_warnings(fit: Fit) -> list[str]:
    """Return the warnings, the most serious first; there is at least one."""
    warnings: list[str] = []
    if fit.posterior.effective < FEW:
        warnings.append(
            f"The effective number of towers that agree with the evidence is only {round(fit.posterior.effective)}: "
            "intervals are rough."
        )
    if outside := [x for x in fit.predictive if not _is_within(x) and not _is_wish(x, fit.evidence)]:
        names = "; ".join(f"{check.name} ({_summary_words(check.window)})" for check in outside)
        warnings.append(f"The fit does not explain {len(outside)} of {len(fit.predictive)} values: {names}.")
    if against := [clue for clue in fit.clues if clue.chance < ODD]:
        names = "; ".join(f"{clue.name} ({clue.says})" for clue in against)
        warnings.append(f"The fit contradicts {len(against)} of {len(fit.clues)} clues: {names}.")
    if all(entry.kind != "measurement" for entry in fit.evidence):
        warnings.append("Nothing here was measured: the evidence is words, pictures and worked examples.")
    warnings.append("How far the simulation is off a real tower is assumed: as far as another physics engine moves it.")
    return warnings


def make(calibration: Calibration) -> Report:
    """Return the report on a calibration; the terminal shows its answers and the first SHOWN sections."""
    fit, agreement = calibration.fit, calibration.agreement
    sections = [
        Section("How far to trust it", "\n".join(f"- {line}" for line in (*list_warnings(fit), *calibration.notes))),
        _report_observations(fit),
        _report_means(fit),
        _report_numbers(fit),
        *([_report_games(agreement)] if agreement else []),
        _report_evidence(fit),
        *_report_origin(calibration),
    ]
    return Report(f"Calibration of {_join(calibration.name)}", (*calibration.wished, *format_sentences(fit)), sections)


def _report_means(fit: Fit) -> Section:
    rows: Rows = []
    for name in (name for name in (*TARGETS, *TOLD, CLOGS) if name in fit.posterior.played):
        errors = [fit.posterior.error(name, level) for level in LEVELS]
        both = fit.prior.interval(name), fit.posterior.interval(name)
        rows.append([name, SUMMARIES[name].words if name in SUMMARIES else "share of games that clog", *both, *errors])
    head = ["key", "mean", "before the evidence", "with it", *(f"error at {100 * level:.0f} %" for level in LEVELS)]
    panels: list[Panel] = []
    for name in TARGETS:
        before, after = (towers.played[name] for towers in (fit.prior, fit.posterior))
        edges = np.linspace(0, max(float(np.quantile(values, 0.99)) for values in (before, after)), 25)
        panels.append(_plot_both(f"{SUMMARIES[name].words} [cubes]", before, after, edges, "share of towers"))
    return Section(
        "What such a tower does",
        f"Long-run means over whole games: the median and the middle {PERCENT}. The Monte Carlo errors are those of "
        "three points, from the effective number of towers. A game clogs if more than "
        f"{CLOG} cubes are inside for {FOR} phases.",
        Table("means", head, rows),
        Chart("means", CAPTION, panels, 2.2),
    )


def _plot_both(x: str, before: Array, after: Array, edges: Array, y: str) -> Panel:
    shares = [
        np.histogram(np.clip(values, edges[0], edges[-1]), edges)[0] / max(len(values), 1) for values in (before, after)
    ]
    draws = [charts.outline(edges, shares[0], filled=True), charts.outline(edges, shares[1], role=2)]
    return Panel(x, y, draws, floor=True)


def _report_numbers(fit: Fit) -> Section:
    learnt = compare_numbers(fit)
    informed = [f"{_format_name(each.parameter)} {show(each.posterior)}" for each in learnt if each.is_informed]
    rows: Rows = [
        [_format_name(x.parameter), x.prior, x.posterior, "yes" if x.is_informed else "no", x.parameter.reason]
        for x in learnt
    ]
    panels = [
        _plot_both(_format_name(number), fit.prior.numbers[:, i], fit.posterior.numbers[:, i],
              np.linspace(number.low, number.high, 15), "share of towers" if i % 4 == 0 else "")
        for i, number in enumerate(NUMBERS)
    ]  # fmt: skip
    return Section(
        "Which of the tower's numbers are known better now?",
        "Ten numbers are free. All others are fixed and assumed. "
        f"A number is informed when its interval is narrower than {NARROWER} of the prior's, or its median moved by "
        f"more than {MOVED} of the way between the limits.",
        Table("numbers", ["number", "before the evidence", "with it", "informed", "reason for the limits"], rows),
        Chart("numbers", CAPTION, panels, 1.8, 4),
        short=f"The evidence informs ({PERCENT}): {'; '.join(informed) or 'none of the numbers'}.",
    )


def _report_observations(fit: Fit) -> Section:
    others = {(check.name, check.window): check.tail for check in fit.held_out}
    rows: Rows = []
    for check in fit.predictive:
        within = "within" if _is_within(check) else "outside"
        other = others.get((check.name, check.window))
        what = _describe_value(check, fit.evidence)
        rows.append([_join(check.name), what, check.observed, check.predicted, within, check.tail, other])
    rows += [[_join(clue.name), clue.says, None, None, "", clue.chance, clue.others] for clue in fit.clues]
    held = [_is_within(check) for check in fit.held_out if not _is_wish(check, fit.evidence)]
    text = (
        f"The prediction is for new games of the same tower ({PERCENT}). The place is the share of predictions below "
        "the observed value; words have their chance instead. The last column says the same from all other "
        "observations alone."
    )
    head = ["observation", "what", "observed", "predicted", "lies", "place", "from others"]
    return Section(
        "Each observation beside what is predicted",
        f"{text} Held out: {sum(held)} of {len(held)} values lie within." if held else text,
        Table("observations", head, rows, 80),
    )


def _report_games(agreement: Agreement) -> Section:
    rows: Rows = [
        [_join(game.name), _summary_words(game.window), game.seen, game.others, game.p] for game in agreement.games
    ]
    text = (
        f"The probabilities were counted from {agreement.draws} simulated records. The last column "
        f"is the probability that a game is as unlike the others; of {len(rows)} games one in {len(rows)} is the least "
        "like them by chance."
    )
    head = ["game", "differs most in", "seen", "mean of the others", "probability"]
    return Section(
        "Do the recorded games agree?", text, Table("games", head, rows, 80), short=agreement.format_sentence()
    )


def _report_evidence(fit: Fit) -> Section:
    rows: Rows = [[*map(_join, (x.name, x.words, x.source)), x.kind, _describe_noise(x), x.doubt] for x in fit.evidence]
    return Section(
        "The evidence",
        "A doubt of 2 doubles the variance with which chance may move a value, and takes the root of a clue's chance "
        "[A].",
        Table("evidence", ["name", "says", "source", "kind", "read as", "doubt"], rows, 80),
    )


def _report_origin(calibration: Calibration) -> list[Section]:
    rows: Rows = [
        [SUMMARIES[name].words, mean, error, calibration.fit.posterior.interval(name)]
        for name, (mean, error) in calibration.does.items()
    ]
    chosen = Table("chosen", ["mean", "this tower", "standard error", "all towers that agree"], rows)
    return [
        Section("The tower of the profile", calibration.why, chosen),
        Section(
            "How this was made",
            f"{calibration.towers} towers were drawn from the prior and played, {calibration.games} games in all. "
            "Each tower is weighted by the likelihood of the evidence given its own games, with their noise allowed "
            f"for. To do it again: `{calibration.again}`. The weights have the SHA-256 "
            f"{calibration.fit.posterior.digest}.",
        ),
    ]


def _format_name(number: Parameter) -> str:
    words = number.name.replace("_", " ")
    return f"{words} [{number.unit}]" if number.unit else words


def _is_within(check: PredictiveCheck) -> bool:
    return check.predicted.low <= check.observed <= check.predicted.high


def _summary_words(window: Window) -> str:
    words = SUMMARIES[window.summary].words
    words += ", in games that clog" if window.kind == CLOGGED else ""
    if replace(window, kind=BOTH) in (EVERY.get(window.summary), SETUP):
        return words
    return f"{words}, phases {max(window.start, 1)} to {min(window.stop, DROPS) - 1}"


def _describe_value(check: PredictiveCheck, evidence: Sequence[Evidence]) -> str:
    of_phases = [entry.games for entry in evidence if entry.name == check.name and entry.noise == PHASE]
    if not of_phases:
        return _summary_words(check.window)
    return f"{_summary_words(check.window)}, of {'one phase' if of_phases[0] == 1 else f'{of_phases[0]} phases'}"


def _describe_noise(entry: Evidence) -> str:
    if not entry.windows:
        return "; ".join(map(str, entry.clues))
    if entry.noise == GAMES:
        return "one game" if entry.games == 1 else f"mean of {entry.games} games"
    if entry.noise == PHASE:
        return "one phase" if entry.games == 1 else f"{entry.games} phases"
    return "words about many games"


def _join(text: str) -> str:
    return " ".join(text.split())

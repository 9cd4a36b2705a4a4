"""What a fit answers in plain words, and what each single observation comes to in it."""

from __future__ import annotations

from dataclasses import dataclass

from tower_sim.calibration.findings import ODD, PERCENT, entry_of, what
from tower_sim.calibration.fit import TARGETS, Fit, Posterior
from tower_sim.calibration.result import Calibration
from tower_sim.calibration.summaries import CUBES


def in_plain_words(calibration: Calibration) -> tuple[str, str]:
    """Say in a sentence what such a tower does, and in another how sure that is."""
    posterior = calibration.fit.posterior
    spans = {target: posterior.interval(target) for target in TARGETS}
    ends: dict[str, str] = {}
    for target, span in spans.items():
        places = 0 if span.width > 10 else 1
        ends[target] = " to ".join(f"{max(end, 0.0):.{places}f}" for end in (span.low, span.high))
    return (
        f"Such a tower keeps about {spans['setup'].middle:.0f} of its {CUBES} cubes after the set-up and about "
        f"{spans['inside'].middle:.0f} in play; about {spans['out'].middle:.0f} come out of a phase"
        f"{_choice(posterior)}.",
        f"How sure: {PERCENT} of the towers that agree, as they were played, keep {ends['setup']} after the set-up and "
        f"{ends['inside']} in play, and let {ends['out']} out in a phase{_choice_surely(posterior)}.",
    )


def _choice(towers: Posterior) -> str:
    """Say how many actions there are to choose from; nothing where it was not found."""
    if "single" not in towers.played:
        return ""
    several, three = 1 - towers.interval("single").middle, towers.interval("many").middle
    return (
        f", and in {_tenths(several)} phases there are two actions or more to choose from (in {_tenths(three)} three "
        "or more)"
    )


def _choice_surely(towers: Posterior) -> str:
    if "single" not in towers.played:
        return ""
    single = towers.interval("single")
    return f"; two actions or more in {100 * (1 - single.high):.0f} to {100 * (1 - single.low):.0f} % of the phases"


def _tenths(share: float) -> str:
    tenths = round(10 * share)
    return {0: "hardly any", 10: "nearly all"}.get(tenths, f"{tenths} of 10")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a single observation (its entry's number) comes to in the fit: what it `says`, and its place.

    `place` is the share of predictive draws below a value, or the chance of a clue; `others` the same without it
    (None: not found).
    """

    entry: int
    name: str
    says: str
    is_clue: bool
    place: float
    others: float | None

    @property
    def is_odd(self) -> bool:
        """Whether it does not go with the fit."""
        return self.place < ODD or (self.place > 1 - ODD and not self.is_clue)

    @property
    def by_others(self) -> float:
        """Its place by all other evidence; where that was not found, by all."""
        return self.place if self.others is None else self.others

    @property
    def is_against(self) -> bool:
        """Whether all other evidence speaks against it."""
        return self.by_others < ODD or (self.by_others > 1 - ODD and not self.is_clue)

    @property
    def is_idle(self) -> bool:
        """Whether it is a clue that was to be expected anyway."""
        return self.is_clue and self.place > 1 - ODD


def verdicts(fit: Fit) -> list[Verdict]:
    """Return what each observation used comes to, in the order of the evidence."""
    held = {(check.name, check.window, round(check.observed, 6)): check.tail for check in fit.held_out}
    found: list[Verdict] = []
    for check in fit.predictive:
        number = entry_of(check, fit.evidence) or 0
        says = f"{what(check, fit.evidence)}: {check.observed:.3g}"
        others = held.get((check.name, check.window, round(check.observed, 6)))
        found.append(Verdict(number, check.name, says, is_clue=False, place=check.tail, others=others))
    for clue in fit.clues:
        number = next(i for i, entry in enumerate(fit.evidence, 1) if entry.name == clue.name and entry.clues)
        found.append(Verdict(number, clue.name, clue.says, is_clue=True, place=clue.chance, others=clue.others))
    return sorted(found, key=lambda verdict: verdict.entry)


def sentence(verdict: Verdict) -> str:
    """Say of an observation that lies outside ODD to 1 - ODD what that means."""
    if verdict.is_idle:
        return f"{verdict.name} ({verdict.says}) was to be expected of nearly all towers left: it tells little."
    if verdict.is_clue:
        return f"{verdict.name} ({verdict.says}) has a chance of {verdict.place:.2g} only: the fit contradicts it."
    side = "more" if verdict.place > 0.5 else "less"
    return (
        f"{verdict.name} ({verdict.says}) is {side} than the fit gives in all but "
        f"{100 * min(verdict.place, 1 - verdict.place):.1g} % of cases: the fit does not explain it."
    )

"""Test whether a real tower is like a profile, with e-values of recorded drops that stay valid while drops are added.

An e-value is the current value of a bet of 1 against the profile. If the profile is right, the probability that it ever
reaches 20 is at most 1/20 (Ville's inequality). Source: Ramdas, Gruenwald, Vovk, Shafer, Game-theoretic statistics and
safe anytime-valid inference, Statistical Science 38 (2023) 576. The distribution for the profile is an estimate;
docs/calibration.md has the measured number of false alarms.
"""

from __future__ import annotations

import json as json_module
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy import optimize
from scipy.special import expit, gammaln

from tower_sim.apparatus import load
from tower_sim.calibration.evidence import find_records
from tower_sim.calibration.records import Record, read
from tower_sim.calibration.reference import Reference, Situation, fit_reference, list_situations
from tower_sim.calibration.summaries import list_throws
from tower_sim.models import PHYSICS
from tower_sim.physics import PhysicsSettings
from tower_sim.results import log_sum_exp
from tower_sim.surrogate import Array
from tower_sim.tools import count_noun

STRONG = 20.0

MORE, FEWER, ERRATIC, REGULAR = "lets more go", "keeps more", "is more erratic", "is more regular"
TILTS = (0.1, 0.2, 0.4, 0.8)  # of the log-odds, about
POWERS = (0.5, 0.7, 1.4, 2.0)
ALTERNATIVES = (
    *((MORE, tilt) for tilt in TILTS),
    *((FEWER, -tilt) for tilt in TILTS),
    *((ERRATIC, power) for power in POWERS if power < 1),
    *((REGULAR, power) for power in POWERS if power > 1),
)
STICKS, SLIPS = "leaves less readily", "leaves more readily"
COLOUR_TILTS = (-1.6, -0.8, -0.4, 0.4, 0.8, 1.6)
FINE = np.linspace(-4, 4, 161)  # tilts of the interval


@dataclass(frozen=True, slots=True)
class Bet:
    """A bet on the number of cubes out in `drops` drops: its e-value `e` after each drop.

    `out` and `predicted` are means per drop. `evidence` is each direction's share of the stake now. `between` is a 95 %
    interval for `out` minus `predicted`, valid after each drop if one shift of the log-odds holds in all drops.
    """

    drops: int
    e: tuple[float, ...]
    out: float
    predicted: float
    evidence: dict[str, float]
    between: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Colours:
    """A bet that one colour comes out more or less readily than the others: its e-value `e` after each drop.

    `out` and `expected` are cubes by colour over `drops` informative drops. `evidence` is the share of the
    stake, of colours that were bet on.
    """

    e: tuple[float, ...]
    drops: int
    out: dict[str, int]
    expected: dict[str, float]
    evidence: dict[tuple[str, str], float]


@dataclass(frozen=True, slots=True)
class ProfileCheck:
    """The result of a check of recorded drops against a profile.

    `e` is the product of the e-values of `setup` (first drops) and `later`: an e-value too, because a drop changes only
    one of them. `skipped` counts the drops without a bet on numbers, by reason.
    """

    apparatus: str
    games: int
    seed: int
    drops: int
    e: tuple[float, ...]
    setup: Bet
    later: Bet
    colours: Colours
    skipped: dict[str, int]


def check(records: Sequence[Record], reference: Reference) -> ProfileCheck:
    """Test recorded drops against the reference distribution of a profile."""
    drops = list_situations(records, reference.ages)
    why = [reference.why_not(drop) for drop in drops]
    setup, later = (
        _bet_on_numbers(
            [drop if not no and drop.is_setup == first else None for drop, no in zip(drops, why, strict=True)],
            reference,
        )
        for first in (True, False)
    )
    return ProfileCheck(
        apparatus=reference.apparatus,
        games=reference.games,
        seed=reference.seed,
        drops=len(records),
        e=tuple(a * b for a, b in zip(setup.e, later.e, strict=True)),
        setup=setup,
        later=later,
        colours=_bet_on_colours(drops),
        skipped=dict(Counter(no for no in why if no)),
    )


# How many come out


def alternatives(pmfs: Array) -> Array:
    """Return the logarithms of the alternative distributions, shape (alternatives, *pmfs.shape).

    They are exponential tilts, p(k) exp(t k), and powers, p(k)^s, normalised over k, the last axis.
    """
    log_p = np.log(np.maximum(pmfs, 1e-300))
    k = np.arange(pmfs.shape[-1])
    tilted = [log_p + value * k if name in (MORE, FEWER) else log_p * value for name, value in ALTERNATIVES]
    q = np.stack(tilted)
    return q - log_sum_exp(q, axis=-1, keepdims=True)


def _bet_on_numbers(drops: Sequence[Situation | None], reference: Reference) -> Bet:
    """Bet on the drops that are not None.

    Null and alternatives are averages of the likelihood of all drops over the drawn distributions. Their ratio has
    expectation 1, so the uncertainty of the fit is no evidence.
    """
    laws = len(reference.drawn)
    null, other = np.zeros(laws), np.zeros((len(ALTERNATIVES), laws))
    fine, shifts = np.zeros((laws, len(FINE))), np.zeros(len(FINE))
    e, out, predicted, count = [], 0, 0.0, 0
    directions = Counter(name for name, _ in ALTERNATIVES)  # equal stakes by direction, then by size
    stakes = np.array([[-math.log(len(directions) * directions[name])] for name, _ in ALTERNATIVES])
    for drop in drops:
        if drop is not None:
            pmfs = reference.pmfs(drop)
            k = np.arange(pmfs.shape[1])
            log_p = np.log(np.maximum(pmfs[:, drop.out], 1e-300))
            null += log_p
            other += alternatives(pmfs)[:, :, drop.out]
            tilts = np.exp(FINE[:, None] * (k - k[-1] / 2))
            mass = pmfs @ tilts.T
            fine += log_p[:, None] + FINE * (drop.out - k[-1] / 2) - np.log(mass)
            means = (pmfs * k) @ tilts.T / mass
            shifts += (means - (pmfs @ k)[:, None]).mean(0)
            out, predicted, count = out + drop.out, predicted + float((pmfs @ k).mean()), count + 1
        e.append(_exp(log_sum_exp(other + stakes) - log_sum_exp(null)))
    shares = np.exp(log_sum_exp(other + stakes, axis=1) - log_sum_exp(other + stakes))
    evidence = {name: float(shares[[direction == name for direction, _ in ALTERNATIVES]].sum()) for name in directions}
    some = max(count, 1)
    return Bet(count, tuple(e), out / some, predicted / some, evidence, _bound_shift(other, fine, shifts / some))


def _bound_shift(other: Array, fine: Array, shifts: Array) -> tuple[float, float]:
    """Return the range of mean shifts whose tilt is not rejected: the bet against it is below STRONG."""
    tilts = [i for i, (name, _) in enumerate(ALTERNATIVES) if name in (MORE, FEWER)]
    bet = log_sum_exp(other[tilts]) - math.log(len(tilts))
    kept = np.flatnonzero(bet - log_sum_exp(fine, axis=0) < math.log(STRONG))
    low, high = max(kept.min() - 1, 0), min(kept.max() + 1, len(shifts) - 1)  # a grid step more, to be safe
    return float(shifts[low]), float(shifts[high])


def _exp(log_e: Array | float) -> float:
    return math.exp(min(float(log_e), 340.0))  # so that a product of two is finite


# Which colours come out


def _bet_on_colours(drops: Sequence[Situation]) -> Colours:
    """Bet that one colour differs, given how many cubes come out among the colours that can be compared.

    If colours are alike, these follow Fisher's noncentral hypergeometric distribution, with the odds for their age.
    Each bet gives one colour a weight exp(t) times as great. Source: Fog, Communications in Statistics - Simulation and
    Computation 37 (2008) 241.
    """
    names = list(drops[0].record.thrown)
    tilts = np.array(COLOUR_TILTS)
    log_e = np.zeros((len(names), len(tilts)))
    e: list[float] = []
    out, expected, count = np.zeros(len(names), int), np.zeros(len(names)), 0
    for drop in drops:
        record = drop.record
        cubes = np.array([record.thrown[name] + drop.before[name] for name in names])
        rows = [i for i, name in enumerate(names) if cubes[i] and (drop.is_setup or not record.thrown[name])]
        came = np.array([record.out[name] for name in names])
        if len(rows) > 1 and not record.is_odd and 0 < came[rows].sum() < cubes[rows].sum():
            laws = find_colour_laws(cubes[rows], drop.odds[rows] / cubes[rows], int(came[rows].sum()))
            for i, law in zip(rows, laws, strict=True):
                k = np.arange(len(law))
                with np.errstate(divide="ignore"):
                    log_e[i] += tilts * came[i] - log_sum_exp(np.outer(tilts, k) + np.log(law), axis=1)
                expected[i] += law @ k
                out[i] += came[i]
            count += 1
        e.append(_exp(log_sum_exp(log_e) - math.log(log_e.size)))
    shares = np.exp(log_e - log_sum_exp(log_e))
    return Colours(
        e=tuple(e),
        drops=count,
        out=dict(zip(names, out.tolist(), strict=True)),
        expected=dict(zip(names, expected.tolist(), strict=True)),
        evidence={
            (name, words): float(shares[i, side].sum())
            for i, name in enumerate(names)
            if expected[i]  # a colour that was never thrown can stand out in nothing
            for words, side in ((STICKS, tilts < 0), (SLIPS, tilts > 0))
        },
    )


def find_colour_laws(cubes: Array, weights: Array, out: int) -> list[Array]:
    """Return for each colour the distribution of the number of its cubes among `out` cubes, shape (cubes + 1,).

    `cubes` and `weights` (odds) are by colour. Each result is a marginal of Fisher's noncentral hypergeometric
    distribution. A common factor of the odds, which changes no result, keeps probabilities from underflowing.
    """
    log_odds = np.log(weights)
    root: Any = optimize.brentq
    shift = root(lambda x: float(cubes @ expit(log_odds + x)) - out, -50 - log_odds.max(), 50 - log_odds.min())
    series = [_binomial(int(n), x + shift) for n, x in zip(cubes, log_odds, strict=True)]
    laws: list[Array] = []
    for i, own in enumerate(series):
        rest = np.ones(1)
        for j, other in enumerate(series):
            if j != i:
                rest = np.convolve(rest, other)
        left = out - np.arange(len(own))
        law = np.where((left >= 0) & (left < len(rest)), own * rest[np.clip(left, 0, len(rest) - 1)], 0.0)
        laws.append(law / law.sum())
    return laws


def _binomial(n: int, log_odds: float) -> Array:
    k = np.arange(n + 1)
    log_choose = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
    return np.exp(log_choose - k * np.logaddexp(0, -log_odds) - (n - k) * np.logaddexp(0, log_odds))


SCHEMA = "tower-sim/fairness"
VERSION = 1
HINT, VERY = 5.0, 100.0  # e-values; STRONG lies between them


def fairness_command(
    csv: str | Path,
    apparatus: str | Path,
    games: int,
    seed: int,
    json: bool,
    settings: PhysicsSettings | None = None,
    model: str = PHYSICS,
    published: bool = False,
) -> int:
    """Test the records in a CSV against a profile, print the result, and return the exit status 0.

    The simulated games throw what the records do; if `published`, as the page of a game night has them, each is the
    published game.
    """
    records = read(find_records(csv))
    throws = (None,) if published else list_throws(records)
    checked = check(records, fit_reference(load(apparatus), games, seed, settings, throws, model))
    print(json_module.dumps(make_document(checked), indent=2, allow_nan=False) if json else format_text(checked))
    return 0


def make_document(check: ProfileCheck) -> dict[str, Any]:
    """Return the document of `tower-sim tower test --json`; unknown and infinite values are None."""
    plain = _make_plain(asdict(check))
    plain["seed"] = str(check.seed)
    shares = check.colours.evidence.items()
    plain["colours"]["evidence"] = [[colour, direction, _make_plain(share)] for (colour, direction), share in shares]
    for part in (plain["setup"], plain["later"]):
        if not part["drops"]:
            part |= {"out": None, "predicted": None, "between": None}
    p = {"p": p_value(check.e), "p_colours": p_value(check.colours.e)}
    return {"schema": SCHEMA, "version": VERSION, "says": list(format_sentences(check)), **_make_plain(p), **plain}


def p_value(e: Sequence[float]) -> float:
    """Return an upper bound of the chance that a bet ever gets as far if the profile is right (Ville)."""
    return 1 / max(1.0, *e)


def _make_plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _make_plain(inner) for key, inner in value.items() if isinstance(key, str)}
    if isinstance(value, list | tuple):
        return [_make_plain(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def format_text(check: ProfileCheck) -> str:
    """Return the result as text: two sentences for everybody, then the figures."""
    tested = check.setup.drops + check.later.drops
    lines = [*format_sentences(check), ""]
    lines.append(
        f"{count_noun(check.drops, 'drop')} beside {check.games} simulated games of {check.apparatus} (seed "
        f"{check.seed})"
    )
    lines.append(_format_verdict("How many come out", check.e, tested, "that this tower is not as the profile"))
    for words, part in (("first drops", check.setup), ("later drops", check.later)):
        if part.drops:
            low, high = part.between
            lines.append(
                f"  {words} ({part.drops}): e = {part.e[-1]:.3g}; {part.out:.1f} out of each, "
                f"predicted {part.predicted:.1f}: {part.out - part.predicted:+.1f} "
                f"({low:+.1f} to {high:+.1f} at 95 %, whenever you look)"
            )
            if part.e[-1] >= HINT:
                name, share = max(part.evidence.items(), key=lambda item: item[1])
                lines.append(f"    {share:.0%} of this evidence: the tower {name} than the profile says")
    lines += [f"  left out: {count_noun(count, 'drop')}, {why}" for why, count in check.skipped.items()]
    colours = check.colours
    lines.append(_format_verdict("Which colours come out", colours.e, colours.drops, "that colours are not alike"))
    if colours.drops:
        name, words, share = _find_conspicuous(colours)
        most = f"  most conspicuous: {name}, {colours.out[name]} out, expected {colours.expected[name]:.1f}"
        lines.append(most + (f"; {share:.0%} of this evidence: it {words}" if colours.e[-1] >= HINT else ""))
    return "\n".join(lines)


def format_sentences(check: ProfileCheck) -> tuple[str, str]:
    """Return a sentence on what the records say about the tower, and a sentence on how sure that is."""
    colours, tested = check.colours, check.setup.drops + check.later.drops
    if not (_are_finite(check.e) and _are_finite(colours.e)):
        return (
            "Nothing can be said of your tower: the evidence of these drops is beyond what numbers can hold.",
            "How sure: not at all; look for typing errors in the records.",
        )
    if not tested and not colours.drops:
        why = "; ".join(f"{count}: {why}" for why, count in check.skipped.items())
        return (
            f"Nothing can be said of your tower: of {count_noun(check.drops, 'drop')} none can be compared with the "
            f"profile.",
            f"How sure: not at all; drops left out, and why: {why}.",
        )
    numbers, kinds = max(check.e), max(colours.e)
    most = max(numbers, kinds)
    unlike = [
        *([_describe_numbers(check)] if numbers >= HINT and (numbers >= STRONG) == (most >= STRONG) else []),
        *([_describe_colours(colours)] if kinds >= HINT and (kinds >= STRONG) == (most >= STRONG) else []),
    ]
    if most >= STRONG:
        return (
            f"Your tower is not as the profile {check.apparatus} says: {' and '.join(unlike)}.",
            f"How sure: {'very' if most >= VERY else 'quite'} sure; of {_format_e(most)} towers that are as the "
            "profile says, about one at most would ever look so odd in this, however often one looks.",
        )
    if most >= HINT:
        return (
            f"There is a hint, no more, that your tower is not as the profile {check.apparatus} says: "
            f"{' and '.join(unlike)}.",
            f"How sure: not sure; of {_format_e(most)} towers that are as the profile says, one may look so odd in "
            "this by chance; add drops and look again.",
        )
    return (
        f"{'This drop gives' if check.drops == 1 else f'These {check.drops} drops give'} no reason to doubt "
        f"that your tower is "
        f"as the profile {check.apparatus} says.",
        f"How sure: that is no proof, {_describe_uncertainty(check)}; add drops and look again.",
    )


def _describe_numbers(check: ProfileCheck) -> str:
    words, part = max((("first", check.setup), ("later", check.later)), key=lambda named: max(named[1].e))
    name = max(part.evidence, key=lambda name: part.evidence[name])
    return f"it {name} ({part.out:.1f} cubes out of each of the {words} drops, {part.predicted:.1f} predicted)"


def _describe_colours(colours: Colours) -> str:
    name, words, _ = _find_conspicuous(colours)
    return f"{name} {words} than the other colours ({colours.out[name]} out, {colours.expected[name]:.1f} expected)"


def _describe_uncertainty(check: ProfileCheck) -> str:
    part, words = (check.later, "later") if check.later.drops else (check.setup, "first")
    if not part.drops:
        return "since no drop tells how many come out"
    low, high = (f"{abs(end):.1f} {'fewer' if end < 0 else 'more'}" for end in part.between)
    return f"since the true difference may be from {low} to {high} cubes out of each of the {words} drops (95 %)"


def _format_e(value: float) -> str:
    """Return an e-value as text, rounded down: one of so many towers would look so odd."""
    return f"{math.floor(value):,}" if value < 1e6 else "a million"


def _find_conspicuous(colours: Colours) -> tuple[str, str, float]:
    (name, words), share = max(colours.evidence.items(), key=lambda item: item[1])
    return name, words, share


def _are_finite(values: Sequence[float]) -> bool:
    return all(map(math.isfinite, values))


def _format_verdict(what: str, e: Sequence[float], tested: int, claim: str) -> str:
    if not tested:
        return f"{what}: no drop to compare"
    if not _are_finite(e):
        return f"{what}: no verdict, since the evidence is beyond what numbers can hold"
    now, most, are = e[-1], max(e), "is" if tested == 1 else "are"
    head = f"{what}: e = {now:.3g}: {count_noun(tested, 'drop')} "
    if most >= STRONG:
        when = "" if now >= STRONG else f", {most:.3g} after {count_noun(1 + int(np.argmax(e)), 'drop')}"
        return head + f"{are} strong evidence {claim} (20 or more{when}; by chance at most 1 in 20 ever comes there)"
    if now >= HINT:
        return head + f"{are} a hint {claim}, no more (20 or more would be strong evidence; adding drops stays valid)"
    return (
        head + f"{'gives' if tested == 1 else 'give'} no reason to doubt (20 or more would be strong evidence; "
        f"adding drops stays valid)"
    )

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

from tower_sim.apparatus import load
from tower_sim.calibration import bets
from tower_sim.calibration.bets import BETS, STRONG
from tower_sim.calibration.evidence import find_records
from tower_sim.calibration.records import Record, read
from tower_sim.calibration.reference import Reference, fit_reference, follow
from tower_sim.calibration.summaries import PUBLISHED, list_throws
from tower_sim.compiled import call
from tower_sim.models import PHYSICS
from tower_sim.physics import PhysicsSettings
from tower_sim.report import Report, Section, Table, check_report
from tower_sim.results import Estimate, percent, show
from tower_sim.surrogate import Array
from tower_sim.tools import count_noun, say

DIRECTIONS = ("lets more go", "keeps more", "is more erratic", "is more regular")
"""Of the bets on numbers, in the order of `bets`."""
STICKS, SLIPS = "leaves less readily", "leaves more readily"


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
    night, known = follow(records, reference.ages)
    law = reference.tables
    call(BETS, "cover", law, night, known)
    names = [*records[0].thrown]
    desk = bets.desk_for(int((night.thrown + known.before).sum(1).max()), len(reference.drawn), len(names))
    e, numbers, by_colour = np.zeros((3, len(records))), np.zeros((2, 9)), np.zeros((len(names), 4))
    compared = call(BETS, "judge_night", law, night, known, desk, e, numbers, by_colour)
    setup, later = (_bet(values, row) for values, row in zip(e, numbers, strict=False))
    out, expected, *shares = by_colour.T.tolist()
    return ProfileCheck(
        apparatus=reference.apparatus,
        games=reference.games,
        seed=reference.seed,
        drops=len(records),
        e=tuple((e[0] * e[1]).tolist()),
        setup=setup,
        later=later,
        colours=Colours(
            e=tuple(e[2].tolist()),
            drops=compared,
            out={name: int(cubes) for name, cubes in zip(names, out, strict=True)},
            expected=dict(zip(names, expected, strict=True)),
            evidence={
                (name, words): share
                for name, cubes, *both in zip(names, expected, *shares, strict=True)
                if cubes  # a colour that was never thrown can stand out in nothing
                for words, share in zip((STICKS, SLIPS), both, strict=True)
            },
        ),
        skipped=dict(
            Counter(reference.why_not(record, why) for record, why in zip(records, known.why, strict=True) if why)
        ),
    )


def _bet(e: Array, numbers: Array) -> Bet:
    drops, out, predicted, low, high, *shares = numbers.tolist()
    return Bet(int(drops), tuple(e.tolist()), out, predicted, dict(zip(DIRECTIONS, shares, strict=True)), (low, high))


SCHEMA = "tower-sim/fairness"
VERSION = 1
HINT, VERY = 5.0, 100.0  # e-values; STRONG lies between them
SENTENCES: dict[str, str] = json_module.loads(Path(__file__).with_name("sentences.json").read_text("utf-8"))
"""What a test says, to be filled in."""


def fairness_command(
    csv: str | Path,
    apparatus: str | Path,
    games: int,
    seed: int,
    json: bool,
    settings: PhysicsSettings | None = None,
    model: str = PHYSICS,
    published: bool = False,
    out: str | Path | None = None,
) -> int:
    """Test the records in a CSV against a profile, print the result, and return the exit status 0.

    The simulated games throw what the records do; if `published`, as the page of a game night has them, each is the
    published game. The report is written into the folder `out`, if given.
    """
    records = read(find_records(csv))
    if out is not None:
        check_report(out)
    throws = (PUBLISHED,) if published else list_throws(records)
    checked = check(records, fit_reference(load(apparatus), games, seed, settings, throws, model))
    report = make(checked)
    print(json_module.dumps(make_document(checked), indent=2, allow_nan=False)) if json else say(report.text())
    if out is not None:
        report.write(out)
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


def make(check: ProfileCheck) -> Report:
    """Return the result as a report: two sentences for everybody, then the figures."""
    parts = [(words, part) for words, part in (("first", check.setup), ("later", check.later)) if part.drops]
    rows = [
        [f"{words} drops", part.drops, part.e[-1], part.out, part.predicted,
         Estimate(part.out - part.predicted, *part.between, part.drops), *_find_direction(part)]
        for words, part in parts
    ]  # fmt: skip
    head = ["", "drops", "e", "out of each", "predicted", "difference", "of the evidence", "the tower"]
    left = [f"- Left out: {count_noun(count, 'drop')}, {why}" for why, count in check.skipped.items()]
    colours, most = check.colours, ""
    if colours.drops:
        name, words, share = _find_conspicuous(colours)
        most = f"Most conspicuous: {name}, {colours.out[name]} out, expected {show(colours.expected[name])}"
        most += f"; {percent(share)} of this evidence: it {words}." if colours.e[-1] >= HINT else "."
    claims = "that this tower is not as the profile", "that colours are not alike"
    intervals = "The difference has its interval of 95 %, which is valid whenever you look."
    sections = [
        Section(
            "How many come out?",
            "\n".join([*([intervals, ""] if rows else []), *left]).strip(),
            Table("numbers", head, rows) if rows else None,
            short=_format_verdict(check.e, sum(part.drops for _, part in parts), claims[0]),
        ),
        Section("Which colours come out?", most, short=_format_verdict(colours.e, colours.drops, claims[1])),
    ]
    beside = f"{count_noun(check.drops, 'drop')} beside {check.games} simulated games of {check.apparatus}"
    return Report(f"{beside} (seed {check.seed})", format_sentences(check), sections)


def _find_direction(part: Bet) -> tuple[str, str]:
    """Return the share of the evidence that says most, and what it says; nothing where there is no hint."""
    if part.e[-1] < HINT:
        return "", ""
    name, share = max(part.evidence.items(), key=lambda item: item[1])
    return percent(share), name


def format_sentences(check: ProfileCheck) -> tuple[str, str]:
    """Return a sentence on what the records say about the tower, and a sentence on how sure that is.

    SENTENCES has them; the page of a game night chooses and fills them likewise.
    """
    colours, tested = check.colours, check.setup.drops + check.later.drops
    common = {"noun": "drop", "like": f"the profile {check.apparatus}", "count": count_noun(check.drops, "drop")}

    def say(key: str, **more: object) -> str:
        return SENTENCES[key].format(**common, **more)

    if not (_are_finite(check.e) and _are_finite(colours.e)):
        return say("beyond"), say("beyond, how sure")
    if not tested and not colours.drops:
        why = "; ".join(f"{count}: {why}" for why, count in check.skipped.items())
        return say("nothing"), say("nothing, how sure", why=why)
    numbers, kinds = max(check.e), max(colours.e)
    most = max(numbers, kinds)
    unlike: list[str] = []
    if numbers >= HINT and (numbers >= STRONG) == (most >= STRONG):
        which, part = max((("first", check.setup), ("later", check.later)), key=lambda named: max(named[1].e))
        name = max(part.evidence, key=lambda name: part.evidence[name])
        about = {"which": which, "out": f"{part.out:.1f}", "predicted": f"{part.predicted:.1f}"}
        unlike.append(say("numbers", direction=name, **about))
    if kinds >= HINT and (kinds >= STRONG) == (most >= STRONG):
        name, words, _ = _find_conspicuous(colours)
        about = {"out": str(colours.out[name]), "expected": f"{colours.expected[name]:.1f}"}
        unlike.append(say("colours", colour=name, direction=words, **about))
    if unlike:
        key, towers = "unlike" if most >= STRONG else "hint", f"{math.floor(min(most, 1e6)):,}"
        sure = say(f"{key}, how sure", sure="very" if most >= VERY else "quite", towers=towers)
        return say(key, unlike=" and ".join(unlike)), sure
    which, part = ("later", check.later) if check.later.drops else ("first", check.setup)
    low, high = (f"{abs(end):.1f} {'fewer' if end < 0 else 'more'}" for end in part.between)
    sure = say("alike, how sure", low=low, high=high, which=which) if part.drops else say("unseen, how sure")
    return say("one" if check.drops == 1 else "many"), sure


def _find_conspicuous(colours: Colours) -> tuple[str, str, float]:
    (name, words), share = max(colours.evidence.items(), key=lambda item: item[1])
    return name, words, share


def _are_finite(values: Sequence[float]) -> bool:
    return all(map(math.isfinite, values))


def _format_verdict(e: Sequence[float], tested: int, claim: str) -> str:
    if not tested:
        return "No drop to compare."
    if not _are_finite(e):
        return "No verdict, since the evidence is beyond what numbers can hold."
    now, most, are = e[-1], max(e), "is" if tested == 1 else "are"
    head = f"e = {show(now)}: {count_noun(tested, 'drop')} "
    if most >= STRONG:
        when = "" if now >= STRONG else f", {show(most)} after {count_noun(1 + int(np.argmax(e)), 'drop')}"
        return head + f"{are} strong evidence {claim} (20 or more{when}; by chance at most 1 in 20 ever comes there)."
    if now >= HINT:
        return head + f"{are} a hint {claim}, no more (20 or more would be strong evidence; adding drops stays valid)."
    give = "gives" if tested == 1 else "give"
    return head + f"{give} no reason to doubt (20 or more would be strong evidence; adding drops stays valid)."

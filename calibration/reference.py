"""The reference for recorded drops: a distribution of the number out, fitted to simulated games of a tower."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby, takewhile
from pathlib import Path

import numpy as np

from tower_sim.apparatus import Apparatus
from tower_sim.calibration import bets, expected
from tower_sim.calibration import evidence as evidences
from tower_sim.calibration import records as recorded
from tower_sim.calibration.evidence import Evidence
from tower_sim.calibration.observations import CUBES, Observation
from tower_sim.calibration.records import DISTURBING, EMPTIED, Record, has_colours
from tower_sim.calibration.summaries import COLOURS, DROPS, PUBLISHED, AgedDrop, RecordedThrows, is_published, observe
from tower_sim.compiled import call
from tower_sim.errors import UsageError, check_whole, quote
from tower_sim.models import PHYSICS
from tower_sim.physics import PhysicsSettings
from tower_sim.surrogate import (
    AGES,
    AgeOdds,
    Array,
    BetaBinomial,
    GroupsLaw,
    fit,
    fit_ages,
    fit_group,
)
from tower_sim.tools import count_noun

FEWEST_GAMES, MOST_GAMES = 8, 10_000
LAWS = 64  # distributions drawn from the uncertainty of the fit


def stack(groups: Iterable[BetaBinomial]) -> Array:
    """Return the coefficients and, last, the log size of each distribution, shape (laws, terms + 1)."""
    return np.array([[*group.coefficients, group.log_size] for group in groups])


@dataclass(frozen=True)
class DropLaw:
    """The distribution of the number out: `setups` for first drops, by the number thrown, `later` for others (None:
    unknown).
    """

    later: GroupsLaw | None
    setups: Mapping[int, BetaBinomial] = field(hash=False)


@dataclass(frozen=True)
class Reference:
    """The behaviour of a profile's tower in `games` simulated games from `seed`; `law` is the fitted distribution.

    `drawn` has LAWS distributions, each fitted with random weights of the games (Bayesian bootstrap: Rubin, Annals of
    Statistics 9 (1981) 130). `thrown`, `inside` and `drops` are the ranges of the later drops of the games, limits
    included. `ages` are the odds that a cube comes out, by its age.
    """

    apparatus: str
    games: int
    seed: int
    law: DropLaw
    drawn: tuple[DropLaw, ...]
    thrown: tuple[int, int]
    inside: tuple[int, int]
    drops: tuple[int, int]
    ages: AgeOdds

    @cached_property
    def tables(self) -> expected.Laws:
        """The drawn distributions as the compiled functions take them."""
        later = [law.later for law in self.drawn if law.later]
        setups = [stack(law.setups[cubes] for law in self.drawn) for cubes in self.law.setups]
        return expected.Laws(
            counts=np.array([*self.law.setups], np.int32),
            setups=np.array(setups).reshape(-1, len(self.drawn), 2),
            thrown=stack(law.thrown for law in later).reshape(-1, 5),
            resident=stack(law.resident for law in later).reshape(-1, 5),
            ranges=np.array([self.thrown, self.inside, self.drops], np.int32),
            ages=np.array([self.ages.later, self.ages.setup]),
            least=np.array(AGES, np.int32),
        )

    def why_not(self, record: Record, why: int) -> str:
        """Return in words why the distribution does not cover a record; `why` is the number of the reason."""
        known = ", ".join(map(str, self.law.setups)) or "any number of"
        few = f"{FEWEST_GAMES} or more reference games"
        outside = "outside what the reference games visited: {} to {}"
        return {
            "odd": f"marked {' '.join(record.marks)}",
            "nothing": "nothing thrown",
            "setup": f"first drop of other than the {known} cubes that {few} began with",
            "later": f"later drops, to which fewer than {FEWEST_GAMES} reference games came",
            "thrown": f"{outside} thrown".format(*self.thrown),
            "inside": f"{outside} inside before".format(*self.inside),
            "drops": f"{outside} drops since the tower was empty".format(*self.drops),
        }[expected.WHY[why]]


def follow(records: Sequence[Record], ages: AgeOdds) -> tuple[expected.Night, expected.Known]:
    """Return the tables of records, and what is known before each; each game begins with the empty tower."""
    colours = [*records[0].thrown]

    def table(name: str) -> Array:
        return np.array([[getattr(record, name)[colour] for colour in colours] for record in records], np.int32)

    marks = np.array([(record.game, record.is_odd, EMPTIED in record.marks) for record in records], np.int32)
    night = expected.Night(table("thrown"), table("out"), table("inside"), marks)
    known = expected.known_of(len(records), len(colours))
    call(bets.BETS, "follow", np.array([ages.later, ages.setup]), np.array(AGES, np.int32), night, known)
    return night, known


def fit_reference(
    apparatus: Apparatus,
    games: int,
    seed: int,
    settings: PhysicsSettings | None = None,
    throws: Sequence[RecordedThrows] = (PUBLISHED,),
    model: str = PHYSICS,
) -> Reference:
    """Play `games` games with a model that throw what `throws` says, and fit the reference to them.

    Everything random depends on `seed`.
    """
    check_whole("games", games, FEWEST_GAMES, MOST_GAMES)
    return learn(apparatus.name, observe(apparatus, games, seed, settings, throws, model), seed)


def learn(apparatus: str, games: Sequence[Sequence[AgedDrop]], seed: int) -> Reference:
    """Fit the reference to games; `seed` seeds the random weights of the drawn distributions.

    Raises UsageError unless 8 games have a later drop, or 8 a first drop of the same number of cubes.
    """
    games = [game for game in games if game]
    later = [(number, drops, drop) for number, game in enumerate(games) for drops, drop in enumerate(game) if drops]
    longer = len({number for number, _, _ in later})  # games
    firsts = Counter(len(game[0].ages) for game in games)
    setups = {
        cubes: np.array([number for number, game in enumerate(games) if len(game[0].ages) == cubes])
        for cubes, of in sorted(firsts.items())
        if of >= FEWEST_GAMES
    }
    if not (goes_on := longer >= FEWEST_GAMES) and not setups:
        raise UsageError(
            f"{longer} reference games came to a later drop; allowed are {FEWEST_GAMES} or more; play more games"
        )
    later = later if goes_on else []
    of_game = np.array([number for number, _, _ in later], int)
    cubes = [(age, drops, i < len(drop.out_ages)) for _, drops, drop in later for i, age in enumerate(drop.ages)]
    ages = fit_ages(*(np.array(column) for column in zip(*(cubes or [(0, 0, False)]), strict=True)))
    followed = [follow([drop.record for drop in game], ages) for game in games if goes_on]

    def join(parts: Iterable[Array]) -> Array:
        return np.concatenate([part[1:] for part in parts] or [np.zeros(0, int)])

    thrown, out = (join(getattr(night, name).sum(1) for night, _ in followed) for name in ("thrown", "out"))
    inside, drops = join(known.before.sum(1) for _, known in followed), join(known.drops for _, known in followed)
    loose = join(known.loose for _, known in followed)
    thrown_out = np.array([drop.thrown_out for _, _, drop in later], int)

    def fit_weighted(weights: Array) -> DropLaw:
        law = fit(thrown, inside, loose, thrown_out, out - thrown_out, weights[of_game]) if goes_on else None
        first = {
            cubes: fit_group(
                np.ones((len(of), 1)), [cubes] * len(of), [len(games[i][0].out_ages) for i in of], weights[of]
            )
            for cubes, of in setups.items()
        }
        return DropLaw(law, first)

    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(0, 0)))
    return Reference(
        apparatus=apparatus,
        games=len(games),
        seed=seed,
        law=fit_weighted(np.ones(len(games))),
        drawn=tuple(fit_weighted(weights) for weights in rng.dirichlet(np.ones(len(games)), LAWS) * len(games)),
        thrown=_find_ends(thrown),
        inside=_find_ends(inside),
        drops=(1, _find_ends(drops)[1]),
        ages=ages,
    )


def _find_ends(counts: Array) -> tuple[int, int]:
    return (int(counts.min()), int(counts.max())) if len(counts) else (0, 0)


TABLES = (".csv", ".tsv", ".tab", ".txt")
OF_ALL = f"{CUBES} cubes in {COLOURS} equal colours"


@dataclass(frozen=True, slots=True)
class Usable:
    """The `evidence` of all files, and the same evidence with later drops held out (`halves`).

    `games` has an entry for each recorded game, not pooled. `left` has the games that the fit cannot use, by file name.
    `notes` has a line for each file from which something is left out.
    """

    evidence: tuple[Evidence, ...] = ()
    halves: tuple[Evidence, ...] = ()
    games: tuple[Evidence, ...] = ()
    left: dict[str, tuple[Record, ...]] = field(default_factory=dict[str, tuple[Record, ...]])
    notes: tuple[str, ...] = ()


def read_usable(files: Sequence[str | Path]) -> Usable:
    """Read all files."""
    remarks: list[Evidence] = []
    nights: list[tuple[list[Record], str, Observation | None]] = []
    left: dict[str, tuple[Record, ...]] = {}
    notes: list[str] = []
    read: dict[str, list[Record]] = {}
    for file in map(Path, files):
        observation = None if file.suffix.lower() in TABLES else evidences.read(file)
        remarks += evidences.of_observation(observation) if observation else []
        table = observation.recorded if observation else file
        if table is None:
            continue
        records = recorded.read(table)
        if same := next((name for name, others in read.items() if others == records), None):
            raise UsageError(
                f"records {quote(table.name)} hold the drops of {quote(same)}; allowed is each night once; leave one "
                "out"
            )
        read[table.name] = records
        fitted, other = _split_records(records)
        if fitted:
            nights.append((fitted, table.name, observation))
        if other:
            left[table.name] = tuple(other)
        if sum(not record.is_odd for record in fitted) < len(records) or not has_colours(records):
            notes.append(_format_note(table.name, records, fitted, other))
    games: list[Evidence] = []
    split_games: list[Evidence] = []
    held = sum(len(fitted) for fitted, _, _ in nights) // 2  # drops, of all nights in their order, before the held ones
    for fitted, name, observation in nights:
        games += evidences.of_records(fitted, name, None, observation)
        split_games += evidences.of_records(fitted, name, held, observation)
        held -= len(fitted)
    evidence, halves = ([*evidences.pool_games(of), *remarks] for of in (games, split_games))
    if not evidence:
        raise UsageError(
            f"{'; '.join(notes) or 'observations: none'}; allowed is a game of {OF_ALL} from its set-up, or an "
            f"observation of such towers beside it (such as {', '.join(list(evidences.shipped())[:2])}); "
            "tower-sim tower test takes any drops"
        )
    return Usable(
        tuple(evidences.count_once(evidence)), tuple(evidences.count_once(halves)), tuple(games), left, tuple(notes)
    )


def _split_records(records: Sequence[Record]) -> tuple[list[Record], list[Record]]:
    """Return the drops that the fit can use, at most DROPS of each published game, and the games that it cannot use.

    Miscounted drops after the set-up are in neither, nor those from a knock, a spill, an emptied tower or a recount on.
    """
    fitted: list[Record] = []
    other: list[Record] = []
    for _, rows in groupby(records, key=lambda record: record.game):
        game = list(rows)
        if not is_published(game[0]):
            other += game
            continue
        calm = takewhile(lambda record: set(record.marks).isdisjoint(DISTURBING), game[:DROPS])
        kept = [record for record in calm if not (record.is_odd and record.number)]
        fitted += kept if any(not record.is_odd for record in kept) else []
    return fitted, other


def _format_note(name: str, records: Sequence[Record], fitted: Sequence[Record], other: Sequence[Record]) -> str:
    free = sum(record.is_free for record in other)
    games = Counter(record.game for record in records if record not in other)
    beyond = sum(max(drops - DROPS, 0) for drops in games.values())
    used = sum(not record.is_odd for record in fitted)
    odd = len(records) - used - len(other) - beyond
    parts = [
        f"{used} of {count_noun(len(records), 'drop')} can be fitted",
        *([f"{free} {'is a free throw' if free == 1 else 'are free throws'}"] if free else []),
        *(
            [f"{len(other) - free} {'is' if len(other) - free == 1 else 'are'} of games of other than {OF_ALL}"]
            if len(other) > free
            else []
        ),
        *(
            [
                f"{odd} {'is' if odd == 1 else 'are'} miscounted, or from a knock, a spill, an emptied tower or a "
                "recount on"
            ]
            if odd
            else []
        ),
        *([f"{beyond} {'is' if beyond == 1 else 'are'} beyond the {DROPS} drops of a game"] if beyond else []),
        *(["no colours were recorded, so only numbers are fitted"] if fitted and not has_colours(records) else []),
    ]
    return f"records {quote(name)}: {', '.join(parts)}"

"""The reference for recorded drops: a distribution of the number out, fitted to simulated games of a tower."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby, takewhile
from pathlib import Path

import numpy as np
from scipy.special import expit

from tower_sim.apparatus import Apparatus
from tower_sim.calibration import evidence as evidences
from tower_sim.calibration import records as recorded
from tower_sim.calibration.evidence import Evidence
from tower_sim.calibration.observations import CUBES, Observation
from tower_sim.calibration.records import DISTURBING, EMPTIED, Record, has_colours
from tower_sim.calibration.summaries import COLOURS, DROPS, AgedDrop, RecordedThrows, is_published, observe
from tower_sim.errors import UsageError, check_whole, quote
from tower_sim.models import PHYSICS
from tower_sim.physics import PhysicsSettings
from tower_sim.surrogate import (
    AgeOdds,
    Array,
    BetaBinomial,
    GroupsLaw,
    beta_binomial,
    chance,
    fit,
    fit_ages,
    fit_group,
    terms,
)
from tower_sim.tools import count_noun

FEWEST_GAMES, MOST_GAMES = 8, 10_000
LAWS = 64  # distributions drawn from the uncertainty of the fit


@dataclass(frozen=True, slots=True)
class Situation:
    """A recorded drop, the cubes inside `before` it by colour, and the number of drops since the tower was empty.

    `ages[c, a]` is the expected number of cubes of colour c (in the record's order) of age a, in drops; cubes thrown
    now have age 0. `odds[c]` is the sum of their odds to come out. `loose` is AgeOdds.loose of the cubes inside.
    """

    record: Record
    before: dict[str, int]
    drops: int
    ages: Array
    odds: Array
    loose: float

    @property
    def thrown(self) -> int:
        return sum(self.record.thrown.values())

    @property
    def inside(self) -> int:
        return sum(self.before.values())

    @property
    def out(self) -> int:
        return sum(self.record.out.values())

    @property
    def is_setup(self) -> bool:
        return self.drops == 0 and self.thrown > 0


def stack(groups: Iterable[BetaBinomial]) -> Array:
    """Return the coefficients and, last, the log size of each distribution, shape (laws, terms + 1)."""
    return np.array([[*group.coefficients, group.log_size] for group in groups])


def _pmf(laws: Array, cubes: int, at: Array) -> Array:
    return beta_binomial(cubes, chance(laws[:, :-1] @ at), np.exp(laws[:, -1]))


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
    def _later(self) -> tuple[Array, ...]:
        return tuple(stack(groups) for groups in zip(*(law.later for law in self.drawn if law.later), strict=True))

    @cached_property
    def _setups(self) -> dict[int, Array]:
        return {cubes: stack(law.setups[cubes] for law in self.drawn) for cubes in self.law.setups}

    def pmfs(self, situation: Situation) -> Array:
        """Return the probability of 0, 1, ... cubes out by drawn distribution, shape (laws, thrown + inside + 1)."""
        n, m = situation.thrown, situation.inside
        if situation.is_setup:
            return _pmf(self._setups[n], n, np.ones(1))
        at = terms(n, m, situation.loose)
        a, b = (_pmf(laws, cubes, at) for laws, cubes in zip(self._later, (n, m), strict=True))
        chances = np.zeros((len(a), n + m + 1))
        for k in range(n + 1):
            chances[:, k : k + m + 1] += a[:, k : k + 1] * b
        return chances

    def why_not(self, situation: Situation) -> str | None:
        """Return in words why the distribution does not cover a situation; None if it does."""
        if situation.record.is_odd:
            return f"marked {' '.join(situation.record.marks)}"
        if not situation.thrown:
            return "nothing thrown"
        if situation.is_setup:
            known = ", ".join(map(str, self.law.setups)) or "any number of"
            other = f"first drop of other than the {known} cubes that {FEWEST_GAMES} or more reference games began with"
            return None if situation.thrown in self.law.setups else other
        if not self.law.later:
            return f"later drops, to which fewer than {FEWEST_GAMES} reference games came"
        for value, (low, high), words in (
            (situation.thrown, self.thrown, "{} to {} thrown"),
            (situation.inside, self.inside, "{} to {} inside before"),
            (situation.drops, self.drops, "{} to {} drops since the tower was empty"),
        ):
            if not low <= value <= high:
                return f"outside what the reference games visited: {words.format(low, high)}"
        return None


def list_situations(records: Sequence[Record], odds: AgeOdds) -> list[Situation]:
    """Return the situation of each record; each game begins with the empty tower."""
    situations: list[Situation] = []
    game, before, drops, ages = 0, dict[str, int](), 0, np.zeros((0, 0))
    for record in records:
        if record.game != game:
            game, before, drops = record.game, dict.fromkeys(record.thrown, 0), 0
            ages = np.zeros((len(record.thrown), 0))
        thrown = np.array([*record.thrown.values()], float)
        loose = odds.loose(np.append(0.0, ages.sum(0))) if drops else 0.0
        ages = np.column_stack([thrown, ages])
        weights = odds.at(drops)
        situations.append(Situation(record, before, drops, ages, ages @ weights, loose))
        ages = _remove_cubes(ages, np.array([record.out[colour] for colour in record.thrown], float), weights)
        before = record.inside
        if record.is_odd:
            ages[ages.sum(1) < 1e-9, 0] = 1.0  # those of nothing are new
            ages = ages * (np.array([*before.values()]) / ages.sum(1))[:, None]
        if EMPTIED in record.marks:
            drops, ages = 0, ages[:, :0]
        elif thrown.any():
            drops += 1
        else:
            ages = ages[:, 1:]
    return situations


def _remove_cubes(ages: Array, out: Array, odds: Array) -> Array:
    """Return the expected cubes by age that stay after `out[c]` cubes of each colour came out.

    The share of age a that comes out is x odds[a] / (1 + x odds[a]), nearly the mean of Fisher's noncentral
    hypergeometric distribution; x, found by bisection of its logarithm, gives the total.
    """
    log_odds = np.log(odds)
    low, high = np.full(len(out), -40.0), np.full(len(out), 40.0)
    for _ in range(40):
        middle = (low + high) / 2
        too_many = (ages * expit(middle[:, None] + log_odds)).sum(1) > out
        low, high = np.where(too_many, low, middle), np.where(too_many, middle, high)
    return ages * (1 - expit(((low + high) / 2)[:, None] + log_odds))


def fit_reference(
    apparatus: Apparatus,
    games: int,
    seed: int,
    settings: PhysicsSettings | None = None,
    throws: Sequence[RecordedThrows | None] = (None,),
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
    records = [[drop.record for drop in game] for game in games if goes_on]
    situations = [situation for game in records for situation in list_situations(game, ages)[1:]]
    thrown, inside, out, drops = (
        np.array([getattr(x, name) for x in situations], int) for name in ("thrown", "inside", "out", "drops")
    )
    loose = np.array([x.loose for x in situations])
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

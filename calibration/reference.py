"""What a profile's tower does, learnt from whole simulated games: the law that recorded drops are held against."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from scipy.special import expit

from calibration.records import Record
from tower_sim.apparatus.parts import Apparatus, as_tower
from tower_sim.contract import DropModel
from tower_sim.errors import UsageError, check_whole
from tower_sim.games.amerigo import Rules, play
from tower_sim.model import TooManyFailedDraws
from tower_sim.physics.settings import PhysicsSettings
from tower_sim.pool import spread_out
from tower_sim.simulator import PhysicsModel
from tower_sim.state import TowerState
from tower_sim.surrogate.groups import (
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

FEWEST_GAMES, MOST_GAMES = 8, 10_000
WORKERS = 2
LAWS = 64  # drawn from the uncertainty of the fit


@dataclass(frozen=True, slots=True)
class AgedDrop:
    """A simulated drop: its record and, what no owner sees, the age of every cube in drops, those that left first."""

    record: Record
    ages: tuple[int, ...]
    out_ages: tuple[int, ...]

    @property
    def thrown_out(self) -> int:
        """How many of the cubes thrown came out."""
        return self.out_ages.count(0)


@dataclass(frozen=True, slots=True)
class Situation:
    """A recorded drop, what was inside `before` it by colour, and how many drops there were since the tower was empty.

    `ages[c, a]` is the expected number of cubes of colour c (in the record's order) that are a drops old, those thrown
    just now being 0 old: what an owner can know of ages. `odds[c]` are the odds to leave summed over them, `loose` is
    AgeOdds.loose of the residents.
    """

    record: Record
    before: dict[str, int]
    drops: int
    ages: Array
    odds: Array
    loose: float

    @property
    def thrown(self) -> int:
        """How many cubes are thrown."""
        return sum(self.record.thrown.values())

    @property
    def inside(self) -> int:
        """How many cubes are inside before."""
        return sum(self.before.values())

    @property
    def out(self) -> int:
        """How many cubes come out."""
        return sum(self.record.out.values())

    @property
    def is_setup(self) -> bool:
        """Whether it is the first throw of a game, into the empty tower."""
        return self.drops == 0 and self.thrown > 0


@dataclass(frozen=True)
class Laws:
    """Laws of a group drawn from its uncertainty: `coefficients` (law, term) and `sizes` (law)."""

    coefficients: Array
    sizes: Array

    @staticmethod
    def of(groups: Iterable[BetaBinomial]) -> Laws:
        """Put groups together."""
        groups = list(groups)
        sizes = np.exp([group.log_size for group in groups])
        return Laws(np.array([group.coefficients for group in groups]), sizes)

    def pmf(self, cubes: int, at: Array) -> Array:
        """Return by law the chances that 0 to `cubes` come out, shape (laws, cubes + 1)."""
        return beta_binomial(cubes, chance(self.coefficients @ at), self.sizes)


@dataclass(frozen=True)
class Reference:
    """How the tower of a profile behaves, from `games` simulated games of `seed`.

    Later drops (all but the first of a game) follow `law`, the first, which throws `setup_cubes`, follows `setup`.
    `drawn` are as many laws as LAWS, each fitted to the games with random weights: together they say how uncertain the
    fit is (Rubin's Bayesian bootstrap, by game). `thrown`, `inside` and `drops` are what the games visited, ends
    included. `ages` are the odds of a cube to leave by its age.
    Source of the bootstrap: Rubin, Annals of Statistics 9 (1981) 130.
    """

    apparatus: str
    games: int
    seed: int
    law: GroupsLaw
    setup: BetaBinomial
    setup_cubes: int
    drawn: tuple[tuple[GroupsLaw, BetaBinomial], ...]
    thrown: tuple[int, int]
    inside: tuple[int, int]
    drops: tuple[int, int]
    ages: AgeOdds

    @cached_property
    def _groups(self) -> tuple[Laws, Laws, Laws]:
        laws = [law for law, _ in self.drawn]
        return (
            Laws.of(law.thrown for law in laws),
            Laws.of(law.resident for law in laws),
            Laws.of(setup for _, setup in self.drawn),
        )

    def pmfs(self, situation: Situation) -> Array:
        """Return by drawn law the chances that 0, 1, ... cubes come out, shape (laws, thrown + inside + 1)."""
        n, m = situation.thrown, situation.inside
        thrown, resident, setup = self._groups
        if situation.is_setup:
            return setup.pmf(n, np.ones(1))
        at = terms(n, m, situation.loose)
        a, b = thrown.pmf(n, at), resident.pmf(m, at)
        chances = np.zeros((len(a), n + m + 1))
        for k in range(n + 1):
            chances[:, k : k + m + 1] += a[:, k : k + 1] * b
        return chances

    def why_not(self, situation: Situation) -> str | None:
        """Say in words why the law does not cover a situation; None when it does."""
        if not situation.thrown:
            return "nothing thrown"
        if situation.is_setup:
            known = situation.thrown == self.setup_cubes
            return None if known else f"first drop of other than the {self.setup_cubes} cubes of the reference games"
        for value, (low, high), words in (
            (situation.thrown, self.thrown, "{} to {} thrown"),
            (situation.inside, self.inside, "{} to {} inside before"),
            (situation.drops, self.drops, "{} to {} drops since the tower was empty"),
        ):
            if not low <= value <= high:
                return f"outside what the reference games visited: {words.format(low, high)}"
        return None


def situations(records: Sequence[Record], odds: AgeOdds) -> list[Situation]:
    """Say for each record what it was thrown into; of several games each begins with the empty tower."""
    situations_so_far: list[Situation] = []
    game, before, drops, ages = 0, dict[str, int](), 0, np.zeros((0, 0))
    for record in records:
        if record.game != game:
            game, before, drops = record.game, dict.fromkeys(record.thrown, 0), 0
            ages = np.zeros((len(record.thrown), 0))
        thrown = np.array([*record.thrown.values()], float)
        loose = odds.loose(np.append(0.0, ages.sum(0))) if drops else 0.0
        ages = np.column_stack([thrown, ages])
        weights = odds.at(drops)
        situations_so_far.append(Situation(record, before, drops, ages, ages @ weights, loose))
        ages = _left(ages, np.array([record.out[colour] for colour in record.thrown], float), weights)
        before = record.inside
        if thrown.any():
            drops += 1
        else:
            ages = ages[:, 1:]
    return situations_so_far


def _left(ages: Array, out: Array, odds: Array) -> Array:
    """Take `out[c]` expected cubes of each colour from `ages[c]`, those with greater odds first.

    The share of age a that leaves is x odds[a] / (1 + x odds[a]), where x makes the total right: the mean of Fisher's
    noncentral hypergeometric law, nearly. Solved by halving log x, for all colours at once.
    """
    low, high = np.full(len(out), -40.0), np.full(len(out), 40.0)
    for _ in range(40):
        middle = (low + high) / 2
        too_many = (ages * expit(middle[:, None] + np.log(odds))).sum(1) > out
        low, high = np.where(too_many, low, middle), np.where(too_many, middle, high)
    return ages * (1 - expit(((low + high) / 2)[:, None] + np.log(odds)))


def reference(apparatus: Apparatus, games: int, seed: int, settings: PhysicsSettings | None = None) -> Reference:
    """Play `games` games with physics and learn from them; all that is random comes from `seed`.

    `settings` are those of the physics (None: the defaults).
    Raises UsageError for an apparatus that is no Amerigo tower, for too few or many games and for a seed below 0.
    """
    check_whole("games", games, FEWEST_GAMES, MOST_GAMES)
    return learn(apparatus.name, observe(apparatus, games, seed, settings), seed)


def observe(
    apparatus: Apparatus, games: int, seed: int, settings: PhysicsSettings | None = None
) -> list[list[AgedDrop]]:
    """Play games with physics, on two processes; game i depends on `seed` and i only. Raises UsageError; see above."""
    as_tower(apparatus)
    check_whole("seed", seed, 0)
    seeds = [_seed_of(seed, i) for i in range(games)]
    return list(spread_out(partial(_with_physics, apparatus, settings), seeds, WORKERS, "games"))


def _seed_of(seed: int, game: int) -> int:
    return int(np.random.SeedSequence(seed, spawn_key=(game,)).generate_state(1, np.uint64)[0])


def _with_physics(apparatus: Apparatus, settings: PhysicsSettings | None, seed: int) -> list[AgedDrop]:
    with PhysicsModel(apparatus, settings) as model:
        return watch(model, seed)


def watch(model: DropModel, seed: int, rules: Rules | None = None) -> list[AgedDrop]:
    """Play a game and keep what is needed of every throw; it ends early where five draws in a row are no landing."""
    rules = rules or Rules()
    drops: list[AgedDrop] = []
    tower = model.empty()
    try:
        for entry in play(model, rules, seed):
            if not any(entry.thrown.values()):
                continue
            born = {resident.cube: resident.since for resident in tower.residents}
            out = [_age(tower, born.get(cube)) for cube in entry.state.central]
            stayed = [_age(tower, born.get(cube)) for cube in entry.state.tower.cubes]
            record = Record(len(drops) + 1, dict(entry.thrown), dict(entry.emerged), dict(entry.inside))
            drops.append(AgedDrop(record, (*out, *stayed), tuple(out)))
            tower = entry.state.tower
    except TooManyFailedDraws:
        pass
    return drops


def _age(tower: TowerState, since: int | None) -> int:
    return 0 if since is None else tower.drops - since


def learn(apparatus: str, games: Sequence[Sequence[AgedDrop]], seed: int) -> Reference:
    """Fit the reference law to games; the weights of the drawn laws come from `seed`.

    Raises UsageError when fewer than 8 of the games have a set-up and a later drop.
    """
    games = [game for game in games if len(game) > 1]
    if len(games) < FEWEST_GAMES:
        raise UsageError(
            f"{len(games)} reference games came to a later drop; allowed are {FEWEST_GAMES} or more; play more games"
        )
    setups = [game[0] for game in games]
    later = [(number, drops, seen) for number, game in enumerate(games) for drops, seen in enumerate(game) if drops]
    of_game = np.array([number for number, _, _ in later])
    cubes = [(age, drops, i < len(seen.out_ages)) for _, drops, seen in later for i, age in enumerate(seen.ages)]
    ages = fit_ages(*(np.array(column) for column in zip(*cubes, strict=True)))
    known = [drop for game in games for drop in situations([seen.record for seen in game], ages)[1:]]
    thrown, inside, out, drops = (
        np.array([getattr(drop, name) for drop in known]) for name in ("thrown", "inside", "out", "drops")
    )
    loose = np.array([drop.loose for drop in known])
    thrown_out = np.array([seen.thrown_out for _, _, seen in later])
    setup_cubes, setup_out = [len(seen.ages) for seen in setups], [len(seen.out_ages) for seen in setups]
    intercept = np.ones((len(games), 1))

    def fitted(weights: Array) -> tuple[GroupsLaw, BetaBinomial]:
        law = fit(thrown, inside, loose, thrown_out, out - thrown_out, weights[of_game])
        return law, fit_group(intercept, setup_cubes, setup_out, weights)

    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(0, 0)))
    law, setup = fitted(np.ones(len(games)))
    drawn = [fitted(weights) for weights in rng.dirichlet(np.ones(len(games)), LAWS) * len(games)]
    return Reference(
        apparatus=apparatus,
        games=len(games),
        seed=seed,
        law=law,
        setup=setup,
        setup_cubes=max(setup_cubes),
        drawn=tuple(drawn),
        thrown=(int(thrown.min()), int(thrown.max())),
        inside=(int(inside.min()), int(inside.max())),
        drops=(1, int(drops.max())),
        ages=ages,
    )

"""Synthetic owners: towers with hidden parameters, the drops that are recorded of them, and what they do in truth.

python -m tests.measure.owners simulate --owners 66 --out DIRECTORY --workers 2 --truth-games 10 --seed 1
python -m tests.measure.owners judge DIRECTORY
python -m tests.measure.owners example

A fit sees the records only; `judge` compares what it says with the truth, so its intervals are seen to be right.
"""

from __future__ import annotations

import argparse
import sys
import tomllib
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import islice, starmap
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

from tests.measure.script import ended
from tower_sim import __version__
from tower_sim.apparatus.catalogue import from_tables
from tower_sim.apparatus.parts import Apparatus
from tower_sim.calibration.design import Design, shipped
from tower_sim.calibration.emulator import Emulator, shipped_kernels
from tower_sim.calibration.evidence import of_records
from tower_sim.calibration.evidence import shipped as shipped_evidence
from tower_sim.calibration.fit import LEVEL, Discrepancy, Interval, fit
from tower_sim.calibration.parameters import ENGINE, NUMBERS, TOWER, fields
from tower_sim.calibration.records import Record, write
from tower_sim.campaign.files import locked, make_directory, sealed, unsealed
from tower_sim.campaign.files import write as write_whole
from tower_sim.campaign.vary import applied
from tower_sim.contract import DropModel
from tower_sim.errors import UsageError, check_whole, fault
from tower_sim.games.amerigo import Rules, play
from tower_sim.model import TooManyFailedDraws
from tower_sim.physics.settings import PhysicsSettings, accuracy
from tower_sim.pool import processes
from tower_sim.progress import telling
from tower_sim.simulator import PhysicsModel
from tower_sim.statistics import clopper_pearson, mean_error

SCHEMA, VERSION = "tower-sim/owner", 1
FEWEST, MOST = 20, 60  # drops that an owner records
TRUTH_GAMES = 10
QUANTITIES = ("inside", "out", "setup")

# Half of the owners' towers are of physics that no fit knows of: every fourth at half the core's step, every fourth by
# the other engine as it ships. Real towers have no step at all.
SETTINGS = {
    "standard": PhysicsSettings(engine=ENGINE),
    "half step": accuracy(ENGINE, "fine"),
    "bullet": PhysicsSettings(engine="bullet"),
}
_IN_TURN = ("standard", "half step", "standard", "bullet")

_POINT, _RECORDS, _TRUTH = range(3)  # second word of an owner's spawn keys; the third is the game's number

EXAMPLE = shipped_evidence()["my_tower"]
_EXAMPLE_SEED, _EXAMPLE_OWNER, _EXAMPLE_DROPS = 2026, 19, 44
_EXAMPLE_MADE = "2026-11-21"


class TrueMean(NamedTuple):
    """A mean over games and its standard error, in cubes."""

    mean: float
    se: float


@dataclass(frozen=True, slots=True)
class Truth:
    """What a tower does in `games` further whole games, each begun empty; means in cubes.

    `inside`: after a phase; `out`: in a phase; both over all 35 phases, those with nothing to throw too, without the
    set-up. `setup`: inside after the set-up.
    """

    games: int
    inside: TrueMean
    out: TrueMean
    setup: TrueMean


@dataclass(frozen=True, slots=True)
class Owner:
    """A tower at a hidden point of the prior and what is recorded of it; drawn from `seed`, `number` from 0.

    `unit` is that point, `settings` names the numerical settings of the tower, `drops` is how many its
    owner means to record. `failed` says why there are fewer `records` or no `truth`: a drop that was no landing five
    times in a row; it is empty for an owner who came to the end.
    """

    number: int
    seed: int
    unit: tuple[float, ...]
    settings: str
    drops: int
    records: tuple[Record, ...] = ()
    truth: Truth | None = None
    failed: str = ""

    def stream(self, *key: int) -> np.random.SeedSequence:
        """Return this owner's random stream with that key."""
        return np.random.SeedSequence(self.seed, spawn_key=(self.number, *key))

    def game_seed(self, kind: int, game: int) -> int:
        """Return the seed of a game, to play it by."""
        return int(self.stream(kind, game).generate_state(1, np.uint64)[0])

    def apparatus(self) -> Apparatus:
        """Return the tower, with its hidden parameters."""
        tables = {"profile": tomllib.loads(TOWER.read_text("utf-8"))}
        return from_tables(applied(tables, fields(self.unit))["profile"], f"owner {self.number}")

    def model(self) -> PhysicsModel:
        """Return the tower as a model, to be closed."""
        return PhysicsModel(self.apparatus(), SETTINGS[self.settings])


def drawn(number: int, seed: int) -> Owner:
    """Draw an owner who has recorded nothing yet.

    Random: the point, uniform in the unit cube; how many drops, FEWEST to MOST. Of four
    owners the second has half the step, the last the other engine. Raises UsageError for a number or seed below 0.
    """
    check_whole("number of an owner", number, 0)
    check_whole("seed", seed, 0)
    blank = Owner(number, seed, (), _IN_TURN[number % len(_IN_TURN)], 0)
    rng = np.random.default_rng(blank.stream(_POINT))
    unit = tuple(rng.random(len(NUMBERS)).tolist())
    return replace(blank, unit=unit, drops=int(rng.integers(FEWEST, MOST + 1)))


def recorded(model: DropModel, drops: int, game_seed: Callable[[int], int]) -> Iterator[Record]:
    """Yield `drops` drops of published games, each begun with the tower emptied, as an owner writes them down.

    Game i, from 1, is played from `game_seed(i)`; the last may stop short. A phase with nothing to throw is a row of
    zeros. Raises TooManyFailedDraws from the iterator.
    """
    game = done = 0
    while done < drops:
        game += 1
        for entry in islice(play(model, Rules(), game_seed(game)), drops - done):
            yield Record(entry.index, dict(entry.thrown), dict(entry.emerged), dict(entry.inside), game)
            done += 1


def measured(model: DropModel, games: int, game_seed: Callable[[int], int]) -> Truth:
    """Play whole games from `game_seed(1)`, `game_seed(2)`, ... and take their means; standard errors are by game.

    Raises UsageError for fewer than 2 games, TooManyFailedDraws.
    """
    check_whole("truth games", games, 2)
    rows: list[tuple[float, float, float]] = []
    for game in range(1, games + 1):
        setup, *phases = play(model, Rules(), game_seed(game))
        inside = [sum(entry.inside.values()) for entry in phases]
        out = [sum(entry.emerged.values()) for entry in phases]
        rows.append((float(np.mean(inside)), float(np.mean(out)), float(sum(setup.inside.values()))))
    return Truth(games, *(TrueMean(*mean_error(column)) for column in zip(*rows, strict=True)))


def owner(number: int, seed: int, truth_games: int = TRUTH_GAMES) -> Owner:
    """Draw an owner, record the drops, and find the tower's truth; a failed draw is kept in `failed`.

    Raises UsageError as `drawn` and `measured` do.
    """
    with (plain := drawn(number, seed)).model() as model:
        return played(plain, model, truth_games)


def played(plain: Owner, model: DropModel, truth_games: int) -> Owner:
    """Let an owner record the drops of `model`, then find the truth in further games; see `owner`."""
    records: list[Record] = []
    try:
        for record in recorded(model, plain.drops, lambda game: plain.game_seed(_RECORDS, game)):
            records.append(record)
        truth = measured(model, truth_games, lambda game: plain.game_seed(_TRUTH, game))
    except TooManyFailedDraws as error:
        is_short = len(records) < plain.drops
        when = f"after {len(records)} of {plain.drops} drops" if is_short else "in a game of the truth"
        return replace(plain, records=tuple(records), failed=f"{when}: {error}")
    return replace(plain, records=tuple(records), truth=truth)


def simulate(out: Path, owners: int, seed: int, workers: int = 2, truth_games: int = TRUTH_GAMES) -> None:
    """Simulate owners 0 to before `owners` into `out`, a file each, and tell on standard error how far it is.

    Whole files that are there are kept, so that a run that was stopped goes on. Raises UsageError for files of other
    owners, and as `owner` does; WritingFailed when the disk is full.
    """
    for name, value, least in (("--owners", owners, 1), ("--workers", workers, 1), ("--truth-games", truth_games, 2)):
        check_whole(name, value, least)
    make_directory(out)
    with locked(out):
        plain = [drawn(number, seed) for number in range(owners)]
        todo = [one for one in plain if _kept(out, one, truth_games) is None]
        whole = owners - len(todo)
        with telling("owners", owners) as tell:
            tell.begin(owners, whole)
            for owner in _simulated([(x.number, seed, truth_games) for x in todo], workers):
                document = {"made": _made(owner, truth_games), "owner": asdict(owner)}
                write_whole(_file(out, owner.number), sealed({"schema": SCHEMA, "version": VERSION} | document))
                tell.note(f"owner {owner.number}: {_said(owner)}")
                tell(whole := whole + 1)


def _simulated(tasks: Sequence[tuple[int, int, int]], workers: int) -> Generator[Owner, None, None]:
    """Yield owners as they come; Ctrl-C is for this process alone, which then ends the others."""
    if workers == 1 or len(tasks) < 2:
        yield from starmap(owner, tasks)
        return
    with processes(min(workers, len(tasks))) as pool:
        yield from pool.imap_unordered(_of_task, tasks)


def _of_task(task: tuple[int, int, int]) -> Owner:
    return owner(*task)


def _said(owner: Owner) -> str:
    if owner.truth is None:
        return f"failed {owner.failed}"
    return f"{len(owner.records)} drops, {owner.truth.inside.mean:.1f} inside, {owner.truth.out.mean:.1f} out"


def _file(out: Path, number: int) -> Path:
    return out / f"owner-{number:04d}.json"


def _made(plain: Owner, truth_games: int) -> dict[str, Any]:
    """What a kept file must have been made from."""
    digests = {"tower": plain.apparatus().digest, "settings": SETTINGS[plain.settings].digest()}
    return {"seed": plain.seed, "number": plain.number, "truth_games": truth_games, **digests}


def _kept(out: Path, plain: Owner, truth_games: int) -> Owner | None:
    """Return the owner whose whole file is there already, None for none or a spoiled one; see `simulate`."""
    path = _file(out, plain.number)
    document = _read(path) if path.exists() else None
    if document is None:
        return None
    wanted = _made(plain, truth_games)
    for key, value in wanted.items():
        if document["made"][key] != value:
            raise fault(f"{key} of {path}", document["made"][key], f"{value!r}, as asked for", "give another --out")
    return _owner_of(document)


def _read(path: Path) -> dict[str, Any] | None:
    """Return the document of an owner's file, None when it is not whole."""
    document = unsealed(path.read_bytes())
    is_ours = document is not None and (document.get("schema"), document.get("version")) == (SCHEMA, VERSION)
    return document if is_ours else None


def _owner_of(document: dict[str, Any]) -> Owner:
    table = dict(document["owner"])
    truth = table.pop("truth")
    means = {name: TrueMean(*truth[name]) for name in QUANTITIES} if truth else {}
    return Owner(
        **table
        | {
            "unit": tuple(table["unit"]),
            "records": tuple(Record(**row) for row in table["records"]),
            "truth": Truth(truth["games"], **means) if truth else None,
        }
    )


def load(directory: Path) -> list[Owner]:
    """Read the owners of a directory, by number; raises UsageError when there are none or a file was changed."""
    owners: list[Owner] = []
    for path in sorted(directory.glob("owner-*.json")):
        if (document := _read(path)) is None:
            raise UsageError(f"{path} is no whole {SCHEMA} of version {VERSION}; run simulate again, it mends that")
        owners.append(_owner_of(document))
    if not owners:
        raise UsageError(f"{directory} has no owners; allowed is a directory that simulate has filled; run simulate")
    return owners


@dataclass(frozen=True, slots=True)
class Prediction:
    """What a fit says of the means that `Truth` measures, over as many games: 90 % intervals; and the prior alone."""

    inside: Interval
    out: Interval
    setup: Interval
    prior_inside: Interval
    prior_out: Interval
    prior_setup: Interval


Predict = Callable[[list[Record]], Prediction]


@dataclass(frozen=True, slots=True)
class Case:
    """One owner and one quantity: the truth, the interval of the fit and that of the prior alone."""

    owner: Owner
    quantity: str
    truth: TrueMean
    interval: Interval
    prior: Interval

    @property
    def is_covered(self) -> bool:
        """Whether the interval of the fit holds the truth."""
        return self.interval.low <= self.truth.mean <= self.interval.high

    def __str__(self) -> str:
        side = "in" if self.is_covered else "above" if self.truth.mean > self.interval.high else "below"
        who, known = self.owner, self.truth
        return (
            f"owner {who.number} ({who.settings}, {len(who.records)} drops): {self.quantity} "
            f"{known.mean:.2f} +- {known.se:.2f}, {side} {self.interval.low:.2f} to {self.interval.high:.2f}"
        )


@dataclass(frozen=True, slots=True)
class Coverage:
    """How often the intervals of a quantity hold the truth, in a group of owners; widths are medians, in cubes.

    `accepted`: the least and the most covered that right intervals reach with a chance of at least 95 % (both tails at
    most 2.5 %, exactly binomial). `share`: the Clopper-Pearson 95 % interval of the share covered.
    """

    group: str
    quantity: str
    owners: int
    covered: int
    accepted: tuple[int, int]
    share: tuple[float, float]
    width: float
    prior_width: float
    truth_se: float

    def __str__(self) -> str:
        """Write it as a row of Judgement's table."""
        low, high = self.accepted
        cells = [
            self.group,
            self.quantity,
            f"{self.covered} of {self.owners}",
            f"{self.covered / self.owners:.1%} ({self.share[0]:.1%} to {self.share[1]:.1%})",
            f"{low} to {high}: {'met' if low <= self.covered <= high else 'not met'}",
            *(f"{x:.2f}" for x in (self.width, self.prior_width, self.width / self.prior_width, self.truth_se)),
        ]
        return f"| {' | '.join(cells)} |"


@dataclass(frozen=True, slots=True)
class Judgement:
    """A fit judged by owners whose truth is known: `rows` by group and quantity, the cases `missed`, and the owners
    that `failed`, who are in no row.
    """

    rows: tuple[Coverage, ...]
    missed: tuple[Case, ...]
    failed: tuple[Owner, ...]

    def __str__(self) -> str:
        """Write it in Markdown: a table and two lists."""
        lines = [
            f"| owners | quantity | {LEVEL:.0%} interval covers | share (95 % interval) | right would be "
            "| median width | of the prior | ratio | median truth se |",
            "|---|---|---|---|---|---|---|---|---|",
            *map(str, self.rows),
            "",
            "Right would be: the binomial 95 % region of intervals that hold a truth with 90 %. A truth is the mean "
            "over further games of that tower, and the intervals are of the mean over so many.",
            "",
            f"Missed: {len(self.missed) or 'none'}",
            *(f"- {case}" for case in self.missed),
            "",
            f"Failed, so not judged: {len(self.failed) or 'none'}",
            *(f"- owner {each.number}: {each.failed}" for each in self.failed),
        ]
        return "\n".join(lines)


def accepted(owners: int, level: float = LEVEL) -> tuple[int, int]:
    """Return the least and the most of `owners` that right intervals of `level` cover; see `Coverage`."""
    low, high = stats.binom.ppf([0.025, 0.975], owners, level)
    return int(low), int(high)


def judge(owners: Sequence[Owner], predict: Predict) -> Judgement:
    """Let `predict` see the records of each owner, no more, and compare what it says with the truth.

    Groups are all owners and those of each of SETTINGS. Raises UsageError when no owner has a truth.
    """
    cases: list[Case] = []
    judged = [one for one in owners if one.truth]
    with telling("owners", len(judged)) as tell:
        for done, one in enumerate(judged, 1):
            said = predict(list(one.records))
            for name in QUANTITIES:
                truth, interval, prior = getattr(one.truth, name), getattr(said, name), getattr(said, f"prior_{name}")
                cases.append(Case(one, name, truth, interval, prior))
            tell(done)
    if not cases:
        raise fault("number of owners with a truth", 0, "1 or more", "simulate more owners")
    groups = {"all": cases} | {name: [x for x in cases if x.owner.settings == name] for name in SETTINGS}
    rows = [
        _coverage(group, name, [case for case in members if case.quantity == name])
        for group, members in groups.items()
        for name in QUANTITIES
        if members
    ]
    missed = [case for case in cases if not case.is_covered]
    return Judgement(tuple(rows), tuple(missed), tuple(one for one in owners if not one.truth))


def _coverage(group: str, quantity: str, cases: Sequence[Case]) -> Coverage:
    covered = sum(case.is_covered for case in cases)
    widths = [(case.interval.width, case.prior.width, case.truth.se) for case in cases]
    medians = (float(np.median(column)) for column in zip(*widths, strict=True))
    of = len(cases)
    share = clopper_pearson(covered, of)
    return Coverage(group, quantity, of, covered, accepted(of), (share.low, share.high), *medians)


def predictor(games: int, discrepancy: Discrepancy | None = None, design: Design | None = None) -> Predict:
    """Return the quick fit: from records what the next `games` games of the same tower come to.

    The design is the one that ships, unless another is given.
    """
    emulator = Emulator(design or shipped(), shipped_kernels())

    def predict(records: list[Record]) -> Prediction:
        evidence = of_records(records, "owner")
        fitted = fit(emulator, evidence, np.random.default_rng(0), discrepancy, checks=False, further=games)
        intervals = [towers.itself(name) for towers in (fitted.posterior, fitted.prior) for name in QUANTITIES]
        return Prediction(*intervals)

    return predict


def example_drops() -> Iterator[Record]:
    """Yield the drops of the shipped example, the same each time."""
    plain = drawn(_EXAMPLE_OWNER, _EXAMPLE_SEED)
    with plain.model() as model:
        yield from recorded(model, _EXAMPLE_DROPS, lambda game: plain.game_seed(_RECORDS, game))


def example(path: Path = EXAMPLE) -> None:
    """Write the shipped example of records: one game and the beginning of a second; equal bytes each time.

    Raises UsageError for a path that cannot be written.
    """
    remarks = [
        "An example, not a real tower: this simulator threw the cubes, into a tower with hidden parameters, drawn at",
        "random from the priors of the fit. A game of 36 drops, then the tower was emptied: 8 drops of a second game.",
        f"Made on {_EXAMPLE_MADE} with tower_sim {__version__} by: python -m tests.measure.owners example",
    ]
    write(path, list(example_drops()), remarks)


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line; returns the exit status: see `ended`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True, dest="command")
    command = commands.add_parser("simulate", help="simulate owners, a file each; run again, it goes on")
    command.add_argument("--owners", type=int, default=66)
    command.add_argument("--out", type=Path, required=True, metavar="DIRECTORY")
    command.add_argument("--workers", type=int, default=2, help="processes")
    command.add_argument("--truth-games", type=int, default=TRUTH_GAMES, help="whole games behind each truth")
    command.add_argument("--seed", type=int, default=1)
    command = commands.add_parser("judge", help="fit the records of each owner and compare with the truth")
    command.add_argument("directory", type=Path)
    command = commands.add_parser("example", help="write the example of records that ships")
    command.add_argument("file", type=Path, nargs="?", default=EXAMPLE)
    options = parser.parse_args(arguments)

    def work() -> None:
        if options.command == "simulate":
            simulate(options.out, options.owners, options.seed, options.workers, options.truth_games)
        elif options.command == "judge":
            judged = load(options.directory)
            print(judge(judged, predictor(max(owner.truth.games for owner in judged if owner.truth))))
        else:
            example(options.file)

    return ended("owners", work, "finished owners are kept, run the same again to go on")


if __name__ == "__main__":
    sys.exit(main())

"""Evidence on a real tower: values of summaries with their random error, and clues, which have a probability."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from tower_sim.calibration import records as recorded
from tower_sim.calibration.observations import FOLDER, Observation, read_folder
from tower_sim.calibration.observations import read as read_observation
from tower_sim.calibration.summaries import (
    CLOGGED,
    CUBES,
    DROPS,
    EVERY,
    FIGURES,
    SETUP,
    SUMMARIES,
    USUAL,
    WHOLE,
    Array,
    Window,
    find_clogs,
    from_records,
    list_windows,
)
from tower_sim.errors import UsageError, fault, quote
from tower_sim.results import SHARE, TOTALS, Results, many_key, show, single_key
from tower_sim.tools import RECORDS, count_noun, read_text, refuse_other

MOST_VALUES = 40  # 1.7 GB
MOST_OF_GAMES = 28  # values of recorded games, so that remarks find room beside them
ALIKE = (0.9, 0.75, 0.5, 0.25, 0.0)  # least drops of a game, over those of the longest that it is pooled with
GAMES, PHASE, NORMAL = "games", "one phase", "normal"
RANGE = 2 * 1.645  # a range said to hold "each time" is read as the middle 90 % of phases [A]
SOFT = 0.2  # sd of bounds on the scale of the fit: bounds in words are not sharp [A]


@dataclass(frozen=True, slots=True)
class ColoursOut:
    """A clue: one throw brought out `low` to `high` different colours, limits included, in about `total` cubes."""

    total: int
    low: int
    high: int

    @property
    def windows(self) -> tuple[Window, Window]:
        """Return the shares of throws of about so many cubes that bring out one colour, and three or more."""
        near = min(TOTALS, key=lambda bounds: max(bounds[0] - self.total, self.total - bounds[1]))
        return EVERY[single_key(near)], EVERY[many_key(near)]

    @property
    def numbers(self) -> frozenset[int]:
        """Return the possible numbers of colours; 3 means three or more."""
        return frozenset(min(number, 3) for number in range(self.low, self.high + 1))

    def __str__(self) -> str:
        words = {1: "1 colour", 2: "2 colours", 3: "3 colours or more"}
        return (
            f"{' or '.join(words[number] for number in sorted(self.numbers))} in {count_noun(self.total, 'cube')} out"
        )


@dataclass(frozen=True, slots=True)
class ThrownLeads:
    """A clue: whether the only colour thrown was the most numerous colour out of one throw."""

    leads: bool

    def __str__(self) -> str:
        return f"the thrown colour {'leads' if self.leads else 'does not lead'}"


@dataclass(frozen=True, slots=True)
class LeastOut:
    """A clue: at least `cubes` cubes came out of one throw."""

    cubes: int

    def __str__(self) -> str:
        return f"{count_noun(self.cubes, 'cube')} out or more"


@dataclass(frozen=True, slots=True)
class Within:
    """A clue: a summary of many games is from `low` to `high`, in its unit; `soft` is their sd on the fit's scale."""

    window: Window
    low: float
    high: float
    soft: float = SOFT

    @property
    def ends(self) -> tuple[float, float]:
        """Return the limits on the scale of the fit; a limit that no game can pass is infinite."""
        name = self.window.summary
        most = CUBES if name in ("setup", "inside") else 1.0 if FIGURES[name].unit in (SHARE, "phases") else np.inf
        scale = SUMMARIES[name].scale
        low = float(scale(self.low)) if self.low > 0 else -np.inf
        return low, float(scale(self.high)) if self.high < most else np.inf

    def __str__(self) -> str:
        return f"{SUMMARIES[self.window.summary].words}: {show(self.low)} to {show(self.high)}"


@dataclass(frozen=True, slots=True)
class GamesClog:
    """A clue: `clogged` of `games` recorded games clog; the others count by their share of a whole game's phases."""

    clogged: int
    games: int
    usual: float

    def __str__(self) -> str:
        return f"{self.clogged} of {count_noun(self.games, 'game')} clog"


Clue = ColoursOut | ThrownLeads | LeastOut | Within | GamesClog


@dataclass(frozen=True, slots=True)
class Evidence:
    """Values of one or more summaries with common noise, and clues.

    `values` are on the scales of the fit. For the `noise` GAMES or PHASE they are means over `games` games or phases;
    for NORMAL they have the standard deviation `sd`. `doubt` multiplies the variance; a clue's
    probability is raised to the power 1 / `doubt`. `held` marks windows that a held-out check predicts from the rest.
    """

    name: str
    words: str
    source: str
    kind: str
    windows: tuple[Window, ...]
    values: tuple[float, ...]
    noise: str = GAMES
    games: int = 1
    sd: float = 0.0
    doubt: float = 1.0
    held: tuple[bool, ...] = ()
    clues: tuple[Clue, ...] = ()


def shipped() -> dict[str, Path]:
    """Return the observations and recorded games that ship with the program.

    Returns:
        The files, by name.

    >>> shipped()["my_tower"].name
    'my_tower.csv'
    """
    folder = Path(__file__).parent
    files = [*sorted(FOLDER.glob("*.toml")), *sorted(folder.glob("examples/*.csv"))]
    return {file.stem: file for file in files}


def list_published() -> tuple[str, ...]:
    """Return the names of the shipped observations that a fit of the published tower uses."""
    return tuple(each.name for each in read_folder() if of_observation(each) or (each.use and each.recorded))


def find_records(name: str | Path) -> Path:
    """Return the path of a CSV, given by its path, by its shipped name or by an observation that names it."""
    path = shipped().get(str(name), Path(name))
    if path.suffix.lower() == ".toml":
        if path.parent == FOLDER and (night := read_observation(path).recorded):
            return night
        named = f"records file {quote(str(name))}"
        refuse_other(read_text(path, "records"), named, RECORDS)
        raise UsageError(f"{named} is TOML; allowed is a .csv of recorded drops; write one")
    return path


def read(path: str | Path) -> Observation:
    """Read an observation."""
    path = Path(path)
    if path.suffix.lower() != ".toml":
        raise UsageError(
            f"observations {quote(str(path))}; allowed are a .csv of recorded drops, a .toml of one observation, or "
            f"one of {', '.join(shipped())}; correct the name"
        )
    observation = read_observation(path)
    if not observation.use:
        raise UsageError(
            f"observation {path} is kept out of fits ({observation.strength}); allowed are those of this tower; "
            "leave it out"
        )
    if not (observation.recorded or of_observation(observation)):
        raise UsageError(f"observation {path} gives no number; allowed are {', '.join(SUMMARIES)}; leave it out")
    return observation


def of_observation(observation: Observation) -> list[Evidence]:
    """Return the evidence in an observation; empty for a qualitative one, and for one that is not for use."""
    if not observation.use:
        return []
    plain = Evidence(observation.name, observation.says, observation.source, observation.kind, (), ())
    plain = replace(plain, doubt=observation.doubt)
    throw = _convert_throw(observation)
    evidence = [each for name, ends in observation.numbers.items() for each in _convert_number(plain, name, ends)]
    if throw:
        of_out = [each for each in evidence if each.noise == PHASE]
        evidence = [each for each in evidence if each not in of_out]
        evidence.append(replace(of_out[0] if of_out else plain, clues=throw))
    if observation.points:
        value = float(SUMMARIES["points"].scale(sum(observation.points) / len(observation.points)))
        window = EVERY["points"]
        evidence.append(replace(plain, windows=(window,), values=(value,), noise=PHASE, games=len(observation.points)))
    bounds = _convert_bounds(observation)
    return [*evidence, replace(plain, clues=bounds)] if bounds else evidence


def _convert_throw(observation: Observation) -> tuple[Clue, ...]:
    clues: list[Clue] = [] if observation.least_out is None else [LeastOut(observation.least_out)]
    total = observation.numbers["out"][0] if observation.out else observation.least_out
    if observation.colours and total:
        clues.append(ColoursOut(total, *observation.colours))
    if observation.leads is not None:
        clues.append(ThrownLeads(observation.leads))
    return tuple(clues)


def _convert_bounds(observation: Observation) -> tuple[Clue, ...]:
    clues: list[Clue] = []
    if observation.setup_at_most is not None:
        clues.append(Within(WHOLE["setup"], 0.0, observation.setup_at_most + 0.5))
    shares = [
        ("single", (1 - high, 1 - low)) if name == "share_several" else (name.removeprefix("share_"), (low, high))
        for name, (low, high) in observation.shares.items()
    ]
    for name, (low, high) in (*shares, *observation.figures.items()):
        if name not in EVERY:
            what = f"key of figures of observation {observation.name}"
            raise fault(what, name, f"one of {', '.join(EVERY)}", "name a figure of the game")
        clues.append(Within(EVERY[name], low, high))
    return tuple(clues)


def _convert_number(plain: Evidence, name: str, ends: tuple[int, int]) -> list[Evidence]:
    def of(summary: str, value: float, noise: str, sd: float = 0.0) -> Evidence:
        scaled = float(SUMMARIES[summary].scale(value))
        return replace(plain, windows=(WHOLE[summary],), values=(scaled,), noise=noise, sd=sd)

    low, high = ends
    middle = (low + high) / 2
    scale = SUMMARIES[name if name in SUMMARIES else "setup"].scale
    if name == "setup_inside":
        return [of("setup", middle, GAMES)]
    if name == "inside":
        low, high = max(low - 0.5, 0), min(high + 0.5, CUBES)
        return [of("inside", middle, NORMAL, float(scale(high) - scale(low)) / 2)]
    if low == high:
        return [of("out", low, PHASE)]
    spread = (high - low) / RANGE
    sd = float(scale(middle + spread / 2) - scale(middle - spread / 2)) / 2
    return [of("out", middle, NORMAL, sd), of("spread", spread, NORMAL, 0.4)]


def count_once(evidence: Sequence[Evidence]) -> list[Evidence]:
    """Return the evidence with equal bounds from several sources counted once, because authors read each other."""
    bounds = [() if x.windows or not all(isinstance(clue, Within) for clue in x.clues) else x.clues for x in evidence]
    return [
        replace(entry, doubt=entry.doubt * bounds.count(clues)) if clues else entry
        for entry, clues in zip(evidence, bounds, strict=True)
    ]


def of_records(
    records: Sequence[recorded.Record], name: str, split: int | None = None, observation: Observation | None = None
) -> list[Evidence]:
    """Return the evidence in recorded drops, game by game.

    Args:
        records: Drops of whole games, of the number of cubes and with at most the drops that a game has. A set-up that
            is marked gives no value.
        name: The name of the record.
        split: The drops from this number on (from 0, over all games) are held out.
        observation: Names the record, and gives its source and doubt.

    Returns:
        The evidence of each game.

    >>> found = of_records(recorded.read(shipped()["my_tower"]), "mine")
    >>> len(found), len(found[0].values)
    (2, 7)
    """
    if records[0].is_free:
        raise UsageError(
            f"records {name} are of free throws; allowed here are games, from the set-up on, with the column drop: the "
            "precomputed games are such; record a game, or compare free throws by tower-sim tower test"
        )
    by_game: list[Evidence] = []
    before = 0  # drops
    firsts = [record for record in records if not record.number]
    for first, game in zip(firsts, from_records(records), strict=True):
        drops = game.longest
        _check_game(game, first.game, name)
        cut = drops if split is None else int(np.clip(split - before, 0, drops))
        clogs = bool(find_clogs(game.take_rows(game.rows.drop < cut)))
        before += drops
        parts = [
            (window, is_held)
            for is_held, windows in ((False, list_windows(0, cut)), (True, list_windows(cut, drops)))
            for window in windows
            if window.is_known(game) and not (first.is_odd and window == SETUP)
        ]
        by_game.append(
            Evidence(
                name=f"{name}, game {first.game}",
                words=f"{drops} recorded drops",
                source=observation.source if observation else name,
                kind=observation.kind if observation else "measurement",
                windows=tuple(replace(window, kind=CLOGGED if clogs else USUAL) for window, _ in parts),
                values=tuple(float(window.of(game)) for window, _ in parts),
                doubt=observation.doubt if observation else 1.0,
                held=tuple(is_held for _, is_held in parts),
                clues=(GamesClog(int(clogs), 1, 0.0 if clogs else max(cut - 1, 0) / (DROPS - 1)),),
            )
        )
    return by_game


def _check_game(game: Results, number: int, name: str) -> None:
    first, drops = int(game.grid("thrown")[0]), game.longest
    if first != CUBES:
        raise UsageError(
            f"records {name}, game {number}: {first} cubes in the first drop; allowed is {CUBES}, all of a game, into "
            "the empty tower: the precomputed games begin so; record a game from its set-up"
        )
    if drops > DROPS:
        raise UsageError(
            f"records {name}, game {number}: {drops} drops; allowed are up to {DROPS}, a game's; empty the tower, "
            "throw all cubes in and begin again with drop 0"
        )


def pool_games(games: Sequence[Evidence]) -> list[Evidence]:
    """Return the evidence with recorded games of about as many drops replaced by their mean.

    The scatter of the games is not used, because its tails are not normal. The mean stands for the middle game. If over
    MOST_OF_GAMES values are left, more games count as alike.
    """
    merged: list[Evidence] = []
    for alike in ALIKE:
        merged = [_average(group) for group in _group_games(games, alike)]
        if sum(len(entry.values) for entry in merged) <= MOST_OF_GAMES:
            break
    return merged


def _group_games(games: Sequence[Evidence], alike: float) -> list[list[Evidence]]:
    groups: dict[object, list[list[Evidence]]] = {}
    ordered: list[list[Evidence]] = []
    for game in sorted(games, key=lambda game: -_count_drops(game)):
        mine = groups.setdefault((tuple((w.summary, w.kind) for w in game.windows), game.held, game.doubt), [])
        group = next((x for x in mine if _count_drops(game) >= alike * _count_drops(x[0])), None)
        if group is None:
            mine.append(group := [])
            ordered.append(group)
        group.append(game)
    return ordered


def _count_drops(game: Evidence) -> int:
    return max(window.stop for window in game.windows)


def _average(games: Sequence[Evidence]) -> Evidence:
    middle = games[len(games) // 2]
    if len(games) == 1:
        return middle
    sources = list(dict.fromkeys(game.source for game in games))
    names = list(dict.fromkeys(game.name.rpartition(", game ")[0] for game in games))
    lengths = sorted({_count_drops(game) for game in games})
    drops = (
        count_noun(lengths[0], "recorded drop")
        if len(lengths) == 1
        else f"{lengths[0]} to {lengths[-1]} recorded drops"
    )
    values: Array = np.mean([game.values for game in games], axis=0)
    clogs = [clue for game in games for clue in game.clues if isinstance(clue, GamesClog)]
    return replace(
        middle,
        name=f"{names[0] if len(names) == 1 else f'{len(names)} records'}, {count_noun(len(games), 'game')}",
        words=f"{count_noun(len(games), 'game')} of {drops}",
        source="; ".join(sources),
        values=tuple(values.tolist()),
        games=len(games),
        clues=(GamesClog(sum(x.clogged for x in clogs), len(clogs), sum(x.usual for x in clogs)),) if clogs else (),
    )

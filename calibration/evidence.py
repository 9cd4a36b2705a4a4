"""Evidence: what is known of a real tower, as values of summaries with how far chance alone may move them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from calibration import records as recorded
from calibration.observations import Observation
from calibration.observations import read as read_observation
from calibration.summaries import CUBES, DROPS, SUMMARIES, WHOLE, Array, GameCounts, Window, from_records, windows
from tower_sim.errors import UsageError, shown

# How far a value may lie from the tower's own behaviour, besides chance: its variance is multiplied by this. [A]
DOUBT = {"measurement": 1.0, "worked example": 2.0, "illustration": 4.0, "impression": 1.0}
MOST_VALUES = 40  # 1.7 GB
GAMES, PHASE, SAID = "games", "one phase", "said"
RANGE = 2 * 1.645  # a range said to hold "each time" is read as the middle 90 % of phases [A]


@dataclass(frozen=True, slots=True)
class Evidence:
    """Values of one or more summaries that share their noise.

    `values` (on the scales of the fit) are means over `games` games where `noise` is GAMES, one phase where it is
    PHASE, and words about many games, with standard deviation `said`, where it is SAID. `doubt` multiplies the
    variance. `held` are the windows that a held-out check predicts from all the rest.
    """

    name: str
    words: str
    source: str
    kind: str
    windows: tuple[Window, ...]
    values: tuple[float, ...]
    noise: str = GAMES
    games: int = 1
    said: float = 0.0
    doubt: float = 1.0
    held: tuple[bool, ...] = ()


def shipped() -> dict[str, Path]:
    """Return the files that ship, by the names that people may use for them."""
    folder = Path(__file__).parent
    files = [*sorted(folder.glob("observations/*.toml")), *sorted(folder.glob("examples/*.csv"))]
    return {file.stem: file for file in files}


def recorded_file(name: str | Path) -> Path:
    """Return the CSV that `name` is, or that ships by that name; raises UsageError for an observation in words."""
    path = shipped().get(str(name), Path(name))
    if path.suffix.lower() == ".toml":
        raise UsageError(f"records {shown(str(name))} are an observation in words; allowed is a .csv of recorded drops")
    return path


def read(path: str | Path, split: bool = False) -> list[Evidence]:
    """Read evidence from a CSV of recorded drops or a TOML file of one observation.

    With `split` the second half of recorded drops is held out. Raises UsageError, in one line, for a file that is
    neither or says nothing that the fit can use.
    """
    path = shipped().get(str(path), Path(path))
    if path.suffix.lower() == ".csv":
        records = recorded.read(path)
        return of_records(records, path.name, len(records) // 2 if split else None)
    if path.suffix.lower() == ".toml":
        evidence = of_observation(read_observation(path))
        if not evidence:
            raise UsageError(f"observation {path} gives no number; allowed are {', '.join(SUMMARIES)}; leave it out")
        return evidence
    raise UsageError(
        f"observations {shown(str(path))}; allowed are a .csv of recorded drops, a .toml of one observation, or one of "
        f"{', '.join(shipped())}; correct the name"
    )


def of_observation(observation: Observation) -> list[Evidence]:
    """Return what an observation says of the summaries; nothing for a qualitative one."""
    evidence: list[Evidence] = []

    def add(summary: str, value: float, noise: str, said: float = 0.0) -> None:
        evidence.append(
            Evidence(
                name=observation.name,
                words=observation.says,
                source=observation.source,
                kind=observation.kind,
                windows=(WHOLE[summary],),
                values=(float(SUMMARIES[summary].scale(value)),),
                noise=noise,
                said=said,
                doubt=DOUBT.get(observation.kind, 1.0),
            )
        )

    for name, (low, high) in observation.numbers.items():
        scale = SUMMARIES[name if name in SUMMARIES else "setup"].scale
        if name == "setup_inside":
            add("setup", (low + high) / 2, GAMES)
        elif name == "inside":
            ends = max(low - 0.5, 0), min(high + 0.5, CUBES)
            add("inside", (low + high) / 2, SAID, float(scale(ends[1]) - scale(ends[0])) / 2)
        elif low == high:
            add("out", low, PHASE)
        else:
            sd = (high - low) / RANGE
            middle = (low + high) / 2
            add("out", middle, SAID, float(scale(middle + sd / 2) - scale(middle - sd / 2)) / 2)
            add("spread", sd, SAID, 0.4)
    return evidence


def of_records(records: Sequence[recorded.Record], name: str, split: int | None = None) -> list[Evidence]:
    """Return what recorded drops say: a game at a time, equal ones as their mean.

    With `split`, the drops from that number on (over all games, from 0) are held out. Raises UsageError for records
    that the design does not cover: another number of cubes than a game's, more drops than a game has.
    """
    by_game: list[Evidence] = []
    seen = 0
    for number, game in enumerate(from_records(records), start=1):
        drops = game.thrown.shape[-1]
        _check(game, number, name)
        cut = drops if split is None else int(np.clip(split - seen, 0, drops))
        seen += drops
        parts = [(window, False) for window in windows(0, cut)] + [(window, True) for window in windows(cut, drops)]
        values = np.array([window.of(game) for window, _ in parts], float)
        by_game.append(
            Evidence(
                name=f"{name}, game {number}",
                words=f"{drops} recorded drops",
                source=name,
                kind="measurement",
                windows=tuple(window for window, _ in parts),
                values=tuple(values.tolist()),
                held=tuple(held for _, held in parts),
            )
        )
    return _merged(by_game)


def _check(game: GameCounts, number: int, name: str) -> None:
    first, drops = int(game.thrown[0]), len(game.thrown)
    if first != CUBES:
        raise UsageError(
            f"records {name}, game {number}: {first} cubes in the first drop; allowed is {CUBES}, all of a game, into "
            "the empty tower: the precomputed games begin so; record a game from its set-up"
        )
    if drops > DROPS:
        raise UsageError(
            f"records {name}, game {number}: {drops} drops; allowed are up to {DROPS}, a game's; empty the tower, "
            "throw all cubes in and begin again with drop 1"
        )


def check_amount(evidence: Sequence[Evidence]) -> None:
    """Raise UsageError for more values than MOST_VALUES: the fit's memory grows with their square."""
    number = sum(len(entry.values) for entry in evidence)
    if number > MOST_VALUES:
        raise UsageError(
            f"the observations give {number} values to fit; allowed are up to {MOST_VALUES} (recorded games of equally "
            "many drops are taken together); leave out short games, or some of the observations"
        )


def _merged(games: Sequence[Evidence]) -> list[Evidence]:
    """Merge games with the same windows into their mean."""
    groups: dict[tuple[tuple[Window, ...], tuple[bool, ...]], list[Evidence]] = {}
    for game in games:
        groups.setdefault((game.windows, game.held), []).append(game)
    merged: list[Evidence] = []
    for same in groups.values():
        mean: Array = np.mean([game.values for game in same], axis=0)
        names = same[0].name if len(same) == 1 else f"{same[0].source}, {len(same)} games"
        first = same[0]
        merged.append(
            Evidence(
                name=names,
                words=first.words if len(same) == 1 else f"{len(same)} games of {first.words}",
                source=first.source,
                kind=first.kind,
                windows=first.windows,
                values=tuple(mean.tolist()),
                games=len(same),
                held=first.held,
            )
        )
    return merged

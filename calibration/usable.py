"""Split observations into evidence that the fit can use and recorded drops that it cannot use."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, takewhile
from pathlib import Path

from tower_sim.calibration import evidence as evidences
from tower_sim.calibration import records as recorded
from tower_sim.calibration.evidence import Evidence
from tower_sim.calibration.observations import CUBES
from tower_sim.calibration.records import DISTURBING, Record, has_colours
from tower_sim.calibration.summaries import DROPS
from tower_sim.calibration.watched import COLOURS, is_published
from tower_sim.errors import UsageError, shown

TABLES = (".csv", ".tsv", ".tab", ".txt")
OF_ALL = f"{CUBES} cubes in {COLOURS} equal colours"


@dataclass(frozen=True, slots=True)
class Usable:
    """The `evidence` of all files, and the same evidence with later drops held out (`halves`).

    `left` has the games that the fit cannot use, by the name of the file. `notes` has a line for each file of recorded
    drops from which something is left out.
    """

    evidence: tuple[Evidence, ...]
    halves: tuple[Evidence, ...]
    left: dict[str, tuple[Record, ...]]
    notes: tuple[str, ...]


def usable(files: Sequence[Path]) -> Usable:
    """Read all files; raises UsageError for a file that cannot be read, and if the fit can use nothing."""
    evidence: list[Evidence] = []
    halves: list[Evidence] = []
    left: dict[str, tuple[Record, ...]] = {}
    notes: list[str] = []
    for file in files:
        if file.suffix.lower() not in TABLES:
            evidence += evidences.read(file)
            halves += evidences.read(file, split=True)
            continue
        records = recorded.read(file)
        fitted, other = _parted(records)
        if fitted:
            evidence += evidences.of_records(fitted, file.name)
            halves += evidences.of_records(fitted, file.name, len(fitted) // 2)
        if other:
            left[file.name] = tuple(other)
        if len(fitted) < len(records) or not has_colours(records):
            notes.append(_note(file.name, records, fitted, other))
    if not evidence:
        raise UsageError(
            f"{'; '.join(notes) or 'observations: none'}; allowed is a game of {OF_ALL} from its set-up, or an "
            f"observation of such towers beside it (such as {', '.join(list(evidences.shipped())[:2])}); "
            "tower-sim tower test takes any drops"
        )
    return Usable(tuple(evidences.once(evidence)), tuple(evidences.once(halves)), left, tuple(notes))


def _parted(records: Sequence[Record]) -> tuple[list[Record], list[Record]]:
    """Return the drops that the fit can use, at most DROPS of each published game, and the games that it cannot use.

    Miscounted drops are in neither, nor are a game's drops from a knock, a spill or an emptied tower on, nor a game
    whose set-up is marked so.
    """
    fitted: list[Record] = []
    other: list[Record] = []
    for _, rows in groupby(records, key=lambda record: record.game):
        game = list(rows)
        if not is_published(game[0]):
            other += game
        elif not game[0].is_odd:
            calm = takewhile(lambda record: set(record.marks).isdisjoint(DISTURBING), game[:DROPS])
            fitted += [record for record in calm if not record.is_odd]
    return fitted, other


def _note(name: str, records: Sequence[Record], fitted: Sequence[Record], other: Sequence[Record]) -> str:
    free = sum(record.is_free for record in other)
    games = Counter(record.game for record in records if record not in other)
    beyond = sum(max(drops - DROPS, 0) for drops in games.values())
    odd = len(records) - len(fitted) - len(other) - beyond
    parts = [
        f"{len(fitted)} of {len(records)} drops can be fitted",
        *([f"{free} are free throws"] if free else []),
        *([f"{len(other) - free} are of games of other than {OF_ALL}"] if len(other) > free else []),
        *([f"{odd} are miscounted, or from a knock, a spill or an emptied tower on"] if odd else []),
        *([f"{beyond} are beyond the {DROPS} drops of a game"] if beyond else []),
        *(["no colours were recorded, so only numbers are fitted"] if fitted and not has_colours(records) else []),
    ]
    return f"records {shown(name)}: {', '.join(parts)}"

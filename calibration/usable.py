"""Split observations into evidence that the fit can use and recorded drops that it cannot use."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby, takewhile
from pathlib import Path

from tower_sim.calibration import evidence as evidences
from tower_sim.calibration import records as recorded
from tower_sim.calibration.evidence import Evidence
from tower_sim.calibration.observations import CUBES, Observation
from tower_sim.calibration.records import DISTURBING, Record, has_colours
from tower_sim.calibration.summaries import DROPS
from tower_sim.calibration.watched import COLOURS, is_published
from tower_sim.errors import UsageError, quote
from tower_sim.tools.terminal import count_noun

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

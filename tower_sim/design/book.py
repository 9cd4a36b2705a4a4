"""The book of a search: the towers tried, round by round, their games, and those that confirm one; a file beside -o."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from tower_sim import writing
from tower_sim.apparatus import space
from tower_sim.design.played import TOLD, Row
from tower_sim.errors import UsageError, shown
from tower_sim.reading import json_value, read_text

SCHEMA = "tower-sim/design-book"
VERSION = 1
SEARCH, LAST = "search", "last"
"""Kinds of rounds: of towers to learn from, and of more games in the nearest ones."""
_LARGEST = 60_000_000


@dataclass(slots=True)
class Trial:
    """A tower that was tried, its `numbers` in the order of space.NAMES, and its `games` so far, run by run."""

    numbers: tuple[float, ...]
    games: list[Row] = field(default_factory=list[Row])


@dataclass(frozen=True, slots=True)
class RoundOfGames:
    """What a round asks for: of trials, by their number, how many games each shall have in all."""

    kind: str
    games: tuple[tuple[int, int], ...]


@dataclass(slots=True)
class Book:
    """All that a search has done. `head` says what was sought; `fresh` are the confirming games by trial."""

    head: dict[str, Any]
    path: Path | None = None
    trials: list[Trial] = field(default_factory=list[Trial])
    rounds: list[RoundOfGames] = field(default_factory=list[RoundOfGames])
    fresh: dict[int, list[Row]] = field(default_factory=dict[int, list[Row]])

    @property
    def seed(self) -> int:
        """The seed of everything that is random in the search."""
        return int(self.head["seed"])

    @property
    def played(self) -> int:
        """How many games were played, confirming ones left out."""
        return sum(len(trial.games) for trial in self.trials)

    def due(self) -> list[tuple[int, int]]:
        """Return the games that the last round still asks for: trial and run."""
        if not self.rounds:
            return []
        return [(i, run) for i, total in self.rounds[-1].games for run in range(len(self.trials[i].games), total)]

    def save(self) -> None:
        """Write it, whole or not at all; a book without a path is kept in memory alone."""
        if self.path is not None:
            writing.renew(self.path, json.dumps(self.document(), separators=(",", ":")) + "\n", "search's book")

    def document(self) -> dict[str, Any]:
        """Return it as JSON can hold it; a value that could not be told is null."""
        return {
            "schema": SCHEMA,
            "version": VERSION,
            "sought": self.head,
            "numbers": list(space.NAMES),
            "told": list(TOLD),
            "trials": [{"numbers": trial.numbers, "games": _plain(trial.games)} for trial in self.trials],
            "rounds": [{"kind": each.kind, "games": each.games} for each in self.rounds],
            "fresh": {str(i): _plain(rows) for i, rows in self.fresh.items()},
        }


def _plain(rows: Sequence[Row]) -> list[list[float | None]]:
    return [[None if value != value else value for value in row] for row in rows]


def _rows(rows: Sequence[Sequence[float | None]]) -> list[Row]:
    return [tuple(float("nan") if value is None else float(value) for value in row) for row in rows]


def opened(path: Path, head: Mapping[str, Any], seed: int | None, drawn: int) -> Book:
    """Open the book at `path`, or begin one with `seed`, else with the `drawn` one.

    Raises UsageError for a file that is no book, for that of another search, and for one of another seed.
    """
    if not path.exists():
        return Book({**head, "seed": str(drawn if seed is None else seed)}, path)
    text = read_text(path, "search's book", limit=_LARGEST, advice="remove it, or give another -o")
    document: Any = json_value(text, "search's book")
    try:
        book = _read(document, path)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError):
        raise UsageError(
            f"search's book {shown(str(path))} is not one of ours; allowed is one that `design` wrote; remove it, or "
            "give another -o"
        ) from None
    wanted = {**head, "seed": book.head.get("seed") if seed is None else str(seed)}
    for key in wanted | book.head:
        if wanted.get(key) != book.head.get(key):
            raise UsageError(
                f"{shown(str(path))} is the book of another search ({key}: {shown(book.head.get(key))}, asked now: "
                f"{shown(wanted.get(key))}); allowed is the same search, which goes on; remove it, or give another -o"
            )
    return book


def _read(document: Any, path: Path) -> Book:
    if (document["schema"], document["version"]) != (SCHEMA, VERSION):
        raise ValueError
    if document["numbers"] != list(space.NAMES) or document["told"] != list(TOLD):
        raise ValueError
    trials = [Trial(tuple(map(float, each["numbers"])), _rows(each["games"])) for each in document["trials"]]
    rounds = [
        RoundOfGames(str(each["kind"]), tuple((int(i), int(n)) for i, n in each["games"]))
        for each in document["rounds"]
    ]
    fresh = {int(i): _rows(rows) for i, rows in document["fresh"].items()}
    if any(len(trial.numbers) != len(space.NAMES) for trial in trials):
        raise ValueError
    if any(not 0 <= i < len(trials) for each in rounds for i, _ in each.games) or not set(fresh) <= set(
        range(len(trials))
    ):
        raise ValueError
    return Book(cast("dict[str, Any]", dict(document["sought"])), path, trials, rounds, fresh)

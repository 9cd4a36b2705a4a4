"""The face of every game: what the command line, campaigns, studies, the service and compare know of one.

A game is registered by name (tower_sim/registry.py); nothing outside its own folder names it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from tower_sim.apparatus.parts import Apparatus, as_tower
from tower_sim.apparatus.with_board import with_board
from tower_sim.columns import Column
from tower_sim.contract import DropModel
from tower_sim.door import as_model
from tower_sim.errors import UsageError, check_kind, check_whole, fault
from tower_sim.games.compared import Compared
from tower_sim.games.turn import Turn
from tower_sim.games.ways import Ways
from tower_sim.runs.array import Plan
from tower_sim.runs.figure import Figure
from tower_sim.state import check_seed

MAX_RUN = 2**32 - 1  # a number of a run is a word of its seed

if TYPE_CHECKING:
    from tower_sim.games.stand_in import StandIn


KEY = ("point", "run", "drop")
"""The columns that every table of a dataset begins with."""
TABLES = ("drops", "cubes", "poses", "receipts")
"""The folders of every dataset, beside that of the game's own table."""


class Game(ABC):
    """A game, by what its class says of it and how it is played; one object of it is registered.

    What must be given stands first, in the order in which a stranger would write it; what may be given follows.
    `name` is that of the command line and of the entry point, `title` what people call it, `about` a plain sentence,
    `run` what one play of it is called. `apparatus` is the shipped profile it is played with by default, empty where
    one has to be named; `board`: it is played with an apparatus with a board. `tables` are the tables of a campaign
    file that `read` takes. A table `knocks`, where there is one, has strengths in g by the number of the drop before.
    `columns` are those of its own table, beside point, run and drop; a game without any has no table.
    `kind` is what a campaign file says, `shard` how many runs take some tens of seconds; `version` is raised when the
    same rules come to mean another game. `declared` is the one of `tables` that says the whole game, where one does:
    see `bound`.
    """

    name: str
    title: str
    about: str = ""
    run: str = "game"
    apparatus: str = ""
    board: bool = False
    tables: tuple[str, ...] = ("rules",)
    columns: tuple[Column, ...] = ()
    kind: str = ""
    shard: int = 10
    version: int = 1
    declared: str = ""

    def __init_subclass__(cls) -> None:
        """Raise UsageError for a table whose name or columns a dataset has already."""
        if "kind" not in cls.__dict__ and "name" in cls.__dict__:
            cls.kind = cls.name
        columns, name = cls.__dict__.get("columns"), cls.__dict__.get("name")
        if isinstance(columns, tuple) and columns:
            own = [column.name for column in cast("tuple[Column, ...]", columns)]
            taken = next((key for key in own if key in KEY or own.count(key) > 1), None)
            if taken is not None:
                allowed = f"one that no other has, and none of {', '.join(KEY)}, which say where a row belongs"
                raise fault(f"a column of the game {name!r}", taken, allowed, "call it otherwise")
            if name in TABLES:
                allowed = f"none of {', '.join(TABLES)}, which every dataset has"
                raise fault("name of a game with a table", name, allowed, "choose another")

    # What must be given: rules, a play, and what it came to.

    @abstractmethod
    def read(self, tables: Mapping[str, Any]) -> Any:
        """Return the rules of `tables` (any of `self.tables`, each with what a house changes), checked and frozen.

        No table at all is the published game. Raises UsageError, in one line, for a key or a value that is not allowed.
        """

    @abstractmethod
    def plain(self, rules: Any) -> dict[str, Any]:
        """Return the tables that `read` makes the same rules of, every default in them; ready for `json.dumps`."""

    @abstractmethod
    def play(self, model: DropModel, rules: Any, seed: int, run: int | None = None) -> Iterator[Turn]:
        """Play once, a turn at a time; all that is random is drawn by `model` from `seed`, a whole number from 0.

        With `run` it is run number `run` of many that share a root seed, such as the game of `game_seed(seed, run)`.
        Raises UsageError at once for the caller's mistakes; five failed draws in a row end it with a turn that has
        `failed`.
        """

    @abstractmethod
    def summary(self, turns: Sequence[Turn], rules: Any) -> str:
        """Return what a run came to: first two plain sentences that a player understands."""

    # What may be given: numbers, for `tower-sim compare`.

    def figures(self) -> tuple[Figure, ...]:
        """Return the figures that comparisons are made of; a game without any cannot be compared."""
        return ()

    def fitted(self) -> tuple[Figure, ...]:
        """Return figures that fits tell towers apart by, beside `figures`; nobody is told of them by themselves."""
        return ()

    def measured(self, turns: Sequence[Turn], rules: Any) -> tuple[float, ...]:
        """Return the value of each of `figures` for the turns of one whole run."""
        return ()

    def compared(self, rules: tuple[Any, Any]) -> Compared:
        """Return how comparisons see this game played by the rules of A and of B; here by `figures` and `measured`."""
        return Compared(self, rules)

    # What may be given: words, a document and a picture of a run.

    def head(self, rules: Any, *, apparatus: str, model: str, seed: int) -> str:
        """Return the lines before a run's first: what is played, with what."""
        return f"{self.title}, {apparatus}, {model}, seed {seed}"

    def line(self, turn: Turn, rules: Any) -> str:
        """Return one turn as a line: here the facts that it has."""
        known = ", ".join(f"{name} {value}" for name, value in turn.facts.items() if value is not None)
        return f"{turn.index:3}  {turn.kind}: {turn.failed or known}"

    def document(self, turns: Sequence[Turn], rules: Any, *, apparatus: str, model: str, seed: int) -> dict[str, Any]:
        """Return the JSON document of a run, ready for `json.dumps`, with `schema` and `version`: here its facts."""
        head = {"schema": f"tower-sim/{self.name}", "version": self.version, "seed": str(seed)}
        return head | {"model": model, "apparatus": apparatus, "turns": [dict(turn.facts) for turn in turns]}

    def draw(self, turns: Sequence[Turn], rules: Any, apparatus: Apparatus, path: str | Path, *, title: str) -> None:
        """Draw a run into the file `path`; raises UsageError for a path that cannot be written."""
        raise UsageError(f"game {self.name!r} has no picture; allowed is one that has; leave --save-plot out")

    @property
    def ways(self) -> Ways:
        """How people and programs ask for this game, beside its rules: here nothing of its own."""
        return Ways(self)

    def paints(self, rules: Any) -> Mapping[str, str]:
        """Return the #rrggbb that pictures and pages paint some colours with; others have the colour of their name."""
        return {}

    # What may be given: limits, and what is known of a run before it.

    def check(self, apparatus: Apparatus) -> None:
        """Raise UsageError for an apparatus that this game cannot be played with: as `board` says."""
        (with_board if self.board else as_tower)(apparatus)

    def most_cubes(self, rules: Any) -> int:
        """Return how many cubes a run has at most, or about, for limits."""
        return 0

    def most_turns(self, rules: Any) -> int:
        """Return how many turns a run has at most, or about, for limits and progress."""
        return 1

    def plan(self, rules: Any) -> Plan | None:
        """Return what every drop of a run throws, where that is known before it; else None.

        A model that samples runs plays those of a plan at once, and a fitted one is checked on them.
        """
        return None

    def stand_in(self, rules: Any) -> StandIn | None:
        """Return the deck, bag or dice that the tower stands in for, which studies compare it with; here none."""
        return None

    def resolved(self, tables: Mapping[str, Any], varied: Collection[str] = ()) -> dict[str, Any]:
        """Return what a campaign file says in `tables` with every default in it; it becomes part of the spec's text.

        `varied` are the dotted names of the fields that its design varies. Raises UsageError as `read` does, and for
        a key that is written in vain.
        """
        return self.plain(self.read(tables))

    def bound(self, tables: Mapping[str, Any]) -> Game:
        """Return the game of these tables: another than this one where they say a whole game, in `declared`.

        Raises UsageError, in one line, for what is no game.
        """
        return self

    @property
    def runs(self) -> str:
        """What several runs are called, as in a campaign file."""
        return f"{self.run}s"


def check_run(model: object, rules: object, kind: type, seed: object, run: object) -> None:
    """Raise UsageError unless these are what `Game.play` takes, with rules of the `kind` that the game reads."""
    as_model(model)
    check_rules(rules, kind)
    check_seed(seed)
    if run is not None:
        check_whole("run", run, 0, MAX_RUN)


def check_rules(rules: object, kind: type) -> None:
    """Raise UsageError unless `rules` are of the `kind` that a game reads."""
    check_kind("rules", rules, kind, "rules that the game has read", "make them with its read({}) or read(tables)")


def game_seed(root: int, run: int) -> int:
    """Return the 128-bit seed of run `run` of the root seed `root`: 32 bits a word of its own SeedSequence."""
    words = np.random.SeedSequence(root, spawn_key=(run,)).generate_state(4, np.uint32)
    return sum(int(word) << (32 * i) for i, word in enumerate(words))

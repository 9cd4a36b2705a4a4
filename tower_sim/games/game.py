"""A game: a class with a name, a title, rules as typed data, cubes, and one generator of turns. READ FIRST.

    class Snap(Game):
        name, title, Rules = "snap", "Snap", SnapRules

        def cubes(self, rules):
            return {"red": rules.cubes, "blue": rules.cubes}

        def play(self, tower, rules):
            for _ in range(rules.turns):
                tower.throw(tower.outside)
                yield Turn(f"{tower.out} come out", {"points": tower.out.get("red", 0)})

A game is found by its name in the registry (tower_sim/registry.py) or by the path of its file. Nothing outside its own
folder names it.
"""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, cast

from tower_sim.apparatus.catalogue import load
from tower_sim.apparatus.parts import Apparatus, as_tower
from tower_sim.apparatus.with_board import with_board
from tower_sim.columns import Column
from tower_sim.contract import DropModel
from tower_sim.errors import fault
from tower_sim.games import rules as typed
from tower_sim.games import telling
from tower_sim.games.running import check_rules, measured, started
from tower_sim.games.tower import GameTower
from tower_sim.games.turn import Turn
from tower_sim.games.ways import Ways
from tower_sim.runs.figure import Figure
from tower_sim.runs.tower import INSIDE, OUT
from tower_sim.typed import refuse_unknown

if TYPE_CHECKING:
    from tower_sim.runs.array import Plan

KEY = ("point", "run", "drop")
"""The columns that every table of a dataset begins with."""
TABLES = ("drops", "cubes", "poses")
"""The folders of every dataset, next to that of the game's own table."""
_ARROW = {int: "int64", float: "float64", bool: "bool", str: "string"}


class Game(ABC):
    """A game, by its class; the registry holds one object of it.

    A game must have `name` (small letters, for the command line), `title` (what people call it), `Rules` (a frozen
    pydantic model), `cubes` and `play`. The first line of its docstring says what it is.

    It may have the others. `apparatus` is the shipped profile that it is played with; a profile with a board makes it a
    game for ships. `run` is the word for one play. `facts` are the names of the facts of its turns, each with int,
    float, bool or str, or with a tuple of the words that it may be, whose shares comparisons then show. `figures` are
    the numbers that comparisons and studies tell, formulas over the facts. Raise `version` when the same rules come to
    mean another game.
    """

    name: str
    title: str
    Rules: ClassVar[type[Any]]
    apparatus: str = ""
    run: str = "game"
    version: int = 1
    facts: Mapping[str, Any] = {}
    figures: tuple[Figure, ...] = (INSIDE, OUT)

    # Of every game: what follows from the above.
    about: str = ""
    tables: tuple[str, ...] = ("rules",)
    columns: tuple[Column, ...] = ()
    kind: str = ""
    shard: int = 10
    file: str = ""  # of a game that is no package's, and the text of the file
    source: str = ""

    def __init_subclass__(cls) -> None:
        """Fill in what follows; raise UsageError for a fact or a table whose name a dataset has already."""
        own, name = cls.__dict__, getattr(cls, "name", "")
        if "kind" not in own and name:
            cls.kind = name
        if "about" not in own:
            cls.about = (inspect.getdoc(cls) or "").splitlines()[0].rstrip(".") if cls.__doc__ else ""
        if "columns" not in own and cls.facts:
            cls.columns = tuple(_column(fact, kind) for fact, kind in cls.facts.items())
        taken = next((each.name for each in cls.columns if each.name in KEY), None)
        if taken is not None:
            raise fault(f"a fact of the game {name!r}", taken, f"none of {', '.join(KEY)}", "rename it")
        if cls.columns and name in TABLES:
            raise fault("name of a game with facts", name, f"none of {', '.join(TABLES)}", "rename it")

    # What a game must say.

    @abstractmethod
    def cubes(self, rules: Any) -> Mapping[str, int]:
        """Return how many cubes of each colour a run has, in the order of the colours."""

    @abstractmethod
    def play(self, tower: GameTower, rules: Any) -> Iterator[Turn]:
        """Throw into the tower and yield turns; all that is random comes from the tower and its `rng`."""

    # What a game may say.

    def turns(self, rules: Any) -> int:
        """Return how many turns a run has, at most or about, for limits and progress."""
        return 100

    def summary(self, turns: Sequence[Turn], rules: Any) -> str:
        """Return the result of a run: first two plain sentences that a player understands."""
        return telling.summary(self, turns)

    def draw(self, turns: Sequence[Turn], rules: Any, apparatus: Apparatus, path: str | Path, *, title: str) -> None:
        """Draw a run into the file `path`."""
        from tower_sim.games.picture import draw_run

        draw_run(turns, list(self.cubes(rules)), path, title=title)

    @property
    def ways(self) -> Ways:
        """How people and programs ask for this game, and in which words it is told: here nothing of its own."""
        return Ways(self)

    # What the framework asks. Only our own older games say these themselves.

    def read(self, tables: Mapping[str, Any]) -> Any:
        """Return the rules of `tables` (any of `self.tables`, each with what a house changes)."""
        refuse_unknown(tables, dict.fromkeys(self.tables), "tables")
        return typed.read(self.Rules, tables.get(self.tables[0], {}))

    def plain(self, rules: Any) -> dict[str, Any]:
        """Return the tables that `read` makes the same rules of, every default in them; ready for `json.dumps`."""
        check_rules(rules, self.Rules)
        return {self.tables[0]: typed.plain(rules)}

    def resolved(self, tables: Mapping[str, Any], varied: Collection[str] = ()) -> dict[str, Any]:
        """Return what a campaign file says with every default in it; `varied` are the fields that its design varies."""
        return self.plain(self.read(tables))

    def measured(self, turns: Sequence[Turn], rules: Any) -> tuple[float, ...]:
        """Return the value of each of `figures` for the turns of one whole run."""
        return measured(self, turns, rules)

    def plan(self, rules: Any) -> Plan | None:
        """Return what every drop of a run throws, where that is known before it; else None.

        A model that samples runs plays those of a plan at once, and a fitted one is checked on them.
        """
        return None

    def knocks(self, rules: Any) -> Mapping[int, float]:
        """Return the strengths (g) of the knocks on the table of a run, by the number of the drop before."""
        return {}

    def fitted(self) -> tuple[Figure, ...]:
        """Return figures that fits tell towers apart by, beside `figures`."""
        return ()

    @cached_property
    def board(self) -> bool:
        """Whether it is played on a board."""
        return bool(self.apparatus) and load(self.apparatus).board is not None

    @property
    def runs(self) -> str:
        """The word for several runs, as in a campaign file."""
        return f"{self.run}s"

    def check(self, apparatus: Apparatus) -> None:
        """Raise UsageError for an apparatus that this game cannot be played with."""
        (with_board if self.board else as_tower)(apparatus)

    def most_cubes(self, rules: Any) -> int:
        """Return how many cubes are thrown and inside at once, at most or about, for limits."""
        return sum(self.cubes(rules).values())

    def start(self, model: DropModel, rules: Any, seed: int, run: int | None = None) -> Iterator[Turn]:
        """Play once, a turn at a time; all that is random is drawn from `seed`, a whole number from 0.

        With `run` it is run number `run` of many that share a root seed.
        """
        return started(self, model, rules, seed, run)


def _column(fact: str, kind: Any) -> Column:
    if isinstance(kind, tuple):
        return Column(fact, "string", True, f"one of {', '.join(map(str, cast('tuple[object, ...]', kind)))}")
    if kind not in _ARROW:
        raise fault(f"the kind of the fact {fact!r}", kind, "int, float, bool, str or a tuple of words", "change it")
    return Column(fact, _ARROW[kind], True, f"{fact.replace('_', ' ')}, as the game tells it")

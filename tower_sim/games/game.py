"""The interface of a game: a class with a name, a title, typed rules, cubes, and a generator of turns.

    class Snap(Game):
        name, title, Rules = "snap", "Snap", SnapRules

        def cubes(self, rules):
            return {"red": rules.cubes, "blue": rules.cubes}

        def play(self, tower, rules):
            for _ in range(rules.turns):
                tower.throw(tower.outside)
                yield Turn(f"{tower.out} come out", {"points": tower.out.get("red", 0)})

The registry finds a game by its name, or by the path of its file.
"""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Collection, Generator, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np

from tower_sim.apparatus import Apparatus, as_tower, load, with_board
from tower_sim.documents import refuse_unknown
from tower_sim.drops import DropModel
from tower_sim.errors import UsageError, fault, quote
from tower_sim.games import rules as typed
from tower_sim.games.compared import Compared
from tower_sim.games.running import (
    Decide,
    ask_run,
    check_rules,
    count_words,
    open_tower,
    record,
    start_run,
    word_facts,
)
from tower_sim.games.tower import Decision, GameTower, Turn
from tower_sim.games.ways import Ways
from tower_sim.results import INSIDE, OUT, Figure, table
from tower_sim.results import check as check_figures
from tower_sim.tools import Column, count_noun

if TYPE_CHECKING:
    from tower_sim.results import Plan

KEY = ("point", "run", "drop")
"""The first columns of every table of a dataset."""
TABLES = ("drops", "cubes", "poses")
"""Reserved table names. A game with facts has a table of its own name, so its name cannot be one of them."""
_ARROW = {int: "int64", float: "float64", bool: "bool", str: "string"}
_SHOWN = 8  # words in a sentence


class Game(ABC):
    """A game. The registry holds one object of each subclass.

    A subclass must define the methods `cubes` and `play`, and

    - `name`: lower-case letters, digits and _, for the command line;
    - `title`: the name that players use;
    - `Rules`: a frozen pydantic model.

    The first line of its docstring says what the game is. A subclass may also define:

    - `apparatus`: the default profile. If it has a board, the game needs a ship.
    - `run`: the word for one complete play.
    - `facts`: the facts that turns report, each with its type (int, float, bool, str) or a tuple of words.
    - `figures`: the numbers that comparisons and studies report, as formulas over facts and counts of cubes.
    - `options`: the answers that its questions allow, for a game in which a player decides: `play` then yields a
      `Decision` and gets the answer.
    - `fitted`: further figures, which fits of a model to tower data compare.
    - `version`: to be raised when the same rules get another meaning.
    """

    name: str
    title: str
    Rules: ClassVar[type[Any]]
    apparatus: str = ""
    run: str = "game"
    version: int = 1
    facts: Mapping[str, Any] = {}
    figures: tuple[Figure, ...] = (INSIDE, OUT)
    fitted: tuple[Figure, ...] = ()
    options: tuple[str, ...] = ()

    # These follow from the above unless a game sets them.
    about: str = ""
    tables: tuple[str, ...] = ("rules",)
    columns: tuple[Column, ...] = ()
    kind: str = ""
    shard: int = 10
    file: str = ""  # the path and the text of the file, for a game that a user wrote
    source: str = ""

    def __init_subclass__(cls) -> None:
        """Raise UsageError for a name that datasets use, and for a figure that names an unknown fact."""
        own, name = cls.__dict__, getattr(cls, "name", "")
        if "kind" not in own and name:
            cls.kind = name
        if "about" not in own:
            cls.about = (inspect.cleandoc(cls.__doc__ or "").splitlines() or [""])[0].rstrip(".")
        if "columns" not in own and cls.facts:
            cls.columns = tuple(_column(fact, kind) for fact, kind in cls.facts.items())
        clash = next((each.name for each in cls.columns if each.name in KEY), None)
        if clash is not None:
            allowed = f"none of {', '.join(KEY)}; rename it"
            raise UsageError(f"a fact of the game {name!r} is {clash!r}; allowed is {allowed}", f"fact {clash}")
        if cls.columns and name in TABLES:
            raise fault("name of a game with facts", name, f"none of {', '.join(TABLES)}", "rename it")
        rules = getattr(getattr(cls, "Rules", None), "model_fields", None)
        if name and rules is not None:
            usual = {key: field.get_default(call_default_factory=True) for key, field in rules.items()}
            terms = [key for key, value in usual.items() if isinstance(value, int | float)]
            facts = [each.name for each in cls.columns if each.kind != "string"]
            check_figures(cls.figures, facts, terms)

    # What a game must define.

    @abstractmethod
    def cubes(self, rules: Any) -> Mapping[str, int]:
        """Return the number of cubes of each colour in a run, in the order of the colours."""

    @abstractmethod
    def play(self, tower: GameTower, rules: Any) -> Iterator[Turn] | Generator[Turn | Decision, str, None]:
        """Throw into the tower and yield the turns of a run, with all randomness from `tower` and `tower.rng`."""

    # What a game may define.

    def turns(self, rules: Any) -> int:
        """Return about how many turns a run has, for limits and progress."""
        return 100

    def summary(self, turns: Sequence[Turn], rules: Any) -> str:
        """Return the result of a run; it begins with two plain sentences for players."""
        landed = [turn for turn in turns if turn.failed is None]
        if not landed:
            return f"{self.title} was cut short before its first turn. Nothing was thrown."
        inside = [len(turn.state.residents) for turn in landed]
        held = f"The tower held {sum(inside) / len(inside):.1f} cubes on average, {inside[-1]} at the end."
        results = record(self, [landed], rules)
        with_sentence = [figure for figure in self.figures if figure.sentence and figure.key != INSIDE.key]
        said = [
            figure.sentence.format(f"{value:.2g}")
            for figure, value in zip(with_sentence, table(results, with_sentence)[0].tolist(), strict=True)
        ]
        if said:
            return f"Over this {self.run}, on average: {'; '.join(said)}. {held}"
        for name, (counts,) in count_words(results).items():
            if total := int(counts.sum()):
                order = [i for i in np.argsort(-counts, kind="stable").tolist() if counts[i]]
                words = [str(word).replace("_", " ") for word in word_facts(self)[name]]
                listed = ", ".join(f"{words[i]} {counts[i]}" for i in order[:_SHOWN])
                more = ", and others" if len(order) > _SHOWN else ""
                return f"The {name.replace('_', ' ')} in {count_noun(total, 'turn')}: {listed}{more}. {held}"
        return f"{self.title} took {count_noun(len(landed), 'turn')}. {held}"

    def label(self, rules: Any) -> str:
        """Return what the rules set up, in a few words for headings, or "" if nothing needs saying."""
        return ""

    def draw(self, turns: Sequence[Turn], rules: Any, apparatus: Apparatus, path: str | Path, *, title: str) -> None:
        if self.board:
            from tower_sim.games.board import draw_board

            draw_board(with_board(apparatus), turns[-1].state, path, title=title)
        else:
            from tower_sim.games.picture import draw_run

            draw_run(turns, list(self.cubes(rules)), path, title=title)

    def list_options(self, model: DropModel, rules: Any) -> tuple[str, ...]:
        """Return `options`, for a game whose options depend on its rules or on the board."""
        return self.options

    def players(self, rules: Any) -> tuple[str, ...]:
        """Return the names of the players that questions ask, none if there is one player."""
        return ()

    def plan(self, rules: Any) -> Plan | None:
        """Return the cubes that every drop of a run throws, or None if they depend on its course."""
        return None

    def knocks(self, rules: Any) -> Mapping[int, float]:
        """Return the strengths (g) of the knocks on the table, by the number of the drop before."""
        return {}

    @property
    def ways(self) -> Ways:
        return Ways(self)

    def compared(self, rules: tuple[Any, Any]) -> Compared:
        """Return what a comparison of two variants asks of the game."""
        return Compared(self, rules)

    # What the framework calls.

    def read(self, tables: Mapping[str, Any]) -> Any:
        """Return the rules from `tables`, the changed settings by the names in `self.tables`."""
        refuse_unknown(tables, dict.fromkeys(self.tables), "tables")
        return typed.read(self.Rules, tables.get(self.tables[0], {}))

    def plain(self, rules: Any) -> dict[str, Any]:
        """Return the rules as tables with all defaults, ready for `json.dumps`; `read` is the inverse."""
        check_rules(rules, self.Rules)
        return {self.tables[0]: typed.plain(rules)}

    def resolved(self, tables: Mapping[str, Any], varied: Collection[str] = ()) -> dict[str, Any]:
        """Return the tables of a campaign file with all defaults; `varied` are its design's dotted fields."""
        return self.plain(self.read(tables))

    def measured(self, turns: Sequence[Turn], rules: Any) -> tuple[float, ...]:
        """Return the value of each of `figures` for one complete run, 0 where no turn contributes."""
        return tuple(table(record(self, [turns], rules), self.figures)[0].tolist())

    @cached_property
    def board(self) -> bool:
        return bool(self.apparatus) and load(self.apparatus).board is not None

    @property
    def runs(self) -> str:
        """The plural of `run`."""
        return f"{self.run}s"

    def check(self, apparatus: Apparatus) -> None:
        """Raise UsageError if the game cannot be played with this apparatus."""
        (with_board if self.board else as_tower)(apparatus)

    def most_cubes(self, rules: Any) -> int:
        """Return about how many cubes are thrown or inside at once, at most."""
        return sum(self.cubes(rules).values())

    def start(
        self, model: DropModel, rules: Any, seed: int, run: int | None = None, decide: Decide | None = None
    ) -> Iterator[Turn]:
        """Play one run and yield its turns, with all randomness from `seed`, a whole number from 0.

        With `run`, the seed is a root seed that many runs share, and this is run number `run`. `decide` answers the
        questions; without it the usual answers do.
        """
        return start_run(self, model, rules, seed, run, decide)

    def open_tower(self, model: DropModel, rules: Any, seed: int, run: int | None = None) -> GameTower:
        """Return the tower of one run, for `ask`; the arguments are those of `start`."""
        return open_tower(self, model, rules, seed, run)

    def ask(self, tower: GameTower, rules: Any) -> Generator[Turn | Decision, str | None, None]:
        """Play one run with `tower` as `start` does, and yield its questions too; the caller sends the answers."""
        return ask_run(self, tower, rules)


def _column(fact: str, kind: Any) -> Column:
    if isinstance(kind, tuple):
        return Column(fact, "string", True, f"one of {', '.join(map(str, cast('tuple[object, ...]', kind)))}")
    if kind not in _ARROW:
        allowed = "int, float, bool, str or a tuple of words; change it"
        raise UsageError(f"the kind of the fact {fact!r} is {quote(kind)}; allowed is {allowed}", f"fact {fact}")
    return Column(fact, _ARROW[kind], True, f"{fact.replace('_', ' ')}, as the game tells it")

"""A declared game as a game of the registry: one run is a play of its rounds, one turn a throw.

A shipped one is a kind of its own. One of a file is of the kind `declared`, and its file is among its tables, so that
whoever has a campaign's spec needs no file.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

from tower_sim.apparatus.parts import Apparatus
from tower_sim.columns import Column
from tower_sim.contract import DropModel
from tower_sim.errors import fault
from tower_sim.fields import refuse_unknown
from tower_sim.games.compared import Compared
from tower_sim.games.declared import document, words
from tower_sim.games.declared.checked import declaration_of, read_file
from tower_sim.games.declared.declaration import SCHEMA, Declaration
from tower_sim.games.declared.figures import AMOUNT, EFFECT, figures_of, measured
from tower_sim.games.declared.play import play
from tower_sim.games.declared.readings import NUMBER, SET
from tower_sim.games.declared.rules import DeclaredRules, read_rules
from tower_sim.games.declared.stands_for import check_devices, stand_in_of
from tower_sim.games.game import Game, Turn, check_rules, check_run, game_seed
from tower_sim.games.stand_in import StandIn
from tower_sim.games.ways import Ways
from tower_sim.runs.figure import Figure

DECLARED = "declared"


class DeclaredGame(Game):
    """The game of a declaration; the rules are `Rules`, a turn's entry is a `Throw`.

    `kind` is its own name where it ships, else `declared`. Its table `declared` is the file that it is declared in.
    """

    run = "game"
    tables = ("rules", "knocks", DECLARED)
    declared = DECLARED

    def __init__(self, declaration: Declaration, kind: str = DECLARED) -> None:
        self.declaration, self.kind = declaration, kind
        self.name, self.title, self.about = declaration.name, declaration.title, declaration.about
        self.apparatus = declaration.apparatus
        self.columns = columns_of(declaration)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, DeclaredGame):
            return False
        return (other.kind, other.declaration) == (self.kind, self.declaration)

    def __hash__(self) -> int:
        return hash(self.declaration)

    def bound(self, tables: Mapping[str, Any]) -> DeclaredGame:
        """See Game."""
        given = tables.get(DECLARED)
        return DeclaredGame(_declaration(given), self.kind) if given else self

    def read(self, tables: Mapping[str, Any]) -> DeclaredRules:
        """See Game; a declaration among the tables may change anything but the name and what is read."""
        refuse_unknown(tables, dict.fromkeys(self.tables), "tables")
        given = tables.get(DECLARED)
        of = _declaration(given) if given else self.declaration
        if (of.name, columns_of(of)) != (self.name, self.columns):
            told = ", ".join(column.name for column in self.columns)
            raise fault(DECLARED, f"{of.name} with other readings", f"{self.name} with the columns {told}")
        rules = read_rules(of, tables.get("rules", {}), tables.get("knocks", {}))
        check_devices(rules)
        return rules

    def plain(self, rules: DeclaredRules) -> dict[str, Any]:
        """See Game."""
        check_rules(rules, DeclaredRules)
        knocks = {str(drop): rules.knocks[drop] for drop in sorted(rules.knocks)}
        return {"rules": rules.plain, "knocks": knocks, DECLARED: rules.declaration.table}

    def resolved(self, tables: Mapping[str, Any], varied: Collection[str] = ()) -> dict[str, Any]:
        """See Game; knocks stay as they are written, since a design may vary how many drops there are."""
        plain = self.plain(self.read({name: table for name, table in tables.items() if name != "knocks"}))
        knocks: Mapping[object, Any] = tables.get("knocks", {})
        return plain | {"knocks": {str(drop): knocks[drop] for drop in knocks}}

    def play(self, model: DropModel, rules: DeclaredRules, seed: int, run: int | None = None) -> Iterator[Turn]:
        """See Game; run number r of many is the game of `game_seed(seed, r)`."""
        check_run(model, rules, DeclaredRules, seed, run)
        return play(model, rules, seed if run is None else game_seed(seed, run))

    def figures(self) -> tuple[Figure, ...]:
        """See Game."""
        return figures_of(self.declaration)

    def measured(self, turns: Sequence[Turn], rules: DeclaredRules) -> tuple[float, ...]:
        """See Game."""
        return measured(self.declaration, turns)

    def compared(self, rules: tuple[DeclaredRules, DeclaredRules]) -> Compared:
        """See Game; also the shares of what is read."""
        from tower_sim.games.declared.compared import ComparedDeclared

        return ComparedDeclared(self, rules)

    def most_cubes(self, rules: DeclaredRules) -> int:
        """See Game."""
        return sum(sum(counts.values()) for counts in rules.counts.values())

    def paints(self, rules: DeclaredRules) -> Mapping[str, str]:
        """See Game."""
        return self.declaration.paints

    def most_turns(self, rules: DeclaredRules) -> int:
        """See Game; about, where a phase throws again."""
        return rules.usual_throws

    def stand_in(self, rules: DeclaredRules) -> StandIn | None:
        """See Game; the first of the file's devices that says what is read in its place."""
        return stand_in_of(rules)

    def head(self, rules: DeclaredRules, *, apparatus: str, model: str, seed: int) -> str:
        """See Game."""
        return words.head(rules, apparatus=apparatus, model=model, seed=seed)

    def line(self, turn: Turn, rules: DeclaredRules) -> str:
        """See Game."""
        return words.line(turn, rules)

    def summary(self, turns: Sequence[Turn], rules: DeclaredRules) -> str:
        """See Game; of battles who won them."""
        from tower_sim.games.declared import battle

        return battle.summary(turns, rules) if battle.is_battle(self.declaration) else words.summary(turns, rules)

    def document(
        self, turns: Sequence[Turn], rules: DeclaredRules, *, apparatus: str, model: str, seed: int
    ) -> dict[str, Any]:
        """See Game; the throws that landed."""
        return document.of_run(turns, rules, apparatus=apparatus, model=model, seed=seed)

    def draw(
        self, turns: Sequence[Turn], rules: DeclaredRules, apparatus: Apparatus, path: str | Path, *, title: str
    ) -> None:
        """See Game."""
        from tower_sim.games.declared.picture import draw_run

        draw_run(turns, rules, path, title=title)

    @property
    def ways(self) -> Ways:
        """See Game."""
        from tower_sim.games.declared.battle import CupWays, is_battle
        from tower_sim.games.declared.ways import DeclaredWays

        return CupWays(self) if is_battle(self.declaration) else DeclaredWays(self)


class AnyDeclared(Game):
    """The games of files, before one is named: the kind `declared` until its tables are read. It opens files."""

    name = DECLARED
    title = "A game of your own"
    about = "a game that a TOML file declares"
    tables = DeclaredGame.tables
    declared = DECLARED

    def open(self, path: str | Path) -> DeclaredGame:
        """Return the game of a file; a relative path of its apparatus counts from there.

        Raises UsageError, in one line that names the file and the key's path.
        """
        game = DeclaredGame(read_file(path))
        if game.apparatus.endswith(".toml"):
            game.apparatus = str((Path(path).parent / game.apparatus).resolve())
        return game

    def opens(self, table: Mapping[str, Any]) -> bool:
        """Say whether a file of this table declares a game, right or wrong."""
        return table.get("schema") == SCHEMA

    def bound(self, tables: Mapping[str, Any]) -> DeclaredGame:
        """See Game; raises UsageError where there is no declaration."""
        given = tables.get(DECLARED)
        if not given:
            advice = f"name the game's file in the place of {DECLARED}"
            raise fault(f"the table {DECLARED}", given, "what a file of a game says", advice)
        return DeclaredGame(_declaration(given))

    def read(self, tables: Mapping[str, Any]) -> DeclaredRules:
        """See Game."""
        return self.bound(tables).read(tables)

    def plain(self, rules: DeclaredRules) -> dict[str, Any]:
        """See Game."""
        check_rules(rules, DeclaredRules)
        return DeclaredGame(rules.declaration).plain(rules)

    def play(self, model: DropModel, rules: DeclaredRules, seed: int, run: int | None = None) -> Iterator[Turn]:
        """See Game."""
        check_rules(rules, DeclaredRules)
        return DeclaredGame(rules.declaration).play(model, rules, seed, run)

    def summary(self, turns: Sequence[Turn], rules: DeclaredRules) -> str:
        """See Game."""
        return words.summary(turns, rules)


def columns_of(of: Declaration) -> tuple[Column, ...]:
    """Return the columns of a game's own table."""
    kinds = {NUMBER: ("int32", "{}"), SET: ("int16", "how many colours {} has")}
    own = [
        Column("round", "int16", False, "round of the game, 0 for the set-up"),
        Column("phase", "string", False, "name of the phase, or the colour that it is of; `setup`"),
        Column("skipped", "bool", True, "nothing came out; null, as all that follow, where the game was cut short"),
    ]
    for name, reading in of.readings.items():
        kind, meaning = kinds.get(reading.kind, ("string", "{}"))
        own.append(Column(name, kind, True, f"{meaning.format(name)}, as the game reads it; null where it is not read"))
    if any(phase.effects for phase in of.all_phases):
        own.append(Column(EFFECT, "string", True, "which effect there was"))
        own.append(Column(AMOUNT, "int32", True, "how much it did"))
    return tuple(own)


def _declaration(given: object) -> Declaration:
    """Return the declaration of a table; the last ones are remembered, since every point of a design asks again."""
    if not isinstance(given, Mapping):
        raise fault(DECLARED, given, "what a file of a game says, as a table", f"write it as [{DECLARED}]")
    try:
        text = json.dumps(given)
    except (TypeError, ValueError):  # with what no right file holds, such as a date
        return declaration_of(cast("Mapping[str, Any]", given))
    return _of_text(text)


@lru_cache(maxsize=64)
def _of_text(text: str) -> Declaration:
    return declaration_of(json.loads(text))

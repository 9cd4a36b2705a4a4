"""Amerigo as a game of the registry: one run is the tower's part of a whole game, one turn a drop."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from tower_sim.apparatus.parts import Apparatus
from tower_sim.columns import Column
from tower_sim.contract import DropModel
from tower_sim.fields import read_fields, refuse_unknown
from tower_sim.games.amerigo import phases, words
from tower_sim.games.amerigo.compared import ComparedGames
from tower_sim.games.amerigo.figures import FIGURES, FITTED
from tower_sim.games.amerigo.many import counted, plan_of
from tower_sim.games.amerigo.phases import DropEntry, GameState
from tower_sim.games.amerigo.rules import RULES_VERSION, Played, Rules
from tower_sim.games.game import Game, Turn, check_rules, check_run, game_seed
from tower_sim.games.ways import Ways
from tower_sim.model import TooManyFailedDraws
from tower_sim.runs.array import Plan
from tower_sim.runs.figure import Figure, table


class Amerigo(Game):
    """The part of Amerigo that its tower decides; the rules are `Played`, a turn's entry is a `DropEntry`."""

    name = "amerigo"
    title = "Amerigo"
    about = "the part of a game that its tower decides: a set-up and 35 phases, with cubes carried over"
    version = RULES_VERSION
    kind = "game"
    run = "game"
    apparatus = "amerigo"
    tables = ("rules", "knocks")
    columns = tuple(Column(*column, studied=False) for column in (
        ("round", "int16", False, "round of the game, 0 for the set-up"),
        ("phase", "string", False, "colour of the phase or `setup`"),
        ("skipped", "bool", True, "nothing to throw, or nothing came out; null, as the three that follow, where"
         " the game was cut short"),
        ("colours_out", "int16", True, "how many colours came out"),
        ("action_points", "int16", True, "action points before any token, 0 for the set-up"),
        ("gold", "int16", True, "gold for passing, 0 for the set-up"),
    ))  # fmt: skip

    def read(self, tables: Mapping[str, Any]) -> Played:
        """See Game."""
        refuse_unknown(tables, dict.fromkeys(self.tables), "tables")
        rules = read_fields(Rules, tables.get("rules", {}), "rules")
        return Played(rules, phases.knocks_of(tables.get("knocks", {}), rules))

    def plain(self, rules: Played) -> dict[str, Any]:
        """See Game; rulings are left out where all are the default."""
        check_rules(rules, Played)
        return {
            "rules": _plain(rules.rules),
            "knocks": {str(drop): rules.knocks[drop] for drop in sorted(rules.knocks)},
        }

    def resolved(self, tables: Mapping[str, Any], varied: Collection[str] = ()) -> dict[str, Any]:
        """See Game; knocks stay as they are written, since a design may vary how many drops there are."""
        refuse_unknown(tables, dict.fromkeys(self.tables), "tables")
        rules: Rules = read_fields(Rules, tables.get("rules", {}), "rules")
        knocks: Mapping[object, Any] = tables.get("knocks", {})
        return {"rules": _plain(rules), "knocks": {str(drop): knocks[drop] for drop in knocks}}

    def play(self, model: DropModel, rules: Played, seed: int, run: int | None = None) -> Iterator[Turn]:
        """See Game; run number r of many is the game of `game_seed(seed, r)`."""
        check_run(model, rules, Played, seed, run)
        own = seed if run is None else game_seed(seed, run)
        entries = phases.play(model, rules.rules, own, rules.knocks)
        return _turns(entries, phases.start(model, rules.rules))

    def plan(self, rules: Played) -> Plan:
        """See Game; knocks play no part."""
        return plan_of(rules.rules)

    def figures(self) -> tuple[Figure, ...]:
        """See Game."""
        return FIGURES

    def fitted(self) -> tuple[Figure, ...]:
        """See Game."""
        return FITTED

    def measured(self, turns: Sequence[Turn], rules: Played) -> tuple[float, ...]:
        """See Game."""
        return tuple(table(counted([_entries(turns)], rules.rules).by_drop, FIGURES)[0].tolist())

    def compared(self, rules: tuple[Played, Played]) -> ComparedGames:
        """See Game; many games at once with a model that samples them, and also the cubes out by colour."""
        return ComparedGames(self, rules, (rules[0].rules, rules[1].rules))

    def most_cubes(self, rules: Played) -> int:
        """See Game."""
        return sum(rules.rules.counts.values())

    def most_turns(self, rules: Played) -> int:
        """See Game."""
        return rules.rules.drops

    def head(self, rules: Played, *, apparatus: str, model: str, seed: int) -> str:
        """See Game."""
        return f"{words.game_title(rules.rules, apparatus, model, seed)}\n{words.game_head(rules.rules)}"

    def line(self, turn: Turn, rules: Played) -> str:
        """See Game."""
        if turn.failed is not None:
            return f"{turn.index:4} {turn.failed}"
        return words.game_line(turn.entry, rules.rules)

    def summary(self, turns: Sequence[Turn], rules: Played) -> str:
        """See Game."""
        if turns[0].failed is not None:
            return f"\nThe game was cut short at its set-up: {turns[0].failed}."
        return words.game_summary(_entries(turns), rules.rules)

    def document(
        self, turns: Sequence[Turn], rules: Played, *, apparatus: str, model: str, seed: int
    ) -> dict[str, Any]:
        """See Game; the drops that landed."""
        return phases.game_json(
            _entries(turns), seed=seed, model=model, apparatus=apparatus, rules=rules.rules, knocks=rules.knocks
        )

    def draw(self, turns: Sequence[Turn], rules: Played, apparatus: Apparatus, path: str | Path, *, title: str) -> None:
        """See Game."""
        from tower_sim.games.amerigo.picture import draw_game

        draw_game(_entries(turns), rules.rules, path, title=title)

    @property
    def ways(self) -> Ways:
        """See Game."""
        from tower_sim.games.amerigo.ways import AmerigoWays

        return AmerigoWays(self)


GAME = Amerigo()


def _plain(rules: Rules) -> dict[str, Any]:
    plain: dict[str, Any] = json.loads(json.dumps(asdict(rules)))  # lists for tuples, as TOML has them
    if rules.rulings == Rules().rulings:
        del plain["rulings"]
    return plain


def _entries(turns: Sequence[Turn]) -> list[DropEntry]:
    return [turn.entry for turn in turns if turn.failed is None]


def _turns(entries: Iterator[DropEntry], first: GameState) -> Iterator[Turn]:
    now = first
    try:
        for entry in entries:
            facts = {
                "round": entry.round,
                "phase": entry.phase,
                "skipped": entry.skipped,
                "colours_out": sum(count > 0 for count in entry.emerged.values()),
                "action_points": entry.action_points,
                "gold": entry.gold,
            }
            yield Turn(entry.index, entry.state.tower, facts=facts, entry=entry)
            now = replace(entry.state, index=entry.index + 1)
    except TooManyFailedDraws as error:
        yield Turn(now.index, now.tower, facts={"round": now.round, "phase": now.phase}, failed=error)

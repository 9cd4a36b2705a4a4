"""Amerigo as a game of the registry. A run is the tower's part of a complete game, and a turn is a drop."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from tower_sim.apparatus import Apparatus
from tower_sim.games import Figure, Game, GameTower, Turn
from tower_sim.games.amerigo import phases
from tower_sim.games.amerigo import rules as amerigo
from tower_sim.games.amerigo.many import FIGURES, FITTED, count_games, make_plan
from tower_sim.games.amerigo.phases import DropEntry
from tower_sim.games.amerigo.rules import RULES_VERSION, Rules
from tower_sim.games.ways import Ways
from tower_sim.runs import Plan, table
from tower_sim.tools import Column


class Amerigo(Game):
    """The part of Amerigo that its tower decides. The `entry` of a turn is a `DropEntry`."""

    name, title, kind, apparatus, Rules = "amerigo", "Amerigo", "game", "amerigo", amerigo.Rules
    about = "the part of a game that its tower decides: a set-up and 35 phases, with cubes carried over"
    version, figures = RULES_VERSION, FIGURES
    columns = tuple(Column(name, kind, True, text, studied=False) for name, kind, text in (
        ("round", "int16", "round of the game, 0 for the set-up"),
        ("phase", "string", "colour of the phase or `setup`"),
        ("skipped", "bool", "nothing to throw, or nothing came out; null, as the three that follow, where"
         " the game was cut short"),
        ("colours_out", "int16", "how many colours came out"),
        ("action_points", "int16", "action points before any token, 0 for the set-up"),
        ("gold", "int16", "gold for passing, 0 for the set-up"),
    ))  # fmt: skip

    def cubes(self, rules: Rules) -> dict[str, int]:
        return rules.counts

    def play(self, tower: GameTower, rules: Rules) -> Iterator[Turn]:
        for entry in phases.play_drops(tower, rules):
            yield Turn(
                facts={
                    "round": entry.round,
                    "phase": entry.phase,
                    "skipped": entry.skipped,
                    "colours_out": sum(count > 0 for count in entry.emerged.values()),
                    "action_points": entry.action_points,
                    "gold": entry.gold,
                },
                entry=entry,
            )

    def plan(self, rules: Rules) -> Plan:
        return make_plan(rules)

    def knocks(self, rules: Rules) -> dict[int, float]:
        return rules.knocks

    def fitted(self) -> tuple[Figure, ...]:
        return FITTED

    def measured(self, turns: Sequence[Turn], rules: Rules) -> tuple[float, ...]:
        return tuple(table(count_games([list_entries(turns)], rules).by_drop, FIGURES)[0].tolist())

    def turns(self, rules: Rules) -> int:
        return rules.drops

    def summary(self, turns: Sequence[Turn], rules: Rules) -> str:
        if turns[0].failed is not None:
            return f"\nThe game was cut short at its set-up: {turns[0].failed}."
        from tower_sim.games.amerigo.ways import game_summary

        return game_summary(list_entries(turns), rules)

    def draw(self, turns: Sequence[Turn], rules: Rules, apparatus: Apparatus, path: str | Path, *, title: str) -> None:
        from tower_sim.games.amerigo.picture import draw_game

        draw_game(list_entries(turns), rules, path, title=title)

    @property
    def ways(self) -> Ways:
        from tower_sim.games.amerigo.ways import AmerigoWays

        return AmerigoWays(self)


GAME = Amerigo()


def list_entries(turns: Sequence[Turn]) -> list[DropEntry]:
    """Return the entries of all turns but a failed one."""
    return [turn.entry for turn in turns if turn.failed is None]

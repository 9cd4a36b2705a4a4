"""Amerigo as far as its tower decides it: a run is the tower's part of a complete game, and a turn is a drop.

A cube past the exit is out, in the tray or on the table next to it. A cube in the funnel, on a floor or on the ramp is
inside. The rulebook mentions only the tray (lines 220, 255).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from tower_sim.apparatus import Apparatus
from tower_sim.games import Game, GameTower, Turn
from tower_sim.games.amerigo import rules as amerigo
from tower_sim.games.amerigo.compared import ComparedGames
from tower_sim.games.amerigo.many import FIGURES, FITTED, make_plan
from tower_sim.games.amerigo.rules import RULES_VERSION, SETUP, Rules, action_points, gold_for_passing
from tower_sim.results import Plan
from tower_sim.tools import Column, count_noun
from tower_sim.values import Cube, count_by_colour


class Amerigo(Game):
    """the part of a game that its tower decides: a set-up and 35 phases, with cubes carried over"""

    name, title, kind, apparatus, Rules = "amerigo", "Amerigo", "game", "amerigo", amerigo.Rules
    version, figures, fitted = RULES_VERSION, FIGURES, FITTED
    columns = tuple(Column(name, kind, True, text, studied=False) for name, kind, text in (
        ("round", "int16", "round of the game, 0 for the set-up"),
        ("phase", "string", "colour of the phase or `setup`"),
        ("skipped", "bool", "nothing to throw, or nothing came out; null, as the three that follow, where"
         " the game was cut short"),
        ("colours_out", "int16", "how many colours came out"),
        ("action_points", "int16", "action points before any token, 0 for the set-up"),
        ("gold", "int16", "gold for passing, 0 for the set-up"),
    ))  # fmt: skip
    facts = {column.name: {"string": str, "bool": bool}.get(column.kind, int) for column in columns}

    def cubes(self, rules: Rules) -> dict[str, int]:
        return rules.counts

    def turns(self, rules: Rules) -> int:
        return rules.drops

    def plan(self, rules: Rules) -> Plan:
        return make_plan(rules)

    def knocks(self, rules: Rules) -> dict[int, float]:
        return rules.knocks

    def play(self, tower: GameTower, rules: Rules) -> Iterator[Turn]:
        """Drop i draws with the spawn key (i, 0), the knock after it with (i, 1)."""
        waiting: tuple[Cube, ...] = ()
        for drop in range(rules.drops):
            turn, waiting = play_drop(tower, rules, drop, waiting)
            yield turn

    def compared(self, rules: tuple[Rules, Rules]) -> ComparedGames:
        return ComparedGames(self, rules)

    def draw(self, turns: Sequence[Turn], rules: Rules, apparatus: Apparatus, path: str | Path, *, title: str) -> None:
        from tower_sim.games.amerigo.picture import draw_game

        draw_game([turn for turn in turns if turn.failed is None], rules, path, title=title)


GAME = Amerigo()


def play_drop(tower: GameTower, rules: Rules, drop: int, waiting: tuple[Cube, ...]) -> tuple[Turn, tuple[Cube, ...]]:
    """Return drop number `drop` with the knock after it, and the cubes that then wait in the tray.

    The set-up, drop 0, throws all cubes. A phase throws those in the storage space of its colour, with those that a
    knock released, which are never thrown alone. What comes out goes back (Amerigo rulebook, preparation 4 and course
    of the game).

    Args:
        tower: The tower, which has begun the turn `drop`.
        rules: The rules.
        drop: The number of the drop.
        waiting: The cubes in the tray.
    """
    phase = rules.phases[(drop - 1) % len(rules.phases)] if drop else SETUP
    away = {*tower.state.cubes, *waiting}
    stored = [cube for cube in tower.cubes if cube not in away and phase in (SETUP, cube.colour)]
    out = count_by_colour((), rules.colours)
    if stored:
        out = count_by_colour(tower.throw_cubes(sorted((*stored, *waiting))).emerged, rules.colours)
        waiting = ()
    if drop in rules.knocks:
        waiting = (*waiting, *tower.knock(rules.knocks[drop]).emerged)
    points = action_points(out) if drop else 0
    gold = gold_for_passing(out, rules.gold_divisor) if drop else 0
    came = ", ".join(f"{colour} {count}" for colour, count in out.items() if count)
    pays = f": {count_noun(points, 'action point')}, {gold} gold" if drop and came else ""
    wait = f"; {len(waiting)} wait in the tray" if waiting else ""
    facts = {
        "round": -(-drop // len(rules.phases)),
        "phase": phase,
        "skipped": not came,
        "colours_out": sum(map(bool, out.values())),
        "action_points": points,
        "gold": gold,
    }
    return Turn(f"{phase}: {came or 'skipped'}{pays}{wait}", facts), waiting

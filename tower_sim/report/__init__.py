"""What people read on the terminal: lines and summaries of drops, games and battles."""

from tower_sim.report.amerigo import game_head, game_line, game_summary, game_title
from tower_sim.report.battle import battle_head, battle_summary, odds_report, step_line
from tower_sim.report.drop import drop_report

__all__ = [
    "battle_head",
    "battle_summary",
    "drop_report",
    "game_head",
    "game_line",
    "game_summary",
    "game_title",
    "odds_report",
    "step_line",
]

"""From campaigns to a surrogate: the fit, its check on runs it has not seen, and their pages.

    tower   campaigns --rows--> Rows --ladder (cascade_fit, groups)--> law, scores of the rungs        fit.py
            runs not seen --ladder, pit--> single drops; --whole_games (distances), classifier-->
            whole runs beside those of the surrogate --pages (plots)--> verdicts, report                 check.py
    board   campaigns --ship_throws--> Throws --ship_fit--> law; ship_ladder: what each term is worth
            runs not seen, played again --ship_facts--> facts of both --ship_check--> tests --ship_pages--> report

The game of a campaign says what its drops throw and which numbers it takes from them; no game is named here.
"""

from __future__ import annotations

from tower_sim.fitting.check import check, check_command
from tower_sim.fitting.fit import fit, fit_command

__all__ = ["check", "check_command", "fit", "fit_command"]

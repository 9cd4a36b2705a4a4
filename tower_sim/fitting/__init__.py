"""Fit a surrogate to campaigns, check it on runs that it was not fitted to, and write reports.

    tower   campaigns --rows--> Rows --ladder (cascade_fit, groups)--> cascade, scores of the rungs      fit.py
            unseen runs --ladder, pit--> single drops; --whole_games (distances), classifier-->
            whole games, compared with the surrogate's --pages (plots)--> results, report                check.py
    board   campaigns --ship_throws--> Throws --ship_fit--> law; ship_ladder scores its terms
            unseen runs, and the surrogate's --ship_facts--> facts --ship_check--> tests --ship_pages--> report

The campaign's game defines what its drops throw and which statistics are compared. No game is named here.
"""

from __future__ import annotations

from tower_sim.fitting.check import check, check_command
from tower_sim.fitting.fit import fit, fit_command

__all__ = ["check", "check_command", "fit", "fit_command"]

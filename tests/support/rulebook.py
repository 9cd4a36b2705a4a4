"""The worked example of Amerigo's rulebook."""

from tower_sim.games.amerigo import Rules

PUBLISHED = Rules()
SETUP_OUT = {"blue": 4, "black": 4, "red": 5, "brown": 3, "green": 4, "yellow": 5, "white": 3}
SETUP_INSIDE = {"blue": 3, "black": 3, "red": 2, "brown": 4, "green": 3, "yellow": 2, "white": 4}
BLUE_PHASE_OUT = {"blue": 4, "black": 1, "red": 1, "green": 2}


def nothing_but(counts, rules=PUBLISHED):
    return dict.fromkeys(rules.colours, 0) | counts

"""The tower lab: house rules tried in a page, by the surrogates of towers and the ship, without a server.

READ FIRST: contents.py says what a page is filled with, page.py puts it into a file with the view `lab` of web/.
"""

from tower_sim.lab.page import lab_command, lab_page

__all__ = ["lab_command", "lab_page"]

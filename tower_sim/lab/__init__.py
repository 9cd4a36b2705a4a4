"""The tower lab: house rules tried in a page, by the surrogates of towers and the ship, without a server.

READ FIRST: contents.py says what a page is filled with, page.py joins it with the samplers in JavaScript and the files
of page/ into one HTML file.
"""

from tower_sim.lab.page import lab_command, lab_page

__all__ = ["lab_command", "lab_page"]

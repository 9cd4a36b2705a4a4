"""The live page: a tower with real physics, played with by hand, in one HTML file.

READ FIRST: contents.py says what a page is filled with, page.py puts it into a file with the view `live` of web/.
"""

from tower_sim.live.page import live_command, live_page

__all__ = ["live_command", "live_page"]

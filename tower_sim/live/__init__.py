"""The live page: a tower with real physics, played with by hand, in one HTML file.

READ FIRST: contents.py says what a page is filled with, bundle.py joins JavaScript modules into one script, page.py
puts the file together of page/, of pages/scene/, which draws, and of physics/js/, which computes in a worker.
"""

from tower_sim.live.page import live_command, live_page

__all__ = ["live_command", "live_page"]

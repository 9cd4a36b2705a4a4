"""The web app in TypeScript under src/, and the pages that it shows: live, lab, replay and record; and <cube-tower>.

Read src/live/main.tsx for the app; page.py for what a page is. live.py, lab.py, replay.py and, for record,
calibration/recording.py fill one. `python -m calibration.validation.web` builds built/, so an
installation needs no node.
"""

# pyright: reportUnusedImport=false
from typing import TYPE_CHECKING

from tower_sim.tools import face

if TYPE_CHECKING:
    from tower_sim.web import replay
    from tower_sim.web.lab import lab_page
    from tower_sim.web.live import element_module, element_types, live_page
    from tower_sim.web.page import Page, pack, read_built, source, write_page

__getattr__ = face(__name__)

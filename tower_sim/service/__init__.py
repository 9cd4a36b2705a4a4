"""Answer the requests of other programs: as JSON lines (lines.py), or over HTTP (app.py), which keeps nothing either.

line -> request (fields checked) -> answer (an open model) -> line

Only the end of the input ends the service.
"""

# pyright: reportUnusedImport=false
from typing import TYPE_CHECKING

from tower_sim.tools import face

if TYPE_CHECKING:
    from tower_sim.service.cache import ModelCache
    from tower_sim.service.limits import Limits, read_limits
    from tower_sim.service.lines import serve
    from tower_sim.service.run import read_token, serve_http

__getattr__ = face(__name__)

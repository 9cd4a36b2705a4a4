"""Answer the requests of other programs: as JSON lines (lines.py), or over HTTP (app.py), which keeps nothing either.

line -> request (fields checked) -> answer (an open model) -> line

Only the end of the input ends the service.
"""

from tower_sim.service.cache import ModelCache
from tower_sim.service.lines import serve

__all__ = ["ModelCache", "serve"]

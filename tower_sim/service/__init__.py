"""Answer requests as JSON lines, for programs that keep one process and ask it for drops.

line -> request (fields checked) -> answer (an open model) -> line

Only the end of the input ends the service.
"""

from tower_sim.service.cache import ModelCache
from tower_sim.service.lines import serve

__all__ = ["ModelCache", "serve"]

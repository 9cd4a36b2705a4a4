"""Answer requests as JSON lines, for programs that keep one process and ask it for drops.

    line -> request (fields checked) -> answer (an opened model) -> line

A line that cannot be answered gets an error object. Only the end of the input ends the service.
"""

from tower_sim.service.lines import serve
from tower_sim.service.opened import Opened

__all__ = ["Opened", "serve"]

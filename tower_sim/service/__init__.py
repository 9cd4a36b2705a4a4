"""The service: JSON lines in, JSON lines out, for programs that keep one process and ask it for drops.

    line -> request (fields checked) -> answer (an opened model) -> line

A line that cannot be answered is answered with an error object; nothing ends the service but the end of its input.
"""

from tower_sim.service.loop import serve
from tower_sim.service.opened import Opened

__all__ = ["Opened", "serve"]

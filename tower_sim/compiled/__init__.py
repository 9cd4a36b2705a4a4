"""Functions compiled in advance from Python by build.py: shared libraries, and WebAssembly for what has none.

marks.py says what is compiled, choice.py which way runs here; memory.py how arguments go in. A native library,
WebAssembly and plain Python give the same bytes.
"""

# pyright: reportUnusedImport=false
from typing import TYPE_CHECKING

from tower_sim.tools import face

if TYPE_CHECKING:
    from tower_sim.compiled import paired
    from tower_sim.compiled.choice import WAYS, call, chosen, way
    from tower_sim.compiled.file import CompiledFile, CompiledFunction, Memory
    from tower_sim.compiled.marks import R, T, aside, inner

__getattr__ = face(__name__)

"""The samplers as other programs take them: packages and files in other languages, with the table put in at export."""

# pyright: reportUnusedImport=false
from typing import TYPE_CHECKING

from tower_sim.tools import face

if TYPE_CHECKING:
    from tower_sim.clients.write import export_command, write_package

__getattr__ = face(__name__)

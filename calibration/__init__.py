"""Fit a simulated tower to observations of a real one, with uncertainty; test recorded drops against a profile.

What cannot be used (a file, a tower, a number) raises UsageError.
"""

# pyright: reportUnusedImport=false
from typing import TYPE_CHECKING

from tower_sim.tools import face

if TYPE_CHECKING:
    from tower_sim.calibration.command import calibrate_command
    from tower_sim.calibration.recording import make_document, record_page
    from tower_sim.calibration.verdict import fairness_command

__getattr__ = face(__name__)

"""The parts of all reports: numbers as text, charts, and pages with sections, tables and figures."""

# pyright: reportUnusedImport=false
from typing import TYPE_CHECKING

from tower_sim.tools import face

if TYPE_CHECKING:
    from tower_sim.report import charts
    from tower_sim.report.charts import RULE, Draw, Panel, bars, level, points
    from tower_sim.report.page import FILES, SETTERS, Chart, Report, Rows, Section, Table, check_report

__getattr__ = face(__name__)

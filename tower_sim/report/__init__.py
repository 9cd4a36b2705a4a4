"""The parts of all reports: numbers as text, charts, and pages with sections, tables and figures."""

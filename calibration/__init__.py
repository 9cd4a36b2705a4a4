"""Calibration: the numerical choices of the physics measured, and (later) the tower fitted to what was observed."""

"""Sines, cosines and logarithms of portable.py, compiled: the same digits as there."""

from __future__ import annotations

from types import FunctionType
from typing import Any

from tower_sim.compiled.marks import aside
from tower_sim.tools import portable

_names: dict[str, Any] = dict(vars(portable))  # what its functions call, compiled too
for _name in ("_series", "_reduce", "_sin_sum", "_cos_sum", "sin", "cos", "log"):
    _names[_name] = aside(FunctionType(_names[_name].__code__, _names, _name))
sin, cos, log = _names["sin"], _names["cos"], _names["log"]

"""Functions of portable.py and student.py, compiled: the same digits as there."""

from __future__ import annotations

from types import FunctionType, ModuleType
from typing import Any

from tower_sim.compiled.marks import aside
from tower_sim.tools import portable, student


def _compiled(module: ModuleType, names: str, **more: Any) -> dict[str, Any]:
    """Return copies of functions of a module, which call each other and `more`."""
    found: dict[str, Any] = vars(module) | more
    for name in names.split():
        found[name] = aside(FunctionType(found[name].__code__, found, name))
    return found


_portable = _compiled(portable, "_series _reduce _sin_sum _cos_sum sin cos log exp")
sin, cos, log, exp = (_portable[name] for name in ("sin", "cos", "log", "exp"))
_student = _compiled(student, "_lack _beta_part _beta_below student_p beta_quantile student_point", log=log, exp=exp)
student_p, student_point, beta_quantile = (_student[name] for name in ("student_p", "student_point", "beta_quantile"))

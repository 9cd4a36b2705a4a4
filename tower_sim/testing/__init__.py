"""What every model, engine, apparatus and game promises, as test classes to inherit; they need pytest.

    from tower_sim.testing import DropModelContract

    class TestMyModel(DropModelContract):
        @pytest.fixture(scope="class")
        @classmethod
        def model(cls):
            return MyModel()

With `pytest.register_assert_rewrite("tower_sim.testing")` in a conftest.py pytest shows the values of what failed.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from tower_sim.errors import UsageError
from tower_sim.extras import pip_install

if TYPE_CHECKING:
    from tower_sim.testing.apparatus import ApparatusContract
    from tower_sim.testing.engine import EngineContract, MotionContract
    from tower_sim.testing.game import GameContract
    from tower_sim.testing.models import BoardModelContract, DropModelContract
    from tower_sim.testing.runner import RunnerContract

__all__ = [
    "ApparatusContract",
    "BoardModelContract",
    "DropModelContract",
    "EngineContract",
    "GameContract",
    "MotionContract",
    "RunnerContract",
]

_MODULES = {
    "ApparatusContract": "apparatus",
    "BoardModelContract": "models",
    "DropModelContract": "models",
    "EngineContract": "engine",
    "GameContract": "game",
    "MotionContract": "engine",
    "RunnerContract": "runner",
}

try:
    importlib.import_module("pytest")
except ImportError as error:
    told = f"pytest is not installed ({error}); allowed is a Python that has it"
    raise UsageError(f"{told}, since these are tests to inherit; try: {pip_install('pytest')}") from None


def __getattr__(name: str) -> Any:
    """Return a test class, importing only what it is about."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_MODULES[name]}"), name)

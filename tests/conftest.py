import importlib.util
import os
import signal
import sys
from pathlib import Path

import pytest
from hypothesis import settings

pytest.register_assert_rewrite("tower_sim.testing")

# Under `nohup ... &` a shell starts us with SIGINT ignored, and so would be every process that a test starts.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Physics and shared machines make single examples slow now and then; a deadline would only test the machine.
settings.register_profile("tower_sim", deadline=None, derandomize=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "tower_sim"))

WITHOUT_PHYSICS = "--without-physics"
LEFT_OUT = (  # without physics: modules that are about it, or take long and need nothing that the others do not
    "attacks_", "physics_", "same_everywhere", "ship_physics", "ship_battle", "tosses", "long",
    "calibration_", "docs", "notebooks", "campaign_dask", "campaign_run", "campaign_old", "study_report",
    "study_pictures", "surrogate_fit", "surrogate_check",
)  # fmt: skip


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        WITHOUT_PHYSICS,
        action="store_true",
        default=importlib.util.find_spec("pybullet") is None,
        help="the part of the tests that passes where Bullet is not installed; there it is the default",
    )


def pytest_report_header(config: pytest.Config) -> str:
    return "Bullet: its tests are left out" if config.getoption(WITHOUT_PHYSICS) else "Bullet: tested too"


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption(WITHOUT_PHYSICS):
        sys.modules["pybullet"] = None  # type: ignore[assignment] # as where it is not installed


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    left_out = collection_path.name.startswith(tuple(f"test_{name}" for name in LEFT_OUT))
    return True if left_out and config.getoption(WITHOUT_PHYSICS) else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not hasattr(os, "mkfifo"):
        for item in items:
            if item.get_closest_marker("posix"):
                item.add_marker(pytest.mark.skip(reason="needs what only POSIX has"))
    if config.getoption(WITHOUT_PHYSICS):
        for item in items:
            if item.get_closest_marker("physics"):
                item.add_marker(pytest.mark.skip(reason="needs Bullet"))

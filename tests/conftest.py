import importlib.util
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager

# As many processes test as there are cores: threads that BLAS or OpenMP start in each would wait for one another.
# Said before numpy is imported; every process that a test starts inherits it.
for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"):
    os.environ.setdefault(threads, "1")

import pytest  # noqa: E402
from hypothesis import settings  # noqa: E402

# Under `nohup ... &` a shell starts us with SIGINT ignored, and so would be every process that a test starts.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Physics and shared machines make single examples slow now and then; a deadline would only test the machine.
settings.register_profile("tower_sim", deadline=None, derandomize=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "tower_sim"))

WITHOUT_BULLET = "--without-bullet"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        WITHOUT_BULLET,
        action="store_true",
        default=importlib.util.find_spec("pybullet") is None,
        help="leave out the tests of Bullet and of what was made with it; so it is wherever PyBullet is not installed",
    )


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption(WITHOUT_BULLET):
        sys.modules["pybullet"] = None  # type: ignore[assignment] # as where it is not installed


def pytest_report_header(config: pytest.Config) -> str:
    return "Bullet: its tests are left out" if config.getoption(WITHOUT_BULLET) else "Bullet: tested too"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not hasattr(os, "mkfifo"):
        for item in items:
            if item.get_closest_marker("posix"):
                item.add_marker(pytest.mark.skip(reason="needs what only POSIX has"))
    if config.getoption(WITHOUT_BULLET):
        for item in items:
            if item.get_closest_marker("bullet"):
                item.add_marker(pytest.mark.skip(reason="needs PyBullet"))


@contextmanager
def _unpainted() -> Iterator[None]:
    from matplotlib.figure import Figure

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Figure, "savefig", lambda *_, **__: None)
        yield


@pytest.fixture(scope="module")
def unpainted() -> Iterator[None]:
    """For tests of a report's words and numbers: its pictures are made as ever, but their files stay empty.

    That they are painted, and how they look, is asked by the tests of pictures.
    """
    with _unpainted():
        yield


@pytest.fixture
def unpainted_here() -> Iterator[None]:
    """The same for one test of a file whose others ask for pictures."""
    with _unpainted():
        yield

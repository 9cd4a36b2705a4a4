"""The architecture: imports run with the flow, and one folder knows the engine."""

import ast
import re
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "tower_sim"

# a module may import from its own rank and from lower ones
RANKS = [
    {"errors", "made"},
    {"reading", "writing", "progress", "interrupts", "extras", "terminal", "registry", "portable"},
    {"jit", "token", "places", "columns", "counts", "pool", "statistics", "draws"},
    {"cubes"},
    {"state"},
    {"outcome"},
    {"apparatus"},
    {"landing"},
    {"door", "drawing", "design.space"},
    {"pages", "clients.tongues", "printing"},
    {"contract"},
    {"model", "recorder"},
    {"physics", "games"},
    {"simulator", "surrogate"},
    {"models"},
    {"requests"},
    {"replay"},
    {"campaign", "variants"},
    {"study"},
    {"surrogate.fitting", "compare", "service", "lab", "clients", "design"},
    {"cli", "testing"},
    {"__main__", "__init__"},
]
NESTED = {"surrogate.fitting", "clients.tongues", "design.space"}  # folders in folders with a rank of their own


def part_of(name: str) -> str:
    """Return the part that the module `name`, without the package's own, belongs to."""
    parts = name.split(".")
    return ".".join(parts[:2]) if ".".join(parts[:2]) in NESTED else parts[0]


def rank(part: str) -> int:
    return next(i for i, names in enumerate(RANKS) if part in names)


def imports(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(node.module or "")
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


MODULES = sorted(PACKAGE.rglob("*.py"))


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_no_import_runs_against_the_flow(path: Path):
    own = part_of(".".join(path.relative_to(PACKAGE).with_suffix("").parts))
    for name in imports(path):
        if name.startswith("tower_sim."):
            part = part_of(name.removeprefix("tower_sim."))
            assert part == own or rank(part) < rank(own), f"{own} imports {part}"


def test_one_file_knows_the_engine_and_what_its_package_is_called():
    known = [path for path in MODULES if "pybullet" in path.read_text("utf-8")]
    assert [str(path.relative_to(PACKAGE)) for path in known] == ["physics/bullet.py"]


OWN_FOLDERS = ("apparatus/amerigo/", "apparatus/combat_ship/", "games/amerigo/", "games/dead_reckoning/")
NAMES = re.compile("amerigo|dead_reckoning|CombatShip")


def test_a_kind_and_a_game_are_named_in_their_own_folders_and_by_the_registry_alone():
    named = {str(path.relative_to(PACKAGE)) for path in MODULES if NAMES.search(path.read_text("utf-8"))}
    assert {name for name in named if not name.startswith(OWN_FOLDERS)} == {"registry.py"}
    assert all(any(name.startswith(folder) for name in named) for folder in OWN_FOLDERS)


def test_no_game_knows_another():
    for path in (PACKAGE / "games").rglob("*/*.py"):
        folder = path.relative_to(PACKAGE / "games").parts[0]
        known = {name.split(".")[2] for name in imports(path) if name.startswith("tower_sim.games.")}
        shared = {shared.stem for shared in (PACKAGE / "games").glob("*.py")}
        assert known <= {folder, *shared}, path


def test_games_know_neither_physics_nor_random_numbers_of_their_own():
    for path in (PACKAGE / "games").rglob("*.py"):
        if path.parent.name in ("chain", "declared"):
            continue  # of no game: which cubes it throws is itself drawn; of games that pick cubes by lot
        text = path.read_text("utf-8")
        assert "default_rng" not in text
        assert "import random" not in text


@pytest.mark.parametrize("path", sorted(Path(__file__).parent.glob("*.py")), ids=lambda path: path.stem)
def test_no_test_imports_another(path: Path):
    """What tests share is in tests/support."""
    assert not {name for name in imports(path) if name.startswith("test_")}

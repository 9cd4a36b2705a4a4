"""What ships for calibration: imports run one way, nothing of it needs the tests, and no name stands for two things."""

import ast
import tomllib
from collections import Counter
from fnmatch import fnmatch
from pathlib import Path

from support.cases import each_case

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "calibration"

# a module may import from lower ranks only
RANKS = [
    {"leaving", "observations", "parameters", "spreadsheet", "stand_in"},
    {"effort", "records"},
    {"printed"},
    {"watched"},
    {"summaries", "reference"},
    {"design", "discrepancy", "evidence", "e_values", "plain", "sampling"},
    {"emulator", "usable", "verdict"},
    {"law"},
    {"fit"},
    {"choice", "result"},
    {"findings"},
    {"answers", "bands", "pictures", "sources"},
    {"chapters"},
    {"conflict"},
    {"writeup"},
    {"command"},
]
MODULES = sorted(path for path in PACKAGE.glob("*.py") if path.stem != "__init__")
SHIPPED = sorted(path for folder in ("tower_sim", "calibration") for path in (ROOT / folder).rglob("*.py"))

# classes that share a name with another and do not meet it: no module imports both
NAMED_ALIKE = {
    "Label": ["tower_sim.apparatus.dimensions", "tower_sim.drawing.plan"],  # what is said, and where on the picture
    "Place": ["tower_sim.cli.completion", "tower_sim.places"],  # of a command line; of a cube
    "Plan": ["tower_sim.counts", "tower_sim.drawing.plan"],  # of drops; of the picture
    "StandIn": ["calibration.stand_in", "tower_sim.games.stand_in"],  # for a tower's physics; for a deck or dice
}


def imports(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)}
    return names


def rank(module: str) -> int:
    return next(i for i, names in enumerate(RANKS) if module in names)


@each_case("path", MODULES, ids=lambda path: path.stem)
def test_no_module_of_calibration_imports_one_of_its_rank_or_above(path: Path):
    for name in imports(path):
        package, _, rest = name.partition(".")
        module = rest.partition(".")[0]
        if package == "calibration" and module:
            assert rank(module) < rank(path.stem), f"{path.stem} imports {module}"


def test_every_rank_names_modules_that_are_there():
    assert Counter(module for names in RANKS for module in names) == Counter(path.stem for path in MODULES)


@each_case("path", SHIPPED, ids=lambda path: str(path.relative_to(ROOT)))
def test_nothing_that_ships_imports_the_tests(path: Path):
    tests = {"tests", *(file.stem for file in (ROOT / "tests").glob("*.py"))}
    assert not {name.partition(".")[0] for name in imports(path)} & tests


def test_only_two_commands_know_calibration():
    users = {str(path.relative_to(ROOT)) for path in SHIPPED if any(x.startswith("calibration") for x in imports(path))}
    assert {user for user in users if user.startswith("tower_sim")} == {
        "tower_sim/cli/calibrate.py",
        "tower_sim/cli/fairness.py",
    }


def test_no_class_has_the_name_of_another():
    classes: dict[str, list[str]] = {}
    for path in SHIPPED:
        if path.match("apparatus/*/profile.py"):
            continue  # the parts of any tower have the same names, as in its profile
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef):
                classes.setdefault(node.name, []).append(".".join(path.relative_to(ROOT).with_suffix("").parts))
    assert {name: sorted(modules) for name, modules in classes.items() if len(modules) > 1} == NAMED_ALIKE


def test_the_wheel_has_no_tests_and_all_data_that_calibration_reads():
    setup = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]
    packages = setup["packages"]["find"]["include"]
    for name, is_in in (("tower_sim.cli", True), ("calibration", True), ("tests", False), ("tests.measure", False)):
        assert any(fnmatch(name, pattern) for pattern in packages) == is_in, name
    taken = {path for pattern in setup["package-data"]["calibration"] for path in PACKAGE.glob(pattern)}
    data = {path for path in PACKAGE.rglob("*") if path.is_file() and path.suffix not in (".py", ".pyc", ".md")}
    assert taken == data

"""The architecture: what each room may know, that no files go in circles, and what is installed."""

import ast
import re
import runpy
import tomllib
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest
from support.imports import CALIBRATION, PACKAGE, ROOT, SHIPPED, circles, imports, room_of, tree, values

from tower_sim.tools import OWN
from tower_sim.tools.faces import names

# What knows of no tower; everyone may ask it. Each asks those before it alone.
TOOLS = ("errors", "tools", "documents", "results", "compiled")

# The other rooms, from the ground up: what each knows beside tools. The last, without a name, is the package's face.
KNOWS = {
    "values": "",
    "apparatus": "values",
    "drawing": "apparatus values",
    "drops": "apparatus values",
    "physics": "apparatus values",
    "games": "apparatus drawing drops values",
    "simulator": "apparatus drops physics values",
    "surrogate": "apparatus drops values",
    "models": "apparatus physics simulator surrogate",
    "requests": "apparatus drops games models physics values",
    "web": "apparatus drawing games physics requests surrogate values",
    "campaign": "apparatus drops games models physics requests surrogate values",
    "report": "web",
    "studies": "apparatus campaign drawing drops games models physics report requests surrogate values",
    "calibration": "apparatus campaign drawing drops games models physics report requests simulator studies surrogate "
    "values web",
    "clients": "apparatus games physics requests surrogate web",
    "env": "apparatus drops games models surrogate values",
    "service": "apparatus drops games models physics requests surrogate web",
    "testing": "apparatus drops games physics simulator surrogate values",
    "cli": "apparatus calibration campaign clients drawing drops games models physics report requests service studies "
    "values web",
    "__main__": "cli",
    "tower": "apparatus drops models physics values",
    "": "apparatus drops models physics simulator studies surrogate tower values",
}

# What the registry names is known by that name alone, but for who is of one game or kind by what it is for.
OF_ONE = {
    "calibration.observations": "games.amerigo",
    "cli.towers": "apparatus.mesh",
    "calibration.records": "games.amerigo",
    "calibration.summaries": "games.amerigo",
    "env.battle": "games.dead_reckoning",
    "env.phases": "games.amerigo",
    "env.push_your_luck": "games.push_your_luck",
    "physics.plain": "physics.core",  # the only engine that runs in other languages
    **dict.fromkeys(("physics.bullet.engine", "physics.scene"), "physics.core"),  # a drop
    "physics.world": "physics.bullet",  # the other way to run one
    "testing": "physics.bullet",
    "simulator": "physics.core",
}
STILL_NAMED = {
    "campaign.spec": "chain",
    "calibration.command": "amerigo",
    "calibration.readings": "amerigo",  # the profile that is written
    "calibration.summaries": "amerigo",
}
"""Who names a game of the registry; none may be added."""

# classes that share a name with another and do not meet it: no module imports both
NAMED_ALIKE = {
    "Label": ["apparatus.dimensions", "drawing.plan"],  # what is said, and where on the picture
    "Plan": ["drawing.plan", "results.throws"],  # of drops; of the picture
    "Rules": ["games.amerigo.rules", "games.rules"],  # of Amerigo; what those of other games are made from
    "Section": ["apparatus.dimensions", "report.page"],  # of a tower that is cut; of a page
    "Table": ["calibration.played", "report.page", "surrogate.table"],  # of played towers; of a page; of chances
    "Tower": ["apparatus.kind", "tower"],  # its shape; what is played with
}

# Compiled from their text, which the build reads: what they import is written whole.
COMPILED = (
    "physics.core",
    "surrogate.kernel",
    "surrogate.generator",
    "calibration.bets",
    "calibration.expected",
    "apparatus.where",
    "tools.portable",
    "compiled.build",
)

# The rooms that tests of a folder look into beside the one of their name. None may be added: names go into a face.
LOOKS_INTO = {
    "": "apparatus calibration drawing games requests service surrogate tools",
    "apparatus": "physics",
    "campaign": "games",
    "clients": "games surrogate",
    "contracts": "apparatus campaign physics",
    "drawing": "apparatus games",
    "games": "requests results service",
    "pages": "calibration games studies surrogate web",
    "physics": "apparatus calibration campaign cli compiled documents studies surrogate tools values web",
    "service": "requests",
    "studies": "campaign games report results tools",
    "support": "apparatus calibration campaign cli games physics surrogate web",
    "surrogate": "clients games physics results studies",
    "vectors": "games surrogate",
}

OURS = {name: imports(path) & SHIPPED.keys() for name, path in SHIPPED.items()}
"""The modules of ours that each module imports."""
SETUP = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]


def short(name: str) -> str:
    return name.removeprefix(f"{PACKAGE}.")


def test_every_room_knows_what_the_table_says_and_that_lies_below_it():
    rooms = [*TOOLS, *KNOWS]
    assert len(set(rooms)) == len(rooms)
    assert {room_of(name) for name in SHIPPED} == set(rooms)
    for room in rooms:
        known = {room_of(other) for name in SHIPPED if room_of(name) == room for other in OURS[name]} - {room}
        below = rooms[: rooms.index(room)]
        assert known <= set(below), f"{room} is below {', '.join(sorted(known - set(below)))}, which it imports"
        if room in KNOWS:
            assert sorted(known - set(TOOLS)) == sorted(KNOWS[room].split()), room


INSIDE = ("tower_sim.cli", "tower_sim.tools", "tower_sim.campaign.store", "tower_sim.apparatus.mesh", "tower_sim.wasm")
"""Rooms that only our own code calls: there a path is a Path."""


def test_every_public_function_that_takes_a_path_takes_text():
    wrong: list[str] = []
    for name, path in SHIPPED.items():
        nodes = [] if name.startswith(INSIDE) else [*ast.walk(tree(path))]
        public = (x for x in nodes if isinstance(x, ast.FunctionDef) and not x.name.startswith("_"))
        for function, argument in ((x, each) for x in public for each in (*x.args.args, *x.args.kwonlyargs)):
            kind = ast.unparse(argument.annotation) if argument.annotation else ""
            wrong += [f"{name}.{function.name}: {argument.arg}"] * (
                bool(re.search(r"\bPath\b", kind)) > ("str" in kind)
            )
    assert wrong == []


def test_the_map_names_every_room():
    rows = re.findall(r"^\| (`.*?) \|", (ROOT / "CONTRIBUTING.md").read_text("utf-8"), re.M)
    named = {word.strip("`").split("/")[0] for row in rows for word in row.split()}
    assert named >= {room for room in (*TOOLS, *KNOWS) if room not in ("", "__main__", "calibration")}


def from_inside(path: Path) -> Iterator[tuple[str, str]]:
    """Yield what a file imports of the inside of a folder, past its face, as (room, name)."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.ImportFrom) and node.module in SHIPPED and node.module not in (PACKAGE, *GAMES):
            is_face = is_package(node.module)
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                is_module = whole in SHIPPED and not is_package(whole) and alias.name not in FACES.get(node.module, ())
                if is_module if is_face else room_of(node.module) != short(node.module):
                    yield room_of(node.module), short(whole)


GAMES = {value.partition(":")[0] for value in OWN["game"].values()}  # a game is known by its module


def is_package(module: str) -> bool:
    return SHIPPED[module].name == "__init__.py"


FACES = {
    name: names(name)
    for name, path in SHIPPED.items()
    if "face(__name__)" in path.read_text("utf-8") and import_module(name)
}
"""What each face names."""


def test_a_folder_imports_other_folders_by_their_faces():
    wrong = {
        f"{short(name)}: {what}"
        for name, path in SHIPPED.items()
        if not short(name).startswith(COMPILED)
        for room, what in from_inside(path)
        if room != room_of(name)
    }
    wrong -= {"cli.towers: apparatus.mesh.importing"}  # reads the files of printers, which no other kind has
    wrong -= {"simulator: physics.core.drop.MOST_OVERLAP"}  # a number that is compiled
    assert wrong == set(), "name it in the folder's __init__, and import it from there"


def test_a_name_of_a_face_is_there():
    wrong = [
        f"{face}.{name}" for face, named in FACES.items() for name in named if not hasattr(import_module(face), name)
    ]
    assert wrong == []


def test_tests_look_inside_the_room_that_they_test():
    found: dict[str, set[str]] = {}
    for path in (each for each in (ROOT / "tests").rglob("*.py") if "toy" not in each.parts):
        folder = path.relative_to(ROOT).parts[1].removesuffix(path.name)
        found.setdefault(folder, set()).update(room for room, _ in from_inside(path) if room != folder)
    assert {folder: " ".join(sorted(rooms)) for folder, rooms in found.items() if rooms} == LOOKS_INTO


def test_no_files_import_each_other_in_a_circle():
    assert {frozenset(map(short, circle)) for circle in circles(OURS)} == set()


def test_a_circle_is_found_whoever_is_looked_at_first():
    pair, triple = frozenset("ab"), frozenset("cde")
    graph = {"a": "b", "b": "ac", "c": "d", "d": "e", "e": "cf", "f": "f"}
    assert circles(graph) == circles(dict(reversed(graph.items()))) == {pair, triple}


def test_an_import_is_read_wherever_it_stands(tmp_path: Path):
    file = tmp_path / "module.py"
    file.write_text(
        "import numpy.typing\nfrom tower_sim.errors import UsageError, fault\n"
        "if TYPE_CHECKING:\n    from tower_sim.values import state\n"
        "def late():\n    from tower_sim.games import game\n    from tower_sim.games.ways import Ways, Option\n"
        "    import tower_sim.values.cubes as cubes, json\n",
        "utf-8",
    )
    ours = {"errors", "values.state", "games.game", "games.ways", "values.cubes"}
    assert imports(file) == {"numpy.typing", "json", *(f"{PACKAGE}.{name}" for name in ours)}


def test_a_value_is_told_from_what_is_said_of_it(tmp_path: Path):
    file = tmp_path / "module.py"
    file.write_text('"""amerigo"""\nA = \'chain\'  # amazonas\n"""wallenstein"""\nplay(\'seafarers\')\n', "utf-8")
    assert values(file) == {"chain", "seafarers"}


def test_who_implements_an_engine_a_kind_or_a_game_is_known_by_the_registry_alone():
    """So is what its package is called: no file else has that name as a value."""
    named = {value.partition(":")[0] for group in ("apparatus", "engine", "game") for value in OWN[group].values()}
    insiders = {
        name: other
        for name in SHIPPED
        for other in OURS[name]
        for home in named
        if f"{other}.".startswith(f"{home}.") and not f"{name}.".startswith(f"{home}.")
    }
    assert {short(name): ".".join(short(other).split(".")[:2]) for name, other in insiders.items()} == OF_ONE
    assert [short(name) for name, path in SHIPPED.items() if "pybullet" in values(path)] == ["physics.bullet.engine"]


def test_a_game_and_a_kind_are_named_in_their_own_folders_and_by_the_registry_alone():
    homes = {name: value.partition(":")[0] for group in ("apparatus", "game") for name, value in OWN[group].items()}
    named = {
        short(module): name
        for module, path in SHIPPED.items()
        for name in homes.keys() & values(path)
        if module != f"{PACKAGE}.tools.registry" and not module.startswith(homes[name])
        if module not in homes.values()  # a game names the profile that it is played with
    }
    assert named == STILL_NAMED


def test_games_draw_no_random_numbers_of_their_own():
    for name, path in SHIPPED.items():
        if not name.startswith(f"{PACKAGE}.games.") or name.split(".")[2] in ("chain", "tower"):
            continue  # of no game: which cubes it throws is itself drawn; the tower draws for all games
        assert "random" not in imports(path), name
        assert "default_rng" not in {node.attr for node in ast.walk(tree(path)) if isinstance(node, ast.Attribute)}, (
            name
        )


def test_nothing_that_ships_imports_the_tests_and_no_test_imports_another():
    """What tests share is in tests/support. What ships is not called `calibration`, but `tower_sim.calibration`."""
    tests = {"tests", "support", CALIBRATION, *(file.stem for file in (ROOT / "tests").rglob("test_*.py"))}
    assert [
        name for name, path in SHIPPED.items() if {other.partition(".")[0] for other in imports(path)} & tests
    ] == []
    another = re.compile(r"^\s*(?:from|import) test_", re.MULTILINE)
    assert [path.name for path in (ROOT / "tests").rglob("*.py") if another.search(path.read_text("utf-8"))] == []


def test_no_class_has_the_name_of_another():
    classes: dict[str, list[str]] = {}
    for name, path in SHIPPED.items():
        if path.match("apparatus/*/*.py") or name == f"{PACKAGE}.apparatus.tower_parts":
            continue  # the parts of any tower have the same names, as in its profile
        for node in tree(path).body:
            if isinstance(node, ast.ClassDef):
                classes.setdefault(node.name, []).append(short(name))
    assert {name: sorted(modules) for name, modules in classes.items() if len(modules) > 1} == NAMED_ALIKE


@pytest.mark.parametrize("has_link", [pytest.param(True, marks=pytest.mark.posix), False])
def test_tower_sim_alone_is_installed_and_calibration_in_it(
    has_link: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Also from a checkout without links, where no folder tower_sim/calibration is found."""
    setuptools = pytest.importorskip("setuptools")
    folders = {path.parent.relative_to(ROOT) for path in SHIPPED.values() if path.name == "__init__.py"}
    for folder in (*folders, Path("tests"), Path(CALIBRATION) / "validation"):
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        (tmp_path / folder / "__init__.py").touch()
    if has_link:
        (tmp_path / PACKAGE / CALIBRATION).symlink_to((ROOT / PACKAGE / CALIBRATION).readlink())
    arguments: dict[str, list[str]] = {}
    monkeypatch.setattr(setuptools, "setup", arguments.update)
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(ROOT / "setup.py"))
    assert arguments == {"packages": sorted(name for name, path in SHIPPED.items() if path.name == "__init__.py")}
    assert SETUP["package-dir"] == {f"{PACKAGE}.{CALIBRATION}": CALIBRATION}


def test_all_data_that_calibration_reads_is_installed():
    folder = ROOT / CALIBRATION
    taken = {path for pattern in SETUP["package-data"][f"{PACKAGE}.{CALIBRATION}"] for path in folder.glob(pattern)}
    data = {path for path in folder.rglob("*") if path.is_file() and path.suffix not in (".py", ".pyc", ".md")}
    data = {path for path in data if path.relative_to(folder).parts[0] != "validation"}  # which is not installed
    assert taken == data

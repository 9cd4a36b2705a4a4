"""Who imports whom among the files that ship: the one reader behind every rule of structure."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from functools import cache
from itertools import count
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = "tower_sim"
CALIBRATION = "calibration"  # beside the package; imported as a part of it


def name_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    parts = (PACKAGE, *parts) if parts[0] == CALIBRATION else parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = [path for folder in (PACKAGE, CALIBRATION) for path in sorted((ROOT / folder).rglob("*.py"))]
_ELSEWHERE = (CALIBRATION, "validation")  # the link tower_sim/calibration, and scripts that are not installed
SHIPPED = {name_of(path): path for path in FILES if path.relative_to(ROOT).parts[1] not in _ELSEWHERE}
"""Every module that ships, by name."""


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


@cache
def imports(path: Path) -> frozenset[str]:
    """Return the modules that a file names in an import, wherever in it, those for its types alone too."""
    found: set[str] = set()
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.module, f"{path} imports from {'.' * node.level}; a name is written whole"
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= (names & SHIPPED.keys()) | ({node.module} if names - SHIPPED.keys() else set[str]())
    return frozenset(found)


@cache
def values(path: Path) -> frozenset[str]:
    """Return the texts in a file's code; docstrings and remarks are none."""
    spoken = {id(node.value) for node in ast.walk(tree(path)) if isinstance(node, ast.Expr)}
    constants = (node for node in ast.walk(tree(path)) if isinstance(node, ast.Constant) and id(node) not in spoken)
    return frozenset(node.value for node in constants if isinstance(node.value, str))


def room_of(name: str) -> str:
    """Return the room of a module: its folder in the package, or the module itself; that of the package is empty."""
    return name.split(".")[1] if "." in name else ""


def circles(graph: Mapping[str, Iterable[str]]) -> set[frozenset[str]]:
    """Return the sets of nodes that lead to each other (Tarjan 1972); a node that leads nowhere else is in none."""
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    path: list[str] = []
    found: set[frozenset[str]] = set()
    numbers = count()

    def visit(node: str) -> None:
        number[node] = lowest[node] = next(numbers)
        path.append(node)
        for other in graph.get(node, ()):
            if other not in number:
                visit(other)
            if other in path:
                lowest[node] = min(lowest[node], lowest[other])
        if lowest[node] == number[node]:
            circle = path[path.index(node) :]
            del path[path.index(node) :]
            if len(circle) > 1:
                found.add(frozenset(circle))

    for node in graph:
        if node not in number:
            visit(node)
    return found

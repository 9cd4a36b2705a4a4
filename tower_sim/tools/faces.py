"""The face of a folder: what its `__init__` names for others, and where it is imported from at first use."""

import ast
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any


@cache
def names(package: str) -> dict[str, str]:
    """Return the module of each name that the `if TYPE_CHECKING` block of a package imports."""
    source = Path(str(sys.modules[package].__file__)).read_text("utf-8")
    blocks = (node for node in ast.parse(source).body if isinstance(node, ast.If))
    imports = (node for block in blocks for node in block.body if isinstance(node, ast.ImportFrom))
    return {alias.asname or alias.name: str(node.module) for node in imports for alias in node.names}


def face(package: str) -> Callable[[str], Any]:
    """Return a package's `__getattr__`, which imports a name of its face when it is first asked for."""

    def get(name: str) -> Any:
        home = names(package).get(name)
        if home is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return import_module(f"{package}.{name}") if home == package else getattr(import_module(home), name)

    return get

"""Import the packages of extras when they are needed, and say how to install a missing package."""

from __future__ import annotations

import importlib
import re
import shlex
import shutil
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

from tower_sim.errors import UsageError

_NAME = re.compile(r"([A-Za-z0-9_.-]+)(?:\[([\w,-]+)\])?")


def extra(module: str, name: str) -> Any:
    """Import and return `module`; if it is missing, the error says how to install the extra `name`."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise UsageError(
            f"{module} is not installed ({error}); allowed is a Python that has what the extra {name!r} needs; "
            f"try: {pip_install(*packages(name))}"
        ) from None


def need(name: str, *modules: str) -> list[Any]:
    """Import and return `modules` of the extra `name`, before any work is done that needs them."""
    return [extra(module, name) for module in modules]


def pip_install(*names: str) -> str:
    """Return the shell command that installs packages into the running Python."""
    python = shutil.which("python")
    is_this = python is not None and Path(python).parent == Path(sys.executable).parent
    return f"{'python' if is_this else shlex.quote(sys.executable)} -m pip install {' '.join(names)}"


def packages(name: str) -> tuple[str, ...]:
    """Return the packages of the extra `name` and of extras within it, in order."""
    names: list[str] = []
    for line in metadata.requires("tower_sim") or []:
        marker, match = re.search(r"extra == ['\"](.+?)['\"]", line), _NAME.match(line)
        if marker and marker[1] == name and match:
            package, inner = match[1], filter(None, (match[2] or "").split(","))
            is_own = package.replace("-", "_").lower() == "tower_sim"
            names += [each for part in inner for each in packages(part)] if is_own else [package]
    return tuple(dict.fromkeys(names))

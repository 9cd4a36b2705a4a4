"""ES modules of ours as one script without imports: each in a function of its own, those it asks before it."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import resources
from importlib.resources.abc import Traversable
from posixpath import dirname, join, normpath

from tower_sim.pages.html import lean

_IMPORT = re.compile(r'^import \{([^}]*)\} from "([^"]+)";\n', re.M)
_REEXPORT = re.compile(r'^export \{([^}]*)\} from "([^"]+)";\n', re.M)
_DECLARED = re.compile(r"^export (?:async )?(?:function\*?|const|class) (\w+)", re.M)
_LISTED = re.compile(r"^export \{([^}]*)\};\n", re.M)
_LEFT = re.compile(r"^(?:import|export)\b.*", re.M)


def bundled(name: str, root: Traversable | dict[str, str], entry: str) -> str:
    """Return a script in which the constant `name` has what a module exports.

    `entry` is its path from the folder `root`, or the name of one of the texts `root`.

    Raises ValueError for a module that imports or exports otherwise than by name, and for a circle of imports.
    """
    modules: dict[str, str] = {}

    def read(path: str) -> str:
        return root[path] if isinstance(root, dict) else root.joinpath(*path.split("/")).read_text("utf-8")

    _add(read, normpath(entry), modules, ())
    texts = [f"modules[{path!r}] = (() => {{\n{text}}})();\n" for path, text in modules.items()]
    inside = f"const modules = {{}};\n{''.join(texts)}return modules[{normpath(entry)!r}];\n"
    return f"const {name} = (() => {{\n{inside}}})();\n"


def physics_script(view: str) -> str:
    """Return the script of the constant `physics`: what page/physics.js of a view, `live` or `replay`, asks for."""
    return lean(bundled("physics", resources.files("tower_sim"), f"{view}/page/physics.js"))


def _add(read: Callable[[str], str], path: str, modules: dict[str, str], above: tuple[str, ...]) -> None:
    """Add a module's text as the body of a function, after those it asks."""
    if path in modules:
        return
    if path in above:
        raise ValueError(f"modules import each other: {', '.join((*above, path))}")
    text = read(path)
    asked = {
        each[1]: normpath(join(dirname(path), each[1])) for each in (*_IMPORT.findall(text), *_REEXPORT.findall(text))
    }
    for other in asked.values():
        _add(read, other, modules, (*above, path))
    exported = [(one, one) for one in _DECLARED.findall(text)]
    for listed in _LISTED.findall(text):
        exported += _pairs(listed)
    for listed, source in _REEXPORT.findall(text):
        exported += [(f"modules[{asked[source]!r}].{inner}", outer) for inner, outer in _pairs(listed)]
    text = _IMPORT.sub(
        lambda found: f"const {{{found[1].replace(' as ', ': ')}}} = modules[{asked[found[2]]!r}];\n", text
    )
    text = _LISTED.sub("", _REEXPORT.sub("", text))
    text = re.sub(r"^export (?=async |function|const|class)", "", text, flags=re.M)
    if left := _LEFT.search(text):
        raise ValueError(f"{path} has {left[0]!r}; allowed are names in braces and declarations")
    modules[path] = f"{text}\nreturn {{ {', '.join(f'{outer}: {inner}' for inner, outer in exported)} }};\n"


def _pairs(listed: str) -> list[tuple[str, str]]:
    """Return (name inside, name outside) of names in braces."""
    parts = [part.split() for part in listed.split(",") if part.strip()]
    return [(part[0], part[-1]) for part in parts]

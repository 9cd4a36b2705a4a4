"""JavaScript modules from our sources, as ES modules and as CommonJS."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping
from typing import Any

from tower_sim.apparatus import load, names
from tower_sim.games import Game
from tower_sim.physics import core_wasm, document, text
from tower_sim.requests import DEFAULT
from tower_sim.surrogate import games_text
from tower_sim.tools import registry
from tower_sim.web import read_built, source

_IMPORT = re.compile(r'^import \{([^}]*)\} from "([^"]+)";\n', re.M)
_REEXPORT = re.compile(r'^export \{([^}]*)\} from "([^"]+)";\n', re.M)
_EXPORTED = re.compile(r"^export (?:async function|function|const) (\w+)", re.M)
_BUILT = re.compile(r"export ?\{([^{}]*)\};\n\Z")  # by esbuild
_MARK = "  /* SAMPLER */\n"


def words_module() -> str:
    """Return the module of surrogate/words.js."""
    return _export_all(_raise_range_errors(source("tower_sim.surrogate", "words.js")))


def tower_module() -> str:
    """Return the module that makes towers: a part of surrogate/sampler.js."""
    sampler = between(
        source("tower_sim.surrogate", "sampler.js"), "/** Do what `drop` does", "/**\n * Play the tower's part"
    )
    return _insert(own_text("tower.js"), _raise_range_errors(sampler))


def ship_module() -> str:
    """Return the module that makes ships: parts of surrogate/ship.js and of the game's battle.js."""
    law = between(source("tower_sim.surrogate", "ship.js"), "/** Do what `drop` does", "/** What was fitted")
    battle = source("tower_sim.games.dead_reckoning", "battle.js")
    return _insert(
        own_text("ship.js"), law.replace("\nexport function", "\nfunction"), battle[battle.index("const battle") :]
    )


def own_modules() -> dict[str, str]:
    """Return by name the modules that are whole files."""
    shared = {name: source("tower_sim.surrogate", f"{name}.js") for name in ("covered", "seeds")}
    names = ("chances", "check", "counts", "generator", "numpy", "rules")
    return shared | {name: own_text(f"{name}.js") for name in names}


def games_module() -> str:
    """Return the module of surrogate/games.js, with the compiled functions."""
    return _export_all(f"{source('tower_sim.surrogate', 'games.js')}\n{games_text()}")


def _export_all(text: str) -> str:
    return re.sub(r"^(?=function |const )", "export ", text, flags=re.M)


def physics_modules() -> dict[str, str]:
    """Return the files of the physics by name, with core.wasm as text and all profiles."""
    lib = {name: read_built(f"physics-{name}") for name in ("index.js", "pcg64.js")}
    lib["wasm.js"] = (
        f'// The compiled core, tower_sim/physics/core/core.wasm.\n\nexport const CORE = "{_text(core_wasm())}";\n'
    )
    loaders = [
        f'  "{name}": () => import("../../physics/{module_name(name)}.js").then((found) => found.profile),'
        for name in names()
    ]
    head = "// The profiles that ship, each loaded when it is asked for.\n"
    lib["profiles.js"] = "\n".join([head, "export const PROFILES = {", *loaders, "};", ""])
    files = {f"lib/physics/{name}": module for name, module in lib.items()}
    for name in names():
        head = f"/** The profile {name} as the physics has it. */\n"
        files[f"physics/{module_name(name)}.js"] = f"{head}export const profile = {text(document(load(name)))};\n"
    return files | {"physics.js": own_text("physics.js")}


def _text(wasm: bytes) -> str:
    return base64.b64encode(wasm).decode("ascii")


def rules_modules() -> dict[str, str]:
    """Return by name the modules from which the web app builds `lib/rules.js`."""
    lib = {"words": words_module(), "published": published_module(), **own_modules()}
    lib["physics/pcg64"] = 'export { pcg64 } from "physics/pcg64";\n'
    return {f"lib/{name}.js": module for name, module in lib.items()}


def published_module() -> str:
    """Return the module of the published rules; cubes are an object by colour."""
    game: Game = registry.get("game", DEFAULT)
    plain: dict[str, Any] = game.plain(game.read({}))[game.tables[0]]
    if not isinstance(plain["cubes"], Mapping):
        plain = {**plain, "cubes": dict.fromkeys(plain["colours"], plain["cubes"])}
    frozen = ", ".join(f"{key}: {_freeze(value)}" for key, value in plain.items())
    head = f"// The published rules of {game.title}.\n\n"
    return f"{head}export const PUBLISHED = /* @__PURE__ */ Object.freeze({{ {frozen} }});\n"


def _freeze(value: object) -> str:
    return compact(value) if isinstance(value, (int, str)) else f"Object.freeze({compact(value)})"


def compact(value: object) -> str:
    """Return JSON without spaces."""
    return json.dumps(value, separators=(",", ":"))


def module_name(name: str) -> str:
    """Return the name of an apparatus's module: dead_reckoning is dead-reckoning."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def between(text: str, start: str, end: str) -> str:
    """Return the text from `start` to before `end`. Raises ValueError."""
    first = text.index(start)
    return text[first : text.index(end, first)]


def common_js(module: str) -> str:
    """Return an ES module of ours as CommonJS."""
    names = _EXPORTED.findall(module)
    for match in _REEXPORT.findall(module):
        names += _names(match[0])
    text = _REEXPORT.sub(_require, _IMPORT.sub(_require, module))
    text = re.sub(r"^export (?=async function|function|const)", "", text, flags=re.M)
    if exports := _BUILT.search(text):
        names += [": ".join(reversed(name.split(" as "))) for name in _names(exports[1])]
        text = _BUILT.sub("\n", text)
    return f'"use strict";\n{text}\nmodule.exports = {{ {", ".join(names)} }};\n'


def common_types(types: str) -> str:
    """Return the types of an ES module for its CommonJS twin."""
    return re.sub(r'((?:from |import\()"\.[^"]*)\.js"', r'\1.cjs"', types)


def _raise_range_errors(text: str) -> str:
    text = text.replace(
        "a TypeError for a thing of the wrong kind, a RangeError for a value that is not allowed", "a RangeError"
    )
    return text.replace("TypeError", "RangeError")


def own_text(name: str) -> str:
    """Return a file of the package as it stands here."""
    return source("tower_sim.clients", f"npm/{name}")


def _insert(shell: str, *inside: str) -> str:
    head, tail = shell.split(_MARK)
    return head + "".join(f"{each.rstrip()}\n\n" for each in inside).rstrip("\n") + "\n" + tail


def _names(text: str) -> list[str]:
    return [name for each in text.split(",") if (name := each.strip())]


def _require(match: re.Match[str]) -> str:
    path = match[2].removesuffix(".js") + ".cjs"
    return f'const {{ {", ".join(_names(match[1])).replace(" as ", ": ")} }} = require("{path}");\n'

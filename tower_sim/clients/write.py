"""A surrogate for other programs: one file in a language, or the npm package of several.

document of surrogate/export.py --js_text, json_text, lua_file.text--> FILE.mjs, .json, .lua
documents + modules of javascript.py + npm/types, README, LICENSE -> files by name -> a folder

The package has every tower and ship as a module of its own, without dependencies.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from tower_sim.apparatus import load, with_board
from tower_sim.clients import javascript as modules
from tower_sim.clients import lua_file
from tower_sim.errors import UsageError, fault, quote
from tower_sim.surrogate import TOWER, Fitted, document, fitted_or_shipped, js_text, json_text, shipped_names
from tower_sim.tools import TOWER_SIM, warn, write, write_all
from tower_sim.web import element_module, element_types, source

NAME = "tower-sim"
FORMATS = {"js": js_text, "json": json_text, "lua": lua_file.text}
_THRESHOLDS = "// The chance of log-odds in units of 1/512, times 2^32.\n\n"
_PROFILE = (
    'import type { Profile } from "../lib/types.js";\n\n'
    "/** A profile as the physics has it. */\nexport declare const profile: Profile;\n"
)


def export_command(model: str, to: str, output: str | Path) -> None:
    """Write a surrogate, a file or a shipped name, in the form `to`, a key of FORMATS. Raises WritingFailed."""
    if to not in FORMATS:
        raise fault("format", to, "js, json or lua")
    write(output, FORMATS[to](document(_load(model))), "output")


def _load(model: str) -> Fitted:
    fitted = fitted_or_shipped(model)
    if fitted.failed:
        warn(f"{fitted.name}: {fitted.failed}")
    return fitted


def write_package(models: Sequence[str], folder: str | Path) -> None:
    """Write the npm package of `models` (none: all that ship) into a folder that is new, empty or holds this package.

    Raises WritingFailed.
    """
    folder, files = Path(folder), package_files(models)
    there = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    if others := sorted(there - files.keys()):
        raise UsageError(
            f"output {quote(str(folder))} is a folder with other things in it, such as {quote(others[0])}; allowed is "
            "a new or empty one, or one with this package of the same models; try another name"
        )
    write_all({folder / name: text for name, text in files.items()}, "output")


def package_files(models: Sequence[str] = ()) -> dict[str, str]:
    """Return the package's files by name, `package.json` last."""
    towers, ships = _load_all(models or shipped_names())
    tables = [plain["table"] for plain in towers.values()]
    thresholds: list[int] = tables[0]["thresholds"] if tables else []
    lib = {
        "words": modules.words_module(),
        "tower": modules.tower_module(),
        "ship": modules.ship_module(),
        "published": modules.published_module(),
        "games": modules.games_module(),
        "thresholds": f"{_THRESHOLDS}export const THRESHOLDS = {modules.compact(thresholds)};\n",
        **modules.own_modules(),
    }
    files: dict[str, str] = {f"lib/{name}.js": text for name, text in lib.items()}
    files |= {f"towers/{name}.js": _tower(name, plain, thresholds) for name, plain in towers.items()}
    files |= {f"ships/{name}.js": _ship(name, *plain) for name, plain in ships.items()}
    files["index.js"] = modules.own_text("index.js")
    files |= modules.physics_modules()
    files |= {f"plugins/{name}.js": modules.own_text(f"plugins/{name}.js") for name in _plugins()}
    types = _types()
    types |= {name.replace(".js", ".d.ts"): _PROFILE for name in files if name.startswith("physics/")}
    types |= {f"towers/{name}.d.ts": _declare("Tower", name) for name in towers}
    types |= {f"ships/{name}.d.ts": _declare("Ship", name) for name in ships}
    files |= {re.sub(r"\.js$", ".cjs", name): modules.common_js(text) for name, text in files.items()}
    files |= types | {name.replace(".d.ts", ".d.cts"): modules.common_types(text) for name, text in types.items()}
    files["element.js"], files["element.d.ts"] = element_module(), element_types()
    files["README.md"] = modules.own_text("README.md")
    files["LICENSE"] = modules.own_text("LICENSE")
    files["package.json"] = _package_json()
    return files


def _load_all(models: Sequence[str]) -> tuple[dict[str, dict[str, Any]], dict[str, tuple[dict[str, Any], Any]]]:
    towers: dict[str, dict[str, Any]] = {}
    ships: dict[str, tuple[dict[str, Any], Any]] = {}
    for model in dict.fromkeys(models):
        fitted = _load(model)
        name = modules.module_name(fitted.apparatus)
        if not name or name in towers or name in ships:
            raise UsageError(
                f"model {quote(model)} is of apparatus {quote(fitted.apparatus)}, which would be the module "
                f"{quote(name)}; allowed is one with letters or digits that no other has; rename the apparatus"
            )
        if fitted.kind == TOWER:
            towers[name] = document(fitted)
        else:
            shape = with_board(load(model if Path(model).suffix == ".toml" else fitted.apparatus))
            printed = {f"zone:{zone.name}": dict(zone.printed) for zone in shape.board.zones}
            ships[name] = document(fitted), printed
    return towers, ships


def _tower(name: str, plain: Mapping[str, Any], thresholds: Sequence[int]) -> str:
    table = plain["table"]
    has_own = table["thresholds"] != thresholds
    text = modules.compact(
        {**plain, "table": {**table, "thresholds": table["thresholds"] if has_own else "THRESHOLDS"}}
    )
    text = text.replace('"THRESHOLDS"', "THRESHOLDS")
    first = "" if has_own else 'import { THRESHOLDS } from "../lib/thresholds.js";\n'
    return (
        f'{first}import {{ towerOf }} from "../lib/tower.js";\n\n'
        f"/** The tower {plain['apparatus']}. */\n"
        f"export const {_word(name)} = /* @__PURE__ */ towerOf({text});\n"
    )


def _ship(name: str, plain: Mapping[str, Any], printed: Mapping[str, Any]) -> str:
    return (
        'import { shipOf } from "../lib/ship.js";\n\n'
        f"/** The ship {plain['apparatus']} and its board. */\n"
        f"export const {_word(name)} = /* @__PURE__ */ shipOf({modules.compact(plain)}, {modules.compact(printed)});\n"
    )


def _declare(kind: str, name: str) -> str:
    return (
        f'import type {{ {kind} }} from "../lib/types.js";\n\n'
        f"/** A {kind.lower()} fitted to simulated games: see README.md. */\n"
        f"export declare const {_word(name)}: {kind};\n"
    )


def _plugins() -> list[str]:
    folder = resources.files("tower_sim.clients") / "npm/plugins"
    return sorted(path.name.removesuffix(".js") for path in folder.iterdir() if path.name.endswith(".js"))


def _package_json() -> str:
    twins = {
        "import": {"types": "./*.d.ts", "default": "./*.js"},
        "require": {"types": "./*.d.cts", "default": "./*.cjs"},
    }

    def entry(place: str) -> dict[str, Any]:
        return {way: {key: path.replace("*", place) for key, path in twin.items()} for way, twin in twins.items()}

    plain = {
        "name": NAME,
        "version": TOWER_SIM,
        "description": "Board-game cube towers, fitted or real physics; Amerigo's rules, Dead Reckoning's battles",
        "keywords": ["board game", "cube tower", "dice tower", "random"],
        "license": "MIT",
        "type": "module",
        "sideEffects": ["./element.js"],
        "main": "./index.cjs",
        "module": "./index.js",
        "types": "./index.d.ts",
        "exports": {
            ".": entry("index"),
            "./towers/*": entry("towers/*"),
            "./ships/*": entry("ships/*"),
            "./element": {"types": "./element.d.ts", "default": "./element.js"},
            "./physics": entry("physics"),
            "./physics/*": entry("physics/*"),
            **{f"./{name}": entry(f"plugins/{name}") for name in _plugins()},
            "./package.json": "./package.json",
        },
        "files": ["element.*", "index.*", "physics.*", "lib", "physics", "plugins", "towers", "ships"],
        "engines": {"node": ">=20"},
    }
    return json.dumps(plain, indent=2) + "\n"


def _word(name: str) -> str:
    first, *more = name.split("-")
    word = first + "".join(each.capitalize() for each in more)
    return f"tower{word}" if word[0].isdigit() else word


def _types() -> dict[str, str]:
    folder = Path(str(resources.files("tower_sim.clients"))) / "types"
    types = {path.relative_to(folder).as_posix(): path.read_text("utf-8") for path in sorted(folder.rglob("*.d.ts"))}
    physics = source("tower_sim.web", "src/physics/types.ts").replace("../../../clients/types/lib/", "../")
    return types | {"lib/types.d.ts": modules.own_text("types.d.ts"), "lib/physics/types.d.ts": physics}

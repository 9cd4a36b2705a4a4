"""The types of the npm package, made of its code by tsc and of the models by json-schema-to-typescript.

    TOWER_SIM_NODE_MODULES=.../node_modules python -m calibration.validation.types

It needs node, and in that folder typescript, json-schema-to-typescript and boardgame.io.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any, cast

from pydantic import TypeAdapter

from calibration.validation.script import ROOT, script
from tower_sim.clients.write import package_files
from tower_sim.documents import ThrowAnswer
from tower_sim.games.amerigo import Rules
from tower_sim.web.page import FOLDER as WEB

FOLDER = ROOT / "tower_sim/clients/types"
NEEDED = ("typescript", "json-schema-to-typescript", "boardgame.io")
_ENTRIES = ("index", "physics", "plugins/boardgame")
_ALL = '\nexport type * from "./lib/types.js";\n'
_OPTIONS = ("--allowJs", "--declaration", "--emitDeclarationOnly", "--skipLibCheck", "--strict", "--module", "nodenext")
_LIBRARIES = ("--target", "es2022", "--lib", "es2022,dom", "--typeRoots", "none")
_JSON = """
import { compile } from "json-schema-to-typescript";
const given = JSON.parse(process.argv[2]);
const of = { bannerComment: "", additionalProperties: false, format: false };
for (const [name, schema] of Object.entries(given)) process.stdout.write(await compile(schema, name, of));
"""


def build(modules: Path) -> dict[str, str]:
    """Return the types by file: those of the package's entries, and of all that these name."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "node_modules").symlink_to(modules.resolve())
        package = {path: text for path, text in package_files().items() if not path.endswith((".cjs", ".cts"))}
        for path, text in package.items():
            if path.endswith(".js") or path in ("lib/types.d.ts", "package.json"):
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                (folder / path).write_text(text, "utf-8")
        source = WEB / "src"  # tsc takes what follows instead of what is built of it
        for path in (
            *(source / "physics").iterdir(),
            *(source / "common" / f"{name}.ts" for name in ("bytes", "compiled")),
        ):
            text = re.sub(r'"(\.\./)+(surrogate|clients/types/lib)/', '"../', path.read_text("utf-8"))
            (folder / "lib" / path.relative_to(source)).parent.mkdir(exist_ok=True)
            (folder / "lib" / path.relative_to(source)).write_text(text, "utf-8")
        (folder / "lib/documents.d.ts").write_text(_documents(folder), "utf-8")
        sources = [f"{entry}.js" for entry in _ENTRIES]
        tsc = modules / "typescript/bin/tsc"
        _run(folder, "node", str(tsc), *_OPTIONS, *_LIBRARIES, "--outDir", "out", *sources)
        found: dict[str, str] = {}
        waiting = [f"{entry}.d.ts" for entry in _ENTRIES]
        for path in waiting:
            if path in ("lib/types.d.ts", "lib/physics/types.d.ts"):
                text = package[path]
            else:
                place = folder if path == "lib/documents.d.ts" else folder / "out"
                text = found[path] = (place / path).read_text("utf-8")
                if path in ("index.d.ts", "physics.d.ts"):
                    found[path] += _ALL
            for other in re.findall(r'(?:from |import\()"(\.[^"]+)\.js"', text + _ALL * (path == "index.d.ts")):
                named = os.path.normpath(f"{Path(path).parent}/{other}.d.ts")
                if named not in waiting:
                    waiting.append(named)
        return found


def _documents(folder: Path) -> str:
    answer, rules = TypeAdapter(ThrowAnswer).json_schema(), Rules.model_json_schema()
    del rules["properties"]["knocks"]  # the package's games have none
    (folder / "documents.mjs").write_text(_JSON, "utf-8")
    titled = {"DropDocument": answer, "Rules": rules}.items()
    schemas = {name: _drop_titles(schema) | {"title": name} for name, schema in titled}
    text = _run(folder, "node", "documents.mjs", json.dumps(schemas))
    text = re.sub(r"/\*\*\n \* (.*)\n \*/", r"/** \1 */", text)
    return re.sub(r"^(?=\w+\??: |\[k: )", "  readonly ", text, flags=re.M).replace("string[]", "readonly string[]")


def _drop_titles(schema: Any) -> Any:
    """Return a schema without the titles of its fields, each of which would be a type of its own."""
    if isinstance(schema, list):
        return [_drop_titles(each) for each in cast("list[Any]", schema)]
    if not isinstance(schema, dict):
        return schema
    plain = cast("dict[str, Any]", schema)
    return {key: _drop_titles(each) for key, each in plain.items() if not (key == "title" and isinstance(each, str))}


def _run(folder: Path, *words: str) -> str:
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stdout + done.stderr)
    return done.stdout


def renew() -> None:
    files = build(Path(os.environ["TOWER_SIM_NODE_MODULES"]))
    shutil.rmtree(FOLDER, ignore_errors=True)
    for path, text in files.items():
        (FOLDER / path).parent.mkdir(parents=True, exist_ok=True)
        (FOLDER / path).write_text(text, "utf-8")
    print(FOLDER)


main = script(__doc__, renew)

if __name__ == "__main__":
    raise SystemExit(main())

"""How large the npm package's parts and the pages are: docs/sizes.csv, from which docs and the package's README quote.

python -m calibration.validation.sizes

Bundles are made by esbuild, from the folder `node_modules` in TOWER_SIM_NODE_MODULES. Sizes are in kB (1000 bytes), as
files and with gzip. The script `figures` then writes them into the pages.
"""

from __future__ import annotations

import gzip
import os
import subprocess
import tempfile
from pathlib import Path

from calibration.validation.script import ROOT, script
from tower_sim.clients.write import package_files
from tower_sim.tools import write
from tower_sim.web import lab_page

TABLE = ROOT / "docs/sizes.csv"
BUNDLES = {
    "one tower": 'export { amerigo } from "PACKAGE/towers/amerigo.js";\n',
    "physics": 'export * from "PACKAGE/physics.js";\n',
}


def parts() -> dict[str, str]:
    """Return by name what has a size without a bundler."""
    files = package_files()
    profiles = sorted(
        (len(text), text) for name, text in files.items() if name.startswith("physics/") and ".js" in name
    )
    return {
        "core": files["lib/physics/wasm.js"],
        "tower": files["towers/amerigo.js"],
        "thresholds": files["lib/thresholds.js"],
        "smallest profile": profiles[0][1],
        "largest profile": profiles[-1][1],
        "element": files["element.js"],
        "live page": (ROOT / "docs/live.html").read_text("utf-8"),
        "lab page": lab_page(),
    }


def bundles(modules: Path) -> dict[str, str]:
    """Return by name what esbuild makes of a program that imports so much, minified."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for path, text in package_files().items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, "utf-8")
        options = ["--bundle", "--minify", "--format=esm", "--log-level=error"]
        made: dict[str, str] = {}
        for bundle, text in BUNDLES.items():
            (folder / "entry.js").write_text(text.replace("PACKAGE", "."), "utf-8")
            command = [str(modules / "esbuild/bin/esbuild"), "entry.js", *options]
            made[bundle] = subprocess.run(command, cwd=folder, capture_output=True, check=True, text=True).stdout
        return made


def row(name: str, text: str) -> str:
    data = text.encode()
    return f"{name},{len(data) / 1000:.0f},{len(gzip.compress(data, mtime=0)) / 1000:.0f},{len(data) / 1e6:.1f}\n"


def found() -> dict[str, str]:
    modules = Path(os.environ.get("TOWER_SIM_NODE_MODULES", "node_modules")).resolve()
    return parts() | bundles(modules)


def renew() -> None:
    rows = "".join(row(name, text) for name, text in found().items())
    write(TABLE, f"part,kB,kB with gzip,MB\n{rows}", "table")
    print(TABLE.read_text("utf-8"), end="")


main = script(__doc__, renew)

if __name__ == "__main__":
    raise SystemExit(main())

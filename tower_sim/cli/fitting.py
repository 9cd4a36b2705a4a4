"""Run `tower-sim tower fit` and `tower-sim model export`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from tower_sim.cli.common import read_seed
from tower_sim.errors import UsageError, check_one, fault

_FORMS = {
    "js": "a JavaScript module",
    "json": "its table as JSON",
    "npm": "a package for npm",
    "lua": "a file of Lua",
}


def fit(observations: Sequence[str], wish: Sequence[str], output: Path, seed: str | None, force: bool) -> int:
    """Fit a tower to observations and wishes, write its profile, and return the exit status."""
    from tower_sim.calibration.command import calibrate_command
    from tower_sim.compare.wish import read_wishes

    if not observations and not wish:
        raise fault("observations", "none", "a file, a name that ships, or a --wish", "name one, such as my_tower")
    number, wishes = read_seed(seed), read_wishes(wish) if wish else ()
    status = calibrate_command(list(observations), output, number, wishes, force)
    if status == 0:
        print(f"tower fit: done by the seed {number}", file=sys.stderr)
    return status


def export(models: Sequence[str], form: str, output: Path) -> None:
    """Write surrogates in the form `form`, a key of _FORMS."""
    from tower_sim.clients.write import export_command, write_package

    check_one("--to", form, _FORMS)
    if form == "npm":
        write_package(list(models), output)
    elif len(models) != 1:
        count = "none is given" if not models else f"{len(models)} are given"
        raise UsageError(f"model: {count}; allowed with --to {form} is one; name a shipped one or a file")
    else:
        export_command(models[0], form, output)
    print(f"{', '.join(models) or 'all surrogates that ship'}, {_FORMS[form]}: {output}")

"""`tower-sim model check`: compare a surrogate with games or battles that it was not fitted to."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tower_sim.campaign.reader import load_whole
from tower_sim.fitting.kinds import KINDS
from tower_sim.report.page import open_folder
from tower_sim.surrogate.store import fitted_or_shipped
from tower_sim.tools.progress import telling


def check_command(model: str, directories: Sequence[Path], out: Path | None, seed: int) -> None:
    """Check a surrogate, print the result, and write the report to `out` unless it is None."""
    fitted = fitted_or_shipped(model)
    kind = KINDS[fitted.kind]
    campaigns = [load_whole(directory) for directory in directories]
    if out is not None:
        open_folder(out)  # refuses before the work a folder that cannot be written
    with telling("steps of the check") as tell:
        checked = kind.check(fitted, campaigns, seed, tell)
    print(kind.text(checked))
    if out is not None:
        kind.report(checked).write(out)
        print(out / "report.md")

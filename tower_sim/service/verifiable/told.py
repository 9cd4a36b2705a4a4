"""What `tower-sim verify` says: two sentences that a player understands, then what is wrong, then the figures."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from tower_sim.reading import read_bytes
from tower_sim.service.opened import Opened
from tower_sim.service.verifiable.check import LogReport, check
from tower_sim.service.verifiable.keys import check_key
from tower_sim.service.verifiable.redraw import redrawn

SCHEMA = "tower-sim/verified"
VERSION = 1
MAX_BYTES = 500_000_000
_SHOWN = 10  # findings that are printed


def verified(log: Path, key: str | None, noted: Sequence[str]) -> LogReport:
    """Check the file `log`; see `check`. Raises UsageError for no file, no log, and a key that is none."""
    data = read_bytes(log, "log", limit=MAX_BYTES, advice="give the file that the service's log was saved to")
    known = None if key is None else check_key(key)
    with Opened() as opened:
        return check(data, partial(redrawn, opened), known, noted)


def says(report: LogReport, key: str | None) -> list[str]:
    """Return the two sentences: whether the draws are what was agreed, and what that rests on."""
    drawn = _count(report.draws, "draw")
    if not report.holds:
        first = report.findings[0]
        where = f"line {first.line}: {first.what}" if first.line else first.what
        return [
            f"This log does not hold ({where}).",
            "Do not trust its draws: ask for the log again, and if that one says the same, they were not as agreed "
            f"({report.redrawn} of {drawn} came out the same when made again here).",
        ]
    known = "with the key that you named" if key else f"with the key {report.keys[-1]}, if that is the server's"
    return [
        f"This log holds: what was drawn ({drawn}) follows from the server's secret and the player's words together, "
        "and came out the same when made again here.",
        f"{_fixed(report)} Nothing in the log was changed after it was signed {known}.",
    ]


def _fixed(report: LogReport) -> str:
    """Say how sure it is that the secrets were there before the words: by the commitments that the player had noted."""
    if report.committed == len(report.rounds):
        return "The server had fixed its secret before it could know the words: the commitment that you noted is in it."
    return (
        "Whether the server had fixed its secret before it knew the words, only the commitment shows that you noted "
        "before you sent them: add --noted COMMITMENT."
    )


def lines_of(report: LogReport, key: str | None) -> list[str]:
    """Return what is printed."""
    told = [*says(report, key), ""]
    for finding in report.findings[:_SHOWN]:
        told.append(f"  line {finding.line}: {finding.what}" if finding.line else f"  {finding.what}")
    if len(report.findings) > _SHOWN:
        told.append(f"  and {len(report.findings) - _SHOWN} more")
    if report.brought:
        told.append(
            f"  {_count(report.brought, 'draw')} began with a tower that this log does not tell the past of: "
            "look whether it was yours"
        )
    for name, each in report.rounds.items():
        words = "no words" if each.words is None else f"words {each.words!r}"
        told.append(
            f"  round {name[:8]}...: {words}, {_count(len(each.draws), 'draw')}, committed to {each.commitment}"
        )
    told.append(f"  {_count(report.lines, 'line')}, the last with the hash {report.head}")
    told.append(f"  keys that signed, one after another: {', '.join(report.keys) or 'none'}")
    return told


def document(report: LogReport, key: str | None) -> dict[str, Any]:
    """Return the document of `verify --json`."""
    return {
        "schema": SCHEMA,
        "version": VERSION,
        "holds": report.holds,
        "says": says(report, key),
        "findings": [{"line": finding.line, "what": finding.what} for finding in report.findings],
        "log": report.log,
        "lines": report.lines,
        "head": report.head,
        "keys": list(report.keys),
        "draws": report.draws,
        "redrawn": report.redrawn,
        "brought": report.brought,
        "committed": report.committed,
        "rounds": [
            {
                "round": name,
                "commitment": each.commitment,
                "words": each.words,
                "secret": each.secret,
                "draws": len(each.draws),
            }
            for name, each in report.rounds.items()
        ],
    }


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"

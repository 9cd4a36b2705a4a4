"""What `tower-sim verify` says: two sentences that a player understands, then what is wrong, then the figures."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, cast

from tower_sim.errors import shown
from tower_sim.reading import read_bytes
from tower_sim.service.opened import Opened
from tower_sim.service.verifiable.check import LoggedDraw, LogReport, check
from tower_sim.service.verifiable.keys import check_key
from tower_sim.service.verifiable.redraw import redrawn
from tower_sim.terminal import counted

SCHEMA = "tower-sim/verified"
VERSION = 1
MAX_BYTES = 500_000_000
HOLDS, DOES_NOT, NOT_AS_NOTED = 0, 1, 3  # exit statuses; 2 is the caller's mistake, as everywhere
_SHOWN = 10  # findings that are printed, and draws of the round that was noted
_RESULTS = ("emerged", "inside", "winner")  # what is shown of an answer that has it


def verified(log: Path, key: str | None, noted: Sequence[str]) -> LogReport:
    """Check the file `log`; see `check`. Raises UsageError for no file, no log, and a key that is none."""
    data = read_bytes(log, "log", limit=MAX_BYTES, advice="give the file that the service's log was saved to")
    known = None if key is None else check_key(key)
    with Opened() as opened:
        return check(data, partial(redrawn, opened), known, noted)


def status(report: LogReport) -> int:
    """Return the exit status: the log holds, does not, or holds and is not what the player noted."""
    return HOLDS if report.holds else DOES_NOT if report.findings else NOT_AS_NOTED


def says(report: LogReport, key: str | None) -> list[str]:
    """Return the two sentences: whether the draws are what was agreed, and what that rests on."""
    drawn = counted(report.draws, "draw")
    if report.findings:
        first = report.findings[0]
        where = f"line {first.line}: {first.what}" if first.line else first.what
        return [
            f"This log does not hold ({where}).",
            "Do not trust its draws: ask for the log again, and if that one says the same, they were not as agreed "
            f"({report.redrawn} of {drawn} came out the same when made again here).",
        ]
    noted = report.noted
    if noted and noted.wrong:
        return [
            f"This log holds, but it is not what you noted ({noted.wrong}).",
            "Do not take its draws for yours: look at what you noted, then ask for the log of your round; if the "
            "server gives this one, your draws were not as agreed.",
        ]
    of = f" Yours is round {noted.round}, with {counted(len(_yours(report)), 'draw')}." if noted else ""
    known = "with the key that you named" if key else f"with the key {report.keys[-1]}, if that is the server's"
    return [
        f"This log holds: what was drawn ({drawn}) follows from the server's secret and the player's words together, "
        f"and came out the same when made again here.{of}",
        f"{_fixed(report)} Nothing in the log was changed after it was signed {known}.",
    ]


def _yours(report: LogReport) -> Sequence[LoggedDraw]:
    """Return the draws of the round that the player noted."""
    name = report.noted and report.noted.round
    return report.rounds[name].draws if name else ()


def _fixed(report: LogReport) -> str:
    """Say how sure it is that the secret was there before the words: by the commitment that the player had noted."""
    if report.committed:
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
    told += _more(len(report.findings))
    if report.brought:
        told.append(
            f"  {counted(report.brought, 'draw')} began with a tower that this log does not tell the past of: "
            "look whether it was yours"
        )
    for name, each in report.rounds.items():
        words = "no words" if each.words is None else f"words {each.words!r}"
        drawn = counted(len(each.draws), "draw")
        noted = report.noted if report.noted and report.noted.round == name else None
        by = f", the one that you noted by its {', '.join(dict.fromkeys(noted.found))}" if noted else ""
        told.append(f"  round {name}: {words}, {drawn}, committed to {each.commitment}{by}")
        if noted:
            told += [_drawn(index, draw) for index, draw in enumerate(each.draws[:_SHOWN])]
            told += _more(len(each.draws), "; --json tells all")
    told.append(f"  {counted(report.lines, 'line')}, the last with the hash {report.head}")
    told.append(f"  keys that signed, one after another: {', '.join(report.keys) or 'none'}")
    return told


def _more(number: int, advice: str = "") -> list[str]:
    return [f"  and {number - _SHOWN} more{advice}"] if number > _SHOWN else []


def _drawn(index: int, draw: LoggedDraw) -> str:
    """Say what was asked and what came of it, as short as it can be compared with what the player was answered."""
    asked = {key: value for key, value in draw.asked.items() if key != "state"}
    is_table = isinstance(draw.answer, dict)  # what is not was found, and is shown all the same
    answer = cast("dict[str, Any]", draw.answer) if is_table else {}
    came = {key: answer[key] for key in _RESULTS if key in answer} or {"seed": answer.get("seed")}
    return f"    draw {index}, line {draw.line}: {shown(asked)}; {shown(came)}"


def document(report: LogReport, key: str | None) -> dict[str, Any]:
    """Return the document of `verify --json`."""
    return {
        "schema": SCHEMA,
        "version": VERSION,
        "holds": report.holds,
        "says": says(report, key),
        "findings": [{"line": finding.line, "what": finding.what} for finding in report.findings],
        **{name: getattr(report, name) for name in ("log", "lines", "head")},
        "noted": _noted(report),
        "keys": list(report.keys),
        **{name: getattr(report, name) for name in ("draws", "redrawn", "brought", "committed")},
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


def _noted(report: LogReport) -> dict[str, Any] | None:
    if report.noted is None:
        return None
    draws = [
        {"line": draw.line, "hash": draw.hash, "asked": draw.asked, "answer": draw.answer} for draw in _yours(report)
    ]
    return {"round": report.noted.round, "wrong": report.noted.wrong, "found": report.noted.found, "draws": draws}

"""A game of Amerigo on the terminal: a line a drop, then a summary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from tower_sim.games.amerigo import DropEntry, Rules
from tower_sim.outcome import Status

_BARS = " ▁▂▃▄▅▆▇█"


def game_head(rules: Rules) -> str:
    """Return the heading of the lines that `game_line` writes."""
    return _columns("drop", "round", "phase", "thrown", "out", "in", rules.colours, "AP", "gold")


def game_line(entry: DropEntry, rules: Rules) -> str:
    """Return one drop of a game as a line: what was thrown, came out and stayed, and the cubes out by colour."""
    by_colour = [str(count) if count else "." for count in entry.emerged.values()]
    is_phase = entry.index > 0
    line = _columns(
        f"{entry.index}/{rules.drops - 1}",
        str(entry.round) if is_phase else "-",
        entry.phase,
        str(sum(entry.thrown.values())),
        str(sum(entry.emerged.values())),
        str(sum(entry.inside.values())),
        by_colour,
        str(entry.action_points) if is_phase else "",
        str(entry.gold) if is_phase else "",
        widths=[len(colour) for colour in rules.colours],
    )
    remarks = ["skipped"] * entry.skipped
    remarks += [str(entry.status)] * (entry.status is not Status.SETTLED)
    remarks += [f"drawn {entry.attempts} times"] * (entry.attempts > 1)
    remarks += [f"{sum(entry.waiting.values())} waiting"] * any(entry.waiting.values())
    return f"{line}  {', '.join(remarks)}".rstrip()


def game_summary(entries: Sequence[DropEntry], rules: Rules) -> str:
    """Return the summary of a game: inside over time, out per phase, colours, and how the draws went."""
    inside = [sum(entry.inside.values()) for entry in entries]
    phases = [entry for entry in entries if entry.index > 0]
    lines = [
        "",
        f"inside   {_sparkline(inside)}  {_spread(inside)}; {inside[0]} after the set-up, {inside[-1]} at the end",
    ]
    if phases:
        out = [sum(entry.emerged.values()) for entry in phases]
        thrown = [sum(entry.thrown.values()) for entry in phases]
        lines.append(
            f"out      {_sparkline([0, *out])[1:]:>{len(inside)}}  {_spread(out)} a phase; thrown {_spread(thrown)}"
        )
    width = max(len(colour) for colour in rules.colours)
    lines.append(f"\n{'':{width}}  out in all  allowed in phases  inside at the end")
    for colour in rules.colours:
        came = sum(entry.emerged[colour] for entry in phases)
        allowed = sum(colour in entry.actions for entry in phases)
        lines.append(f"{colour:{width}}  {came:10}  {allowed:17}  {entries[-1].inside[colour]:17}")
    redrawn = sum(max(entry.attempts - 1, 0) for entry in entries)
    skipped = sum(entry.skipped for entry in phases)
    statuses = Counter(str(entry.status) for entry in entries if entry.attempts)
    said = ", ".join(f"{count} {status}" for status, count in sorted(statuses.items()))
    lines.append(f"\n{skipped} of {len(phases)} phases skipped; drops: {said}; {redrawn} drawn again")
    return "\n".join(lines)


def _columns(
    drop: str,
    round_: str,
    phase: str,
    thrown: str,
    out: str,
    inside: str,
    by_colour: Iterable[str],
    points: str,
    gold: str,
    widths: Sequence[int] = (),
) -> str:
    cells = list(by_colour)
    sizes = widths or [len(cell) for cell in cells]
    middle = " ".join(f"{cell:>{size}}" for cell, size in zip(cells, sizes, strict=True))
    return f"{drop:>6} {round_:>5} {phase:<7} {thrown:>6} {out:>4} {inside:>4} | {middle} | {points:>3} {gold:>4}"


def _spread(values: Sequence[int]) -> str:
    return f"mean {sum(values) / len(values):.1f} ({min(values)} to {max(values)})"


def _sparkline(values: Sequence[int]) -> str:
    top = max(max(values), 1)
    return "".join(_BARS[-(-value * (len(_BARS) - 1) // top)] for value in values)

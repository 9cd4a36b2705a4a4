"""One drop on the terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from tower_sim.cubes import count_by_colour
from tower_sim.outcome import Outcome


def drop_report(outcome: Outcome, colours: Sequence[str], seed: int) -> str:
    """Return one drop in words: counts by colour, where the cubes inside lie, and the token to continue from."""
    every = list(count_by_colour((x.cube for x in outcome.landings), colours))
    rows = {"thrown": outcome.thrown, "out": outcome.emerged, "inside": outcome.inside}
    if outcome.knocked_out:
        rows = {"knocked out": outcome.knocked_out} | rows
    width = max(len(name) for name in rows)
    lines = [
        f"{outcome.apparatus}, {outcome.model}, seed {seed}: {outcome.status}"
        + (f" after {outcome.attempts} draws" if outcome.attempts > 1 else "")
    ]
    lines.append(f"{'':{width}}  {'  '.join(every)}  total")
    for name, cubes in rows.items():
        counts = count_by_colour(cubes, every)
        cells = "  ".join(f"{count:{len(colour)}}" for colour, count in counts.items())
        lines.append(f"{name:{width}}  {cells}  {len(cubes):5}")
    places = Counter(x.place for x in outcome.landings)
    lines.append("places: " + ", ".join(f"{place} {count}" for place, count in sorted(places.items())))
    lines.append(f"state, to go on from with --state:\n{outcome.state.token()}")
    return "\n".join(lines)

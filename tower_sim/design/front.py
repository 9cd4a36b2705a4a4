"""Where wishes conflict: the towers of which none other is nearer to every wish, as a table and a picture."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tower_sim.design.features import features
from tower_sim.design.search import Search, Seen
from tower_sim.design.towers import BY_NAME, Towers
from tower_sim.design.wishes import Wish
from tower_sim.statistics import Estimate

Array = npt.NDArray[np.float64]

ATLAS, TRIED = "atlas", "tried"
SHOWN = 8


@dataclass(frozen=True, slots=True)
class Member:
    """A tower: whether it is `source` ATLAS or TRIED, its number there, what is believed of it for each wish, its miss.

    `miss` is the root mean square over wishes, in grains.
    """

    source: str
    number: int
    values: tuple[float, ...]
    miss: float


@dataclass(frozen=True)
class Front:
    """What is believed of all towers that are known, by wish, and the `members` that none beats, nearest first.

    `atlas` has shape (T, wishes), `tried` (those tried, wishes).
    """

    atlas: Array
    tried: Array
    members: tuple[Member, ...]


def undominated(misses: Array) -> npt.NDArray[np.bool_]:
    """Say which rows of `misses`, shape (n, wishes), no other row beats: at most as large in all, less in one."""
    far = np.abs(misses)
    order = np.lexsort(far.T[::-1])
    is_kept = np.zeros(len(far), bool)
    kept = np.empty((0, far.shape[1]))
    for i in order:  # one that beats another comes before it
        if not ((kept <= far[i]).all(1) & (kept < far[i]).any(1)).any():
            is_kept[i] = True
            kept = np.vstack([kept, far[i]])
    return is_kept


def front(search: Search, seen: Seen, towers: Towers) -> Front:
    """Return the front of the atlas's towers and those tried, by what is believed of each: games of one tower vary.

    Towers of the atlas that have not what is held are known, but no members.
    """
    x = features(towers.numbers)
    known = np.vstack([search.means(seen.beliefs, x), seen.values])
    kinds = [wish.kind for wish in search.asked.wishes]
    known = np.clip(known, np.array([kind.low for kind in kinds]), np.array([kind.high for kind in kinds]))
    misses: Array = search.asked.misses(known)
    names: list[tuple[str, int]] = [(ATLAS, int(point)) for point in towers.point] + [(TRIED, i) for i in seen.tried]
    far = search.asked.miss(known)
    allowed = np.append(search.asked.allows(towers.numbers), np.ones(len(seen.tried), bool))
    which = np.flatnonzero(allowed)
    which = which[undominated(misses[which])]
    ordered: list[int] = which[np.argsort(far[which], kind="stable")].tolist()
    members = [Member(names[i][0], names[i][1], tuple(known[i].tolist()), float(far[i])) for i in ordered]
    return Front(known[: len(towers)], known[len(towers) :], tuple(members))


def table(found: Front, wishes: Sequence[Wish], tried: int) -> list[str]:
    """Return the lines of a table of the nearest members, the tower that was chosen marked."""
    head = f"{'tower':>12}" + "".join(f"  {BY_NAME[wish.kind.output].title:>23}" for wish in wishes) + "  miss"
    wanted = f"{'wished':>12}" + "".join(f"  {wish.wanted:>22g}" for wish in wishes) + "     0"
    lines = [head, wanted]
    for member in found.members[:SHOWN]:
        name = f"{member.source} {member.number}"
        chosen = "  chosen" if (member.source, member.number) == (TRIED, tried) else ""
        values = "".join(f"  {value:>22.2f}" for value in member.values)
        lines.append(f"{name:>12}{values}  {member.miss:4.1f}{chosen}")
    return lines


def picture(found: Front, wishes: Sequence[Wish], confirmed: Sequence[Estimate], path: Path) -> None:
    """Draw every two wishes against each other: all known towers, the front, the wish, and the tower that was found.

    Raises UsageError for a path that cannot be written.
    """
    from matplotlib.figure import Figure  # a second, so only where a picture is asked for

    from tower_sim.drawing.files import FONT, save

    drawn = [i for i, wish in enumerate(wishes) if not wish.is_tacit]
    pairs = list(combinations(drawn, 2)) or [(0, len(wishes) - 1)]
    figure: Any = Figure(figsize=(4.2 * len(pairs), 4.4), layout="constrained")
    members = np.array([member.values for member in found.members[:SHOWN]])
    handles: list[Any] = []
    panels: list[Any] = list(figure.subplots(1, len(pairs), squeeze=False)[0])
    for axes, (i, j) in zip(panels, pairs, strict=True):
        handles = [
            axes.scatter(found.atlas[:, i], found.atlas[:, j], s=8, c="0.75", linewidths=0, label="of the atlas"),
            axes.scatter(found.tried[:, i], found.tried[:, j], s=16, c="#2360b5", linewidths=0, label="tried"),
            axes.scatter(members[:, i], members[:, j], s=42, facecolors="none", edgecolors="#cf2233", linewidths=0.9,
                         label="nearest that none beats"),
            axes.scatter([wishes[i].wanted], [wishes[j].wanted], marker="+", s=160, c="k", lw=1.6, label="wished"),
            axes.errorbar([confirmed[i].value], [confirmed[j].value], [[_half(confirmed[j])]], [[_half(confirmed[i])]],
                          fmt="D", ms=5, color="#2f9149", capsize=2, label="found, in fresh games (95 %)"),
        ]  # fmt: skip
        axes.set_xlabel(_named(wishes[i]))
        axes.set_ylabel(_named(wishes[j]))
        axes.spines[["top", "right"]].set_visible(False)
    columns = len(handles) if len(pairs) > 1 else 2
    figure.legend(handles=handles, loc="outside lower center", ncols=columns, frameon=False, fontsize=FONT)
    title = f"A tower that {' and '.join(wish.said() for wish in wishes if not wish.is_tacit)}"
    style = {"fontsize": FONT, "weight": "bold", "x": 0.02, "ha": "left"}
    figure.suptitle(textwrap.fill(title, int(12.5 * figure.get_figwidth())), **style)
    save(figure, path)


def _named(wish: Wish) -> str:
    """Return what an axis says: what is wished, in its unit."""
    return f"{BY_NAME[wish.kind.output].title} [{BY_NAME[wish.kind.output].unit}]"


def _half(estimate: Estimate) -> float:
    return (estimate.high - estimate.low) / 2

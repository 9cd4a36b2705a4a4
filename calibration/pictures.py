"""The pictures of a calibration: prior grey, posterior blue, observed values orange, each told by its mark too."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from tower_sim.calibration.evidence import Within
from tower_sim.calibration.findings import Correlations, ObservedTarget, Simulated, title
from tower_sim.calibration.fit import TARGETS, Fit, Interval, Posterior, PredictiveCheck, interval
from tower_sim.calibration.parameters import NUMBERS, readings
from tower_sim.calibration.summaries import CUBES, EVERY, Array
from tower_sim.study.plots import FONT, INK, WIDTH, counted, dressed, label, panels

PRIOR, POSTERIOR, OBSERVED = "0.55", "#0072b2", "#d55e00"  # colours that the colour-blind tell apart (Okabe and Ito)
BINS = 20  # of a number's prior range
POINTS = 500  # draws in a panel of pairs
MOST_PAIRED = 7  # numbers in the picture of pairs
AXES = {"setup": "inside after the set-up", "inside": "mean inside in play", "out": "mean out in a phase"}


def axis(name: str, unit: str) -> str:
    """Return the label of a number's axis."""
    return f"{title(name)} [{unit}]" if unit else title(name)


def marginals(prior: Posterior, posterior: Posterior) -> Any:
    """Draw prior and posterior of each number."""
    columns = 4
    figure, made = panels(len(NUMBERS) // columns + 1, columns, 10.0)
    draws_of = [(readings(prior.unit), {"color": "0.85", "fill": True, "label": "prior"})]
    draws_of.append((readings(posterior.unit), {"color": POSTERIOR, "fill": False, "lw": 1.3, "label": "posterior"}))
    for panel, (i, number) in zip(made, enumerate(NUMBERS), strict=False):
        span = number.high - number.low
        edges = np.linspace(number.low, number.high, BINS + 1)
        reach = 0.0
        for draws, style in draws_of:
            share = _histogram(draws[:, i], edges)
            panel.stairs(share, edges, **style)
            reach = max(reach, float(share.max()))
        middle = interval(draws_of[1][0][:, i])
        _bar(panel, 1.12 * reach, middle, POSTERIOR)
        panel.set_ylim(0, 1.25 * reach)
        panel.set_xlim(number.low - 0.02 * span, number.high + 0.02 * span)
        panel.xaxis.set_major_locator(MaxNLocator(4))
        panel.yaxis.set_major_locator(MaxNLocator(4))
        label(panel, axis(number.name, number.unit), "share of draws")
    for panel in made[len(NUMBERS) : -1]:
        panel.remove()
    _key(made[-1], len(prior.unit), len(posterior.unit))
    return figure


def _key(panel: Any, prior: int, posterior: int) -> None:
    panel.axis("off")
    rows = (
        ("fill", "0.85", f"prior, {prior} draws"),
        ("line", POSTERIOR, f"posterior, {posterior} draws"),
        ("bar", POSTERIOR, "median, 90 % interval"),
    )
    for i, (kind, colour, words) in enumerate(rows):
        y = 0.9 - 0.17 * i
        if kind == "fill":
            panel.fill_between([0.0, 0.16], y - 0.04, y + 0.04, color=colour, lw=0)
        elif kind == "line":
            panel.plot([0.0, 0.16], [y, y], color=colour, lw=1.3)
        else:
            _bar(panel, y, Interval(0.0, 0.08, 0.16), colour)
        panel.text(0.19, y, words, va="center", fontsize=FONT - 0.5)
    panel.set_xlim(0, 1)
    panel.set_ylim(0, 1)


def _histogram(values: Array, edges: Array) -> Array:
    return np.histogram(np.clip(values, edges[0], edges[-1]), edges)[0] / max(len(values), 1)


def _bar(panel: Any, y: float, span: Interval, colour: str, width: float = 1.4) -> None:
    """Draw an interval at height `y` with a dot at its median."""
    panel.plot([span.low, span.high], [y, y], color=colour, lw=width, solid_capstyle="butt")
    panel.plot([span.middle], [y], marker="o", ms=3.5, color=colour)


def pairs(correlations: Correlations) -> Any:
    """Draw how the numbers hang together that do most: some of the draws, and the correlation of all."""
    apart = np.nan_to_num(np.abs(correlations.r - np.eye(len(NUMBERS)))).max(0)
    paired = np.sort(np.argsort(-apart, kind="stable")[:MOST_PAIRED]).tolist()
    names, units = [title(NUMBERS[i].name) for i in paired], [NUMBERS[i].unit for i in paired]
    size = len(paired) - 1
    figure: Any = Figure(figsize=(WIDTH, 6.3))  # a constrained layout of so many panels takes long
    figure.subplots_adjust(left=0.09, right=0.985, bottom=0.085, top=0.975, hspace=0.26, wspace=0.14)
    made = [dressed(panel) for panel in figure.subplots(size, size).flat]
    shown = correlations.draws[
        np.linspace(0, len(correlations.draws) - 1, min(POINTS, len(correlations.draws))).astype(int)
    ][:, paired]
    limits = [(NUMBERS[i].low, NUMBERS[i].high) for i in paired]
    for row in range(1, len(paired)):
        for column in range(size):
            panel = made[(row - 1) * size + column]
            if column >= row:
                panel.remove()
                continue
            r = correlations.r[paired[row], paired[column]]
            strong = bool(abs(r) >= correlations.least)
            panel.plot(
                shown[:, column], shown[:, row], ls="none", marker="o", ms=1.6, mew=0, alpha=0.45,
                color=POSTERIOR if strong else "0.35",
            )  # fmt: skip
            panel.grid(visible=False)
            words = f"r = {r:+.2f}" if np.isfinite(r) else "r: one is fixed"
            panel.set_title(words, fontsize=FONT - 1, loc="right", pad=2, weight="bold" if strong else "normal")
            _limited(panel, limits[column], limits[row])
            panel.xaxis.set_major_locator(MaxNLocator(3))
            panel.yaxis.set_major_locator(MaxNLocator(3))
            panel.tick_params(labelsize=FONT - 2, labelbottom=row == size, labelleft=column == 0)
            if row == size:
                panel.set_xlabel(_two_lines(names[column], units[column]), fontsize=FONT - 1)
            if column == 0:
                panel.set_ylabel(_two_lines(names[row], units[row]), fontsize=FONT - 1)
    drawn = f"{len(correlations.draws)} draws, {len(shown)} shown"
    words = f"{drawn}\nblue: |r| at least {correlations.least:.2g}"
    figure.text(0.99, 0.985, words, ha="right", va="top", fontsize=FONT)
    return figure


def _two_lines(name: str, unit: str) -> str:
    return f"{name}\n[{unit}]" if unit else name


def _limited(panel: Any, x: tuple[float, float], y: tuple[float, float]) -> None:
    for low, high, limit in ((*x, panel.set_xlim), (*y, panel.set_ylim)):
        limit(low - 0.04 * (high - low), high + 0.04 * (high - low))


def prediction(fit: Fit, confirmed: Sequence[Simulated], chosen: Simulated, seen: Sequence[ObservedTarget]) -> Any:
    """Draw the long-run means: prior, posterior, simulated towers, and what was observed."""
    figure, made = panels(1, len(TARGETS), 3.4 + 0.09 * len(confirmed))
    step = 0.28  # between confirmed towers
    rows = {"prior": 0.0, "posterior": 1.3}
    first = 2.0
    rows["confirmed\ntowers"] = first + step * (len(confirmed) - 1) / 2
    last = first + step * max(len(confirmed) - 1, 0)
    rows["chosen\ntower"], rows["observed"] = last + 0.6, last + 1.2
    if not confirmed:
        del rows["confirmed\ntowers"]
    for panel, target in zip(made, TARGETS, strict=True):
        panel.grid(axis="y", visible=False)
        panel.grid(axis="x", color="0.9", lw=0.6)
        every = np.concatenate([fit.prior.played[target], fit.posterior.played[target]])
        far = max([float(every.max()), *(one.value for one in seen if one.target == target)])
        low, high = (-0.5, CUBES + 0.5) if target != "out" else (-0.25, min(float(np.ceil(1.05 * far)), CUBES))
        edges = np.linspace(low, high, CUBES + 2)
        for name, colour, draws in (("prior", PRIOR, fit.prior), ("posterior", POSTERIOR, fit.posterior)):
            share = _histogram(draws.played[target], edges)
            base = rows[name]
            panel.stairs(base - 0.14 - 0.75 * share / share.max(), edges, baseline=base - 0.14, fill=True, color=colour,
                         alpha=0.35)  # fmt: skip
            _bar(panel, base, draws.interval(target), colour, 2.2)
        for i, tower in enumerate(confirmed):
            _simulated(panel, tower.means.get(target), first + step * i, {"marker": "o", "ms": 3, "color": "0.35"})
        at = rows["chosen\ntower"]
        _simulated(panel, chosen.means.get(target), at, {"marker": "D", "ms": 3.5, "color": INK})
        _observed(panel, [one for one in seen if one.target == target], rows["observed"])
        panel.set_ylim(rows["observed"] + 0.6, -1.05)
        panel.set_xlim(low, high)
        panel.xaxis.set_major_locator(MaxNLocator(5, integer=True))
        panel.set_yticks(list(rows.values()), list(rows) if target == TARGETS[0] else [""] * len(rows))
        panel.tick_params(axis="y", length=0)
        label(panel, f"{AXES[target]} [cubes]", "")
        panel.xaxis.label.set_fontsize(FONT - 0.5)
    return figure


def _observed(panel: Any, seen: Sequence[ObservedTarget], y: float) -> None:
    """Draw observed values; several that are the same are one mark with their number."""
    for (value, whole), n in Counter((round(observed.value, 2), observed.whole) for observed in seen).items():
        face, rim = (OBSERVED, "white") if whole else ("none", OBSERVED)
        panel.plot([value], [y], marker="s", ms=5.5, ls="none", mfc=face, mec=rim, mew=0.8, clip_on=False)
        if n > 1:
            style = {"textcoords": "offset points", "ha": "center", "va": "top", "fontsize": FONT - 1.5}
            panel.annotate(f"{n} x", (value, y), (0, -5), color=OBSERVED, **style)


def _simulated(panel: Any, of_tower: tuple[float, float, float] | None, y: float, style: dict[str, Any]) -> None:
    if of_tower is not None:
        low, mean, high = of_tower
        panel.errorbar([mean], [y], xerr=[[mean - low], [high - mean]], capsize=1.5, elinewidth=0.9, ls="none", **style)


GROUPS = (
    ("inside [cubes]", ("setup", "inside")),
    ("out of a phase, or its spread [cubes]", ("out", "spread")),
    ("share out of the thrown colour", ("own",)),
    ("share of phases, by their colours", ("single", "many")),
    ("action points of a phase", ("points",)),
)
SHARES = {  # of phases, drawn together
    "single": "one colour out",
    "many": "three or more",
    "leads": "thrown colour leads",
    "ones": "one cube out",
    "skipped": "nothing out",
}


def checks(predictive: Sequence[tuple[str, PredictiveCheck]], held_out: Sequence[tuple[str, PredictiveCheck]]) -> Any:
    """Draw observed values beside their intervals, a row for each label; the same label in both is one row."""
    panels_of: list[tuple[str, list[str]]] = []
    kinds = (("given all evidence", POSTERIOR, dict(predictive)), ("held out", PRIOR, dict(held_out)))
    for words, summaries in GROUPS:
        names = list(
            dict.fromkeys(n for _, _, by_name in kinds for n, c in by_name.items() if c.window.summary in summaries)
        )
        if names:
            panels_of.append((words, names))
    sizes = [len(names) + 1.4 for _, names in panels_of]
    figure, made = panels(len(panels_of), 1, 0.35 + 0.3 * sum(sizes))
    made[0].get_gridspec().set_height_ratios(sizes)
    for panel, (words, names) in zip(made, panels_of, strict=True):
        panel.grid(axis="y", visible=False)
        panel.grid(axis="x", color="0.9", lw=0.6)
        for i, name in enumerate(names):
            both = [by_name[name] for _, _, by_name in kinds if name in by_name]
            for shift, (_, colour, by_name) in zip((-0.16, 0.16), kinds, strict=True):
                if name in by_name:
                    _bar(panel, i + (shift if len(both) == 2 else 0.0), by_name[name].predicted, colour, 2.2)
            panel.plot([both[0].observed], [i], marker="D", ms=5, color=OBSERVED, mec="white", mew=0.5, zorder=4)
        panel.set_yticks(range(len(names)), names)
        panel.set_ylim(len(names) - 0.4, -0.6)
        panel.set_xlim(left=min(0.0, panel.get_xlim()[0]))
        if "cubes" in words:
            counted(panel.xaxis)
        panel.tick_params(axis="y", length=0, labelsize=FONT - 1)
        label(panel, words, "")
    for kind, colour, by_name in kinds:
        if by_name:
            made[0].plot([], [], color=colour, lw=2.2, marker="o", ms=3.5, label=f"90 %, {kind}")
    made[0].plot([], [], ls="none", marker="D", ms=5, color=OBSERVED, mec="white", mew=0.5, label="observed")
    figure.legend(loc="outside upper center", ncols=3, fontsize=FONT - 0.5, frameon=False, handlelength=1.8)
    return figure


def colours(fit: Fit) -> Any:
    """Draw shares of phases by what comes out, prior and posterior, with bounds that were said of them."""
    figure, (panel,) = panels(1, 1, 2.6)
    panel.grid(axis="y", visible=False)
    panel.grid(axis="x", color="0.9", lw=0.6)
    for i, name in enumerate(SHARES):
        for shift, colour, towers in ((-0.16, PRIOR, fit.prior), (0.04, POSTERIOR, fit.posterior)):
            _bar(panel, i + shift, towers.interval(name), colour, 2.2)
        said = [clue for entry in fit.evidence for clue in entry.clues if isinstance(clue, Within)]
        bounds = sorted({(clue.low, clue.high) for clue in said if clue.window == EVERY[name]})
        for k, (low, high) in enumerate(bounds):
            panel.plot([low, high], [i + 0.22 + 0.16 * k] * 2, color=OBSERVED, lw=1.4, marker="|", ms=6)
    panel.set_yticks(range(len(SHARES)), list(SHARES.values()))
    panel.set_ylim(len(SHARES) - 0.4, -0.6)
    panel.set_xlim(0, 1)
    panel.tick_params(axis="y", length=0)
    label(panel, "share of phases", "")
    for colour, words in ((PRIOR, "prior, 90 %"), (POSTERIOR, "posterior, 90 %")):
        panel.plot([], [], color=colour, lw=2.2, marker="o", ms=3.5, label=words)
    panel.plot([], [], color=OBSERVED, lw=1.4, marker="|", ms=6, label="said to lie between")
    figure.legend(loc="outside upper center", ncols=3, fontsize=FONT - 0.5, frameon=False, handlelength=1.8)
    return figure

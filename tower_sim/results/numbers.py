"""Numbers as text, with as many digits as their intervals are worth: the one place where numbers are rounded."""

from __future__ import annotations

import math

from tower_sim.results.statistics import Estimate, too_few

Cell = str | int | float | Estimate | None
HOW_SURE = "19 times in 20 the true figure lies within ±, or in the brackets"
_LOPSIDED = 2.0  # greatest ratio of the halves of an interval for which ± is used


def capitalise(text: str) -> str:
    """Return a text with its first letter as a capital."""
    return text[:1].upper() + text[1:]


def show(cell: Cell, unit: str = "") -> str:
    """Return a cell as text: an Estimate as `value (low to high)`, to two digits of half the width of its interval."""
    tail = f" {unit}" if unit else ""
    if isinstance(cell, Estimate):
        if not math.isfinite(cell.value):
            return "-"
        if not (math.isfinite(cell.low) and math.isfinite(cell.high)):
            return f"{cell.value:.3g}{tail} (no interval)"
        if cell.value == cell.low == cell.high:
            return f"{cell.value:.3g}{tail} (the same in every resample)"
        return _with_ends(cell, count_decimals(cell.width / 2, cell.value), tail)
    if cell is None or (isinstance(cell, float) and not math.isfinite(cell)):
        return "-"
    if isinstance(cell, float):
        return f"{cell:.3g}" if abs(cell) < 999.5 else f"{cell:.0f}"
    return str(cell)


def between(figure: Estimate) -> str:
    """Return the interval of an estimate as `low to high`, to two digits of half its width."""
    return _format_ends(figure, count_decimals(figure.width / 2, figure.value))


def how_sure(runs: int, unit: str) -> str:
    """Return how sure the figures of so many runs are; `unit` is the word for one run."""
    return too_few(runs, unit) or f"{runs} {unit}s; {HOW_SURE}"


def plainly(figure: Estimate, unit: str = "") -> str:
    """Return an estimate as text for players, such as `13.9 ± 0.1`.

    It has one digit of half the interval, and at most three of the value. A lopsided interval shows both ends.
    """
    if not math.isfinite(figure.value):
        return "-"
    tail = f" {unit}" if unit else ""
    places, down, up = count_decimals(0, figure.value), figure.value - figure.low, figure.high - figure.value
    if not 0 < down + up < math.inf:
        return f"{_format_fixed(figure.value, places)}{tail}"
    places = min(count_decimals((down + up) / 2, digits=1), places)
    value, sure = _format_fixed(figure.value, places), _format_fixed((down + up) / 2, places)
    if not sure.strip("0."):
        return f"{value}{tail}"
    if max(down, up) > _LOPSIDED * min(down, up):
        return _with_ends(figure, places, tail)
    return f"{value} ± {sure}{tail}"


def plain_share(share: Estimate) -> str:
    """Return a share in percent, in the form of `plainly`."""
    return plainly(share.times(100), "%")


def count_decimals(half: float, value: float = 0.0, digits: int = 2) -> int:
    """Return the number of decimals that show so many digits of `half` (three digits of `value` if `half` is 0)."""
    if half <= 0:
        return digits if value == 0 else max(0, min(6, 2 - math.floor(math.log10(abs(value)))))
    return max(0, min(4 + digits, digits - 1 - math.floor(math.log10(half))))


def _with_ends(number: Estimate, places: int, tail: str) -> str:
    return f"{_format_fixed(number.value, places)}{tail} ({_format_ends(number, places)})"


def _format_ends(number: Estimate, places: int) -> str:
    return f"{_format_fixed(number.low, places)} to {_format_fixed(number.high, places)}"


def _format_fixed(value: float, places: int) -> str:
    if value == 0:
        return "0"
    text = f"{value:.{places}f}"
    return text[1:] if text.startswith("-") and not text.strip("-0.") else text


def tell(estimate: Estimate, unit: str = "") -> str:
    """Return an estimate with its interval, or alone if it has none."""
    is_alone = not estimate.low < estimate.high
    return f"{estimate.value:.3g} {unit}".strip() if is_alone else show(estimate, unit)


def tell_share(share: Estimate) -> str:
    """Return a share in percent as `tell` does."""
    return tell(share.times(100), "%")


def brief(value: float) -> str:
    """Return a number without an interval: whole from 20, one decimal from 1, else two significant digits."""
    size = abs(value)
    if size >= 20:
        return f"{value:.0f}"
    return f"{value:.1f}" if size >= 0.95 else f"{value:.2g}"


def percent(share: float) -> str:
    """Return a share without an interval; a small one is not rounded to none, nor a large one to all."""
    if share in (0, 1):
        return "all" if share else "none"
    return "under 0.1 %" if share < 0.001 else "over 99.9 %" if share > 0.999 else f"{100 * share:.1f} %"

"""The first sentences of a comparison: what a player will notice, and how sure that is."""

from __future__ import annotations

from tower_sim.compare.comparison import Comparison, Row
from tower_sim.compare.differences import differences

_CERTAIN = 1e-4  # adjusted p


def in_plain_words(found: Comparison) -> str:
    """Say in two or three sentences how cubes, actions and gold differ between the variants."""
    if not differences(found.a, found.b):
        return "A and B play alike: from equal seeds every game is the same."
    row = {each.key: each for each in found.figures}
    gold = row["gold_with_token"] if row["gold_with_token"].shown and not row["gold"].shown else row["gold"]
    return " ".join([_cubes(row["inside"]), _choice(row["actions"], row["action_points"], found), _gold(gold)])


def _cubes(row: Row) -> str:
    if not row.shown:
        return f"In B about as many cubes stay in the tower as in A ({_number(row.mean_a)}): {_unsure(row, 'cubes')}."
    fewer = "fewer" if row.difference < 0 else "more"
    return f"B: about {_number(abs(row.difference))} {fewer} cubes stay in the tower ({_instead(row)}): {_sure(row)}."


def _choice(actions: Row, points: Row, found: Comparison) -> str:
    """Say how many actions there are to choose from in a phase, and with how many points."""
    choice_a, choice_b = (f"{100 * course.with_a_choice:.0f} %" for course in found.pairs.courses)
    phases = f"two or more in {choice_a} of the phases"
    of_actions = (
        f"There are {_instead(actions, ' actions to choose from in a phase')} "
        f"({phases.replace(choice_a, choice_b)} instead of {choice_a})"
        if actions.shown
        else f"There are about as many actions to choose from ({_number(actions.mean_a)} in a phase; {phases})"
    )
    of_points = (
        f"with {_instead(points, ' action points')}"
        if points.shown
        else f"with about as many action points ({_number(points.mean_a)})"
    )
    first = _sure(actions) if actions.shown else "no difference is shown"
    second = _sure(points) if points.shown else "no difference is shown"
    if first == second:
        return f"{of_actions}, {of_points}: {first}."
    return f"{of_actions}: {first}; {of_points}: {second}."


def _gold(row: Row) -> str:
    token = " with the gold token" if row.key == "gold_with_token" else ""
    if not row.shown:
        return f"Passing pays about as much gold{token} ({_number(row.mean_a)})."
    return f"Passing{token} pays {_instead(row, ' gold')}: {_sure(row)}."


def _instead(row: Row, unit: str = "") -> str:
    """Say both means with so many decimals that they differ, as they do."""
    said = _number(row.mean_b), _number(row.mean_a)
    decimals = 1
    while said[0] == said[1] and decimals < 6:
        decimals += 1
        said = f"{row.mean_b:.{decimals}f}", f"{row.mean_a:.{decimals}f}"
    return f"{said[0]}{unit} instead of {said[1]}"


def _sure(row: Row) -> str:
    return "certain" if row.p_adjusted <= _CERTAIN else "very likely"


def _unsure(row: Row, unit: str) -> str:
    """Say how large a difference that is not shown can be."""
    if row.interval is None:
        return "no game differs" if row.difference == 0 else "too few games to tell"
    most = max(abs(end) for end in row.interval)
    return f"no difference is shown, and it is most likely under {_number(most)} {unit}".rstrip()


def _number(value: float) -> str:
    """Write a number as people say it: whole from 20, else with one decimal, below 1 with two figures."""
    size = abs(value)
    if size >= 20:
        return f"{value:.0f}"
    return f"{value:.1f}" if size >= 0.95 else f"{value:.2g}"

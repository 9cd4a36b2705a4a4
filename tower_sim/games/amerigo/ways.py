"""The commands of Amerigo: its lines on the terminal, one for each drop, its summary and its JSON document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from tower_sim.games import Turn
from tower_sim.games.amerigo.compared import ComparedGames
from tower_sim.games.amerigo.phases import AmerigoGame, DropEntry, game_json
from tower_sim.games.amerigo.rules import Rules
from tower_sim.games.odds import odds_type
from tower_sim.games.ways import Ways
from tower_sim.tools import count_noun
from tower_sim.values import Status

_BARS = " ▁▂▃▄▅▆▇█"
_LINE = "{:>4} {:>2} {:<6} {:>6} {:>3} {:>2} | {} | {:>2} {:>4}"


class AmerigoWays(Ways):
    """The reports and the document of Amerigo."""

    description = ComparedGames

    def types(self) -> list[Any]:
        return [AmerigoGame, odds_type(self.game)]

    def head(self, rules: Rules, *, apparatus: str, model: str, seed: int) -> str:
        published = Rules()
        keys = [name for name in Rules.model_fields if name != "name"]
        changes = ", ".join(key for key in keys if getattr(rules, key) != getattr(published, key))
        name = "the published rules" if rules.name == published.name else f"rules {rules.name}"
        name += f" with other {changes}" if changes else ""
        columns = _LINE.format("drop", "rd", "phase", "thrown", "out", "in", " ".join(rules.colours), "AP", "gold")
        return f"Amerigo, {name}, tower {apparatus}, {model}, seed {seed}\n{columns}"

    def line(self, turn: Turn, rules: Rules) -> str:
        if turn.failed:
            return f"{turn.index:4} {turn.failed}"
        entry: DropEntry = turn.entry
        cubes = (sum(counts.values()) for counts in (entry.thrown, entry.emerged, entry.inside))
        by_colour = " ".join(f"{count or '.':>{len(colour)}}" for colour, count in entry.emerged.items())
        number, points, gold = (entry.round, entry.action_points, entry.gold) if entry.index else ("-", "", "")
        line = _LINE.format(entry.index, number, entry.phase, *cubes, by_colour, points, gold)
        remarks = ["skipped"] * entry.skipped
        remarks += [str(entry.status)] * (entry.status is not Status.SETTLED)
        remarks += [f"drawn {entry.attempts} times"] * (entry.attempts > 1)
        remarks += [f"{sum(entry.waiting.values())} waiting"] * any(entry.waiting.values())
        return f"{line}  {', '.join(remarks)}".rstrip()

    def document_of(self, turns: Sequence[Turn], rules: Rules, *, apparatus: str, model: str, seed: int) -> AmerigoGame:
        entries = [turn.entry for turn in turns if turn.failed is None]
        return game_json(entries, seed=seed, model=model, apparatus=apparatus, rules=rules)

    def expected(self, rules: Rules) -> int:
        return rules.drops

    def caption(self, rules: Rules, *, apparatus: str, model: str, seed: int) -> str:
        return f"{self.game.title}, tower {apparatus}, {model}, seed {seed}"


def game_summary(entries: Sequence[DropEntry], rules: Rules) -> str:
    """Return two plain sentences about a game, then statistics."""
    inside = [sum(entry.inside.values()) for entry in entries]
    phases = [entry for entry in entries if entry.index > 0]
    lines = ["", in_plain_words(entries), "", f"inside   {_sparkline(inside)}  {_spread(inside)}"]
    lines.append(f"         {inside[0]} after the set-up, {inside[-1]} at the end")
    if phases:
        out = [sum(entry.emerged.values()) for entry in phases]
        thrown = [sum(entry.thrown.values()) for entry in phases]
        lines.append(f"out      {_sparkline([0, *out])[1:]:>{len(inside)}}  {_spread(out)} a phase")
        lines.append(f"         thrown {_spread(thrown)}")
    width = max(len(colour) for colour in rules.colours)
    lines.append(f"\n{'':{width}}  out in all  allowed in phases  inside at the end")
    for colour in rules.colours:
        came = sum(entry.emerged[colour] for entry in phases)
        allowed = sum(colour in entry.actions for entry in phases)
        lines.append(f"{colour:{width}}  {came:10}  {allowed:17}  {entries[-1].inside[colour]:17}")
    redrawn = sum(max(entry.attempts - 1, 0) for entry in entries)
    skipped = sum(entry.skipped for entry in phases)
    counts = sorted(Counter(str(entry.status) for entry in entries if entry.attempts).items())
    statuses = ", ".join(f"{count} {status}" for status, count in counts)
    lines.append(f"\n{skipped} of {count_noun(len(phases), 'phase')} skipped; drops: {statuses}; {redrawn} drawn again")
    return "\n".join(lines)


def in_plain_words(entries: Sequence[DropEntry]) -> str:
    """Return two sentences about a game."""
    inside = [sum(entry.inside.values()) for entry in entries]
    phases = [entry for entry in entries if entry.index > 0]
    less = "One game is one draw: another seed gives other numbers, and tower-sim compare tells what rules change."
    if not phases:
        return (
            f"{inside[0]} of {count_noun(sum(entries[0].thrown.values()), 'cube')} stayed in the tower at "
            f"the set-up. {less}"
        )
    actions = [len(entry.actions) for entry in phases]
    choice = sum(number > 1 for number in actions)
    points = sum(entry.action_points for entry in phases) / len(phases)
    mean = sum(actions) / len(phases)
    return (
        f"On average there were {mean:.1f} actions to choose from in a phase and {points:.1f} action points, "
        f"with a choice of two or more in {choice} of {count_noun(len(phases), 'phase')}; "
        f"{min(inside[1:])} to {max(inside[1:])} cubes stayed in the tower. {less}"
    )


def _spread(values: Sequence[int]) -> str:
    return f"mean {sum(values) / len(values):.1f} ({min(values)} to {max(values)})"


def _sparkline(values: Sequence[int]) -> str:
    top = max(max(values), 1)
    return "".join(_BARS[-(-value * (len(_BARS) - 1) // top)] for value in values)

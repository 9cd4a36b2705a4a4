"""Battles of a declared game: `tower-sim battle --game NAME`, and the odds of many.

A game is one of battles where it has colour parameters `attacker` and `defender`, numbers `attackers` and `defenders`,
and a reading `winner` whose words are `attacker`, `defender` and any other, such as `nobody`. What else it reads is
told too; a parameter `battles`, where there is one, is 1 unless it is set. The last battle of a run counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tower_sim.apparatus.parts import Apparatus
from tower_sim.cubes import count_by_colour, parse_counts
from tower_sim.errors import UsageError, fault
from tower_sim.games.declared.declaration import Declaration
from tower_sim.games.declared.expressions import COLOUR, NUMBER, WORD
from tower_sim.games.declared.play import Throw
from tower_sim.games.declared.rules import DeclaredRules, read_rules
from tower_sim.games.declared.ways import DeclaredWays
from tower_sim.games.declared.words import of_tower
from tower_sim.games.game import Turn
from tower_sim.games.odds import mean, proportion, said_mean, said_proportion
from tower_sim.games.ways import Asked, ManyRuns, Option
from tower_sim.statistics import CONFIDENCE

SCHEMA, VERSION = "tower-sim/declared-battles", 1
SIDES = {"attack": ("attacker", "attackers"), "defend": ("defender", "defenders")}  # by the option's name
WINNER, BATTLES = "winner", "battles"
RULES_OF_THUMB = {"two_thirds": "2/3-1/3 rule", "online_rule": "an online rule"}


def is_battle(of: Declaration) -> bool:
    """Say whether a game is one of battles."""
    kinds = {name: one.kind for name, one in of.parameters.items()}
    has_sides = all(kinds.get(side) == COLOUR and kinds.get(number) == NUMBER for side, number in SIDES.values())
    winner = of.readings.get(WINNER)
    sides = {side for side, _ in SIDES.values()}
    return has_sides and winner is not None and winner.kind == WORD and sides <= set(winner.words())


class CupWays(DeclaredWays):
    """Who attacks and who defends, beside what every declared game takes."""

    options = (
        Option("attack", "COLOUR=N", "who attacks, with how many cubes, as in red=6", required=True),
        Option("defend", "COLOUR=N", "who defends, with how many cubes, as in blue=4", required=True),
        *DeclaredWays.options,
    )
    command = "battle"
    command_help = "fight a battle, or many for the odds"
    beside = tuple(RULES_OF_THUMB)

    def of_options(self, given: Mapping[str, Any], asked: Asked | None) -> Asked:
        """See Ways; both sides are given, or none."""
        base = super().of_options(given, asked)
        said = [option for option in SIDES if option in given]
        if not said:
            return base
        for option in SIDES:
            if option not in given:
                raise UsageError(f"--{option} is missing; allowed with --{said[0]} is COLOUR=N; try --{option} red=6")
        rules: DeclaredRules = base.rules
        changes = {name: value for option in SIDES for name, value in _side(option, given[option]).items()}
        set_too = [change.partition("=")[0].strip() for change in given.get("set", ())]
        if BATTLES in rules.values and BATTLES not in set_too:
            changes[BATTLES] = 1
        knocks = {str(drop): strength for drop, strength in rules.knocks.items()}
        fought = read_rules(rules.declaration, {**rules.values, **changes}, knocks)
        _check_sides(fought)
        return replace(base, rules=fought)

    def odds(self) -> ManyRuns:
        """See Ways."""
        return CupOdds()


def _side(option: str, text: str) -> dict[str, Any]:
    counts = parse_counts(text, f"--{option}")
    if len(counts) != 1:
        raise fault(f"--{option}", text, "one side, COLOUR=N", f"try --{option} red=6")
    return dict(zip(SIDES[option], *counts.items(), strict=True))


def _check_sides(rules: DeclaredRules) -> None:
    (attacker, attackers), (defender, defenders) = SIDES.values()
    if rules.values[attacker] == rules.values[defender]:
        raise fault("attacker and defender", rules.values[attacker], "two colours", "let another one defend")
    if not (rules.values[attackers] or rules.values[defenders]):
        raise fault("cubes of a battle", 0, "1 or more", "give a side some")


@dataclass(slots=True)
class CupOdds(ManyRuns):
    """Finished runs, added one by one: who won the last battle of each, what was read there, what stays in the tower.

    `played` are runs in which a battle was fought at all.
    """

    wins: Counter[str] = field(default_factory=Counter[str])
    numbers: dict[str, list[int]] = field(default_factory=dict[str, list[int]])
    inside: dict[str, list[int]] = field(default_factory=dict[str, list[int]])
    names: tuple[str, str] = ("", "")

    def add(self, turns: Sequence[Turn]) -> None:
        """See ManyRuns. Raises UsageError for a run without a battle."""
        last = next((turn for turn in reversed(turns) if turn.facts.get(WINNER)), None)
        if last is None:
            raise UsageError("number of battles fought is 0; allowed is 1 or more; let somebody attack")
        throw: Throw = last.entry
        declaration = self.rules.declaration
        self.wins[last.facts[WINNER]] += 1
        for name, read in throw.read.items():
            if declaration.readings[name].kind == NUMBER and isinstance(read.value, int):
                self.numbers.setdefault(name, []).append(read.value)
        for colour, count in count_by_colour(throw.table.tower.cubes, declaration.colours).items():
            self.inside.setdefault(colour, []).append(count)
        self.names = (last.state.model, last.state.apparatus)

    @property
    def runs(self) -> int:
        """See ManyRuns."""
        return self.wins.total()

    def summary(self) -> dict[str, Any]:
        """Return chances and means with 95 % intervals: Wilson's and Student's; ready for `json.dumps`."""
        words = self.rules.declaration.readings[WINNER].words()
        every = [sum(counts) for counts in zip(*self.inside.values(), strict=True)]
        return {
            "games": self.runs,
            "confidence": CONFIDENCE,
            "win": {word: proportion(self.wins[word], self.runs) for word in words},
            "means": {name: mean(values) for name, values in self.numbers.items()},
            "inside": {"all": mean(every)} | {colour: mean(counts) for colour, counts in self.inside.items()},
        }

    def document(self) -> dict[str, Any]:
        """See ManyRuns."""
        model, apparatus = self.names
        return {
            "schema": SCHEMA,
            "version": VERSION,
            "seed": str(self.seed),
            "model": model,
            "apparatus": apparatus,
            "game": self.rules.declaration.name,
            "rules": self.rules.plain,
            "summary": self.summary(),
            "beside": {name: other.document()["summary"] for name, other in self.beside.items()},
        }

    def words(self) -> str:
        """See ManyRuns."""
        return _report(self.document(), self.rules)

    def draw(self, apparatus: Apparatus, path: str | Path) -> None:
        """See ManyRuns: who wins, and what stays in the tower, beside the rules of thumb."""
        from tower_sim.games.declared.battle_picture import draw_odds

        columns = _columns(self.document())
        draw_odds(columns, _who(self.rules), path, title=_head(self.document(), self.rules))


# Words


def summary(turns: Sequence[Turn], rules: DeclaredRules) -> str:
    """Return what the battles of a run came to: who won how many, and what the tower did."""
    landed = [turn for turn in turns if turn.failed is None]
    wins = Counter(str(turn.facts[WINNER]) for turn in landed if turn.facts.get(WINNER))
    if not wins:
        return "No battle was fought. Nobody won."
    who = _who(rules)
    won = ", ".join(f"{who[word]} {count}" for word, count in wins.most_common())
    if wins.total() == 1:
        (word,) = wins
        end = f"It ends with {word}." if who[word] == word else f"{who[word]} wins."
        return f"{end} {of_tower(landed)}"
    return f"Of {wins.total()} battles this many were won: {won}. {of_tower(landed)}"


def _columns(document: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Return the summaries that stand beside each other, by what they are of."""
    model = str(document["model"])
    return {RULES_OF_THUMB.get(model, model): document["summary"]} | {
        RULES_OF_THUMB[name]: summary for name, summary in document["beside"].items()
    }


def _who(rules: DeclaredRules) -> dict[str, str]:
    """Return who each word for a winner is: a side's colour, else the word."""
    words = rules.declaration.readings[WINNER].words()
    sides = {side: str(rules.values[side]) for side, _ in SIDES.values()}
    return {word: sides.get(word, word) for word in words}


def _head(document: Mapping[str, Any], rules: DeclaredRules) -> str:
    sides = " against ".join(f"{rules.values[side]} {rules.values[number]}" for side, number in SIDES.values())
    made = f"tower {document['apparatus']}, {document['model']}, seed {document['seed']}"
    return f"{rules.declaration.title}: {sides}; {made}"


def _report(document: Mapping[str, Any], rules: DeclaredRules) -> str:
    columns, who = _columns(document), _who(rules)
    summary, every = document["summary"], list(columns.values())
    rows = [
        *([_wins(word, who), *(said_proportion(each["win"][word]) for each in every)] for word in who),
        *([name.replace("_", " "), *(said_mean(each["means"][name]) for each in every)] for name in summary["means"]),
        *([f"inside: {name}", *(said_mean(each["inside"][name]) for each in every)] for name in summary["inside"]),
    ]
    table = [["", *columns], *rows]
    widths = [max(len(row[i]) for row in table) for i in range(len(table[0]))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in table]
    counts = ", ".join(f"{each['games']} by {name}" for name, each in columns.items())
    head = [_head(document, rules), f"battles: {counts}; in brackets 95 % intervals"]
    return "\n".join([*_plain(summary, rules, who), "", *head, "", *lines])


def _wins(word: str, who: Mapping[str, str]) -> str:
    return word if who[word] == word else f"{who[word]} wins"


def _plain(summary: Mapping[str, Any], rules: DeclaredRules, who: Mapping[str, str]) -> list[str]:
    """Say in two sentences who wins, how sure that is, and what stays in the tower."""
    wins = summary["win"]
    first, *others = sorted(wins, key=lambda word: -wins[word]["share"])
    sure = all(wins[first]["interval"][0] > wins[other]["interval"][1] for other in others)
    shares = {word: f"{100 * wins[word]['share']:.0f}" for word in wins}
    rest = ", ".join(f"{who[word]} {shares[word]}" for word in others)
    told = f"{who[first]} wins about {shares[first]} of 100 battles like this"
    if who[first] == first:
        told = f"About {shares[first]} of 100 battles like this end with {first}"
    certain = "sure" if sure else f"not sure after {summary['games']}"
    told += f" ({rest}): that it is the likeliest end is {certain}."
    sides = ", ".join(
        f"{summary['inside'][str(rules.values[side])]['mean']:.1f} {rules.values[side]}" for side, _ in SIDES.values()
    )
    inside = summary["inside"]["all"]["mean"]
    return [told, f"Afterwards {inside:.1f} cubes are in the tower on average, {sides} among them."]

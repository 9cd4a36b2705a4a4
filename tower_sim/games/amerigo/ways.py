"""The ways to a game of Amerigo: its options on the command line, and its request of the service."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from tower_sim.contract import DropModel
from tower_sim.errors import UsageError, fault, shown
from tower_sim.games.amerigo.phases import SCHEMA, VERSION, knocks_of
from tower_sim.games.amerigo.rules import Played
from tower_sim.games.knocks import check_knocks
from tower_sim.games.ways import Asked, Option, Ways, check_words

_SETUP = "amerigo --cubes blue=7,black=7,red=7,brown=7,green=7,yellow=7,white=7"


class AmerigoWays(Ways):
    """Fewer or more rounds, and knocks on the table, beside the rules."""

    options = (
        Option("rounds", "N", "rounds to play, 1 or more (default: the rules' 5)", whole=True),
        Option(
            "knock-after",
            "DROP=STRENGTH",
            "knock on the table after drop DROP (0 is the set-up), with a peak acceleration of STRENGTH g, "
            "as in 3=0.5; may be repeated for other drops",
            repeated=True,
        ),
    )
    request = "game"
    fields = ("rules", "rounds", "knocks")
    document = (SCHEMA, VERSION)

    def of_options(self, given: Mapping[str, Any], asked: Asked | None) -> Asked:
        """See Ways."""
        if given.get("rounds", 1) < 1:
            raise fault(
                "--rounds",
                given["rounds"],
                "a whole number from 1",
                f"the set-up alone is a drop: tower-sim drop {_SETUP}",
            )
        table = _knocks(given["knock-after"]) if "knock-after" in given else None
        return _changed(super().of_options(given, asked), given, table)

    def of_fields(self, given: Mapping[str, Any], asked: Asked | None) -> Asked:
        """See Ways."""
        changed = _changed(super().of_fields(given, asked), given, given.get("knocks"))
        check_words("colours", changed.rules.rules.colours)
        return changed

    def check(self, model: DropModel, rules: Played) -> None:
        """See Ways; here a knock that is too hard, or any where the model knows none."""
        check_knocks(model, rules.knocks)

    def caption(self, rules: Played, *, apparatus: str, model: str, seed: int) -> str:
        """See Ways."""
        return f"{self.game.title}, tower {apparatus}, {model}, seed {seed}"


def _changed(asked: Asked, given: Mapping[str, Any], knocks: object) -> Asked:
    """Return what is asked for with other `rounds`, if these are given, and other knocks, if these are not None."""
    played: Played = asked.rules
    rules = replace(played.rules, rounds=given["rounds"]) if "rounds" in given else played.rules
    kept = {str(drop): strength for drop, strength in played.knocks.items()}
    return replace(asked, rules=Played(rules, knocks_of(kept if knocks is None else knocks, rules)))


def _knocks(items: Sequence[str]) -> dict[str, float]:
    """Read `--knock-after`: DROP=STRENGTH, each drop once; raises UsageError."""
    table: dict[str, float] = {}
    for item in items:
        drop, _, text = (part.strip() for part in item.partition("="))
        try:
            strength = float(text)
        except ValueError:
            strength = None
        if strength is None or drop in table:
            allowed = "DROP=STRENGTH, each drop once; try --knock-after 3=0.5"
            raise UsageError(f"--knock-after {shown(item)}; allowed is {allowed}")
        table[drop] = strength
    return table

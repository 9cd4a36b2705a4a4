"""The ways to a declared game on the command line: what its table chooses, and knocks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tower_sim.contract import DropModel
from tower_sim.errors import UsageError, shown
from tower_sim.games.declared.document import SCHEMA, VERSION
from tower_sim.games.declared.rules import DeclaredRules, read_rules
from tower_sim.games.knocks import check_knocks
from tower_sim.games.ways import Asked, Option, Ways
from tower_sim.reading import toml_table


class DeclaredWays(Ways):
    """Parameters and policies one by one, and knocks on the table, beside a file of rules."""

    options = (
        Option(
            "set",
            "KEY=VALUE",
            "change a parameter or a policy, as in players=3; may be repeated for other keys",
            repeated=True,
        ),
    )
    document = (SCHEMA, VERSION)
    turns = "throws"

    def of_options(self, given: Mapping[str, Any], asked: Asked | None) -> Asked:
        """See Ways."""
        base = super().of_options(given, asked)
        rules: DeclaredRules = base.rules
        changes: dict[str, Any] = {}
        for change in given.get("set", ()):
            key, equals, value = (part.strip() for part in change.partition("="))
            if not (key and equals) or key in changes:
                known = ", ".join(rules.values) or "none: this game has no parameters and no policies"
                raise UsageError(f"--set {shown(change)}; allowed is KEY=VALUE, each key once; the keys are {known}")
            changes[key] = _value(value)
        knocks = {str(drop): strength for drop, strength in rules.knocks.items()}
        return replace(base, rules=read_rules(rules.declaration, {**rules.values, **changes}, knocks))

    def check(self, model: DropModel, rules: DeclaredRules) -> None:
        """See Ways; here a knock that is too hard, or any where the model knows none."""
        check_knocks(model, rules.knocks)

    def expected(self, rules: DeclaredRules) -> int | None:
        """See Ways; nobody knows of a game that ends early."""
        return None if rules.declaration.until else rules.usual_throws


def _value(text: str) -> object:
    """Read a value as in TOML; a word needs no quotes."""
    try:
        return toml_table(f"value = {text}", "the value")["value"]
    except UsageError:
        return text

"""The names of a declared game: its colours, groups, pools, parameters, policies and look-ups, each name one thing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

from tower_sim.errors import fault
from tower_sim.games.declared.declaration import MAX_COLOURS, TableParameter
from tower_sim.games.declared.expressions import COLOUR, COLOURS, DROP, MAX_NUMBER, NUMBER, PHASE, PLACES, ROUND, Names
from tower_sim.games.declared.expressions import WORD as WORDS
from tower_sim.games.declared.fields import fields, items, named, one_of, some_of, table, text, whole, word
from tower_sim.games.declared.readings import ByPolicy, Reading, kind_of, words_of

_OF_RULES = ("game", "apparatus", "rules", "knocks", "declared")  # keys of a rules file beside its rules'


@dataclass(frozen=True)
class Known:
    """All names but the readings', and what stands behind parameters and policies; `names` are those of a throw."""

    names: Names
    parameters: Mapping[str, TableParameter]
    policies: Mapping[str, ByPolicy]

    @property
    def pools(self) -> tuple[str, ...]:
        """The pools, in their order."""
        return self.names.places[: -len(PLACES)]

    @property
    def at_start(self) -> Names:
        """What is known before a run begins: numbers of parameters."""
        numbers = frozenset(name for name, one in self.parameters.items() if one.kind == NUMBER)
        return Names(numbers=numbers)

    def with_readings(
        self, readings: Mapping[str, Reading], places: tuple[str, ...] | None = None, *, in_each: bool = False
    ) -> Names:
        """Return the names there are where `readings` were made; `in_each`: the phase is that of a colour."""
        names = self.names
        kinds = {name: reading.kind for name, reading in readings.items()}
        words = {name for name, kind in kinds.items() if kind == COLOUR} | ({PHASE} if in_each else set[str]())
        return replace(
            names,
            places=names.places if places is None else places,
            numbers=names.numbers | {name for name, kind in kinds.items() if kind == NUMBER},
            words=names.words | words,
            choices={name: reading.words() for name, reading in readings.items() if reading.kind == WORDS},
        )


def known_of(given: Mapping[str, Any]) -> Known:
    """Return the names that a file's table makes; raises UsageError for a name that is none, and one used twice."""
    pools = named(given["pools"], "pools")
    if not pools:
        raise fault("pools", {}, "one pool of cubes or more", "write [pools.box] and under it blue = 7")
    groups = named(given.get("groups", {}), "groups")
    own = named(given.get("parameters", {}), "parameters")
    colours = _colours(given, pools, {*groups, *own, COLOURS})
    members = {group: some_of(of, f"groups.{group}", colours, MAX_COLOURS) for group, of in groups.items()}
    parameters = {name: _parameter(name, of, colours, members) for name, of in own.items()}
    policies = {name: _policy(name, of) for name, of in named(given.get("policies", {}), "policies").items()}
    tables = {name: _values(name, of, colours) for name, of in named(given.get("values", {}), "values").items()}
    for what, names in (("parameters", parameters), ("policies", policies)):
        for name in names:
            if name in _OF_RULES:
                raise fault(f"{what}.{name}", name, f"a name other than {', '.join(_OF_RULES)}", "choose another")
    sorts: dict[str, str] = {}
    for sort, names in (
        ("colours", colours), ("groups", groups), ("pools", pools), ("parameters", parameters),
        ("policies", policies), ("values", tables),
    ):  # fmt: skip
        for name in names:
            if name in sorts:
                raise fault(f"{sort}.{name}", name, f"a name that {sorts[name]} do not have", "choose another")
            sorts[name] = sort
    numbers = {name for name, one in parameters.items() if one.kind == NUMBER} | {ROUND, DROP}
    return Known(
        Names(
            colours=colours,
            groups=members,
            places=(*pools, *PLACES),
            numbers=frozenset(numbers | {name for name, one in policies.items() if one.kind == NUMBER}),
            words=frozenset(name for name, one in parameters.items() if one.kind == COLOUR),
            tables=tables,
        ),
        parameters,
        policies,
    )


def colours_of(value: object, where: str, names: Names) -> tuple[str, ...]:
    """Return the colours of a list, of a group or of `colours`, which are all."""
    if isinstance(value, str):
        if value == COLOURS:
            return names.colours
        return names.groups[one_of(value, where, names.groups)]
    return some_of(value, where, names.colours, MAX_COLOURS)


def _colours(given: Mapping[str, Any], pools: Mapping[str, Any], others: set[str]) -> tuple[str, ...]:
    """Return those that are listed; else, in their order, those that the pools name."""
    if "colours" in given:
        listed = items(given["colours"], "colours", 1, MAX_COLOURS)
        found = [word(colour, "a word in colours", is_colour=True) for colour in listed]
        if len(set(found)) < len(found):
            raise fault("colours", found, "each colour once", "remove the second")
        return tuple(found)
    keys = [key for pool, counts in pools.items() for key in table(counts, f"pools.{pool}", 4 * MAX_COLOURS)]
    colours = dict.fromkeys(key for key in keys if key not in others)
    if not 1 <= len(colours) <= MAX_COLOURS:
        raise fault("number of colours in pools", len(colours), f"1 to {MAX_COLOURS}", "write blue = 7 under a pool")
    return tuple(word(colour, "a key of pools", is_colour=True) for colour in colours)


def _parameter(
    name: str, of: object, colours: tuple[str, ...], groups: Mapping[str, tuple[str, ...]]
) -> TableParameter:
    where = f"parameters.{name}"
    given = fields(of, where, ("is", "from", "to", "of", "says"), needed=("is",))
    says = text(given.get("says", ""), f"{where}.says")
    if "of" not in given:
        least = whole(given.get("from", 0), f"{where}.from", 0, MAX_NUMBER)
        most = whole(given.get("to", MAX_NUMBER), f"{where}.to", least, MAX_NUMBER)
        return TableParameter(name, whole(given["is"], f"{where}.is", least, most), least, most, says=says)
    if extra := [key for key in ("from", "to") if key in given]:
        raise fault(f"{where}.{extra[0]}", given[extra[0]], "none where there is an `of`", "remove it")
    words = colours_of(given["of"], f"{where}.of", Names(colours=colours, groups=groups))
    return TableParameter(name, one_of(given["is"], f"{where}.is", words), of=words, says=says)


def _policy(name: str, of: object) -> ByPolicy:
    """Return what kind of reading a policy is: all its choices are of one."""
    where = f"policies.{name}"
    given = fields(of, where, ("is", "of", "says"), needed=("is", "of"))
    text(given.get("says", ""), f"{where}.says")
    choices = named(given["of"], f"{where}.of")
    one_of(given["is"], f"{where}.is", choices)
    kinds = {choice: kind_of(way, f"{where}.of.{choice}") for choice, way in choices.items()}
    first = next(iter(kinds.values()))
    for choice, kind in kinds.items():
        if kind != first:
            raise fault(f"{where}.of.{choice}", kind, f"{first}, as the choices before it", "make all of one kind")
    spoken = dict.fromkeys(each for way in choices.values() for each in words_of(way)) if first == WORDS else {}
    return ByPolicy(name, first, tuple(spoken))


def _values(name: str, of: object, colours: tuple[str, ...]) -> dict[str, int]:
    where = f"values.{name}"
    found: dict[str, int] = {}
    for colour, number in table(of, where, MAX_COLOURS).items():
        found[one_of(colour, f"a key of {where}", colours)] = cast("int", number)
        whole(number, f"{where}.{colour}", -MAX_NUMBER, MAX_NUMBER)
    return found

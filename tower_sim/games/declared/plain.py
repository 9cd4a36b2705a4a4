"""A checked declared game as a plain tree of lists, words and whole numbers: what other languages play it by.

    file --checked.py--> Declaration --plain--> JSON --> declared.js

Nothing is left to read, to check or to fill in: every default is there, every expression is a tree, every group its
colours. Version 1 of `tower-sim/declared-tree` has

    name, title, about, source, apparatus   texts of the file
    colours      the colours in their order; counts by colour are lists in this order
    limits       cubes (of a game), throws (of a run), again (throws of a phase), number (in size)
    parameters   {name, kind: "number", is, from, to, says} or {name, kind: "colour", is, of: [COLOUR...], says}
    policies     {name, is, of: [CHOICE...], says, ways: [WAY...]}, a way for each choice
    pools        {name, counts: [{colours: [COLOUR...], number} or {parameter, number}...]}
    tables       {name, values: [a number by colour...]}
    setup        a phase or null
    times, until the rounds: an expression over the parameters; an expression or null
    phases       {name, each: [COLOUR...], when, before: [MOVE...], throw: [CUBES...], along: [CUBES...], sample,
                 needs: [CUBES...], nothing: "read", "skip" or "again", unload: POOL or "", read: [{name, way}...],
                 effects: {on, by: [{value, event, says, amount}...]} or null, after: [MOVE...]}
    knocked      the pool of what a knock releases, or ""
    readings     all of the file, the first of each name: {name, kind: "number", "colour", "word" or "set", values}
    figures      of a run, as comparisons have them: {key, title, unit}
    own          those of the file: {key, take, of, among, where}, expressions over the columns of a throw
    main         {reading, values}: what a device stands for, else the first of a colour or a word; or null
    device       what the tower stands in for, or null: {name, kind, reads, counts: POOL or [{event, number}...],
                 kinds: [{name, events}...], deal, most}; of dice the counts are of the ways that they fall; `most` is
                 how many a device of that kind may hold
    is_battle    whether `tower-sim battle` fights it

    EXPRESSION   a whole number from 0, or {text, where, tree}; null where there is none
    tree         a whole number, a word, or a list as trees.py has them
    CUBES        {place}, {place, colours: [COLOUR...]} or {place, word: NAME}
    MOVE         {to, cubes, read: a reading's name or "", number, when}; cubes is null where read is not ""
    WAY          {way: "number", number}, {way: "one", cubes}, {way: "most", cubes, tie}, {way: "set", cubes},
                 {way: "value", reading, table}, {way: "which", words: [{word, when}...]} or {way: "policy", policy}
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from tower_sim.cubes import MAX_CUBES
from tower_sim.games.declared.battle import is_battle
from tower_sim.games.declared.compared import main_reading, values_of
from tower_sim.games.declared.declaration import (
    MAX_AGAIN,
    MAX_DROPS,
    Declaration,
    DeclaredDevice,
    Effects,
    Move,
    Phase,
    Policy,
    TableParameter,
)
from tower_sim.games.declared.expressions import (
    COLOUR,
    COLOURS,
    MAX_NUMBER,
    NUMBER,
    WORD,
    CubesAt,
    Expression,
    Names,
)
from tower_sim.games.declared.figures import figures_of
from tower_sim.games.declared.readings import (
    SET,
    ByPolicy,
    LookedUp,
    Most,
    One,
    Present,
    Reading,
    Which,
    WorkedOut,
)
from tower_sim.games.devices import Bag, Deck, of_dice
from tower_sim.runs.figure import Figure

SCHEMA = "tower-sim/declared-tree"
VERSION = 1

_KINDS = {NUMBER: "number", COLOUR: "colour", WORD: "word", SET: "set"}


def plain(of: Declaration) -> dict[str, Any]:
    """Return the tree of a game, ready for `json.dumps`; see the module."""
    names = of.names
    main = main_reading(of)
    return {
        "schema": SCHEMA,
        "version": VERSION,
        "name": of.name,
        "title": of.title,
        "about": of.about,
        "source": of.source,
        "apparatus": of.apparatus,
        "colours": [*of.colours],
        "limits": {"cubes": MAX_CUBES, "throws": MAX_DROPS, "again": MAX_AGAIN, "number": MAX_NUMBER},
        "parameters": [_parameter(one) for one in of.parameters.values()],
        "policies": [_policy(one, names) for one in of.policies.values()],
        "pools": [{"name": pool, "counts": _counts(counts, names)} for pool, counts in of.pools.items()],
        "tables": [
            {"name": name, "values": [values.get(colour, 0) for colour in of.colours]}
            for name, values in names.tables.items()
        ],
        "setup": _phase(of.setup, names) if of.setup else None,
        "times": expression_of(of.times, names),
        "until": expression_of(of.until, names),
        "phases": [_phase(phase, names) for phase in of.phases],
        "knocked": of.knocked,
        "readings": [
            {"name": name, "kind": _KINDS[one.kind], "values": [] if one.kind == NUMBER else [*values_of(of, name)]}
            for name, one in of.readings.items()
        ],
        "figures": [{"key": one.key, "title": one.title, "unit": one.unit} for one in figures_of(of)],
        "own": [_own(figure) for figure in of.figures],
        "main": {"reading": main, "values": [*values_of(of, main)]} if main else None,
        "device": _device(of.compared_with, names) if of.compared_with else None,
        "is_battle": is_battle(of),
    }


def _own(figure: Figure) -> dict[str, Any]:
    """Return what a figure of the game's own is made of, over the columns of each throw and what is read of it."""
    said = {"key": figure.key, "take": figure.take}
    return said | {
        name: {"text": part.text, "where": f"figures.{figure.key}.{name}", "tree": part.plain()}
        for name, part in figure.parts.items()
    }


def expression_of(of: Expression | None, names: Names) -> Any:
    """Return an expression whose `names` mean what they say; see the module."""
    if of is None or (isinstance(of.tree, int) and of.tree >= 0):
        return None if of is None else of.tree
    return {"text": of.text, "where": of.where, "tree": _tree(of.tree, names)}


def _parameter(of: TableParameter) -> dict[str, Any]:
    limits = {"of": [*of.of]} if of.of else {"from": of.least, "to": of.most}
    return {"name": of.name, "kind": _KINDS[of.kind], "is": of.default, **limits, "says": of.says}


def _policy(of: Policy, names: Names) -> dict[str, Any]:
    ways = [_way(way, names) for way in of.choices.values()]
    return {"name": of.name, "is": of.default, "of": [*of.choices], "says": of.says, "ways": ways}


def _counts(of: Mapping[str, Expression], names: Names) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for key, number in of.items():
        meant = names.colours if key == COLOURS else (key,) if key in names.colours else names.groups.get(key)
        what = {"colours": [*meant]} if meant is not None else {"parameter": key}
        found.append({**what, "number": expression_of(number, names)})
    return found


def _phase(of: Phase, names: Names) -> dict[str, Any]:
    return {
        "name": of.name,
        "each": [*of.each],
        "when": expression_of(of.when, names),
        "before": [_move(move, names) for move in of.before],
        "throw": [_cubes(cubes, names) for cubes in of.throw],
        "along": [_cubes(cubes, names) for cubes in of.along],
        "sample": expression_of(of.sample, names),
        "needs": [_cubes(cubes, names) for cubes in of.needs],
        "nothing": of.nothing,
        "unload": of.unload,
        "read": [{"name": name, "way": _way(way, names)} for name, way in of.read.items()],
        "effects": _effects(of.effects, names) if of.effects else None,
        "after": [_move(move, names) for move in of.after],
    }


def _move(of: Move, names: Names) -> dict[str, Any]:
    return {
        "to": of.to,
        "cubes": _cubes(of.cubes, names) if of.cubes else None,
        "read": of.read,
        "number": expression_of(of.number, names),
        "when": expression_of(of.when, names),
    }


def _effects(of: Effects, names: Names) -> dict[str, Any]:
    by = [
        {"value": value, "event": one.event, "says": one.says, "amount": expression_of(one.amount, names)}
        for value, one in of.by.items()
    ]
    return {"on": of.on, "by": by}


def _way(of: Reading, names: Names) -> dict[str, Any]:
    match of:
        case WorkedOut(number):
            return {"way": "number", "number": expression_of(number, names)}
        case One(cubes):
            return {"way": "one", "cubes": _cubes(cubes, names)}
        case Most(cubes, tie):
            return {"way": "most", "cubes": _cubes(cubes, names), "tie": tie}
        case Present(cubes):
            return {"way": "set", "cubes": _cubes(cubes, names)}
        case LookedUp(reading, table):
            return {"way": "value", "reading": reading, "table": table}
        case Which(by_word):
            words = [{"word": word, "when": expression_of(when, names)} for word, when in by_word.items()]
            return {"way": "which", "words": words}
        case ByPolicy(policy):
            return {"way": "policy", "policy": policy}
        case _:
            raise AssertionError(of)


def _device(of: DeclaredDevice, names: Names) -> dict[str, Any]:
    counts: Any = of.counts
    if of.dice:
        counts = of_dice(of.dice).counts
    if not isinstance(counts, str):
        counts = [
            {"event": event, "number": expression_of(number, names) if isinstance(number, Expression) else number}
            for event, number in counts.items()
        ]
    return {
        "name": of.name,
        "kind": of.kind,
        "reads": of.reads,
        "counts": counts,
        "kinds": [{"name": kind, "events": [*events]} for kind, events in of.kinds.items()],
        "deal": expression_of(of.deal, names),
        "most": (Deck if of.kind == "deck" else Bag).MOST,
    }


def _cubes(of: CubesAt, names: Names) -> dict[str, Any]:
    if not of.part:
        return {"place": of.place}
    meant = (of.part,) if of.part in names.colours else names.groups.get(of.part)
    return {"place": of.place, **({"word": of.part} if meant is None else {"colours": [*meant]})}


def _tree(of: object, names: Names) -> Any:
    if isinstance(of, CubesAt):
        return _cubes(of, names)
    return [_tree(part, names) for part in cast("tuple[object, ...]", of)] if isinstance(of, tuple) else of

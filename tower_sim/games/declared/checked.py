"""The checker of declared games: from a file's table to a Declaration, or one line with the key's path.

table --> known.py: every name --> phases.py: each phase --> Declaration
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tower_sim.errors import UsageError, fault, shown
from tower_sim.games.declared.declaration import (
    MAX_COLOURS,
    MAX_FILE,
    SCHEMA,
    SETUP,
    VERSION,
    Declaration,
    Phase,
    Policy,
)
from tower_sim.games.declared.expressions import NUMBER
from tower_sim.games.declared.fields import fields, items, named, one_of, table, text, word
from tower_sim.games.declared.grammar import read_expression
from tower_sim.games.declared.known import Known, known_of
from tower_sim.games.declared.phases import read_phase
from tower_sim.games.declared.readings import Reading, read_reading
from tower_sim.games.declared.stands_for import read_device
from tower_sim.reading import read_text, toml_table
from tower_sim.runs.figure import COLUMNS, MEAN, SHARE, TAKES, Figure

_HEAD = ("schema", "version", "name", "title", "about", "source", "apparatus", "colours", "knocked")
_TABLES = ("parameters", "policies", "groups", "pools", "values", "setup", "rounds", "phase", "devices", "figures")
_PAINTS = "paints"
_COLUMNS = tuple(
    column for column in COLUMNS if column != "old_out"
)  # which counts by colour, as a page has, leave open
_FIGURES = ("inside", "throws", "amount")  # that every game has, or may have
MAX_FIGURES = 20
_RGB = re.compile("#[0-9a-fA-F]{6}")
_TAKEN = ("drops", "cubes", "receipts", "set_aside", "declared")  # lie beside a game's own table in a dataset


def read_file(path: str | Path) -> Declaration:
    """Read the file of a declared game; raises UsageError, in one line that names the file and the key's path."""
    what = f"game {shown(str(path))}"
    given = toml_table(read_text(path, "game file", limit=MAX_FILE, advice="give the TOML file of a game"), what)
    try:
        return declaration_of(given)
    except UsageError as error:
        raise UsageError(f"{what}: {error}") from None


def declaration_of(given: Mapping[str, Any]) -> Declaration:
    """Check the table of a file and return the game; raises UsageError, in one line with the key's path."""
    head = [given.get("schema"), given.get("version")]
    if head != [SCHEMA, VERSION] or type(given["version"]) is not int:
        advice = f'begin the file with schema = "{SCHEMA}" and version = {VERSION}'
        raise fault("schema and version", head, f"{[SCHEMA, VERSION]}", advice)
    fields(given, "file", (*_HEAD, *_TABLES, _PAINTS), needed=("name", "pools", "phase"))
    name = word(given["name"], "name")
    if name in _TAKEN:
        raise fault("name", name, f"a word other than {', '.join(_TAKEN)}", "choose another")
    known = known_of(given)
    setup, phases, readings = _phases(given, known)
    rounds = fields(given.get("rounds", {}), "rounds", ("times", "until"))
    names = known.with_readings(readings)
    devices = named(given.get("devices", {}), "devices")
    return Declaration(
        table=given,
        name=name,
        title=text(given.get("title", name), "title") or name,
        about=text(given.get("about", ""), "about"),
        source=text(given.get("source", ""), "source"),
        apparatus=text(given.get("apparatus", ""), "apparatus"),
        names=names,
        parameters=known.parameters,
        policies={one: _policy(one, given["policies"][one], names) for one in known.policies},
        pools={pool: _counts(counts, f"pools.{pool}", known) for pool, counts in given["pools"].items()},
        setup=setup,
        times=read_expression(rounds.get("times", 1), "rounds.times", known.at_start),
        until=read_expression(rounds["until"], "rounds.until", names) if "until" in rounds else None,
        phases=phases,
        devices={one: read_device(one, of, known, readings) for one, of in devices.items()},
        knocked=one_of(given["knocked"], "knocked", known.pools) if "knocked" in given else "",
        paints=_paints(table(given.get("paints", {}), "paints", MAX_COLOURS), known),
        figures=tuple(
            _figure(one, of, readings) for one, of in named(given.get("figures", {}), "figures", MAX_FIGURES).items()
        ),
    )


def _phases(given: Mapping[str, Any], known: Known) -> tuple[Phase | None, tuple[Phase, ...], dict[str, Reading]]:
    """Return the set-up, the phases and the readings of all, the first of each name."""
    readings: dict[str, Reading] = {}
    setup = read_phase(given["setup"], SETUP, known, readings) if "setup" in given else None
    readings |= setup.read if setup else {}
    phases: list[Phase] = []
    for i, of in enumerate(items(given["phase"], "phase", 1)):
        phase = read_phase(of, f"phase[{i}]", known, readings, tuple(phase.name for phase in phases))
        readings = {**phase.read, **readings}
        phases.append(phase)
    in_order = [name for phase in ((setup, *phases) if setup else phases) for name in phase.read]
    return setup, tuple(phases), {name: readings[name] for name in in_order}


def _policy(name: str, given: Mapping[str, Any], names: Any) -> Policy:
    where = f"policies.{name}"
    ways = {choice: read_reading(way, f"{where}.of.{choice}", names, {}) for choice, way in given["of"].items()}
    return Policy(name, given["is"], ways, given.get("says", ""))


def _figure(name: str, given: object, readings: Mapping[str, Reading]) -> Figure:
    """Return a figure of the game's own; its names are the columns of a drop and the numbers that are read."""
    where = f"figures.{name}"
    of = fields(given, where, ("title", "unit", "says", "of", "among", "where", "take"), needed=("of",))
    if name in (*readings, *_FIGURES):
        raise fault(where, name, f"a word that no reading has, and none of {', '.join(_FIGURES)}", "choose another")
    take = one_of(of.get("take", MEAN), f"{where}.take", TAKES)
    written = [key for key in ("unit", "says", "of", "among", "where") if key in of]
    texts: dict[str, Any] = {"unit": SHARE}
    texts |= {key: text(of[key], f"{where}.{key}") for key in written}
    figure = Figure(name, text(of.get("title", name), f"{where}.title"), **texts, take=take)
    numbers = [one for one, reading in readings.items() if reading.kind == NUMBER]
    for part, read in figure.parts.items():
        for one in sorted(read.names - {*_COLUMNS, *numbers}):
            raise fault(f"a name in {where}.{part}", one, f"one of {', '.join((*_COLUMNS, *numbers))}", "mend it")
    return figure


def _paints(given: Mapping[str, Any], known: Known) -> dict[str, str]:
    for colour, rgb in given.items():
        one_of(colour, "a key of paints", known.names.colours)
        if not (isinstance(rgb, str) and _RGB.fullmatch(rgb)):
            raise fault(f"paints.{colour}", rgb, "# and six hexadecimal digits", 'write it as in "#f5c61e"')
    return dict(given)


def _counts(given: object, where: str, known: Known) -> dict[str, Any]:
    colour_words = [name for name, one in known.parameters.items() if one.of]
    keys = (*known.names.colours, *known.names.groups, "colours", *colour_words)
    counts = table(given, where, 4 * len(keys))
    return {
        one_of(key, f"a key of {where}", keys): read_expression(number, f"{where}.{key}", known.at_start)
        for key, number in counts.items()
    }

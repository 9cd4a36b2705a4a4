"""Told: what a document says that cubes did, so that it can be shown: of `drop --json`, and of `play --json` by counts.

Documents are those of docs/json.md, also as the service answers them, whose `id` is read over. Nothing of them is
believed before it is checked here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from tower_sim.cubes import MAX_CUBES
from tower_sim.errors import UsageError, check_kind, check_whole, fault, shown
from tower_sim.outcome import SCHEMA as OUTCOME
from tower_sim.places import INSIDE
from tower_sim.replay.matching import OUT, THROWN, Sought, Wanted
from tower_sim.state import MAX_SEED, TowerState
from tower_sim.terminal import counted

_PREFIX = "tower-sim/"
_MOST_DROPS = 10_000
_LONGEST = 200  # characters of a name
_ADVICE = "give what `drop --json` or `play --json` prints"


@dataclass(frozen=True, slots=True)
class ForeignStep:
    """One drop of a document: its `title`, a `text` that says what it did, what is `wanted` of it.

    `wanted` is None where nothing was thrown; `knocked`: a knock on the table belongs to it, which counts do not show.
    """

    title: str
    text: str
    wanted: Wanted | None
    knocked: bool = False


@dataclass(frozen=True, slots=True)
class ForeignDrops:
    """A document: what it is of, by names, its `seed`, and its steps; `game` is None for a drop."""

    apparatus: str
    model: str
    seed: int
    game: str | None
    steps: tuple[ForeignStep, ...]


def read_drops(document: object) -> ForeignDrops:
    """Read a document, as `json_value` gave it.

    Raises UsageError for what is none of a drop or of a game that tells counts by colour, and for counts that no drop
    can have.
    """
    table = _table(document, "the document")
    schema = _word(table, "schema")
    if table.get("version") != 1 or not schema.startswith(_PREFIX):
        what = f"{schema} version {shown(table.get('version'))}"
        raise fault("schema of the document", what, f"{OUTCOME} or a game's, version 1", _ADVICE)
    seed = _word(table, "seed")
    if not (seed.isascii() and seed.isdecimal() and len(seed) < 100 and int(seed) <= MAX_SEED):
        raise fault("seed of the document", seed, "text of a whole number from 0 to 2^128 - 1", _ADVICE)
    head = (_word(table, "apparatus"), _word(table, "model"), int(seed))
    if schema == OUTCOME:
        return ForeignDrops(*head, None, (_of_outcome(table),))
    if not isinstance(table.get("drops"), list):
        raise fault("schema of the document", schema, "one with `drops`: counts by colour of each drop", _ADVICE)
    game = table.get("game", schema.removeprefix(_PREFIX).removesuffix("-game"))
    return ForeignDrops(*head, check_kind("game of the document", game, str, "a word", _ADVICE), tuple(_of_play(table)))


def _of_outcome(table: Mapping[str, Any]) -> ForeignStep:
    """Read the document of one drop; which cubes were thrown is in the past of its state."""
    log = TowerState.from_token(_word(table, "state", 10_000_000)).log
    thrown = {cube.id for cube in log[-1].thrown} if log and log[-1].kind == "drop" else set[int]()
    if not thrown:
        allowed = "one that throws cubes; knocks are not matched"
        raise fault("drop of the document", "a knock alone", allowed, "take another")
    landings = cast("list[object]", check_kind("landings", table.get("landings"), list, "a list", _ADVICE))
    if len(landings) > MAX_CUBES:
        raise fault("number of landings", len(landings), f"up to {MAX_CUBES}", _ADVICE)
    cubes: dict[int, Sought] = {}
    for landing in landings:
        each = _table(landing, "a landing")
        number, place = each.get("cube"), _word(each, "place")
        check_whole("number of a cube", number, 0, 10**9)
        number = cast("int", number)
        before = THROWN if number in thrown else INSIDE
        cubes[number] = Sought(number, _word(each, "colour"), before, place if place.startswith(INSIDE) else OUT)
    if len(cubes) != len(landings) or not thrown <= set(cubes):
        raise UsageError(f"landings of the document are not those of its state; allowed is every cube once; {_ADVICE}")
    out = Counter(cube.colour for cube in cubes.values() if cube.after == OUT)
    wanted = Wanted(tuple(cubes[number] for number in sorted(cubes)), out)
    knocked = sum(_counts(table, "knocked_out").values()) > 0
    return ForeignStep("Drop", _text(wanted), wanted, knocked)


def _of_play(table: Mapping[str, Any]) -> Iterator[ForeignStep]:
    """Read the drops of a game one by one: before each lay inside what did before, or what its own counts say."""
    drops = cast("list[object]", table["drops"])
    if len(drops) > _MOST_DROPS:
        raise fault("number of drops", len(drops), f"up to {_MOST_DROPS}", _ADVICE)
    knocks = _table(table.get("knocks", {}), "knocks")
    inside: Counter[str] = Counter()
    for number, drop in enumerate(drops):
        each = _table(drop, f"drop {number}")
        thrown, out, after = (_counts(each, name) for name in ("thrown", "emerged", "inside"))
        knocked = str(each.get("index", number)) in knocks
        if knocked:  # `inside` is counted after it
            before = Counter[str]() if each.get("unloaded") is True else inside
        else:
            colours = dict.fromkeys((*out, *after, *thrown))  # in this order cubes get their numbers
            before = Counter({colour: out[colour] + after[colour] - thrown[colour] for colour in colours})
        title, said = f"Drop {number}", _said(each)
        inside = after
        if not thrown.total():
            yield ForeignStep(title, f"{said}Nothing is thrown.", None, knocked)
            continue
        wanted = _wanted(before, thrown, out, f"drop {number}")
        yield ForeignStep(title, said + _text(wanted), wanted, knocked)


def _wanted(before: Counter[str], thrown: Counter[str], out: Counter[str], what: str) -> Wanted:
    if low := sorted(colour for colour, count in before.items() if count < 0):
        raise fault(f"cubes of {low[0]} inside before {what}", before[low[0]], "0 or more", _ADVICE)
    if (number := before.total() + thrown.total()) > MAX_CUBES:
        raise fault(f"cubes of {what}", number, f"up to {MAX_CUBES}", _ADVICE)
    places = [*((colour, INSIDE) for colour in before.elements()), *((colour, THROWN) for colour in thrown.elements())]
    cubes = tuple(Sought(-1 - i, colour, place) for i, (colour, place) in enumerate(places))
    return Wanted(cubes, out)


def _said(drop: Mapping[str, Any]) -> str:
    """Say what stands in a drop's entry beside its counts: the round, the phase, what an event means."""
    parts = [f"{name} {drop[name]}" for name in ("round", "phase") if isinstance(drop.get(name), (int, str))]
    effect: Any = drop.get("effect")
    if isinstance(effect, Mapping) and isinstance(says := cast("Mapping[str, Any]", effect).get("says"), str):
        parts.append(says)
    text = ", ".join(part[:_LONGEST] for part in parts)
    return f"{text[:1].upper()}{text[1:]}: " if text else ""


def _text(wanted: Wanted) -> str:
    inside, thrown, out = wanted.size
    return f"{counted(thrown, 'cube')} thrown onto {inside} inside: {out} came out, {inside + thrown - out} are inside."


def _counts(table: Mapping[str, Any], name: str) -> Counter[str]:
    """Read counts by colour."""
    counts = _table(table.get(name), name)
    for colour, count in counts.items():
        check_whole(f"{name} of {shown(colour, 40)}", count, 0, MAX_CUBES)
    return Counter(counts)


def _table(value: object, what: str) -> dict[str, Any]:
    return cast("dict[str, Any]", check_kind(what, value, dict, "a JSON object", _ADVICE))


def _word(table: Mapping[str, Any], name: str, longest: int = _LONGEST) -> str:
    word = check_kind(f"{name} of the document", table.get(name), str, "a text", _ADVICE)
    if len(word) > longest:
        raise fault(f"{name} of the document", word, f"up to {longest} characters", _ADVICE)
    return word

"""The phases of a declared game's file: what is thrown, how it is read, where the cubes go."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from tower_sim.errors import UsageError, fault, unknown
from tower_sim.games.declared.declaration import AGAIN, NOTHING_OUT, READ, SETUP, Effects, EventEffect, Move, Phase
from tower_sim.games.declared.expressions import COLOUR, OUT, THROWN, TOWER, WORD, CubesAt, Expression, Names
from tower_sim.games.declared.fields import fields, items, named, one_of, table, text, word
from tower_sim.games.declared.grammar import read_cubes, read_expression
from tower_sim.games.declared.known import Known, colours_of
from tower_sim.games.declared.readings import Reading, read_reading

_KEYS = (
    "name", "each", "when", "before", "throw", "along", "sample", "needs", "nothing", "unload", "read", "effects",
    "after",
)  # fmt: skip
_COLUMNS = (  # of the tables of a dataset, which the readings' own may not be called
    "point", "run", "drop", "kind", "attempt", "status", "drawn", "thrown", "inside_before", "emerged", "inside_after",
    "cube", "colour", "age", "before", "after", "round", "phase", "skipped", "effect", "amount",
)  # fmt: skip


@dataclass(frozen=True)
class _Place:
    """A phase in the file: `where` it is, the `names` before its throw and those after it."""

    where: str
    before: Names
    after: Names
    pools: tuple[str, ...]

    def expression(self, given: Mapping[str, object], key: str) -> Expression | None:
        """Return the expression under a key, of what is there before the throw."""
        return read_expression(given[key], f"{self.where}.{key}", self.before) if key in given else None

    def thrown(self, given: Mapping[str, object], key: str) -> tuple[CubesAt, ...]:
        """Return the sets of cubes under a key."""
        sets = items(given.get(key, []), f"{self.where}.{key}", 1 if key == "throw" else 0)
        found = [read_cubes(each, f"{self.where}.{key}[{i}]", self.before) for i, each in enumerate(sets)]
        for i, cubes in enumerate(found):
            if cubes.place == TOWER:
                raise unknown(f"{self.where}.{key}[{i}]", TOWER, self.pools, "throw what is outside")
        return tuple(found)

    def needed(self, given: Mapping[str, object]) -> tuple[CubesAt, ...]:
        """Return the sets of cubes that have to come out, of which all are of what is out."""
        sets = items(given.get("needs", []), f"{self.where}.needs")
        found = [read_cubes(each, f"{self.where}.needs[{i}]", self.after) for i, each in enumerate(sets)]
        for i, cubes in enumerate(found):
            if cubes.place != OUT:
                raise fault(f"{self.where}.needs[{i}]", str(cubes), f"{OUT}, or {OUT}.COLOUR", "name what came out")
        return tuple(found)


def read_phase(
    given: object, where: str, known: Known, before: Mapping[str, Reading], taken: tuple[str, ...] = ()
) -> Phase:
    """Read a phase, or the set-up, which has no name; `before` are the readings above it, `taken` other names.

    Raises UsageError, in one line with the key's path.
    """
    is_setup = where == SETUP
    own = [key for key in _KEYS if not (is_setup and key in ("name", "each", "when"))]
    phase = fields(given, where, own, needed=("throw", "after") if is_setup else ("name", "throw", "after"))
    name = SETUP if is_setup else word(phase["name"], f"{where}.name")
    if name in taken or (name == SETUP and not is_setup):
        raise fault(f"{where}.name", name, "a name that no other phase has", "choose another")
    each = colours_of(phase["each"], f"{where}.each", known.names) if "each" in phase else ()
    in_each = "each" in phase
    readings = _readings(phase.get("read", {}), where, known, before, in_each=in_each)
    pools = known.pools
    place = _Place(
        where,
        known.with_readings(before, (*pools, TOWER), in_each=in_each),
        known.with_readings({**before, **readings}, in_each=in_each),
        pools,
    )
    nothing = one_of(phase.get("nothing", READ), f"{where}.nothing", NOTHING_OUT)
    if "unload" in phase and nothing != AGAIN:
        raise fault(f"{where}.unload", phase["unload"], f'none without nothing = "{AGAIN}"', "remove it")
    return Phase(
        name=name,
        throw=place.thrown(phase, "throw"),
        after=_after(phase["after"], place, readings),
        each=each,
        when=place.expression(phase, "when"),
        before=_moves(phase.get("before", []), f"{where}.before", place.before, pools, {}),
        along=place.thrown(phase, "along"),
        sample=place.expression(phase, "sample"),
        needs=place.needed(phase),
        nothing=nothing,
        unload=one_of(phase["unload"], f"{where}.unload", pools) if "unload" in phase else "",
        read=readings,
        effects=_effects(phase["effects"], place, readings) if "effects" in phase else None,
    )


def _readings(
    given: object, where: str, known: Known, before: Mapping[str, Reading], *, in_each: bool
) -> dict[str, Reading]:
    readings: dict[str, Reading] = {}
    for name, way in named(given, f"{where}.read").items():
        key = f"{where}.read.{name}"
        names = known.with_readings({**before, **readings}, in_each=in_each)
        if name in _COLUMNS:
            raise fault(key, name, f"a name that no column has: none of {', '.join(_COLUMNS)}", "choose another")
        others = (*known.names.colours, *known.names.groups, *known.pools, *known.parameters, *known.policies)
        if name in (*others, *known.names.tables):
            raise fault(key, name, "a name that nothing else in the file has", "choose another")
        reading = read_reading(way, key, names, known.policies)
        same = before.get(name)
        if same is not None and (same.kind, same.words()) != (reading.kind, reading.words()):
            raise fault(key, reading.kind, f"{same.kind}, as that of the same name before it", "choose another name")
        readings[name] = reading
    return readings


def _moves(
    given: object, where: str, names: Names, pools: tuple[str, ...], readings: Mapping[str, Reading]
) -> tuple[Move, ...]:
    moves: list[Move] = []
    for i, each in enumerate(items(given, where)):
        at = f"{where}[{i}]"
        move = fields(each, at, ("cubes", "to", "number", "when"), needed=("cubes", "to"))
        read = move["cubes"] if isinstance(move["cubes"], str) and move["cubes"] in readings else ""
        if read and readings[read].kind != COLOUR:
            raise fault(f"{at}.cubes", read, f"a reading of a colour; {read} is {readings[read].kind}")
        cubes = None if read else read_cubes(move["cubes"], f"{at}.cubes", names)
        if cubes and cubes.place == THROWN:
            raise fault(f"{at}.cubes", str(cubes), f"one of {', '.join(pools)}, {OUT} or {TOWER}", f"write {OUT}")
        moves.append(
            Move(
                to=one_of(move["to"], f"{at}.to", pools),
                cubes=cubes,
                read=read,
                number=read_expression(move["number"], f"{at}.number", names) if "number" in move else None,
                when=read_expression(move["when"], f"{at}.when", names) if "when" in move else None,
            )
        )
    return tuple(moves)


def _after(given: object, place: _Place, readings: Mapping[str, Reading]) -> tuple[Move, ...]:
    """Return the moves after a throw, the last of which takes all that is still out."""
    where = f"{place.where}.after"
    moves = _moves(given, where, place.after, place.pools, readings)
    last = moves[-1] if moves else None
    if last is None or (last.cubes, last.number, last.when) != (CubesAt(OUT), None, None):
        raise UsageError(
            f"{where}: cubes that came out and are not named would lie nowhere; allowed is a last move of all the "
            f'others; end it with {{ cubes = "{OUT}", to = "{place.pools[0]}" }}'
        )
    return moves


def _effects(given: object, place: _Place, readings: Mapping[str, Reading]) -> Effects:
    where = f"{place.where}.effects"
    effects = table(given, where)
    on = one_of(effects.pop("on", None), f"{where}.on", [n for n, r in readings.items() if r.kind in (COLOUR, WORD)])
    names, reading = place.after, readings[on]
    by: dict[str, EventEffect] = {}
    known = reading.words() if reading.kind == WORD else (*names.colours, *names.groups)
    for event in sorted(effects, key=lambda event: event not in names.groups):  # so that a colour's own comes last
        at = f"{where}.{one_of(event, f'a key of {where}', known)}"
        effect = fields(cast("object", effects[event]), at, ("says", "amount"), needed=("says",))
        amount = read_expression(effect["amount"], f"{at}.amount", names) if "amount" in effect else None
        is_group = reading.kind == COLOUR and event in names.groups
        for value in names.groups[event] if is_group else (event,):
            by[value] = EventEffect(event, text(effect["says"], f"{at}.says"), amount)
    return Effects(on, by)

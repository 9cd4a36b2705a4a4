"""What a declared game's tower stands in for, and the other decks of its box: from the file to devices.py."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager

from tower_sim.errors import UsageError, fault
from tower_sim.games.declared.declaration import DeclaredDevice
from tower_sim.games.declared.expressions import COLOUR, NUMBER, WORD
from tower_sim.games.declared.fields import fields, items, named, one_of, some_of, table, whole, word
from tower_sim.games.declared.grammar import read_expression
from tower_sim.games.declared.known import Known
from tower_sim.games.declared.readings import Reading
from tower_sim.games.declared.rules import DeclaredRules
from tower_sim.games.devices import Bag, Deck, Device, of_dice
from tower_sim.games.stand_in import StandIn

DECK, BAG, DICE = KINDS = ("deck", "bag", "dice")
MOST_EVENTS = 1000
_KEYS = ("kind", "reads", "counts", "kinds", "deal", "dice")
_NEEDED = {  # by kind: the key that it needs, and those that it has not
    DECK: ("counts", ("dice",)),
    BAG: ("counts", ("dice", "deal")),
    DICE: ("dice", ("counts", "deal")),
}
_MAKE = {DECK: Deck, BAG: Bag}


def read_device(name: str, of: object, known: Known, readings: Mapping[str, Reading]) -> DeclaredDevice:
    """Read an entry of `devices`; raises UsageError, in one line with the key's path."""
    where = f"devices.{name}"
    given = fields(of, where, _KEYS, needed=("kind",))
    kind = one_of(given["kind"], f"{where}.kind", KINDS)
    needed, others = _NEEDED[kind]
    if needed not in given or any(other in given for other in others):
        raise fault(f"keys of {where}", [*given], f"{needed} and no {' or '.join(others)} for {kind}")
    counts = given.get("counts", {})
    if isinstance(counts, str):
        counts = one_of(counts, f"{where}.counts", known.pools)
    else:
        counts = {
            word(event, f"a key of {where}.counts", is_colour=True): read_expression(
                number, f"{where}.counts.{event}", known.at_start
            )
            for event, number in table(counts, f"{where}.counts", MOST_EVENTS).items()
        }
    dice = [
        items(die, f"{where}.dice[{i}]", 1, MOST_EVENTS) for i, die in enumerate(items(given.get("dice", []), where))
    ]
    faces = tuple(tuple(whole(face, f"{where}.dice[{i}]", 0, 1000) for face in die) for i, die in enumerate(dice))
    told = [reading for reading, way in readings.items() if way.kind in (COLOUR, WORD, NUMBER)]
    with _naming(name):
        events = known.names.colours if isinstance(counts, str) else of_dice(faces).events if dice else tuple(counts)
    kinds = named(given.get("kinds", {}), f"{where}.kinds")
    return DeclaredDevice(
        name,
        kind,
        reads=one_of(given["reads"], f"{where}.reads", told) if "reads" in given else "",
        counts=counts,
        kinds={one: some_of(words, f"{where}.kinds.{one}", events, MOST_EVENTS) for one, words in kinds.items()},
        deal=read_expression(given["deal"], f"{where}.deal", known.at_start) if "deal" in given else None,
        dice=faces,
    )


def device_of(rules: DeclaredRules, declared: DeclaredDevice) -> Device:
    """Make a device as the rules have it; raises UsageError, in one line with its path, for one that cannot be."""
    kinds = declared.kinds
    with _naming(declared.name):
        if declared.kind == DICE:
            return of_dice(declared.dice, kinds)
        if isinstance(declared.counts, str):
            in_a_kind = {event for events in kinds.values() for event in events}
            start = rules.counts[declared.counts]
            counts = {colour: number for colour, number in start.items() if number or colour in in_a_kind}
        else:
            counts = {event: rules.at_start(number) for event, number in declared.counts.items()}
        return _MAKE[declared.kind](counts, kinds)


def draws_of(rules: DeclaredRules, declared: DeclaredDevice) -> int:
    """Return how many are drawn: of a deck as many as are dealt, else all; of what is put back, one a reading."""
    size = device_of(rules, declared).size
    dealt = size if declared.deal is None else rules.at_start(declared.deal)
    if not 1 <= dealt <= size:
        raise fault(f"devices.{declared.name}.deal", dealt, f"a whole number from 1 to {size}, which is all there are")
    planned = rules.rounds * sum(max(1, len(x.each)) for x in rules.declaration.phases if declared.reads in x.read)
    if not declared.reads:
        return dealt if declared.kind == DECK else 1
    return min(dealt, planned) if declared.kind == DECK else planned


def check_devices(rules: DeclaredRules) -> None:
    """Raise UsageError for a device that cannot be."""
    for declared in rules.declaration.devices.values():
        draws_of(rules, declared)


def stand_in_of(rules: DeclaredRules) -> StandIn | None:
    """Return what the tower stands in for: the first device that says which reading it is; None where none does."""
    declared = rules.declaration.compared_with
    draws = draws_of(rules, declared) if declared else 0
    if declared is None or not draws:
        return None
    return StandIn(declared.kind, device_of(rules, declared), declared.reads, draws)


@contextmanager
def _naming(name: str) -> Generator[None]:
    """Put the path of a device in front of what is wrong with it."""
    try:
        yield
    except UsageError as error:
        path = "" if str(error).startswith("devices.") else f"devices.{name}."
        raise UsageError(f"{path}{error}") from None

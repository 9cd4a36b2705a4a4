"""Play whole games with games.wasm under wasmtime, some thousand at a time."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from tower_sim.wasm.memory import Memory, Table

GAMES = Path(__file__).with_name("games.wasm")
_AT_ONCE = 1 << 24  # bytes of counts


def play(
    law: Iterable[Table | int],
    seed: Table,
    first: int,
    colour: Table,
    low: Table,
    phases: Table,
    shift: float,
    thrown: Table,
    emerged: Table,
    inside: Table,
    work: Iterable[Table],
) -> None:
    """Play whole games and fill in `thrown`, `emerged` and `inside`, as kernel.play does."""
    memory, counts = Memory(GAMES), (thrown, emerged, inside)
    listed = (*law, seed, colour, low, phases, *counts, *work)
    memory.table((sum(1 if isinstance(each, int) else 1 + each.ndim for each in listed),), np.int64)  # arguments
    at_once = max(_AT_ONCE // max(3 * thrown[:1].nbytes, 1), 1)
    arguments = [_copy(memory, each) for each in (*law, seed, colour, low, phases)]
    own = [_copy(memory, each) for each in work]
    lent = [memory.table((min(at_once, len(each)), *each.shape[1:]), each.dtype) for each in counts]
    for begin in range(0, len(thrown), at_once):
        number = min(at_once, len(thrown) - begin)
        rows = [each[:number] for each in lent]
        for each in rows:
            each[:] = 0
        memory.list_up((*arguments, *rows, *own))
        memory.call("play", _wrap(first + begin), float(shift))
        for each, played in zip(counts, rows, strict=True):
            each[begin : begin + number] = played


def _copy(memory: Memory, argument: Table | int) -> Table | int:
    if isinstance(argument, int):
        return argument
    table = memory.table(argument.shape, argument.dtype)
    table[:] = argument
    return table


def _wrap(number: int) -> int:
    return (number + (1 << 31)) % (1 << 32) - (1 << 31)

"""How compiled functions take their arguments: the contract of by_native.py and by_wasm.py.

A function takes the address of one block of whole numbers of 64 bits: for each table, in the order of the arguments,
its address and its shape (a record is a row of numbers); for a whole number in a tuple itself. Other arguments follow
as they are, whole ones of 32 bits.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import Any, TypeGuard, cast

import numpy as np
import numpy.typing as npt

from tower_sim.compiled.file import CompiledFile

Table = npt.NDArray[Any]
WORD = 8  # bytes
WORDS = 256  # of the block: more than any function takes


class Memory(ABC):
    """Where tables lie that compiled functions work on; each table keeps it alive, as `table.base.memory`."""

    @abstractmethod
    def __init__(self, file: CompiledFile) -> None: ...

    @abstractmethod
    def table(self, shape: tuple[int, ...], kind: Any) -> Table:
        """Allocate a table of zeros."""

    @abstractmethod
    def bind(self, tables: tuple[Table, ...]) -> None:
        """Let every call begin with these tables of this memory."""

    @abstractmethod
    def call(self, name: str, *arguments: Any) -> Any:
        """Call a function with the bound tables, and with tables, tuples of them, and numbers from anywhere."""


def is_table(argument: Any) -> TypeGuard[Table]:
    """Return whether an argument is a table."""
    return isinstance(argument, np.ndarray)


def split(arguments: Iterable[Any]) -> tuple[list[Table | int], list[float]]:
    """Return what goes into the block, tables and whole numbers of tuples, and the numbers that follow it."""
    tables: list[Table | int] = []
    numbers: list[float] = []
    for each in arguments:
        if is_table(each):
            tables.append(each)
        elif isinstance(each, tuple):
            tables += cast("tuple[Table | int, ...]", each)
        else:
            numbers.append(float(each) if isinstance(each, float) else int(each))
    return tables, numbers


def numbers_in(table: Table) -> tuple[int, ...]:
    """Return the shape of a table of numbers; one of records has those of a record in a row."""
    return (*table.shape, table.itemsize // WORD) if table.dtype.names else table.shape


def words_of(tables: Iterable[Table | int], start: int = 0) -> Iterator[int]:
    """Yield what the block says of tables, whose addresses count from `start`."""
    for each in tables:
        if is_table(each):
            yield each.ctypes.data - start
            yield from numbers_in(each)
        else:
            yield cast("int", each)

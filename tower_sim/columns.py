"""A column of a table: its name, its type, whether it can be null, what it means."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name, its Arrow type, whether it can be null, what it means.

    `studied`: no figure says the same, and it is no name of a drop, so that studies tell it by itself.
    """

    name: str
    kind: str
    nullable: bool
    meaning: str
    studied: bool = True

"""A column of a table: its name, its type, whether it can be null, what it means."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name, its Arrow type, whether it can be null, what it means."""

    name: str
    kind: str
    nullable: bool
    meaning: str

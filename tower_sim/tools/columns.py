"""Describe the columns of a table."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table: its name, its Arrow type, whether it can be null, and its meaning.

    `studied` says whether studies report the column. It is false for a column that names a drop, and for one whose
    content a figure of the game already has.
    """

    name: str
    kind: str
    nullable: bool
    meaning: str
    studied: bool = True

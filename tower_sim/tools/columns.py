"""Describe the columns of a table."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table: its name, its Arrow type, whether it can be null, and its meaning.

    `studied`: whether studies report it, as they do not for a name of a drop or for the content of a figure.
    """

    name: str
    kind: str
    nullable: bool
    meaning: str
    studied: bool = True

"""The transportation problem in whole numbers: how much each row may give to each column."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TypeVar

Row = TypeVar("Row", bound=Hashable)
Column = TypeVar("Column", bound=Hashable)


def transport(
    supply: Mapping[Row, int], demand: Mapping[Column, int], cells: Mapping[tuple[Row, Column], int]
) -> dict[tuple[Row, Column], int]:
    """Return a greatest flow: how much goes from each row to each column, by cell.

    No row gives more than its `supply`, no column takes more than its `demand`, no cell carries more than `cells` says;
    one that is not there carries nothing. Equal arguments, in equal order, give the same flow. Source: augmenting
    paths, Ford and Fulkerson, "Maximal flow through a network" (1956).
    """
    flow = dict.fromkeys(cells, 0)
    left, room = dict(supply), dict(demand)
    for row in supply:
        while left[row] and (path := _path(row, room, cells, flow)):
            most = min(left[row], room[path[-1][1]], *_free(path, cells, flow))
            for i, cell in enumerate(path):
                flow[cell] += most if i % 2 == 0 else -most
            left[row] -= most
            room[path[-1][1]] -= most
    return flow


def _path(
    start: Row,
    room: Mapping[Column, int],
    cells: Mapping[tuple[Row, Column], int],
    flow: Mapping[tuple[Row, Column], int],
) -> list[tuple[Row, Column]]:
    """Return the cells on a shortest way to a column with room: one that takes more, one that gives back, and so on."""
    ways: dict[Row, list[tuple[Row, Column]]] = {start: []}
    seen: set[Column] = set()
    waiting = [start]
    for row in waiting:
        for cell, most in cells.items():
            if cell[0] != row or cell[1] in seen or flow[cell] >= most:
                continue
            seen.add(cell[1])
            way = [*ways[row], cell]
            if room.get(cell[1], 0):
                return way
            for back, carried in flow.items():
                if back[1] == cell[1] and carried and back[0] not in ways:
                    ways[back[0]] = [*way, back]
                    waiting.append(back[0])
    return []


def _free(
    path: list[tuple[Row, Column]], cells: Mapping[tuple[Row, Column], int], flow: Mapping[tuple[Row, Column], int]
) -> list[int]:
    return [cells[cell] - flow[cell] if i % 2 == 0 else flow[cell] for i, cell in enumerate(path)]

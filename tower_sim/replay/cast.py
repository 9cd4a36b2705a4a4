"""Cast: which cube of a page stands for which cube of the drop that is shown, from drop to drop.

A recorded drop has the counts that are wanted, yet it may be another red cube that comes out. On the page that cube is
out then and is thrown again, so that every cube keeps its number and its colour and none is in two places.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import count

from tower_sim.replay.matching import THROWN, Sought, Wanted


class Cast:
    """The cubes of a page: the colour of each by its number, and which of them are inside now."""

    def __init__(self) -> None:
        self.colours: dict[int, str] = {}
        self.inside: frozenset[int] = frozenset()

    def enter(self, wanted: Wanted) -> Wanted:
        """Return what is wanted with the page's numbers, which are those of `wanted` as far as can be.

        Cubes from inside are such as are inside on the page, thrown ones such as are not. A cube without a number of
        its own, below 0, gets one. Where other cubes are inside on the page than there should be, as after a drop that
        nothing was shown of, as few as can be come in or go out unseen.
        """
        self._know(wanted)
        taken: set[int] = set()
        numbers: dict[int, int] = {}
        for from_inside in (True, False):
            cubes = [cube for cube in wanted.cubes if (cube.before != THROWN) is from_inside]
            for is_fit in (self._same, self._there, self._any):
                for cube in cubes:
                    if cube.number not in numbers and (found := is_fit(cube, from_inside, taken)) is not None:
                        numbers[cube.number] = found
                        taken.add(found)
        self.inside = frozenset(taken)
        return Wanted(tuple(replace(cube, number=numbers[cube.number]) for cube in wanted.cubes), wanted.out)

    def leave(self, inside: Iterable[int]) -> None:
        """Know which cubes are inside now."""
        self.inside = frozenset(inside)

    def _know(self, wanted: Wanted) -> None:
        """Take in cubes that were never seen before."""
        for cube in wanted.cubes:
            if cube.number >= 0:
                self.colours.setdefault(cube.number, cube.colour)
        fresh = count(max(self.colours, default=-1) + 1)
        for colour, number in sorted((wanted.inside + wanted.thrown).items()):
            for _ in range(number - sum(each == colour for each in self.colours.values())):
                self.colours[next(fresh)] = colour

    def _same(self, cube: Sought, from_inside: bool, taken: set[int]) -> int | None:
        """Return the cube's own number where that one is as it should be."""
        fits = (cube.number in self.inside) is from_inside and self.colours.get(cube.number) == cube.colour
        return cube.number if fits and cube.number not in taken else None

    def _there(self, cube: Sought, from_inside: bool, taken: set[int]) -> int | None:
        """Return the first cube of its colour that is as it should be."""
        return next((n for n in self._free(cube.colour, taken) if (n in self.inside) is from_inside), None)

    def _any(self, cube: Sought, from_inside: bool, taken: set[int]) -> int | None:
        """Return the first cube of its colour; its own number where that is free."""
        free = self._free(cube.colour, taken)
        return cube.number if cube.number in free else free[0]

    def _free(self, colour: str, taken: set[int]) -> list[int]:
        return sorted(n for n, each in self.colours.items() if each == colour and n not in taken)

"""Declared games for tests: small files, random valid ones, and a place for the expressions of a test."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from tower_sim.cubes import Cube
from tower_sim.games.declared.expressions import PLACES, Names, Value

ROOT = Path(__file__).parents[2]
DOC = (ROOT / "docs/games.md").read_text("utf-8")
AMERIGO = ROOT / "docs/variants/amerigo_declared.toml"  # Amerigo itself, as a file: an example, held against the game
HEAD = {"schema": "tower-sim/game", "version": 1, "name": "mine"}


def dungeon() -> str:
    """The game of docs/games.md."""
    (text,) = re.findall(r"<!-- dungeon.toml -->\n```toml\n(.*?)```", DOC, re.S)
    return text


def table(**changes: Any) -> dict[str, Any]:
    """A small right game, with other things in it; None leaves a thing out."""
    own = {
        **HEAD,
        "pools": {"bag": {"red": 3, "blue": 2}, "spent": {}},
        "phase": [{"name": "draw", "throw": ["bag"], "after": [{"cubes": "out", "to": "bag"}]}],
    }
    return {key: value for key, value in {**own, **changes}.items() if value is not None}


def phase(**changes: Any) -> dict[str, Any]:
    """The table of `table` whose phase has other things in it."""
    (own,) = table()["phase"]
    return table(phase=[{key: value for key, value in {**own, **changes}.items() if value is not None}])


@dataclass
class At:
    """A scope of a test: numbers, words and cubes by place."""

    colours: tuple[str, ...] = ("red", "blue", "green")
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: {"warm": ("red",), "cold": ("blue", "green")})
    tables: Mapping[str, Mapping[str, int]] = field(default_factory=lambda: {"pips": {"red": 3, "blue": -2}})
    places: Mapping[str, Sequence[Cube]] = field(default_factory=dict[str, Sequence[Cube]])
    numbers: Mapping[str, Value] = field(default_factory=dict[str, Value])
    words: Mapping[str, str | None] = field(default_factory=dict[str, "str | None"])
    choices: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])

    @property
    def names(self) -> Names:
        known = frozenset(self.numbers), frozenset(self.words) - set(self.choices)
        return Names(self.colours, self.groups, ("bag", *PLACES), *known, self.choices, self.tables)

    def number(self, name: str) -> Value:
        return self.numbers[name]

    def word(self, name: str) -> str | None:
        return self.words[name]

    def cubes(self, place: str) -> Sequence[Cube]:
        return self.places.get(place, ())


def cubes(**counts: int) -> tuple[Cube, ...]:
    """So many cubes of each colour, numbered in turn so that numbers do not follow colours."""
    left = {colour: count for colour, count in counts.items() if count}
    made: list[Cube] = []
    while left:
        for colour in [*left]:
            made.append(Cube(len(made), colour, 0.008))
            left[colour] -= 1
            if not left[colour]:
                del left[colour]
    return tuple(made)


NUMBERS: Mapping[str, Value] = {"a": 3, "b": 0, "c": -7, "half": Fraction(1, 2), "none": None}


def expressions() -> st.SearchStrategy[str]:
    """Texts of expressions of numbers, whose names are those of `NUMBERS`; Python reads them too."""
    leaves = st.one_of(st.integers(0, 40).map(str), st.sampled_from([*NUMBERS]))

    def more(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        pairs = st.tuples(inner, inner)
        joined = st.sampled_from([*"+-*/", "and", "or"])
        compared = st.sampled_from(["==", "!=", "<", "<=", ">", ">="])
        return st.one_of(
            st.tuples(inner, joined, inner).map(" ".join),
            st.tuples(inner, compared, inner).map(lambda x: f"({x[0]}) {x[1]} ({x[2]})").map(lambda x: f"({x})"),
            inner.map(lambda x: f"({x})"),
            inner.map(lambda x: f"(not {x})"),
            inner.map(lambda x: f"-({x})"),
            inner.map(lambda x: f"ceil({x})"),
            st.tuples(st.sampled_from(["max", "min"]), pairs).map(lambda x: f"{x[0]}({x[1][0]}, {x[1][1]})"),
        )

    return st.recursive(leaves, more, max_leaves=10).filter(lambda text: len(text) <= 200)


@st.composite
def games(draw: st.DrawFn) -> dict[str, Any]:
    """The table of a valid game: pools, phases, moves and readings of every sort."""
    colours = draw(st.lists(st.sampled_from(["red", "blue", "2", "green"]), min_size=1, max_size=4, unique=True))
    pools = draw(st.lists(st.sampled_from(["bag", "hand", "box"]), min_size=1, max_size=3, unique=True))
    counts = st.dictionaries(st.sampled_from([*colours, "colours", "who"]), st.sampled_from([0, 1, 3, "n"]), max_size=3)
    given = {pool: draw(counts) for pool in pools}
    given[pools[0]][colours[0]] = 2
    phases = [draw(_phases(f"p{i}", colours, pools)) for i in range(draw(st.integers(1, 3)))]
    game = {
        **HEAD,
        "colours": colours,
        "knocked": draw(st.sampled_from(pools)),
        "parameters": {"n": {"is": 2, "to": 5}, "who": {"is": colours[0], "of": colours}},
        "groups": {"few": colours[:2]},
        "pools": given,
        "rounds": {"times": draw(st.sampled_from([1, 3, "n"])), "until": draw(_numbers(pools))},
        "phase": phases,
    }
    if draw(st.booleans()):
        game["setup"] = {key: value for key, value in draw(_phases("s", colours, pools)).items() if key in _OF_SETUP}
    return game


_OF_SETUP = ("throw", "after", "read", "before", "along", "nothing", "unload", "sample")


def _sets(places: Sequence[str], colours: Sequence[str]) -> st.SearchStrategy[str]:
    parts = st.sampled_from(["", *(f".{colour}" for colour in colours), ".few", ".who"])
    return st.tuples(st.sampled_from(places), parts).map("".join)


def _numbers(pools: Sequence[str]) -> st.SearchStrategy[Any]:
    counted = st.sampled_from([*pools, "tower"]).map(lambda place: f"count({place}) - n")
    return st.one_of(st.integers(0, 3), st.just("n - 1"), counted.map(lambda text: f"max(0, {text})"))


@st.composite
def _phases(draw: st.DrawFn, name: str, colours: list[str], pools: list[str]) -> dict[str, Any]:
    to = st.sampled_from(pools)
    before = st.fixed_dictionaries(
        {"cubes": _sets([*pools, "tower"], colours), "to": to}, optional={"number": _numbers(pools)}
    )
    after = st.fixed_dictionaries(
        {"cubes": st.one_of(_sets([*pools, "tower", "out"], colours), st.just(f"{name}_one")), "to": to},
        optional={"number": _numbers(pools), "when": _numbers(pools)},
    )
    again = draw(st.booleans())
    return draw(
        st.fixed_dictionaries(
            {
                "name": st.just(name),
                "throw": st.lists(_sets(pools, colours), min_size=1, max_size=2),
                "nothing": st.just("again") if again else st.sampled_from(["read", "skip"]),
                "read": st.fixed_dictionaries(
                    {
                        f"{name}_one": st.sampled_from(
                            [{"one": "out"}, {"most": "out.few"}, {"most": "thrown", "tie": "none"}]
                        ),
                        f"{name}_set": st.just({"set": "out"}),
                        f"{name}_number": st.sampled_from(["max(out)", "count(tower) + n", "ceil(count(out) / 3)"]),
                    }
                ),
                "after": st.lists(after, max_size=3).map(lambda moves: [*moves, {"cubes": "out", "to": pools[-1]}]),
            },
            optional={
                "each": st.sampled_from(["colours", "few", colours[:1]]),
                "before": st.lists(before, max_size=2),
                "along": st.lists(_sets(pools, colours), max_size=2),
                "sample": _numbers(pools),
                "when": _numbers(pools),
                **({"unload": to} if again else {}),
            },
        )
    )

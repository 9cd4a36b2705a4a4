"""Rulings of Dead Reckoning: what a table decides where the rulebook is silent, or can be read in two ways."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Literal, cast

from tower_sim.errors import UsageError, shown
from tower_sim.games.rulings import Question, check_choice, check_names
from tower_sim.reading import read_text, toml_table


@dataclass(frozen=True, slots=True)
class Rulings:
    """The choice in force for every question; `options()` says what each choice means.

    Raises UsageError for a choice that is not offered. Source: each question's.
    """

    two_zones: Literal["nearest", "both", "rethrown"] = "nearest"
    on_cube: Literal["below", "rethrown"] = "below"
    left_board: Literal["rethrown", "lost"] = "rethrown"
    pushed_onto_border: Literal["rethrown", "stays"] = "rethrown"
    stuck: Literal["shaken", "rethrown"] = "shaken"
    damage_to_non_player: Literal["ignored", "counted"] = "ignored"
    black_run_out: Literal["fewer", "substituted"] = "fewer"
    placing: Literal["free"] = "free"
    tie_again: Literal["tied", "all"] = "tied"
    last_turn: Literal["combats", "ships", "everywhere"] = "combats"
    beaten_by_building: Literal["leaves", "stays"] = "leaves"

    def __post_init__(self) -> None:
        for name, question in options().items():
            check_choice(name, getattr(self, name), question)

    @staticmethod
    def from_mapping(choices: Mapping[str, str]) -> Rulings:
        """Make rulings from choices by name; one left out keeps its default. Source: each question's.

        Raises UsageError for an unknown name or choice.
        """
        check_names(choices, options())
        return replace(Rulings(), **cast("dict[str, Literal['free']]", dict(choices)))

    @staticmethod
    def from_toml(text: str) -> Rulings:
        """Read rulings from TOML text of lines NAME = "CHOICE". Source: each question's.

        Raises UsageError for text that is not TOML, an unknown name or choice.
        """
        return Rulings.from_mapping(toml_table(text, "rulings"))

    @staticmethod
    def load(path: str | Path) -> Rulings:
        """Read rulings from a TOML file. Source: each question's.

        Raises UsageError, in one line that names the file, when it cannot be read or holds what is not allowed.
        """
        text = read_text(path, "rulings file", advice='give a TOML file of lines NAME = "CHOICE"')
        try:
            return Rulings.from_toml(text)
        except UsageError as error:
            raise UsageError(f"rulings file {shown(str(path))}: {error}") from error

    @property
    def choices(self) -> dict[str, str]:
        """The choice in force by name."""
        return {item.name: getattr(self, item.name) for item in fields(self)}


def options() -> dict[str, Question]:
    """Return what can be ruled, by name, in the order of the fields of `Rulings`. Source: each question's."""
    return {
        "two_zones": Question(
            "line 983",
            {
                "nearest": "A cube that touches two zones is in the one nearest to its centre.",
                "both": "A cube that touches two zones is in both, until plunder or damage takes it off the board.",
                "rethrown": "A cube that touches two zones is thrown again.",
            },
        ),
        "on_cube": Question(
            "silent",
            {
                "below": "A cube that lies on cubes only is where the cube under it is.",
                "rethrown": "A cube that lies on cubes only is thrown again.",
            },
        ),
        "left_board": Question(
            "line 985",
            {
                "rethrown": "A cube on the table is thrown again.",
                "lost": "A cube on the table counts for nothing and leaves the battle.",
            },
        ),
        "pushed_onto_border": Question(
            "line 985",
            {
                "rethrown": "A cube that lay in a zone and was pushed onto a border is thrown again.",
                "stays": "It lies on the border for nothing, until it is pushed elsewhere.",
            },
        ),
        "stuck": Question(
            "silent",
            {
                "shaken": "A cube stuck in the ship is shaken out by knocks on the table.",
                "rethrown": "A cube stuck in the ship is taken out by hand and thrown again.",
            },
        ),
        "damage_to_non_player": Question(
            "silent",
            {
                "ignored": "A non-player takes no damage; what was given is still reported.",
                "counted": "A non-player takes damage like a ship.",
            },
        ),
        "black_run_out": Question(
            "silent",
            {
                "fewer": "When the non-player's cubes run out, fewer are thrown.",
                "substituted": "When the non-player's cubes run out, others stand in for them.",
            },
        ),
        "placing": Question(
            "silent",
            {"free": "A cube moved to a zone is put down flat at a free place there, drawn at random."},
        ),
        "tie_again": Question(
            "line 1275",
            {
                "tied": "After a tie only the sides still tied throw again.",
                "all": "After a tie all sides throw again.",
            },
        ),
        "last_turn": Question(
            "line 1213",
            {
                "combats": "After its last turn a player takes 2 more cubes in every combat but a tie-break.",
                "ships": "After its last turn a player takes 2 more cubes where its own ship fights.",
                "everywhere": "After its last turn a player takes 2 more cubes in every combat and tie-break.",
            },
        ),
        "beaten_by_building": Question(
            "lines 973 and 1061",
            {
                "leaves": "A pirate ship that a building beats leaves pirate mode.",
                "stays": "A pirate ship that a building beats stays in pirate mode.",
            },
        ),
    }

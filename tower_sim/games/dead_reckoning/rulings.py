"""Rulings of Dead Reckoning: decisions where the rulebook is silent or ambiguous."""

from __future__ import annotations

from typing import ClassVar, Literal

from tower_sim.games.rules import Rules, ruling


class Rulings(Rules):
    """The chosen answer to each question. Descriptions of fields give the meaning of the choices, and the source."""

    table: ClassVar[str] = "battle.rulings"
    unsaid: ClassVar[tuple[str, ...]] = ("extra_run_out", "adjacent", "spared_damage", "goods_at_buildings", "who_sank")
    two_zones: Literal["nearest", "both", "rethrown"] = ruling(
        "line 983",
        nearest="A cube that touches two zones is in the one nearest to its centre.",
        both="A cube that touches two zones is in both, until plunder or damage takes it off the board.",
        rethrown="A cube that touches two zones is thrown again.",
    )
    on_cube: Literal["below", "rethrown"] = ruling(
        "silent",
        below="A cube that lies on cubes only is where the cube under it is.",
        rethrown="A cube that lies on cubes only is thrown again.",
    )
    left_board: Literal["rethrown", "lost"] = ruling(
        "line 985",
        rethrown="A cube on the table is thrown again.",
        lost="A cube on the table counts for nothing and leaves the battle.",
    )
    pushed_onto_border: Literal["rethrown", "stays"] = ruling(
        "line 985",
        rethrown="A cube that lay in a zone and was pushed onto a border is thrown again.",
        stays="It lies on the border for nothing, until it is pushed elsewhere.",
    )
    stuck: Literal["shaken", "rethrown"] = ruling(
        "silent",
        shaken="A cube stuck in the ship is shaken out by knocks on the table.",
        rethrown="A cube stuck in the ship is taken out by hand and thrown again.",
    )
    damage_to_non_player: Literal["ignored", "counted"] = ruling(
        "silent",
        ignored="A non-player takes no damage; what was given is still reported.",
        counted="A non-player takes damage like a ship.",
    )
    black_run_out: Literal["fewer", "substituted"] = ruling(
        "silent",
        fewer="When the non-player's cubes run out, fewer are thrown.",
        substituted="When the non-player's cubes run out, others stand in for them.",
    )
    extra_run_out: Literal["fewer", "substituted"] = ruling(
        "lines 895 and 999",
        fewer="When a player's supply and islands run out, an explosion adds only the extra cubes that are left.",
        substituted="When a player's supply and islands run out, others stand in for the extra cubes of an explosion.",
    )
    placing: Literal["free"] = ruling(
        "silent", free="A cube moved to a zone is put down flat at a free place there, drawn at random."
    )
    adjacent: Literal["side"] = ruling(
        "lines 1523 and 1532",
        side="Zones are adjacent if one border lies between their sides: the text shows no board to read it otherwise.",
    )
    spared_damage: Literal["all", "dealt"] = ruling(
        "lines 971 and 1523",
        all="A mover takes less of all damage in this combat, that for losing included.",
        dealt="A mover takes less of the damage that the opponent deals, and that for losing in full.",
    )
    goods_at_buildings: Literal["counted", "none"] = ruling(
        "lines 1058 and 1476",
        counted="Abilities bring coins and cargo against buildings too, since only plunder is ruled out.",
        none="Abilities bring neither coins nor cargo against buildings.",
    )
    who_sank: Literal["opponent", "dealt"] = ruling(
        "lines 1113 and 1143",
        opponent="A player sank the other's ship if it sinks in their combat, even if both sink or losing sinks it.",
        dealt="A player sank the other's ship only if the damage dealt, without that for losing, is enough to sink it.",
    )
    tie_again: Literal["tied", "all"] = ruling(
        "line 1275", tied="After a tie only the sides still tied throw again.", all="After a tie all sides throw again."
    )
    last_turn: Literal["combats", "ships", "everywhere"] = ruling(
        "line 1213",
        combats="After its last turn a player takes 2 more cubes in every combat but a tie-break.",
        ships="After its last turn a player takes 2 more cubes where its own ship fights.",
        everywhere="After its last turn a player takes 2 more cubes in every combat and tie-break.",
    )
    beaten_by_building: Literal["leaves", "stays"] = ruling(
        "lines 973 and 1061",
        leaves="A pirate ship that a building beats leaves pirate mode.",
        stays="A pirate ship that a building beats stays in pirate mode.",
    )

    @property
    def choices(self) -> dict[str, str]:
        return self.model_dump()

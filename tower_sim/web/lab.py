"""The tower lab: house rules tried in a page, by the surrogates of towers and ships, without a server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from importlib import resources
from pathlib import Path
from typing import Any, cast

from tower_sim import registry
from tower_sim.apparatus.catalogue import load
from tower_sim.apparatus.parts import Apparatus
from tower_sim.drawing.paint import paints
from tower_sim.errors import UsageError, shown
from tower_sim.games.game import Game
from tower_sim.reading import toml_table
from tower_sim.surrogate.export import document
from tower_sim.surrogate.store import TOWER, Fitted, beside, load_fitted, shipped_names
from tower_sim.surrogate.store import shipped as shipped_surrogate
from tower_sim.variants import DEFAULT
from tower_sim.version import TOWER_SIM
from tower_sim.web.page import Page
from tower_sim.web.section import drawn
from tower_sim.writing import check, write

SCHEMA = "tower-sim/lab"
VERSION = 1


def lab_command(output: Path, given: Sequence[str | Path]) -> None:
    """Write the page into `output`, with the apparatus `given` beside those that ship.

    Raises UsageError for an apparatus without a surrogate, and for a file that cannot be written; WritingFailed when
    the disk is full or fails.
    """
    check(output, "output")
    write(output, lab_page(given), "output")


def lab_page(given: Sequence[str | Path] = ()) -> str:
    """Return the page's text; raises UsageError as `contents` does."""
    return Page(
        title="Tower lab",
        view="lab",
        data={"lab": contents(given)},
        blobs={"kernel": (resources.files("tower_sim.surrogate") / "games.wasm").read_bytes()},
    ).text()


def contents(given: Sequence[str | Path] = ()) -> dict[str, Any]:
    """Return the page's document: what ships with a surrogate, and the apparatus `given`, each with one beside it.

    Raises UsageError for an apparatus that cannot be loaded, that has no surrogate, or that is given twice.
    """
    own = [(load(each), each) for each in dict.fromkeys(map(str, given)) if each not in shipped_names()]
    named: dict[str, tuple[Apparatus, Fitted, str]] = {}
    for apparatus, file in own:
        if apparatus.name in named or apparatus.name in shipped_names():
            raise UsageError(
                f"apparatus {shown(file)} is called {shown(apparatus.name)}, which another one is too; allowed is each "
                "name once; rename the file and its surrogate"
            )
        named[apparatus.name] = apparatus, _fitted(apparatus, file), Path(file).name
    shapes = [load(name) for name in shipped_names()]
    every = [*named.values(), *((shape, shipped_surrogate(shape.name, shape.digest), shape.name) for shape in shapes)]
    towers = [_tower(*each) for each in every if each[1].kind == TOWER]
    thresholds = towers[0]["document"]["table"]["thresholds"]
    for tower in towers:  # they are the same for all, and most of the table
        table = tower["document"]["table"]
        table["thresholds"] = None if table["thresholds"] == thresholds else table["thresholds"]
    game: Game = registry.get("game", DEFAULT)
    rules = game.plain(game.read({}))[game.tables[0]]
    return {
        "schema": SCHEMA,
        "version": VERSION,
        "program": f"tower_sim {TOWER_SIM}",
        "game": {"name": game.name, "title": game.title},
        "rules": rules,
        "battle": _of_sides([each[0].name for each in every if each[1].kind != TOWER]),
        "first": load(game.apparatus).name if not named else next(iter(named)),
        "thresholds": thresholds,
        "towers": towers,
        "ships": [_ship(*each) for each in every if each[1].kind != TOWER],
        "paints": [asdict(each) for each in paints(cast("list[str]", rules["colours"]))],
        "sides": [asdict(each) for each in paints(["purple", "green", "black"])],
    }


def _fitted(apparatus: Apparatus, file: str) -> Fitted:
    """Return the surrogate beside a profile's file; raises UsageError when there is none, or one of another profile."""
    if not beside(file).is_file():
        raise UsageError(
            f"apparatus {shown(file)} has no surrogate: {shown(str(beside(file)))} is not there; allowed is a profile "
            "with its surrogate beside it; take one that `tower-sim tower fit` wrote, or `tower-sim model fit`"
        )
    fitted = load_fitted(beside(file))
    law = fitted.cascade_of if fitted.kind == TOWER else fitted.board_law_of
    law(apparatus.digest)
    return fitted


def _tower(apparatus: Apparatus, fitted: Fitted, named: str) -> dict[str, Any]:
    return {
        **_about(apparatus, fitted, named),
        "edge": round(1e3 * apparatus.cube_edge, 2),
        "drawn": drawn(apparatus).to_plain(),
        "document": document(fitted),
    }


def _ship(apparatus: Apparatus, fitted: Fitted, named: str) -> dict[str, Any]:
    board = apparatus.board
    assert board is not None  # that kind of surrogate is of an apparatus with a board
    plan = apparatus.dimensions().board
    words = {name: looks.words for name, looks in plan.printed.items()} if plan else {}
    zones = [
        {
            "name": zone.name,
            "words": words.get(zone.name) or zone.name.replace("_", " "),
            "corners": zone.corners,
            "printed": dict(zone.printed),
        }
        for zone in board.zones
    ]
    bounds = [*board.x, *board.y]
    return {**_about(apparatus, fitted, named), "zones": zones, "bounds": bounds, "document": document(fitted)}


def _of_sides(ships: Sequence[str]) -> dict[str, str]:
    """Return the names of the figures of each side of a battle in these ships, by key, as comparisons have them."""
    known: Mapping[str, Game] = registry.every("game")
    figures = [figure for game in known.values() if game.apparatus in ships for figure in game.figures]
    own = " (active)"
    return {
        figure.key.removesuffix("_active"): figure.title.removesuffix(own)
        for figure in figures
        if figure.title.endswith(own)
    }


def _about(apparatus: Apparatus, fitted: Fitted, named: str) -> dict[str, Any]:
    """Return what is told of an apparatus and of how its law was made; `named` is what a rules file says for it."""
    kind = registry.get("apparatus", apparatus.profile["kind"])
    close = toml_table((resources.files("tower_sim.web") / "closeness.toml").read_text("utf-8"), "closeness")
    return {
        "name": apparatus.name,
        "named": named,
        "title": kind.title,
        "engine": fitted.engine,
        "runs": sum(source.runs for source in fitted.data),
        "drops": sum(source.drops for source in fitted.data),
        "close": fitted.failed or close.get(fitted.digest, {}).get("says", ""),
    }

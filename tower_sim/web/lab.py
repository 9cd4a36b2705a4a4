"""The tower lab: house rules tried in a page, by the surrogates of towers and ships, without a server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from importlib import resources
from pathlib import Path
from typing import Any, cast

from tower_sim.apparatus import Apparatus, load
from tower_sim.drawing import paints
from tower_sim.errors import UsageError, check_whole, fault, quote
from tower_sim.games import Game
from tower_sim.requests import DEFAULT, Variant, read_variant
from tower_sim.surrogate import TOWER, Fitted, beside, document, load_fitted, shipped_names
from tower_sim.surrogate import shipped as shipped_surrogate
from tower_sim.tools import TOWER_SIM, registry, toml_table
from tower_sim.web.page import Page
from tower_sim.web.section import draw_section

SCHEMA = "tower-sim/lab"
VERSION = 1


LIMITS = {"cubes": 30, "rounds": 12, "gold": 10}
"""The most that the page's sliders give: cubes of a colour, rounds, and cubes for one gold."""


def lab_page(given: Sequence[str | Path] = (), rules: str | Path | None = None) -> str:
    """Return the page's text; raises UsageError as `contents` does."""
    return Page(
        title="Tower lab",
        view="lab",
        data={"lab": contents(given, rules)},
        blobs={"kernel": (resources.files("tower_sim.surrogate") / "games.wasm").read_bytes()},
    ).text()


def contents(given: Sequence[str | Path] = (), rules: str | Path | None = None) -> dict[str, Any]:
    """Return the page's document: what ships with a surrogate, and the apparatus `given`, each with one beside it.

    With a rules file, its apparatus is there too, and the page compares the rules (B) with the published ones (A).
    Raises UsageError for an apparatus that cannot be loaded, that has no surrogate, or that is given twice, and for
    rules that the page cannot play.
    """
    house = None if rules is None else _read_house(rules)
    if house is not None and house.apparatus.file:
        given = list(dict.fromkeys([*map(str, given), str(house.apparatus.file)]))
    own = [(load(each), each) for each in dict.fromkeys(map(str, given)) if each not in shipped_names()]
    named: dict[str, tuple[Apparatus, Fitted, str]] = {}
    for apparatus, file in own:
        if apparatus.name in named or apparatus.name in shipped_names():
            raise UsageError(
                f"apparatus {quote(file)} is called {quote(apparatus.name)}, which another one is too; allowed is each "
                "name once; rename the file and its surrogate"
            )
        named[apparatus.name] = apparatus, _load_beside(apparatus, file), Path(file).name
    shapes = [load(name) for name in shipped_names()]
    every = [*named.values(), *((shape, shipped_surrogate(shape.name, shape.digest), shape.name) for shape in shapes)]
    towers = [_tower(*each) for each in every if each[1].kind == TOWER]
    thresholds = towers[0]["document"]["table"]["thresholds"]
    for tower in towers:  # they are the same for all, and most of the table
        table = tower["document"]["table"]
        table["thresholds"] = None if table["thresholds"] == thresholds else table["thresholds"]
    game: Game = registry.get("game", DEFAULT)
    published = game.plain(game.read({}))[game.tables[0]]
    return {
        "schema": SCHEMA,
        "version": VERSION,
        "program": f"tower_sim {TOWER_SIM}",
        "game": {"name": game.name, "title": game.title},
        "rules": published,
        "limits": LIMITS,
        "house": house
        and {
            "name": house.name,
            "tower": house.apparatus.name,
            "rules": game.plain(house.rules)[game.tables[0]],
        },
        "battle": _side_figures([each[0].name for each in every if each[1].kind != TOWER]),
        "first": load(game.apparatus).name if not named else next(iter(named)),
        "thresholds": thresholds,
        "towers": towers,
        "ships": [_ship(*each) for each in every if each[1].kind != TOWER],
        "paints": [asdict(each) for each in paints(cast("list[str]", published["colours"]))],
        "sides": [asdict(each) for each in paints(["purple", "green", "black"])],
    }


def _read_house(rules: str | Path) -> Variant:
    house = read_variant(rules)
    if house.game.name != DEFAULT:
        raise fault(f"the game of {quote(str(rules))}", house.game.name, f"{DEFAULT}, which the lab plays")
    first = house.game.tables[0]
    usual, own = (house.game.plain(each)[first] for each in (house.game.read({}), house.rules))
    numbers = {"rounds": "rounds", "gold_divisor": "gold", "gold_divisor_with_token": "gold"}
    for key in {**usual, **own}:
        if key in numbers:
            check_whole(f"{key} of {quote(str(rules))}", own[key], 1, LIMITS[numbers[key]], "the lab has no more")
        elif key == "cubes":
            counts = own[key].values() if isinstance(own[key], dict) else [own[key]]
            for count in counts:
                check_whole(f"cubes of {quote(str(rules))}", count, 0, LIMITS[key], "the lab has no more")
        elif key == "phases":
            if sorted(own[key]) != sorted(usual["colours"]):
                raise fault(f"phases of {quote(str(rules))}", own[key], "each colour once in the lab", "change them")
        elif key != "name" and own.get(key) != usual.get(key):
            raise fault(f"{key} of {quote(str(rules))}", own.get(key), "as published in the lab", "leave it out")
    return house


def _load_beside(apparatus: Apparatus, file: str) -> Fitted:
    if not beside(file).is_file():
        raise UsageError(
            f"apparatus {quote(file)} has no surrogate: {quote(str(beside(file)))} is not there; allowed is a profile "
            "with its surrogate beside it; take one that `tower-sim tower fit --wish` wrote, or `tower-sim model fit`"
        )
    fitted = load_fitted(beside(file))
    law = fitted.cascade_of if fitted.kind == TOWER else fitted.board_law_of
    law(apparatus.digest)
    return fitted


def _tower(apparatus: Apparatus, fitted: Fitted, named: str) -> dict[str, Any]:
    return {
        **_describe(apparatus, fitted, named),
        "edge": round(1e3 * apparatus.cube_edge, 2),
        "drawn": draw_section(apparatus).to_plain(),
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
    return {**_describe(apparatus, fitted, named), "zones": zones, "bounds": bounds, "document": document(fitted)}


def _side_figures(ships: Sequence[str]) -> dict[str, str]:
    known: Mapping[str, Game] = registry.every("game")
    figures = [figure for game in known.values() if game.apparatus in ships for figure in game.figures]
    own = " (active)"
    return {
        figure.key.removesuffix("_active"): figure.title.removesuffix(own)
        for figure in figures
        if figure.title.endswith(own)
    }


def _describe(apparatus: Apparatus, fitted: Fitted, named: str) -> dict[str, Any]:
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

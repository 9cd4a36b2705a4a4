"""The declared games that ship: each file here is an attribute of this module, by its name, read when asked for."""

from __future__ import annotations

from importlib import resources

from tower_sim.games.declared.checked import declaration_of
from tower_sim.games.declared.game import DeclaredGame
from tower_sim.reading import toml_table


def text_of(name: str) -> str:
    """Return the file of a shipped game; raises FileNotFoundError for an unknown one."""
    return (resources.files("tower_sim.games.declared.files") / f"{name}.toml").read_text("utf-8")


def __getattr__(name: str) -> DeclaredGame:
    try:
        text = text_of(name)
    except OSError:
        raise AttributeError(f"no game {name!r} ships") from None
    return DeclaredGame(declaration_of(toml_table(text, f"the game {name}")), name)

"""Games that a TOML file declares: a small language (docs/games.md), its checker, and what plays it."""

from tower_sim.games.declared.game import AnyDeclared, DeclaredGame

DECLARED = AnyDeclared()

__all__ = ["DECLARED", "AnyDeclared", "DeclaredGame"]

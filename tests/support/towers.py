"""The towers that figures and golden scenes are of, as files: they stay when shipped profiles are fitted anew."""

from __future__ import annotations

from pathlib import Path

_FOLDER = Path(__file__).parents[1] / "vectors" / "towers"
RULEBOOK = str(_FOLDER / "rulebook.toml")
"""What docs call rulebook.toml: once the shipped profile amerigo, fitted with Bullet to the rulebook's examples."""
CLUB = str(_FOLDER / "club.toml")
"""What docs call club.toml: once the shipped profile amerigo-club, fitted with Bullet to a club player's impression."""
REFERENCE = _FOLDER / "reference.toml"
"""A tower that was never fitted: cubes are let go all at once and swept away at the exit."""


def called(profile: str) -> str:
    """Return what docs call a tower: a shipped profile's name, or the name of its file."""
    return Path(profile).name

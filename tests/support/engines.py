"""Engines by name, where only the name matters."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tower_sim import registry


def registered(name: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Have an engine of this name in the registry, Bullet where there is none; give back how it was."""
    if name not in registry.OWN["engine"]:
        monkeypatch.setitem(registry.OWN["engine"], name, registry.OWN["engine"]["bullet"])
    registry._known.cache_clear()
    yield
    monkeypatch.undo()
    registry._known.cache_clear()

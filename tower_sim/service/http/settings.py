"""The settings of the service over HTTP."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import Field

from tower_sim.errors import fault, quote
from tower_sim.tools.reading import read_text, toml_table
from tower_sim.typed import Document, read

LEAST_TOKEN = 16  # characters: if drawn at random, about 80 bits or more


class Limits(Document, frozen=True):
    """What the service bounds, as in the file of `--limits`."""

    keep_days: int = Field(
        default=365, ge=1, le=36_500, description="Days for which answers and unused towers are kept."
    )
    max_body: int = Field(default=2**20, ge=1_000, le=2**22, description="Bytes of a request.")
    workers: int = Field(
        default=0, ge=0, le=512, description="Processes that draw what takes long; 0: as many as cores."
    )
    queue: int = Field(default=200, ge=1, le=100_000, description="Requests that wait for them.")

    @property
    def processes(self) -> int:
        return self.workers or os.cpu_count() or 1


def read_limits(file: str | Path) -> Limits:
    """Return the limits in a TOML file."""
    text = read_text(file, "limits file", advice="give a TOML file of lines such as queue = 200")
    return read(Limits, toml_table(text, f"limits file {quote(str(file))}"), "limits")


def read_token(path: str | Path) -> str:
    """Return the token in a file of one line."""
    token = read_text(path, "--token-file", limit=1_000, advice="write one line into it").strip()
    if not token or not token.isascii() or not token.isprintable() or " " in token:
        raise fault(f"token in {quote(str(path))}", "not one word", "one line of visible ASCII characters", "draw one")
    return token


@dataclass(frozen=True, slots=True)
class Settings:
    """The database file of a service, the `token` that callers must send ("" for none), and its limits."""

    db: str | Path
    token: str = ""
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        if self.token and len(self.token) < LEAST_TOKEN:
            raise fault("length of the token", len(self.token), f"from {LEAST_TOKEN} characters", "draw a longer one")

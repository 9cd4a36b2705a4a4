"""What the service on the network is started with."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

from tower_sim.errors import check_whole, fault

if sys.platform != "win32":
    import resource

_OTHER_FILES = 64  # open ones that are no connections, beside the pipes to workers
LEAST_TOKEN = 16  # characters: about 80 bits and more where they are drawn


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of one service.

    `db` is its one file. `token` is what callers must show (empty: nobody is asked). An answer is kept for `keep_days`.
    `max_body` (bytes), `max_at_once` (requests that are being answered) and `rate` (requests a second of one address
    on average, 0: no limit; ten seconds' worth may come at once) are refused beyond. Of one address `per_address`
    connections are kept (0: no limit). What a request has before its body, and then that, has `patience` seconds to
    arrive. `workers` processes draw what takes long, and `queue` requests wait for them. Raises UsageError for what is
    not allowed.
    """

    db: Path
    token: str = ""
    keep_days: int = 365
    max_body: int = 2**20
    max_at_once: int = 256
    rate: int = 1_000
    per_address: int = 100
    patience: int = 20
    workers: int = 0
    queue: int = 200

    def __post_init__(self) -> None:
        check_whole("keep-days", self.keep_days, 1, 36_500)
        check_whole("max-body", self.max_body, 1_000, 2**24)
        check_whole("max-at-once", self.max_at_once, 1, 100_000)
        check_whole("rate", self.rate, 0, 1_000_000)
        check_whole("per-address", self.per_address, 0, 100_000)
        check_whole("patience", self.patience, 1, 3_600)
        check_whole("workers", self.workers, 0, 512)
        check_whole("queue", self.queue, 1, 100_000)
        if self.token and len(self.token) < LEAST_TOKEN:
            raise fault("length of the token", len(self.token), f"from {LEAST_TOKEN} characters", "draw a longer one")

    @property
    def connections(self) -> int:
        """How many connections there are at most: four for each request being answered, as far as the system allows."""
        wanted = 4 * self.max_at_once
        if sys.platform == "win32":
            return wanted
        files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        rest = max(files - _OTHER_FILES - 4 * self.processes, files // 2)
        return wanted if files == resource.RLIM_INFINITY else min(wanted, rest)

    @property
    def processes(self) -> int:
        """How many worker processes there are: as many as cores where none are asked for."""
        return self.workers or os.cpu_count() or 1

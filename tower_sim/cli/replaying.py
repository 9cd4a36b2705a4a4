"""`--replay` and `--bank`: where the pictures of a run come from, films of physics or a bank of recorded drops."""

from __future__ import annotations

import argparse
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tower_sim.apparatus.parts import Apparatus
from tower_sim.cli.common import add_force
from tower_sim.cli.parser import Parser
from tower_sim.contract import DropModel
from tower_sim.errors import fault, shown

if TYPE_CHECKING:  # all that shows is imported when it is asked for
    from tower_sim.physics.film import Film
    from tower_sim.recorder import Recorder
    from tower_sim.replay.document import Replay
    from tower_sim.replay.matched import Playback
    from tower_sim.replay.takes import Take


def add_replay(parser: Parser, what: str) -> None:
    """Add `--replay` and `--bank`; `what` is shown."""
    told = f"also write a page that shows {what} falling (.html), or a scene (.glb)"
    parser.add_argument("--replay", type=Path, metavar="FILE", help=told)
    told = "with --replay and a model other than physics: directory of the campaign of recorded drops that are shown"
    parser.add_argument("--bank", type=Path, metavar="DIR", help=told)
    add_force(parser)


class Replaying:
    """A replay that was asked for: what each draw looked like, until it is written to `path`.

    Either `film` is given to the model, or `playback` shows its draws.
    """

    def __init__(self, path: Path, apparatus: Apparatus, film: Film | None, playback: Playback | None) -> None:
        self.path = path
        self.film = film
        self._apparatus = apparatus
        self._playback = playback
        self._recorder: Recorder | None = None

    def watched(self, model: DropModel) -> DropModel:
        """Return the model as it is to be asked; what it did before is not seen."""
        if self.film is not None:
            self.film.taken()
        if self._playback is None:
            return model
        from tower_sim.recorder import Recorder

        self._recorder = Recorder(model)
        return self._recorder.as_model

    def takes(self) -> tuple[Take, ...]:
        """Return what the draws since the last call of this looked like."""
        from tower_sim.replay.takes import takes

        if self._playback is not None and self._recorder is not None:
            return self._playback.takes_of(self._recorder.taken())
        return takes(self.film.taken(), self._apparatus) if self.film is not None else ()

    def matched(self) -> dict[str, Any] | None:
        """Return what the page says of where its motion is from; raises UsageError when a bank had nothing to show."""
        if self._playback is None:
            return None
        self._playback.check_shown()
        return self._playback.about()

    def write(self, replay: Replay) -> None:
        """Write the page, or the scene."""
        from tower_sim.replay.files import write

        write(self.path, replay)


@contextmanager
def replaying(options: argparse.Namespace, apparatus: Apparatus, seed: int) -> Generator[Replaying | None]:
    """Give the replay that the options ask for, None where there is none; `seed` also draws from the bank.

    Raises UsageError, before any work, for a file that cannot be written, a model without poses where there is no bank,
    and a bank that is not allowed.
    """
    path: Path | None = options.replay
    bank: Path | None = options.bank
    if path is None:
        if bank is not None:
            raise fault("--bank", str(bank), "one beside --replay only", "add --replay FILE.html")
        yield None
        return
    from tower_sim.replay.files import check_path
    from tower_sim.requests import PHYSICS

    check_path(path)
    has_poses = options.model == PHYSICS
    if bank is None:
        if not has_poses:
            allowed = f"none with the model {shown(options.model)}, whose cubes nobody sees fall"
            raise fault("--replay", str(path), allowed, f"take --model {PHYSICS}, or add --bank DIR of recorded drops")
        from tower_sim.physics.film import Film

        yield Replaying(path, apparatus, Film(), None)
        return
    if has_poses:
        raise fault("--bank", str(bank), f"none with the model {PHYSICS}, whose cubes are seen to fall", "leave it out")
    from tower_sim.replay.bank import Bank
    from tower_sim.replay.matched import Playback, drawn_from

    with Bank(bank) as opened:
        opened.check(apparatus)
        yield Replaying(path, apparatus, None, Playback(opened, drawn_from(seed)))

"""What all scripts here have in common: mistakes are told in one line, and the exit status says how it ended."""

from __future__ import annotations

import sys
from collections.abc import Callable

from tower_sim.errors import UsageError
from tower_sim.writing import WritingFailed


def ended(name: str, work: Callable[[], object], to_go_on: str = "run the same again") -> int:
    """Do the work of the script `name`; returns the exit status: 0 done, 1 it could not go on, 2 the caller's mistake.

    `to_go_on` says, after Ctrl-C, what is kept and what to do.
    """
    try:
        work()
    except UsageError as error:
        print(f"{name}: {error}", file=sys.stderr)
        return 2
    except WritingFailed as error:
        print(f"{name}: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"{name}: interrupted; {to_go_on}", file=sys.stderr)
        return 1
    return 0

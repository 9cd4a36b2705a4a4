"""The one exception for a caller's mistake, and how it is told."""

from __future__ import annotations


class UsageError(ValueError):
    """The caller's mistake, told in one line: what was received, what is allowed, what to try.

    The command line prints the line and exits with status 2.
    """


def fault(what: str, value: object, allowed: str, advice: str = "change it or leave it out") -> UsageError:
    """Return the error that `what` is `value` and what is allowed instead."""
    return UsageError(f"{what} is {value!r}; allowed is {allowed}; {advice}")


def check_whole(what: str, value: object, least: int) -> None:
    """Raise UsageError unless `value` is a whole number from `least`."""
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise fault(what, value, f"a whole number from {least}")

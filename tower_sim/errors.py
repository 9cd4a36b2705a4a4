"""The one exception for a caller's mistake."""

from __future__ import annotations


class UsageError(ValueError):
    """The caller's mistake, told in one line: what was received, what is allowed, what to try.

    The command line prints the line and exits with status 2.
    """

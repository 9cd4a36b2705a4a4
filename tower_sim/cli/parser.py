"""The parser: complaints are one line with a near miss suggested, defaults stand in the help, no command shows it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from tower_sim.errors import UsageError, near, shown


class Parser(argparse.ArgumentParser):
    """A parser whose complaints are the caller's mistake, in one line that points to the help of its own command."""

    def __init__(self, **options: Any) -> None:
        super().__init__(formatter_class=_Formatter, **options)

    def error(self, message: str) -> NoReturn:
        """Raise UsageError with the message, and where the help is."""
        raise UsageError(f"{message}; see {self.prog} --help")

    def parse_known_args(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, args: Any = None, namespace: Any = None
    ) -> tuple[Any, list[str]]:
        """Parse; a bare command that has commands of its own shows its help, an unknown option is refused here."""
        given = sys.argv[1:] if args is None else list(args)
        if not given and self._subparsers is not None:
            self.print_help()
            self.exit(0)
        found, unknown = super().parse_known_args(given, namespace)
        if not any(word.startswith("-") for word in unknown):
            for action in self._actions:  # one that may be left out is also taken after the options
                is_open = not action.option_strings and action.nargs == "?" and getattr(found, action.dest) is None
                if is_open and unknown:
                    setattr(found, action.dest, unknown.pop(0))
        if unknown:
            self.error(self._unknown(unknown))
        return found, unknown

    def _print_message(self, message: str, file: Any = None) -> None:
        """Print, and let an output that fails be told; argparse would be silent."""
        if message:
            (sys.stderr if file is None else file).write(message)

    def _unknown(self, words: Sequence[str]) -> str:
        first = next((word for word in words if word.startswith("-")), words[0])
        known = [option for action in self._actions for option in action.option_strings]
        what = "option" if first.startswith("-") else "argument"
        return f"unknown {what} {shown(first)}{near(first.partition('=')[0], known)}"

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            allowed = [str(each) for each in action.choices]
            text = f"{shown(value)}; allowed is one of {', '.join(allowed)}{near(str(value), allowed)}"
            raise argparse.ArgumentError(action, text)


class _Formatter(argparse.HelpFormatter):
    """Help in which every option that has a default says it, once."""

    def _get_help_string(self, action: argparse.Action) -> str | None:
        text = action.help
        silent = action.default is None or action.default is False or action.default in ("", [], argparse.SUPPRESS)
        if not text or silent or not action.option_strings or "default" in text:
            return text
        return f"{text} (default: %(default)s)"

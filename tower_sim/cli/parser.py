"""The parser: complaints are one line with a near miss suggested, defaults stand in the help, no command shows it."""

from __future__ import annotations

import argparse
import sys
import textwrap
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from tower_sim.errors import UsageError, near, shown


class Parser(argparse.ArgumentParser):
    """A parser whose complaints are the caller's mistake, in one line that points to the help of its own command.

    An option is written out whole: `--out` is a wish of `design`, not short for `--output`.

    `fill` puts in what it takes when that is first asked for, so that no command imports what another needs.
    """

    def __init__(self, fill: Callable[[Parser], None] | None = None, **options: Any) -> None:
        super().__init__(formatter_class=_Formatter, allow_abbrev=False, **options)
        self._fill = fill
        self.offered: dict[str, Sequence[str]] = {}
        self._own_help: Callable[[Sequence[str]], Parser | None] | None = None

    def offer(self, action: argparse.Action, words: Sequence[str]) -> None:
        """Have shells offer these words, and files, where the value of an option or an argument is due."""
        self.offered[action.dest] = words

    def read_again_by(self, own_help: Callable[[Sequence[str]], Parser | None]) -> None:
        """Leave what is unknown to the parser of what is named; `own_help` gives that which shows its help, if any."""
        self._own_help = own_help

    def filled(self) -> Parser:
        """Return the parser with all that it takes."""
        fill, self._fill = self._fill, None
        if fill is not None:
            fill(self)
        return self

    def commands(self) -> dict[str, tuple[Parser, str]]:
        """Return the parser's own commands with their help; argparse has no public way to look at them."""
        commands: dict[str, tuple[Parser, str]] = {}
        for action in self.filled()._actions:
            if action.nargs == argparse.PARSER:
                of_commands: Any = action
                told = {choice.dest: choice.help or "" for choice in of_commands._choices_actions}
                commands |= {name: (parser, told.get(name, "")) for name, parser in of_commands.choices.items()}
        return commands

    def arguments(self) -> list[argparse.Action]:
        """Return what the parser takes, its own commands left out."""
        return [action for action in self.filled()._actions if action.nargs != argparse.PARSER]

    def has(self, option: str) -> bool:
        """Return whether the parser takes an option."""
        return option in self._option_string_actions

    def format_help(self) -> str:
        """Return the help."""
        return super(Parser, self.filled()).format_help()

    def error(self, message: str) -> NoReturn:
        """Raise UsageError with the message, and where the help is."""
        raise UsageError(f"{message}; see {self.prog} --help")

    def parse_known_args(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, args: Any = None, namespace: Any = None
    ) -> tuple[Any, list[str]]:
        """Parse; a bare command that has commands of its own shows its help, an unknown option is refused here."""
        self.filled()
        given = sys.argv[1:] if args is None else list(args)
        if not given and self._subparsers is not None:
            self.print_help()
            self.exit(0)
        if self._own_help is not None and not {"-h", "--help"}.isdisjoint(given):
            (self._own_help(given) or self).print_help()
            self.exit(0)
        parsed, unknown = super().parse_known_args(given, namespace)
        if not hasattr(parsed, "words"):  # those of the command itself, which it may read again
            parsed.words, parsed.prog = given, self.prog
        if not any(word.startswith("-") for word in unknown):
            for action in self._actions:  # one that may be left out is also taken after the options
                is_open = not action.option_strings and action.nargs == "?" and getattr(parsed, action.dest) is None
                if is_open and unknown:
                    setattr(parsed, action.dest, unknown.pop(0))
        if unknown and self._own_help is None:
            self.error(self._unknown(unknown))
        return parsed, []

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
            allowed = [str(choice) for choice in action.choices]
            files = getattr(action.choices, "files", "")
            text = f"{shown(value)}; allowed is one of {', '.join(allowed)}{files}{near(str(value), allowed)}"
            raise argparse.ArgumentError(action, text)


class _Formatter(argparse.HelpFormatter):
    """Help in which every option that has a default says it, once."""

    def add_argument(self, action: argparse.Action) -> None:
        """Add it, and room for the names of commands, which stand two columns further in than argparse reckons with."""
        super().add_argument(action)
        for inner in self._iter_indented_subactions(action):
            length = len(self._format_action_invocation(inner)) + self._current_indent + self._indent_increment
            self._action_max_length = max(self._action_max_length, length)

    def _split_lines(self, text: str, width: int) -> list[str]:
        return textwrap.wrap(" ".join(text.split()), width, break_on_hyphens=False)  # names can be copied whole

    def _get_help_string(self, action: argparse.Action) -> str | None:
        text = action.help
        silent = action.default is None or action.default is False or action.default in ("", [], argparse.SUPPRESS)
        if not text or silent or not action.option_strings or "default" in text:
            return text
        return f"{text} (default: %(default)s)"

"""Games in Python files of the user, as in `tower-sim play my_game.py`."""

from __future__ import annotations

import hashlib
import inspect
import linecache
import sys
import types
from functools import lru_cache
from pathlib import Path

from pydantic import BaseModel

from tower_sim.errors import UsageError, fault, quote
from tower_sim.games.game import Game
from tower_sim.games.running import error_text, find_line, guard, line_of_fault
from tower_sim.tools import read_text

_NEEDS = ("name", "title", "Rules")


class PythonFiles:
    """A loader of games from the paths of Python files."""

    def open(self, path: str | Path) -> Game:
        text = read_text(path, "game file", advice="give a Python file with one class that is a Game")
        return run_game_file(text, str(path))


FILES = PythonFiles()


@lru_cache(maxsize=32)
def run_game_file(text: str, file: str) -> Game:
    """Run the text of a Python file and return its one game."""
    name = f"tower_sim_game_{hashlib.sha256(text.encode()).hexdigest()[:16]}"
    module = types.ModuleType(name)
    module.__file__ = file
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    sys.modules[name] = module  # pydantic looks up annotations there
    try:
        exec(compile(text, file, "exec"), module.__dict__)
    except SyntaxError as error:
        raise UsageError(f"game file {quote(file)}, line {error.lineno}: {error.msg}; allowed is Python") from None
    except Exception as error:
        lines = (each.lineno for each in reversed(inspect.trace()) if each.filename == file)
        line = line_of_fault(text, error) or next(lines, "?")
        raise UsageError(f"game file {quote(file)}, line {line}: {error_text(error)}") from None
    kinds = [
        each
        for each in vars(module).values()
        if isinstance(each, type) and issubclass(each, Game) and each.__module__ == name
    ]
    if len(kinds) != 1:
        raise fault(f"the number of games in {quote(file)}", len(kinds), "1: a class that is a Game", "write one")
    return _object(kinds[0], text, file)


def _object(kind: type[Game], text: str, file: str) -> Game:
    def mistake(says: str, word: str, within: type = kind) -> UsageError:
        return UsageError(f"game file {quote(file)}, line {find_line(text, word, within.__name__)}: {says}")

    missing = [each for each in _NEEDS if not hasattr(kind, each)] + sorted(kind.__abstractmethods__)
    if missing:
        needs = ", ".join((*_NEEDS, "cubes", "play"))
        raise mistake(f"{kind.__name__} has no {missing[0]}; a game needs {needs}; add it", missing[0])
    rules: object = kind.Rules
    if not (isinstance(rules, type) and issubclass(rules, BaseModel)):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise mistake(f"Rules is {quote(kind.Rules)}; allowed is a Rules class; mend it", "Rules")
    name: object = kind.name
    if not (isinstance(name, str) and kind.name.isidentifier() and kind.name.islower()):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise mistake(f"name is {quote(name)}; allowed is small letters, digits and _; rename it", "name")
    game = kind()
    game.file, game.source = file, text
    try:
        game.read({})
    except UsageError as error:
        rule = error.what.rpartition(".")[2]
        raise mistake(f"a rule has no allowed default: {error}", rule, kind.Rules) from None
    guard(game)
    return game

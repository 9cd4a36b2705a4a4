"""Find the lines of a user's game file that messages name."""

from __future__ import annotations

import ast
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import lru_cache
from types import GeneratorType
from typing import Any, cast

from tower_sim.errors import UsageError


def error_text(error: Exception) -> str:
    """Return an exception of a user's game in one line."""
    return str(error) if isinstance(error, UsageError) else f"{type(error).__name__}: {error}"


@lru_cache(maxsize=8)
def _tree(text: str) -> ast.Module:
    return ast.parse(text)


def line_of_fault(text: str, error: Exception) -> int | None:
    """Return the line of what a UsageError is about, `fact NAME` or `figure FORMULA`, or None."""
    kind, _, word = getattr(error, "what", "").partition(" ")
    for node in ast.walk(_tree(text)):
        parts: list[ast.expr | None] = []
        if kind == "fact" and isinstance(node, ast.Dict):
            parts = node.keys
        elif kind == "figure" and isinstance(node, ast.Call):
            parts = [*node.args, *(keyword.value for keyword in node.keywords)]
        for part in parts:
            if isinstance(part, ast.Constant) and part.value == word:
                return part.lineno
    return None


def line_of(text: str, name: str, within: str) -> int | None:
    """Return the line where the class `within` defines `name`, else that of the class, or None."""
    for kind in ast.walk(_tree(text)):
        if isinstance(kind, ast.ClassDef) and kind.name == within:
            for node in ast.walk(kind):
                match node:
                    case ast.FunctionDef(name=word) | ast.Name(id=word, ctx=ast.Store()) if word == name:
                        return node.lineno
                    case _:
                        pass
            return kind.lineno
    return None


def line_of_method(game: Any, name: str) -> int | None:
    """Return the line of a game's method in its file."""
    return line_of(game.source, name, type(game).__name__)


def line_of_yield(game: Any, turns: Any) -> int | None:
    """Return the line at which the innermost generator of turns waits."""
    line, inner = None, turns
    while isinstance(inner, GeneratorType) and inner.gi_frame and inner.gi_frame.f_code.co_filename == game.file:
        line, inner = inner.gi_frame.f_lineno, cast("Any", inner.gi_yieldfrom)
    return line


@contextmanager
def naming_line(game: Any, line: Callable[[], int | None]) -> Generator[None]:
    """Begin each UsageError with a line of a user's game."""
    try:
        yield
    except UsageError as error:
        if not game.source:
            raise
        number = line()
        where = f"{game.file}, line {number}" if number else game.file
        raise UsageError(f"{where}: {error}", error.what, error.code) from None

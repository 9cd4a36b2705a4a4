"""Many cases of one claim in one item of pytest: every case is tried, and the message names all that fail."""

import functools
import inspect
import traceback
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from typing import Any

import pytest

LINES = 15  # of what a case failed with; the rest of a long report would hide the next case


def each_case(
    names: str | Sequence[str],
    cases: Iterable[Any],
    ids: Iterable[str] | Callable[[Any], object] | None = None,
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Like `pytest.mark.parametrize`, in one item: for cases that take milliseconds each.

    Every case has a folder (`tmp_path`), patches (`monkeypatch`) and output (`capsys`) of its own. Where the first one
    skips, all are skipped; one that skips alone has failed, so that none is left out unseen.
    """
    words = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    ids = ids if ids is None or callable(ids) else list(ids)
    table = [name_case(case, len(words), i, ids) for i, case in enumerate(cases)]
    assert table, f"there is no case of {', '.join(words)}"

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(test)

        @functools.wraps(test)
        def try_all(**fixtures: Any) -> None:
            failures: list[str] = []
            for i, (name, values) in enumerate(table):
                try:
                    with ExitStack() as stack:
                        test(**renew(fixtures, i, stack), **dict(zip(words, values, strict=True)))
                except (Exception, pytest.fail.Exception, pytest.skip.Exception) as error:
                    if i == 0 and isinstance(error, pytest.skip.Exception):
                        raise
                    failures.append(f"[{name}] {describe(error)}")
            if failures:
                pytest.fail("\n\n".join([f"{len(failures)} of {len(table)} cases fail", *failures]), pytrace=False)

        rest = [parameter for name, parameter in signature.parameters.items() if name not in words]
        try_all.__signature__ = signature.replace(parameters=rest)  # type: ignore[attr-defined] # what pytest reads
        return try_all

    return decorate


def name_case(case: Any, count: int, number: int, ids: Any) -> tuple[str, tuple[Any, ...]]:
    """Return a case's name and its values, one for each of `count` names."""
    name = None
    if hasattr(case, "marks"):  # pytest.param
        assert not case.marks, "a case of an item cannot have marks of its own"
        name, case = case.id, case.values if count > 1 else case.values[0]
    values = tuple(case) if count > 1 else (case,)
    if name is None and ids is not None:
        name = "-".join(str(ids(value)) for value in values) if callable(ids) else ids[number]
    return name or f"{number}: {', '.join(repr(value) for value in values)[:120]}", values


def renew(fixtures: dict[str, Any], number: int, stack: ExitStack) -> dict[str, Any]:
    """Return the fixtures as the case with this number takes them."""
    new = dict(fixtures)
    if "tmp_path" in new:
        new["tmp_path"] = fixtures["tmp_path"] / str(number)
        new["tmp_path"].mkdir()
    if "monkeypatch" in new:
        new["monkeypatch"] = stack.enter_context(pytest.MonkeyPatch.context())
    if "capsys" in new:
        new["capsys"].readouterr()
    return new


def describe(error: BaseException) -> str:
    """Return what a case failed with, and the line of the test that it failed in."""
    frames = traceback.extract_tb(error.__traceback__)
    at = [f"{x.filename}:{x.lineno}" for x in frames if x.filename != __file__ and "_pytest" not in x.filename]
    text = "".join(traceback.format_exception_only(error)).rstrip().splitlines()
    return "\n    ".join([*at[:1], *text[:LINES], *["..."] * (len(text) > LINES)])

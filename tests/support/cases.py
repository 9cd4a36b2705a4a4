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
    given = ids if ids is None or callable(ids) else list(ids)
    tried = [named(case, len(words), i, given) for i, case in enumerate(cases)]
    assert tried, f"there is no case of {', '.join(words)}"

    def over(test: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(test)

        @functools.wraps(test)
        def all_of_them(**fixtures: Any) -> None:
            failed: list[str] = []
            for i, (name, values) in enumerate(tried):
                try:
                    with ExitStack() as stack:
                        test(**renewed(fixtures, i, stack), **dict(zip(words, values, strict=True)))
                except (Exception, pytest.fail.Exception, pytest.skip.Exception) as error:
                    if i == 0 and isinstance(error, pytest.skip.Exception):
                        raise
                    failed.append(f"[{name}] {told(error)}")
            if failed:
                pytest.fail("\n\n".join([f"{len(failed)} of {len(tried)} cases fail", *failed]), pytrace=False)

        left = [kept for name, kept in signature.parameters.items() if name not in words]
        all_of_them.__signature__ = signature.replace(parameters=left)  # type: ignore[attr-defined] # what pytest reads
        return all_of_them

    return over


def named(case: Any, count: int, number: int, ids: Any) -> tuple[str, tuple[Any, ...]]:
    """Return a case's name and its values, one for each of `count` names."""
    name = None
    if hasattr(case, "marks"):  # pytest.param
        assert not case.marks, "a case of an item cannot have marks of its own"
        name, case = case.id, case.values if count > 1 else case.values[0]
    values = tuple(case) if count > 1 else (case,)
    if name is None and ids is not None:
        name = "-".join(str(ids(value)) for value in values) if callable(ids) else ids[number]
    return name or f"{number}: {', '.join(repr(value) for value in values)[:120]}", values


def renewed(fixtures: dict[str, Any], number: int, stack: ExitStack) -> dict[str, Any]:
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


def told(error: BaseException) -> str:
    """Return what a case failed with, and the line of the test that it failed in."""
    frames = [
        x for x in traceback.extract_tb(error.__traceback__) if x.filename != __file__ and "_pytest" not in x.filename
    ]
    lines = traceback.format_exception_only(error)
    text = "".join(lines).rstrip().splitlines()
    at = [f"{frames[0].filename}:{frames[0].lineno}"] if frames else []
    return "\n    ".join([*at, *text[:LINES], *(["..."] if len(text) > LINES else [])])

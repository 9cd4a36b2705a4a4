"""Write docs/api.md, the public names, from their docstrings.

python -m tests.measure.api
"""

from __future__ import annotations

import argparse
import inspect
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import tower_sim
from tests.measure.script import ended
from tower_sim.outcome import Status
from tower_sim.writing import write

PAGE = Path(__file__).parents[2] / "docs" / "api.md"
HEAD = """# Public names

Made from the docstrings by `python -m tests.measure.api`; [python.md](python.md) is the guide. Lengths are metres,
masses kilograms, times seconds.
"""


def page() -> str:
    """Return the page: every name that `from tower_sim import ...` takes, with what it says of itself."""
    return "\n".join([HEAD, *(line for name in tower_sim.__all__ for line in _entry(name, getattr(tower_sim, name)))])


def _entry(name: str, given: Any) -> list[str]:
    kind = "class " if inspect.isclass(given) else ""
    lines = [f"## {name}", "", "```python", f"{kind}{name}{_call(given)}", "```", "", _text(given), ""]
    if given is Status:
        return [*lines, *(f"- `{status}`: {status.sentence}" for status in Status), ""]
    if inspect.isclass(given):
        lines += [_member(own, member) for own, member in sorted(vars(given).items()) if _is_said(own, member)]
    return [*lines, ""]


def _is_said(name: str, member: Any) -> bool:
    is_call = isinstance(member, (property, classmethod, staticmethod)) or inspect.isfunction(member)
    return is_call and not name.startswith("_") and bool(member.__doc__)


def _member(name: str, member: Any) -> str:
    function = getattr(member, "__func__", member)
    call = "" if isinstance(member, property) else re.sub(r"^\((?:self|cls)(?:, )?", "(", _call(function))
    return f"- `{name}{call}`: {' '.join(_text(member).split())}"


def _call(given: Any) -> str:
    if inspect.isclass(given) and (given is Status or getattr(given, "_is_protocol", False)):
        return ""
    text = re.sub(r"(: |-> )'([^']*)'", r"\1\2", str(inspect.signature(given)))  # types are written as texts
    text = re.sub(r"(?:\w+\.)+(?=[A-Z])", "", text)  # the modules that types are in
    return re.sub(r"<(?:function|factory)[^>]*>", "...", text)


def _text(given: Any) -> str:
    return inspect.cleandoc(given.__doc__ or "")


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line; returns the exit status: see `ended`."""
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args(
        arguments
    )
    return ended("api", lambda: write(PAGE, page(), "page"))


if __name__ == "__main__":
    sys.exit(main())

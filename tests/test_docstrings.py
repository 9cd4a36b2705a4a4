"""The examples in the docstrings of public names run and print what they show."""

from __future__ import annotations

import doctest
import importlib
from importlib.util import find_spec
from pathlib import Path

import pytest
from support.cases import each_case
from support.imports import SHIPPED

import tower_sim

MODULES = [name for name, path in SHIPPED.items() if ">>> " in path.read_text("utf-8")]
NEEDED = {  # the package that a module's examples need
    **dict.fromkeys(("campaign.reader", "campaign.running", "campaign.tables"), "pyarrow"),
    "env.policies": "gymnasium",
    "apparatus.printing": "trimesh",
}
SHOWN_ELSEWHERE = {"Tuned"}  # its docstring names the function with the example


def package_of(module: str) -> str:
    return NEEDED.get(module.removeprefix("tower_sim."), "tower_sim")


def examples(module: str) -> list[doctest.DocTest]:
    return [test for test in doctest.DocTestFinder().find(importlib.import_module(module)) if test.examples]


def test_every_public_name_has_an_example():
    loadable = [module for module in MODULES if find_spec(package_of(module))]
    with_example = {test.name for module in loadable for test in examples(module)}
    assert len(with_example) >= 40
    public = [getattr(tower_sim, name) for name in tower_sim.__all__ if name not in SHOWN_ELSEWHERE]
    assert {f"{each.__module__}.{each.__qualname__}" for each in public} <= with_example


@each_case("module", MODULES)
def test_the_examples_of_a_module_run(module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    pytest.importorskip(package_of(module))
    monkeypatch.chdir(tmp_path)
    failures: list[str] = []
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS)
    for test in examples(module):
        runner.run(test, out=failures.append)
    assert not runner.failures, "".join(failures)

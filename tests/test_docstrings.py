"""The examples in the docstrings of public names run and print what they show."""

from __future__ import annotations

import doctest
import importlib
from importlib.util import find_spec
from pathlib import Path

import pytest
from support.cases import each_case

import tower_sim

MODULES = {  # the package that a module's examples need, or ""
    "apparatus.catalogue": "",
    "calibration.evidence": "",
    "calibration.records": "",
    "campaign.reader": "pyarrow",
    "campaign.run": "pyarrow",
    "campaign.spec": "",
    "campaign.work": "pyarrow",
    "compare.command": "",
    "compare.search": "",
    "compare.words": "",
    "contract": "",
    "cubes": "",
    "drawing.picture": "",
    "drops.repeat": "",
    "drops.throwing": "",
    "env.policies": "gymnasium",
    "errors": "",
    "games.amerigo.many": "",
    "games.amerigo.options": "",
    "games.amerigo.phases": "",
    "games.dead_reckoning.abilities": "",
    "games.dead_reckoning.battle": "",
    "games.dead_reckoning.sides": "",
    "games.odds": "",
    "games.rules": "",
    "models": "",
    "outcome": "",
    "physics.settings": "",
    "printing": "trimesh",
    "registry": "",
    "runs.array": "",
    "runs.figure": "",
    "simulator": "",
    "state": "",
    "statistics": "",
    "surrogate.model": "",
    "surrogate.two_thirds": "",
    "testing": "",
    "tower": "",
    "variants": "",
}
SHOWN_ELSEWHERE = {"Tuned"}  # its docstring names the function with the example


def examples(module: str) -> list[doctest.DocTest]:
    return [test for test in doctest.DocTestFinder().find(importlib.import_module(module)) if test.examples]


def test_every_public_name_has_an_example():
    there = [module for module, package in MODULES.items() if not package or find_spec(package)]
    with_example = {test.name for module in there for test in examples(f"tower_sim.{module}")}
    assert len(with_example) >= 40
    public = [getattr(tower_sim, name) for name in tower_sim.__all__ if name not in SHOWN_ELSEWHERE]
    assert {f"{each.__module__}.{each.__qualname__}" for each in public} <= with_example


@each_case("module", MODULES)
def test_the_examples_of_a_module_run(module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    if MODULES[module]:
        pytest.importorskip(MODULES[module])
    monkeypatch.chdir(tmp_path)
    written: list[str] = []
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS)
    for test in examples(f"tower_sim.{module}"):
        runner.run(test, out=written.append)
    assert not runner.failures, "".join(written)

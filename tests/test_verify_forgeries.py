"""Forged logs of verifiable draws, and notes that do not fit: Python and JavaScript find each, in the same words."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from support.forgeries import FORGERIES, KEYS, LOG, Forgery
from support.node import answered, needs_node
from support.verifiable import checked, data_of

from tower_sim.clients.write import write_package
from tower_sim.service.verifiable import words

ASK = Path(__file__).parent / "support/verify_ask.mjs"


def in_python(forgery: Forgery) -> dict[str, Any]:
    """Check in Python; a document and its exit status."""
    report = checked(forgery.log, noted=forgery.noted)
    return words.document(report, None) | {"status": words.status(report)}


def amiss(name: str, found: dict[str, Any]) -> str:
    """Say what the check of a forgery should have found and has not; empty when it found all."""
    forgery, found_in = FORGERIES[name], [f"line {each['line']}: {each['what']}" for each in found["findings"]]
    whole = " ".join([*found["says"], *found_in])
    status = 0 if found["holds"] else 1 if found["findings"] else 3
    named = found["noted"] and found["noted"]["round"]
    if status != forgery.status or forgery.said not in whole or (status == 0 and named != forgery.round):
        return f"{name}: {status}, {whole}"
    return ""


def test_python_finds_every_forgery_and_whatever_was_noted_of_another_round():
    assert checked(data_of(LOG), KEYS.succession[0].old).holds
    found = {name: in_python(forgery) for name, forgery in FORGERIES.items()}
    assert [wrong for name, document in found.items() if (wrong := amiss(name, document))] == []
    assert all(document["status"] == FORGERIES[name].status for name, document in found.items())
    assert len(found) > 67


@pytest.mark.ports
@needs_node
def test_javascript_finds_every_forgery_in_the_words_that_python_says(tmp_path: Path):
    write_package(["amerigo"], tmp_path)
    asked = [
        {"log": base64.b64encode(forgery.log).decode(), "noted": list(forgery.noted)} for forgery in FORGERIES.values()
    ]
    for (name, forgery), found in zip(FORGERIES.items(), answered(ASK, tmp_path, given=asked), strict=True):
        mine = in_python(forgery)
        assert amiss(name, found) == "", found
        lines = [finding["line"] for finding in mine["findings"]]
        assert [finding["line"] for finding in found["findings"]] == lines, name
        if forgery.javascript:
            assert found["findings"] == mine["findings"], name
            assert found["noted"] == json.loads(json.dumps(mine["noted"])), name

"""Manifests that somebody wrote: none ends in a traceback."""

from __future__ import annotations

import json
import random
import shutil
from hashlib import sha256
from pathlib import Path

import pytest
from support.attacks import mutated
from support.campaigns import run_whole

from tower_sim.campaign import campaign_status, canonical_json, verify
from tower_sim.campaign.store import MANIFEST
from tower_sim.errors import UsageError

NUMBER = 700
SPEC = """
[campaign]
game = "amerigo"
apparatus = "amerigo"
model = "two_thirds"
games = 1
shard = 1
seed = "7"

[rules]
rounds = 0

[vary.fields]
rules.cubes = [5, 6]
"""


@pytest.fixture(name="whole", scope="module")
def _whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("whole") / "out"
    run_whole(SPEC, directory)
    return directory


@pytest.mark.slow
def test_no_line_of_a_manifest_ends_in_a_traceback_or_counts_as_whole(whole: Path, tmp_path: Path):
    rng = random.Random(20261122)
    out = Path(shutil.copytree(whole, tmp_path / "out"))
    original = (out / MANIFEST).read_bytes()
    lines = [json.loads(line) for line in original.splitlines()]
    refused = found = 0
    for attack in range(NUMBER):
        number = rng.randrange(len(lines))
        forged = [json.dumps(line, separators=(",", ":")) for line in lines]
        document = mutated(lines[number], rng)
        if number == 0 and rng.random() < 0.7:
            document.pop("digest", None)
            try:
                document["digest"] = sha256(canonical_json(document).encode()).hexdigest()
            except ValueError:  # not a number
                document["digest"] = ""
        forged[number] = json.dumps(document, separators=(",", ":"))
        data = "".join(f"{line}\n" for line in forged).encode()
        (out / MANIFEST).write_bytes(data)
        for look in (lambda: verify(out), lambda: campaign_status(out)):
            try:
                answer = look()
            except UsageError as error:
                refused += len(str(error)) < 2000
            else:
                # another head that is right in itself tells of another campaign, whose files these could be
                assert answer or number == 0 or data == original, f"attack {attack} on line {number} counts as whole"
                found += isinstance(answer, list) and bool(answer)
    (out / MANIFEST).write_bytes(original)
    assert verify(out) == []
    assert found > NUMBER / 8
    assert refused > NUMBER / 4

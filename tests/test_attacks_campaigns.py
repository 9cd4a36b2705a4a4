"""Manifests and receipts that somebody wrote, sealed with right digests and wrong all the same: none is whole."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path
from typing import Any

import pytest
from support.attacks import mutated

from tower_sim.campaign import campaign_status, parse, run, verify
from tower_sim.campaign.files import digest, sealed, unsealed
from tower_sim.campaign.spec import canonical_json
from tower_sim.errors import UsageError

NUMBER = 700
SPEC = """
[campaign]
kind = "game"
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
    run(parse(SPEC), directory)
    assert verify(directory) == []
    return directory


def resealed(document: dict[str, Any], rng: random.Random) -> bytes:
    """The document with its own digest right, and mostly also those within it."""
    if "spec_digest" in document and rng.random() < 0.7:
        head = {key: value for key, value in document.items() if key not in ("campaign", "shards")}
        for key, value in (("spec_digest", document.get("spec")), ("campaign", head)):
            try:
                document[key] = head[key] = digest(canonical_json(value).encode())
            except ValueError:  # not a number
                break
    document.pop("digest", None)
    try:
        return sealed(document)
    except ValueError:
        return (json.dumps(document, indent=1) + "\n").encode()


@pytest.mark.whole
def test_no_resealed_manifest_or_receipt_ends_in_a_traceback_or_counts_as_whole(whole: Path, tmp_path: Path):
    rng = random.Random(20261122)
    out = Path(shutil.copytree(whole, tmp_path / "out"))
    names = ["manifest.json", "receipts/00000.json", "receipts/00001.json"]
    originals = {name: (out / name).read_bytes() for name in names}
    refused = found = 0
    for number in range(NUMBER):
        name = rng.choice(names)
        document = mutated(unsealed(originals[name]), rng)
        data = resealed(document, rng)
        if data == originals[name]:
            continue
        changed = {name: data}
        if name != "manifest.json" and rng.random() < 0.5:  # the manifest agrees with the forged receipt
            manifest: Any = unsealed(originals["manifest.json"])
            index = int(name[-6])
            manifest["shards"][index] = {key: document.get(key) for key in manifest["shards"][index]}
            changed["manifest.json"] = resealed(manifest, rng)
        for each, data in changed.items():
            (out / each).write_bytes(data)
        for look in (lambda: verify(out), lambda: campaign_status(out)):
            try:
                said = look()
            except UsageError as error:
                refused += len(str(error)) < 2000
            else:
                assert said, f"mutation {number} of {name} counts as whole"
                found += isinstance(said, list)
        for each in changed:
            (out / each).write_bytes(originals[each])
    assert verify(out) == []
    assert found > NUMBER / 2
    assert refused > 100


def test_a_receipt_that_vouches_for_a_table_of_another_campaign_is_found(whole: Path, tmp_path: Path):
    other = tmp_path / "other"
    run(parse(SPEC.replace('seed = "7"', 'seed = "8"')), other)
    out = Path(shutil.copytree(whole, tmp_path / "out"))
    receipt: Any = unsealed((other / "receipts/00001.json").read_bytes())
    receipt["campaign"] = json.loads((out / "manifest.json").read_text())["campaign"]
    for name in receipt["files"]:
        shutil.copy(other / name, out / name)
    (out / "receipts/00001.json").write_bytes(sealed(receipt))
    manifest: Any = unsealed((out / "manifest.json").read_bytes())
    manifest["shards"][1] = {key: receipt[key] for key in manifest["shards"][1]}
    (out / "manifest.json").write_bytes(sealed(manifest))
    assert [problem.split(": of shard")[0] for problem in verify(out)] == [f"{x}: foreign" for x in receipt["files"]]

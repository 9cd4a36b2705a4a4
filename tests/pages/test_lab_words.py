"""The lab says of two variants what `tower-sim compare` says of the same figures: node runs the page's modules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from support.node import PORTS, answered
from support.web import bundled

from tower_sim.games.amerigo import Rules
from tower_sim.games.amerigo.compared import ComparedGames
from tower_sim.games.compared import Sureness
from tower_sim.studies.comparison.paired import rows
from tower_sim.surrogate.kernel import GAMES
from tower_sim.tools import registry

pytestmark = PORTS

MANY = 400

ASK = """
import { readFileSync } from "node:fs";
import { differs, dropWords } from "SRC/lab/say";
import { openCompiled } from "SRC/common/compiled";
import { Pairs } from "SRC/lab/statistics";
const { requests, drops, wasm } = JSON.parse(readFileSync(0, "utf8"));
const compiled = await openCompiled(readFileSync(wasm));
const compared = ({ figures, a, b }) => {
  const pairs = new Pairs(compiled, figures.length);
  a.forEach((game, i) => pairs.add(game, b[i]));
  return pairs.rows().map((row, i) => ({ ...figures[i], ...row }));
};
const answers = requests.map((group) => {
  const found = compared(group);
  const p = found.flatMap((row) => [row.p, row.adjusted, row.difference.mean + row.difference.half]);
  const same = found.flatMap(({ a, b, difference }) => [a, b, difference].flatMap(({ mean, sd }) => [mean, sd]));
  return { words: differs(found).join(" "), verdicts: found.map((row) => row.verdict), p, same };
});
console.log(JSON.stringify([answers, drops.map((drop) => dropWords(...drop).join(" "))]));
"""


def draw_pairs(rng: np.random.Generator, figures: int, shift: float) -> tuple[Any, Any]:
    """Games of A and of B: means from nearly 0 to 30, differences from none to several standard errors."""
    means, spreads = rng.choice([0.05, 0.6, 3, 30], figures), rng.choice([0.0, 0.02, 0.3, 2.0], figures)
    a = means + spreads * rng.normal(size=(MANY, figures))
    shifts = spreads * shift * rng.choice([-1, 0, 0.5, 1], figures) / np.sqrt(MANY)
    return a, a + shifts + spreads * rng.normal(size=(MANY, figures))


def group_document(group: Any, a: Any, b: Any) -> dict[str, Any]:
    figures = [asdict(each) for each in group.figures]
    return {"figures": figures, "a": a.tolist(), "b": b.tolist()}


def ask(folder: Path, requests: Sequence[Any] = (), drops: Sequence[Any] = ()) -> tuple[list[Any], list[str]]:
    return answered(bundled(folder, ASK), given={"requests": requests, "drops": drops, "wasm": str(GAMES.path)})


def test_the_words_of_a_drop_count_its_actions_points_and_gold(tmp_path: Path):
    """Gold for passing: one for every three cubes that came out, or begun. A round has two phases."""
    variant, colours = {"phases": [1, 0], "gold": 3}, ["red", "white"]
    drops = [
        (0, {"phase": -1, "thrown": 9, "came": [2, 1], "inside": [3, 3]}),
        (1, {"phase": 1, "thrown": 1, "came": [0, 0], "inside": [3, 4]}),
        (2, {"phase": 0, "thrown": 2, "came": [3, 1], "inside": [2, 3]}),
        (3, {"phase": 1, "thrown": 2, "came": [0, 1], "inside": [1, 0]}),
    ]
    _, lines = ask(tmp_path, drops=[(variant, drop, counts, colours) for drop, counts in drops])
    assert lines == [
        "The set-up: 9 cubes are thrown, 3 come out (2 red and 1 white); 6 stay inside.",
        "Round 1, the white phase: 1 cube is thrown, none comes out; 7 stay inside. "
        "No cube, no action: the phase is skipped.",
        "Round 1, the red phase: 2 cubes are thrown, 4 come out (3 red and 1 white); 5 stay inside. "
        "2 actions to choose from, with 3 action points; or pass for 2 gold.",
        "Round 2, the white phase: 2 cubes are thrown, 1 comes out (1 white); 1 stays inside. "
        "1 action to choose from, with 1 action point; or pass for 1 gold.",
    ]


def test_the_words_and_numbers_are_those_of_compare(tmp_path: Path):
    """Of 100 comparisons, to the last bit."""
    rng = np.random.default_rng(5)
    compared = ComparedGames(registry.get("game", "amerigo"), (Rules(), Rules()))
    group = compared.groups[0]
    requests: list[dict[str, Any]] = []
    expected: list[str] = []
    verdicts: list[list[str]] = []
    chances, same = list[list[float]](), list[list[float]]()
    for number in range(100):
        played = draw_pairs(rng, len(group.figures), (0, 2, 3, 5, 9)[number % 5])
        found = rows(*played, group.figures)
        requests.append(group_document(group, *played))
        expected.append(compared.words(found))
        verdicts.append([str(row.verdict) for row in found])
        ends = [row.difference.value if row.interval is None else row.interval[1] for row in found]
        chances.append([p for row, end in zip(found, ends, strict=True) for p in (row.p, row.p_adjusted, end)])
        numbers = [(x.mean_a, x.sd_a, x.mean_b, x.sd_b, x.difference.value, x.sd_difference) for x in found]
        same.append([number for row in numbers for number in row])
    answers, _ = ask(tmp_path, requests)
    assert [each["verdicts"] for each in answers] == verdicts
    assert [each["p"] for each in answers] == chances
    assert [each["same"] for each in answers] == same
    both = [
        [words.replace("_", " ") for words in (each["words"], own)] for each, own in zip(answers, expected, strict=True)
    ]
    plain = [pair for pair in both if "e-0" not in pair[1]]  # Python writes 0.00001 as 1e-05
    assert len(plain) > len(both) / 2
    assert [found for found, _ in plain] == [own for _, own in plain]
    assert {verdict for each in verdicts for verdict in each} == {*Sureness}

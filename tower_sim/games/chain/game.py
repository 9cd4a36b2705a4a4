"""A chain of drops as a game of the registry: one turn a drop."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np

from tower_sim.contract import DropModel
from tower_sim.cubes import Cube, count_by_colour, supply
from tower_sim.errors import fault
from tower_sim.fields import read_fields, refuse_unknown
from tower_sim.games.chain.rules import Chain, chosen, some
from tower_sim.games.game import Game, Turn, check_rules, check_run
from tower_sim.model import TooManyFailedDraws, until_landed
from tower_sim.outcome import Outcome, Status
from tower_sim.state import TowerState

SCHEMA = "tower-sim/chain"
VERSION = 1

# Third word of a chain's spawn keys: what a drop draws, and which cubes are thrown.
DROP_STREAM = 0
CHOICE_STREAM = 1

_POLICY_OF = {"throw": "fixed", "most": "uniform"}


@dataclass(frozen=True, slots=True)
class Link:
    """One drop of a chain: the cubes `thrown`, and the `outcome`; None where there was nothing to throw."""

    thrown: tuple[Cube, ...]
    outcome: Outcome | None


class ChainOfDrops(Game):
    """Drops in a row; the rules are a `Chain`, a turn's entry is a `Link`."""

    name = "chain"
    title = "A chain of drops"
    about = "drops into one tower in a row, without a game's rules"
    run = "chain"
    tables = ("chain",)

    def read(self, tables: Mapping[str, Any]) -> Chain:
        """See Game."""
        refuse_unknown(tables, dict.fromkeys(self.tables), "tables")
        return read_fields(Chain, tables.get("chain", {}), "chain")

    def plain(self, rules: Chain) -> dict[str, Any]:
        """See Game."""
        check_rules(rules, Chain)
        return {"chain": asdict(rules)}

    def resolved(self, tables: Mapping[str, Any], varied: Collection[str] = ()) -> dict[str, Any]:
        """See Game; a number of cubes that the policy does not look at is written in vain."""
        chain, table = self.read(tables), tables.get("chain", {})
        for key, policy in _POLICY_OF.items():
            used = key in table or f"chain.{key}" in varied
            if used and chain.policy != policy and "chain.policy" not in varied:
                raise fault("policy of the chain", chain.policy, f"{policy} with chain.{key}", f"remove {key}")
        return self.plain(chain)

    def play(self, model: DropModel, rules: Chain, seed: int, run: int | None = None) -> Iterator[Turn]:
        """See Game; drop i of run r draws from the spawn key (r, i, 0), which cubes it throws from (r, i, 1).

        With the policy `cover` how many are in the game is drawn from (r,). Without a run r is 0.
        """
        check_run(model, rules, Chain, seed, run)
        return _turns(model, rules, seed, run or 0)

    def most_cubes(self, rules: Chain) -> int:
        """See Game."""
        return sum(rules.counts.values())

    def most_turns(self, rules: Chain) -> int:
        """See Game."""
        return rules.drops

    def head(self, rules: Chain, *, apparatus: str, model: str, seed: int) -> str:
        """See Game."""
        cubes = ", ".join(f"{colour} {count}" for colour, count in rules.counts.items())
        return f"Chain of {rules.drops} drops ({rules.policy}) of {cubes}; tower {apparatus}, {model}, seed {seed}"

    def line(self, turn: Turn, rules: Chain) -> str:
        """See Game."""
        if turn.failed is not None:
            return f"{turn.index:4}  {turn.failed}"
        link: Link = turn.entry
        out = len(link.outcome.emerged) if link.outcome else 0
        remarks = [str(link.outcome.status)] if link.outcome and link.outcome.status is not Status.SETTLED else []
        remarks += [f"drawn {link.outcome.attempts} times"] if link.outcome and link.outcome.attempts > 1 else []
        said = f"{turn.index:4}  {len(link.thrown):3} thrown  {out:3} out  {len(turn.state.residents):3} in"
        return "  ".join([said, *remarks])

    def summary(self, turns: Sequence[Turn], rules: Chain) -> str:
        """See Game."""
        inside = [len(turn.state.residents) for turn in turns]
        out = [len(turn.entry.outcome.emerged) for turn in turns if turn.failed is None and turn.entry.outcome]
        mean = sum(out) / max(len(out), 1)
        return (
            f"On average {mean:.1f} cubes came out of a drop, and {min(inside)} to {max(inside)} stayed in the tower. "
            "One chain is one draw: another seed gives other numbers."
        )

    def document(self, turns: Sequence[Turn], rules: Chain, *, apparatus: str, model: str, seed: int) -> dict[str, Any]:
        """See Game; counts list every colour of the chain."""
        head = {"schema": SCHEMA, "version": VERSION, "seed": str(seed), "model": model, "apparatus": apparatus}
        drops = [_drop_json(turn, list(rules.counts)) for turn in turns if turn.failed is None]
        return {**head, **self.plain(rules), "drops": drops}


GAME = ChainOfDrops()


def _drop_json(turn: Turn, colours: Sequence[str]) -> dict[str, Any]:
    link: Link = turn.entry
    return {
        "index": turn.index,
        "status": str(link.outcome.status if link.outcome else Status.SETTLED),
        "attempts": link.outcome.attempts if link.outcome else 0,
        "thrown": count_by_colour(link.thrown, colours),
        "emerged": count_by_colour(link.outcome.emerged if link.outcome else (), colours),
        "inside": count_by_colour(turn.state.cubes, colours),
    }


def _turns(model: DropModel, chain: Chain, seed: int, run: int) -> Iterator[Turn]:
    state: TowerState = model.empty()
    queue = list(supply(chain.counts, model.cube_edge))
    if chain.policy == "cover":
        rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(run,)))
        queue = some(queue, int(rng.integers(1, len(queue) + 1)), rng)
    for drop in range(chain.drops):
        rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(run, drop, CHOICE_STREAM)))
        thrown, outcome = chosen(chain, queue, rng), None
        if thrown:
            own = np.random.SeedSequence(seed, spawn_key=(run, drop, DROP_STREAM))
            try:
                outcome = until_landed(partial(model.drop, state, thrown), own)
            except TooManyFailedDraws as error:
                yield Turn(drop, state, failed=error)
                return
            queue = [cube for cube in queue if cube not in set(thrown)] + list(outcome.emerged)
            state = outcome.state
        yield Turn(drop, state, entry=Link(tuple(thrown), outcome))

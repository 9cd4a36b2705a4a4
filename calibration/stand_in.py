"""The surrogate of a fitted tower, made in the same command, so that all that is fast has it at once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from tower_sim.campaign.reader import load_whole
from tower_sim.fitting import fit
from tower_sim.fitting.check import check
from tower_sim.fitting.pages import TowerCheck, failure, text
from tower_sim.progress import telling
from tower_sim.statistics import Estimate
from tower_sim.surrogate.store import Fitted, beside
from tower_sim.writing import write


@dataclass(frozen=True, slots=True)
class StandIn:
    """A surrogate: its `file`, the law that was `fitted` and what a check with games it had not seen said."""

    file: Path
    fitted: Fitted
    checked: TowerCheck

    @property
    def words(self) -> str:
        """Say in a sentence how good it is; `details` has the rest."""
        if self.fitted.failed:
            return f"The surrogate is not to be trusted. {self.fitted.failed} Whatever is played with it says so."
        kept, out = (_apart(mean.difference) for mean in self.checked.whole.means[:2])
        return (
            f"Beside {self.checked.games} simulated games that the surrogate was not fitted to, it keeps {kept} cubes "
            f"in play and lets {out} out in a phase."
        )

    @property
    def details(self) -> str:
        """What `surrogate check` says of it, without the classifier's power."""
        return text(self.checked) + "\n"


def _apart(difference: Estimate) -> str:
    """Say a difference, surrogate minus physics."""
    more = f"{abs(difference.value):.2f} {'fewer' if difference.value < 0 else 'more'}"
    return f"{more} ({difference.low:+.2f} to {difference.high:+.2f} at 95 %)"


def stand_in(games: Path, profile: Path, seed: int) -> StandIn:
    """Fit a surrogate to the campaign in `games`, check it with the games held out, and write it beside `profile`.

    Random, from `seed`: the surrogate's games of the check. Raises what `fit` and `check` do, WritingFailed when it
    cannot be written.
    """
    with telling("steps of the stand-in's fit") as tell:
        fitted = fit([games], tell.step)
    checked = check(fitted, [load_whole(games)], seed, trials=0)
    fitted = replace(fitted, failed=failure(checked))
    file = beside(profile)
    write(file, fitted.to_json(), "surrogate")
    return StandIn(file, fitted, checked)

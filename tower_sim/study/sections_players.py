"""The opening of a report on games: what the tower gives the players."""

from __future__ import annotations

from tower_sim.campaign.data import Campaign
from tower_sim.runs.figure import Figure
from tower_sim.runs.tower import INSIDE, INSIDE_SETUP, OUT
from tower_sim.statistics import Estimate, Resamples
from tower_sim.study import players, plots_players
from tower_sim.study.baseline import play_beside
from tower_sim.study.players import PhaseYield
from tower_sim.study.sheets import HOW_SURE, Cell, Sheets, plain_share, plainly


def plain(sheets: Sheets, campaign: Campaign, boot: Resamples) -> None:
    """Say in three sentences what a player meets, and how sure that is."""
    given = players.over_all(campaign, boot)
    if not given.phases[0]:
        return
    setup, out, stay = (estimate(campaign, boot, figure) for figure in (INSIDE_SETUP, OUT, INSIDE))
    thrown = campaign.drops.thrown[campaign.drops.drop == 0].mean()
    sheets.text(
        f"After the set-up {plainly(setup)} of {thrown:g} cubes are still in the tower; in a phase "
        f"{plainly(out)} come out, and {plainly(stay)} stay inside. {_sentences(given)} These are "
        f"means over {campaign.runs} {campaign.unit}s; {HOW_SURE}."
    )


def estimate(campaign: Campaign, boot: Resamples, figure: Figure) -> Estimate:
    """Return a figure over all runs of a campaign, with its interval."""
    sums = figure.sums(campaign.by_drop)
    return boot.share(*sums) if figure.is_share else boot.ratio(*sums)


def _sentences(given: PhaseYield) -> str:
    """Say the game's own figures as a player would: those with chances first, with these."""
    n = int(given.phases[0])
    said = [(figure, figure.sentence.format(plainly(given.means[figure.key].at(0, n)))) for figure in given.figures]
    first = [
        f"{words}; {_phases(given.chance(0, 1), 'only one')}, and {_phases(given.chance(0, 0), 'none')}"
        for figure, words in said
        if figure.chances and words
    ]
    rest = "; ".join(words for figure, words in said if words and not figure.chances)
    return " ".join(f"{words[:1].upper()}{words[1:]}." for words in (*first, rest) if words)


def _phases(share: Estimate, what: str) -> str:
    """Say in which share of the phases there is `what`; of what never was, how often it may be all the same."""
    if share.value:
        return f"in {plain_share(share)} of phases there is {what}"
    most = f" (it may be up to {100 * share.high:.2g} % of them)" if share.high > 0 else ""
    return f"in no phase of {share.n} was there {what}{most}"


def first_figures(sheets: Sheets, campaign: Campaign, boot: Resamples) -> None:
    """Tell the game's own figures over all phases and phase by phase."""
    mine = players.over_all(campaign, boot)
    if not mine.phases[0]:
        return
    sheets.text("## What the players get")
    played = play_beside(campaign, campaign.rng("rule"))
    rule_boot = Resamples(played.strata, played.rng("rule resamples")) if played else None
    rule = players.over_all(played, rule_boot) if played and rule_boot else None
    meant = "; ".join(f"{figure.title}: {figure.meaning(campaign.by_drop.terms)}" for figure in mine.figures)
    sheets.text(f"All phases after the set-up, also those with nothing to throw. {meant[:1].upper()}{meant[1:]}.")
    sheets.table("players", ["what", "unit", "every phase", "2/3-1/3 rule"], _rows(mine, rule))
    head = _head(mine)
    sheets.text("By the colour whose phase it is:")
    sheets.table("players_by_phase", ["phase of", *head], _by_kind(players.by_colour(campaign, boot)))
    numbers = players.by_number(campaign, boot)
    sheets.text("By the number of the phase in the game:")
    sheets.data("players_by_number", ["phase", *head], _by_kind(numbers))
    of_rule = players.by_number(played, rule_boot) if played and rule_boot else None
    picture = plots_players.players(mine, rule, numbers, of_rule, campaign.runs)
    titles = [figure.title for figure in mine.figures[: plots_players.DRAWN]]
    text = " and ".join([", ".join(titles[:-1]), titles[-1]] if len(titles) > 1 else titles)
    sheets.picture("players", picture, f"{text[:1].upper()}{text[1:]}")


def _head(given: PhaseYield) -> list[str]:
    first, *rest = given.figures
    chances = [f"chance of {words}" for words in first.chances]
    return ["phases", first.title, *chances, *(figure.title for figure in rest)]


def _rows(mine: PhaseYield, rule: PhaseYield | None) -> list[list[Cell]]:
    def both(name: str, unit: str, cells: list[Estimate | None]) -> list[Cell]:
        return [name, unit, *cells]

    sides = (mine, rule)
    means = [
        both(f"{figure.title}, mean", figure.unit,
             [side.means[figure.key].at(0, int(side.phases[0])) if side else None for side in sides])
        for figure in mine.figures
    ]  # fmt: skip
    chances = [
        both(share.title.replace("phases with", "chance of"), share.unit,
             [side.chance(0, i) if side else None for side in sides])
        for i, share in enumerate(mine.figures[0].shares())
    ]  # fmt: skip
    return [means[0], *chances, *means[1:]]


def _by_kind(given: PhaseYield) -> list[list[Cell]]:
    first, *rest = given.figures
    return [
        [
            name,
            n,
            given.means[first.key].at(i, n),
            *(given.chance(i, number) for number in range(len(first.chances))),
            *(given.means[figure.key].at(i, n) for figure in rest),
        ]
        for i, (name, n) in enumerate(zip(given.names, given.phases.tolist(), strict=True))
    ]

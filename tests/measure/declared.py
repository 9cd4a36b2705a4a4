"""Study the towers of the declared games that ship against what they stand in for, and write docs/declared_games.md.

What the walk in docs/games.md prints and draws is made anew too.

python -m tests.measure.declared --out WORK [--games N] [--physics N] [--battles N] [--only NAME]

Every campaign is kept in WORK, by its digest, so that it can be stopped and goes on; those of a profile or a surrogate
that has changed since are run anew. 2000 games of each choice by surrogate and rule of thumb, 200 with physics (60 of
Seafarers, whose games are long) take about half an hour on one core.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from tests.measure.script import ended, put
from tower_sim import cli
from tower_sim.campaign import parse, run
from tower_sim.campaign.files import make_directory
from tower_sim.campaign.progress import told
from tower_sim.campaign.reader import load
from tower_sim.statistics import Estimate, Resamples
from tower_sim.study import study
from tower_sim.study.points import at_point
from tower_sim.study.sheets import percent, said
from tower_sim.study.stand_ins import Against, against, stand_in_of
from tower_sim.terminal import folded
from tower_sim.writing import write as write_whole

ROOT = Path(__file__).parents[2]
DOC = ROOT / "docs" / "declared_games.md"
WALK = ROOT / "docs" / "games.md"
IMAGES = ROOT / "docs" / "images"
GAMES = ("amazonas", "seafarers", "archipelago")
PICKS = ("uniform", "most")
MODELS = ("surrogate", "physics", "two_thirds")
PHYSICS = {"amazonas": 200, "seafarers": 60, "archipelago": 200}  # games of each choice
SPEC = """
[campaign]
kind = "{game}"
apparatus = "amerigo"
model = "{model}"
games = {runs}
shard = {shard}
seed = "16"
[vary.fields]
"rules.pick" = ["uniform", "most"]
"""
BATTLE = (
    "battle --game wallenstein --attack red=6 --defend blue=4 --seed 16 --games {games} "
    "--save-plot docs/images/declared_battle.png"
)
HEAD = (
    "| model | games of each | `pick` | shares off by up to | same event twice running | exact | the very same cube "
    "| inside |\n"
    "|---|---|---|---|---|---|---|---|"
)


def campaign(game: str, model: str, runs: int, work: Path) -> Path:
    """Run the campaign of a game with a model, or go on with it, and return its directory."""
    spec = parse(SPEC.format(game=game, model=model, runs=runs, shard=10 if model == "physics" else 100))
    directory = work / f"{game}-{model}-{spec.digest[:12]}"
    with told(spec) as progress:
        if run(spec, directory, 1, progress=progress).interrupted:
            raise KeyboardInterrupt
    return directory


def rows(directory: Path, model: str) -> list[str]:
    """Return a row of a table for each choice of a campaign."""
    whole = load(directory)
    made: list[str] = []
    for point, pick in enumerate(PICKS):
        own = at_point(whole, point)
        boot = Resamples(own.strata, own.rng("resamples"))
        stand_in = stand_in_of(own)
        assert stand_in is not None
        one = against(own, boot, stand_in)
        d = own.drops
        inside = boot.ratio(own.by_run(d.inside_after.astype(float))[:, 0], own.by_run(np.ones(len(d)))[:, 0])
        row = max(one.shares, key=lambda row: abs(row.tower.value - row.exact))
        off = f"{100 * abs(row.tower.value - row.exact):.1f} points ({row.name}{', sure' if row.differs else ''})"
        cells = [f"`{model}`", str(one.runs), f"`{pick}`", off, percent(one.twice[0].tower)]
        cells += [f"{100 * one.twice[0].exact:.2f} %", _same_cube(one) if pick == "uniform" else "", said(inside)]
        made.append(f"| {' | '.join(cells)} |")
    return made


def _same_cube(one: Against) -> str:
    """Say how often the cube that was drawn is drawn again, where cubes return and any of those out may be drawn.

    All cubes are alike to the tower, so another cube has the same chance whichever it is: with q for the very same one
    and N cubes of which k have an event, P(same event) = q + (1 - q) sum k (k - 1) / (N (N - 1)).
    """
    stand_in = one.stand_in
    if stand_in.kind == "deck":
        return ""
    size = stand_in.device.size
    others = sum(k * (k - 1) for k in stand_in.device.counts.values()) / (size * (size - 1))
    seen = one.twice[0].tower
    value, low, high = ((end - others) / (1 - others) for end in (seen.value, seen.low, seen.high))
    q = Estimate(value, low, high, seen.n)
    return f"{percent(q)}; {100 / size:.1f} % each time anew"


def section(game: str, runs: dict[str, int], work: Path) -> str:
    """Run and study the campaigns of a game; return what the document says of it, and put its picture beside it."""
    table: list[str] = []
    plain: list[str] = []
    for model in MODELS:
        if not runs[model]:
            continue
        directory = campaign(game, model, runs[model], work)
        report = work / "reports" / f"{game}-{model}"
        shutil.rmtree(report, ignore_errors=True)
        study(directory, report)
        table += rows(directory, model)
        if model == "surrogate":
            lines = (report / "report.md").read_text("utf-8").splitlines()
            plain = [f"> {line}" for line in lines if line.startswith("With pick = ")]
            shutil.copyfile(report / "plots" / "device.png", IMAGES / f"declared_{game}.png")
    picture = f"![The tower of {game} and what it stands in for](images/declared_{game}.png)"
    return "\n".join([*"\n>\n".join(plain).splitlines(), "", HEAD, *table, "", picture])


def battles(games: int) -> str:
    """Fight the battles of the document, and return what the command printed."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        status = cli.main(BATTLE.format(games=games).split())
    assert status == 0, printed.getvalue()
    lines = [line for line in printed.getvalue().splitlines() if not line.startswith("plot: ")]
    return "\n".join(["```", *lines, "```"])


def walk() -> None:
    """Take the walk of docs/games.md, and write what it prints, and its picture, there."""
    text = WALK.read_text("utf-8")
    with tempfile.TemporaryDirectory() as place:
        for name, held in re.findall(r"<!-- (\w+\.toml) -->\n```toml\n(.*?)```", text, re.S):
            (Path(place) / name).write_text(held, "utf-8")
        for command, shown in (("play", "its output"), ("compare", "its beginning")):
            (words,) = re.findall(rf"<!-- {command} -->\n```sh\ntower-sim (.*?)\n```", text, re.S)
            asked = [sys.executable, "-m", "tower_sim", *shlex.split(words)]
            path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
            around = {**os.environ, "PYTHONPATH": path}
            done = subprocess.run(asked, cwd=place, capture_output=True, text=True, check=True, env=around)
            whole = folded(done.stdout, 80)
            printed = whole.strip() if command == "play" else whole.split("\n\n")[0]
            before, _, rest = text.partition(f"<!-- {shown} -->\n```\n")
            _, _, after = rest.partition("\n```\n")
            text = f"{before}<!-- {shown} -->\n```\n{printed}\n```\n{after}"
        shutil.copyfile(Path(place) / "dungeon.png", IMAGES / "dungeon.png")
    write_whole(WALK, text)


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line; returns the exit status: see `ended`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, metavar="WORK", help="where campaigns are kept")
    parser.add_argument("--games", type=int, default=2000, metavar="N", help="of each choice, without physics")
    parser.add_argument("--physics", type=int, metavar="N", help="of each choice; 0: none (default: 200, Seafarers 60)")
    parser.add_argument("--battles", type=int, default=400, metavar="N", help="of the example of a battle; 0: none")
    parser.add_argument("--only", choices=GAMES, metavar="NAME", help="study one game")
    options = parser.parse_args(arguments)
    os.chdir(ROOT)

    def work() -> None:
        make_directory(options.out)
        for game in (options.only,) if options.only else GAMES:
            physics: int = PHYSICS[game] if options.physics is None else options.physics
            runs: dict[str, int] = dict.fromkeys(MODELS, int(options.games)) | {"physics": physics}
            put(DOC, game, section(game, runs, options.out))
        if options.battles and not options.only:
            put(DOC, "battle", battles(options.battles))
        walk()

    return ended("declared", work, "what was played is kept; to go on, run the same again")


if __name__ == "__main__":
    sys.exit(main())

"""The campaign file: what it may say, what each mistake is answered, which points a design has.

docs/campaigns.md is true: its examples are read, its code runs.
"""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from support.amerigo import play
from support.campaigns import ALL, BATTLES, CHAINS, GAMES
from support.cases import each_case
from support.fakes import CoinTower

from tests.support.towers import REFERENCE, RULEBOOK
from tower_sim.apparatus import load as load_apparatus
from tower_sim.campaign import ShardRows, Spec, load, parse, play_run, run, run_shard
from tower_sim.campaign.spec import open_game
from tower_sim.campaign.store import MANIFEST, make_head
from tower_sim.campaign.tables import DROPS
from tower_sim.campaign.vary import DESIGNS
from tower_sim.drops import Recorder
from tower_sim.errors import UsageError
from tower_sim.games.tower import game_seed
from tower_sim.models import MODELS
from tower_sim.physics import PhysicsSettings
from tower_sim.values import Landing, Outcome, Status, TowerState

SMALLEST = """
[campaign]
game = "amerigo"
apparatus = "amerigo"
games = 6
seed = "0x0123456789abcdef0123456789abcdef"
"""
ONE_GAME = SMALLEST.replace("games = 6", "games = 1")
OF_SQUARES = SMALLEST.replace('apparatus = "amerigo"', "apparatus = " + json.dumps(RULEBOOK))
"""The same in a tower whose openings may be wider than one that ships may have."""


def test_the_smallest_file_is_a_campaign_of_the_published_game_with_physics():
    spec = parse(SMALLEST)
    assert (spec.kind, spec.apparatus, spec.model, spec.runs, spec.shard) == ("game", "amerigo", "physics", 6, 10)
    assert spec.seed == 0x0123456789ABCDEF0123456789ABCDEF
    assert (spec.points, spec.shards, spec.total) == (({},), 1, 6)
    point = spec.point(0)
    assert point.rules.drops == 36
    assert point.apparatus.name == "amerigo"


def reread(text: str) -> Spec:
    spec = parse(text)
    again = Spec.from_canonical(spec.canonical)
    assert (again, again.digest) == (spec, spec.digest)
    return again


@each_case("text", ALL.values(), ids=ALL)
def test_the_canonical_text_reads_back_and_gives_the_same_digest(text: str):
    spec = reread(text)
    assert "\n" not in spec.canonical
    assert json.loads(spec.canonical)["schema"] == "tower-sim/campaign-spec"


@each_case(
    "change",
    [
        ("games = 6", "games = 7"),
        ("games = 6", "games = 6\nshard = 3"),
        ("0x01", "0x02"),
        ("[campaign]", "[rules]\ncubes = 6\n[campaign]"),
        ("[campaign]", "[settings]\niterations = 21\n[campaign]"),
        ('apparatus = "amerigo"', 'apparatus = "amerigo"\nmodel = "two_thirds"'),
        ("[campaign]", "[vary]\nfields = { rules.rounds = [5] }\n[campaign]"),
    ],
)
def test_whatever_decides_the_results_changes_the_digest(change: tuple[str, str]):
    assert parse(SMALLEST.replace(*change)).digest != parse(SMALLEST).digest


def test_what_decides_nothing_changes_no_digest():
    defaults = SMALLEST + f"[rules]\nrounds = 5\n[settings]\niterations = {PhysicsSettings().iterations}\n"
    same = SMALLEST.replace("0x0123456789abcdef0123456789abcdef", str(0x0123456789ABCDEF0123456789ABCDEF))
    assert parse(defaults).digest == parse(same + "# words\n").digest == parse(SMALLEST).digest


def test_the_order_of_a_battles_sides_is_kept():
    spec = reread(BATTLES)
    turned = reread(BATTLES.replace("{ purple = 6, green = 3 }", "{ green = 3, purple = 6 }"))
    assert turned.digest != spec.digest
    for each, sides in ((spec, ("purple", "green")), (turned, ("green", "purple"))):
        rules = each.point(0).rules
        assert (rules.colours, rules.attacker) == (sides, sides[0])


def test_an_apparatus_file_counts_from_the_campaign_file_and_leaves_no_path(tmp_path: Path):
    profile = REFERENCE.read_text("utf-8")
    (tmp_path / "towers").mkdir()
    (tmp_path / "towers/wide.toml").write_text(profile.replace("opening_mm = 16", "opening_mm = 18"))
    (tmp_path / "campaign.toml").write_text(SMALLEST.replace('apparatus = "amerigo"', 'apparatus = "towers/wide.toml"'))
    spec = load(tmp_path / "campaign.toml")
    assert spec.apparatus == "wide"
    assert spec.profile["upper_floor"]["opening_mm"] == 18
    assert str(tmp_path) not in spec.canonical
    assert "towers" not in spec.canonical


def test_what_else_a_side_has_can_be_given_and_varied_and_a_battle_without_it_keeps_its_digest():
    sides = BATTLES + "sides.green = { island = 2, damage = 1, pirate = true }\nprovoked = true\n"
    assert "sides" not in parse(BATTLES).tables["battle"]
    rules = reread(sides).point(0).rules
    green = rules.side("green")
    assert (green.supply, green.island, green.damage, green.pirate, rules.provoked) == (None, 2, 1, True, True)
    varied = parse(sides + '[vary]\ndesign = "grid"\n[vary.fields]\n"battle.sides.green.damage" = [0, 4]\n')
    assert [varied.point(number).rules.side("green").damage for number in range(2)] == [0, 4]


ONE, NONE = 'game = "amerigo"', ""
VARY, SOBOL = "[vary.fields]\n", '[vary]\ndesign = "sobol"\n'
# fmt: off
MISTAKES = [  # what is replaced in SMALLEST, by what, the line that tells it
    (ONE, NONE, r"campaign.game is nothing; allowed is one of amerigo, chain, dead_reckoning"),
    (ONE, 'game = "games"', r"campaign.game is 'games'"),
    (ONE, "game = 2026-01-02", r"campaign.game is 2026-01-02"),
    (ONE, 'game = "no.py"', r"no.py"),
    ("[campaign]", "", r"campaign is nothing; allowed is a table; write \[campaign\]"),
    ("[campaign]", "campaign = 3\n[rules]", r"campaign is 3; allowed is a table; write \[campaign\]"),
    ('"amerigo"\ng', '"nowhere"\ng', r"nowhere.*neither a shipped profile nor a file"),
    ('"amerigo"\ng', '"dead_reckoning"\ng', r"no tower that keeps cubes; allowed is a tower; take one"),
    ("games = 6", "", r"campaign.games is missing; allowed is a whole number from 1 to"),
    ("games = 6", "games = 0", r"campaign.games is 0"),
    ("games = 6", "games = 2147483648", r"games is 2147483648; allowed is a whole number from 1 to"),
    ("games = 6", "games = 300000", r"number of shards is 30000; allowed is up to 20000; write"),
    ("games = 6", "games = 300000\nshard = 30000", r"rows of a shard is 52920000; allowed is up to 5000000"),
    ("games = 6", "games = 6\nbattles = 3", r"campaign.battles is unknown"),
    ("games = 6", "games = 6\nshard = 0", r"campaign.shard is 0"),
    ("seed", "#", r"campaign.seed is missing"),
    ("seed", "seeds", r"campaign.seeds is unknown.*did you mean seed"),
    ('"0x0123456789abcdef0123456789abcdef"', "7", r"campaign.seed is 7; allowed is text of a whole number"),
    ("0x01", "zz", r"campaign.seed is 'zz"),
    ("0x01", "0x101", r"campaign.seed is '0x101"),
    ("0x0123", "-0x1", r"campaign.seed is '-0x1"),
    ("", 'kind = "game"', r"campaign.kind is unknown; allowed are game, apparatus"),
    ("", 'model = "dice"', r"campaign.model is 'dice'; allowed is one of physics, surrogate, two_thirds"),
    ("", 'model = "two_thirds"\n[settings]', r"table is 'settings'.*'two_thirds' has no settings"),
    ("", 'model = "two_thirds"\n[rules.knocks]\n0 = 1', r"rules.knocks is {0: 1.0}; allowed is none"),
    ("", 'model = "two_thirds"\n' + VARY + "profile.upper_floor.opening_mm = [14]", r"is the same for every tower"),
    ("", 'model = "surrogate"\n' + VARY + "profile.upper_floor.opening_mm = [14]", r"is 'changed .*; write model"),
    ("", "x", r"not TOML"),
    ("", "[rulez]", r"file.rulez is unknown; allowed are campaign, rules, settings, vary"),
    ("", "[chain]", r"file.chain is unknown"),
    ("", "[rules]\nround = 2", r"rules.round is unknown"),
    ("", "[rules]\nrounds = 40000", r"rounds is 40000; allowed is a whole number from 0 to 9999"),
    ("", "[rules]\ncubes = 2026-01-02", r"cubes is 2026-01-02"),
    ("", "[rules.knocks]\n36 = 1", r"number of a knock is 36; allowed is a drop's"),
    ("", "[rules.knocks]\n3 = 9", r"rules.knocks.3 is 9; allowed is a number from 0 to 5"),
    ("", "[rules.knocks]\n9 = 1\n" + VARY + "rules.rounds = [1, 2]", r"point 0 .*is 9"),
    ("", "[settings]\ntimesteps = 1", r"settings.timesteps is unknown"),
    ("", "[settings]\ntimestep = nan", r"settings.timestep of the file is nan"),
    ("", "[settings]\niterations = 1000000", r"settings.iterations is 1000000; allowed is a whole number"),
    ("", "[vary]\nfield = 3", r"vary.field is unknown"),
    ("", '[vary]\ndesign = "grid"', r"vary.fields is missing"),
    ("", '[vary]\ndesign = "random"', r"vary.design is 'random'"),
    ("", "[vary]\npoints = 3\n" + VARY + "rules.cubes = [5]", r"vary.points is 3"),
    ("", VARY + "rules.cube = [5]", r"is 'rules.cube'; allowed is one that is there: rules.*cubes"),
    ("", VARY + "battle.cubes = [5]", r"is 'battle.cubes'"),
    ("", VARY + "profile.kind = [5]", r"is 'profile.kind'"),
    ("", VARY + "rules.cubes = 5", r"vary.fields.rules.cubes is 5; allowed is a list"),
    ("", VARY + "rules.cubes = []", r"vary.fields.rules.cubes is \[\]"),
    ("", VARY + "rules.cubes = [5, -1]", r"point 1 \(rules.cubes = -1\): rules.cubes is -1"),
    ("", VARY + f"rules.cubes = {[1] * 200}\nrules.rounds = {[1] * 200}", r"of the grid is 40000; allowed is up to"),
    ("", '[vary]\ndesign = "list"\n' + VARY + "rules.cubes = [5, 7]\nrules.rounds = [1]", r"lengths of vary.fields"),
    ("", '[vary]\ndesign = "list"\n' + VARY + f"rules.cubes = {[1] * 10001}", r"list is 10001; allowed is up to"),
    ("", SOBOL + VARY + "rules.cubes = { low = 5, high = 7 }", r"vary.points is nothing"),
    ("", SOBOL + "points = 2\n" + VARY + "rules.cubes = [5]", r"\{ low = NUMBER, high = NUMBER \}"),
    ("", SOBOL + "points = 3\n" + VARY + "rules.cubes = { low = 5, high = 7 }", r"vary.points is 3.*power of 2.*try 4"),
    ("", SOBOL + "points = 1000000\n" + VARY + "rules.cubes = { low = 5, high = 7 }", r"vary.points is 1000000"),
    ("", SOBOL + "points = 2\n" + VARY + "rules.cubes = { low = 7, high = 5 }", r"low below high"),
    ("", SOBOL + "points = 2\n" + VARY + "rules.cubes = { low = 5, high = inf }", r"high of the file is inf"),
    ("", SOBOL + "points = 2\n" + VARY + "rules.cubes = { low = 5 }", r"high is missing"),
    ("", SOBOL + "points = 2\n" + VARY + "rules.cubes = { low = 5.5, high = 7 }", r"the field is a count"),
    ("", SOBOL + "points = 2\n" + VARY + "rules.substitute = { low = 5, high = 7 }", r"the field is no number"),
]
# fmt: on


OTHERS = [
    (CHAINS.replace("apparatus", "#"), r"campaign.apparatus is missing; allowed is one of amerigo"),
    (CHAINS + "[rules.knocks]\n0 = 1\n", r"file.rules is unknown"),
    (CHAINS + "throw = 3\n", r"policy of the chain is 'cover'; allowed is fixed with chain.throw"),
    (BATTLES.replace("battles = 12", 'battles = 12\nmodel = "two_thirds"'), r"campaign.model .* one of physics"),
    (BATTLES.replace(", green = 3", "").replace("abilities", "#"), r"number of sides is 1"),
    (OF_SQUARES + VARY + "profile.tube.inside_mm = [60, 199]\n", r"point 1 \(.* = 199\): profile rulebook: "),
]


@each_case(
    ("text", "message"),
    [*((SMALLEST.replace(a, b, 1) if a else f"{SMALLEST}{b}\n", line) for a, b, line in MISTAKES), *OTHERS],
)
def test_each_mistake_is_told_in_one_line_that_names_the_field(text: str, message: str):
    with pytest.raises(UsageError, match=message) as caught:
        parse(text)
    assert "\n" not in str(caught.value)


@each_case(("data", "says"), [(b"x", "a.toml"), (None, "a.toml"), (b"\xff\xfe", "UTF-8")])
def test_a_mistake_in_a_file_names_the_file(data: bytes | None, says: str, tmp_path: Path):
    if data is not None:
        (tmp_path / "a.toml").write_bytes(data)
    with pytest.raises(UsageError, match=says):
        load(tmp_path / "a.toml")


def test_a_grid_has_every_combination_and_a_list_has_its_rows():
    fields = '[vary.fields]\n"rules.cubes" = [5, 7]\nprofile.upper_floor.opening_mm = [14, 16.5]\n'
    grid = parse(OF_SQUARES + fields)
    rows = [{"rules.cubes": c, "profile.upper_floor.opening_mm": o} for c in (5, 7) for o in (14, 16.5)]
    assert list(grid.points) == rows
    assert list(parse(OF_SQUARES + '[vary]\ndesign = "list"\n' + fields).points) == [rows[0], rows[3]]
    assert grid.total == 24
    point = grid.point(3)
    assert (point.rules.cubes, point.apparatus.profile["upper_floor"]["opening_mm"]) == (7, 16.5)
    base = grid.profile["upper_floor"]["opening_mm"]
    assert base not in (14, 16.5)
    assert base == load_apparatus(RULEBOOK).profile["upper_floor"]["opening_mm"]  # the base is as it was


def sample(design: str, count: int, seed: int = 1) -> Spec:
    ranges = (
        "rules.cubes = { low = 3, high = 10 }\nprofile.upper_floor.opening_mm = { low = 12, high = 20 }\n"
        "settings.timestep = { low = 0.001, high = 0.002 }\n"
    )
    text = f'[vary]\ndesign = "{design}"\npoints = {count}\n[vary.fields]\n{ranges}'
    return parse(re.sub('seed = ".*"', f'seed = "{seed}"', OF_SQUARES) + text)


@pytest.mark.parametrize("design", ["latin_hypercube", "sobol"])
def test_a_sample_puts_one_point_into_each_of_its_strata(design: str):
    spec = sample(design, 16)
    openings = [values["profile.upper_floor.opening_mm"] for values in spec.points]
    assert sorted(int((x - 12) / 8 * 16) for x in openings) == list(range(16))
    assert all(isinstance(x, float) for x in openings)  # 12 and 20 are whole, but millimetres are no count
    cubes = [values["rules.cubes"] for values in spec.points]
    assert Counter(cubes) == dict.fromkeys(range(3, 11), 2)
    assert all(isinstance(x, int) for x in cubes)
    assert all(0.001 <= values["settings.timestep"] < 0.002 for values in spec.points)


@pytest.mark.parametrize("design", ["latin_hypercube", "sobol"])
def test_a_sample_comes_from_the_root_seed(design: str):
    np.random.seed(1)
    one = sample(design, 8)
    np.random.seed(2)
    assert sample(design, 8) == one
    assert sample(design, 8, seed=2).points != one.points


def test_fields_of_every_table_can_vary():
    chain = parse(CHAINS + '[vary.fields]\n"chain.supply" = [7, 14]\n"chain.policy" = ["cover", "fixed"]\n')
    assert [sum(chain.point(i).rules.counts.values()) for i in range(4)] == [7, 7, 14, 14]
    battle = parse(
        BATTLES + '[vary.fields]\nbattle.cubes.purple = [4, 5]\nbattle.rulings.stuck = ["shaken", "rethrown"]\n'
        'battle.abilities.green = [[], ["throw:1"]]\nprofile.decks.0.slope_deg = [35]\n'
    )
    rules = battle.point(7).rules
    assert (rules.cubes["purple"], rules.rulings.stuck) == (5, "rethrown")
    assert rules.abilities["green"][0].text == "throw:1"
    assert battle.point(7).apparatus.profile["decks"][0]["slope_deg"] == 35
    physics = parse(SMALLEST + "[vary.fields]\nsettings.iterations = [10, 20]\n")
    assert [physics.point(i).settings.iterations for i in range(2)] == [10, 20]


def test_rulings_and_knocks_left_out_are_left_out_of_the_spec_so_that_digests_of_before_hold():
    spec = parse(SMALLEST)
    keys = ["name", "colours", "phases", "cubes", "rounds", "gold_divisor", "gold_divisor_with_token", "substitute"]
    assert list(spec.tables["rules"]) == keys
    assert "knocks" not in json.loads(spec.canonical)
    ruled = reread(SMALLEST + '[rules]\nrulings = { stand_in_tokens = "both" }\n')
    assert ruled.tables["rules"]["rulings"]["stand_in_tokens"] == "both"
    assert ruled.point(0).rules.rulings.stand_in_tokens == "both"


def test_knocks_are_a_rule_and_can_vary():
    spec = reread(SMALLEST + '[rules.knocks]\n3 = 0.5\n12 = 1\n[vary.fields]\n"rules.knocks.3" = [0.25, 1.5]\n')
    assert spec.digest != parse(SMALLEST).digest
    assert [spec.point(i).rules.knocks for i in range(2)] == [{3: 0.25, 12: 1.0}, {3: 1.5, 12: 1.0}]
    assert parse(SMALLEST).point(0).rules.knocks == {}


def test_every_run_is_in_exactly_one_shard():
    spec = parse(SMALLEST.replace("games = 6", "games = 7\nshard = 4") + "[vary.fields]\nrules.cubes = [5, 6, 7]\n")
    assert [number for index in range(spec.shards) for number in spec.runs_of(index)] == list(range(21))
    texts = (SMALLEST, CHAINS.replace('model = "two_thirds"', ""), BATTLES)
    assert [parse(text.replace("shard = 4", "")).shard for text in texts] == [10, 10, 300]


def test_a_campaigns_game_with_knocks_is_the_game_that_play_plays_with_a_row_for_each_knock():
    rules = '[rules]\ncubes = 2\nrounds = 1\nphases = ["blue", "red"]\n[rules.knocks]\n0 = 2\n1 = 1.5\n'
    spec = parse(ONE_GAME + rules)
    rows = pq.read_table(io.BytesIO(run_shard(spec, 0).tables["drops"])).to_pylist()
    assert [f"{row['drop']} {row['kind']}" for row in rows] == ["0 drop", "0 knock", "1 drop", "1 knock", "2 drop"]
    with spec.point(0).open_model() as model:
        entries = play(model, spec.point(0).rules, game_seed(spec.seed, 0))
    drops, knocks = ([row for row in rows if row["kind"] == kind] for kind in ("drop", "knock"))
    assert [row["inside_after"] for row in (*knocks, drops[2])] == [sum(entry.inside.values()) for entry in entries]
    assert [row["thrown"] for row in drops] == [sum(entry.thrown.values()) for entry in entries]
    assert all(row["inside_before"] - row["emerged"] == row["inside_after"] for row in knocks)
    assert {row["thrown"] for row in knocks} == {0}


def test_a_knock_that_never_lands_ends_its_game_with_the_rows_of_all_its_draws():
    class Shaky(CoinTower):
        def knock(self, state: TowerState, strength: float, rng: np.random.Generator) -> Outcome:
            landings = tuple(Landing(each.cube, f"inside:{each.region}") for each in state.residents)
            return Outcome(self.name, self.apparatus, Status.TIMED_OUT, (), landings, state)

    spec, rows = parse(ONE_GAME + "[rules.knocks]\n1 = 1\n"), ShardRows()
    assert not play_run(spec.point(0), Recorder(Shaky()), spec.seed, (0, 0), rows)
    assert [row[2:6] for row in rows.drops] == [
        (0, "drop", 0, "settled"), (1, "drop", 0, "settled"), *((1, "knock", i, "timed_out") for i in range(5)),
    ]  # fmt: skip


def test_a_drop_that_threw_nothing_shows_the_state_before_the_knock_after_it():
    spec, rows = parse(ONE_GAME + "[rules]\nrounds = 1\n[rules.knocks]\n1 = 1\n"), ShardRows()
    play_run(spec.point(0), Recorder(CoinTower(p_out=0.0, p_resident=0.0)), spec.seed, (0, 0), rows)
    columns = [column.name for column in DROPS.columns]
    first, second, knock = (dict(zip(columns, row, strict=True)) for row in rows.drops[:3])
    assert (first["thrown"], first["emerged"], first["inside_after"]) == (49, 0, 49)
    assert (second["kind"], second["drawn"], second["thrown"]) == ("drop", False, 0)
    assert (second["inside_before"], second["inside_after"]) == (49, 49)
    assert (knock["kind"], knock["drop"], knock["emerged"], knock["inside_after"]) == ("knock", 1, 49, 0)


def test_a_report_on_games_with_knocks_is_refused_in_one_line(tmp_path: Path):
    from tower_sim.campaign import read_campaign

    spec = parse(SMALLEST + "[rules.knocks]\n3 = 0.5\n")
    (tmp_path / MANIFEST).write_text(make_head(spec).line + "\n")
    with pytest.raises(UsageError, match=r"has knocks; allowed is one without.*tables yourself"):
        read_campaign(tmp_path)


def test_a_campaign_takes_the_rules_of_a_file_and_its_apparatus(tmp_path: Path):
    (tmp_path / "house.toml").write_text('apparatus = "amerigo-club"\ncubes = 9\n[rulings]\nstand_in_tokens = "both"\n')
    head = '[campaign]\ngame = "amerigo"\ngames = 2\nseed = "1"\n'
    by_file = parse(f'{head}rules = "house.toml"\n', tmp_path)
    written = f'{head}apparatus = "amerigo-club"\n[rules]\ncubes = 9\n[rules.rulings]\nstand_in_tokens = "both"\n'
    assert by_file == parse(written, tmp_path)
    assert parse(f'{head}rules = "house.toml"\napparatus = "amerigo"\n', tmp_path).apparatus == "amerigo"
    with pytest.raises(UsageError, match=r"table is 'rules'; allowed is none beside campaign.rules"):
        parse(f'{head}rules = "house.toml"\n[rules]\ncubes = 8\n', tmp_path)


PAGE = (Path(__file__).parents[2] / "docs/campaigns.md").read_text("utf-8")
FILES = re.findall(r"```toml\n(.*?)```", PAGE, re.S)
RUNS = {name: open_game(name).runs for name in ("amerigo", "chain", "dead_reckoning")}
CODE = re.findall(r"```python\n(.*?)```", PAGE, re.S)


@each_case("text", FILES)
def test_an_example_is_a_campaign(text: str):
    spec = parse(text)
    assert spec.shards > 0


def test_there_is_an_example_of_every_kind_and_design_and_the_smallest():
    tables = [tomllib.loads(text) for text in FILES]
    assert {table["campaign"]["game"] for table in tables} == set(RUNS)
    designs = {table["vary"].get("design", "grid") for table in tables if "vary" in table}
    assert designs == set(DESIGNS)
    assert list(tables[0]) == ["campaign"]


def test_every_field_and_choice_is_named():
    words = [*RUNS, *RUNS.values(), *MODELS, *DESIGNS, "apparatus", "model", "seed", "shard", "points"]
    words += ["[rules]", "[chain]", "[battle]", "[settings]", "engine", "accuracy", "[vary.fields]"]
    for word in words:
        assert re.search(rf"`\"?{re.escape(word)}\"?`", PAGE), word


def test_the_python_runs(tmp_path: Path):
    pytest.importorskip("duckdb")
    run(parse(GAMES), tmp_path / "DIRECTORY")
    assert len(CODE) == 3
    commands = [[sys.executable, "-c", code] for code in CODE]
    printed = [subprocess.check_output(command, cwd=tmp_path, text=True) for command in commands]
    assert printed[:2] == ["432\n"] * 2
    assert re.fullmatch(r"[0-9a-f]{8} \{'drops': 216, 'cubes': \d+, 'amerigo': 216\}\n", printed[2])

"""The campaign file: what it may say, what each mistake is answered, which points a design has."""

from __future__ import annotations

import io
import json
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from support.campaigns import ALL, BATTLES, CHAINS, GAMES
from support.cases import each_case
from support.fakes import CoinTower

from tests.support.towers import RULEBOOK
from tower_sim.apparatus.catalogue import load as load_apparatus
from tower_sim.calibration.parameters import TOWER as REFERENCE
from tower_sim.campaign import Spec, load, parse
from tower_sim.campaign.environment import environment
from tower_sim.campaign.files import sealed
from tower_sim.campaign.store import head_of
from tower_sim.campaign.tables import ShardRows
from tower_sim.campaign.work import play_run, run_shard
from tower_sim.errors import UsageError
from tower_sim.games.amerigo import play
from tower_sim.outcome import Landing, Outcome, Status
from tower_sim.physics.settings import PhysicsSettings
from tower_sim.recorder import Recorder
from tower_sim.state import TowerState

SMALLEST = """
[campaign]
kind = "game"
apparatus = "amerigo"
games = 6
seed = "0x0123456789abcdef0123456789abcdef"
"""
OF_SQUARES = SMALLEST.replace('"amerigo"', json.dumps(RULEBOOK))
"""The same in a tower whose openings may be wider than one that ships may have."""


def test_the_smallest_file_is_a_campaign_of_the_published_game_with_physics():
    spec = parse(SMALLEST)
    assert (spec.kind, spec.apparatus, spec.model, spec.runs, spec.shard) == ("game", "amerigo", "physics", 6, 10)
    assert spec.seed == 0x0123456789ABCDEF0123456789ABCDEF
    assert (spec.points, spec.shards, spec.total) == (({},), 1, 6)
    point = spec.point(0)
    assert point.rules.rules.drops == 36
    assert point.apparatus.name == "amerigo"


@each_case("text", ALL.values(), ids=ALL)
def test_the_canonical_text_reads_back_and_gives_the_same_digest(text: str):
    spec = parse(text)
    again = Spec.from_canonical(spec.canonical)
    assert again == spec
    assert again.digest == spec.digest
    assert "\n" not in spec.canonical
    assert json.loads(spec.canonical)["schema"] == "tower-sim/campaign-spec"


def test_a_seed_is_the_same_number_in_decimal_and_hexadecimal():
    one, other = (parse(SMALLEST.replace('"0x0123456789abcdef0123456789abcdef"', f'"{s}"')) for s in ("31", "0x1f"))
    assert one == other


@each_case(
    "change",
    [
        ("games = 6", "games = 7"),
        ("games = 6", "games = 6\nshard = 3"),
        ("0x01", "0x02"),
        ("[campaign]", "[rules]\ncubes = 6\n[campaign]"),
        ("[campaign]", "[settings]\niterations = 21\n[campaign]"),
        ('"amerigo"', '"amerigo"\nmodel = "two_thirds"'),
        ("[campaign]", "[vary]\nfields = { rules.rounds = [5] }\n[campaign]"),
    ],
)
def test_whatever_decides_the_results_changes_the_digest(change: tuple[str, str]):
    assert parse(SMALLEST.replace(*change)).digest != parse(SMALLEST).digest


def test_what_decides_nothing_changes_no_digest():
    iterations = PhysicsSettings().iterations  # the default
    told = SMALLEST + f"# words\n[rules]\nrounds = 5\n[settings]\niterations = {iterations}\n"
    assert parse(told).digest == parse(SMALLEST).digest


def test_the_order_of_a_battles_sides_is_kept():
    spec = parse(BATTLES)
    turned = parse(BATTLES.replace("{ purple = 6, green = 3 }", "{ green = 3, purple = 6 }"))
    assert turned.digest != spec.digest
    for each, sides in ((spec, ("purple", "green")), (turned, ("green", "purple"))):
        setup = Spec.from_canonical(each.canonical).point(0).rules
        assert (setup.colours, setup.active) == (sides, sides[0])


def test_an_apparatus_file_counts_from_the_campaign_file_and_leaves_no_path(tmp_path: Path):
    profile = REFERENCE.read_text("utf-8")
    (tmp_path / "towers").mkdir()
    (tmp_path / "towers/wide.toml").write_text(profile.replace("opening_mm = 16", "opening_mm = 18"))
    (tmp_path / "campaign.toml").write_text(SMALLEST.replace('"amerigo"', '"towers/wide.toml"'))
    spec = load(tmp_path / "campaign.toml")
    assert spec.apparatus == "wide"
    assert spec.profile["upper_floor"]["opening_mm"] == 18
    assert str(tmp_path) not in spec.canonical
    assert "towers" not in spec.canonical


HYPERCUBE = SMALLEST + '[vary]\ndesign = "latin_hypercube"\npoints = 2\n[vary.fields]\n'
GRID = '[vary.fields]\n"rules.cubes" = [5, 7]\n'


def test_what_else_a_side_has_can_be_given_and_varied_and_a_battle_without_it_keeps_its_digest():
    plain, sides = (
        parse(BATTLES),
        BATTLES + "sides.green = { island = 2, damage = 1, pirate = true }\nprovoked = true\n",
    )
    assert "sides" not in plain.tables["battle"]
    spec = parse(sides)
    setup = spec.point(0).rules
    green = setup.side("green")
    assert (green.supply, green.island, green.damage, green.pirate, setup.provoked) == (None, 2, 1, True, True)
    assert Spec.from_canonical(spec.canonical).point(0).rules == setup
    varied = parse(sides + '[vary]\ndesign = "grid"\n[vary.fields]\n"battle.sides.green.damage" = [0, 4]\n')
    setups = [varied.point(number).rules for number in range(2)]
    assert [each.side("green").damage for each in setups] == [0, 4]


MISTAKES = [
    (
        "no kind",
        SMALLEST.replace('kind = "game"', ""),
        r"campaign.kind is nothing; allowed is one of game, chain, battle",
    ),
    ("kind", SMALLEST.replace('"game"', '"games"'), r"campaign.kind is 'games'"),
    ("no toml", SMALLEST + "x", r"not TOML"),
    ("table", SMALLEST + "[rulez]\n", r"file.rulez is unknown; allowed are campaign, rules, knocks, settings, vary"),
    ("table of another kind", SMALLEST + "[chain]\n", r"file.chain is unknown"),
    ("no table", "campaign = 3", r"campaign is 3; allowed is a table; write it as \[campaign\]"),
    (
        "no head",
        SMALLEST.replace("[campaign]", ""),
        r"kind is 'game'; allowed is a key of \[campaign\]; write \[campaign\]",
    ),
    ("rounds", SMALLEST + "[rules]\nrounds = 40000\n", r"rounds is 40000; allowed is a whole number from 0 to 1428"),
    (
        "knocks of a rule",
        GAMES + "[knocks]\n0 = 1\n",
        r"table is 'knocks'; allowed is none: the model 'two_thirds' knows",
    ),
    ("knocks of chains", CHAINS + "[knocks]\n0 = 1\n", r"file.knocks is unknown"),
    ("knock's drop", SMALLEST + "[knocks]\n36 = 1\n", r"number of a knock is '36'; allowed is a drop's, from 0 to 35"),
    ("knock's words", SMALLEST + "[knocks]\nlast = 1\n", r"number of a knock is 'last'"),
    ("knock's zeros", SMALLEST + "[knocks]\n03 = 1\n", r"number of a knock is '03'"),
    ("knock's strength", SMALLEST + "[knocks]\n3 = -1\n", r"strength of a knock is -1"),
    ("hard knock", SMALLEST + "[knocks]\n3 = 9\n", r"knocks.3 is 9.0; allowed is 0 to 5"),
    ("knock at a point", SMALLEST + "[knocks]\n9 = 1\n[vary.fields]\nrules.rounds = [1, 2]\n", r"point 0 .*is '9'"),
    ("no knocks", SMALLEST + "knocks = 3\n", r"campaign.knocks is unknown"),
    (
        "towers of the rule",
        GAMES + '[vary.fields]\n"profile.upper_floor.opening_mm" = [14, 16]\n',
        r"is 'profile.upper_floor.opening_mm'; allowed is .*'two_thirds' is the same for every tower",
    ),
    (
        "a tower without surrogate",
        SMALLEST + 'model = "surrogate"\n[vary.fields]\n"profile.upper_floor.opening_mm" = [14]\n',
        r"profile amerigo is 'changed \(\w+\)'; allowed is as it ships \(\w+\),.*; write model = .physics.$",
    ),
    ("field", SMALLEST + "seeds = 3\n", r"campaign.seeds is unknown"),
    ("runs of another kind", SMALLEST + "battles = 3\n", r"campaign.battles is unknown"),
    ("no runs", SMALLEST.replace("games = 6", ""), r"campaign.games is nothing"),
    ("runs", SMALLEST.replace("games = 6", "games = 0"), r"campaign.games is 0"),
    ("too many runs", SMALLEST.replace("games = 6", "games = 2147483648"), r"2147483648"),
    ("shard", SMALLEST + "shard = 0\n", r"campaign.shard is 0"),
    ("no seed", SMALLEST.replace("seed", "#"), r"campaign.seed is nothing"),
    ("a number as seed", SMALLEST.replace('"0x0123456789abcdef0123456789abcdef"', "7"), r"campaign.seed is 7"),
    ("seed", SMALLEST.replace("0x01", "zz"), r"campaign.seed is 'zz"),
    ("large seed", SMALLEST.replace("0x01", "0x101"), r"campaign.seed is '0x101"),
    ("negative seed", SMALLEST.replace("0x0123", "-0x1"), r"campaign.seed is '-0x1"),
    ("apparatus", SMALLEST.replace('"amerigo"', '"nowhere"'), r"nowhere.*neither a shipped profile nor a file"),
    ("no apparatus", CHAINS.replace("apparatus", "#"), r"campaign.apparatus is nothing"),
    (
        "ship for games",
        SMALLEST.replace('"amerigo"', '"dead_reckoning"'),
        r"no tower that keeps cubes; allowed is a tower; take one",
    ),
    ("tower for battles", BATTLES.replace('"dead_reckoning"', '"amerigo"'), r"'amerigo'"),
    ("model", SMALLEST + 'model = "dice"\n', r"campaign.model is 'dice'"),
    ("model of battles", BATTLES.replace("battles = 12", 'battles = 12\nmodel = "two_thirds"'), r"one of physics"),
    ("settings without physics", GAMES + "[settings]\n", r"table is 'settings'.*'two_thirds' has no settings"),
    ("setting", SMALLEST + "[settings]\ntimesteps = 1\n", r"settings.timesteps is unknown"),
    ("setting's value", SMALLEST + "[settings]\ntimestep = -1\n", r"settings.timestep is -1"),
    ("setting's nan", SMALLEST + "[settings]\ntimestep = nan\n", r"settings.timestep of the file is nan"),
    ("setting's word", SMALLEST + '[settings]\ntimestep = "1"\n', r"settings.timestep is '1'"),
    ("setting's count", SMALLEST + "[settings]\niterations = 2.5\n", r"settings.iterations is 2.5"),
    ("rule", SMALLEST + "[rules]\nround = 2\n", r"rules.round is unknown"),
    ("rule's value", SMALLEST + "[rules]\nrounds = -2\n", r"rounds is -2"),
    ("rule's date", SMALLEST + "[rules]\nname = 2020-01-01\n", r"name is"),
    ("policy", CHAINS.replace("cover", "all"), r"chain.policy is 'all'; allowed is one of fixed, uniform, cover"),
    ("chain's field", CHAINS + "drop = 3\n", r"chain.drop is unknown"),
    (
        "throw of another policy",
        CHAINS + "throw = 3\n",
        r"policy of the chain is 'cover'; allowed is fixed with chain.throw",
    ),
    ("supply", CHAINS + "supply = 501\n", r"chain.supply is 501"),
    ("supply of colours", CHAINS + "supply = { red = 0 }\n", r"chain.supply is 0"),
    ("supply's words", CHAINS + 'supply = "red"\n', r"chain.supply is 'red'"),
    ("drops", CHAINS + "drops = 0\n", r"chain.drops is 0"),
    ("no sides", BATTLES.replace("cubes =", "#"), r"battle.abilities.green is unknown|number of sides"),
    ("one side", BATTLES.replace(", green = 3", "").replace("abilities", "#"), r"number of sides is 1"),
    ("cubes of a side", BATTLES.replace("purple = 6", "purple = -6"), r"battle.cubes.purple is -6"),
    ("a side's word", BATTLES + "sides.green.sails = 1\n", r"side green.sails is unknown"),
    ("a side's supply", BATTLES + "sides.green.supply = 40\n", r"supply of green is 40; allowed is up to 29"),
    ("a side that is none", BATTLES + "sides.red.damage = 1\n", r"battle.sides.red is unknown"),
    ("a side in a word", BATTLES + 'sides.green = "pirate"\n', r"side green is 'pirate'; allowed is a table"),
    ("provoked by no pirate", BATTLES + "provoked = true\n", r"provoked is true"),
    ("provoked by a word", BATTLES + 'provoked = "yes"\n', r"provoked is 'yes'"),
    ("combat", BATTLES + 'combat = "duel"\n', r"kind of combat is 'duel'"),
    ("active", BATTLES + 'active = "red"\n', r"active side is 'red'"),
    ("side of an ability", BATTLES.replace("purple = [", "red = ["), r"battle.abilities.red is unknown"),
    ("ability", BATTLES.replace("throw:2", "throw:x"), r"ability is 'throw:x'"),
    ("abilities", BATTLES.replace('["throw:2", "move"]', '"throw:2"'), r"battle.abilities.green is 'throw:2'"),
    ("ruling", BATTLES + '[battle.rulings]\nstack = "x"\n', r"a ruling's name is 'stack'"),
    ("ruling's choice", BATTLES + '[battle.rulings]\nstuck = "x"\n', r"ruling stuck is 'x'"),
    ("vary", SMALLEST + "[vary]\nfield = 3\n", r"vary.field is unknown"),
    ("no fields", SMALLEST + '[vary]\ndesign = "grid"\n', r"vary.fields is nothing"),
    ("design", SMALLEST + '[vary]\ndesign = "random"\n', r"vary.design is 'random'"),
    ("points of a grid", SMALLEST + "[vary]\npoints = 3\n" + GRID, r"vary.points is 3"),
    (
        "varied field",
        SMALLEST + GRID.replace("cubes", "cube"),
        r"is 'rules.cube'; allowed is one that is there: rules.*cubes",
    ),
    ("varied table", SMALLEST + GRID.replace("rules.cubes", "battle.cubes"), r"is 'battle.cubes'"),
    ("varied head", SMALLEST + GRID.replace("rules.cubes", "profile.kind"), r"is 'profile.kind'"),
    ("no list", SMALLEST + GRID.replace("[5, 7]", "5"), r"vary.fields.rules.cubes is 5; allowed is a list"),
    ("empty list", SMALLEST + GRID.replace("[5, 7]", "[]"), r"vary.fields.rules.cubes is \[\]"),
    ("a point", SMALLEST + GRID.replace("5,", "5, -1,"), r"point 1 \(rules.cubes = -1\): cubes is -1"),
    (
        "no apparatus at a point",
        OF_SQUARES + "[vary.fields]\nprofile.tube.inside_mm = [60, 199]\n",
        r"point 1 \(profile.tube.inside_mm = 199\): profile rulebook: ",
    ),
    (
        "lists of unequal length",
        SMALLEST + '[vary]\ndesign = "list"\n' + GRID + '"rules.rounds" = [1]\n',
        r"lengths of vary.fields",
    ),
    (
        "too large a grid",
        SMALLEST + f'[vary.fields]\n"rules.cubes" = {[1] * 200}\n"rules.rounds" = {[1] * 200}\n',
        r"points of the grid is 40000; allowed is up to 10000; shorten the lists",
    ),
    (
        "too long a list",
        SMALLEST + f'[vary]\ndesign = "list"\n[vary.fields]\n"rules.cubes" = {[1] * 10001}\n',
        r"points of the list is 10001; allowed is up to 10000",
    ),
    (
        "too many points",
        HYPERCUBE.replace("points = 2", "points = 1000000") + '"rules.cubes" = { low = 5, high = 7 }\n',
        r"vary.points is 1000000; allowed is a whole number from 1 to 10000",
    ),
    ("too many runs", SMALLEST.replace("6", str(2**31), 1), r"games at 1 points is 2147483648; allowed is fewer than"),
    (
        "too many shards",
        SMALLEST.replace("6", "300000", 1),
        r"number of shards is 30000; allowed is up to 20000; write",
    ),
    (
        "too many rows",
        SMALLEST.replace("6", "300000", 1) + "shard = 30000\n",
        r"rows of a shard is 52920000; allowed is up to 5000000; write a smaller campaign.shard",
    ),
    ("too many drops", CHAINS + "drops = 40000\n", r"chain.drops is 40000; allowed is a whole number from 1 to 32767"),
    ("too many cubes", CHAINS + "supply = 501\n", r"chain.supply is 501; allowed is 1 to 500 cubes"),
    (
        "too many cubes of a side",
        BATTLES.replace("purple = 6", "purple = 400"),
        r"battle.cubes.purple is 400; allowed is a whole number from 0 to 29",
    ),
    (
        "too many sides",
        BATTLES[: BATTLES.index("[battle]")]
        + f'[battle]\ncombat = "tie_break"\ncubes = {{ {", ".join(f"c{i} = 29" for i in range(20))} }}\n',
        r"number of cubes in battle.cubes is 580; allowed is up to 500 in all",
    ),
    (
        "too many iterations",
        SMALLEST + "[settings]\niterations = 1000000\n",
        r"settings.iterations is 1000000; allowed is a whole number from 1 to 1000;",
    ),
    ("a date for a kind", SMALLEST.replace('"game"', "2026-01-02"), r"campaign.kind is 2026-01-02"),
    ("a date for a seed", SMALLEST + "[rules]\ncubes = 2026-01-02\n", r"cubes is 2026-01-02"),
    ("no points", SMALLEST + '[vary]\ndesign = "sobol"\n' + GRID, r"vary.points is nothing"),
    (
        "list in a sample",
        SMALLEST + '[vary]\ndesign = "sobol"\npoints = 2\n' + GRID,
        r"\{ low = NUMBER, high = NUMBER \}",
    ),
    (
        "points of sobol",
        SMALLEST + '[vary]\ndesign = "sobol"\npoints = 3\n' + GRID,
        r"vary.points is 3.*power of 2.*try 4",
    ),
    *(
        (f"range {limits}", HYPERCUBE + f"{field} = {limits}\n", message)
        for field, limits, message in (
            ("rules.cubes", "{ low = 7, high = 5 }", r"low below high"),
            ("rules.cubes", "{ low = 5, high = nan }", r"high of the file is nan"),
            ("rules.cubes", "{ low = 5, high = inf }", r"high of the file is inf"),
            ("rules.cubes", "{ low = 5 }", r"low below high"),
            ("rules.cubes", "{ low = 5.5, high = 7 }", r"whole numbers: the field is a count"),
            ("rules.substitute", "{ low = 5, high = 7 }", r"the field is no number"),
            ("profile.exit.emerged", "{ low = 5, high = 7 }", r"the field is no number"),
            (
                "profile.tube.inside_mm",
                "{ low = 10, high = 20 }",
                r"point 0 \(profile.tube.inside_mm = 1\d\.\d+\): profile amerigo: tube.in",
            ),
        )
    ),
]


@each_case(("text", "message"), [x[1:] for x in MISTAKES], ids=[x[0] for x in MISTAKES])
def test_each_mistake_is_told_in_one_line_that_names_the_field(text: str, message: str):
    with pytest.raises(UsageError) as caught:
        parse(text)
    assert re.search(message, str(caught.value)), str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_mistake_in_a_file_names_the_file(tmp_path: Path):
    for name, text in (("a.toml", "x"), ("b.toml", None)):
        if text is not None:
            (tmp_path / name).write_text(text)
        with pytest.raises(UsageError, match=name):
            load(tmp_path / name)
    (tmp_path / "c.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match="UTF-8"):
        load(tmp_path / "c.toml")


# Designs


def test_a_grid_has_every_combination_and_a_list_has_its_rows():
    fields = '[vary.fields]\n"rules.cubes" = [5, 7]\nprofile.upper_floor.opening_mm = [14, 16.5]\n'
    grid = parse(OF_SQUARES + fields)
    rows = [{"rules.cubes": c, "profile.upper_floor.opening_mm": o} for c in (5, 7) for o in (14, 16.5)]
    assert list(grid.points) == rows
    assert list(parse(OF_SQUARES + '[vary]\ndesign = "list"\n' + fields).points) == [rows[0], rows[3]]
    assert grid.total == 24
    point = grid.point(3)
    assert (point.rules.rules.cubes, point.apparatus.profile["upper_floor"]["opening_mm"]) == (7, 16.5)
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
    setup = battle.point(7).rules
    assert (setup.side("purple").cubes, setup.rulings.stuck) == (5, "rethrown")
    assert setup.side("green").abilities[0].text == "throw:1"
    assert battle.point(7).apparatus.profile["decks"][0]["slope_deg"] == 35
    physics = parse(SMALLEST + "[vary.fields]\nsettings.iterations = [10, 20]\n")
    assert [physics.point(i).settings.iterations for i in range(2)] == [10, 20]


def test_rulings_and_knocks_left_out_are_left_out_of_the_spec_so_that_digests_of_before_hold():
    spec = parse(SMALLEST)
    keys = ["name", "colours", "phases", "cubes", "rounds", "gold_divisor", "gold_divisor_with_token", "substitute"]
    assert list(spec.tables["rules"]) == keys
    assert "knocks" not in json.loads(spec.canonical)
    ruled = parse(SMALLEST + '[rules]\nrulings = { stand_in_tokens = "both" }\n')
    assert ruled.tables["rules"]["rulings"]["stand_in_tokens"] == "both"
    assert Spec.from_canonical(ruled.canonical).point(0).rules.rules.rulings["stand_in_tokens"] == "both"


def test_knocks_are_a_table_of_the_file_and_can_vary():
    spec = parse(SMALLEST + '[knocks]\n3 = 0.5\n12 = 1\n[vary.fields]\n"knocks.3" = [0.25, 1.5]\n')
    assert spec.digest != parse(SMALLEST).digest
    assert Spec.from_canonical(spec.canonical) == spec
    assert [spec.point(i).rules.knocks for i in range(2)] == [{3: 0.25, 12: 1.0}, {3: 1.5, 12: 1.0}]
    assert parse(SMALLEST).point(0).rules.knocks == {}


def test_every_run_is_in_exactly_one_shard():
    spec = parse(SMALLEST.replace("games = 6", "games = 7\nshard = 4") + "[vary.fields]\nrules.cubes = [5, 6, 7]\n")
    assert [number for index in range(spec.shards) for number in spec.runs_of(index)] == list(range(21))
    texts = (SMALLEST, CHAINS.replace('model = "two_thirds"', ""), BATTLES)
    unsaid = [parse(text.replace("shard = 4", "")).shard for text in texts]
    assert unsaid == [10, 10, 300]


def test_a_campaigns_game_with_knocks_is_the_game_that_play_plays_with_a_row_for_each_knock():
    text = SMALLEST.replace("games = 6", "games = 1") + (
        '[rules]\ncubes = 2\nrounds = 1\nphases = ["blue", "red"]\n[knocks]\n0 = 2\n1 = 1.5\n'
    )
    spec = parse(text)
    tables = run_shard(spec, 0).tables
    rows = pq.read_table(io.BytesIO(tables["drops"])).to_pylist()
    assert [(row["drop"], row["kind"]) for row in rows] == [
        (0, "drop"), (0, "knock"), (1, "drop"), (1, "knock"), (2, "drop"),
    ]  # fmt: skip
    with spec.point(0).open_model() as model:
        entries = list(play(model, spec.point(0).rules.rules, spec.game_seed(0), {0: 2.0, 1: 1.5}))
    inside = [sum(entry.inside.values()) for entry in entries]
    assert [row["inside_after"] for row in rows if row["kind"] == "knock" or row["drop"] == 2] == inside
    assert [row["thrown"] for row in rows if row["kind"] == "drop"] == [sum(e.thrown.values()) for e in entries]
    assert all(row["inside_before"] - row["emerged"] == row["inside_after"] for row in rows if row["kind"] == "knock")
    assert {row["thrown"] for row in rows if row["kind"] == "knock"} == {0}


def test_a_knock_that_never_lands_ends_its_game_with_the_rows_of_all_its_draws():
    class Shaky(CoinTower):
        def knock(self, state: TowerState, strength: float, rng: np.random.Generator) -> Outcome:
            landings = tuple(Landing(each.cube, f"inside:{each.region}") for each in state.residents)
            return Outcome(self.name, self.apparatus, Status.TIMED_OUT, (), landings, state)

    spec = parse(SMALLEST.replace("games = 6", "games = 1") + "[knocks]\n1 = 1\n")
    rows = ShardRows()
    assert not play_run(spec.point(0), Recorder(Shaky()), spec.seed, (0, 0), rows)
    assert [row[2:6] for row in rows.drops] == [
        (0, "drop", 0, "settled"), (1, "drop", 0, "settled"), *((1, "knock", i, "timed_out") for i in range(5)),
    ]  # fmt: skip


def test_a_report_on_games_with_knocks_is_refused_in_one_line(tmp_path: Path):
    from tower_sim.campaign.reader import load as load_campaign

    spec = parse(SMALLEST + "[knocks]\n3 = 0.5\n")
    (tmp_path / "manifest.json").write_bytes(sealed(head_of(spec, environment()) | {"shards": None}))
    with pytest.raises(UsageError, match=r"has knocks; allowed is one without.*tables yourself"):
        load_campaign(tmp_path)

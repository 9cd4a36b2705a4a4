"""The nine commands with their options. Bodies are imported when a command runs, so that the help comes at once."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import wraps
from importlib import import_module
from inspect import Parameter, signature
from pathlib import Path
from typing import Annotated, Any, TextIO

import typer
from typer.core import TyperCommand, TyperGroup

_GROUPS = {
    "Play": ("play", "throw", "compare", "page"),
    "Study": ("campaign", "tower"),
    "Build": ("model", "serve", "redo"),
}


class _WithExample:
    """A command whose help ends with an example."""

    def format_epilog(self: Any, ctx: Any, formatter: Any) -> None:
        if self.epilog:
            with formatter.section("Example"):
                formatter.write(f"  {self.epilog}\n")


class Command(_WithExample, TyperCommand):
    """A command of ours."""


class CommandGroup(_WithExample, TyperGroup):
    """A group of ours; the outermost lists its commands under three headings."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names in the order in which they were added."""
        return list(self.commands)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        groups = _GROUPS if ctx.parent is None else {"Commands": tuple(self.commands)}
        for title, names in groups.items():
            with formatter.section(title):
                formatter.write_dl([(name, self.commands[name].get_short_help_str(200)) for name in names])


def _app(help_: str, epilog: str | None = None) -> typer.Typer:
    return typer.Typer(
        help=help_,
        cls=CommandGroup,
        no_args_is_help=True,
        rich_markup_mode=None,
        add_completion=epilog is not None,  # of the outermost alone
        pretty_exceptions_enable=False,
        epilog=epilog,
        context_settings={"help_option_names": ["-h", "--help"]},
    )


app = _app("Drop cubes through board-game cube towers, with real physics.", "tower-sim play amerigo")
page = _app("Write a web page: throw cubes by hand, try house rules, record a night, or watch cubes fall again.")
campaign = _app("Run thousands of games for a study on all cores, and report on them.")
tower = _app("List, draw, fit, test or print towers.")
model = _app("Fit, check or export a surrogate, the fast model of a tower that needs no physics.")
for name, group in (("page", page), ("campaign", campaign), ("tower", tower), ("model", model)):
    app.add_typer(group, name=name)


def command(group: typer.Typer, name: str, example: str) -> Any:
    """Register a function as a command with an example; one that writes files gets the option --force."""

    def register(body: Callable[..., Any]) -> Any:
        writes = signature(body).parameters.keys() & {"output", "save_plot"}
        return group.command(name, cls=Command, epilog=example)(_keep_files(body) if writes else body)

    return register


def _keep_files(body: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(body)
    def run(*, force: bool, **options: Any) -> Any:
        from tower_sim.tools import keeping

        is_drawn = "seed" in options and options["seed"] is None
        with nullcontext() if force else keeping(differs=is_drawn):
            return body(**options)

    own = signature(body, eval_str=True)
    option = Parameter("force", Parameter.KEYWORD_ONLY, default=False, annotation=Force)
    shown: Any = run
    shown.__signature__ = own.replace(parameters=[*own.parameters.values(), option])
    return run


def _option(metavar: str, help_: str, *spellings: str, **more: Any) -> Any:
    return typer.Option(*spellings, metavar=metavar, help=help_, **more)


def _number_option(help_: str, metavar: str = "N") -> Any:
    return _option(metavar, help_, parser=_number)


def _body(module: str) -> Any:
    return import_module(f"tower_sim.cli.{module}")


def _number(text: str) -> Any:
    return _body("common").number(text)  # what is no number is refused, with unit and range, by what takes it


def _names(group: str) -> Any:
    def complete(incomplete: str) -> list[str]:
        from tower_sim.apparatus import catalogue
        from tower_sim.tools import registry

        known = catalogue.names() if group == "tower" else registry.names(group)
        return [word for word in known if word.startswith(incomplete)]

    return complete


def _argument(metavar: str, help_: str, group: str = "") -> Any:
    completion = _names(group) if group else None
    return typer.Argument(metavar=metavar, help=help_, show_default=False, autocompletion=completion)


# Options that mean the same in every command

_TOWER_HELP = "a profile: a name that `tower-sim tower list` shows, or a TOML file"
TowerOption = Annotated[
    str | None, _option("NAME|FILE", f"{_TOWER_HELP} (default: the game's)", "--tower", autocompletion=_names("tower"))
]
TowersOption = Annotated[
    list[str],
    _option("NAME|FILE", f"{_TOWER_HELP}; may be repeated (default: all)", "--tower", autocompletion=_names("tower")),
]
TowerArgument = Annotated[str, _argument("TOWER", _TOWER_HELP, "tower")]
GameArgument = Annotated[
    str, _argument("GAME|FILE", "a name that `tower-sim tower list` shows, or a game's Python file", "game")
]
Model = Annotated[str, _option("MODEL|FILE", "physics, surrogate, two_thirds or a model's .json file")]
Engine = Annotated[str | None, _option("NAME", "engine of physics: core or bullet (default: core)")]
Accuracy = Annotated[
    str | None, _option("NAME", "fast, standard or fine (default: that of the profile)", show_default=False)
]
Seed = Annotated[str | None, _option("N", "decides all that is random (default: drawn, and printed)")]
Json = Annotated[bool, typer.Option("--json", help="print one JSON document and nothing else")]
Plot = Annotated[Path | None, _option("FILE", "also draw it (.png, .pdf or .svg)", "--save-plot")]
SetOption = Annotated[list[str], _option("KEY=VALUE", "change a rule, as in cubes=6; may be repeated", "--set")]
WishOption = Annotated[
    list[str],
    _option(
        "FIGURE=NUMBER", "a mean to reach, as in actions=3, 'inside<=5' or setup=10..14; may be repeated", "--wish"
    ),
]
RulesOption = Annotated[str | None, _option("FILE", "house rules as TOML", "--rules")]
Cubes = Annotated[list[str], _option("COLOUR=N,...", "cubes to throw, as in blue=4,red=2", "--cubes")]
State = Annotated[str | None, _option("TOKEN|@FILE", "the state before, or a file with it", "--state")]
Out = Annotated[Path, _option("FILE", "the file or folder to write", "--output", "-o")]
NamedOut = Annotated[
    Path | None, _option("FILE", "the file to write (default: a new one, whose name is printed)", "--output", "-o")
]
Force = Annotated[bool, typer.Option("--force", help="replace files that are there already, with other content")]
Directory = Annotated[Path, _argument("DIR", "the campaign's directory")]


def _print_version(flag: bool) -> None:
    if flag:
        print(_body("common").version())
        raise typer.Exit


@app.callback()
def _top(
    version: Annotated[
        bool, typer.Option("--version", help="print the version, and leave", is_eager=True, callback=_print_version)
    ] = False,
) -> None:
    """Take the options of the whole command line."""


# Play


@command(app, "play", "tower-sim play amerigo --seed 7")
def play(
    game: GameArgument,
    changes: SetOption = [],  # noqa: B006  # typer copies it
    rules: RulesOption = None,
    games: Annotated[int | None, _number_option("play so many, and see the means")] = None,
    tower: TowerOption = None,
    model: Model = "physics",
    engine: Engine = None,
    accuracy: Accuracy = None,
    seed: Seed = None,
    json: Json = False,
    save_plot: Plot = None,
    help_rules: Annotated[bool, typer.Option("--help-rules", help="list the game's rules, and leave")] = False,
) -> None:
    """Play a whole game with its tower, and see at every throw what comes out and what stays inside."""
    if help_rules:
        _body("play").list_rules(game)
        return
    _body("play").play(game, changes, rules, games, tower, (model, engine, accuracy), seed, json, save_plot)


@command(app, "throw", "tower-sim throw amerigo --cubes blue=4,red=2")
def throw(
    tower: TowerArgument,
    cubes: Cubes = [],  # noqa: B006
    times: Annotated[
        int | None,
        _number_option("throw so often, and see the chances; --cubes may then be repeated to compare throws"),
    ] = None,
    state: State = None,
    knock: Annotated[
        float | None, _number_option("knock on the table first: peak acceleration in g, 0 to 5", "STRENGTH")
    ] = None,
    model: Model = "physics",
    engine: Engine = None,
    accuracy: Accuracy = None,
    seed: Seed = None,
    json: Json = False,
) -> None:
    """Throw cubes into a tower, or knock on its table, and see which cubes come out."""
    physics = (model, engine, accuracy)
    if times is None:
        _body("throw").throw(tower, cubes, state, knock, physics, seed, json)
    else:
        _body("throw").throw_often(tower, cubes, times, state, knock, physics, seed, json)


@command(app, "compare", "tower-sim compare amerigo --set cubes=6 --games 2000")
def compare(
    a: Annotated[str, _argument("A", "a game, its Python file, a rules file or a tower")],
    b: Annotated[str | None, _argument("[B]", "what to compare with it (default: A with --set)")] = None,
    changes: SetOption = [],  # noqa: B006
    wish: WishOption = [],  # noqa: B006
    vary: Annotated[
        list[str],
        _option(
            "KEY=VALUES",
            "with --wish: a rule that may change, as in cubes=5..12 or apparatus=amerigo,mine.toml; may be "
            "repeated (default: every rule that is a whole number, from half to twice its value)",
        ),
    ] = [],  # noqa: B006
    output: Annotated[Path | None, _option("FILE.toml", "with --wish: write the rules found", "--output", "-o")] = None,
    games: Annotated[
        int | None,
        _number_option(
            "pairs of games (default: 2000); with --wish all games of the search (default: as many as take a minute)"
        ),
    ] = None,
    model: Model = "surrogate",
    engine: Engine = None,
    accuracy: Accuracy = None,
    seed: Seed = None,
    json: Json = False,
    save_plot: Plot = None,
) -> None:
    """Play two sets of rules with the same seeds, and see what a house rule changes; or find rules for a wish."""
    from tower_sim.models import choose_settings
    from tower_sim.studies import check_alone, compare_command, wish_command

    settings = choose_settings(model, engine, accuracy)
    check_alone(b, wish, vary, output)
    number = _body("common").read_seed(seed)
    more: dict[str, Any] = {"changes": changes, "settings": settings, "as_json": json, "plot": save_plot}
    if wish:
        wish_command(a, wish, vary, games, number, model, output=output, **more)
    else:
        compare_command((a, b), 2000 if games is None else games, number, model, **more)


@command(page, "live", "tower-sim page live -o tower.html")
def live(output: NamedOut = None, towers: TowersOption = [], rules: RulesOption = None) -> None:  # noqa: B006
    """Write a web page in which you throw cubes by hand and watch them fall with real physics."""
    from tower_sim.calibration import make_document as night
    from tower_sim.web import live_page, write_page

    write_page(
        output := _body("common").choose_path(output, "live.html"),
        lambda: live_page(towers, rules, {"record": night()}),
    )
    print(output)


@command(page, "lab", "tower-sim page lab -o lab.html")
def lab(output: NamedOut = None, towers: TowersOption = [], rules: RulesOption = None) -> None:  # noqa: B006
    """Write a web page in which you move sliders for house rules and see what they change."""
    from tower_sim.web import lab_page, write_page

    write_page(output := _body("common").choose_path(output, "lab.html"), lambda: lab_page(towers, rules))
    print(output)


@command(page, "record", "tower-sim page record -o night.html")
def record(output: NamedOut = None, towers: TowersOption = []) -> None:  # noqa: B006
    """Write a web page for a phone that records a game night and tests your tower."""
    from tower_sim.calibration import record_page
    from tower_sim.web import write_page

    write_page(output := _body("common").choose_path(output, "record.html"), lambda: record_page(towers))
    print(output)


@command(page, "replay", "tower-sim page replay amerigo --seed 7 -o game.html")
def replay(
    what: Annotated[str, _argument("GAME|TOWER", "a game to play, or with --cubes a tower to throw into")],
    output: NamedOut = None,
    cubes: Cubes = [],  # noqa: B006
    state: State = None,
    knock: Annotated[float | None, _number_option("with --cubes: knock first, 0 to 5 g", "STRENGTH")] = None,
    changes: SetOption = [],  # noqa: B006
    rules: RulesOption = None,
    tower: TowerOption = None,
    engine: Engine = None,
    accuracy: Accuracy = None,
    seed: Seed = None,
) -> None:
    """Write a web page that shows the cubes of a game, or of one throw, falling."""
    physics = ("physics", engine, accuracy)
    output = _body("common").choose_path(output, f"{Path(what).stem}.html")
    if cubes or knock is not None:
        _body("throw").throw(what, cubes, state, knock, physics, seed, False, output)
    else:
        _body("play").play(what, changes, rules, None, tower, physics, seed, False, None, output)


# Study


@command(campaign, "run", "tower-sim campaign run docs/example/campaign.toml -o games")
def run(
    spec: Annotated[Path, _argument("SPEC.toml", "the campaign file; see docs/campaigns.md")],
    dataset: Annotated[Path, _option("DIR", "the folder of the dataset, which is made or continued", "--output", "-o")],
    workers: Annotated[int | None, _number_option("processes to use (default: all cores)")] = None,
    dask: Annotated[str, _option("ADDRESS|local", "a Dask scheduler, or local to start one")] = "",
) -> int:
    """Run the games of a campaign file, or continue them after an interruption."""
    from tower_sim.campaign import campaign_run
    from tower_sim.errors import UsageError

    if workers is not None and dask:
        raise UsageError("--workers and --dask are both given; allowed is one of them; leave one out")
    return campaign_run(spec, dataset, (os.cpu_count() or 1) if workers is None else workers, dask)


@command(campaign, "status", "tower-sim campaign status games")
def status(directory: Directory, json: Json = False) -> None:
    """Say how much of a campaign is done, missing or failed."""
    from json import dumps

    from tower_sim.campaign import campaign_status
    from tower_sim.campaign import status as status_of

    print(dumps(status_of(directory)) if json else campaign_status(directory))


@command(campaign, "check", "tower-sim campaign check games")
def check(directory: Directory) -> int:
    """Check every file of a campaign against its manifest."""
    from tower_sim.campaign import campaign_verify

    text, status = campaign_verify(directory)
    print(text)
    return status


@command(campaign, "report", "tower-sim campaign report games -o report")
def report(
    directory: Directory,
    output: Out,
    point: Annotated[int | None, _number_option("report on design point N alone, from 0")] = None,
    json: Json = False,
) -> None:
    """Write a report on a campaign: every statistic with its interval and its sample size."""
    from json import dumps

    from tower_sim.studies import study
    from tower_sim.tools import say

    document = study(directory, output, point)
    if json:
        print(dumps(document))
        return
    say("".join(f"{paragraph}\n\n" for paragraph in document["says"]).rstrip("\n") + "\n")
    print(f"{output / 'report.html'}  (the same as Markdown, with its tables: {output / 'report.md'})")


@command(tower, "list", "tower-sim tower list")
def list_(json: Json = False) -> None:
    """List the towers, games, engines and models that other commands take, also those from other packages."""
    _body("towers").list_all(json)


@command(tower, "show", "tower-sim tower show amerigo -o tower.png")
def show(tower: TowerArgument, output: NamedOut = None, state: State = None) -> None:
    """Draw a tower or a ship: a view from outside and a section with its lengths."""
    _body("throw").show(tower, _body("common").choose_path(output, f"{Path(tower).stem}.png"), state)


@command(tower, "import", "tower-sim tower import tower.stl -o mine.toml")
def import_(
    file: Annotated[Path, _argument("FILE", "a mesh in STL or 3MF, or a profile to import again")],
    output: Out,
    unit: Annotated[
        str | None,
        _option("UNIT", "the file's unit: mm, cm, inch, m, foot or micron; the one that the file names, or mm"),
    ] = None,
    scale: Annotated[float, _option("FACTOR", "make it so many times as large")] = 1.0,
    up: Annotated[str, _option("AXIS", "which way is up in the file: z, y, x, -z, -y or -x")] = "z",
    edge: Annotated[float, _option("MM", "the edge of a cube")] = 8.0,
    pane: Annotated[
        float | None, _option("MM", "add a sheet of glass over an open front; its lower edge is at this height")
    ] = None,
    exit: Annotated[
        float | None,
        _option("MM", "of several ways out, the one whose upper edge is at this height; default the lowest"),
    ] = None,
    only: Annotated[int | None, _option("N", "of several towers in the file, this one, counted from the left")] = None,
) -> None:
    """Make a tower from the file that people print, and draw it."""
    _body("towers").import_(file, output, unit, scale, up, edge, pane, exit, only)


@command(tower, "fit", "tower-sim tower fit my_tower -o mine.toml")
def fit(
    output: Out,
    observations: Annotated[
        list[str] | None,
        _argument("[OBSERVATIONS]...", "recorded drops (.csv), remarks (.toml), or a name such as my_tower"),
    ] = None,
    wish: WishOption = [],  # noqa: B006
    seed: Seed = None,
) -> int:
    """Fit a tower to drops that you recorded, so that it behaves like yours."""
    from tower_sim.calibration import calibrate_command
    from tower_sim.errors import fault
    from tower_sim.studies import read_wishes

    if not observations and not wish:
        raise fault("observations", "none", "a file, a name that ships, or a --wish", "name one, such as my_tower")
    number, wishes = _body("common").read_seed(seed), read_wishes(wish) if wish else ()
    status = calibrate_command(observations or [], output, number, wishes)
    if status == 0:
        print(f"tower fit: done by the seed {number}", file=sys.stderr)
    return status


@command(tower, "test", "tower-sim tower test my_tower --tower amerigo")
def check_tower(
    records: Annotated[str, _argument("RECORDS.csv", "your recorded drops, or the example my_tower")],
    tower: TowerOption = None,
    games: Annotated[int, _number_option("games to simulate, 8 to 10000")] = 24,
    model: Model = "physics",
    engine: Engine = None,
    accuracy: Accuracy = None,
    seed: Seed = None,
    published: Annotated[
        bool, typer.Option("--published", help="simulate the published game alone, as the page of a game night does")
    ] = False,
    output: Annotated[Path | None, _option("DIR", "also write a report", "--output", "-o")] = None,
    json: Json = False,
) -> int:
    """Check whether your recorded tower behaves as a profile predicts."""
    from tower_sim.calibration import fairness_command
    from tower_sim.models import choose_settings
    from tower_sim.requests import first_game

    settings = choose_settings(model, engine, accuracy)
    apparatus = tower or first_game().apparatus
    number = _body("common").read_seed(seed)
    return fairness_command(records, apparatus, games, number, json, settings, model, published, output)


@command(tower, "export", "tower-sim tower export amerigo -o tower.stl")
def export(tower: TowerArgument, output: NamedOut = None) -> None:
    """Write a tower as a file for a 3D printer: STL, 3MF or GLB, in millimetres."""
    from tower_sim.apparatus import export as export_to
    from tower_sim.apparatus import load

    path = _body("common").choose_path(output, f"{Path(tower).stem}.stl")
    for name, mesh in export_to(load(tower), path).items():
        print(f"{name}: {' x '.join(f'{length:.0f}' for length in mesh.extents)} mm, {mesh.volume / 1e3:.0f} cm3")
    print(path)


# Build

_FORMS = {
    "js": "a JavaScript module",
    "json": "its table as JSON",
    "npm": "a package for npm",
    "lua": "a file of Lua",
}
Directories = Annotated[list[Path], _argument("DIR...", "the campaigns' directories")]


@command(model, "fit", "tower-sim model fit games -o fast.json")
def fit_model(directories: Directories, output: Out) -> None:
    """Fit a surrogate to campaigns with one tower or ship."""
    from tower_sim.studies import fit_command

    fit_command(directories, output)


@command(model, "check", "tower-sim model check fast.json new_games")
def check_model(
    model: Annotated[str, _argument("MODEL.json", "a fitted model, or the name of a shipped one")],
    directories: Directories,
    output: Annotated[Path | None, _option("DIR", "also write a report", "--output", "-o")] = None,
    seed: Seed = None,
) -> None:
    """Measure how well a surrogate predicts games that it was not fitted to."""
    from tower_sim.studies import check_command

    number = _body("common").read_seed(seed)
    check_command(model, directories, output, number)
    print(f"seed {number}")


@command(model, "export", "tower-sim model export amerigo --to js -o tower.js")
def export_model(
    output: Out,
    to: Annotated[str, _option("FORM", "js (a JavaScript module), json (its table), npm (a package), lua")],
    models: Annotated[
        list[str] | None, _argument("[MODEL]...", "a model's file or name; npm takes several, or none for all")
    ] = None,
) -> None:
    """Write a surrogate for programs in other languages, in whole numbers only."""
    from tower_sim.clients import export_command, write_package
    from tower_sim.errors import UsageError, check_one

    check_one("--to", to, _FORMS)
    if to == "npm":
        write_package(models or [], output)
    elif not models or len(models) > 1:
        count = f"{len(models)} are given" if models else "none is given"
        raise UsageError(f"model: {count}; allowed with --to {to} is one; name a shipped one or a file")
    else:
        export_command(models[0], to, output)
    print(f"{', '.join(models or ()) or 'all surrogates that ship'}, {_FORMS[to]}: {output}")


@command(app, "serve", "tower-sim serve --http --port 8484")
def serve(
    http: Annotated[bool, typer.Option("--http", help="answer over HTTP instead (extra: service)")] = False,
    host: Annotated[str | None, _option("NAME", "the address to listen on (default: 127.0.0.1)")] = None,
    port: Annotated[int | None, _number_option("the port; 0: any that is free (default: 8484)")] = None,
    token_file: Annotated[Path | None, _option("FILE", "clients must show the token in it")] = None,
    cors: Annotated[list[str], _option("ORIGIN", "a web page's origin that may ask; may be repeated")] = [],  # noqa: B006
    limits: Annotated[Path | None, _option("FILE", "limits as TOML; see docs/http.md")] = None,
) -> None:
    """Answer other programs that need a cube tower: a JSON reply to each line of JSON, or over HTTP."""
    from tower_sim.errors import UsageError, fault

    if http:
        from tower_sim.service import Limits, read_limits, read_token, serve_http

        bounds = read_limits(limits) if limits is not None else Limits()
        token = read_token(token_file) if token_file is not None else ""
        serve_http(bounds, host or "127.0.0.1", 8484 if port is None else port, token, cors)
        return
    options = {"host": host, "port": port, "token-file": token_file, "cors": cors or None, "limits": limits}
    for option, value in options.items():
        if value is not None:
            raise UsageError(f"--{option} is of the service on the network; add --http, or leave it out")
    from tower_sim.service import ModelCache
    from tower_sim.service import serve as answer_lines
    from tower_sim.tools import terminable

    source: TextIO | None = sys.stdin
    if source is None:  # Python sets it to None when it was closed
        raise fault("standard input", "closed", "a pipe or a file of requests", 'try: echo \'{"do": "hello"}\' | ...')
    with ModelCache() as models, terminable():
        answer_lines(source.buffer, sys.stdout.buffer, models)


@command(app, "redo", "tower-sim redo 'tower.html#profile=amerigo&seed=7&throw=blue:4'")
def redo(
    what: Annotated[str, _argument("TOKEN|@FILE|LINK", "a state's token, @FILE with it, or a page's link")],
    tower: TowerOption = None,
    json: Json = False,
) -> int:
    """Repeat every throw behind a state or a link from the live page, and check that all cubes lie as it says."""
    return _body("throw").redo(what, tower, json)


def run_command(words: Sequence[str]) -> int:
    """Parse and run a command line; returns its exit status. A shell that completes words is answered."""
    whole: Any = typer.main.get_command(app)
    if "_TOWER_SIM_COMPLETE" in os.environ:
        whole.main(args=list(words), prog_name="tower-sim")
    try:
        with whole.make_context("tower-sim", list(words)) as context:
            return whole.invoke(context) or 0
    except typer.Exit as leaving:
        return leaving.exit_code

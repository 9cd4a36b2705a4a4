"""`tower-sim surrogate`: the fast stand-in for physics."""

from __future__ import annotations

import argparse
from pathlib import Path

from tower_sim.cli.common import add_output, add_seed, seed_of
from tower_sim.cli.parser import Parser
from tower_sim.errors import UsageError

_FORMS = {
    "js": "a JavaScript module",
    "json": "its table as JSON",
    "npm": "a package for npm",
    "lua": "a file of Lua",
    "php": "a file of PHP",
    "java": "a file of Java",
}


def add(parser: Parser) -> None:
    """Add what the command takes."""
    actions = parser.add_subparsers(title="actions", required=True, metavar="ACTION", parser_class=type(parser))
    fit = actions.add_parser("fit", help="fit a surrogate to campaigns of one apparatus")
    fit.add_argument("directories", nargs="+", type=Path, metavar="DIR", help="the campaigns' directories")
    add_output(fit, "MODEL.json", "the model")
    fit.set_defaults(run=_fit)
    check = actions.add_parser("check", help="measure how well it predicts games that it has not seen")
    check.add_argument("model", metavar="MODEL.json", help="a fitted model, or the name of a shipped one")
    check.add_argument("directories", nargs="+", type=Path, metavar="DIR", help="the campaigns' directories")
    add_output(check, "REPORT_DIR", "also write a report with plots", required=False)
    add_seed(check)
    check.set_defaults(run=_check)
    export = actions.add_parser("export", help="write it for other languages, in whole numbers only")
    told = "a fitted model, or the name of a shipped one; npm takes several, or none for all that ship"
    export.add_argument("model", nargs="*", metavar="MODEL.json", help=told)
    told = "a JavaScript module, its table alone, a package for npm, or a file of Lua, PHP or Java"
    export.add_argument("--to", required=True, choices=list(_FORMS), help=told)
    add_output(export, "FILE", "the file, or with npm the folder")
    export.set_defaults(run=_export)


def _fit(options: argparse.Namespace) -> None:
    from tower_sim.fitting import fit_command

    fit_command(options.directories, options.output)


def _check(options: argparse.Namespace) -> None:
    from tower_sim.fitting import check_command

    seed = seed_of(options)
    check_command(options.model, options.directories, options.output, seed)
    print(f"seed {seed}")


def _export(options: argparse.Namespace) -> None:
    from tower_sim.clients.write import export_command, write_package

    if options.to == "npm":
        write_package(options.model, options.output)
        _say_written(options)
        return
    if len(options.model) != 1:
        given = "none is given" if not options.model else f"{len(options.model)} are given"
        raise UsageError(f"model: {given}; allowed with --to {options.to} is one; name a shipped one or a file")
    export_command(options.model[0], options.to, options.output)
    _say_written(options)


def _say_written(options: argparse.Namespace) -> None:
    print(f"{', '.join(options.model) or 'all surrogates that ship'}, {_FORMS[options.to]}: {options.output}")

"""`tower-sim play` and the commands that games bring along: one run of a game, or the odds of many."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any

from tower_sim import registry
from tower_sim.apparatus.catalogue import load
from tower_sim.apparatus.parts import Apparatus
from tower_sim.cli import common
from tower_sim.cli.parser import Parser
from tower_sim.cli.replaying import add_replay, film_for
from tower_sim.contract import DropModel
from tower_sim.errors import check_whole, fault
from tower_sim.games.game import Game, Turn
from tower_sim.games.ways import FEWEST_DRAWN, MAX_RUNS, Option
from tower_sim.models import BOARD_MODELS, MODELS, open_model
from tower_sim.progress import telling
from tower_sim.requests import (
    OddsRequest,
    PlayRequest,
    check,
    fill,
    fill_beside,
    games,
    no_odds,
    play_document,
    read_rules,
    turns,
)
from tower_sim.terminal import say

if TYPE_CHECKING:
    from tower_sim.physics.film import Film
    from tower_sim.replay.takes import Take


def add(play: Parser) -> None:
    """Add what the command `play` takes.

    The options of all games are there to be shown; what is given is read again by the parser of the game named.
    """
    playable = games()
    names = [game.name for game in playable]
    play.add_argument(
        "game", choices=_Names(names), metavar="GAME|FILE", help=f"{', '.join(names)} or a game's TOML file"
    )
    common.add_apparatus(play, None)
    common.add_rules(play)
    common.add_model(play)
    common.add_physics(play)
    common.add_seed(play)
    common.add_json(play)
    common.add_plot(play, "the game")
    add_replay(play, "its cubes")
    if with_odds := [game for game in playable if game.ways.odds() is not None]:
        named = " and ".join(game.name for game in with_odds)
        common.add_games(play, f"runs to play, 1 to {MAX_RUNS}, to tell the odds (of {named})")
    for game in playable:
        _add_shown(play, game, playable)
    play.read_again_by(partial(_own_help, play.prog))
    play.epilog = f"tower-sim play GAME --help shows the options of that game alone, as in play {names[0]} --help."
    play.set_defaults(run=partial(_chosen, play))


class _Names(list[str]):
    """The names of games, among which any file is too, as `files` says."""

    files = " or the path of a .toml file"

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or registry.is_file("game", name)


def _own_help(prog: str, words: Sequence[str]) -> Parser | None:
    """Return the parser that shows the help of the game among the `words`; None where none is named."""
    named = next((word for word in words if word in registry.names("game") or registry.is_file("game", word)), None)
    if named is None:
        return None
    game: Game = registry.get("game", named)
    own = Parser(prog=f"{prog} {named}", description=_about(game))
    _add_own(own, game)
    return own


def _about(game: Game) -> str:
    return f"{game.title}: {game.about}.".replace(": .", ".").replace("%", "%%")


def _add_own(own: Parser, game: Game) -> None:
    _add_options(own, game, None)
    common.add_rules(own)


def _chosen(play: Parser, options: argparse.Namespace) -> None:
    game: Game = registry.get("game", options.game)
    own = Parser(prog=play.prog)
    own.add_argument("game")
    _add_own(own, game)
    _refuse_others(play, own, game, games(), options)
    _run(game, own.parse_args(options.words))


def _add_shown(parser: Parser, game: Game, playing: Sequence[Game]) -> None:
    """Add the options of a game that are not there yet, to be shown; all that are `playing` and have them are named."""
    new = [option for option in game.ways.options if not parser.has(f"--{option.name}")]
    having = [other.name for other in playing if set(new) <= {*other.ways.options}]
    group = parser.add_argument_group(f"options of {', '.join(having)}") if new else None
    for option in new:
        _add(group, option, is_read=False)


def _refuse_others(
    parser: Parser, own: Parser, game: Game, playing: Sequence[Game], options: argparse.Namespace
) -> None:
    """Refuse an option that is given, and is another game's."""
    for option in (option for other in playing for option in other.ways.options):
        if _key(option) in vars(options) and not own.has(f"--{option.name}"):
            having = ", ".join(other.name for other in playing if option.name in _its_options(other))
            its = ", ".join(f"--{name}" for name in _its_options(game)) or "none"
            parser.error(f"unknown option '--{option.name}': it is of {having}; {game.name} has {its} of its own")


def _its_options(game: Game) -> list[str]:
    return [option.name for option in game.ways.options]


def add_command(parser: Parser, playing: Sequence[Game]) -> None:
    """Add what the command takes that games bring along: all but rules from a file.

    Where several bring the same one, `--game` chooses; the options of all are shown, and read again by the game named.
    """
    first, *others = playing
    if not others:
        _add_options(parser, first, first.apparatus, is_command=True)
        parser.set_defaults(run=partial(_run, first), rules=None)
        return
    _add_game(parser, playing)
    _add_options(parser, first, first.apparatus)
    for game in others:
        _add_shown(parser, game, playing)
    parser.read_again_by(partial(_help_of_command, parser.prog, playing))
    parser.set_defaults(run=partial(_of_command, parser, playing))


def _help_of_command(prog: str, playing: Sequence[Game], words: Sequence[str]) -> Parser | None:
    """Return the parser that shows the help of the game given by `--game`; None where none is."""
    chosen = argparse.ArgumentParser(add_help=False, exit_on_error=False)
    chosen.add_argument("--game")
    named = chosen.parse_known_args(list(words))[0].game
    if named is None:
        return None
    game = _with_command(named, playing)
    own = Parser(prog=f"{prog} --game {named}", description=_about(game))
    _add_options(own, game, game.apparatus, is_command=True)
    return own


def _add_game(parser: Parser, playing: Sequence[Game]) -> None:
    names = [game.name for game in playing]
    told = f"the game of the {playing[0].ways.command}: {', '.join(names)}, or a game's TOML file"
    parser.add_argument("--game", choices=_Names(names), default=names[0], metavar="NAME|FILE", help=told)


def _with_command(named: str, playing: Sequence[Game]) -> Game:
    """Return the game that is `named`; raises UsageError for one without the command of those that are `playing`."""
    game: Game = registry.get("game", named)
    command = playing[0].ways.command
    if game.ways.command != command:
        names = ", ".join(game.name for game in playing)
        raise fault("--game", game.name, f"one with a {command}: {names} or a file", "name another game")
    return game


def _of_command(parser: Parser, playing: Sequence[Game], options: argparse.Namespace) -> None:
    game = _with_command(options.game, playing)
    own = Parser(prog=parser.prog)
    _add_game(own, playing)
    _add_options(own, game, game.apparatus, is_command=True)
    own.set_defaults(rules=None)
    _refuse_others(parser, own, game, playing, options)
    _run(game, own.parse_args(options.words))


def _add_options(parser: Parser, game: Game, apparatus: str | None, *, is_command: bool = False) -> None:
    """Add the options of one game and those of every game, in the order in which the help shows them."""
    for option in game.ways.options:
        _add(parser, option, required=is_command and option.required)
    if game.ways.odds() is not None:
        common.add_games(parser, f"{game.runs} of {game.title} to play, 1 to {MAX_RUNS}, to tell the odds")
    common.add_apparatus(parser, apparatus)
    common.add_model(parser, models=BOARD_MODELS if game.board else MODELS)
    common.add_physics(parser)
    common.add_seed(parser)
    common.add_json(parser)
    common.add_plot(parser, game.ways.picture)
    add_replay(parser, "its cubes")


def _add(parser: Any, option: Option, *, required: bool = False, is_read: bool = True) -> None:
    """Add an option of a game; what is not given is not in what is parsed, what is only shown is read over."""
    told = option.help + (f" (default: {option.default})" if option.default else "")
    more: dict[str, Any] = {"metavar": option.metavar, "type": common.whole if option.whole else str}
    more["action"] = "append" if option.repeated else "store"
    if not (option.metavar or option.choices):
        more = {"action": "store_true"}
    elif not is_read:
        more = {"metavar": option.metavar or f"{{{','.join(option.choices)}}}"}
    elif option.choices:
        more = {"choices": option.choices}
    dest = _key(option)
    parser.add_argument(f"--{option.name}", dest=dest, default=argparse.SUPPRESS, required=required, help=told, **more)


def _key(option: Option) -> str:
    return f"its {option.name}"


def _run(game: Game, options: argparse.Namespace) -> None:
    ways, said = game.ways, vars(options)
    given = {option.name: said[_key(option)] for option in ways.options if _key(option) in said}
    asked = ways.of_options(given, read_rules(game, options.rules) if options.rules else None)
    named = options.apparatus or asked.apparatus or game.apparatus
    seed = common.seed_of(options)
    request = PlayRequest(game, asked.rules, named, options.model, seed, options.engine, options.accuracy)
    apparatus = load(named)
    many: int | None = said.get("games")
    if many is not None:
        check_whole("--games", many, FEWEST_DRAWN if options.save_plot else 1, MAX_RUNS)
        if options.replay is not None:
            allowed = "one game, without --games"
            raise fault("--replay", str(options.replay), allowed, "leave one of the two out")
    common.check_plot(options.save_plot)
    film = film_for(options)
    game.check(apparatus)  # before a model of it is made, which may not be had here
    with open_model(apparatus, options.model, request.settings, film) as model:
        check(request, apparatus, model)
        if many is None:
            _play(request, model, apparatus, options, film)
        else:
            _play_many(OddsRequest(request, many), model, apparatus, options)


def _play(
    request: PlayRequest, model: DropModel, apparatus: Apparatus, options: argparse.Namespace, film: Film | None
) -> None:
    game, rules = request.played, request.rules
    names: dict[str, Any] = {"apparatus": apparatus.name, "model": model.name, "seed": request.seed}
    shown: list[tuple[Turn, tuple[Take, ...]]] = []
    if film is not None:
        film.taken()  # what the game tried of the model before its first turn is not seen
    if not options.json:
        say(game.head(rules, **names))
    with telling(game.ways.turns, game.ways.expected(rules)) if options.json else nullcontext() as tell:
        for turn in turns(request, model):
            shown.append((turn, _takes(film, apparatus)))
            if tell is None:
                say(game.line(turn, rules), flush=True)
            else:
                tell(len(shown))
    played = [turn for turn, _ in shown]
    if options.save_plot is not None:
        game.draw(played, rules, apparatus, options.save_plot, title=game.ways.caption(rules, **names))
    if options.json:
        print(json.dumps(play_document(request, played, model)))
    else:
        say(game.summary(played, rules))
    if film is not None:
        from tower_sim.replay.compose import of_play
        from tower_sim.replay.files import write

        write(options.replay, of_play(request, apparatus, shown, model.name))
    common.tell_files(options)


def _takes(film: Film | None, apparatus: Apparatus) -> tuple[Take, ...]:
    """Return what the draws since the last call of this looked like; none where they are not recorded."""
    if film is None:
        return ()
    from tower_sim.replay.takes import takes

    return takes(film.taken(), apparatus)


def _play_many(request: OddsRequest, model: DropModel, apparatus: Apparatus, options: argparse.Namespace) -> None:
    """Play many; interrupted, tell the odds of those that were finished."""
    many = no_odds(request)
    interrupted = False
    with telling(request.one.played.runs, request.runs) as tell:
        try:
            fill(many, request, model, tell)
        except KeyboardInterrupt:
            interrupted = True
    if not many.runs:
        raise KeyboardInterrupt
    fill_beside(many, request, apparatus)
    if options.json:
        print(json.dumps(many.document()))
    else:
        say(many.words())
    if options.save_plot is not None:
        many.draw(apparatus, options.save_plot)
    if interrupted:
        raise KeyboardInterrupt
    common.tell_files(options)

"""`tower-sim completion`: a script that makes a shell complete commands, options and names, made from the parser.

The script is complete in itself: no Python runs while somebody types. (shtab, a package of 1,750 lines, would take the
place of these functions for shells, but offers names or files where a value may be either, such as an apparatus.)
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from tower_sim.cli.parser import Parser

PROGRAM = "tower-sim"
_FILES = ("FILE", "DIR", ".toml", ".csv", ".json", "OBSERVATIONS", "APPARATUS")  # in what stands for a path
_MARK = "@FILES@"  # among words: files too


@dataclass(frozen=True, slots=True)
class Offered:
    """An option or a word that may come next: its spellings, its help, and the words its value may be (None: none)."""

    spellings: tuple[str, ...]
    help: str
    values: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """A place on the command line: the commands before it (`/campaign/run`), options, and words that may come next."""

    path: str
    options: tuple[Offered, ...]
    words: tuple[tuple[str, str], ...]

    @property
    def files(self) -> bool:
        """Whether a file may come next."""
        return any(word == _MARK for word, _ in self.words)


def add(parser: Parser) -> None:
    """Add what the command takes."""
    told = "; ".join(f"{shell}: {how}" for shell, (_, how) in _SHELLS.items())
    parser.add_argument("shell", choices=list(_SHELLS), metavar="SHELL", help=told.replace("%", "%%"))
    parser.set_defaults(run=_completion)


def _completion(options: argparse.Namespace) -> None:
    from tower_sim.cli import parser

    write, _ = _SHELLS[options.shell]
    print(write(list(places(parser()))))


def places(parser: Parser, path: str = "") -> Iterator[Place]:
    """Yield every place of a parser: that of the program, then those of its commands, deepest last."""
    inner = parser.commands()
    options: list[Offered] = []
    words = [(name, told) for name, (_, told) in inner.items()]
    for action in parser.arguments():
        if action.option_strings:
            told = (action.help or "").partition(" (default")[0].replace("%%", "%")
            values = None if action.nargs == 0 else tuple(_values(action, parser))
            options.append(Offered(tuple(action.option_strings), told, values))
        else:
            words += [(word, "") for word in _values(action, parser)]
    yield Place(path, tuple(options), tuple(words))
    for name, (own, _) in inner.items():
        yield from places(own, f"{path}/{name}")


def _values(action: argparse.Action, parser: Parser) -> list[str]:
    """Return the words that a value may be, among them that for any file."""
    metavar = action.metavar if isinstance(action.metavar, str) else ""
    known = parser.offered.get(action.dest, ()) if action.choices is None else map(str, action.choices)
    return [*known, *[_MARK] * any(mark in metavar for mark in _FILES)]


def _plain(words: Iterable[str]) -> str:
    return " ".join(word for word in words if word != _MARK)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def _after_options(all_places: Sequence[Place], given: str) -> Iterator[str]:
    """Yield the cases of bash and zsh for the word after an option: its values, as they are `given`, and files."""
    for place, option in ((each, option) for each in all_places for option in each.options):
        if (values := option.values) is not None:
            pattern = "|".join(f'"{place.path} {spelling}"' for spelling in option.spellings)
            files = "yes" if _MARK in values else ""
            yield f'        {pattern}) {given.format(_plain(values))}; files="{files}" ;;'


def _bash(all_places: Sequence[Place]) -> str:
    lines = [
        "_tower_sim() {",
        '    local here="" word words="" files="" options="" cur="${COMP_WORDS[COMP_CWORD]}"',
        '    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do',
        '        case "$here/$word" in',
        f'            {"|".join(place.path for place in all_places[1:])}) here="$here/$word" ;;',
        "        esac",
        "    done",
        '    case "$here ${COMP_WORDS[COMP_CWORD-1]}" in',
    ]
    lines += [*_after_options(all_places, 'words="{}"'), "        *)", '            case "$here" in']
    for place in all_places:
        spelt = " ".join(spelling for option in place.options for spelling in option.spellings)
        words, files = _plain(word for word, _ in place.words), "yes" if place.files else ""
        lines.append(f'                "{place.path}") words="{words}"; files="{files}"; options="{spelt}" ;;')
    lines += [
        "            esac",
        '            if [ "${cur:0:1}" = - ]; then words="$options"; fi ;;',
        "    esac",
        '    COMPREPLY=($(compgen -W "$words" -- "$cur") $([ -n "$files" ] && compgen -f -- "$cur"))',
        "}",
        f"complete -o filenames -F _tower_sim {PROGRAM}",
    ]
    return "\n".join(lines)


def _zsh(all_places: Sequence[Place]) -> str:
    lines = [
        f"#compdef {PROGRAM}",
        "_tower_sim() {",
        '    local here="" i files=""',
        "    local -a found",
        "    for (( i = 2; i < CURRENT; i++ )); do",
        '        case "$here/${words[i]}" in',
        f'            {"|".join(place.path for place in all_places[1:])}) here="$here/${{words[i]}}" ;;',
        "        esac",
        "    done",
        '    case "$here ${words[CURRENT-1]}" in',
    ]
    lines += [*_after_options(all_places, "found=({})"), "        *)", '            case "$here" in']
    for place in all_places:
        told = [(word, about) for word, about in place.words if word != _MARK]
        told += [(spelling, option.help) for option in place.options for spelling in option.spellings]
        every = " ".join(_quoted(f"{word}:{about}" if about else word) for word, about in told)
        lines.append(f'                "{place.path}") found=({every}); files="{"yes" if place.files else ""}" ;;')
    lines += [
        "            esac ;;",
        "    esac",
        "    [[ ${words[CURRENT]} = -* ]] || found=(${found:#-*})",
        "    (( $#found )) && _describe value found",
        '    [[ -n "$files" ]] && _files',
        "}",
        f"compdef _tower_sim {PROGRAM}",
    ]
    return "\n".join(lines)


def _fish(all_places: Sequence[Place]) -> str:
    lines = [
        "function __tower_sim_is",
        "    set -l here",
        "    for word in (commandline -opc)[2..-1]",
        '        switch "$here/$word"',
        f"            case {' '.join(place.path for place in all_places[1:])}",
        '                set here "$here/$word"',
        "        end",
        "    end",
        '    test "$here" = "$argv[1]"',
        "end",
        f"complete -c {PROGRAM} -f",
    ]
    for place in all_places:
        begin = f"complete -c {PROGRAM} -n \"__tower_sim_is '{place.path}'\""
        for word, about in place.words:
            if word == _MARK:
                lines.append(f"{begin} -F")
            else:
                lines.append(f"{begin} -a {_quoted(word)} -d {_quoted(about)}")
        for option in place.options:
            spelt = " ".join(f"-{'l' if s.startswith('--') else 's'} {s.lstrip('-')}" for s in option.spellings)
            value = "" if option.values is None else f" {'-r' if _MARK in option.values else '-x'}"
            value += f" -a {_quoted(_plain(option.values))}" if option.values and _plain(option.values) else ""
            value += " -F" if option.values and _MARK in option.values else ""
            lines.append(f"{begin} {spelt}{value} -d {_quoted(option.help)}")
    return "\n".join(lines)


_SHELLS = {
    "bash": (_bash, f'put eval "$({PROGRAM} completion bash)" into ~/.bashrc'),
    "zsh": (_zsh, f'put eval "$({PROGRAM} completion zsh)" into ~/.zshrc, after compinit'),
    "fish": (_fish, f"run {PROGRAM} completion fish > ~/.config/fish/completions/{PROGRAM}.fish"),
}

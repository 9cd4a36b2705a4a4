"""Write docs/commands.md, every command with its options, from the command line's own definition.

python -m calibration.validation.commands
"""

from collections import Counter
from typing import Any

from calibration.validation.script import ROOT, script
from tests.support.command_line import COMMANDS
from tower_sim.tools import write

PAGE = ROOT / "docs/commands.md"
HEAD = "# Commands\n\nEvery command with an example and its options. `tower-sim COMMAND --help` prints the same.\n"


def page() -> str:
    """Return the page; an option that is the same in three commands or more is explained once, at the end."""
    lines = {name: [_line(param) for param in command.params] for name, command in COMMANDS.items()}
    counts = Counter(line for of_command in lines.values() for line in of_command if line.startswith("- `--"))
    common = [line for line, count in counts.items() if count > 2]
    parts = [HEAD]
    for name, command in COMMANDS.items():
        parts += [f"## {name}\n\n{command.help}\n\n```sh\n{command.epilog}\n```\n"]
        parts += [line for line in lines[name] if line not in common]
        shared = ", ".join(f"`{line.split('`')[1].split()[0]}`" for line in lines[name] if line in common)
        parts += [f"- [As elsewhere](#options-of-several-commands): {shared}\n" if shared else ""]
    return "\n".join([*parts, "## Options of several commands", "", *common, ""])


def _line(param: Any) -> str:
    is_option = param.opts[0].startswith("-")
    spelt = ", ".join(param.opts) if is_option else param.metavar
    value = f" {param.metavar}" if is_option and param.metavar and not getattr(param, "is_flag", False) else ""
    default = param.default if isinstance(param.default, str | int) and param.default not in ("", False) else None
    return f"- `{spelt}{value}`: {param.help}" + (f" (default: {default})" if default is not None else "")


main = script(__doc__, lambda: write(PAGE, page(), "page"))

if __name__ == "__main__":
    raise SystemExit(main())

"""The tower's sampler as one file of Lua, PHP or Java, with a table put in.

    document of a table --text--> FILE.lua, FILE.php, CubeTower.java

docs/surrogate_portable.md says what each does. The files in lua/, php/ and java/ run as they stand but for the line of
the model, in whose place the table is written.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any, cast

from tower_sim.errors import fault

FORMATS = ("lua", "php", "java")
FIELDS = (
    "arriving_thrown",
    "arriving_lying",
    "arriving_fresh",
    "arriving_effect",
    "pushed",
    "lying_thrown",
    "lying_lying",
    "lying_effect",
    "age",
    "crowd",
)
_HEAD = ("schema", "version", "apparatus", "apparatus_digest", "model", "generator")
_FILES = {"lua": "lua/tower.lua", "php": "php/CubeTower.php", "java": "java/CubeTower.java"}
_MARKERS = {"lua": "local MODEL = nil\n", "php": "    public const MODEL = null;\n", "java": "    // the table\n"}
_WIDTH = 100


def text(to: str, document: Mapping[str, Any], output: Path) -> str:
    """Return the file in the language `to`, one of FORMATS, that samples from the document of a tower's table.

    Raises UsageError for a document without a table, as a ship's board has, and for a Java file of another name than
    its class.
    """
    if "table" not in document:
        allowed = "a tower, which is a table of whole numbers"
        raise fault(f"what to export to {to}", document["apparatus"], allowed, "export a board to js or json")
    if to == "java" and output.name != "CubeTower.java":
        raise fault("output", str(output), "a file called CubeTower.java, after its class", "give it that name")
    sampler = (resources.files("tower_sim.clients") / _FILES[to]).read_text("utf-8")
    before, after = sampler.split(_MARKERS[to])
    return before + _WRITERS[to](document) + after


def _lua(document: Mapping[str, Any]) -> str:
    return f"local MODEL = {_nested(_flattened(document), _Marks('{', '}', '{}', ' = ', _lua_word))}\n"


def _php(document: Mapping[str, Any]) -> str:
    marks = _Marks("[", "]", "'{}'", " => ", _php_word)
    return f"    public const MODEL = {_nested(_flattened(document), marks)};\n"


def _flattened(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the head and the table of a document side by side."""
    return {key: document[key] for key in _HEAD} | dict(document["table"])


class _Marks:
    """How a language writes tables: what opens and closes them, a key, what stands behind it, and a word."""

    def __init__(self, opened: str, closed: str, key: str, then: str, word: Callable[[str], str]) -> None:
        self.opened, self.closed, self.key, self.then, self.word = opened, closed, key, then, word


def _nested(value: Any, marks: _Marks) -> str:
    if isinstance(value, str):
        return marks.word(value)
    if isinstance(value, int):
        return str(value)
    if isinstance(value, Mapping):
        table = cast("Mapping[str, Any]", value)
        inner = [f"{marks.key.format(key)}{marks.then}{_nested(entry, marks)}" for key, entry in table.items()]
    else:
        entries = cast("Sequence[Any]", value)
        if all(isinstance(entry, int) for entry in entries):
            return f"{marks.opened}\n{_wrapped(entries, ', ')}\n{marks.closed}"
        inner = [_nested(entry, marks) for entry in entries]
    return f"{marks.opened}\n" + "".join(f"{each},\n" for each in inner) + marks.closed


def _wrapped(numbers: Iterable[int], between: str) -> str:
    """Return numbers on lines that are not too long."""
    return textwrap.fill(between.join(map(str, numbers)), _WIDTH, break_long_words=False, break_on_hyphens=False)


def _lua_word(word: str) -> str:
    return '"' + re.sub(r'[\x00-\x1f\x7f"\\]', lambda found: f"\\{ord(found[0]):03d}", word) + '"'


def _php_word(word: str) -> str:
    return "'" + re.sub(r"(['\\])", r"\\\1", word) + "'"


def _java(document: Mapping[str, Any]) -> str:
    """Return the members of the class that hold the table: numbers as text, which the class reads when it is loaded."""
    table = document["table"]
    words = ", ".join(map(_java_word, table["regions"]))
    named = "".join(
        f"    public static final String {key.upper()} = {_java_word(str(document[key]))};\n" for key in _HEAD
    )
    floors = ",\n".join(
        "        new Floor(\n" + ",\n".join(_java_entry(floor[name], name) for name in FIELDS) + ")"
        for floor in table["floors"]
    )
    return (
        f"{named}"
        "    public static final List<String> REGIONS =\n"
        f"        Collections.unmodifiableList(Arrays.asList({words}));\n"
        f"    private static final int CROWD_FROM = {table['crowd_from']};\n"
        f"    private static final int FRESH_TO = {table['fresh_to']};\n"
        f"    private static final Floor[] FLOORS = {{\n{floors}\n    }};\n"
        f"    private static final long[] THRESHOLDS = {_java_numbers(table['thresholds'])};\n"
    )


def _java_entry(value: Any, name: str) -> str:
    if isinstance(value, int):
        return f"            {value} /* {name} */"
    entries = cast("Sequence[Any]", value)
    if isinstance(entries[0], int):
        return f"            /* {name} */ {_java_numbers(entries)}"
    rows = ",\n".join(f"                {_java_numbers(row)}" for row in entries)
    return f"            /* {name} */ new long[][] {{\n{rows}}}"


def _java_numbers(numbers: Iterable[int]) -> str:
    lines = _wrapped(numbers, " ").splitlines()
    return "numbers(" + ", ".join(f'\n                "{line}"' for line in lines) + ")"


def _java_word(word: str) -> str:
    """Return a literal in plain ASCII, whatever encoding the compiler reads."""
    plain = re.sub(r'[\x00-\x1f\x7f"\\]', lambda found: f"\\{ord(found[0]):03o}", word)
    units = plain.encode("utf-16-be", "surrogatepass")
    pairs = (int.from_bytes(units[i : i + 2], "big") for i in range(0, len(units), 2))
    return '"' + "".join(chr(unit) if unit < 128 else f"\\u{unit:04x}" for unit in pairs) + '"'


_WRITERS = {"lua": _lua, "php": _php, "java": _java}

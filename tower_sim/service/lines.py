"""Read a JSON line and write its answer as a line, in order, for any line."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO, ClassVar, cast, get_type_hints

from tower_sim.apparatus import names
from tower_sim.documents import Here, Refusal, answers, read
from tower_sim.errors import UsageError, fault, near
from tower_sim.models import MODELS
from tower_sim.physics import accuracies
from tower_sim.requests import FILES, AnyRequest, Odds, Play, Request, Throw, games
from tower_sim.requests import request as requests
from tower_sim.service import limits
from tower_sim.service.cache import ModelCache
from tower_sim.service.codes import BODY_TOO_LARGE, INTERNAL, NOT_JSON, describe
from tower_sim.tools import TOWER_SIM, check_bounds, one_line, refuse_constant, registry, warn

MAX_LINE = 2**20
_EXAMPLE = 'try {"do": "drop", "cubes": {"blue": 4}}'
_QUOTED = 1_000  # bytes at either end of a line that is no JSON, of which an error quotes some
_HEAD, _TAIL = 400, 200  # characters kept of a long error line: what was received may be long, advice is at the end


class Hello(Request):
    """Asks what the service has."""

    do: ClassVar[str] = "hello"


LINES: dict[str, type[Hello | AnyRequest]] = {kind.do: kind for kind in (Hello, Throw, Play, Odds)}
"""The kinds of request in JSON lines, by the value of the field `do`."""


def serve(lines: BinaryIO, replies: BinaryIO, models: ModelCache) -> None:
    """Answer each line that is not blank with one line on `replies`, until the input ends.

    A line is a JSON object in UTF-8 of at most `MAX_LINE` bytes. Each answer is flushed before the next line is read. A
    defect of the service also prints a line on standard error. Raises BrokenPipeError when the reader has gone.
    """
    for line in _lines(lines):
        if line is None or line.strip():
            replies.write(_reply(line, models).encode() + b"\n")
            replies.flush()


def read_request(fields: Mapping[str, Any]) -> Hello | AnyRequest:
    """Return the checked request of a line; a field that is null counts as left out."""
    do = fields.get("do")
    if not isinstance(do, str) or do not in LINES:
        hint = near(do, LINES) if isinstance(do, str) else ""
        advice = f'write {{"do": "drop", "cubes": {{"blue": 4}}}}{hint}'
        raise fault("do", do, f"one of {', '.join(LINES)}", advice)
    kind, own = LINES[do], ("id", "do")
    values = {key: value for key, value in fields.items() if not (value is None and key in kind.model_fields)}
    request = read(kind, {key: value for key, value in values.items() if key not in own}, "", FILES, own)
    if not isinstance(request, Hello):
        limits.check(request)
    return request


def answer(request: Hello | AnyRequest, models: ModelCache) -> Mapping[str, Any]:
    """Answer a checked request. Random from its seed. Raises TooManyFailedDraws."""
    return here() if isinstance(request, Hello) else requests.answer(request, *models.get(request))


def here() -> Here:
    """Return what the service offers."""
    kinds = [answers.ThrowAnswer, answers.ChancesAnswer, *(kind for game in games() for kind in game.ways.types())]
    hints = [get_type_hints(kind) for kind in kinds]
    return {
        "schema": "tower-sim/service",
        "version": 3,
        "tower_sim": TOWER_SIM,
        "do": list(LINES),
        "models": list(MODELS),
        "apparatus": names(),
        "games": [game.name for game in games()],
        "engines": {name: list(accuracies(name)) for name in registry.names("engine")},
        "documents": {hint["schema"].__args__[0]: hint["version"].__args__[0] for hint in hints},
    }


def _lines(source: BinaryIO) -> Iterator[bytes | None]:
    while line := source.readline(MAX_LINE + 1):
        if len(line) <= MAX_LINE:
            yield line
            continue
        while line and not line.endswith(b"\n"):
            line = source.readline(MAX_LINE)
        yield None


def _reply(line: bytes | None, models: ModelCache) -> str:
    name: object = None
    reply: Mapping[str, Any]
    try:
        if line is None:
            advice = "start again without a state; it grows with every drop"
            raise fault("line", "too long", f"up to {MAX_LINE} bytes", advice, BODY_TOO_LARGE)
        request = read_object(line, "line", "a JSON object in UTF-8 on one line", _EXAMPLE)
        name = request.get("id")
        reply = answer(read_request(request), models)
    except Exception as error:
        code, text, path = describe(error)
        text = one_line(text, _HEAD, _TAIL)
        if code == INTERNAL:
            models.close()  # a model in which something broke is not asked again
            warn(text)
        reply = cast("Refusal", {"schema": "tower-sim/error", "version": 1, "error": text, "code": code, "path": path})
    return json.dumps({"id": name, **reply}, allow_nan=False)


def read_object(line: bytes, what: str, allowed: str, example: str) -> dict[str, Any]:
    """Return the JSON object in `line`; errors call it `what` and quote `allowed` and `example`.

    NaN, infinity, repeated keys and lone surrogates are refused, so that every value can be sent back.
    """
    try:
        text = line.decode()
        value: object = _DECODER.decode(text)
        check_bounds(value, what)
        if "\\u" in text:  # a lone surrogate, which only an escape can write, is not text
            json.dumps(value, ensure_ascii=False).encode()
    except UsageError as error:
        error.code = NOT_JSON
        raise
    except (ValueError, RecursionError) as error:
        ends = line if len(line) <= 2 * _QUOTED else line[:_QUOTED] + line[-_QUOTED:]
        text = ends.decode(errors="replace").strip()
        advice = f"{example} ({one_line(str(error), _HEAD, _TAIL)})"
        raise fault(what, text, allowed, advice, NOT_JSON) from error
    if not isinstance(value, dict):
        raise fault(what, value, "a JSON object", example, NOT_JSON)
    return cast("dict[str, Any]", value)


def _read_float(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise ValueError(f"{text} is too large")
    return value


def _read_pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) < len(pairs):
        raise ValueError("a key is written twice")
    return table


_DECODER = json.JSONDecoder(parse_constant=refuse_constant, parse_float=_read_float, object_pairs_hook=_read_pairs)

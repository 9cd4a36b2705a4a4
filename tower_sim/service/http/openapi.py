"""The OpenAPI 3.1 document: what can be asked, what is answered, with examples; made from what the readers allow."""

from __future__ import annotations

from typing import Any

from tower_sim import outcome, registry
from tower_sim.apparatus.catalogue import names
from tower_sim.cubes import MAX_CUBES
from tower_sim.games.ways import MAX_WORD, MAX_WORDS
from tower_sim.models import MODELS
from tower_sim.physics.settings import accuracies
from tower_sim.requests import first_game
from tower_sim.service.http import draws, jobs, keys, rounds, towers
from tower_sim.service.http.problems import MEDIA, STATUS
from tower_sim.service.parsing import MAX_GAMES
from tower_sim.service.verifiable.draws import LEAST_WORDS, MOST_WORDS
from tower_sim.state import MAX_SEED
from tower_sim.version import TOWER_SIM

Schema = dict[str, Any]
_ID = "X2WFOWCkRgSM5X9JCcIMVA"
_KEY = '"8e03978e-40d5-43e8-bc93-6894a57f9324"'
_COUNTS = {"type": "object", "additionalProperties": {"type": "integer", "minimum": 0}}
_STATE = "TOWER3.eNqF..."
_MADE, _SAME = "$response.body#/id", "$request.path.id"  # the identifier of what was made, that which was asked with
_ROUND = ("post words", "post drops", "post reveal", "get log", "get")
_TOWER = ("post drops", "get drops", "post forks", "get", "delete")
_LEADS = (  # operation, status, what it leads to: an identifier, the path that has it, the methods there
    ("post /v1/drops", 201, _MADE, "/v1/drops/{id}", ("get",)),
    ("post /v1/games", 201, _MADE, "/v1/games/{id}", ("get",)),
    ("post /v1/battles", 201, _MADE, "/v1/battles/{id}", ("get",)),
    ("post /v1/games", 202, _MADE, "/v1/jobs/{id}", ("get", "get events", "delete")),
    ("post /v1/battles", 202, _MADE, "/v1/jobs/{id}", ("get", "get events", "delete")),
    ("post /v1/towers", 201, _MADE, "/v1/towers/{id}", _TOWER),
    ("post /v1/towers/{id}/forks", 201, _MADE, "/v1/towers/{id}", _TOWER),
    ("post /v1/towers/{id}/drops", 201, _MADE, "/v1/drops/{id}", ("get",)),
    ("post /v1/towers/{id}/drops", 201, _SAME, "/v1/towers/{id}", _TOWER),
    ("post /v1/rounds", 201, _MADE, "/v1/rounds/{id}", _ROUND),
    ("post /v1/rounds/{id}/words", 201, _SAME, "/v1/rounds/{id}", _ROUND),
    *(
        link
        for drawn in ("drops", "games", "battles")
        for link in (
            (f"post /v1/rounds/{{id}}/{drawn}", 201, _MADE, f"/v1/{drawn}/{{id}}", ("get",)),
            (f"post /v1/rounds/{{id}}/{drawn}", 201, _SAME, "/v1/rounds/{id}", _ROUND),
        )
    ),
    ("post /v1/rounds/{id}/reveal", 201, _SAME, "/v1/rounds/{id}", _ROUND),
)
_TEXT = {"description": "Text.", "content": {"text/plain": {"schema": {"type": "string"}}}}
_LINES = {"description": "Lines of JSON.", "content": {rounds.LINES: {"schema": {"type": "string"}}}}
_EVENT = {"event": {"enum": ["progress", "done", "failed"]}, "data": {"type": "string"}}
_EVENTS = {
    "description": "Server-sent events, each with the job as its data.",
    "content": {"text/event-stream": {"schema": {"type": "object", "properties": _EVENT}}},
}
_OPERATIONS: tuple[tuple[Any, ...], ...] = (  # method and path, name, in plain words, answer, body, a problem
    ("get /healthz", "checkHealth", "Whether it answers", "Health", ""),
    ("get /metrics", "getMetrics", "Counts and times, for Prometheus", _TEXT, ""),
    ("get /openapi.json", "describe", "This document", "Described", ""),
    ("post /v1/drops", "createDrop", "Throw", "Drop", "DropAsked"),
    ("get /v1/drops/{id}", "getDrop", "Get a drop again", "Drop", ""),
    ("post /v1/games", "createGame", "Play a game, or many", "Document", "GameAsked"),
    ("get /v1/games/{id}", "getGame", "Get a game again", "Document", ""),
    ("post /v1/battles", "createBattle", "Fight a battle, or many", "Document", "BattleAsked"),
    ("get /v1/battles/{id}", "getBattle", "Get a battle again", "Document", ""),
    ("post /v1/towers", "createTower", "Make a tower that is kept", "Tower", "TowerAsked"),
    ("get /v1/towers/{id}", "getTower", "Tell how a tower stands", "Tower", ""),
    ("delete /v1/towers/{id}", "deleteTower", "Forget a tower", "It is forgotten.", ""),
    ("post /v1/towers/{id}/drops", "throwIntoTower", "Throw into a tower", "Drop", "TowerDropAsked"),
    ("get /v1/towers/{id}/drops", "listTowerDrops", "Tell the drops of a tower", "History", "", 400),
    (
        "post /v1/towers/{id}/forks",
        "forkTower",
        "Make another tower of what this one is, or was after a drop",
        "Tower",
        "ForkAsked",
    ),
    ("post /v1/rounds", "createRound", "Open a round of verifiable draws", "Round", "RoundAsked"),
    ("get /v1/rounds/{id}", "getRound", "Tell how a round stands", "Round", ""),
    ("post /v1/rounds/{id}/words", "addWords", "Add the player's words to a round", "Round", "WordsAsked"),
    (
        "post /v1/rounds/{id}/drops",
        "createRoundDrop",
        "Throw with the next seed of a round",
        "RoundDrop",
        "RoundDropAsked",
    ),
    (
        "post /v1/rounds/{id}/games",
        "createRoundGame",
        "Play with the next seed of a round",
        "RoundDocument",
        "RoundGameAsked",
    ),
    (
        "post /v1/rounds/{id}/battles",
        "createRoundBattle",
        "Fight with the next seed of a round",
        "RoundDocument",
        "RoundBattleAsked",
    ),
    ("post /v1/rounds/{id}/reveal", "revealRound", "End a round: its secret is shown", "Round", "RevealAsked"),
    ("get /v1/rounds/{id}/log", "getRoundLog", "Get the log of a round, for tower-sim verify", _LINES, ""),
    ("get /v1/keys", "getKeys", "Tell the key that signs logs", "Keys", ""),
    ("get /v1/jobs/{id}", "getJob", "Tell how far a job is", "Job", "", 410),
    ("delete /v1/jobs/{id}", "cancelJob", "Cancel a job", "It is over.", "", 410),
    ("get /v1/jobs/{id}/events", "followJob", "Follow a job: progress, then done or failed", _EVENTS, "", 410),
)


def document() -> Schema:
    """Return the document."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "tower_sim",
            "version": TOWER_SIM,
            "description": "Drops of cube towers, games and battles. docs/http.md says it in plain words.",
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": "/"}],
        "paths": _linked(_paths()),
        "components": {
            "schemas": _schemas(),
            "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{}, {"bearer": []}],
        "x-problems": {code: {"status": status, "title": title} for code, (status, title) in STATUS.items()},
    }


def _paths() -> Schema:
    """Return the operations of each path, by method."""
    paths: Schema = {}
    for operation, name, summary, answer, asked, *more in _OPERATIONS:
        method, path = operation.split()
        schema = {"type": "string", "pattern": "^[A-Za-z0-9_-]{22}$"}
        named = {"name": "id", "in": "path", "required": True, "schema": schema, "example": _ID}
        paths.setdefault(path, {"parameters": [named]} if "{id}" in path else {})
        said = _asks(path, answer, asked) if asked else _got(path, answer, is_end=method == "delete")
        said["responses"] |= _problems(401, 421, 429, 431, 500, 503)
        said["responses"] |= _problems(404) if asked and _is_keyed(path) else _problems(*more)
        paths[path][method] = {"operationId": name, "summary": summary, **said}
    paths["/v1/towers/{id}/drops"]["get"]["parameters"] = [_query("from", 0, 0), _query("limit", 100, 1)]
    for path in ("/healthz", "/openapi.json"):
        paths[path]["get"]["security"] = []
    return paths


def _linked(paths: Schema) -> Schema:
    """Return the paths with the links from what is answered to what can then be asked."""
    for operation, status, source, path, ways in _LEADS:
        method, asked = operation.split()
        links = paths[asked][method]["responses"][str(status)].setdefault("links", {})
        for way in ways:
            then, _, below = way.partition(" ")
            whole = f"{path}/{below}" if below else path
            assert then in paths[whole], whole
            name = ".".join([then, *(part for part in whole.split("/")[2:] if part != "{id}")])
            target = whole.replace("/", "~1").replace("{", "%7B").replace("}", "%7D")
            links[name] = {"operationRef": f"#/paths/{target}/{then}", "parameters": {"id": source}}
    return paths


def _is_keyed(path: str) -> bool:
    """Say whether what is asked there needs an Idempotency-Key."""
    return path.startswith(("/v1/towers", "/v1/rounds"))


def _asks(path: str, answer: str, asked: str) -> Schema:
    """Return what an operation takes and answers whose body is `asked`."""
    parameters = [_key_header(needed=_is_keyed(path))]
    said = {"201": _answered(answer, located=True), **_problems(400, 408, 409, 413, 415, 422)}
    if path in ("/v1/games", "/v1/battles"):
        told = "respond-async: answer with a job"
        prefer = {"type": "string", "examples": ["respond-async"]}
        parameters.append({"name": "Prefer", "in": "header", "schema": prefer, "description": told})
        said["202"] = _answered("Job", located=True) | {"description": "A job was begun."}
    content = {"application/json": {**_json(asked)["application/json"], "example": _example(asked)}}
    return {"parameters": parameters, "requestBody": {"required": True, "content": content}, "responses": said}


def _example(asked: str) -> Schema:
    game, model = first_game(), {"model": "surrogate"}
    return {
        "DropAsked": {"cubes": {"blue": 4}, **model, "seed": "7"},
        "GameAsked": {"game": game.name, **model},
        "BattleAsked": {"cubes": {"purple": 4, "green": 3}, **model},
        "TowerAsked": {"apparatus": game.apparatus, **model},
        "TowerDropAsked": {"cubes": {"blue": 4}},
        "ForkAsked": {"after": 0},
        "WordsAsked": {"words": "seven green tomatoes"},
        "RoundDropAsked": {"cubes": {"blue": 4}, **model},
        "RoundGameAsked": model,
        "RoundBattleAsked": {"cubes": {"purple": 4, "green": 3}, **model},
    }.get(asked, {})


def _got(path: str, answer: str | Schema, *, is_end: bool) -> Schema:
    """Return what an operation without a body answers: a document, what is no JSON, or that something is over."""
    said = answer if isinstance(answer, dict) else {"description": answer} if is_end else _answered(answer)
    return {"responses": {"204" if is_end else "200": said} | (_problems(404) if "{id}" in path else {})}


def _key_header(*, needed: bool) -> Schema:
    pattern = f'^(?:[!#-~]{{{keys.LEAST},{keys.MOST}}}|"[!#-~]{{{keys.LEAST},{keys.MOST}}}")$'
    schema = {"type": "string", "pattern": pattern}
    told = f"a new one for each request, as {_KEY}; what is sent again with it is answered as before"
    return {"name": "Idempotency-Key", "in": "header", "required": needed, "schema": schema,
            "description": told}  # fmt: skip


def _query(name: str, default: int, least: int) -> Schema:
    schema = {"type": "integer", "minimum": least, "maximum": towers.MAX_DROPS, "default": default}
    return {"name": name, "in": "query", "schema": schema}


def _answered(answer: str, *, located: bool = False) -> Schema:
    said: Schema = {"description": "The answer.", "content": _json(answer)}
    if located:
        said["headers"] = {"Location": {"schema": {"type": "string"}, "description": "where it can be got again"}}
    return said


def _json(name: str) -> Schema:
    return {"application/json": {"schema": {"$ref": f"#/components/schemas/{name}"}}}


def _problems(*statuses: int) -> Schema:
    found: Schema = {}
    for status in statuses:
        titles = [f"{code}: {title}" for code, (of, title) in STATUS.items() if of == status]
        problem = {"schema": {"$ref": "#/components/schemas/Problem"}}
        found[str(status)] = {"description": " ".join(titles), "content": {MEDIA: problem}}
    return found


def _schemas() -> Schema:
    digits = f"^[0-9]{{1,{len(str(MAX_SEED))}}}$"
    seed = _or_null({"type": ["string", "integer"], "pattern": digits, "minimum": 0, "maximum": MAX_SEED})
    model = {"enum": [*MODELS, None], "description": "default: physics"}
    engine = {"enum": [*registry.names("engine"), None], "description": "of the model physics"}
    fine = dict.fromkeys(name for engine in registry.names("engine") for name in accuracies(engine))
    accuracy = {"enum": [*fine, None], "description": "of that engine"}
    count = {"type": "integer", "minimum": 0, "maximum": MAX_CUBES}
    word = {"type": "string", "minLength": 1, "maxLength": MAX_WORD}
    cubes = {"type": "object", "additionalProperties": count, "maxProperties": MAX_WORDS, "propertyNames": word,
             "description": f"how many of each colour, up to {MAX_CUBES} in all"}  # fmt: skip
    knock = _or_null({"type": "number", "description": "a knock on the table first, its peak acceleration in g"})
    apparatus = {"enum": [*names(), None], "description": "a profile that ships"}
    state = _or_null({"type": "string", "description": "the state of an earlier answer", "example": _STATE})
    common = {"seed": seed, "model": model, "engine": engine, "accuracy": accuracy}
    rules = {
        "type": ["object", "string", "null"],
        "description": "the keys of a rules file, or the name of one that ships",
    }
    games = _or_null({"type": "integer", "minimum": 1, "maximum": MAX_GAMES})
    waited = _or_null({"type": "integer", "minimum": 1, "maximum": draws.MAX_WAITED})
    named = {"apparatus": apparatus, "model": model, "engine": engine, "accuracy": accuracy}
    made = {**named, "state": state}
    dropped = {"cubes": _or_null(cubes), "knock": knock, "seed": seed}
    words = {"type": "string", "minLength": LEAST_WORDS, "maxLength": MOST_WORDS, "description": "printable characters"}
    own: dict[str, Schema] = {"rounds": _or_null({"type": "integer"}), "knocks": _or_null({"type": "object"})}
    game = {"enum": [*registry.names("game"), None], "description": f"default: {first_game().name}"}
    fought: Schema = {key: _or_null({"type": kind}) for key, kind in (
        ("kind", "string"), ("active", "string"), ("sides", "object"), ("provoked", "boolean"), ("abilities", "object"),
        ("rulings", "object"))}  # fmt: skip
    return {
        "DropAsked": _object({"apparatus": apparatus, **dropped, "state": state, **common}),
        "GameAsked": _object({"game": game, "apparatus": apparatus, "rules": rules, "games": games, **own, **common}),
        "BattleAsked": _object({"cubes": cubes, "apparatus": apparatus, "games": games, **fought, **common}, "cubes"),
        "TowerAsked": _object(made),
        "TowerDropAsked": _object(dropped),
        "RoundAsked": _object({}),
        "RevealAsked": _object({}),
        "WordsAsked": _object({"words": words}, "words"),
        "RoundDropAsked": _object({**made, "cubes": _or_null(cubes), "knock": knock}),
        "RoundGameAsked": _object({"game": game, "rules": rules, "games": waited, **own, **named}),
        "RoundBattleAsked": _object({"cubes": cubes, "games": waited, **fought, **named}, "cubes"),
        "ForkAsked": _object({"after": _or_null({"type": "integer", "minimum": 0})}),
        **_answers(),
    }


def _answers() -> dict[str, Schema]:
    text, whole, counts = {"type": "string"}, {"type": "integer"}, _COUNTS
    landing = _object({"cube": whole, "colour": text, "place": text}, "cube", "colour", "place")
    drop = {"id": text, "tower": text, "number": whole, "schema": {"const": outcome.SCHEMA}, "version": whole,
            "seed": text, "model": text, "apparatus": text,
            "status": {"enum": ["settled", "jammed"]}, "attempts": whole,
            "thrown": counts, "emerged": counts, "inside": counts, "knocked_out": counts,
            "extrapolated": {"type": "boolean"}, "landings": {"type": "array", "items": landing},
            "state": text}  # fmt: skip
    tower = {"id": text, "schema": {"const": towers.SCHEMA}, "version": whole, "apparatus": text, "model": text,
             "engine": _or_null(text), "accuracy": _or_null(text), "drops": whole, "inside": counts,
             "state": _or_null(text)}  # fmt: skip
    told = {key: drop[key] for key in ("id", "number", "seed", "status", "thrown", "emerged", "inside", "knocked_out")}
    history = {"tower": text, "schema": {"const": towers.HISTORY}, "version": whole, "of": whole,
               "drops": {"type": "array", "items": _object(told, *told)}}  # fmt: skip
    job = {"id": text, "schema": {"const": jobs.SCHEMA}, "version": whole,
           "status": {"enum": ["queued", "running", "done", "failed"]}, "done": whole, "of": whole,
           "location": _or_null(text), "problem": {"type": ["object", "null"]}}  # fmt: skip
    problem = {
        "type": text,
        "title": text,
        "status": whole,
        "detail": text,
        "code": {"enum": list(STATUS)},
        "path": text,
    }
    own = {"id": text, "schema": text, "version": whole}
    one_round = {"id": text, "schema": {"const": rounds.SCHEMA}, "version": whole, "round": text, "commitment": text,
                 "key": text, "words": _or_null(text), "draws": whole, "secret": _or_null(text), "line": whole,
                 "hash": text}  # fmt: skip
    link = _object({"old": text, "new": text, "signature": text}, "old", "new", "signature")
    signing = {"schema": {"const": rounds.KEYS}, "version": whole, "key": text,
               "succession": {"type": "array", "items": link}}  # fmt: skip
    alone = {key: value for key, value in drop.items() if key not in ("tower", "number")}
    in_round = {"round": text, "index": whole, "line": whole, "hash": text}
    return {
        "Drop": _object(drop | in_round, *alone),
        "Document": {"type": "object", "properties": own, "required": list(own)},
        "Tower": _object(tower, *tower),
        "Round": _object(one_round, *one_round),
        "RoundDocument": {"type": "object", "properties": own | in_round, "required": [*own, *in_round]},
        "RoundDrop": _object(alone | in_round, *alone, *in_round),
        "Keys": _object(signing, *signing),
        "History": _object(history, *history),
        "Job": _object(job, *job),
        "Health": _object({"status": {"const": "ok"}}, "status"),
        "Described": {"type": "object"},
        "Problem": _object(problem, *(key for key in problem if key != "path")),
    }


def _object(properties: Schema, *required: str) -> Schema:
    said: Schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return said | {"required": list(required)} if required else said


def _or_null(schema: Schema) -> Schema:
    kind = schema["type"]
    return schema | {"type": [*([kind] if isinstance(kind, str) else kind), "null"]}

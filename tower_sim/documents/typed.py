"""Typed documents: one definition makes the check, the error message and the reference page.

A table of a document is a pydantic model. A key may name its unit: `edge_mm` is read into `edge`, in metres.
"""

from __future__ import annotations

import math
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import wraps
from typing import Annotated, Any, Literal, TypeVar, Union, cast, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, ValidationError, ValidationInfo, field_validator
from pydantic.fields import FieldInfo

from tower_sim.errors import UsageError, check_table, fault, near, plain, quote

M = TypeVar("M", bound=BaseModel)
T = TypeVar("T")

# unit that a key ends in -> factor to SI
_UNITS = {"mm": 1e-3, "deg": math.pi / 180, "kg_m3": 1.0, "m_s": 1.0, "rad_s": 1.0, "per_s": 1.0}


class Document(BaseModel, frozen=True):
    """An immutable table of a document, made with `read`.

        class Tube(Document, frozen=True):
            inside: float = number("inside_mm", 20, 200, "The clear width from wall to wall.")
            sides: int = Field(ge=4, le=24, description="The number of walls.")

    Text is not converted into numbers, and unknown keys are refused.
    """

    model_config = ConfigDict(defer_build=True, extra="forbid", strict=True, validate_default=True, allow_inf_nan=False)

    @field_validator("*", mode="after")
    @classmethod
    def _to_si(cls, value: Any, info: ValidationInfo) -> Any:
        unit = find_unit(str(info.field_name), cls.model_fields[str(info.field_name)])
        return value * _UNITS[unit] if unit and value is not None else value


def number(key: str, low: float, high: float, sentence: str, default: float | None = ...) -> Any:  # type: ignore[assignment]
    """Declare a number that documents write as `key` (its name and unit) and that is stored in SI.

    `low`, `high` and `default` are in the key's unit. A number without a default is required.
    """
    return Field(default, alias=key, ge=low, le=high, description=sentence)


def find_unit(name: str, field: FieldInfo) -> str:
    """Return the unit at the end of a field's key, or ""."""
    return (field.alias or name).removeprefix(name).removeprefix("_")


def read(
    kind: type[M], table: object, where: str = "", context: Mapping[str, Any] | None = None, known: Sequence[str] = ()
) -> M:
    """Return the document of a table, called `where` in errors ("" for a whole file).

    `known` are further keys that the caller reads itself.
    """
    values = check_table(where or "the file", table)
    try:
        return kind.model_validate(dict(values), context=context)
    except ValidationError as error:
        raise mistake(kind.model_fields, error.errors(include_url=False), values, where, known) from None


def raise_usage_errors(where: str) -> Callable[[type[T]], type[T]]:
    """Return a decorator for a pydantic dataclass: its errors become UsageError, which calls it `where`."""

    def decorate(kind: type[T]) -> type[T]:
        check = cast("Any", kind).__init__

        @wraps(check)
        def init(self: Any, /, **values: Any) -> None:
            values = plain(values)
            try:
                check(self, **values)
            except ValidationError as error:
                fields = cast("Any", kind).__pydantic_fields__
                raise mistake(fields, error.errors(include_url=False), values, where) from None

        cast("Any", kind).__init__ = init
        return kind

    return decorate


def mistake(
    fields: Mapping[str, FieldInfo],
    errors: Sequence[Mapping[str, Any]],
    values: Mapping[str, Any],
    where: str = "",
    known: Sequence[str] = (),
) -> UsageError:
    """Return pydantic's first error as a UsageError; an unknown key comes first, because it explains others.

    `fields` are those of the table `values`, called `where`. `known` are further allowed keys.
    """
    first = next((each for each in errors if each["type"] == "extra_forbidden"), errors[0])
    is_key = first["loc"][-1:] == ("[key]",)  # the last step but one is then the key itself
    steps = first["loc"][:-2] if is_key else first["loc"]
    cause: object = first.get("ctx", {}).get("error")
    if isinstance(cause, UsageError):
        cause.what = cause.what or ".".join(map(_format_step, steps))
        return _within(cause, where, first["loc"])
    path, field, kind, value = where, None, None, cast("Any", values)
    for step in steps:
        inner = _model_in(kind)
        if field is not None and inner is None:
            items = _items(kind, value)
            if str(step) not in items:
                break  # what is in a list of plain values is shown whole
            path, (kind, value) = f"{path}.{_format_step(step)}", items[str(step)]
            continue
        if isinstance(step, int):
            path, value, kind = f"{path}[{step}]", value[step], inner
            continue
        fields = inner.model_fields if inner else fields
        keys = {other.alias or name: other for name, other in fields.items()}
        field = keys.get(step)
        if field is None:
            return unknown_key(step, (*known, *keys), path) if step in value else UsageError(first["msg"], path)
        path, value, kind = f"{path}.{step}" if path else step, value.get(step, field.get_default()), field.annotation
    if field is None:
        return UsageError(first["msg"].removeprefix("Value error, "), path)
    if is_key:
        error = fault(
            f"a word in {path}", first["loc"][-2], f"{_describe_kind(get_args(_bare(kind))[0])} that can be printed"
        )
        error.what = path
        return error
    is_item = kind is not field.annotation
    text = _describe_kind(kind) if is_item else describe_allowed(field)
    if first["type"] == "missing":
        add = f"[{path}]" if text == "a table" else "the key"
        return UsageError(f"{path} is missing; allowed is {text}; add {add}", path)
    if first["type"] == "value_error" and not _words(field):
        return UsageError(f"{path}: {first['msg'].removeprefix('Value error, ')}", path)
    advice = "change it" if field.is_required() else "change it or leave it out"
    words = get_args(kind) if get_origin(kind) is Literal else ()
    return fault(path, value, text, advice + (near(value, words) if isinstance(value, str) else ""))


def unknown_key(key: str, known: Iterable[str], where: str) -> UsageError:
    """Return the error for a key that is not `known`."""
    known = list(known)
    path = f"{where}.{_format_step(key)}" if where else _format_step(key)
    text = f"{path} is unknown; allowed are {', '.join(known) or 'none'}; correct or remove it{near(key, known)}"
    return UsageError(text, path, "field.unknown")


def refuse_unknown(values: Mapping[str, object], known: Mapping[str, object], where: str) -> None:
    """Check that `values` is a table with `known` keys."""
    for key in check_table(where, values):
        if key not in known:
            raise unknown_key(key, known, where)


def _format_step(step: object) -> str:
    name = str(step)
    return name if len(name) <= 40 and name.isprintable() else quote(step, 40)


def _within(error: UsageError, where: str, place: tuple[int | str, ...]) -> UsageError:
    short, full = (".".join(map(str, (where, *steps))) for steps in (place[:1], place))
    if not str(error).startswith(f"{short}."):
        return error
    return UsageError(str(error).replace(short, full, 1), error.what.replace(short, full, 1), error.code)


def _items(kind: Any, value: Any) -> dict[str, tuple[Any, Any]]:
    own = _bare(kind)
    if get_origin(own) is not dict or not isinstance(value, Mapping):
        return {}
    return {str(key): (get_args(own)[1], of) for key, of in cast("Mapping[Any, Any]", value).items()}


def _bare(kind: Any) -> Any:
    if get_origin(kind) is Annotated:
        return _bare(get_args(kind)[0])
    if get_origin(kind) in (Union, types.UnionType):
        return next((_bare(each) for each in get_args(kind) if each is not type(None)), kind)
    return kind


def describe_allowed(field: FieldInfo) -> str:
    """Return what a field allows, such as `a whole number from 1 to 9`."""
    text = _words(field) or _describe_kind(field.annotation, bounds(field))
    return text.removesuffix(" or nothing") if field.default is None else text  # it is left out


def _words(field: FieldInfo) -> str:
    extra = field.json_schema_extra
    schema: dict[str, Any] = {}
    if callable(extra):
        cast("Callable[[dict[str, Any]], None]", extra)(schema)  # the names that are installed, known late
        return f"one of {', '.join(schema['enum'])}" if "enum" in schema else ""
    return str((extra or {}).get("allowed", ""))


def iter_fields(kind: type[BaseModel]) -> Iterator[tuple[str, FieldInfo]]:
    """Yield the key and the field of every value of a table; nested keys are `table.key`."""
    for name, field in kind.model_fields.items():
        key, inner = field.alias or name, _model_in(field.annotation)
        if inner is None:
            yield key, field
            continue
        many = "" if isinstance(field.annotation, type) else "[]"
        yield from ((f"{key}{many}.{more}", of_inner) for more, of_inner in iter_fields(inner))


def _model_in(kind: Any) -> type[BaseModel] | None:
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return kind
    if get_origin(kind) in (list, tuple, Union, types.UnionType):
        return next((model for item in get_args(kind) if (model := _model_in(item))), None)
    return None


def bounds(field: FieldInfo) -> tuple[Any, Any]:
    """Return the bounds of a field's value, or of a list's length; None without a limit."""
    least = next((bound for item in field.metadata if (bound := getattr(item, "ge", None)) is not None), None)
    most = next((bound for item in field.metadata if (bound := getattr(item, "le", None)) is not None), None)
    if least is None and most is None:
        least = next((bound for item in field.metadata if (bound := getattr(item, "min_length", None))), None)
        most = next((bound for item in field.metadata if (bound := getattr(item, "max_length", None))), None)
    return least, most


def _describe_kind(kind: Any, between: tuple[Any, Any] = (None, None)) -> str:
    if get_origin(kind) is Annotated:
        own, *more = get_args(kind)
        inner = next((each for each in more if isinstance(each, FieldInfo)), None)
        return (_words(inner) or _describe_kind(own, bounds(inner))) if inner else _describe_kind(own, between)
    if get_origin(kind) is Literal:
        return f"one of {', '.join(map(str, get_args(kind)))}"
    if get_origin(kind) in (Union, types.UnionType):
        return " or ".join(_describe_kind(each, between) for each in get_args(kind))
    if _model_in(kind):
        numbers = (
            "" if between[1] is None else f"{between[0]} to {between[1]} " if between[0] else f"up to {between[1]} "
        )
        return "a table" if isinstance(kind, type) else f"a list of {numbers}tables"
    if get_origin(kind) in (dict, Mapping):
        most = "" if between[1] is None else f" of up to {between[1]} keys"
        of = get_args(kind)[1]
        return f"a table{most}" + ("" if of is Any else f", each value {_describe_kind(of)}")
    if get_origin(kind) is tuple and get_args(kind)[1:] == (...,):
        return f"a list, each {_describe_kind(get_args(kind)[0])}"
    if get_origin(kind) is list:
        many = "" if between[1] is None else f" of {between[0] or 0} to {between[1]}"
        return f"a list{many}, each {_describe_kind(get_args(kind)[0])}"
    names = {int: "a whole number", float: "a number", bool: "true or false", str: "a text", type(None): "nothing"}
    text = names.get(kind, "a list")
    if kind is str and between[1] is not None:
        text += f" of {between[0]} to {between[1]} characters" if between[0] else f" of up to {between[1]} characters"
    if kind in (int, float):
        text += "".join(
            f" {word} {bound}" for word, bound in zip(("from", "to"), between, strict=True) if bound is not None
        )
    return text

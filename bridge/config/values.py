"""Readers of single values: validation and conversion of a TOML value.

A reader takes the value from :mod:`tomllib` and the folder that relative paths start from. It returns the converted
value or raises :class:`~bridge.config.errors.WrongValueError`, whose text says what was expected and what was found.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from mqbridge.bridge.config.errors import WrongValueError

T = TypeVar("T")
Reader = Callable[[Any, Path], T]

MAX_OBJECT_NAME = 48
"""Characters in the name of a queue manager (channels.md 16)."""
MAX_SECONDS = 1_000_000_000
"""Longest time in a configuration, in seconds."""

_OBJECT_NAME = re.compile(r"[A-Za-z0-9./_%]+")
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([A-Za-z]*)")
_PART = re.compile(r"(?:[^\\:]|\\.)+", re.DOTALL)
_NAMED_PART = re.compile(r"(?:[^\\=]|\\.)*=", re.DOTALL)
_TCP_CLIENT = re.compile(r"tcp:(?:[^\\:]|\\.)+:[0-9]{1,5}", re.ASCII)
_ORIGIN = re.compile(r"https?://(?:[a-z0-9.-]+|\[[0-9a-f:]+\])(?::[0-9]{1,5})?")
_UNITS = {
    "": 1, "b": 1,
    "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12,
    "kib": 2**10, "mib": 2**20, "gib": 2**30, "tib": 2**40,
}  # fmt: skip


def shown(value: object) -> str:
    """Return a short description of a TOML value."""
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return f"the text {value if len(value) <= 60 else value[:57] + '...'!r}"
        case int() | float():
            return f"the number {value}"
        case list():
            return "an array"
        case dict():
            return "a table"
    return "a date or time"


def wrong(expected: str, found: object) -> WrongValueError:
    """Build the error for an unexpected value."""
    return WrongValueError(f"expected {expected}, found {shown(found)}")


def text(value: Any, _base: Path) -> str:
    """Read non-empty text."""
    if not isinstance(value, str) or not value.strip():
        raise wrong("text in quotes", value)
    return value


def object_name(value: Any, _base: Path) -> str:
    """Read the name of an MQ object: case-sensitive, at most 48 characters (channels.md 16)."""
    name = text(value, _base)
    if len(name) > MAX_OBJECT_NAME or not _OBJECT_NAME.fullmatch(name):
        raise wrong(f"a name of at most {MAX_OBJECT_NAME} letters, digits and . / _ %", value)
    return name


def path(value: Any, base: Path) -> Path:
    """Read a path; a relative one starts at the folder of the configuration file."""
    return base / text(value, base)


def list_of(reader: Reader[T]) -> Reader[list[T]]:
    """Return a reader of arrays whose elements are read by ``reader``."""

    def read(value: Any, base: Path) -> list[T]:
        if not isinstance(value, list):
            raise wrong("an array in [ ]", value)
        elements = []
        for index, element in enumerate(value):
            try:
                elements.append(reader(element, base))
            except WrongValueError as error:
                raise WrongValueError(str(error), index) from error
        return elements

    return read


def array(value: Any, _base: Path) -> list[Any]:
    """Read an array whose elements are read elsewhere."""
    if not isinstance(value, list):
        raise wrong("an array in [ ]", value)
    return value


def keys_and_values(value: Any, _base: Path) -> dict[str, Any]:
    """Read a table whose keys are read elsewhere."""
    if not isinstance(value, dict):
        raise wrong("a table in { }", value)
    return value


def table_of(reader: Reader[T]) -> Reader[dict[str, T]]:
    """Return a reader of tables whose keys are any non-empty names and whose values are read by ``reader``."""

    def read(value: Any, base: Path) -> dict[str, T]:
        if not isinstance(value, dict):
            raise wrong("a table in { }", value)
        elements = {}
        for key, element in value.items():
            try:
                elements[text(key, base)] = reader(element, base)
            except WrongValueError as error:
                raise WrongValueError(f"{key!r}: {error}", key) from error
        return elements

    return read


def whole_number(minimum: int, maximum: int) -> Reader[int]:
    """Return a reader of whole numbers within bounds, both included."""

    def read(value: Any, _base: Path) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not minimum <= value <= maximum:
            raise wrong(f"a whole number from {minimum} to {maximum}", value)
        return value

    return read


def seconds(minimum: float) -> Reader[float]:
    """Return a reader of a time in seconds, not less than ``minimum``."""

    def read(value: Any, _base: Path) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float) or not minimum <= value <= MAX_SECONDS:
            raise wrong(f"a number of seconds, at least {minimum:g}", value)
        return float(value)

    return read


def size(minimum: int) -> Reader[int]:
    """Return a reader of sizes in bytes: a whole number, or text such as ``"64 GiB"`` or ``"500 MB"``."""

    def read(value: Any, _base: Path) -> int:
        error = wrong(f'a size of at least {minimum} bytes, such as 1048576 or "64 GiB"', value)
        match = _SIZE.fullmatch(value.strip()) if isinstance(value, str) else None
        if match and match[2].lower() in _UNITS:
            scaled = float(match[1]) if "." in match[1] else int(match[1])
            number = scaled * _UNITS[match[2].lower()]
        elif isinstance(value, int) and not isinstance(value, bool):
            number = value
        else:
            raise error
        if number != int(number) or number < minimum:
            raise error
        return int(number)

    return read


def yes_or_no(value: Any, _base: Path) -> bool:
    """Read ``true`` or ``false``."""
    if not isinstance(value, bool):
        raise wrong("true or false", value)
    return value


def choice(*allowed: str) -> Reader[str]:
    """Return a reader of one word out of a few."""

    def read(value: Any, _base: Path) -> str:
        if value not in allowed or not isinstance(value, str):
            raise wrong(" or ".join(f'"{word}"' for word in allowed), value)
        return value

    return read


def endpoint(value: Any, base: Path) -> str:
    """Read a Twisted endpoint string; a relative path of a ``unix:`` endpoint starts at the configuration's folder."""
    description = text(value, base)
    kind, colon, rest = description.partition(":")
    if not kind.strip() or not colon or not rest:
        raise wrong('an endpoint such as "tcp:1414:interface=127.0.0.1"', value)
    if kind != "unix":
        return description
    socket, options = split_unix_endpoint(description)
    if socket is None:
        raise wrong('a path in the endpoint, as in "unix:admin.sock:mode=600"', value)
    return ":".join([unix_endpoint(base / socket), *options])


def client_endpoint(value: Any, base: Path) -> str:
    """Read an endpoint to connect to: ``tcp:HOST:PORT`` or ``unix:PATH``; colons of an address are escaped by ``\\``, a
    relative path starts at the configuration's folder."""
    description = endpoint(value, base)
    if description.startswith("unix:") or _TCP_CLIENT.fullmatch(description):
        return description
    raise wrong('an endpoint to connect to, such as "tcp:artemis.example:5672" or "unix:/run/broker.sock"', value)


def origin(value: Any, base: Path) -> str:
    """Read the origin of pages as a browser names it: scheme, host and port in lower case, without a path."""
    found = text(value, base)
    if not _ORIGIN.fullmatch(found):
        raise wrong('an origin such as "https://console.example.com:8443"', value)
    return found


def split_unix_endpoint(description: str) -> tuple[Path | None, list[str]]:
    """Return path and options of a ``unix:`` endpoint string; the path is None for other endpoints."""
    kind, _, rest = description.partition(":")
    parts = _PART.findall(rest) if kind == "unix" else []
    for index, part in enumerate(parts):
        if part.startswith("address=") or not _NAMED_PART.match(part):
            return Path(re.sub(r"\\(.)", r"\1", part.removeprefix("address="))), parts[:index] + parts[index + 1 :]
    return None, parts


def unix_endpoint(socket: Path) -> str:
    """Return the endpoint string of a Unix socket, with the path escaped."""
    return "unix:" + re.sub(r"([\\:=])", r"\\\1", str(socket))

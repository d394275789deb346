"""Parser of TOML text into :class:`~bridge.config.settings.Configuration`; errors name file, line and remedy."""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Iterable
from dataclasses import MISSING, Field, fields
from pathlib import Path
from typing import Any, TypeVar

from mqbridge.bridge.config.errors import ConfigError, TablePlace, WrongValueError
from mqbridge.bridge.config.settings import Configuration
from mqbridge.bridge.config.values import shown
from mqbridge.mappings.key_lines import KeyPath, key_lines

S = TypeVar("S")

MAX_FILE_SIZE = 1 << 20
"""Largest configuration file in bytes."""


def load_configuration(file: Path) -> Configuration:
    """Read a configuration file (UTF-8 TOML). Raises :class:`ConfigError`."""
    try:
        with file.open("rb") as stream:
            content = stream.read(MAX_FILE_SIZE + 1)
    except OSError as error:
        raise ConfigError(file, None, f"cannot be read: {error.strerror}") from error
    if len(content) > MAX_FILE_SIZE:
        raise ConfigError(file, None, f"longer than {MAX_FILE_SIZE} bytes", "is it a configuration?")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ConfigError(file, line, "not UTF-8 text", "save the file in UTF-8") from error
    return parse_configuration(text, file)


def parse_configuration(text: str, file: Path) -> Configuration:
    """Parse a configuration; ``file`` names it in errors, and relative paths start at its folder."""
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _syntax_error(text, file, str(error)) from error
    reader = _Reader(file, key_lines(text))
    configuration = reader.table(Configuration, document, ())
    configuration.source = file
    return configuration


def _syntax_error(text: str, file: Path, message: str) -> ConfigError:
    place = re.search(r" \(at (?:line (\d+), column \d+|end of document)\)$", message)
    line = int(place[1]) if place and place[1] else text.rstrip("\n").count("\n") + 1
    problem = message[: place.start()] if place else message
    return ConfigError(file, line, f"not valid TOML: {problem[:1].lower()}{problem[1:]}")


class _Reader:
    """One reading of one file."""

    def __init__(self, file: Path, lines: dict[KeyPath, int]) -> None:
        self.file = file
        self.folder = file.parent
        self.lines = lines

    def table(self, settings: type[S], content: dict[str, Any], path: KeyPath) -> S:
        """Fill one class of settings from one table."""
        fields = _fields(settings)
        for key in content:
            if key not in fields:
                raise self.unknown(key, fields, path)
        filled = {}
        for key, one in fields.items():
            if key in content:
                filled[one.name] = self.value(one, content[key], (*path, key))
            elif "table" in one.metadata:
                filled[one.name] = self.table(one.metadata["table"], {}, (*path, key))
            elif one.default is MISSING and one.default_factory is MISSING:
                raise self.error(path, f"{_table_name(path)} has no {key!r}")
            elif isinstance(one.default, Path):  # a default path starts at the file's folder as a given one does
                filled[one.name] = self.folder / one.default
        for place in _places(settings):
            filled[place] = TablePlace(self.file, self.lines, path)
        return settings(**filled)

    def value(self, one: Field[Any], content: Any, path: KeyPath) -> Any:
        """Read the value of one key: a table, an array of tables, tables by name, or a value."""
        if settings := one.metadata.get("table") or one.metadata.get("optional_table"):
            if not isinstance(content, dict):
                raise self.error(path, f"{path[-1]!r} must be a table [{path[-1]}], found {shown(content)}")
            return self.table(settings, content, path)
        if settings := one.metadata.get("tables"):
            if not isinstance(content, list) or not all(isinstance(element, dict) for element in content):
                raise self.error(path, f"{path[-1]!r} must be tables [[{path[-1]}]], found {shown(content)}")
            return [self.table(settings, element, (*path, index)) for index, element in enumerate(content)]
        if settings := one.metadata.get("named_tables"):
            if not isinstance(content, dict) or not all(isinstance(element, dict) for element in content.values()):
                raise self.error(path, f"{path[-1]!r} must be tables [{path[-1]}.NAME], found {shown(content)}")
            return {name: self.table(settings, element, (*path, name)) for name, element in content.items()}
        try:
            return one.metadata["reader"](content, self.folder)
        except WrongValueError as error:
            place = path if error.index is None else (*path, error.index)
            raise self.error(place, f"{path[-1]!r} in {_table_name(path[:-1])}: {error}") from error

    def unknown(self, key: str, fields: Iterable[str], path: KeyPath) -> ConfigError:
        """Build the error for an unknown key, with the nearest one that exists."""
        near = difflib.get_close_matches(key.lower(), fields, n=1, cutoff=0.6)
        homes = [home for home, keys in _keys_by_table().items() if key in keys]
        if near:
            hint = f"did you mean {near[0]!r}?"
        elif homes:
            hint = f"it belongs to {' or '.join(homes)}"
        else:
            hint = f"known here: {', '.join(sorted(fields))}"
        return self.error((*path, key), f"unknown key {key!r} in {_table_name(path)}", hint)

    def error(self, path: KeyPath, problem: str, hint: str = "") -> ConfigError:
        """Build an error at the line of a key, or of the nearest enclosing table that has one."""
        return TablePlace(self.file, self.lines, path).error((), problem, hint)


def _fields(settings: type[Any]) -> dict[str, Field[Any]]:
    """Return the fields of a settings class by TOML key."""
    keyed = [one for one in fields(settings) if one.metadata and not one.metadata.get("place")]
    return {one.metadata.get("key") or one.name: one for one in keyed}


def _places(settings: type[Any]) -> list[str]:
    """Return the names of the fields of a settings class that hold the place of its table."""
    return [one.name for one in fields(settings) if one.metadata.get("place")]


def _table_name(path: KeyPath) -> str:
    """Return the name of a table as in the file."""
    keys = ".".join(key for key in path if isinstance(key, str))
    if not path:
        return "the top level"
    return f"[[{keys}]]" if isinstance(path[-1], int) else f"[{keys}]"


def _keys_by_table() -> dict[str, set[str]]:
    """Return the keys of each table of a configuration, by the table's name as in the file."""
    homes = {}
    for key, one in _fields(Configuration).items():
        if settings := one.metadata.get("table") or one.metadata.get("optional_table"):
            homes[f"[{key}]"] = set(_fields(settings))
        elif "named_tables" in one.metadata:
            homes[f"[{key}.NAME]"] = set(_fields(one.metadata["named_tables"]))
        else:
            homes[f"[[{key}]]"] = set(_fields(one.metadata["tables"]))
    return homes

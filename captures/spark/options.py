"""Options of ``format("mq")``: validation and meaning."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, NamedTuple, cast

from mqbridge.captures.analysis import AnalysisOptions
from mqbridge.captures.tables import PROTOCOL_MESSAGES, ROW_CLASSES, SCHEMA_VERSION
from mqbridge.mappings.templates import Protocol, TemplateError, files_of, read_protocol

_BODIES: Final = ("none", "hash", "bytes")
_KNOWN: Final = frozenset(
    (
        "path",
        "paths",
        "table",
        "fields",
        "bodies",
        "partitions",
        "keylog",
        "port",
        "protocol",
        "version",
        "settle",
        "maxfilespertrigger",
        "across",
    )
)
_ALL: Final = "*"


class Description(NamedTuple):
    """The description of a protocol as it goes to workers: its text, its name for faults, files of templates."""

    text: str
    name: str
    files: tuple[tuple[str, bytes], ...]

    def protocol(self) -> Protocol:
        """Return what it describes. Raises `TemplateError`."""
        return read_protocol(self.text, self.name, dict(self.files))


@dataclass(frozen=True, slots=True)
class SourceOptions:
    """One table of some captures."""

    paths: tuple[str, ...]
    """Captures, folders and URLs."""
    table: str = "segments"
    """Name of the table."""
    fields: str = _ALL
    """Fields of segments: ``none``, ``*`` for all, or names separated by commas."""
    bodies: Literal["none", "hash", "bytes"] = "hash"
    """Bodies of messages, as in ``AnalysisOptions``."""
    partitions: int | None = None
    """Number of tasks; None to choose it by size."""
    keylog: str | None = None
    """Path of a TLS key log file that every worker can open."""
    across: bool = True
    """Findings include those of rules over many flows; one task reads a divided capture again for them."""
    settle: float = 0.0
    """Streams: seconds for which a file must not have changed before it is read."""
    max_files: int | None = None
    """Streams: maximum number of files in one batch."""
    description: Description | None = None
    """By which the table of messages of another protocol is read."""
    port: int | None = None
    """Port of the responder of that protocol; None for all connections."""

    def analysis(self, capture: str) -> AnalysisOptions:
        """Return the options for the analysis of one capture."""
        names = None if self.fields == _ALL else frozenset(filter(None, (n.strip() for n in self.fields.split(","))))
        if self.fields == "none":
            names = frozenset()
        return AnalysisOptions(capture=capture, tables=frozenset((self.table,)), bodies=self.bodies, fields=names)


def read_options(options: Mapping[str, str]) -> SourceOptions:
    """Parse Spark's options: text, with case-insensitive names.

    Raises ``ValueError`` for unknown options and invalid values.
    """
    given = {name.lower(): value for name, value in options.items()}
    unknown = sorted(given.keys() - _KNOWN)
    if unknown:
        raise ValueError(f"no such option: {', '.join(unknown)}; there are {', '.join(sorted(_KNOWN - {'paths'}))}")
    version = given.get("version", str(SCHEMA_VERSION))
    if version != str(SCHEMA_VERSION):
        raise ValueError(f"version={version}: the tables have version {SCHEMA_VERSION} here")
    paths = [given["path"]] if "path" in given else []
    if "paths" in given:
        paths += json.loads(given["paths"])
    partitions, max_files = _number(given, "partitions"), _number(given, "maxfilespertrigger")
    across = _one_of("across", given.get("across", "true"), ("true", "false"))
    description = _description(given["protocol"]) if "protocol" in given else None
    usual = "segments" if description is None else PROTOCOL_MESSAGES
    table = _one_of("table", given.get("table", usual), ROW_CLASSES)
    if (table == PROTOCOL_MESSAGES) is not (description is not None):
        raise ValueError(f"the table {PROTOCOL_MESSAGES} goes with the option protocol, and with no other table")
    return SourceOptions(
        paths=tuple(paths),
        table=table,
        fields=given.get("fields", _ALL),
        bodies=cast(Literal["none", "hash", "bytes"], _one_of("bodies", given.get("bodies", "hash"), _BODIES)),
        partitions=partitions,
        keylog=os.path.abspath(given["keylog"]) if "keylog" in given else None,
        across=across == "true" and table == "findings",
        settle=_seconds(given.get("settle", "0")),
        max_files=max_files,
        description=description,
        port=_number(given, "port"),
    )


def _description(path: str) -> Description:
    """Read the description of a protocol, with the files of its folder that it names. Raises ``ValueError``."""
    file = Path(path)
    try:
        text = file.read_text(encoding="utf-8-sig")
        names = files_of(text, path)
        contents = tuple((name, (file.parent / Path(name).name).read_bytes()) for name in names)
        description = Description(text, path, contents)
        description.protocol()
    except (OSError, UnicodeDecodeError, TemplateError) as error:
        raise ValueError(f"protocol={path}: {error}") from error
    return description


def _one_of(option: str, value: str, values: Iterable[str]) -> str:
    if value.lower() not in values:
        raise ValueError(f"{option}={value}: it may be {', '.join(values)}")
    return value.lower()


def _number(given: Mapping[str, str], option: str) -> int | None:
    value = given.get(option)
    if value is None:
        return None
    if not value.isdecimal() or int(value) < 1:
        raise ValueError(f"{option}={value}: a number from 1 is wanted")
    return int(value)


def _seconds(value: str) -> float:
    try:
        seconds = float(value)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds < float("inf"):
        raise ValueError(f"settle={value}: seconds are wanted")
    return seconds

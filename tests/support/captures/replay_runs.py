"""``mqbridge replay`` run within a test, and captures to run it on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from mqbridge.bridge.cli import cli
from mqbridge.captures import Direction
from support.captures.files import record
from support.captures.vectors import thesis

IN, OUT = Direction.INITIATOR, Direction.RESPONDER
CHANNEL_OF_2003 = record((IN, thesis(1)), (OUT, thesis(2)), (IN, thesis(3)))
GARBAGE = record((IN, thesis(1)), (OUT, thesis(2)), (IN, b"GET / HTTP/1.1\r\n\r\n" * 5))


def replay(*arguments: str | Path, data: bytes | None = None) -> Result:
    result = CliRunner().invoke(cli, ["replay", *map(str, arguments)], input=data)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def as_json(*arguments: str | Path, data: bytes | None = None, status: int = 0) -> dict[str, Any]:
    result = replay("--json", *arguments, data=data)
    assert result.exit_code == status, result.output
    shown: dict[str, Any] = json.loads(result.stdout)
    return shown


def saved(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path

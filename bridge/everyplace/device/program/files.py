"""Arguments that several commands have."""

from __future__ import annotations

import argparse
from pathlib import Path

from mqbridge.bridge.everyplace.device.queue_manager import QueueManager
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError


def add_file(parser: argparse.ArgumentParser) -> None:
    """Let a command name the file of a queue manager."""
    parser.add_argument("file", metavar="FILE", type=Path, help="the file of the queue manager, such as moon.mqe")


def open_offline(arguments: argparse.Namespace) -> QueueManager:
    """Open it without connections. Raises `EveryplaceError`."""
    return QueueManager.open(arguments.file, connect=False)


def assignments(texts: list[str]) -> dict[str, str]:
    """Return ``name=value`` by name. Raises `EveryplaceError` SYNTAX."""
    found = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise EveryplaceError(Code.SYNTAX, f"{text!r} is not NAME=VALUE")
        found[name] = value
    return found

"""Arguments that several commands have."""

from __future__ import annotations

import argparse
import os

from mqbridge.bridge.everyplace.device.queue_manager import QueueManager
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError

_LONGEST = 4096


def add_file(parser: argparse.ArgumentParser) -> None:
    """Let a command name the file of a queue manager."""
    parser.add_argument("file", metavar="FILE", help="the file of the queue manager, such as moon.mqe")
    parser.add_argument(
        "--pin-file", metavar="FILE", help="file with the PIN of its private registry, for protected queues"
    )


def pin_of(arguments: argparse.Namespace) -> str:
    """Return the PIN, empty without one; it stands in no command line, which others may read (E-228).

    Raises `EveryplaceError` NOT_ALLOWED for a file that others may read, NOT_FOUND for one that cannot be read.
    """
    path = arguments.pin_file
    if path is None:
        return ""
    try:
        with open(path, "rb") as file:
            if os.name == "posix" and os.fstat(file.fileno()).st_mode & 0o077:
                raise EveryplaceError(Code.NOT_ALLOWED, f"{path} can be read by others; chmod 600 {path}")
            return str(file.read(_LONGEST).decode().strip("\r\n"))
    except (OSError, UnicodeDecodeError) as error:
        raise EveryplaceError(Code.NOT_FOUND, f"{path} cannot be read: {error}") from None


def open_offline(arguments: argparse.Namespace) -> QueueManager:
    """Open it without connections. Raises `EveryplaceError`."""
    return QueueManager.open(arguments.file, connect=False, pin=pin_of(arguments))


def assignments(texts: list[str]) -> dict[str, str]:
    """Return ``name=value`` by name. Raises `EveryplaceError` SYNTAX."""
    found = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise EveryplaceError(Code.SYNTAX, f"{text!r} is not NAME=VALUE")
        found[name] = value
    return found

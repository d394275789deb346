"""MQSC files that run at every start."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from twisted.internet.defer import Deferred

from mqbridge.bridge.queue_manager.mqsc import CommandReply, Commands, MQSCSyntaxError, Source, read_script

from .errors import WRONG_CONFIGURATION, StartError

_EXISTS: Final = frozenset(("AMQ8150", "AMQ8226"))
MAX_SCRIPT_SIZE: Final = 64 << 20
"""Largest script in bytes."""


async def run_script(
    file: Path,
    commands: Commands,
    clock: Callable[[], float],
    pump: Callable[[], None],
    log: Callable[[str, tuple[str | int, ...]], None],
) -> int:
    """Run the commands of a file in order, each after the previous one is on disk; return their number.

    A DEFINE without REPLACE of an existing object is skipped, with a line in the log. Raises `StartError` with file and
    line for an unreadable file and for any other command that fails.
    """
    count = 0
    for item in read_script(_read(file).splitlines()):
        if isinstance(item, MQSCSyntaxError):
            raise _failure(file, item.line, f"AMQ8405E: {item}")
        answer: Deferred[CommandReply] = Deferred()
        commands.execute(item, clock(), answer.callback)
        pump()
        reply = await answer
        count += 1
        if reply.ok:
            continue
        response = reply.responses[-1]
        if response.amq in _EXISTS and item.text.lstrip().upper().startswith("DEF"):
            log("AMQ5037", (f"{response.text.rstrip('.')} ({file}, line {_line(item)})",))
            continue
        raise _failure(file, _line(item), response.line)
    return count


def _read(file: Path) -> str:
    try:
        with file.open("rb") as stream:
            content = stream.read(MAX_SCRIPT_SIZE + 1)
    except OSError as error:
        raise StartError(f"{file}: cannot be read: {error.strerror or error}", WRONG_CONFIGURATION) from error
    if len(content) > MAX_SCRIPT_SIZE:
        raise StartError(f"{file}: longer than {MAX_SCRIPT_SIZE} bytes; is it MQSC?", WRONG_CONFIGURATION)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _failure(file, content.count(b"\n", 0, error.start) + 1, "not UTF-8 text") from error


def _line(source: Source) -> int:
    return source.position(0)[0]


def _failure(file: Path, line: int, problem: str) -> StartError:
    return StartError(f"{file}, line {line}: {problem}", WRONG_CONFIGURATION)

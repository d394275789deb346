"""The command line: which commands there are, and how they end.

Status 0; 1 with the reason on standard error where something is refused or not there; 2 where the command is not
understood.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from mqbridge.protocol.everyplace.errors import Code, EveryplaceError

DONE, REFUSED, MISUSED = range(3)
"""Statuses."""
_INTERRUPTED: Final = 130
_HOME: Final = "mqbridge.bridge.everyplace.device.program"


class Command(NamedTuple):
    """``module``: has ``arguments(name, parser)``, and ``run(name, arguments)``, which returns the status. ``name``: of
    the command."""

    module: str
    summary: str


COMMANDS: Final = {
    "create": Command("creating", "create a queue manager in a file, with the way to its gateway"),
    "put": Command("putting", "put a message; it is on disk then, with or without a network"),
    "get": Command("getting", "get messages"),
    "browse": Command("getting", "show messages, which stay"),
    "dump": Command("getting", "show all fields of the messages of a queue, also of those that are on their way"),
    "run": Command("running", "send and pull, until Ctrl-C"),
    "trigger": Command("running", "send and pull everything that waits now, then end"),
    "status": Command("showing", "show the queues, and what waits"),
    "check": Command("showing", "say where a message would go"),
    "admin": Command("administering", "change queues, connections and listeners; see the actions with --help"),
}


def main(words: Sequence[str] | None = None) -> int:
    """Run a command. Returns the status."""
    words = sys.argv[1:] if words is None else words
    about = __doc__.partition("\n\n")[2] if __doc__ else None
    parser = argparse.ArgumentParser(prog=_program(), description=about, formatter_class=_formatter)
    chosen = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, command in COMMANDS.items():
        added = chosen.add_parser(
            name, help=command.summary, description=f"{command.summary.capitalize()}.", formatter_class=_formatter
        )
        if name in words[:1]:  # the others are not loaded
            _part(command, "arguments")(name, added)
    arguments, rest = parser.parse_known_args(words)
    if rest:
        if arguments.command != "admin":
            parser.error(f"unrecognized arguments: {' '.join(rest)}")
        arguments.words = [*arguments.words, *rest]
    try:
        status: int = _part(COMMANDS[arguments.command], "run")(arguments.command, arguments)
    except EveryplaceError as error:
        print(f"{parser.prog}: {error.text} ({error.code.name})", file=sys.stderr)
        return MISUSED if error.code is Code.SYNTAX else REFUSED
    except KeyboardInterrupt:
        return _INTERRUPTED
    except BrokenPipeError:  # who reads has had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    return status


def _part(command: Command, name: str) -> Callable[..., Any]:
    found: Callable[..., Any] = getattr(importlib.import_module(f"{_HOME}.{command.module}"), name)
    return found


def _formatter(prog: str) -> argparse.HelpFormatter:
    """A formatter that knows its width: argparse loads packers of archives to find it out."""
    try:
        columns = int(os.environ.get("COLUMNS", 0)) or os.get_terminal_size().columns
    except (ValueError, OSError):
        columns = 80
    return argparse.HelpFormatter(prog, width=columns - 2)


def _program() -> str:
    name = os.path.basename(sys.argv[0])
    return name if name.endswith(".pyz") else "mqe"

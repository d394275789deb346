"""``mqbridge mqsc``: MQSC against a running queue manager, with replies in the form of runmqsc."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import click

from mqbridge.bridge.cli.connecting import connect, fail, reach_options, reason_of, refusals
from mqbridge.bridge.queue_manager.mqsc import (
    ENDING_WORDS,
    MQSCSyntaxError,
    RunSummary,
    ScriptReader,
    Source,
    format_echo,
)
from mqbridge.bridge.rest_client import RestClient, RestFailure

COMMAND_FAILED: Final = 10
NOT_REACHABLE: Final = 20
_SYNTAX: Final = "AMQ8405"
_MAX_HISTORY: Final = 1000


@click.command("mqsc")
@reach_options
@click.option("-e", "commands", multiple=True, metavar="COMMAND", help="Run this command; may be repeated.")
@click.option("--dump", is_flag=True, help="Write all definitions as MQSC that can be run again.")
@click.argument("file", required=False, metavar="[FILE|-]")
def command(data: str | None, url: str | None, commands: tuple[str, ...], dump: bool, file: str | None) -> None:
    """Run MQSC commands: those of -e, of FILE, or of standard input; on a terminal one after the other.

    Status 0; 10: a command failed; 20: no queue manager answers.
    """
    if sum((bool(commands), dump, file is not None)) > 1:
        raise click.UsageError("give one of -e, --dump and FILE")
    with refusals(NOT_REACHABLE), connect(data, url, "mqbridge mqsc") as client:
        try:
            if dump:
                click.echo(client.definitions(), nl=False)
                return
            if commands:
                summary = _Session(client, echo=False).run(line for text in commands for line in text.splitlines())
            else:
                summary = _from_file(client, file)
        except RestFailure as error:
            fail(str(error), COMMAND_FAILED)
    if summary.failed:
        sys.exit(COMMAND_FAILED)


def _from_file(client: RestClient, file: str | None) -> RunSummary:
    if file is None and sys.stdin.isatty():
        return _Session(client, echo=False).talk()
    session = _Session(client, echo=True)
    if file is None or file == "-":
        return session.script(_texts(sys.stdin.buffer, "standard input"))
    try:
        with Path(file).open("rb") as stream:
            return session.script(_texts(stream, file))
    except OSError as error:
        if error.filename is None:
            raise
        fail(reason_of(error), COMMAND_FAILED)


def _texts(lines: Iterable[bytes], name: str) -> Iterator[str]:
    """Decode lines; ends the command at one that is not text, after the earlier ones were run."""
    for number, line in enumerate(lines, 1):
        try:
            yield line.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError:
            fail(f"{name}, line {number}: not UTF-8 text; save it in UTF-8", COMMAND_FAILED)


class _Session:
    """A run of commands read from lines: prints and counts their replies."""

    def __init__(self, client: RestClient, *, echo: bool) -> None:
        self._client = client
        self._echo = echo
        self._summary = RunSummary()
        self._reader = ScriptReader()

    def script(self, lines: Iterable[str]) -> RunSummary:
        """Run a whole script: every line is echoed, and the summary follows."""
        click.echo(f"Starting MQSC for queue manager {self._client.queue_manager}.\n\n")
        self.run(lines)
        click.echo("\n".join(self._summary.lines()))
        return self._summary

    def run(self, lines: Iterable[str]) -> RunSummary:
        """Run the commands of some lines, up to END."""
        ended = False
        for line in lines:
            ended = self._take(line.rstrip("\r\n"))
            if ended:
                break
        if not ended:
            self._finish()
        return self._summary

    def talk(self) -> RunSummary:
        """Run commands from a terminal."""
        click.echo(f"MQSC for queue manager {self._client.queue_manager}; END or Ctrl-D ends it.")
        for line in _typed(self._reader):
            try:
                if self._take(line):
                    break
            except RestFailure as error:
                click.echo(str(error), err=True)
        return RunSummary()

    def _take(self, line: str) -> bool:
        """Process one line; return whether it ends the script."""
        begins = not self._reader.pending and bool(line.strip()) and not line.startswith("*")
        if self._echo:
            click.echo(format_echo(self._summary.commands + 1 if begins else None, line))
        try:
            source = self._reader.feed(line)
        except MQSCSyntaxError as error:
            self._wrong(error)
            return False
        if source is None:
            return False
        if source.text.rstrip(" ;").upper() in ENDING_WORDS:
            return True
        self._execute(source)
        return False

    def _finish(self) -> None:
        try:
            self._reader.end()
        except MQSCSyntaxError as error:
            self._wrong(error)

    def _execute(self, source: Source) -> None:
        reply = self._client.mqsc(source.text)
        self._summary.commands += 1
        lines = list(_lines(reply))
        click.echo("\n".join(lines))
        if reply["overallCompletionCode"]:
            if lines and lines[-1].startswith(_SYNTAX):
                self._summary.syntax_errors += 1
            else:
                self._summary.failures += 1

    def _wrong(self, error: MQSCSyntaxError) -> None:
        self._summary.commands += 1
        self._summary.syntax_errors += 1
        click.echo(f"{error.amq}E: {error}.")


def _lines(reply: dict[str, Any]) -> Iterator[str]:
    for entry in reply["commandResponse"]:
        yield from entry.get("text") or entry.get("message") or ()


def _typed(reader: ScriptReader) -> Iterator[str]:
    """Yield lines from a terminal, with a persistent history."""
    import readline

    history = Path.home() / ".mqbridge_history"
    with contextlib.suppress(OSError):
        readline.read_history_file(history)
    try:
        while True:
            try:
                yield input("     + " if reader.pending else "mqsc> ")
            except EOFError:
                click.echo()
                return
    finally:
        readline.set_history_length(_MAX_HISTORY)
        with contextlib.suppress(OSError):
            readline.write_history_file(history)

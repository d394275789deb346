"""The command line: ``mqbridge COMMAND``, one module per command, imported on use.

A command is a module of this package with a :class:`click.Command` named ``command``; :data:`COMMANDS` holds its name
and the line in ``mqbridge --help``, so that help and completion import nothing.
"""

from __future__ import annotations

import importlib
import os
import sys

import click

from .ending import FAILED, fail, interruptions, reason_of, silence

COMMANDS = {
    "run": "Run one queue manager in the foreground.",
    "mqsc": "Run MQSC commands against a running queue manager.",
    "put": "Put messages on a queue.",
    "get": "Get messages from a queue.",
    "browse": "Show messages of a queue and leave them there.",
    "dlqh": "Handle messages of a dead-letter queue by rules.",
    "routes": "Show, start, stop and explain routes, links and partners.",
    "everyplace": "Enrol and show devices at a gateway of Everyplace.",
    "moq": "Call a server of MyOpenQ: create, put, get and its other tools.",
    "user": "Add, remove and list the users who may connect.",
    "certificate": "Make, request, import, trust and list certificates.",
    "check": "Check certificates, users, and who can reach what.",
    "decode": "Show what bytes on the wire, messages or captures hold.",
    "record": "Pass connections on and record what passes as a capture.",
    "replay": "Judge captures of MQ traffic.",
    "protocol": "Learn, check and play protocols that are described as data.",
    "store": "Check, repair, copy or compact a data folder not in use.",
}
"""One-line help by command; the module has the name of the command."""
WRONG_USAGE = 2


class LazyCommands(click.Group):
    """A group whose commands are modules of this package, imported on use."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in table order."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one command; None for an unknown name."""
        if cmd_name not in COMMANDS:
            return None
        with interruptions():  # loading takes a moment, in which a user may think better of it
            command = importlib.import_module(f"{__name__}.{cmd_name}").command
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


def _show_version(context: click.Context, _option: click.Parameter, wanted: bool) -> None:
    if wanted and not context.resilient_parsing:
        from importlib.metadata import version

        from mqbridge.build import kind

        click.echo(f"mqbridge {version('mqbridge')} ({kind()})")
        context.exit()


@click.group(cls=LazyCommands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_version,
    help="Say which version and build this is.",
)
def cli() -> None:
    """A queue manager that speaks IBM MQ's own wire protocol."""


def main() -> None:
    """Run the command line with this process's arguments, and exit with the command's status."""
    _fill_standard_places()
    try:
        cli(prog_name="mqbridge")
    except UnicodeEncodeError:
        fail("mqbridge: what was typed has bytes that are no text in the terminal's character set", WRONG_USAGE)
    except OSError as error:
        silence()
        fail(f"mqbridge: {reason_of(error)}", FAILED)


def _fill_standard_places() -> None:
    """Open the null device for closed standard streams, so that no file or socket takes their descriptors."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    if sys.stdin is None:
        sys.stdin = os.fdopen(0, closefd=False)

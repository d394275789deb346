"""What several commands ask for: the place of the data, and passwords."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from mqbridge.bridge.config import ConfigError, Configuration, load_configuration, override

from .ending import INTERRUPTED, interruptions

F = TypeVar("F", bound=Callable[..., Any])

WRONG_CONFIGURATION: Final = 2


class InterruptibleGroup(click.Group):
    """Commands that can be interrupted."""

    def invoke(self, ctx: click.Context) -> Any:
        """Call the requested command."""
        with interruptions():
            return super().invoke(ctx)


def place_options(function: F) -> F:
    """Add ``--config`` and ``--data``, which locate the files, as for ``mqbridge run``."""
    configuration = click.option(
        "--config",
        "config",
        envvar="MQBRIDGE_CONFIG",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Configuration of the queue manager. [env: MQBRIDGE_CONFIG]",
    )
    data = click.option(
        "--data",
        envvar="MQBRIDGE_DATA",
        type=click.Path(path_type=Path),
        metavar="DIR",
        help="Its data folder. [env: MQBRIDGE_DATA; default: ./mqbridge-data]",
    )
    return configuration(data(function))


def configuration_of(config: Path | None, data: Path | None) -> Configuration:
    """Return the configuration that the options name; ends the command with status 2 if it is wrong."""
    try:
        return override(load_configuration(config) if config is not None else Configuration(), data=data)
    except ConfigError as error:
        click.echo(f"mqbridge: {error}", err=True)
        sys.exit(WRONG_CONFIGURATION)


def ask_password(prompt: str, *, confirmed: bool) -> str:
    """Return a password from the terminal, without echo; else the first line of standard input."""
    if sys.stdin.isatty():
        try:
            return str(click.prompt(prompt, hide_input=True, confirmation_prompt=confirmed, err=True))
        except click.Abort as abort:
            if isinstance(abort.__context__, KeyboardInterrupt):
                sys.exit(INTERRUPTED)  # the prompt has ended its line already
            raise
    return sys.stdin.readline().rstrip("\r\n")

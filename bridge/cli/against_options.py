"""Options of ``replay`` that name an endpoint; the player is imported when one is given."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from .host_port import host_and_port

if TYPE_CHECKING:
    from mqbridge.bridge.client import MQUrl

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(slots=True)
class AgainstOptions:
    """Options about the endpoint; ``target`` (``host:port`` or ``mqs://host:port``) is None if none is given.

    ``patience``: seconds to wait for an answer, None for the default. ``sequence``: number of a sender's first message,
    None for the recorded one. ``only``: flows to play, empty for all.
    """

    target: str | None
    user: str = ""
    password_file: IO[str] | None = None
    patience: float | None = None
    sequence: int | None = None
    only: tuple[int, ...] = ()

    @classmethod
    def of(cls, options: dict[str, Any]) -> AgainstOptions:
        """Take the options of :func:`against_options`. Raises ``click.UsageError`` for one that requires --against."""
        asked = cls(
            options["against"],
            options["user"] or "",
            options["password_file"],
            options["wait"],
            options["sequence"],
            options["flow"],
        )
        given = click.get_current_context().get_parameter_source
        for name in ("user", "password_file", "wait", "sequence", "flow"):
            if asked.target is None and given(name) is ParameterSource.COMMANDLINE:
                raise click.UsageError(f"--{name.replace('_', '-')} goes with --against")
        return asked

    def endpoint(self) -> MQUrl:
        """Return host, port and settings of TLS. Raises ``click.BadParameter``."""
        from mqbridge.bridge.client import MQUrl, parse_url

        assert self.target is not None
        try:
            if not self.target.startswith("mqs://"):
                return MQUrl(*host_and_port(self.target))
            found = parse_url(self.target)
        except ValueError as error:
            raise click.BadParameter(str(error), param_hint="--against") from error
        if found.user or found.password:
            raise click.BadParameter("--user and --password-file name who signs on", param_hint="--against")
        return found

    def password(self) -> str:
        """Return the user's password, from the file, or from the terminal if there is one; else empty."""
        if self.password_file is not None and not self.user:
            raise click.UsageError("--password-file goes with --user")
        password = ""
        if self.password_file is not None:
            password = self.password_file.readline().rstrip("\r\n")
        elif self.user and sys.stdin.isatty():
            password = str(click.prompt(f"Password of {self.user}", hide_input=True, default="", err=True))
        return password


def against_options(command: F) -> F:
    """Add ``--against`` and its related options; :meth:`AgainstOptions.of` takes them."""
    for option in reversed(
        (
            click.option(
                "--against",
                metavar="HOST:PORT",
                help="Judge nothing: play the recorded clients, or senders, to this endpoint and compare its answers. "
                "Inside TLS: mqs://HOST:PORT, with options as for --client of mqbridge put.",
            ),
            click.option("--flow", type=click.IntRange(1), multiple=True, metavar="N", help="Play this flow only."),
            click.option(
                "--user",
                envvar="MQSAMP_USER_ID",
                metavar="NAME",
                help="Sign on as this user: recordings hold no passwords. [env: MQSAMP_USER_ID]",
            ),
            click.option(
                "--password-file",
                type=click.File("r", encoding="utf-8"),
                metavar="FILE",
                help="Its first line is the password; - for standard input. [default: asked for on a terminal]",
            ),
            click.option(
                "--wait",
                type=click.FloatRange(0, min_open=True),
                metavar="SECONDS",
                help="Time for an answer, beyond what it took in the recording. [default: 10]",
            ),
            click.option(
                "--sequence",
                type=click.IntRange(1),
                metavar="N",
                help="Number of the first message of a sender. [default: as recorded]",
            ),
        )
    ):
        command = option(command)
    return command

"""What the tools share: how the server is reached, and how they end."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any, Final

import click

from mqbridge.bridge.cli.ending import fail, reason_of
from mqbridge.bridge.client.myopenq import DEFAULT_PORT, DEFAULT_SERVER, Access, MoqClient, Unreachable
from mqbridge.protocol.myopenq import MoqError

REFUSED: Final = 1
NO_CONNECTION: Final = 2
queue_option = click.option("-q", "queue", required=True, metavar="NAME", help="Queue.")


@dataclass(frozen=True, slots=True)
class Calling:
    """The options of a tool that say how the server is reached."""

    server: str
    port: int
    access: Access

    @contextmanager
    def client(self) -> Iterator[MoqClient]:
        """A client of the server; errors end the tool with their status."""
        try:
            with MoqClient(self.server, self.port, self.access) as client:
                yield client
        except MoqError as error:
            fail(str(error), REFUSED)
        except Unreachable as error:
            fail(str(error), NO_CONNECTION)
        except ValueError as error:
            fail(str(error), REFUSED)


def calling_options(function: Callable[..., None]) -> Callable[..., None]:
    """Add the options of `Calling`; the function gets it as its first argument."""

    @wraps(function)
    def tool(**options: Any) -> None:
        given = {name: options.pop(name) for name in _NAMES}
        secret = given["secret_file"]
        access = Access(
            framed=given["framed"],
            sign=given["digest"],
            secret=b"" if secret is None else _secret(secret),
            tls=given["tls"],
            trusted=given["trusted"] or "",
            certificate=given["certificate"] or "",
            timeout=given["within"],
        )
        function(Calling(given["server"], given["port"], access), **options)

    with_options: Callable[..., None] = tool
    for option in reversed(_OPTIONS):
        with_options = option(with_options)
    return with_options


_NAMES: Final = ("server", "port", "framed", "digest", "secret_file", "tls", "trusted", "certificate", "within")
_OPTIONS: Final = (
    click.option("-s", "server", default=DEFAULT_SERVER, show_default=True, metavar="IP", help="Server."),
    click.option(
        "-p", "port", type=click.IntRange(1, 65_535), default=DEFAULT_PORT, show_default=True, help="Its port."
    ),
    click.option("--framed", is_flag=True, help="The door's mode is framed."),
    click.option("--digest", is_flag=True, help="Send a digest, by which the server knows a repeat."),
    click.option(
        "--secret-file", type=click.Path(path_type=Path), metavar="FILE", help="First line: the secret of the door."
    ),
    click.option("--tls", is_flag=True, help="Inside TLS, by the authorities of this system."),
    click.option("--trusted", metavar="PEM", help="Inside TLS, by the authorities of this file."),
    click.option("--certificate", metavar="PEM", help="File of our key and certificates, inside TLS."),
    click.option(
        "--within", type=click.FloatRange(0.1), default=30.0, show_default=True, help="Seconds to await an answer."
    ),
)


def _secret(file: Path) -> bytes:
    try:
        with file.open("rb") as opened:
            lines = opened.read(4096).splitlines()
    except OSError as error:
        fail(reason_of(error), REFUSED)
    if not lines or not lines[0]:
        fail(f"{file}: the first line is empty", REFUSED)
    return lines[0]


def show(payload: bytes) -> None:
    """Write a message to standard output, with a line feed behind it."""
    sys.stdout.flush()
    sys.stdout.buffer.write(payload + b"\n")
    sys.stdout.buffer.flush()


def succeed() -> None:
    """Say that the server has done it."""
    click.echo("SUCCESS")

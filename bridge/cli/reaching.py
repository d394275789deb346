"""How commands find the queue manager that they are for, and how they end when it refuses or is not there."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final, NoReturn, TypeVar

import click

from bridge.rest_client import DEFAULT_DATA, NotReachable, RestClient, RestFailure, find_address, parse_url

F = TypeVar("F", bound=Callable[..., Any])

FAILED: Final = 1
INTERRUPTED: Final = 130


def reach_options(command: F) -> F:
    """Adds ``--data`` and ``--url``."""
    data = click.option(
        "--data",
        envvar="MQBRIDGE_DATA",
        metavar="DIR",
        help=f"Data folder of the queue manager. [env: MQBRIDGE_DATA; default: ./{DEFAULT_DATA}]",
    )
    url = click.option("--url", metavar="URL", help="Its admin endpoint, unix:/path or http://host:port.")
    return data(url(command))


def connect(data: str | None, url: str | None, agent: str) -> RestClient:
    """A client of the queue manager that the options name. Raises `NotReachable`, ``click.UsageError``."""
    if url is not None:
        try:
            return RestClient(parse_url(url), agent)
        except ValueError as error:
            raise click.UsageError(str(error)) from error
    return RestClient(find_address(data or DEFAULT_DATA), agent)


@contextmanager
def refusals(unreachable: int = FAILED) -> Iterator[None]:
    """Ends the command with a line on standard error: status 1 for a refusal, ``unreachable`` where nobody answers."""
    try:
        yield
    except NotReachable as error:
        fail(str(error), unreachable)
    except RestFailure as error:
        fail(str(error), FAILED)
    except KeyboardInterrupt:
        click.echo(err=True)
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        silence()
        sys.exit(FAILED)


def fail(text: str, status: int = FAILED) -> NoReturn:
    """Tells why, and ends the command."""
    click.echo(text, err=True)
    sys.exit(status)


def silence() -> None:
    """Nobody reads standard output any more: Python must not try to flush it at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

"""Connecting to the queue manager that a command's options name, and ending the command if that fails."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import click

from mqbridge.bridge.cli.client_access import ClientAccess
from mqbridge.bridge.cli.ending import FAILED as FAILED
from mqbridge.bridge.cli.ending import INTERRUPTED as INTERRUPTED
from mqbridge.bridge.cli.ending import fail as fail
from mqbridge.bridge.cli.ending import interruptions
from mqbridge.bridge.cli.ending import reason_of as reason_of
from mqbridge.bridge.cli.ending import silence as silence
from mqbridge.bridge.client import UrlError, from_environment
from mqbridge.bridge.rest_client import (
    DEFAULT_DATA,
    EndpointNotReachable,
    RestClient,
    RestFailure,
    find_address,
    parse_url,
)
from mqbridge.protocol.errors import MQBridgeError

F = TypeVar("F", bound=Callable[..., Any])


def reach_options(command: F) -> F:
    """Add ``--data`` and ``--url``."""
    data = click.option(
        "--data",
        envvar="MQBRIDGE_DATA",
        metavar="DIR",
        help=f"Data folder of the queue manager. [env: MQBRIDGE_DATA; default: ./{DEFAULT_DATA}]",
    )
    url = click.option(
        "--url",
        metavar="URL",
        help="Its REST endpoint: https://user@host:port[?trusted=FILE&certificate=FILE], http:// on this machine, or "
        "unix:/path. The password is in the URL, in MQBRIDGE_PASSWORD, or asked for on a terminal.",
    )
    return data(url(command))


def connect(data: str | None, url: str | None, agent: str) -> RestClient:
    """Return a client of the queue manager that the options name. Raises `EndpointNotReachable`,
    ``click.UsageError``."""
    if url is None:
        address = find_address(data or DEFAULT_DATA)
    else:
        try:
            address = parse_url(url)
        except ValueError as error:
            raise click.UsageError(str(error)) from error
    if address.host and not address.user:
        address.user = os.environ.get("MQSAMP_USER_ID", "")
    if address.user and not address.password:
        address.password = _password(address.user)
    return RestClient(address, agent)


def _password(user: str) -> str:
    """Return the password from the environment, or from the terminal if there is one."""
    found = os.environ.get("MQBRIDGE_PASSWORD", "")
    if not found and sys.stdin.isatty():
        found = str(click.prompt(f"Password of {user}", hide_input=True, default="", show_default=False, err=True))
    return found


def client_option(command: F) -> F:
    """Add ``--client``."""
    return click.option(
        "--client",
        metavar="URL",
        help="Any queue manager, over a client connection: mq://[user[:password]@]host[:port]/QMGR?channel=NAME; mqs://"
        " inside TLS, with trusted, certificate, cipher, peer, sni. Without it, --data and --url, MQSERVER counts.",
    )(command)


def connect_either(data: str | None, url: str | None, client: str | None, agent: str) -> RestClient | ClientAccess:
    """Return the admin endpoint of one of our queue managers, or a client connection to any, as the options say.

    Raises `EndpointNotReachable`, `MQError`, ``click.UsageError``.
    """
    try:
        server = from_environment() if data is None and url is None and client is None else None
        if client is None and server is None:
            return connect(data, url, agent)
        if url is not None:
            raise click.UsageError("give --client or --url")
        return ClientAccess(client or server, agent)
    except UrlError as error:
        raise click.UsageError(str(error)) from error


@contextmanager
def refusals(unreachable: int = FAILED) -> Iterator[None]:
    """End the command with a line on standard error: status 1 for a refusal, ``unreachable`` if there is no answer."""
    try:
        with interruptions():
            yield
    except EndpointNotReachable as error:
        fail(str(error), unreachable)
    except (RestFailure, MQBridgeError) as error:
        fail(str(error), FAILED)

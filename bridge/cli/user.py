"""``mqbridge user add|remove|list|password|check``: the users who may connect, and their passwords."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from mqbridge.bridge.config import ConfigError, Configuration, load_configuration, override
from mqbridge.bridge.security import SALT_LENGTH, User, UserError, Users, hash_password
from mqbridge.bridge.security.users_file import UsersFile

from .ending import INTERRUPTED, fail, interruptions

F = TypeVar("F", bound=Callable[..., Any])

WRONG_CONFIGURATION: Final = 2


class _Commands(click.Group):
    """Commands that can be interrupted."""

    def invoke(self, ctx: click.Context) -> Any:
        """Call the requested command."""
        with interruptions():
            return super().invoke(ctx)


@click.group(cls=_Commands)
def command() -> None:
    """Add, remove and list the users who may connect, and set or check their passwords.

    Passwords are never arguments: they are asked for, or read as the first line of standard input. A running queue
    manager takes changes over when the next client connects. Status 0: done; 1: it could not be done, or the password
    is wrong; 2: the configuration is wrong.
    """


def _places(function: F) -> F:
    """Add ``--config`` and ``--data``, which locate the users, as for ``mqbridge run``."""
    config = click.option(
        "--config",
        "file",
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
    return config(data(function))


_name = click.argument("name", metavar="NAME")


@command.command()
@_name
@click.option("--group", "groups", multiple=True, metavar="GROUP", help="A group of the user; may be repeated.")
@_places
def add(name: str, groups: tuple[str, ...], file: Path | None, data: Path | None) -> None:
    """Add the user NAME."""
    users = _file(file, data)

    def edit(old: Users) -> Users:
        _require_new(old, name)
        return old.added(User(name, made, groups))

    try:
        known = users.read()
        _require_new(known, name)
        known.check_new(name, groups)
        made = hash_password(_new_password(name), secrets.token_bytes(SALT_LENGTH))
        users.change(edit)
    except UserError as error:
        fail(str(error))
    click.echo(f"user {name} added to {users.path}")


def _require_new(users: Users, name: str) -> None:
    if users.find(name) is not None:
        raise UserError(f"user {name} exists already; 'mqbridge user password {name}' gives it another password")


@command.command()
@_name
@_places
def remove(name: str, file: Path | None, data: Path | None) -> None:
    """Remove the user NAME; connections that it has stay."""
    users = _file(file, data)
    try:
        users.change(lambda old: old.removed(name))
    except UserError as error:
        fail(str(error))
    click.echo(f"user {name} removed from {users.path}")


@command.command("list")
@_places
def list_users(file: Path | None, data: Path | None) -> None:
    """List all users, one a line, with their groups."""
    try:
        for user in _file(file, data).read():
            click.echo(f"{user.name} {','.join(user.groups)}".rstrip())
    except UserError as error:
        fail(str(error))


@command.command()
@_name
@_places
def password(name: str, file: Path | None, data: Path | None) -> None:
    """Give the user NAME another password."""
    users = _file(file, data)
    try:
        users.read().existing(name)
        made = hash_password(_new_password(name), secrets.token_bytes(SALT_LENGTH))
        users.change(lambda old: old.with_password(name, made))
    except UserError as error:
        fail(str(error))
    click.echo(f"user {name} has another password")


@command.command()
@_name
@_places
def check(name: str, file: Path | None, data: Path | None) -> None:
    """Tell whether a password is that of the user NAME."""
    try:
        user = _file(file, data).read().existing(name)
    except UserError as error:
        fail(str(error))
    if not user.password.matches(_password(f"Password of {name}", confirmed=False).encode("utf-8")):
        fail(f"that is not the password of {name}")
    click.echo(f"that is the password of {name}")


def _file(file: Path | None, data: Path | None) -> UsersFile:
    try:
        read = load_configuration(file) if file is not None else Configuration()
        return UsersFile(override(read, data=data).users_file)
    except ConfigError as error:
        click.echo(f"mqbridge: {error}", err=True)
        sys.exit(WRONG_CONFIGURATION)


def _new_password(name: str) -> str:
    return _password(f"New password of {name}", confirmed=True)


def _password(prompt: str, *, confirmed: bool) -> str:
    """Return a password from the terminal, without echo; else the first line of standard input."""
    if sys.stdin.isatty():
        try:
            return str(click.prompt(prompt, hide_input=True, confirmation_prompt=confirmed, err=True))
        except click.Abort as abort:
            if isinstance(abort.__context__, KeyboardInterrupt):
                sys.exit(INTERRUPTED)  # the prompt has ended its line already
            raise
    return sys.stdin.readline().rstrip("\r\n")

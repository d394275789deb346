"""``mqbridge user add|remove|list|password|check``: the users who may connect, and their passwords."""

from __future__ import annotations

import secrets
from pathlib import Path

import click

from mqbridge.bridge.security import SALT_LENGTH, User, UserError, Users, hash_password
from mqbridge.bridge.security.users_file import UsersFile

from .asking import InterruptibleGroup, ask_password, configuration_of, place_options
from .ending import fail


@click.group(cls=InterruptibleGroup)
def command() -> None:
    """Add, remove and list the users who may connect, and set or check their passwords.

    Passwords are never arguments: they are asked for, or read as the first line of standard input. A running queue
    manager takes changes over when the next client connects. Status 0: done; 1: it could not be done, or the password
    is wrong; 2: the configuration is wrong.
    """


_name = click.argument("name", metavar="NAME")


@command.command()
@_name
@click.option("--group", "groups", multiple=True, metavar="GROUP", help="A group of the user; may be repeated.")
@place_options
def add(name: str, groups: tuple[str, ...], config: Path | None, data: Path | None) -> None:
    """Add the user NAME."""
    users = _file(config, data)

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
@place_options
def remove(name: str, config: Path | None, data: Path | None) -> None:
    """Remove the user NAME; connections that it has stay."""
    users = _file(config, data)
    try:
        users.change(lambda old: old.removed(name))
    except UserError as error:
        fail(str(error))
    click.echo(f"user {name} removed from {users.path}")


@command.command("list")
@place_options
def list_users(config: Path | None, data: Path | None) -> None:
    """List all users, one a line, with their groups."""
    try:
        for user in _file(config, data).read():
            click.echo(f"{user.name} {','.join(user.groups)}".rstrip())
    except UserError as error:
        fail(str(error))


@command.command()
@_name
@place_options
def password(name: str, config: Path | None, data: Path | None) -> None:
    """Give the user NAME another password."""
    users = _file(config, data)
    try:
        users.read().existing(name)
        made = hash_password(_new_password(name), secrets.token_bytes(SALT_LENGTH))
        users.change(lambda old: old.with_password(name, made))
    except UserError as error:
        fail(str(error))
    click.echo(f"user {name} has another password")


@command.command()
@_name
@place_options
def check(name: str, config: Path | None, data: Path | None) -> None:
    """Tell whether a password is that of the user NAME."""
    try:
        user = _file(config, data).read().existing(name)
    except UserError as error:
        fail(str(error))
    if not user.password.matches(ask_password(f"Password of {name}", confirmed=False).encode("utf-8")):
        fail(f"that is not the password of {name}")
    click.echo(f"that is the password of {name}")


def _file(config: Path | None, data: Path | None) -> UsersFile:
    return UsersFile(configuration_of(config, data).users_file)


def _new_password(name: str) -> str:
    return ask_password(f"New password of {name}", confirmed=True)

"""Users at the start of a queue manager: reads the file, and requires a user if other machines can connect."""

from __future__ import annotations

import os
import secrets
import shlex
from collections.abc import Iterable

from mqbridge.bridge.config import Configuration
from mqbridge.bridge.program_name import program
from mqbridge.bridge.security import KEY_LENGTH, Authenticator, Security, UserError, is_loopback
from mqbridge.bridge.security.users_file import UsersFile

from .errors import WRONG_CONFIGURATION, StartError

SUGGESTED_USER = "app"
"""The user of the default authority records."""


def open_users(configuration: Configuration, security: Security) -> None:
    """Read the file of users, which is checked for changes whenever a client connects. Raises `StartError`."""
    file = UsersFile(configuration.users_file)
    try:
        users = file.read()
        users.check()
    except UserError as error:
        raise StartError(f"the users cannot be read: {error}", WRONG_CONFIGURATION) from error
    security.authenticator = Authenticator(secrets.token_bytes(KEY_LENGTH))
    security.take_users(users)
    security.reload = file.changed


def require_users(configuration: Configuration, security: Security, hosts: Iterable[str]) -> None:
    """Raise `StartError`, with the command to type, if a listening address is reachable from other machines, clients
    there need a password, and there is no user."""
    exposed = [host for host in hosts if not is_loopback(host)]
    if not exposed or not security.lacks_users():
        return
    option = "--data" if configuration.source is None else "--config"
    place = shlex.quote(os.path.relpath(configuration.source or configuration.queue_manager.data))
    raise StartError(
        f"other machines can reach the listener on {exposed[0] or 'all addresses'}, so that clients need a password, "
        "and there is no user yet. Add one:\n"
        f"  {program()} user add {SUGGESTED_USER} {option} {place}\n"
        "or listen on 127.0.0.1 alone; or ask nobody for a password, with this line in an MQSC file that runs at the "
        "start:\n"
        f"  ALTER AUTHINFO({security.connection_check().source}) AUTHTYPE(IDPWOS) CHCKCLNT(NONE)",
        WRONG_CONFIGURATION,
    )

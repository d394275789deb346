"""``mqbridge certificate``: certificates of a queue manager, and whom it trusts."""

from __future__ import annotations

import click

from mqbridge.bridge.cli.asking import InterruptibleGroup

from .making import create, issue, request, revoke, sign
from .showing import export, list_certificates
from .taking import import_key, receive, remove, revocations, trust, untrust


@click.group(cls=InterruptibleGroup)
def command() -> None:
    """Make, request, take over, list and export certificates, and say whose are trusted.

    They are files in the folder ssl of the data folder, so the queue manager need not run; one that runs takes changes
    over with REFRESH SECURITY TYPE(SSL). Passwords are never arguments: they are asked for, or read as the first line
    of standard input. Status 0: done; 1: it could not be done; 2: the configuration is wrong.
    """


for each in (
    create,
    request,
    receive,
    import_key,
    trust,
    untrust,
    revocations,
    list_certificates,
    export,
    issue,
    sign,
    revoke,
    remove,
):
    command.add_command(each)

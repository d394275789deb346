"""``mqbridge store check|repair|copy|compact DIR``: maintenance of a data folder that no queue manager uses."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import NoReturn

import click

from mqbridge.bridge.store import offline_maintenance as care
from mqbridge.bridge.store.errors import StoreError, StoreLocked, StoreNewer
from mqbridge.bridge.store.repair import repair

DAMAGED = 1
REFUSED = 3

_folder = click.argument("folder", metavar="DIR", type=click.Path(exists=True, file_okay=False, path_type=Path))


@click.group()
def command() -> None:
    """Check, repair, copy or compact a data folder that no queue manager uses.

    Status 0: done; 1: damage was found, or it could not be done; 3: the folder is in use or of a newer release.
    """


@command.command()
@_folder
def check(folder: Path) -> None:
    """Read everything in DIR and tell what is damaged, and where."""
    try:
        damages = care.check(folder)
    except StoreError as error:
        _fail(error)
    for damage in damages:
        click.echo(f"{damage.where}: {damage.what}")
    if damages:
        click.echo(f"{folder}: {len(damages)} damaged", err=True)
        sys.exit(DAMAGED)
    click.echo(f"{folder}: no damage")


@command.command("repair")
@_folder
@click.option("--accept-loss", is_flag=True, help="Go on without what is lost; without this nothing is changed.")
def repair_folder(folder: Path, accept_loss: bool) -> None:
    """Make a damaged DIR one that starts: what is whole is kept, what is lost is listed.

    Without --accept-loss it lists the damage and changes nothing. Copy DIR first: there is no way back.
    """
    try:
        damages = care.check(folder)
        if not damages:
            click.echo(f"{folder}: no damage, nothing to repair")
            return
        if not accept_loss:
            for damage in damages:
                click.echo(f"{damage.where}: {damage.what}")
            click.echo(f"{folder}: {len(damages)} damaged; --accept-loss goes on without what is lost", err=True)
            sys.exit(DAMAGED)
        done = repair(folder, time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()))
    except StoreError as error:
        _fail(error)
    for line in done.lost:
        click.echo(f"damaged: {line}")
    click.echo(f"{folder}: repaired; it holds {done.messages:,} messages and {done.records:,} records")


@command.command()
@_folder
@click.argument("target", metavar="TARGET", type=click.Path(path_type=Path))
def copy(folder: Path, target: Path) -> None:
    """Copy the store in DIR to TARGET, a folder that is new or empty."""
    try:
        care.copy(folder, target)
    except StoreError as error:
        _fail(error)
    click.echo(f"{folder}: copied to {target}")


@command.command()
@_folder
def compact(folder: Path) -> None:
    """Rewrite the file in DIR without the space that removed messages left."""
    try:
        before, after = care.compact(folder)
    except StoreError as error:
        _fail(error)
    click.echo(f"{folder}: {before:,} bytes before, {after:,} after")


def _fail(error: StoreError) -> NoReturn:
    """Print why nothing was done, and exit with the status for it."""
    click.echo(str(error), err=True)
    sys.exit(REFUSED if isinstance(error, StoreLocked | StoreNewer) else DAMAGED)

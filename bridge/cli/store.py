"""``mqbridge store check|copy|compact DIR``: care of a data folder that no queue manager uses."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NoReturn

import click

from bridge.store import care
from bridge.store.errors import StoreError, StoreLocked, StoreNewer

DAMAGED = 1
REFUSED = 3

_folder = click.argument("folder", metavar="DIR", type=click.Path(exists=True, file_okay=False, path_type=Path))


@click.group()
def command() -> None:
    """Check, copy or compact a data folder that no queue manager uses.

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
    """Tell why nothing was done, and end with the status for it."""
    click.echo(str(error), err=True)
    sys.exit(REFUSED if isinstance(error, StoreLocked | StoreNewer) else DAMAGED)

"""``mqbridge protocol``: protocols over TCP described as data, learnt, checked and played."""

from __future__ import annotations

import click

from mqbridge.bridge.cli.asking import InterruptibleGroup

from .check import command as check
from .learn import command as learn
from .play import command as play


@click.group("protocol", cls=InterruptibleGroup)
def command() -> None:
    """Protocols over TCP described as data (docs/partners.md): learn, check and play them."""


command.add_command(learn)
command.add_command(check)
command.add_command(play)

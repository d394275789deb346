"""``mqbridge moq``: the tools of MyOpenQ, with the parameters of the thesis (myopenq.md M-075 to M-085)."""

from __future__ import annotations

import click

from mqbridge.bridge.cli.asking import InterruptibleGroup

from .data_folder import bring_in, take_out
from .queues import create, delete, shutdown
from .texts import browse, count, display, get, purge, put


@click.group("moq", cls=InterruptibleGroup)
def command() -> None:
    """Call a server of MyOpenQ, such as a door of a queue manager.

    Status 0; 1 where the server refuses, with its code; 2 where it cannot be reached or does not answer.
    """


for each in (create, delete, shutdown, put, get, browse, display, count, purge, bring_in, take_out):
    command.add_command(each)

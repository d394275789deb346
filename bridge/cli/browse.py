"""``mqbridge browse``: shows messages of a queue and leaves them there."""

from __future__ import annotations

from pathlib import Path

import click

from .message_output import OutputOptions, show_messages
from .message_selection import selection_options


@click.command("browse")
@selection_options
def command(
    data: str | None,
    url: str | None,
    client: str | None,
    count: int | None,
    everything: bool,
    wait: float,
    msg_id: str | None,
    correl_id: str | None,
    selector: str | None,
    as_json: bool,
    as_jms: bool,
    output: Path | None,
    queue: str,
) -> None:
    """Show messages of QUEUE and leave them there, one unless --count or --all says otherwise.

    Text is shown in UTF-8. Status 0; 1: nothing is there (2033), or another reason.
    """
    options = OutputOptions(queue, count, everything, wait, msg_id, correl_id, selector, as_json, as_jms, output)
    show_messages(data, url, client, options, takes=False)

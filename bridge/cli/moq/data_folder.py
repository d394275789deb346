"""``mqbridge moq import`` and ``export``: queues and messages from and to a data directory (M-108, M-109)."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Final

import click

from mqbridge.bridge.cli.ending import fail, reason_of
from mqbridge.bridge.client.myopenq import MoqClient
from mqbridge.protocol.myopenq import Code, Create, MoqError, QueueType
from mqbridge.protocol.myopenq.data_files import (
    QUEUES_FILE,
    StoredMessage,
    read_messages,
    read_queues,
    write_messages,
    write_queues,
)

from .calling import REFUSED, Calling, calling_options

_TYPES: Final = {each.name.lower(): each for each in QueueType}
_folder = click.argument("folder", type=click.Path(path_type=Path, file_okay=False), metavar="FOLDER")


@click.command("import")
@calling_options
@_folder
def bring_in(calling: Calling, folder: Path) -> None:
    """Create the queues of FOLDER/queues.data, and put the messages of their files.

    A queue that exists is left as it is, and gets no messages. Time-outs need --framed.
    """
    try:
        queues = read_queues((folder / QUEUES_FILE).read_bytes())
        messages = {each.queue: _messages(folder / each.queue) for each in queues}
    except OSError as error:
        fail(reason_of(error), REFUSED)
    except ValueError as error:
        fail(f"{folder}: {error}", REFUSED)
    with calling.client() as client:
        for queue in queues:
            try:
                client.create(queue)
            except MoqError as error:
                if error.code != Code.QUEUE_EXISTS:
                    raise
                click.echo(f"{queue.queue}: exists, and is left as it is", err=True)
                continue
            for each in messages[queue.queue]:
                client.put(queue.queue, each.text)
            click.echo(f"{queue.queue}: {len(messages[queue.queue])} messages")


def _messages(file: Path) -> list[StoredMessage]:
    """The messages of a file; none where there is no file. Raises ``OSError``, ``ValueError``."""
    if not file.exists():
        return []
    try:
        return list(read_messages(file.read_bytes()))
    except ValueError as error:
        raise ValueError(f"{file.name}: {error}") from error


@click.command("export")
@calling_options
@_folder
@click.argument("queues", nargs=-1, required=True, metavar="QUEUE...")
def take_out(calling: Calling, folder: Path, queues: tuple[str, ...]) -> None:
    """Write queues and their messages to FOLDER; the messages stay on the queues."""
    with calling.client() as client:
        found = {name: (_queue(client, name), _all(client, name)) for name in queues}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, (_, messages) in found.items():
            (folder / name).write_bytes(write_messages(messages))
        (folder / QUEUES_FILE).write_bytes(write_queues(queue for queue, _ in found.values()))
    except OSError as error:
        fail(reason_of(error), REFUSED)
    for name, (_, messages) in found.items():
        click.echo(f"{name}: {len(messages)} messages")


def _queue(client: MoqClient, name: str) -> Create:
    values = dict(each.partition("=")[::2] for each in client.display(name).split(";"))
    try:
        kind = _TYPES[values["type"]]
        return Create(
            values["name"],
            int(values["size"]),
            int(values["length"]),
            kind,
            values["ip"],
            int(values["port"] or 0),
            int(values["timeout"]),
        )
    except (KeyError, ValueError) as error:
        raise MoqError(Code.MALFORMED, f"the description of {name} cannot be read: {error}") from error


def _all(client: MoqClient, name: str) -> list[StoredMessage]:
    """All messages of a queue, by browsing; none of them has a time stamp in an answer, so that of now stands."""
    now, found = int(time.time()), list[StoredMessage]()
    while True:
        try:
            found.append(StoredMessage(now, client.browse(name, len(found) + 1)))
        except MoqError as error:
            if error.code != Code.NOT_FOUND:
                raise
            return found

"""``mqbridge decode --protocol``: connections of a protocol that is described as data."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import BinaryIO, Final

import click

from mqbridge.bridge.config.protocol_files import load_protocol
from mqbridge.captures.described import DescribedMessages, ReadMessage, message_json, message_lines
from mqbridge.captures.dialogues import UnreadableError, open_dialogues
from mqbridge.mappings.templates import TemplateError

from .ending import fail

WRONG: Final = 2


def decode_described(description: Path, file: BinaryIO, port: int | None, keylog: str | None, *, as_json: bool) -> bool:
    """Show the messages in a file by the description of their protocol; return whether it explains all of them. Ends
    the command with status 2 where the description or the file cannot be read."""
    try:
        protocol = load_protocol(description)
        source = file if file.seekable() else io.BytesIO(file.read())
        dialogues = open_dialogues(source, port, keylog)
    except (TemplateError, UnreadableError) as error:
        fail(f"mqbridge: {error}", WRONG)
    shown = []
    complete = True
    for found in DescribedMessages(protocol, dialogues):
        complete = complete and isinstance(found, ReadMessage)
        if as_json:
            shown.append(message_json(found))
        else:
            click.echo("\n".join(message_lines(found)))
    notes = [*dialogues.notes, *dialogues.remarks]
    if as_json:
        about = {"protocol": protocol.name, "complete": complete, "notes": notes, "messages": shown}
        click.echo(json.dumps(about, ensure_ascii=False, indent=1))
    else:
        for note in notes:
            click.echo(f"note: {note}", err=True)
    return complete

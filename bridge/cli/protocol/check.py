"""``mqbridge protocol check``: how much of a capture a description explains."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import click

from mqbridge.captures.described import DescribedMessages, check

from .sources import KEYLOG, PORT, dialogues_of, protocol_of

UNEXPLAINED: Final = 1


@click.command("check")
@PORT
@KEYLOG
@click.option("--json", "as_json", is_flag=True, help="One JSON object in place of text.")
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE")
@click.argument("capture", metavar="CAPTURE")
def command(port: int | None, keylog: str | None, as_json: bool, file: Path, capture: str) -> None:
    """Say how much of CAPTURE the description FILE explains.

    CAPTURE is what `learn` reads. Status 1 if something is not explained, 2 if a file cannot be read.
    """
    protocol = protocol_of(file)
    dialogues = dialogues_of(capture, port, keylog)
    result = check(DescribedMessages(protocol, dialogues))
    result.notes += dialogues.notes
    for remark in dialogues.remarks:
        click.echo(f"mqbridge: {remark}", err=True)
    click.echo(json.dumps(result.as_json(), ensure_ascii=False, indent=1) if as_json else "\n".join(result.lines()))
    if not result.complete:
        raise SystemExit(UNEXPLAINED)

"""What commands read: captures, lines of hexadecimal digits, printed dumps."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any, BinaryIO, Final, NoReturn

import click

from mqbridge.bridge.cli.ending import fail, reason_of
from mqbridge.bridge.config.protocol_files import load_protocol
from mqbridge.captures.dialogues import Dialogues, UnreadableError, open_dialogues
from mqbridge.mappings.templates import Protocol, TemplateError

WRONG: Final = 2

PORT: Final = click.option("--port", type=click.IntRange(1, 65535), metavar="N", help="Port of the responder.")
KEYLOG: Final = click.option(
    "--keylog",
    type=click.Path(exists=True, dir_okay=False, readable=True),
    metavar="FILE",
    help="Keys of TLS connections, as SSLKEYLOGFILE has them; needs tshark.",
)


def dialogues_of(capture: str, port: int | None, keylog: str | None) -> Dialogues:
    """Return the dialogues in a file, ``-`` for standard input. Ends the command with status 2 where there are none."""
    try:
        return open_dialogues(_file(capture), port, keylog)
    except UnreadableError as error:
        fail(f"mqbridge: {capture}: {error}", WRONG)
    except OSError as error:
        fail(f"mqbridge: {reason_of(error)}", WRONG)


def protocol_of(file: Path) -> Protocol:
    """Return the protocol that a file describes. Ends the command with status 2 where it is wrong."""
    try:
        return load_protocol(file)
    except TemplateError as error:
        fail(f"mqbridge: {error}", WRONG)


def no_numpy(error: ImportError) -> NoReturn:
    """End the command where the learner's package is missing."""
    fail(f"mqbridge: learning needs numpy: pip install 'mqbridge[learn]' ({error})", WRONG)


def _file(capture: str) -> BinaryIO:
    if capture != "-":
        return click.get_current_context().with_resource(open(capture, "rb"))
    source: Any = sys.stdin.buffer
    return source if source.seekable() else io.BytesIO(source.read())

"""Which kind of source a file is."""

from __future__ import annotations

from os import PathLike
from typing import BinaryIO, Final

from mqbridge.captures.reading.packets import is_capture
from mqbridge.protocol.dissection.hex_text import is_hex_text
from mqbridge.protocol.errors import MQBridgeError

from .captures import CaptureDialogues
from .dumps import DumpDialogues
from .events import Dialogues
from .hex_lines import HexDialogues

MAX_TEXT: Final = 64 << 20
"""Longest text of hexadecimal digits or dumps in bytes."""


class UnreadableError(MQBridgeError):
    """A file is neither a capture nor hexadecimal text nor a dump."""


def open_dialogues(file: BinaryIO, port: int | None = None, keylog: str | PathLike[str] | None = None) -> Dialogues:
    """Return the dialogues in a file, which can be sought. ``port``: of the responder, None for all; ``keylog``: keys
    of TLS in a capture. Raises `UnreadableError`."""
    head = file.read(4)
    file.seek(0)
    if len(head) == 4 and is_capture(head):
        return CaptureDialogues(file, port, keylog)
    data = file.read(MAX_TEXT + 1)
    if len(data) > MAX_TEXT:
        raise UnreadableError(f"text of more than {MAX_TEXT} bytes")
    dump = DumpDialogues(data.decode("latin-1"), port)
    if dump:
        return dump
    if is_hex_text(data):
        return HexDialogues(data)
    raise UnreadableError("neither a capture nor lines of hexadecimal digits nor a dump")

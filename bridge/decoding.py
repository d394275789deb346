"""``mqbridge.decode``: segments or a message as plain data, as in ``mqbridge decode --json``."""

from __future__ import annotations

from typing import Any

from mqbridge.bridge.message_json.properties import folder_values
from mqbridge.protocol.dissection import Findings, begins_segment, dissect_message, dissect_segments
from mqbridge.protocol.dissection.hex_text import read_hex_text
from mqbridge.protocol.formats import NO_FORMATS, Formats


def decode(
    data: bytes | str,
    *,
    ccsid: int | None = None,
    encoding: int | None = None,
    format: str | None = None,
    formats: Formats = NO_FORMATS,
) -> dict[str, Any]:
    """Decode segments, or a message that begins with its descriptor or a header.

    ``data``: bytes, or hexadecimal text as ``mqbridge decode`` accepts it. ``ccsid``, ``encoding``, ``format``: values
    of the descriptor for a message that has none. ``formats``: formats beside MQ's own, such as those of installed
    plug-ins (``mqbridge.load_formats()``). The result has ``input``, ``complete``, ``errors``, and ``segments``
    or ``structures`` and ``body``; whatever cannot be decoded is an error there. Passwords are masked. Raises
    ``HexTextError`` for text that is not hexadecimal.
    """
    if isinstance(data, str):
        data = b"".join(piece.data for piece in read_hex_text(data.encode()))
    findings = Findings(read_folder=folder_values, formats=formats)
    content: dict[str, Any]
    if format is None and begins_segment(data):
        kind, content = "segments", {"segments": list(dissect_segments(data, findings))}
    else:
        kind = "message"
        content = dissect_message(data, findings, ccsid=ccsid, encoding=encoding, message_format=format)
    return {"input": kind, "complete": not findings.errors, "errors": findings.errors, **content}

"""``mqbridge.decode``: bytes of the wire or of a message as plain data, as ``mqbridge decode --json`` shows them."""

from __future__ import annotations

from typing import Any

from mqbridge.bridge.message_json.properties import folder_values
from mqbridge.protocol.dissection import Findings, begins_segment, dissect_message, dissect_segments
from mqbridge.protocol.dissection.hex_text import read_hex_text


def decode(
    data: bytes | str, *, ccsid: int | None = None, encoding: int | None = None, format: str | None = None
) -> dict[str, Any]:
    """What bytes hold: a run of segments, or a message that begins with its descriptor or a header.

    ``data``: bytes, or hexadecimal text as ``mqbridge decode`` takes it. ``ccsid``, ``encoding``, ``format``: what the
    descriptor of a message would have said that has none. The result has ``input``, ``complete``, ``errors``, and
    ``segments`` or ``structures`` and ``body``; what cannot be taken apart is an error there. Passwords are masked.
    Raises ``HexTextError`` for text that is not hexadecimal.
    """
    if isinstance(data, str):
        data = b"".join(piece.data for piece in read_hex_text(data.encode()))
    findings = Findings(read_folder=folder_values)
    content: dict[str, Any]
    if format is None and begins_segment(data):
        kind, content = "segments", {"segments": list(dissect_segments(data, findings))}
    else:
        kind = "message"
        content = dissect_message(data, findings, ccsid=ccsid, encoding=encoding, message_format=format)
    return {"input": kind, "complete": not findings.errors, "errors": findings.errors, **content}

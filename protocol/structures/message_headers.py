"""The headers in front of the data of a MESSAGE_DATA segment as one structure: TSH, MSH, XQH and MD version 1.

The four always occur together (mq-wire.md 5.14, 7.4), so they are read and built at once. Field names begin with that
of their part: ``msh_sequence_number``, ``md_msg_id``.
"""

from __future__ import annotations

from typing import Any

from construct import Struct

from mqbridge.protocol.fields import Numbers
from mqbridge.protocol.grammar import Structure
from mqbridge.protocol.layouts.message_headers import (
    MessageHeadersBig,
    MessageHeadersLittle,
    MessagePrefixBig,
    MessagePrefixLittle,
    SegmentHeadersBig,
    SegmentHeadersLittle,
    TransmissionHeadersBig,
    TransmissionHeadersLittle,
)

from .md import MD1
from .msh import MSH
from .tsh import TSH
from .xqh import XQH


def _segment(n: Numbers) -> Any:
    return Struct("tsh" / TSH.layout(n), *_message(n).subcons)


def _message(n: Numbers) -> Any:
    return Struct("msh" / MSH.layout(n), *_transmission(n).subcons)


def _transmission(n: Numbers) -> Any:
    return Struct("xqh" / XQH.layout(n), "md" / MD1.layout(n))


def _prefix(n: Numbers) -> Any:
    return Struct("tsh" / TSH.layout(n), "msh" / MSH.layout(n))


SEGMENT_HEADERS = Structure("MESSAGE_DATA", _segment, SegmentHeadersBig, SegmentHeadersLittle, spec="mq-wire.md 7.4")
"""TSH, MSH, XQH and MD: 476 bytes, a whole segment except the data."""

MESSAGE_HEADERS = Structure("MESSAGE_DATA", _message, MessageHeadersBig, MessageHeadersLittle, spec="mq-wire.md 7.4")
"""MSH, XQH and MD: 448 bytes, the beginning of the segment's body."""

TRANSMISSION_HEADERS = Structure(
    "MQXQH", _transmission, TransmissionHeadersBig, TransmissionHeadersLittle, spec="mq-wire.md 5.14"
)
"""XQH and MD: 428 bytes, IBM's MQXQH, the beginning of a message on a transmission queue."""

MESSAGE_PREFIX = Structure("MESSAGE_PREFIX", _prefix, MessagePrefixBig, MessagePrefixLittle, spec="mq-wire.md 7.4")
"""TSH and MSH, which the sender adds in front of MQXQH and data: 48 bytes."""

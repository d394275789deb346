"""Check the headers before the data of a message that a program puts (mqi.md 5.3).

They are checked with a version 2 descriptor, up to the first dead-letter header: the data behind that, and the data of
reports, may be truncated.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.bridge.queue_manager.objects import NO_LIMIT
from mqbridge.mappings.descriptor import format_test
from mqbridge.mappings.headers import HEADER_FORMATS
from mqbridge.mappings.properties import MAX_TAGS, headers_of, property_bytes, too_many_tags
from mqbridge.mappings.properties.quick_folders import quick_header
from mqbridge.protocol.constants import MQMT, MQRC
from mqbridge.protocol.constants.lengths import MQMD_LENGTH_2
from mqbridge.protocol.errors import StructureError

if TYPE_CHECKING:
    from mqbridge.bridge.queue_manager.core import Core
    from mqbridge.mappings.message import Message

_begins_with_header: Final = format_test(*HEADER_FORMATS)
_REASONS: Final = {
    "CIH": MQRC.CICS_WAIT_FAILED,  # the number of CIH_ERROR
    "DH": MQRC.DH_ERROR,
    "DLH": MQRC.DLH_ERROR,
    "IIH": MQRC.IIH_ERROR,
    "MD": MQRC.XQH_ERROR,
    "MDE": MQRC.MDE_ERROR,
    "RFH": MQRC.RFH_ERROR,
    "RFH2": MQRC.RFH_ERROR,
    "RMH": MQRC.RMH_ERROR,
    "TM": MQRC.TM_ERROR,
    "TMC2": MQRC.TMC_ERROR,
    "WIH": MQRC.WIH_ERROR,
    "XQH": MQRC.XQH_ERROR,
}
"""Reason code by header; 2142 for headers without one of their own."""


def check_headers(core: Core, message: Message) -> None:
    """Raise `MQError` for an invalid header: 2135, 2140, 2141, 2148, 2220, 2248, 2260, 2265, 2333, 2334, 2142;
    2478 for properties longer than MAXPROPL, or more than ``MAX_TAGS``."""
    raw_md = message.raw_md
    if not _begins_with_header(raw_md):
        return
    if core.max_properties != NO_LIMIT:
        _check_properties(message, core.max_properties)
    old = len(raw_md) != MQMD_LENGTH_2
    if (old and len(message) <= MAX_TAGS) or quick_header(message) is not None:
        return
    if message.md.offset:
        return  # a later segment begins with the rest of its predecessor's data, not with a header
    chain = headers_of(message)
    if chain is None:
        return
    if too_many_tags(chain):
        raise MQError(MQRC.PROPERTIES_TOO_BIG, f"more than {MAX_TAGS} tags and references in its folders")
    if old or not isinstance(chain.stopped, StructureError):
        return
    if chain.find("DLH") is not None or message.md.msg_type == MQMT.REPORT or len(chain.data) < len(message):
        return
    reason = _REASONS.get(chain.stopped.structure, MQRC.HEADER_ERROR)
    raise MQError(reason, f"{chain.body_format}: {chain.stopped}")


def _check_properties(message: Message, limit: int) -> None:
    length = property_bytes(message)
    if length > limit:
        raise MQError(MQRC.PROPERTIES_TOO_BIG, f"{length} bytes, MAXPROPL {limit}")

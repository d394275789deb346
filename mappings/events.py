"""Event messages: PCF messages that the queue manager puts to its event queues (mq-wire.md 5.16)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

from mqbridge.protocol.constants import MQCC, MQCFT, MQFMT, MQMT
from mqbridge.protocol.structures.pcf import Parameter, byte_string_parameter, make_pcf, string_parameter
from mqbridge.protocol.text import encode_text

from .message import Message
from .mq import NATIVE_ORDER

EventValue: TypeAlias = "int | str | bytes | Sequence[EventParameter] | Parameter"
EventParameter: TypeAlias = "tuple[int, EventValue] | Parameter"
"""Id of a PCF parameter and its value: a number, a text, bytes, or the parameters of a group."""

_WITH_GROUPS: Final = 3


def event_message(
    ccsid: int, command: int, reason: int, parameters: Sequence[EventParameter], *, queue_manager: str
) -> Message:
    """Build an event message of format MQEVENT in the queue manager's byte order and CCSID, with priority and
    persistence as defaulted by the event queue."""
    made = [_parameter(each, ccsid) for each in parameters]
    version = _WITH_GROUPS if any(each.type == MQCFT.GROUP for each in made) else 1
    data = make_pcf(
        NATIVE_ORDER,
        int(command),
        made,
        type=MQCFT.EVENT,
        version=version,
        comp_code=MQCC.WARNING,
        reason=int(reason),
    ).build()
    return Message.build(
        data,
        order=NATIVE_ORDER,
        ccsid=ccsid,
        msg_type=MQMT.DATAGRAM,
        format=MQFMT.EVENT,
        encoding=NATIVE_ORDER.encoding,
        coded_char_set_id=ccsid,
        expiry=-1,
        priority=-1,
        persistence=2,
        reply_to_q_mgr=queue_manager,
    )


def _parameter(given: EventParameter, ccsid: int) -> Parameter:
    if isinstance(given, Parameter):
        return given
    number, value = int(given[0]), given[1]
    if isinstance(value, int):
        return Parameter(MQCFT.INTEGER, number, int(value))
    if isinstance(value, str):
        return string_parameter(number, encode_text(value, ccsid, errors="replace"), ccsid)
    if isinstance(value, bytes):
        return byte_string_parameter(number, value)
    assert not isinstance(value, Parameter)
    return Parameter(MQCFT.GROUP, number, [_parameter(each, ccsid) for each in value])

"""Descriptors of the messages that callers put: persistent text, with an id and the time of each."""

from __future__ import annotations

from typing import Final

from mqbridge.bridge.agents.linking.message_ids import MessageIds
from mqbridge.bridge.queue_manager import Application
from mqbridge.mappings.descriptor import new_descriptor, place
from mqbridge.mappings.moment import Time, put_date_and_time
from mqbridge.mappings.mq import NATIVE_ORDER
from mqbridge.protocol.constants import MQFMT, MQPER

_MSG_ID: Final = place("msg_id")
_PUT_TIME: Final = slice(place("put_date").start, place("put_time").stop)


class Descriptors:
    """Makes them. ``application``: who puts; ``ccsid``: of the text; ``ids``: their message ids."""

    __slots__ = ("_behind", "_between", "_front", "_ids")

    def __init__(self, application: Application, ccsid: int, ids: MessageIds) -> None:
        raw = new_descriptor(
            NATIVE_ORDER,
            ccsid,
            format=MQFMT.STRING,
            coded_char_set_id=ccsid,
            persistence=MQPER.PERSISTENT,
            user_identifier=application.user[:12],
            put_appl_type=application.appl_type,
            put_appl_name=application.appl_name,
        ).build()
        self._front = raw[: _MSG_ID.start]
        self._between = raw[_MSG_ID.stop : _PUT_TIME.start]
        self._behind = raw[_PUT_TIME.stop :]
        self._ids = ids

    def new(self, now: Time) -> bytes:
        """The descriptor of a message that is put now."""
        date = "".join(put_date_and_time(now)).encode("ascii")
        return b"".join((self._front, self._ids.message_id(), self._between, date, self._behind))

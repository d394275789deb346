"""Copies of a publication for its subscribers: descriptor and properties (mqi.md 17 rows 13 to 15).

A copy has a MsgId of its own, the subscription's CorrelId and identity context, and the queue manager as its origin
(PutApplType 26). Its Report requests nothing: reports that the publisher requested concern its own put. All other
fields are the publication's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mqbridge.bridge.queue_manager.putting.descriptors import fitting
from mqbridge.mappings.body import BodyFromOffset, BodyPieces
from mqbridge.mappings.descriptor import patcher
from mqbridge.mappings.descriptor import place as place_of
from mqbridge.mappings.message import Message
from mqbridge.mappings.moment import Time, put_date_and_time
from mqbridge.mappings.publications import (
    PublicationProperties,
    identity_context,
    with_command_folder,
    with_command_names,
    with_properties,
)
from mqbridge.mappings.reports import ANY_REPORT
from mqbridge.protocol.constants import MQAT, ByteOrder

from .subscription import PRIORITY_AS_PUBLISHED

if TYPE_CHECKING:
    from mqbridge.bridge.queue_manager.core import Core

    from .subscription import Subscription

_SET_PRIORITY = {order: patcher(order, "priority") for order in ByteOrder}
_IDS: Final = slice(place_of("msg_id").start, place_of("correl_id").stop)
_IDENTITY: Final = slice(place_of("user_identifier").start, place_of("appl_identity_data").stop)
_USER_LENGTH: Final = 12
_APPL_NAME_LENGTH: Final = 28
_IDENTITY_DATA_LENGTH: Final = 32


class Copies:
    """Factory of the copies of one publication. Copies with the same properties share their data.

    ``published``: the message as put, with its descriptor completed; the caller keeps its body. ``length``: bytes of
    its data.
    """

    __slots__ = ("_core", "_forms", "_plain", "_retained", "_topic", "length")

    def __init__(self, core: Core, published: Message, topic: str, now: Time, *, retained: bool = False) -> None:
        self._core = core
        self._topic = topic
        self._retained = retained
        self.length = len(published)
        body = published.body
        plain = published.copy(body if isinstance(body, bytes | memoryview | BodyPieces) else BodyFromOffset(body, 0))
        date, clock = put_date_and_time(now)
        plain.md.set(
            report=plain.md.report & ~ANY_REPORT,
            put_appl_type=MQAT.QMGR_PUBLISH,
            put_appl_name=fitting(core.name, _APPL_NAME_LENGTH),
            put_date=date,
            put_time=clock,
            appl_origin_data="",
            backout_count=0,
        )
        self._plain = plain
        self._forms: dict[tuple[str, str], Message] = {}

    def form(self, properties: str = "MSGPROP", user_data: str = "") -> Message:
        """The message with the properties that PSPROP and SubUserData ask for, before per-subscription fields.

        Raises ``MQBridgeError`` if Format, Encoding or CCSID of the descriptor do not fit the data.
        """
        key = (properties, user_data)
        made = self._forms.get(key)
        if made is None:
            values = PublicationProperties(self._topic, user_data, self._retained)
            if properties == "MSGPROP":
                made = with_properties(self._plain, values)
            elif properties == "RFH2":
                made = with_command_folder(self._plain, values)
            elif properties == "COMPAT":
                made = with_command_names(self._plain, values)
            else:
                made = self._plain
            self._forms[key] = made
        return made

    def copy_for(self, subscription: Subscription) -> Message:
        """The message for a subscription's destination."""
        form = self.form(subscription.properties, subscription.user_data)
        order, ccsid = form.order, form.ccsid
        raw = form.raw_md
        if subscription.priority != PRIORITY_AS_PUBLISHED:
            raw = _SET_PRIORITY[order](raw, subscription.priority)
        identity = identity_context(
            fitting(subscription.user, _USER_LENGTH),
            subscription.accounting_token,
            fitting(subscription.appl_identity_data, _IDENTITY_DATA_LENGTH),
            ccsid,
        )
        raw = b"".join(
            (
                raw[: _IDS.start],
                self._core.ids.message_id(),
                subscription.correl_id,
                raw[_IDS.stop : _IDENTITY.start],
                identity,
                raw[_IDENTITY.stop :],
            )
        )
        return Message(raw, form.body, order=order, ccsid=ccsid)

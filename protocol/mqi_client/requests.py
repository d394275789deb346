"""Bodies of calls as clients send them, behind the API header (mq-wire.md 8.3, client-observed.md 1.1 and 4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from mqbridge.protocol import inferred
from mqbridge.protocol.constants import MQCNO, MQCSP, MQOT, MQPMO, ByteOrder, ControlFlags1
from mqbridge.protocol.framing import SegmentWriter
from mqbridge.protocol.mqi.parameters import ClientNegotiated
from mqbridge.protocol.structures import (
    CAUT,
    CAUT_13,
    CONN,
    FCNO,
    FCNO_3,
    FCNO_4,
    FOPA,
    SHORT_FOPA_SIZE,
    UID,
    Body,
    make_gmo,
    make_inq,
    make_od,
    make_pmo,
    make_sd,
)
from mqbridge.protocol.structures.sro import SRO
from mqbridge.protocol.structures.sub import SUB
from mqbridge.protocol.structures.userid import SHORT_UID_SIZE
from mqbridge.protocol.text import encode_field, encode_text

from .parameters import MAX_PASSWORD, MAX_USER, ClientParameters

_UTF_8: Final = 1208
STRING_ROOM: Final = 10240
"""Bytes reserved in a reply for a string or extra data."""
_STRING_ROOMS: Final[Mapping[str, Any]] = {
    "selection_string_vs_buf_size": STRING_ROOM,
    "res_object_string_vs_buf_size": STRING_ROOM,
}
"""Room for the strings that come back in an OD or SD."""
MODEL_NAME: Final = "AMQ.*"
"""Default template for the name of a dynamic queue."""
_CONN_OPTIONS: Final = ((10, 7), (0, 3))
"""CONN.Options by the lowest level that has it."""
_FCNO_FORMS: Final = (
    (15, 4, FCNO_4, 352),
    (14, 3, FCNO_3, 340),
    (12, 2, FCNO, 212),
    (10, 1, FCNO, 212),
    (8, 1, FCNO, 140),
)
"""Lowest level, version, layout and length of FCNO."""
_RESERVED_LEVEL: Final = 13
_LONG_UID_LEVEL: Final = 6
_LONG_FOPA_LEVEL: Final = 12
_FOPA_LEVEL: Final = 9
_LONG_FOPA: Final = 1
_TAG_LEVEL: Final = 14
_ASYNC_RESPONSE: Final = int(MQPMO.ASYNC_RESPONSE)
_SYNC_RESPONSE: Final = int(MQPMO.SYNC_RESPONSE)


def word(writer: SegmentWriter, number: int) -> bytes:
    """Encode a u32."""
    return (number & 0xFFFFFFFF).to_bytes(4, writer.order.endian)


def user_data(parameters: ClientParameters, agreed: ClientNegotiated, writer: SegmentWriter) -> bytes:
    """Build UID: the user of the process, never the password (client-observed.md O-008)."""
    name, ccsid = parameters.system_user or parameters.user, writer.ccsid
    record = UID.codec(writer.order)(
        user_id=encode_field(name.upper()[:12], 12, ccsid),
        password=encode_field("", 12, ccsid),
        long_user_id=encode_field(name[:64], 64, ccsid),
    )
    return Body(record, UID.size if agreed.fap_level >= _LONG_UID_LEVEL else SHORT_UID_SIZE).build()


def credentials(parameters: ClientParameters, agreed: ClientNegotiated, writer: SegmentWriter) -> bytes:
    """Build CAUT: user and password in clear text (client-observed.md O-023, O-025). Raises ``ConversionError``."""
    user = encode_text(parameters.user, writer.ccsid)[:MAX_USER]
    password = encode_text(parameters.password, writer.ccsid)[:MAX_PASSWORD]
    values = {
        "struc_id": b"CAUT",
        "auth_type": MQCSP.AUTH_USER_ID_AND_PWD,
        "user_id_max_length": len(user),
        "password_max_length": len(password),
        "user_id_length": len(user),
        "password_length": len(password),
        "user_id": user,
        "password": password,
        "padding": b"",
    }
    if agreed.fap_level >= _RESERVED_LEVEL:
        return CAUT_13.build({**values, "reserved": bytes(8)}, writer.order)
    return CAUT.build(values, writer.order)


def connect(parameters: ClientParameters, agreed: ClientNegotiated, writer: SegmentWriter) -> bytes:
    """Build CONN and FCNO."""
    level, ccsid = agreed.fap_level, writer.ccsid
    tagged = level >= _TAG_LEVEL
    conn = CONN.codec(writer.order)(
        q_mgr_name=encode_field(parameters.queue_manager, 48, ccsid),
        appl_name=encode_field(parameters.application[:28], 28, ccsid),
        appl_type=inferred.CLIENT_APPLICATION_TYPE,
        options=next(options for least, options in _CONN_OPTIONS if level >= least),
        x_options=MQCNO.GENERATE_CONN_TAG if tagged else 0,
    ).build()
    for least, version, form, size in _FCNO_FORMS:
        if level >= least:
            names: dict[str, Any] = {
                key: encode_field("", length, ccsid)
                for key, length in (("product_id24", 24), ("q_mgr_identifier", 48))
                if key in form.codec(writer.order).KEYS
            }
            return conn + Body(form.codec(writer.order)(version=version, **names), size).build()
    return conn


@dataclass(kw_only=True, slots=True)
class ObjectName:
    """Names for an open or put1. ``type``: MQOT. Text is ``str``, of any length."""

    type: int = MQOT.Q
    name: str = ""
    queue_manager: str = ""
    dynamic_name: str = MODEL_NAME
    alternate_user: str = ""
    string: str | None = None
    """Topic string."""
    selector: str | None = None

    def build(self, writer: SegmentWriter, *, version: int | None = None) -> tuple[bytes, int]:
        """Build OD; also returns the bytes that the reply may be longer. Raises ``ConversionError``."""
        ccsid, has_strings = writer.ccsid, self.string is not None or self.selector is not None
        if version is None:
            version = 4 if has_strings else 2
        names = self.name, self.queue_manager, self.dynamic_name, self.alternate_user
        if not has_strings:
            return _plain_od(writer.order, ccsid, version, self.type, *names), 0
        values = _od_values(ccsid, self.type, *names)
        strings: Mapping[str, bytes | None] = {
            "object_string": encode_text(self.string or "", _UTF_8),
            "selection_string": encode_text(self.selector or "", _UTF_8),
            "res_object_string": b"",
        }
        return make_od(writer.order, 4, strings=strings, **values, **_STRING_ROOMS).build(), 2 * STRING_ROOM


def _od_values(
    ccsid: int, kind: int, name: str, queue_manager: str, dynamic_name: str, alternate_user: str
) -> dict[str, Any]:
    return {
        "object_type": kind,
        "object_name": encode_field(name, 48, ccsid),
        "object_q_mgr_name": encode_field(queue_manager, 48, ccsid),
        "dynamic_q_name": encode_field(dynamic_name, 48, ccsid),
        "alternate_user_id": encode_field(alternate_user, 12, ccsid),
        "resolved_q_name": encode_field("", 48, ccsid),
        "resolved_q_mgr_name": encode_field("", 48, ccsid),
    }


@lru_cache(maxsize=256)
def _plain_od(order: ByteOrder, ccsid: int, version: int, kind: int, *names: str) -> bytes:
    """Build OD without strings; a program that puts one message at a time names its queue each time."""
    return make_od(order, version, **_od_values(ccsid, kind, *names)).build()


def open_options(agreed: ClientNegotiated, writer: SegmentWriter, options: int, capabilities: int) -> tuple[bytes, int]:
    """Build options and FOPA, in which a queue's defaults return; also returns the bytes that the reply may be longer.

    ``capabilities``: CapFlag of the reply to MQCONN. Without its first bit clients send the short form (transcript
    connect-limits).
    """
    at = word(writer, options)
    if agreed.fap_level < _FOPA_LEVEL:
        return at, 0
    if agreed.fap_level < _LONG_FOPA_LEVEL or not capabilities & _LONG_FOPA:
        record = FOPA.codec(writer.order)(version=1, length=SHORT_FOPA_SIZE, def_read_ahead=0)
        return at + Body(record, SHORT_FOPA_SIZE).build(), 0
    blanks = encode_field("", 48, writer.ccsid)
    record = FOPA.codec(writer.order)(def_read_ahead=0, q_protect=blanks, extra_length=STRING_ROOM)
    return at + record.build(), STRING_ROOM


def put_options(writer: SegmentWriter, options: int, context: int = 0) -> bytes:
    """Build PMO, version 2; a reply is always requested."""
    blanks = encode_field("", 48, writer.ccsid)
    wanted = options if options & _ASYNC_RESPONSE else options | _SYNC_RESPONSE
    return make_pmo(
        writer.order,
        2,
        options=wanted,
        timeout=0,
        context=context,
        resolved_q_name=blanks,
        resolved_q_mgr_name=blanks,
    ).build()


def get_options(writer: SegmentWriter, options: int, wait: int, match: int, token: bytes) -> bytes:
    """Build GMO, version 4."""
    blanks = encode_field("", 48, writer.ccsid)
    blank = encode_field("", 1, writer.ccsid)
    return make_gmo(
        writer.order,
        4,
        options=options,
        wait_interval=wait,
        resolved_q_name=blanks,
        match_options=match,
        group_status=blank,
        segment_status=blank,
        segmentation=blank,
        reserved1=blank,
        msg_token=token,
        returned_length=0,
    ).build()


def inquire(writer: SegmentWriter, selectors: Sequence[int], integers: int, characters: int) -> bytes:
    """Build INQ of a request."""
    return make_inq(writer.order, selectors, int_attr_count=integers, char_attr_length=characters).build()


@dataclass(kw_only=True, slots=True)
class SubscriptionName:
    """Topic and name of a subscription, for MQSUB. ``options``: MQSO."""

    options: int
    topic: str = ""
    """Topic string."""
    object_name: str = ""
    """Topic object."""
    name: str = ""
    """Name of the subscription."""
    user_data: str = ""
    selector: str = ""
    expiry: int = -1

    def build(self, writer: SegmentWriter) -> tuple[bytes, int]:
        """Build handle and SD; also returns the bytes that the reply may be longer. Raises ``ConversionError``."""
        ccsid = writer.ccsid
        strings: Mapping[str, bytes | None] = {
            "object_string": encode_text(self.topic, _UTF_8),
            "sub_name": encode_text(self.name, _UTF_8),
            "sub_user_data": encode_text(self.user_data, _UTF_8),
            "selection_string": encode_text(self.selector, _UTF_8),
            "res_object_string": b"",
        }
        sd = make_sd(
            writer.order,
            strings=strings,
            options=self.options,
            object_name=encode_field(self.object_name, 48, ccsid),
            alternate_user_id=encode_field("", 12, ccsid),
            alternate_security_id=encode_field("", 40, ccsid),
            sub_expiry=self.expiry,
            pub_appl_identity_data=encode_field("", 32, ccsid),
            **_STRING_ROOMS,
        )
        return SUB.codec(writer.order)().build() + sd.build(), 2 * STRING_ROOM


def subscription_request(writer: SegmentWriter, action: int) -> bytes:
    """Build action and SRO."""
    return word(writer, action) + SRO.codec(writer.order)().build()


CONFIRM: Final = int(ControlFlags1.CONFIRM_REQUEST | ControlFlags1.FIRST | ControlFlags1.LAST)
"""Flags of a segment that requests an answer."""

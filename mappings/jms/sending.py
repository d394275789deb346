"""A JMS message as the message that a JMS client sends (jms-mapping.md 1 to 6)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from mqbridge.mappings import jms_headers
from mqbridge.mappings.descriptor import new_descriptor
from mqbridge.mappings.destinations import (
    APPLICATION,
    QUEUE_DEFAULT,
    Destination,
    DestinationKind,
    MessageBody,
    TargetClient,
)
from mqbridge.mappings.inferred import EXPIRED_TENTHS, JMS_ELEMENTS
from mqbridge.mappings.message import Message
from mqbridge.mappings.rfh2.escaping import escaped
from mqbridge.protocol.constants import MQAT, MQEI, MQFMT, MQMF, MQMT, MQPER, MQPRI, ByteOrder
from mqbridge.protocol.errors import ConversionError
from mqbridge.protocol.layouts.builders import JmsDescriptorBuilder
from mqbridge.protocol.layouts.md import Md
from mqbridge.protocol.numbers import integer_order
from mqbridge.protocol.structures import make_rfh2
from mqbridge.protocol.text import encode_field, encode_text

from . import provider
from .bodies import write_map, write_stream
from .charsets import ccsid_of
from .errors import JmsFormatError
from .headers import JmsHeaders
from .receiving import Body
from .typed import Typed
from .values import element

ENCODING: Final = 273
"""Encoding of bodies and of MQRFH2: that of Java."""
_UTF_8: Final = 1208
_WIDE: Final = frozenset((1200, 13488, 17584))
_BOM: Final = {ByteOrder.BIG: b"\xfe\xff", ByteOrder.LITTLE: b"\xff\xfe"}
_LONGEST_TENTHS: Final = 2**31 - 1
_DEFAULT_PRIORITY: Final = 4
_LAST_IN_GROUP: Final = 999_999_999
"""Greatest MsgSeqNumber."""
_TEXT_KINDS: Final = frozenset(("text", "map", "stream"))


@lru_cache(maxsize=1)
def _descriptor() -> JmsDescriptorBuilder:
    """Return the builder of descriptors from the fields that differ, in UTF-8 and little-endian."""
    descriptor = new_descriptor(ByteOrder.LITTLE, _UTF_8, put_appl_type=MQAT.JAVA, group_id=b"")
    assert isinstance(descriptor.record, Md)
    return JmsDescriptorBuilder(descriptor.record)


@lru_cache(maxsize=1024)
def _name(text: str, length: int) -> bytes:
    return encode_field(text, length, _UTF_8)


class Sending:
    """One message on its way out: what descriptor, folders and body are made of."""

    __slots__ = ("destination", "headers", "kind", "now", "properties", "provider")

    def __init__(
        self,
        kind: str,
        headers: JmsHeaders,
        properties: Mapping[str, Typed],
        given: Mapping[str, Typed],
        destination: Destination,
        now: float | None,
    ) -> None:
        self.kind = kind
        self.headers = headers
        self.properties = properties
        self.provider = given
        self.destination = destination
        self.now = None if now is None else int(now * 1000)

    def message(self, body: Body, compatible_maps: bool) -> Message:
        """Return the message. Raises `JmsFormatError`, ``ConversionError`` and ``DestinationError``."""
        headers, given, there = self.headers, self.provider, self.destination
        persistence, delivery_mode = self._persistence()
        priority = self._priority()
        expiry, expiration = self._expiry()
        encoding = (
            provider.number_of(given, "JMS_IBM_Encoding", there.encoding or ENCODING)
            if given
            else (there.encoding or ENCODING)
        )
        ccsid = self._ccsid()
        form = provider.text_property(given, "JMS_IBM_Format") if given else None
        if form is None:
            form = MQFMT.STRING if self.kind in _TEXT_KINDS else ""
        data = self._data(body, ccsid, encoding, compatible_maps)
        reply_to, correlation = headers.reply_to, headers.correlation_id
        to_queue = reply_to is not None and reply_to.kind is DestinationKind.QUEUE
        asked = provider.descriptor_values(given, there) if given and provider.wants_descriptor(given, there) else {}
        try:
            if self._with_header():
                folders = self._folders(body, delivery_mode, priority, expiration)
                order = integer_order(asked["encoding"]) if "encoding" in asked else ByteOrder.BIG
                data = (
                    make_rfh2(
                        order,
                        [folder.encode() for folder in folders],
                        encoding=encoding,
                        coded_char_set_id=ccsid,
                        format=_name(form, 8),
                        name_value_ccsid=_UTF_8,
                    ).build()
                    + data
                )
                encoding, ccsid, form = ENCODING, _UTF_8, MQFMT.RF_HEADER_2
            sequence, flags, group = self._group()
            raw = _descriptor().build(
                provider.report_bits(given) if given else 0,
                provider.number_of(given, "JMS_IBM_MsgType", MQMT.REQUEST if to_queue else MQMT.DATAGRAM),
                expiry,
                provider.number_of(given, "JMS_IBM_Feedback", 0),
                encoding,
                ccsid,
                _name(form, 8),
                priority,
                persistence,
                jms_headers.NO_ID if correlation is None else jms_headers.foreign_id_bytes(correlation),
                _name(reply_to.name if to_queue and reply_to is not None else "", 48),
                _name(reply_to.queue_manager if to_queue and reply_to is not None else "", 48),
                group,
                sequence,
                flags,
            )
        except (UnicodeError, ValueError) as error:
            raise JmsFormatError(f"text that cannot be written: {error}") from error
        message = Message(raw, data, order=ByteOrder.LITTLE, ccsid=_UTF_8)
        if asked:
            provider.set_descriptor(message.md, asked)
        return message

    def _with_header(self) -> bool:
        """Return whether the message gets an MQRFH2 (jms-mapping.md 1)."""
        body = self.destination.message_body
        if body is None or body is MessageBody.UNSPECIFIED:
            return self.destination.target_client is not TargetClient.MQ
        return body is MessageBody.JMS

    def _persistence(self) -> tuple[int, int | None]:
        """Return Persistence and jms.Dlv, None for none."""
        asked = self.destination.persistence
        if asked == QUEUE_DEFAULT:
            return int(MQPER.PERSISTENCE_AS_Q_DEF), None
        mode = asked if asked in (1, 2) else self.headers.delivery_mode
        return int(MQPER.PERSISTENT if mode == jms_headers.PERSISTENT else MQPER.NOT_PERSISTENT), mode

    def _priority(self) -> int:
        asked = self.destination.priority
        if asked == QUEUE_DEFAULT:
            return int(MQPRI.PRIORITY_AS_Q_DEF)
        return self.headers.priority if asked is None or asked == APPLICATION else asked

    def _expiry(self) -> tuple[int, int]:
        """Return Expiry in tenths of a second and JMSExpiration, 0 for never (jms-mapping.md 2.1)."""
        asked = self.destination.expiry
        expiration = self.headers.expiration
        if asked is not None and asked != APPLICATION:
            expiration = 0
            if asked:
                expiration = self._clock() + asked
        if not expiration:
            return int(MQEI.UNLIMITED), 0
        tenths = max((expiration - self._clock()) // 100, EXPIRED_TENTHS)
        return (tenths if tenths <= _LONGEST_TENTHS else int(MQEI.UNLIMITED)), expiration

    def _clock(self) -> int:
        if self.now is None:
            raise JmsFormatError("a message that expires needs the time when it is sent")
        return self.now

    def _ccsid(self) -> int:
        name = provider.text_property(self.provider, "JMS_IBM_Character_Set") if self.provider else None
        return (self.destination.ccsid or _UTF_8) if name is None else ccsid_of(name)

    def _group(self) -> tuple[int, int, bytes]:
        """Return MsgSeqNumber, MsgFlags and GroupId. Groups stand in the folder alone in messages to a topic, and where
        MQ does not have the number."""
        headers = self.headers
        last = provider.number_of(self.provider, "JMS_IBM_Last_Msg_In_Group", 0)
        sequence = 1 if headers.group_seq is None else headers.group_seq
        in_group = headers.group_id is not None or headers.group_seq is not None or last
        if not in_group or self.destination.kind is DestinationKind.TOPIC or not 1 <= sequence <= _LAST_IN_GROUP:
            return 1, 0, jms_headers.NO_ID
        flags = int(MQMF.MSG_IN_GROUP | (MQMF.LAST_MSG_IN_GROUP if last else 0))
        group = jms_headers.NO_ID if headers.group_id is None else jms_headers.foreign_id_bytes(headers.group_id)
        return sequence, flags, group

    def _data(self, body: Body, ccsid: int, encoding: int, compatible_maps: bool) -> bytes:
        if isinstance(body, bytes):
            return body
        if isinstance(body, dict):
            text = write_map(body, compatible=compatible_maps)
        elif isinstance(body, tuple):
            text = write_stream(body)
        elif body is None:
            return b""
        else:
            text = body
        if ccsid == _UTF_8:
            try:
                return text.encode()
            except UnicodeError as error:
                raise JmsFormatError(f"body: {error}") from error
        try:
            order = integer_order(encoding)
            raw = encode_text(text, ccsid, order=order)
        except ConversionError as error:
            raise JmsFormatError(f"body: {error}") from error
        return _BOM[order] + raw if ccsid in _WIDE else raw

    def _folders(self, body: Body, delivery_mode: int | None, priority: int, expiration: int) -> list[str]:
        """Return the folders in the order of IBM's client."""
        headers = self.headers
        folders = [self._mcd(body)]
        sent = headers.timestamp or self.now
        given = {
            "Dst": escaped(self.destination.uri),
            "Rto": None if headers.reply_to is None else escaped(headers.reply_to.uri),
            "Tms": sent or None,
            "Exp": expiration or None,
            "Pri": None if priority in (_DEFAULT_PRIORITY, MQPRI.PRIORITY_AS_Q_DEF) else priority,
            "Cid": None if headers.correlation_id is None else escaped(headers.correlation_id),
            "Dlv": delivery_mode,
            "Gid": None if headers.group_id is None else escaped(headers.group_id),
            "Seq": headers.group_seq,
        }
        parts = [f"<{name}>{given[name]}</{name}>" for name in JMS_ELEMENTS if given[name] is not None]
        folders.append(f"<jms>{''.join(parts)}</jms>")
        if self.properties:
            folders.append(
                f"<usr>{''.join([element(name, name, value) for name, value in self.properties.items()])}</usr>"
            )
        if self.provider:
            arm = provider.text_property(self.provider, "JMS_IBM_ArmCorrelator")
            wrm = provider.text_property(self.provider, "JMS_IBM_RMCorrelator")
            named = "".join(f"<{tag}>{escaped(text)}</{tag}>" for tag, text in (("Arm", arm), ("Wrm", wrm)) if text)
            if named:
                folders.append(f"<mqext>{named}</mqext>")
        return folders

    def _mcd(self, body: Body) -> str:
        domain = jms_headers.DOMAIN_OF_KIND[self.kind]
        given = self.headers.type
        null = '<msgbody xsi:nil="true"></msgbody>' if self.kind == "text" and body is None else ""
        if given is None:
            return f"<mcd><Msd>{domain}</Msd>{null}</mcd>"
        parts: list[tuple[str, str]] = [("Type", given)]
        if self.kind in ("text", "bytes"):
            parts = jms_headers.type_elements(given)
        if not parts or parts[0][0] != "Msd":
            parts.insert(0, ("Msd", domain))
        return f"<mcd>{''.join(f'<{tag}>{escaped(text)}</{tag}>' for tag, text in parts)}{null}</mcd>"

"""A message as JMS sees it: a kind, header fields, properties with types, a body."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Self, TypeAlias

from mqbridge.mappings.destinations import Destination
from mqbridge.mappings.message import Message

from .headers import JmsHeaders
from .typed import Typed, Value

KINDS: Final = ("text", "bytes", "map", "stream", "object", "none")
"""TextMessage, BytesMessage, MapMessage, StreamMessage, ObjectMessage and Message."""

Body: TypeAlias = str | bytes | dict[str, Typed] | tuple[Typed, ...] | None
"""Body by kind: text: str, or None for a null text; bytes, object (a Java serialization stream): bytes; map: a dict of
`Typed`; stream: a tuple of `Typed`; none: None."""

GivenBody: TypeAlias = str | bytes | Mapping[str, Typed | Value] | Sequence[Typed | Value] | None


class JmsMessage:
    """A JMS message.

    ``kind``: one of `KINDS`. ``body``: see `Body`; plain Python values in a map or stream get their types as `typed`
    says. ``properties``: of the application, and JMS_IBM_… that a program may set; a value may be plain too. Times in
    milliseconds since the epoch. ``correlation_id``: text, ``ID:`` and hexadecimal digits, or bytes. ``reply_to``: a
    destination or its URI. ``expiration``: when it expires, 0 for never. ``timestamp``: 0 for when it is sent.
    ``message_id``, ``destination``, ``delivery_count`` and ``user_id``: see `JmsHeaders`. Raises `JmsFormatError` for
    what a JMS message cannot have, ``DestinationError``.
    """

    __slots__ = ("_body", "_headers", "_kind", "_properties", "_provider")

    def __init__(
        self,
        kind: str,
        body: GivenBody = None,
        *,
        properties: Mapping[str, Typed | Value] | None = None,
        type: str | None = None,
        correlation_id: str | bytes | None = None,
        reply_to: Destination | str | None = None,
        delivery_mode: int = 2,
        priority: int = 4,
        expiration: int = 0,
        timestamp: int = 0,
        delivery_time: int = 0,
        group_id: str | None = None,
        group_seq: int | None = None,
        message_id: str | None = None,
        destination: Destination | str | None = None,
        delivery_count: int = 0,
        user_id: str | None = None,
        app_id: str | None = None,
    ) -> None:
        raise NotImplementedError

    @classmethod
    def of(
        cls, message: Message, destination: Destination | str | None = None, *, target_client_matching: bool = True
    ) -> Self:
        """Return the JMS message that a message is; its parts are taken apart when they are first asked for.

        ``destination``: where it came from, for its properties ``messageBody`` and ``mdReadEnabled``, and for the
        header of a message that says none. ``target_client_matching``: replies to a message without MQRFH2 have none
        either. Properties and accessors raise `JmsFormatError` where the content they stand for is malformed.
        """
        raise NotImplementedError

    def message(
        self, destination: Destination | str | None = None, *, now: float | None = None, compatible_maps: bool = False
    ) -> Message:
        """Return the message that a JMS client sends to a destination, or to the one in the header.

        ``now``: seconds since the epoch; without it the message has no time of its own, and an expiration is refused.
        ``compatible_maps``: the older form of map bodies, in which names must be names of XML. Raises
        `JmsFormatError`, ``DestinationError``, ``ConversionError``.
        """
        raise NotImplementedError

    def reply(
        self, kind: str, body: GivenBody = None, *, properties: Mapping[str, Typed | Value] | None = None
    ) -> Self:
        """Return a reply: to JMSReplyTo with all its properties, JMSCorrelationID is this message's JMSMessageID.

        Raises `JmsFormatError` where there is no JMSReplyTo.
        """
        raise NotImplementedError

    @property
    def headers(self) -> JmsHeaders:
        """All header fields."""
        raise NotImplementedError

    @property
    def kind(self) -> str:
        """One of `KINDS`."""
        raise NotImplementedError

    @property
    def body(self) -> Body:
        """See `Body`."""
        raise NotImplementedError

    @property
    def properties(self) -> dict[str, Typed]:
        """Properties of the application by name."""
        raise NotImplementedError

    @property
    def provider_properties(self) -> dict[str, Typed]:
        """JMS_IBM_… by name."""
        raise NotImplementedError

    @property
    def message_id(self) -> str | None:
        """``ID:`` and 48 hexadecimal digits."""
        return self.headers.message_id

    @property
    def timestamp(self) -> int:
        """When it was sent."""
        return self.headers.timestamp

    @property
    def correlation_id(self) -> str | None:
        """See `JmsHeaders`."""
        return self.headers.correlation_id

    @property
    def reply_to(self) -> Destination | None:
        """Where replies go."""
        return self.headers.reply_to

    @property
    def destination(self) -> Destination | None:
        """Where it was sent to."""
        return self.headers.destination

    @property
    def delivery_mode(self) -> int:
        """2 persistent, 1 not."""
        return self.headers.delivery_mode

    @property
    def redelivered(self) -> bool:
        """Whether it was delivered before."""
        return self.headers.redelivered

    @property
    def type(self) -> str | None:
        """JMSType."""
        return self.headers.type

    @property
    def expiration(self) -> int:
        """When it expires, 0 for never."""
        return self.headers.expiration

    @property
    def priority(self) -> int:
        """0 to 9."""
        return self.headers.priority

    @property
    def delivery_count(self) -> int:
        """JMSXDeliveryCount."""
        return self.headers.delivery_count

    @property
    def group_id(self) -> str | None:
        """JMSXGroupID."""
        return self.headers.group_id

    @property
    def group_seq(self) -> int | None:
        """JMSXGroupSeq."""
        return self.headers.group_seq

"""A message as JMS sees it: a kind, header fields, properties with types, a body."""

from __future__ import annotations

from typing import Final, Self

from mqbridge.mappings.destinations import Destination
from mqbridge.mappings.message import Message

from .checks import (
    KINDS,
    GivenBody,
    Properties,
    check_property,
    checked_body,
    checked_correlation_id,
    checked_id,
    parsed,
)
from .errors import JmsFormatError
from .headers import JmsHeaders
from .provider import PREFIX, check_provider_property
from .receiving import Body, ReceivedMessage
from .sending import Sending
from .typed import Typed, typed

_HIGHEST_PRIORITY: Final = 9
_GROUP_ID: Final = "JMSXGroupID"
_GROUP_SEQ: Final = "JMSXGroupSeq"


class JmsMessage:
    """A JMS message.

    ``kind``: one of `KINDS`. ``body``: see `Body`; plain Python values in a map or stream get their types as `typed`
    says. ``properties``: of the application, and JMS_IBM_… that a program may set; a value may be plain too. Times in
    milliseconds since the epoch. ``correlation_id``: text, ``ID:`` and hexadecimal digits, or bytes. ``reply_to``: a
    destination or its URI. ``expiration``: when it expires, 0 for never. ``timestamp``: 0 for when it is sent.
    ``message_id``, ``destination``, ``delivery_count`` and ``user_id``: see `JmsHeaders`. ``foreign``: it comes from
    another provider, which has properties JMS_… of its own, and group ids that begin with ``ID:`` and go on as they
    like. Raises `JmsFormatError` for what a JMS message cannot have, ``DestinationError``.
    """

    __slots__ = ("_body", "_has_body", "_headers", "_kind", "_properties", "_provider", "_received")

    def __init__(
        self,
        kind: str,
        body: GivenBody = None,
        *,
        properties: Properties | None = None,
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
        foreign: bool = False,
    ) -> None:
        if kind not in KINDS:
            raise JmsFormatError(f"{kind!r} is no kind of JMS messages; they are {', '.join(KINDS)}")
        self._kind: str | None = kind
        self._received: ReceivedMessage | None = None
        self._body = checked_body(kind, body)
        self._has_body = True
        own: dict[str, Typed] = {}
        self._provider: dict[str, Typed] | None = {}
        for name, value in (properties or {}).items():
            given = typed(value)
            if name == _GROUP_ID and isinstance(given.value, str):
                group_id = given.value
            elif name == _GROUP_SEQ and given.dt == "i4" and isinstance(given.value, int):
                group_seq = given.value
            elif name.startswith(PREFIX):
                check_provider_property(name, given)
                self._provider[name] = given
            else:
                check_property(name, given, foreign=foreign)
                own[name] = given
        self._properties: dict[str, Typed] | None = own
        if delivery_mode not in (1, 2):
            raise JmsFormatError(f"the delivery mode is 2, persistent, or 1, not {delivery_mode!r}")
        if not 0 <= priority <= _HIGHEST_PRIORITY:
            raise JmsFormatError(f"the priority is 0 to {_HIGHEST_PRIORITY}, not {priority!r}")
        self._headers: JmsHeaders | None = JmsHeaders(
            message_id,
            timestamp,
            checked_correlation_id(correlation_id),
            parsed(reply_to),
            parsed(destination),
            delivery_mode,
            type,
            expiration,
            priority,
            delivery_count,
            delivery_time,
            group_id if group_id is None or foreign else checked_id("group id", group_id),
            group_seq,
            user_id,
            app_id,
        )

    @classmethod
    def of(
        cls,
        message: Message,
        destination: Destination | str | None = None,
        *,
        now: float | None = None,
        target_client_matching: bool = True,
    ) -> Self:
        """Return the JMS message that a message is; its parts are taken apart when they are first asked for.

        ``destination``: where it came from, for its properties ``messageBody`` and ``mdReadEnabled``, and for the
        header of a message that says none. ``now``: seconds since the epoch when it was got, from which Expiry counts
        where there is no jms.Exp; without it, it counts from the put. ``target_client_matching``: replies to a message
        without MQRFH2 have none either. What is asked of the message raises `JmsFormatError` where the content that it
        stands for is malformed.
        """
        made = cls.__new__(cls)
        made._received = ReceivedMessage(message, parsed(destination), now, target_client_matching)
        made._kind = made._headers = made._properties = made._provider = made._body = None
        made._has_body = False
        return made

    def message(
        self, destination: Destination | str | None = None, *, now: float | None = None, compatible_maps: bool = False
    ) -> Message:
        """Return the message that a JMS client sends to a destination, or to the one in the header.

        ``now``: seconds since the epoch; without it the message has no time of its own, and an expiration is refused.
        ``compatible_maps``: the older form of map bodies, in which names must be names of XML. Raises
        `JmsFormatError`, ``DestinationError``, ``ConversionError``.
        """
        headers = self.headers
        to = headers.destination if destination is None else parsed(destination)
        if to is None:
            raise JmsFormatError("a message needs a destination to be sent to")
        # Of a received message JMS_IBM_… are not sent on: the new descriptor has its own.
        given = (self._provider or {}) if self._received is None else {}
        sending = Sending(self.kind, headers, self.properties, given, to, now)
        return sending.message(self.body, compatible_maps)

    def reply(self, kind: str, body: GivenBody = None, *, properties: Properties | None = None) -> Self:
        """Return a reply: to JMSReplyTo with all its properties, JMSCorrelationID is this message's JMSMessageID.

        Its destination keeps what JMSReplyTo says of routing (``ibmRoutingPath``), of the form of the message
        (``targetClient``) and all else. Raises `JmsFormatError` where there is no JMSReplyTo.
        """
        headers = self.headers
        if headers.reply_to is None:
            raise JmsFormatError("the message says no destination for replies")
        return type(self)(
            kind, body, properties=properties, correlation_id=headers.message_id, destination=headers.reply_to
        )

    @property
    def headers(self) -> JmsHeaders:
        """All header fields."""
        found = self._headers
        if found is None:
            found = self._headers = self._parts().headers()
        return found

    @property
    def kind(self) -> str:
        """One of `KINDS`."""
        if self._kind is None:
            self._kind = self._parts().kind()
        return self._kind

    @property
    def body(self) -> Body:
        """See `Body`."""
        if not self._has_body:
            self._body = self._parts().body()
            self._has_body = True
        return self._body

    @property
    def properties(self) -> dict[str, Typed]:
        """Properties of the application by name."""
        found = self._properties
        if found is None:
            found = self._properties = self._parts().properties()
        return found

    @property
    def provider_properties(self) -> dict[str, Typed]:
        """JMS_IBM_… by name."""
        if self._provider is None:
            self._provider = self._parts().provider_properties()
        return self._provider

    def _parts(self) -> ReceivedMessage:
        if self._received is None:
            raise AssertionError("a message that was not received has all its parts")
        return self._received

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

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, JmsMessage):
            return NotImplemented
        mine = (self.kind, self.headers, self.properties, self.provider_properties, self.body)
        return mine == (other.kind, other.headers, other.properties, other.provider_properties, other.body)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        known = "received" if self._received is not None else f"{len(self.properties)} properties"
        return f"<JmsMessage {self._kind or ''} {known}>"

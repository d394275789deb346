"""JMS messages for programs: what a message says as JMS, and the message for a JMS message."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Self, TypedDict, Unpack

from mqbridge.mappings import jms
from mqbridge.mappings.destinations import Destination

from .message import Message

if TYPE_CHECKING:
    from mqbridge.mappings.jms.checks import GivenBody, Properties


class JmsFields(TypedDict, total=False):
    """Header fields and properties of a JMS message; see `mappings.jms.JmsMessage`."""

    properties: Properties | None
    type: str | None
    correlation_id: str | bytes | None
    reply_to: Destination | str | None
    delivery_mode: int
    priority: int
    expiration: int
    timestamp: int
    group_id: str | None
    group_seq: int | None
    destination: Destination | str | None


class JmsMessage:
    """A JMS message: ``kind``, ``body``, header fields and properties as `mappings.jms.JmsMessage` explains them.

    ::

        jms = JmsMessage.of(queue.get())
        queue.put(jms.reply("text", "done").message())
        queue.put(JmsMessage("map", {"count": Typed(5, "i4")}).message("queue:///ORDERS?priority=7"))
    """

    __slots__ = ("content",)

    def __init__(self, kind: str, body: GivenBody = None, **fields: Unpack[JmsFields]) -> None:
        self.content = jms.JmsMessage(kind, body, **fields)
        """The JMS message without a queue manager."""

    @classmethod
    def of(
        cls, message: Message, destination: Destination | str | None = None, *, target_client_matching: bool = True
    ) -> Self:
        """Return the JMS message that a message is; its parts are taken apart when they are first asked for."""
        made = cls.__new__(cls)
        made.content = jms.JmsMessage.of(
            message.stored, destination, now=time.time(), target_client_matching=target_client_matching
        )
        return made

    def message(self, destination: Destination | str | None = None, *, compatible_maps: bool = False) -> Message:
        """Return the message to put for a destination, or for the one in the header."""
        return Message.of(self.content.message(destination, now=time.time(), compatible_maps=compatible_maps))

    def reply(self, kind: str, body: GivenBody = None, *, properties: Properties | None = None) -> Self:
        """Return a reply, for JMSReplyTo."""
        made = type(self).__new__(type(self))
        made.content = self.content.reply(kind, body, properties=properties)
        return made

    @property
    def kind(self) -> str:
        """``text``, ``bytes``, ``map``, ``stream``, ``object`` or ``none``."""
        return self.content.kind

    @property
    def body(self) -> jms.Body:
        """The body, by kind a str, bytes, a dict or a tuple of `Typed`, or None."""
        return self.content.body

    @property
    def headers(self) -> jms.JmsHeaders:
        """All header fields."""
        return self.content.headers

    @property
    def properties(self) -> dict[str, jms.Typed]:
        """Properties of the application by name."""
        return self.content.properties

    @property
    def provider_properties(self) -> dict[str, jms.Typed]:
        """JMS_IBM_… by name."""
        return self.content.provider_properties

    @property
    def message_id(self) -> str | None:
        """``ID:`` and 48 hexadecimal digits."""
        return self.content.message_id

    @property
    def correlation_id(self) -> str | None:
        """What an application chose, or an id."""
        return self.content.correlation_id

    @property
    def reply_to(self) -> Destination | None:
        """Where replies go."""
        return self.content.reply_to

    @property
    def destination(self) -> Destination | None:
        """Where it was sent to."""
        return self.content.destination

    @property
    def type(self) -> str | None:
        """JMSType."""
        return self.content.type

    @property
    def timestamp(self) -> int:
        """When it was sent, in milliseconds since the epoch."""
        return self.content.timestamp

    @property
    def expiration(self) -> int:
        """When it expires, in milliseconds since the epoch; 0 for never."""
        return self.content.expiration

    @property
    def priority(self) -> int:
        """0 to 9."""
        return self.content.priority

    @property
    def delivery_mode(self) -> int:
        """2 persistent, 1 not."""
        return self.content.delivery_mode

    @property
    def redelivered(self) -> bool:
        """Whether it was delivered before."""
        return self.content.redelivered

    @property
    def delivery_count(self) -> int:
        """How often it was delivered, this time included."""
        return self.content.delivery_count

    @property
    def group_id(self) -> str | None:
        """JMSXGroupID."""
        return self.content.group_id

    @property
    def group_seq(self) -> int | None:
        """JMSXGroupSeq."""
        return self.content.group_seq

    def __repr__(self) -> str:
        return repr(self.content)

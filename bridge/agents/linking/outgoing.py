"""Messages on their way to the provider, and what becomes of them."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import Final

from mqbridge.bridge.agents.linking.in_doubt import InDoubtMessages
from mqbridge.bridge.agents.linking.provider import Accepted, DeliveryState, Rejected, Released
from mqbridge.bridge.agents.linking.requesters import Requester
from mqbridge.mappings.amqp import AmqpMessage
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import MQRC

TOO_LONG: Final = "amqp:link:message-size-exceeded"
NO_ROOM: Final = "amqp:resource-limit-exceeded"
NOT_FOUND: Final = "amqp:not-found"
NOT_MAPPED: Final = "amqp:not-implemented"
INTERNAL: Final = "amqp:internal-error"
UNDELIVERABLE: Final = "mqbridge:undeliverable-here"
"""Stands for the state modified with undeliverable-here, which has no condition."""
BACKED_OUT: Final = "mqbridge:backout-threshold-reached"

_REASONS: Final[dict[str, int]] = {
    TOO_LONG: int(MQRC.MSG_TOO_BIG_FOR_CHANNEL),
    NOT_FOUND: int(MQRC.UNKNOWN_OBJECT_NAME),
    NOT_MAPPED: int(MQRC.FORMAT_ERROR),
    "amqp:decode-error": int(MQRC.FORMAT_ERROR),
    "amqp:unauthorized-access": int(MQRC.NOT_AUTHORIZED),
    BACKED_OUT: int(MQRC.BACKOUT_THRESHOLD_REACHED),
}


def reason_of(condition: str) -> int:
    """The reason code in the MQDLH of a message that was refused with an AMQP condition."""
    return _REASONS.get(condition, int(MQRC.UNEXPECTED_ERROR))


SUSPECT: Final = 3
"""Times that a message goes out without an outcome before it goes out alone, behind all others."""


class Fate(Enum):
    """What has become of a message."""

    UNDER_WAY = "not settled"
    ACCEPTED = "leaves its queue"
    DEAD = "goes to the dead-letter queue"
    RETURNED = "goes back to its queue, uncounted"
    FAILED = "goes back to its queue, counted in BackoutCount"
    LOST = "not persistent, and the connection was cut"


class OutgoingMessage:
    """A message for the provider.

    ``token``: under which the session holds it; empty once it has left its queue (not persistent). ``amqp``: None if it
    cannot be mapped. ``requester``: of a reply. ``attempts``: how often it went out without an outcome.
    ``condition``, ``description``: why it is dead, as AMQP has it.
    """

    __slots__ = (
        "amqp", "attempts", "condition", "description", "fate", "message", "persistent", "requester", "tag", "token",
    )  # fmt: skip

    def __init__(self, message: Message, token: bytes, amqp: AmqpMessage | None, *, persistent: bool) -> None:
        self.message = message
        self.token = token
        self.amqp = amqp
        self.persistent = persistent
        self.requester: Requester | None = None
        self.attempts = 0
        self.tag = b""
        self.fate = Fate.UNDER_WAY
        self.condition = ""
        self.description = ""

    def refuse(self, condition: str, description: str) -> None:
        """It is dead."""
        self.fate, self.condition, self.description = Fate.DEAD, condition, description

    @property
    def in_doubt(self) -> bool:
        """Whether it may have arrived before."""
        return self.attempts > 0

    @property
    def is_suspect(self) -> bool:
        """Whether connections end when it goes out, so that it should go out alone."""
        return self.attempts >= SUSPECT

    @property
    def rank(self) -> int:
        """Its place among what goes out again: as it was, suspects last."""
        return self.attempts if self.is_suspect else 0

    def send_again(self) -> None:
        """It was not taken, and does not go back to its queue: it goes out again as it is."""
        if self.fate is Fate.FAILED:
            self.message.md.backout_count += 1
        self.fate, self.tag = Fate.UNDER_WAY, b""
        self.condition = self.description = ""

    def settle(self, state: DeliveryState) -> None:
        """Decide by the provider's outcome (docs/links.md, "What becomes of a message")."""
        if isinstance(state, Accepted):
            self.fate = Fate.ACCEPTED
        elif isinstance(state, Rejected):
            if state.condition == NO_ROOM:
                self.fate = Fate.RETURNED
            elif state.condition == INTERNAL:
                self.fate = Fate.FAILED
            else:
                self.refuse(state.condition, state.description)
        elif isinstance(state, Released):
            self.fate = Fate.RETURNED
        elif state.undeliverable_here:
            self.refuse(UNDELIVERABLE, "")
        else:
            self.fate = Fate.FAILED if state.delivery_failed else Fate.RETURNED


class OutgoingBatch:
    """Messages that were got together. ``record``: on disk while they are in doubt; None if none of them has an id.
    ``left``: number of messages not settled. ``length``: bytes of their data. ``ending``: whether a commit that removes
    it is being written."""

    __slots__ = ("ending", "left", "length", "messages", "record")

    def __init__(self, messages: Iterable[OutgoingMessage], record: InDoubtMessages | None) -> None:
        self.messages = list(messages)
        self.record = record
        self.ending = False
        self.left = sum(each.fate is Fate.UNDER_WAY for each in self.messages)
        self.length = sum(len(each.message) for each in self.messages)

    def with_fate(self, *fates: Fate) -> list[OutgoingMessage]:
        """The messages with one of these fates."""
        return [each for each in self.messages if each.fate in fates]

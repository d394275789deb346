"""What the observer of a message channel tells of messages and batches (channels.md 5)."""

from __future__ import annotations

from dataclasses import dataclass

from mqbridge.protocol.observer.observations import MessageFate, Observation, Place


@dataclass(slots=True, eq=False)
class BatchBegun(Observation):
    """The first message of a batch. ``previous``: LUWID of the batch before in this connection, empty for none."""

    batch: int
    luwid: bytes
    previous: bytes


@dataclass(slots=True, eq=False)
class MessageDiffers(Observation):
    """A message (or its first segment) of which the number, LUWID, place in the batch or length is not as it had to be.

    ``expected``: number that it had to have, None where that cannot be told. ``position``: in its batch, from 1; 0
    where messages of the batch were lost. ``luwid``, ``batch_luwid``: its own and that of the batch's first message.
    ``data_length``: bytes of data that MSH states; ``there``: bytes that are there, -1 while segments follow;
    ``headers``: whether they begin with a header, as Format says.
    """

    sequence_number: int
    expected: int | None
    luwid: bytes
    batch_luwid: bytes
    position: int
    data_length: int
    there: int
    headers: bool


@dataclass(slots=True, eq=False)
class MessageJoined(Observation):
    """The last segment of a split message. ``stated``, ``there``: bytes of data."""

    sequence_number: int
    stated: int
    there: int
    segments: int


@dataclass(slots=True, eq=False)
class PartOutOfPlace(Observation):
    """A segment of a split message that does not fit what came before: ``seen`` instead of ``expected``."""

    expected: str
    seen: str


@dataclass(slots=True, eq=False)
class ConfirmAsked(Observation):
    """The sender asks to confirm. ``batch_luwid``: of the messages, empty where there were none or they were lost.

    ``messages``: in the batch, None where some were lost.
    """

    luwid: bytes
    batch_luwid: bytes
    messages: int | None


@dataclass(slots=True, eq=False)
class BatchConfirmed(Observation):
    """The receiver confirms. ``asked``: where, None where that was not seen; ``luwid``: of the answer;
    ``batch_luwid``: that was asked about."""

    asked: Place | None
    waited: float
    luwid: bytes
    batch_luwid: bytes
    messages: int
    limit: float | None
    dlq_used: bool


@dataclass(slots=True, eq=False)
class BatchSettled(Observation):
    """A batch is over: comes once for each, at the latest when the connection ends.

    ``messages``: those that were seen, ``size``: their bytes of data (of compressed ones as they passed),
    ``whole``: none was lost or unreadable. ``begun``: first segment. ``asked``, ``confirmed``: None where that was
    not seen. ``reason``: code of an error. ``capture_stops``: the capture ended before the connection.
    """

    batch: int
    luwid: bytes
    first_sequence: int
    last_sequence: int
    messages: int
    size: int
    whole: bool
    begun: Place
    asked: Place | None
    confirmed: Place | None
    fate: MessageFate
    reason: int
    capture_stops: bool = False

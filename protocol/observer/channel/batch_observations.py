"""Observations of messages and batches on a message channel (channels.md 5)."""

from __future__ import annotations

from dataclasses import dataclass

from mqbridge.protocol.observer.observations import MessageOutcome, Observation, Place


@dataclass(slots=True, eq=False)
class BatchBegun(Observation):
    """The first message of a batch. ``previous``: LUWID of the preceding batch on this connection, or empty."""

    batch: int
    luwid: bytes
    previous: bytes


@dataclass(slots=True, eq=False)
class MessageDiffers(Observation):
    """A message (or its first segment) whose number, LUWID, position in the batch or length is wrong.

    ``expected``: expected number, None if unknown. ``position``: in its batch, from 1; 0 if messages of the batch were
    lost. ``luwid``, ``batch_luwid``: its own and that of the batch's first message. ``data_length``: bytes of data
    stated by MSH. ``there``: bytes present, -1 while segments follow. ``headers``: whether they begin with a header, as
    Format says.
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
    """A segment of a split message that does not continue it: ``seen`` instead of ``expected``."""

    expected: str
    seen: str


@dataclass(slots=True, eq=False)
class ConfirmRequestSeen(Observation):
    """The sender requests confirmation. ``batch_luwid``: of the messages, empty if there were none or they were lost.

    ``messages``: in the batch, None if some were lost.
    """

    luwid: bytes
    batch_luwid: bytes
    messages: int | None


@dataclass(slots=True, eq=False)
class BatchConfirmationSeen(Observation):
    """The receiver confirms. ``asked``: place of the request, None if not seen. ``luwid``: of the answer.
    ``batch_luwid``: of the request."""

    asked: Place | None
    waited: float
    luwid: bytes
    batch_luwid: bytes
    messages: int
    limit: float | None
    dlq_used: bool


@dataclass(slots=True, eq=False)
class BatchSettled(Observation):
    """The outcome of a batch; emitted once for each, at the latest at the end of the connection.

    ``messages``: number seen. ``size``: their bytes of data (compressed ones as sent). ``whole``: none was lost or
    unreadable. ``begun``: first segment. ``asked``, ``confirmed``: None if not seen. ``reason``: code of an error.
    ``capture_stops``: the capture ends before the connection.
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
    fate: MessageOutcome
    reason: int
    capture_stops: bool = False

"""Outcomes of requests, as values: returned at once, or later in a `Completion` with the tag of the request."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

from mqbridge.bridge.queue_manager.attributes.inquire import InquiredAttributes
from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.bridge.queue_manager.options import RetrievedMessage
from mqbridge.bridge.queue_manager.putting.undelivered_messages import Disposal
from mqbridge.bridge.queue_manager.queues.bodies import BodyWriter
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import MQCC, MQOT, MQRC

from .placed import Placed, PutNames

__all__ = ["Placed", "PutNames"]  # beside what is defined here


class Failed(NamedTuple):
    """Failure of a call: completion code (MQCC_WARNING if part of it was done), reason code, and detail for the log."""

    completion: int
    reason: int
    detail: str = ""

    def error(self) -> MQError:
        """Return the failure as an exception."""
        return MQError(self.reason, self.detail, completion=self.completion)


class Done(NamedTuple):
    """Success of a call; ``reason``: 0, or that of a warning."""

    reason: int = 0


class PutStatus(NamedTuple):
    """Result of MQSTAT: counts of asynchronous puts since the previous MQSTAT, and the first failure.

    ``completion`` and ``reason``: those of the first failure, else of the first warning, else 0. The names are those of
    the queue of that put, as opened and as resolved.
    """

    completion: int = MQCC.OK
    reason: int = 0
    success_count: int = 0
    warning_count: int = 0
    failure_count: int = 0
    object_type: int = MQOT.Q
    object_name: str = ""
    object_q_mgr_name: str = ""
    resolved_object_name: str = ""
    resolved_q_mgr_name: str = ""


class DestinationOutcome(NamedTuple):
    """Completion and reason code for one destination of a distribution list."""

    completion: int = MQCC.OK
    reason: int = 0

    @property
    def failed(self) -> bool:
        """Whether the call failed for the destination."""
        return self.completion == MQCC.FAILED

    @classmethod
    def of(cls, error: MQError) -> DestinationOutcome:
        """Return the outcome of an error."""
        return cls(error.completion, error.reason)

    @classmethod
    def warning(cls, reason: int) -> DestinationOutcome:
        """Return the outcome of a call that succeeded, or ended with a warning (``reason`` not 0)."""
        return cls(MQCC.WARNING if reason else MQCC.OK, reason)


@dataclass(frozen=True, slots=True)
class ListOutcome:
    """Outcome of a call on a distribution list.

    ``answers``: one for each destination. ``known``, ``unknown``, ``invalid``: the counts of MQOD and MQPMO: successful
    local destinations, successful remote ones, and failed ones.
    """

    answers: tuple[DestinationOutcome, ...]
    known: int = 0
    unknown: int = 0
    invalid: int = 0

    @property
    def completion(self) -> int:
        """MQCC_OK, MQCC_WARNING if some destinations failed or have a warning, MQCC_FAILED if all failed."""
        if self.invalid == len(self.answers):
            return MQCC.FAILED
        return max(min(each.completion, MQCC.WARNING) for each in self.answers)

    @property
    def reason(self) -> int:
        """The reason code common to all destinations, else 2136."""
        reasons = set(self.answers)
        return reasons.pop().reason if len(reasons) == 1 else MQRC.MULTIPLE_REASONS

    @property
    def mixed(self) -> bool:
        """Whether the reason is 2136; response records are filled in only then."""
        return self.reason == MQRC.MULTIPLE_REASONS


class OpenDefaults(NamedTuple):
    """Attributes that supply a program's defaults, as defined: DEFPSIST, DEFPRESP, DEFREADA and PROPCTL."""

    persistent: bool
    put_response: str
    read_ahead: str = ""
    property_control: str = ""


class Opened(NamedTuple):
    """A new handle.

    ``names``: of a queue, as opened and as resolved; None for other objects. ``created``: whether a dynamic queue was
    created for it. ``defaults``: of a queue or topic with a definition.
    """

    hobj: int
    names: PutNames | None = None
    created: bool = False
    defaults: OpenDefaults | None = None


class ListOpened(NamedTuple):
    """Handle of a distribution list, -1 if no destination could be opened, and the outcome for each destination."""

    hobj: int
    outcome: ListOutcome


class ListPlaced(NamedTuple):
    """A message was put to a distribution list: the MQMD and the outcome for each destination."""

    descriptors: tuple[bytes, ...]
    outcome: ListOutcome


class Staging(NamedTuple):
    """The data of a message that arrives in parts.

    ``writer`` takes the parts and returns the body for a `Put`. ``longest``: maximum length in bytes; a longer message
    is refused with the reason code ``too_long``.
    """

    writer: BodyWriter
    longest: int
    too_long: int


class PutAuthority(NamedTuple):
    """The user with whose authority a message was put; blank for the queue manager itself.

    None if its row, written by an earlier release, does not record the user.
    """

    user: str | None


class PlacedMany(NamedTuple):
    """Number of messages that were put, and the failure of the next one; None if all were put."""

    placed: int
    failed: Failed | None = None


class RetrievedMany(NamedTuple):
    """Messages in order; for each, its token and whether it is in the store. ``more``: the turn is over before the end
    of the search, which the next request continues."""

    messages: tuple[Message, ...]
    tokens: tuple[bytes, ...]
    stored: tuple[bool, ...]
    more: bool = False


class MessagesHeld(NamedTuple):
    """Tokens of the messages that are held."""

    tokens: tuple[bytes, ...]


class Disposed(NamedTuple):
    """Disposal of a message that could not be delivered."""

    disposal: Disposal


class Available(NamedTuple):
    """A message may be available; the waiter is no longer registered."""


class Reserved(NamedTuple):
    """First id and length of a block of message ids."""

    first_id: bytes
    number: int


class Subscribed(NamedTuple):
    """An open subscription. ``hobj``: handle of its queue; ``queue_name``: set if that queue was opened with it."""

    hsub: int
    hobj: int
    correl_id: bytes
    sub_id: bytes
    queue_name: str | None = None


class Published(NamedTuple):
    """Number of retained publications that were sent."""

    number: int


class XaReturned(NamedTuple):
    """Return value of an XA call. ``xids``: of XA_RECOVER, each as format identifier, global transaction id and
    qualifier."""

    value: int
    xids: tuple[tuple[int, bytes, bytes], ...] = ()


Outcome: TypeAlias = (
    Failed | Done | Opened | ListOpened | Placed | ListPlaced | Staging | RetrievedMessage | Available
    | InquiredAttributes
    | PutStatus | Reserved | Subscribed | Published | XaReturned | PutAuthority | Disposed | PlacedMany | RetrievedMany
    | MessagesHeld
)  # fmt: skip


class Completion(NamedTuple):
    """Outcome of a request that was not answered at once."""

    tag: int
    outcome: Outcome


DONE: Final = Done()
AVAILABLE: Final = Available()
NO_MESSAGE: Final = Failed(int(MQCC.FAILED), int(MQRC.NO_MSG_AVAILABLE))


def failed(error: MQError) -> Failed:
    """Return the outcome of an exception."""
    return Failed(int(error.completion), int(error.reason), error.detail)

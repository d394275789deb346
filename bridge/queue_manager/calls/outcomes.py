"""What requests come to, as values: at once, or later as a `Completion` with the tag of the request."""

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


class Failed(NamedTuple):
    """The call has failed: completion code (MQCC_WARNING where part of it was done), reason and detail for a log."""

    completion: int
    reason: int
    detail: str = ""

    def error(self) -> MQError:
        """The same as an exception."""
        return MQError(self.reason, self.detail, completion=self.completion)


class Done(NamedTuple):
    """The call went well; ``reason``: 0 or that of a warning."""

    reason: int = 0


class PutNames(NamedTuple):
    """The names of an object as it was opened and as it is resolved, and whether they mean a remote queue."""

    object_name: str = ""
    object_q_mgr_name: str = ""
    resolved_object_name: str = ""
    resolved_q_mgr_name: str = ""
    remote: bool = False


class PutStatus(NamedTuple):
    """An MQSTS: counts of asynchronous puts since the last MQSTAT, and the first of them that went wrong.

    ``completion`` and ``reason`` of the first failure, else of the first warning, else 0. The names are those of the
    queue of that put: as opened, and as resolved.
    """

    completion: int = int(MQCC.OK)
    reason: int = 0
    success_count: int = 0
    warning_count: int = 0
    failure_count: int = 0
    object_type: int = int(MQOT.Q)
    object_name: str = ""
    object_q_mgr_name: str = ""
    resolved_object_name: str = ""
    resolved_q_mgr_name: str = ""


class DestinationOutcome(NamedTuple):
    """How one destination of a distribution list fared: completion code and reason."""

    completion: int = int(MQCC.OK)
    reason: int = 0

    @property
    def failed(self) -> bool:
        """Whether nothing was done for the destination."""
        return self.completion == MQCC.FAILED

    @classmethod
    def of(cls, error: MQError) -> DestinationOutcome:
        """The answer that an error gives."""
        return cls(int(error.completion), int(error.reason))

    @classmethod
    def warning(cls, reason: int) -> DestinationOutcome:
        """The answer of a call that returned the reason of a warning, or 0."""
        return cls(int(MQCC.WARNING if reason else MQCC.OK), reason)


@dataclass(frozen=True, slots=True)
class ListOutcome:
    """What a call on a distribution list has come to.

    ``answers``: for each destination. ``known``, ``unknown``, ``invalid``: how many of them are local and succeeded,
    are remote and succeeded, and failed.
    """

    answers: tuple[DestinationOutcome, ...]
    known: int = 0
    unknown: int = 0
    invalid: int = 0

    @property
    def completion(self) -> int:
        """OK, WARNING where some failed or warn, FAILED where all failed."""
        if self.invalid == len(self.answers):
            return int(MQCC.FAILED)
        return max(min(each.completion, int(MQCC.WARNING)) for each in self.answers)

    @property
    def reason(self) -> int:
        """The reason that all destinations have in common, else 2136."""
        reasons = set(self.answers)
        return reasons.pop().reason if len(reasons) == 1 else int(MQRC.MULTIPLE_REASONS)

    @property
    def mixed(self) -> bool:
        """Whether the destinations must be asked one by one: response records are filled in then only."""
        return self.reason == MQRC.MULTIPLE_REASONS


class OpenDefaults(NamedTuple):
    """Attributes that a program takes its defaults from, as the definition has them: DEFPSIST, DEFPRESP, DEFREADA and
    PROPCTL."""

    persistent: bool
    put_response: str
    read_ahead: str = ""
    property_control: str = ""


class Opened(NamedTuple):
    """A handle. ``names``: of a queue, as it was opened and as it is resolved, None for other objects; ``created``: a
    dynamic queue was made for it. ``defaults``: of a queue or topic that has a definition."""

    hobj: int
    names: PutNames | None = None
    created: bool = False
    defaults: OpenDefaults | None = None


class ListOpened(NamedTuple):
    """A handle, -1 where all destinations have failed, and how each of them fared."""

    hobj: int
    outcome: ListOutcome


class Placed(NamedTuple):
    """A message was put.

    ``descriptor``: as it is stored, in the byte order of the request. ``names``: where it went; None where that is not
    known, because its dynamic queue is gone again or nobody waits for the outcome. ``reason``: 0 or that of a warning.
    """

    descriptor: bytes
    names: PutNames | None
    reason: int = 0


class ListPlaced(NamedTuple):
    """A message was put to a list: the descriptor for each destination, and how each of them fared."""

    descriptors: tuple[bytes, ...]
    outcome: ListOutcome


class Staging(NamedTuple):
    """Data in the making: ``writer`` takes the parts and gives the body of a `Put`. Longer than ``longest`` bytes the
    message would be refused with the reason ``too_long``."""

    writer: BodyWriter
    longest: int
    too_long: int


class PutAuthority(NamedTuple):
    """With whose authority a message was put; blank: the queue manager's own. None where its row does not say, which an
    earlier release has written."""

    user: str | None


class PlacedMany(NamedTuple):
    """How many messages were put, and why the next one could not be; None where all were."""

    placed: int
    failed: Failed | None = None


class RetrievedMany(NamedTuple):
    """Messages in their order, the token of each, and whether the store holds it."""

    messages: tuple[Message, ...]
    tokens: tuple[bytes, ...]
    stored: tuple[bool, ...]


class MessagesHeld(NamedTuple):
    """Messages are held; the token of each."""

    tokens: tuple[bytes, ...]


class Disposed(NamedTuple):
    """What became of a message that could not be delivered."""

    disposal: Disposal


class Available(NamedTuple):
    """A message may be there; whoever waited is no longer registered."""


class Reserved(NamedTuple):
    """The first of a block of message ids, and how many they are."""

    first_id: bytes
    number: int


class Subscribed(NamedTuple):
    """An open subscription. ``hobj``: its queue; ``queue_name`` is given where that was opened with it."""

    hsub: int
    hobj: int
    correl_id: bytes
    sub_id: bytes
    queue_name: str | None = None


class Published(NamedTuple):
    """How many retained publications were sent."""

    number: int


class XaReturned(NamedTuple):
    """The return value of an XA call; ``xids`` of XA_RECOVER."""

    value: int
    xids: tuple[tuple[int, bytes, bytes], ...] = ()


Outcome: TypeAlias = (
    Failed | Done | Opened | ListOpened | Placed | ListPlaced | Staging | RetrievedMessage | Available
    | InquiredAttributes
    | PutStatus | Reserved | Subscribed | Published | XaReturned | PutAuthority | Disposed | PlacedMany | RetrievedMany
    | MessagesHeld
)  # fmt: skip


class Completion(NamedTuple):
    """The outcome of a request that was not answered at once."""

    tag: int
    outcome: Outcome


DONE: Final = Done()
AVAILABLE: Final = Available()
NO_MESSAGE: Final = Failed(int(MQCC.FAILED), int(MQRC.NO_MSG_AVAILABLE))


def failed(error: MQError) -> Failed:
    """The outcome that an exception stands for."""
    return Failed(int(error.completion), int(error.reason), error.detail)

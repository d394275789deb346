"""What requests come to, as values: at once, or later as a `Completion` with the tag of the request."""

from __future__ import annotations

from typing import Final, NamedTuple, TypeAlias

from mqbridge.bridge.queue_manager.attributes.inquire import Inquired
from mqbridge.bridge.queue_manager.connections.asynchronous_puts import PutNames, PutStatus
from mqbridge.bridge.queue_manager.connections.lists import ListOutcome
from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.bridge.queue_manager.options import RetrievedMessage
from mqbridge.bridge.queue_manager.putting.undelivered_messages import Disposal
from mqbridge.bridge.queue_manager.queues.bodies import BodyWriter
from mqbridge.protocol.constants import MQCC, MQRC


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


class Staging(NamedTuple):
    """Data in the making: ``writer`` takes the parts and gives the body of a `Put`. Longer than ``longest`` bytes the
    message would be refused with the reason ``too_long``."""

    writer: BodyWriter
    longest: int
    too_long: int


class ListPlaced(NamedTuple):
    """A message was put to a list: the descriptor for each destination, and how each of them fared."""

    descriptors: tuple[bytes, ...]
    outcome: ListOutcome


class PutBy(NamedTuple):
    """With whose authority a message was put; blank: the queue manager's own. None where its row does not say, which an
    earlier release has written."""

    user: str | None


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
    Failed | Done | Opened | ListOpened | Placed | ListPlaced | Staging | RetrievedMessage | Available | Inquired
    | PutStatus | Reserved | Subscribed | Published | XaReturned | PutBy | Disposed
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

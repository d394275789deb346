"""The connection to a JMS provider as a link sees it: requests it makes, and events that come back.

A `ProviderConnection` is one AMQP 1.0 connection with one session (AMQP 1.0 part 2). The link names each of its ends by
a **handle**, a number that it chooses and never uses twice on a connection. The order of events is the order in which
the provider sent them. An implementation neither asks a clock nor chooses anything at random: the same requests and the
same bytes give the same events.

    connection to be made ─► Opened ─► attach_sender ──► Attached ─► Credit … send … Outcome … ─► Refused of the handle
                        │          └─► attach_receiver ─► Attached ─► grant_credit … Received … settle …
                        └─► Refused of the connection, Lost: nothing follows

After `Lost`, and after `Refused` without a handle, no request has an effect; the link asks for a new connection. What
was neither settled by it nor known to be settled is in doubt then.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeAlias

from mqbridge.mappings.amqp import AmqpMessage

# States of a delivery (AMQP 1.0 part 3.4)


@dataclass(frozen=True, slots=True)
class Accepted:
    """The receiver has taken responsibility for the message."""


@dataclass(frozen=True, slots=True)
class Rejected:
    """The message is invalid and will not be accepted; ``condition``: symbol of the AMQP error, blank if none was
    given. ``description``: its text for people."""

    condition: str = ""
    description: str = ""


@dataclass(frozen=True, slots=True)
class Released:
    """The message was not processed and may be sent again."""


@dataclass(frozen=True, slots=True)
class Modified:
    """The message was not processed; ``delivery_failed``: count this as an attempt. ``undeliverable_here``: do not send
    it to this receiver again."""

    delivery_failed: bool = False
    undeliverable_here: bool = False


DeliveryState: TypeAlias = Accepted | Rejected | Released | Modified
"""Any state in which a delivery can end."""


class ProviderConnection(Protocol):
    """Requests of a link. None raises because of what the provider does: that comes back as an event.

    A connection holds what it was asked to send until the transport takes it; the order of requests is kept.
    """

    def attach_sender(self, handle: int, address: str) -> None:
        """Attach a sending end to an address of the provider. Answered by `Attached` and later `Credit`, or `Refused`.

        Its deliveries are unsettled until the provider states an outcome. An ``address`` without a kind of its own
        names a queue; ``topic://NAME`` is a topic, as in a destination URI. The empty address is the anonymous
        terminus: each message then names its own address in ``to`` (for replies to temporary queues).
        """
        ...

    def attach_receiver(self, handle: int, address: str) -> None:
        """Attach a receiving end without credit. Answered by `Attached` or `Refused`.

        ``address`` as for `attach_sender`. The empty address asks the provider for a dynamic node, a temporary queue
        that lives as long as the connection; `Attached` gives its address.
        """
        ...

    def grant_credit(self, handle: int, number: int) -> None:
        """Allow ``number`` more deliveries to a receiving end. It goes out behind all states settled before."""
        ...

    def send(self, handle: int, tag: bytes, message: AmqpMessage, *, settled: bool = False) -> None:
        """Send a message with a delivery tag of 1 to 32 bytes, unique among the unsettled ones of the handle.

        The link has credit. ``settled``: at most once; no outcome follows. A message longer than the provider takes, or
        one that cannot be encoded, is not sent: its `Outcome` is `Rejected` with ``amqp:link:message-size-exceeded`` or
        ``amqp:decode-error``.
        """
        ...

    def settle(self, handle: int, delivery: int, state: DeliveryState) -> None:
        """Settle a received delivery, given by the number in its `Received`, with a state."""
        ...

    def detach(self, handle: int) -> None:
        """Detach an end; nothing more of it is reported. The provider gets back what was delivered and not settled."""
        ...

    def close(self) -> None:
        """Close the connection in order. `Lost` follows when it has ended."""
        ...


# Events


class Opened(NamedTuple):
    """The connection is open and authenticated. ``container``: the provider's container id; ``product``: its product
    and version, as far as it says; both for displays only. ``anonymous_relay``: whether it offers the anonymous
    terminus."""

    container: str = ""
    product: str = ""
    anonymous_relay: bool = False


class Attached(NamedTuple):
    """An end is attached. ``max_message_size``: the longest message that the provider takes, in bytes of all sections;
    0 is no limit. ``address``: of a dynamic node, as the provider has named it, else as asked for."""

    handle: int
    max_message_size: int = 0
    address: str = ""


class Refused(NamedTuple):
    """The provider has refused or ended an end, or with ``handle`` None the whole connection (user, password, host).

    ``condition``: symbol of the AMQP error, such as ``amqp:not-found``, ``amqp:unauthorized-access``, for a refusal by
    SASL ``sasl:auth``; ``text``: its description, without secrets. ``permanent``: whether the same attempt will fail
    until somebody changes something; the link waits longest then.
    """

    handle: int | None
    condition: str
    text: str = ""
    permanent: bool = False


class Credit(NamedTuple):
    """The number of further deliveries that the provider takes at a sending end now; it replaces the number before and
    already excludes what was sent."""

    handle: int
    number: int


class Outcome(NamedTuple):
    """The provider has settled, or will settle, a delivery that was sent, in this state."""

    handle: int
    tag: bytes
    state: DeliveryState


class Received(NamedTuple):
    """A message has been delivered whole.

    ``delivery``: number of the delivery for `ProviderConnection.settle`, unique on the connection. ``digest``: SHA-256
    of the bare message as it came (properties, application properties and body: what no intermediary changes).
    ``tag``: delivery tag. ``settled``: the provider has settled it already, so that it is never sent again.
    ``error``: why the bytes are no message that JMS knows; ``message`` then has the sections that could be read.
    """

    handle: int
    delivery: int
    message: AmqpMessage
    digest: bytes
    tag: bytes = b""
    settled: bool = False
    error: str = ""


class TooLong(NamedTuple):
    """A message of a receiving end exceeded the length that the link had announced and was not kept; it was rejected
    with ``amqp:link:message-size-exceeded`` by the connection."""

    handle: int
    length: int


class Lost(NamedTuple):
    """The connection has ended or could not be made. ``reason``: for the log, without secrets. ``permanent``: as for
    `Refused`."""

    reason: str = ""
    permanent: bool = False


ProviderEvent: TypeAlias = Opened | Attached | Refused | Credit | Outcome | Received | TooLong | Lost
"""Any event of a connection."""

"""State machines of both ends of a message channel, without sockets or clocks.

A machine (:class:`Responder`, :class:`SenderChannel`, :class:`ReceiverChannel`) runs on a :class:`~.link.Link`, the
connection as its driver sees it. The driver's calls; ``now`` is always seconds since the epoch::

    machine.link.receive_data(data, now) -> list[Event]     bytes have arrived
    machine.link.receive_eof(now) -> list[Event]            the connection is closed
    machine.link.timeout(now) -> list[Event]                next_timeout() has passed (an early call does no harm)
    machine.link.next_timeout() -> float | None             when to call timeout() at the latest
    machine.link.close(mode, now) -> list[Event]            MQMODE.QUIESCE: end after the batch; FORCE: end at once
    machine.link.pause(), .resume(now)                      we stopped reading: the partner's silence does not count
    machine.link.state, .closed
    machine.link.wire.take(limit=65536) -> list[bytes]      pieces to write, in order; call until it returns none
    machine.link.wire.wants_to_send -> bool                 take() would return something
    machine.link.wire.unsent -> int                         bytes waiting, long messages counted whole
    machine.link.wire.counters                              for DISPLAY CHSTATUS

    machine.status, .substate                               MQCHS and MQCHSSTATE for DISPLAY CHSTATUS
    machine.negotiated                                      what both ends agreed on; None before Started

After each call, write what ``take`` returns and call ``next_timeout()`` again. :class:`Closed` is a machine's last
event: write what is left, then close the connection. Calls that pass in the partner's bytes never raise; a protocol
violation by the partner results in an error segment and :class:`Closed`. Calls that the state does not allow raise
``LocalProtocolError`` and change nothing.

Receiving a connection::

    responder = Responder(now, handshake_timeout=30.0)
    … ChannelRequested: look the channel up; pair_for(its MQCHT, client=…, requests_initiation=…) says what to do …
    machine, events = responder.accept(parameters, saved, now)              ReceiverState -> ReceiverChannel
    machine, events = responder.accept(parameters, saved, now, luwids=…)    SenderState -> SenderChannel
    responder.refuse(status, now, reason="", amq=None, value=None) -> list[Event]
    responder.call_back(now) -> list[Event]                                 requester asked a sender
    responder.hand_over() -> (Wire, Proposal)           a client asked: protocol.mqi.ServerConnection takes over

Read the saved state for ``accept`` when no other instance of the channel can still commit: end an older instance
first, with its batch backed out or its commit complete, or refuse the new one.

Opening a connection::

    SenderChannel(parameters, saved: SenderState, luwids: Callable[[], bytes], now, ping=None)
    ReceiverChannel(parameters, saved: ReceiverState, now)                  a requester asks the partner to send

Sending (SenderChannel)::

    batches.ready -> bool               a message may be sent now
    batches.send_message(payload, now, persistent=…, length=None) -> list[Event]
                                        payload: MQXQH (428 bytes, our order and CCSID) and data, as bytes, a list of
                                        pieces, or, with length given, an iterable that is read as segments are sent
    batches.queue_empty(now) -> list[Event]    the transmission queue is empty
    batches.end_batch(now) -> list[Event]      end the batch for a reason of the agent's own
    batches.request_confirm(now)        the in-doubt record of EndOfBatch is durable
    batches.open, .confirming, .in_doubt -> bool
    recorded(now) -> list[Event]        the state of InDoubtResolved or SequenceReset is durable

Receiving (ReceiverChannel; :class:`MessagePart` reports a long message while it arrives)::

    confirm(now, dlq_used=False) -> list[Event]        the batch of ConfirmRequested is committed and durable
    reject(status, reason, now, …) -> list[Event]      it certainly is not and will not be; ends the channel
    recorded(now) -> list[Event]                       the number of SequenceReset is durable
    idle -> bool                                       no batch open: a FORCE close costs nothing
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .names import *  # noqa: F403
else:

    def __getattr__(name: str) -> Any:
        """Load a public name on first use: observers import the tables without loading the machines."""
        import mqbridge.protocol.channel.names as names

        return getattr(names, name)

    def __dir__() -> list[str]:
        import mqbridge.protocol.channel.names as names

        return sorted({*globals(), *names.__all__})

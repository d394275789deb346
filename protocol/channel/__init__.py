"""Message channels: the machines of both ends, without sockets and clocks.

A machine (:class:`Responder`, :class:`SenderChannel`, :class:`ReceiverChannel`) stands on a :class:`~.link.Link`, the
connection as its driver sees it. Verbs of the driver; ``now`` is always seconds since the epoch::

    machine.link.receive_data(data, now) -> list[Event]     bytes came
    machine.link.receive_eof(now) -> list[Event]            the connection is gone
    machine.link.timeout(now) -> list[Event]                the time of next_timeout() has come (earlier does no harm)
    machine.link.next_timeout() -> float | None             when to call timeout() at the latest
    machine.link.close(mode, now) -> list[Event]            MQMODE.QUIESCE: end after the batch; FORCE: end at once
    machine.link.pause(), .resume(now)                      reading was stopped at our end: silence does not count
    machine.link.state, .closed
    machine.link.wire.take(limit=65536) -> list[bytes]      pieces to write in this order; call until it gives nothing
    machine.link.wire.wants_to_send -> bool                 take() would give something
    machine.link.wire.unsent -> int                         bytes waiting, long messages counted whole
    machine.link.wire.counters                              for DISPLAY CHSTATUS

    machine.status, .substate                               MQCHS and MQCHSSTATE for DISPLAY CHSTATUS
    machine.negotiated                                      what both ends agreed on; None before Started

After each call write out what ``take`` gives and ask ``next_timeout()`` again. :class:`Closed` is the last event of
a machine: write what there is, then close the connection. No call that brings in the partner's bytes raises; what a
partner does wrong ends in an error segment and :class:`Closed`. Calls that the state does not allow raise
``LocalProtocolError`` and change nothing.

Receiving a connection::

    responder = Responder(now, handshake_timeout=30.0)
    … ChannelRequested: look the channel up; pair_for(its MQCHT, client=…, requests_initiation=…) says what to do …
    machine, events = responder.accept(parameters, saved, now)              ReceiverState -> ReceiverChannel
    machine, events = responder.accept(parameters, saved, now, luwids=…)    SenderState -> SenderChannel
    responder.refuse(status, now, reason="", amq=None, value=None) -> list[Event]
    responder.call_back(now) -> list[Event]                                 requester asked a sender
    responder.hand_over() -> (Wire, Proposal)           a client asked: protocol.mqi.ServerConnection goes on

The saved state given to ``accept`` must be read when no other instance of the channel can still commit: an older
instance is ended, its batch backed out or its commit finished, before (or the new one refused).

Opening a connection::

    SenderChannel(parameters, saved: SenderState, luwids: Callable[[], bytes], now, ping=None)
    ReceiverChannel(parameters, saved: ReceiverState, now)                  a requester asks to be sent to

Sending (SenderChannel)::

    batches.ready -> bool               a message may be sent now
    batches.send_message(payload, now, persistent=…, length=None) -> list[Event]
                                        payload: MQXQH (428 bytes, our order and CCSID) and data, as bytes, a list of
                                        pieces, or, with length given, an iterable that is read as segments are sent
    batches.queue_empty(now) -> list[Event]    nothing is left to send for the moment
    batches.end_batch(now) -> list[Event]      end the batch for a reason of the agent's own
    batches.request_confirm(now)        the in-doubt record of EndOfBatch is durable
    batches.open, .confirming, .in_doubt -> bool
    recorded(now) -> list[Event]        what InDoubtResolved or SequenceReset told is durable

Receiving (ReceiverChannel; of a long message :class:`MessagePart` tells while it comes)::

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
        """Observers want the tables of states, and are not to wait for the machines."""
        import mqbridge.protocol.channel.names as names

        return getattr(names, name)

    def __dir__() -> list[str]:
        import mqbridge.protocol.channel.names as names

        return sorted({*globals(), *names.__all__})

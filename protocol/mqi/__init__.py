"""State machine of a client connection at the queue manager (SVRCONN), without sockets or clocks.

A client's connection begins at the :class:`~protocol.channel.Responder`. If ``ChannelRequested.client`` is true and
the channel is a SVRCONN, the agent continues with::

    connection, events = ServerConnection.answering(responder, ServerParameters(…), now)

``connection.link`` has the methods common to all machines (``protocol.channel``), as have ``status`` and ``substate``;
``agreed``, ``conversations`` and ``closing`` are specific to this one. :class:`~protocol.channel.Closed` is the last
event.

**Events**, in the order in which things happened; ``conversation`` is an id, 0 where SHARECNV is 0::

    Started                          negotiated; the first conversation exists
    UserIdentified, CredentialsGiven the user: keep it for that conversation's MQCONN, answer nothing
    ConversationStarted              a further conversation of the connection (MQCONN follows)
    a Call (Connect, Open, Put …)    answer it; calls with ``wanted`` false have no answer
    MessagesWanted(delivery)         see below
    Notified                         NOTIFICATION from the client; already answered
    CallRefused                      the machine refused a call: for the log; a failed put if ``asynchronous``
    ConversationEnded                release the conversation's resources; if not ``orderly``: back out
    Closed                           after a ConversationEnded for each conversation

**Replies** are sent through ``connection.replies``. A conversation has at most one call awaiting its reply, which may
come at any time; other conversations continue meanwhile. Send exactly one of these for each call that is ``wanted``,
while its conversation lasts (later ones are ignored; a second one raises ``LocalProtocolError``)::

    replies.connect(call, connection_id=…, tag=…)          Connect
    replies.open(call, handle, persistence=…, put_response=…, read_ahead=…, property_control=…)   Open
    replies.get(call, data, full_length=…)                 Get
    replies.inquire(call, integers, characters)            Inquire
    replies.subscribe(call, handle=…, subscription=…)      Subscribe
    replies.reserve(call, count=…, position=…, first_id=…) Reserve
    replies.xa(call, return_value, xids=())                Xa
    replies.answer(call, comp_code=0, reason=0)            Close, Disconnect, Commit, Backout, Put, Put1, Set, Stat,
                                                           SubscriptionRequest, Notify
    replies.refuse(call, reason)                           any: completion code 2

All accept ``comp_code`` and ``reason`` for warnings. A reply repeats the structures of its call in their current
state: first set the output fields (``call.od.record``, ``call.descriptor``, ``call.options.record``,
``call.sd.record``, ``call.report.record``), in the byte order and CCSID of the call (``call.field(text, length)``,
``call.order``). A handle is any number but 0 and -1, unique in its conversation; the machine tracks those that
``replies.open`` and ``replies.subscribe`` returned until the reply to their :class:`Close`.

**Messages of a shared connection** are never requested by MQGET; they are sent through ``connection.deliveries``.
:class:`MessagesWanted` carries a :class:`Delivery`, whose ``options``, ``selection`` and ``max_length`` select the
message. Whenever a message may be available (at the event, and when the queue gets one) the agent does this::

    while delivery.ready:
        message = get(…)
        if message is None:
            deliveries.no_message(delivery)      # answers a check; a waiting get or a listener keeps waiting
            break
        deliveries.send(delivery, descriptor, data, full_length=…, reason=…, token=…, queue=…, reference=…, held=…)

Long data need not be in memory: ``LazyData`` has a length and produces its pieces when they are sent. Pass a
``reference`` with each message that left the queue: :class:`Close` returns, as ``unreceived``, those that the client
has not received, to be put back (also those under syncpoint). With ``held``, ``delivery.take_arrived`` returns those
that it has received, after its next request or Close. A delivery that is ``closed`` accepts nothing more.
``deliveries.notify(delivery, NotificationCode.GET_INHIBITED)`` tells a waiting get that its queue was inhibited.

**The end.** ``link.close(QUIESCE)`` notifies programs (2202, or 2161 when the queue manager ends) and ends when they
have disconnected; meanwhile the agent refuses calls that are no longer allowed (``closing``), and calls
``link.close(FORCE)`` after a time limit. An error within a call fails the call; a segment that is not a valid call
ends the connection with an error segment (docs/protocol.md lists them).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .names import *  # noqa: F403
else:

    def __getattr__(name: str) -> Any:
        """Load a public name on first use: observers import tables and readers without loading the machines."""
        import mqbridge.protocol.mqi.names as names

        return getattr(names, name)

    def __dir__() -> list[str]:
        import mqbridge.protocol.mqi.names as names

        return sorted({*globals(), *names.__all__})

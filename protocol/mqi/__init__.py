"""Client connections: the server side of the MQI, without sockets and clocks.

A client's connection begins at the :class:`~protocol.channel.Responder`. When ``ChannelRequested.client`` is true and
the channel is a SVRCONN, the agent goes on with::

    connection, events = ServerConnection.answering(responder, ServerParameters(…), now)

``connection.link`` has the verbs of every machine (``protocol.channel``); ``status`` and ``substate`` are those of
every machine, ``agreed``, ``conversations``, ``closing`` those of this one. :class:`~protocol.channel.Closed` is the
last event.

**Events**, in the order in which things happened; ``conversation`` is an id, 0 where SHARECNV is 0::

    Started                          agreed; the first conversation is there
    UserIdentified, CredentialsGiven who signs on: keep it for MQCONN of that conversation, answer nothing
    ConversationStarted              one more conversation of the socket (MQCONN follows)
    a Call (Connect, Open, Put …)    answer it; calls with ``wanted`` false have no answer
    MessagesWanted(delivery)         see below
    Notified                         NOTIFICATION of the client; answered already
    CallRefused                      the machine has refused a call: for the log; a failed put when ``asynchronous``
    ConversationEnded                release what the conversation had; not ``orderly``: back out
    Closed                           after a ConversationEnded for each conversation that there was

**Answers** go by ``connection.replies``. A conversation has one call at a time that waits for its reply, whenever it
comes; other conversations go on meanwhile. Exactly one of these for each call that is ``wanted``, while its
conversation lasts (later ones are passed over; a second one raises ``LocalProtocolError``)::

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

All take ``comp_code`` and ``reason`` for warnings. A reply repeats the structures of its call as they stand then:
set the fields that come back (``call.od.record``, ``call.descriptor``, ``call.options.record``, ``call.sd.record``,
``call.report.record``), in the byte order and CCSID of the call (``call.field(text, length)``, ``call.order``).
A handle is any number but 0 and -1, unique in its conversation; the machine knows those that ``replies.open`` and
``replies.subscribe`` gave and that no answer to :class:`Close` took back.

**Messages of a shared connection** are never asked for by MQGET; they go by ``connection.deliveries``.
:class:`MessagesWanted` brings a :class:`Delivery`, whose ``options``, ``selection``, ``max_length`` say which message.
The agent does the same whenever a message may be there for it (at the event, and when the queue has one)::

    while delivery.ready:
        message = get(…)
        if message is None:
            deliveries.no_message(delivery)      # answers a check; a waiting get and a listener go on waiting
            break
        deliveries.send(delivery, descriptor, data, full_length=…, reason=…, token=…, queue=…, reference=…)

Data that are long need not be at hand: anything with a length that gives its pieces when they are sent will do
(``LazyData``). ``reference`` goes with each message that left the queue: :class:`Close` gives back, as ``unreceived``,
those that the client had not received, to be put back (also those under syncpoint). A delivery that is ``closed``
takes nothing more.
``deliveries.notify(delivery, NotificationCode.GET_INHIBITED)`` tells a waiting get that its queue was inhibited.

**The end.** ``link.close(QUIESCE)`` tells programs (2202, or 2161 when the queue manager ends) and ends when they have
disconnected; the agent refuses what it must not do any more (``closing``) and uses ``link.close(FORCE)`` when that
takes too long. What a client does wrong in a call fails the call; what is no call at all ends the connection with an
error segment (``states`` says which; docs/protocol.md lists them).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .names import *  # noqa: F403
else:

    def __getattr__(name: str) -> Any:
        """Observers want the tables of states and what reads calls, and are not to wait for the machines."""
        import mqbridge.protocol.mqi.names as names

        return getattr(names, name)

    def __dir__() -> list[str]:
        import mqbridge.protocol.mqi.names as names

        return sorted({*globals(), *names.__all__})

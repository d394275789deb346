"""The states of a message channel and what leads from one to the next.

Theory of operation
-------------------

A message channel carries messages one way, in batches, over one connection at a time. Either end may open the
connection: the sender usually does; a requester opens it and asks the other end to send (a server) or to call back
(a sender). So there are two questions at each end, who called and who sends, and only the second one matters once
the two have agreed on their values. Three tables follow: the responder, which a connection that comes in begins
with; the end that sends; the end that receives.

**Agreement.** The caller sends INITIAL_DATA with its values. The other end answers INITIAL_DATA: as it is, or marked
as an error with values that it can take, which the caller then repeats. When both agree the channel is bound.

**Exactly once.** Messages are numbered through all batches; a batch has an identity, its LUWID. Both ends keep, on
disk, the LUWID and last number of the last batch that they committed. The receiver writes them in the same unit of
work as the messages. The sender writes, before it asks for confirmation, that the batch is *in doubt*, and deletes
the messages only after the answer. Whatever is killed, and whenever:

* before the sender's in-doubt record is on disk, nothing was asked: both ends back out, and the numbers agree;
* after it and before the receiver's commit, the receiver still has the LUWID and number of the batch before: the
  sender learns so when it comes back, backs out, and sends again with the same numbers and a new LUWID;
* after the receiver's commit and before the sender's, the receiver has the LUWID that the sender is in doubt about:
  the sender commits.

So the sender that is in doubt asks (RESYNCHRONISING) before it sends anything, acts upon the answer, and records
that first (RECORDING); one that is not in doubt need not ask, for then the numbers agree. The first batch of all is
no exception: "nothing committed" is LUWID zero and number 0. Batches of fast non-persistent messages, which nobody
would miss, use numbers too and are recorded in the same way; else a kill between the two records would leave the
ends with different numbers. Numbers that disagree all the same are a real fault (a record lost, a reset at one end
only) and end the channel with AMQ9526 until somebody decides.

**Between batches** the sender shows that it is alive by heartbeats and ends the channel after the disconnect
interval. The receiver cannot speak unasked: it puts its wish to end into the next answer, and the sender closes.

Two rules hold in the code: everything that moves a machine from state to state stands in these tables, and the
tables do not know times, bytes or flags. A step that is not in its table is a ``LocalProtocolError`` when we ask for
it, and an error segment when the partner does.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Final, TypeAlias


class State(enum.Enum):
    """State of a machine; the value is how the diagrams write it."""

    LISTENING = "Listening"
    """Responder: connected, no segment yet."""
    REQUESTED = "Requested"
    """Responder: a channel was asked for; our side decides."""
    NEGOTIATING = "Negotiating"
    """Values are being agreed on."""
    RESYNCHRONISING = "Resynchronising"
    """Sender: asked what became of the batch in doubt."""
    RESETTING = "Resetting"
    """Sender: told the partner a new sequence number."""
    RECORDING = "Recording"
    """The outcome of a resynchronisation or reset is being made durable."""
    PINGING = "Pinging"
    """Sender: test data are on their way there and back."""
    STARTED = "Started"
    """Receiver: agreed, and neither message nor batch yet."""
    RUNNING = "Running"
    """No batch is open."""
    HEARTBEATING = "Heartbeating"
    """Sender: no batch is open, a heartbeat has not been answered yet."""
    BATCH = "Batch"
    """A batch is open."""
    PARTIAL = "Partial"
    """Receiver: a message has come in part."""
    CHECKING = "Checking"
    """Sender: the batch must end, and a batch heartbeat asks whether the partner is there."""
    ENDING = "Ending"
    """Sender: the batch has ended, its in-doubt record is being made durable."""
    CONFIRMING = "Confirming"
    """Sender: confirmation was asked for, the batch is in doubt. Receiver: the batch is being committed."""
    CLOSED = "Closed"
    """Over."""
    HANDED_OVER = "HandedOver"
    """Responder: a sender or receiver goes on with the connection."""


class Trigger(enum.Enum):
    """What moves a machine; the value is how the diagrams write it."""

    CHANNEL_ASKED = "INITIAL_DATA names a channel"
    ACCEPTED = "accepted"
    VALUES_CHANGED = "INITIAL_DATA, values changed"
    AGREED = "INITIAL_DATA, agreed"
    AGREED_IN_DOUBT = "agreed, a batch in doubt"
    AGREED_RESET = "agreed, a reset pending"
    AGREED_PING = "agreed, a ping wanted"
    RESYNC_ANSWERED = "RESYNC_DATA answers"
    RESET_ANSWERED = "RESET_DATA answered"
    RECORDED = "recorded"
    RECORDED_RESET = "recorded, a reset pending"
    RESYNC_ASKED = "RESYNC_DATA asks"
    RESET_ASKED = "RESET_DATA asks"
    PING = "PING_DATA"
    MESSAGE = "message"
    MESSAGE_PART = "part of a message"
    HEARTBEAT = "heartbeat"
    HEARTBEAT_ANSWERED = "heartbeat answered"
    BATCH_CHECK = "batch must end, partner silent"
    BATCH_ENDS = "batch must end"
    CONFIRM_ASKED = "confirmation asked for"
    CONFIRMED = "confirmed"
    END = "end, error, connection lost"


Table: TypeAlias = Mapping[State, Mapping[Trigger, State]]
"""For each state, which triggers it knows and where they lead."""

RESPONDER: Final[Table] = {
    State.LISTENING: {
        Trigger.CHANNEL_ASKED: State.REQUESTED,
        Trigger.END: State.CLOSED,
    },
    State.REQUESTED: {
        Trigger.ACCEPTED: State.HANDED_OVER,
        Trigger.END: State.CLOSED,
    },
    State.HANDED_OVER: {},
    State.CLOSED: {},
}
"""A connection that came in, until it is known what it carries."""

SENDER: Final[Table] = {
    State.NEGOTIATING: {
        Trigger.VALUES_CHANGED: State.NEGOTIATING,
        Trigger.AGREED: State.RUNNING,
        Trigger.AGREED_IN_DOUBT: State.RESYNCHRONISING,
        Trigger.AGREED_RESET: State.RESETTING,
        Trigger.AGREED_PING: State.PINGING,
        Trigger.END: State.CLOSED,
    },
    State.RESYNCHRONISING: {
        Trigger.RESYNC_ANSWERED: State.RECORDING,
        Trigger.END: State.CLOSED,
    },
    State.RESETTING: {
        Trigger.RESET_ANSWERED: State.RECORDING,
        Trigger.END: State.CLOSED,
    },
    State.RECORDING: {
        Trigger.RECORDED: State.RUNNING,
        Trigger.RECORDED_RESET: State.RESETTING,
        Trigger.END: State.CLOSED,
    },
    State.PINGING: {
        Trigger.END: State.CLOSED,
    },
    State.RUNNING: {
        Trigger.MESSAGE: State.BATCH,
        Trigger.HEARTBEAT: State.HEARTBEATING,
        Trigger.HEARTBEAT_ANSWERED: State.RUNNING,
        Trigger.END: State.CLOSED,
    },
    State.HEARTBEATING: {
        Trigger.MESSAGE: State.BATCH,
        Trigger.HEARTBEAT_ANSWERED: State.RUNNING,
        Trigger.END: State.CLOSED,
    },
    State.BATCH: {
        Trigger.MESSAGE: State.BATCH,
        Trigger.HEARTBEAT: State.BATCH,
        Trigger.HEARTBEAT_ANSWERED: State.BATCH,
        Trigger.BATCH_CHECK: State.CHECKING,
        Trigger.BATCH_ENDS: State.ENDING,
        Trigger.END: State.CLOSED,
    },
    State.CHECKING: {
        Trigger.HEARTBEAT_ANSWERED: State.ENDING,
        Trigger.END: State.CLOSED,
    },
    State.ENDING: {
        Trigger.CONFIRM_ASKED: State.CONFIRMING,
        Trigger.HEARTBEAT: State.ENDING,
        Trigger.HEARTBEAT_ANSWERED: State.ENDING,
        Trigger.END: State.CLOSED,
    },
    State.CONFIRMING: {
        Trigger.CONFIRMED: State.RUNNING,
        Trigger.HEARTBEAT_ANSWERED: State.CONFIRMING,
        Trigger.END: State.CLOSED,
    },
    State.CLOSED: {},
}
"""The end that sends, whoever called."""

RECEIVER: Final[Table] = {
    State.NEGOTIATING: {
        Trigger.VALUES_CHANGED: State.NEGOTIATING,
        Trigger.AGREED: State.STARTED,
        Trigger.END: State.CLOSED,
    },
    State.STARTED: {
        Trigger.RESYNC_ASKED: State.STARTED,
        Trigger.RESET_ASKED: State.RECORDING,
        Trigger.PING: State.STARTED,
        Trigger.HEARTBEAT: State.STARTED,
        Trigger.MESSAGE: State.BATCH,
        Trigger.MESSAGE_PART: State.PARTIAL,
        Trigger.CONFIRM_ASKED: State.CONFIRMING,
        Trigger.END: State.CLOSED,
    },
    State.RECORDING: {
        Trigger.RECORDED: State.STARTED,
        Trigger.END: State.CLOSED,
    },
    State.RUNNING: {
        Trigger.HEARTBEAT: State.RUNNING,
        Trigger.MESSAGE: State.BATCH,
        Trigger.MESSAGE_PART: State.PARTIAL,
        Trigger.CONFIRM_ASKED: State.CONFIRMING,
        Trigger.END: State.CLOSED,
    },
    State.BATCH: {
        Trigger.MESSAGE: State.BATCH,
        Trigger.MESSAGE_PART: State.PARTIAL,
        Trigger.HEARTBEAT: State.BATCH,
        Trigger.CONFIRM_ASKED: State.CONFIRMING,
        Trigger.END: State.CLOSED,
    },
    State.PARTIAL: {
        Trigger.MESSAGE_PART: State.PARTIAL,
        Trigger.MESSAGE: State.BATCH,
        Trigger.END: State.CLOSED,
    },
    State.CONFIRMING: {
        Trigger.HEARTBEAT: State.CONFIRMING,
        Trigger.CONFIRMED: State.RUNNING,
        Trigger.END: State.CLOSED,
    },
    State.CLOSED: {},
}
"""The end that receives, whoever called."""

TABLES: Final[Mapping[str, Table]] = {"Responder": RESPONDER, "Sender": SENDER, "Receiver": RECEIVER}
"""All tables by the name of the machine."""

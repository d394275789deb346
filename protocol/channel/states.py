"""States and transitions of a message channel.

Theory of operation
-------------------

A message channel carries messages one way, in batches, over one connection at a time. Either end may open the
connection: the sender usually does; a requester opens it and asks the other end to send (a server) or to call back
(a sender). Who called and who sends are separate questions, and once the values are negotiated only the second
matters. Hence three tables: the responder, with which an incoming connection begins; the sending end; the receiving
end.

**Negotiation.** The caller sends INITIAL_DATA with its values. The other end answers with INITIAL_DATA: unchanged, or
marked as an error with values that it can take, which the caller then repeats. When both agree the channel is bound.

**Exactly once.** Messages are numbered through all batches; a batch has an identity, its LUWID. Both ends keep, on
disk, the LUWID and last number of the last batch that they committed. The receiver writes them in the same unit of
work as the messages. The sender records the batch as *in doubt* before it requests confirmation, and deletes the
messages only after the answer. A crash at either end, at any time, leaves one of three cases:

* before the sender's in-doubt record is on disk, nothing was requested: both ends back out, and the numbers agree;
* after it and before the receiver's commit, the receiver still has the LUWID and number of the batch before: the
  sender learns this when it reconnects, backs out, and sends again with the same numbers and a new LUWID;
* after the receiver's commit and before the sender's, the receiver has the LUWID that the sender is in doubt about:
  the sender commits.

A sender in doubt therefore asks (RESYNCHRONISING) before it sends anything, and records the outcome (RECORDING)
before it continues; a sender that is not in doubt need not ask, because the numbers agree. The first batch is no
exception: "nothing committed" is LUWID zero and number 0. Batches of fast non-persistent messages use numbers too and
are recorded in the same way; otherwise a crash between the two records would leave the ends with different numbers.
Numbers that disagree nevertheless are a real fault (a lost record, a reset at one end only) and end the channel with
AMQ9526 until an operator decides.

**Between batches** the sender sends heartbeats, and ends the channel after the disconnect interval. The receiver
cannot send unasked: it requests the end in its next answer, and the sender closes.

Two rules hold in the code: every transition of a machine is in these tables, and the tables know no times, bytes or
flags. A transition that is not in the table raises ``LocalProtocolError`` if our side causes it, and sends an error
segment if the partner does.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Final, TypeAlias


class State(enum.Enum):
    """State of a machine; the values are the names in the diagrams."""

    LISTENING = "Listening"
    """Responder: connected, no segment yet."""
    REQUESTED = "Requested"
    """Responder: a channel was requested; our side decides."""
    NEGOTIATING = "Negotiating"
    """Values are being negotiated."""
    RESYNCHRONISING = "Resynchronising"
    """Sender: asked for the outcome of the batch in doubt."""
    RESETTING = "Resetting"
    """Sender: sent the partner a new sequence number."""
    RECORDING = "Recording"
    """The outcome of a resynchronisation or reset is being made durable."""
    PINGING = "Pinging"
    """Sender: test data were sent and have not returned."""
    STARTED = "Started"
    """Receiver: negotiated, neither message nor batch yet."""
    RUNNING = "Running"
    """No batch is open."""
    HEARTBEATING = "Heartbeating"
    """Sender: no batch is open, a heartbeat is unanswered."""
    BATCH = "Batch"
    """A batch is open."""
    PARTIAL = "Partial"
    """Receiver: part of a message has arrived."""
    CHECKING = "Checking"
    """Sender: the batch must end, and a batch heartbeat checks that the partner is there."""
    ENDING = "Ending"
    """Sender: the batch has ended, its in-doubt record is being made durable."""
    CONFIRMING = "Confirming"
    """Sender: confirmation was requested, the batch is in doubt. Receiver: the batch is being committed."""
    CLOSED = "Closed"
    """Ended."""
    HANDED_OVER = "HandedOver"
    """Responder: another machine has taken over the connection."""


class Trigger(enum.Enum):
    """Cause of a transition; the values are the labels in the diagrams."""

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
"""For each state, the triggers that it accepts and the states they lead to."""

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
"""An incoming connection, until its purpose is known."""

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
"""The sending end, whoever called."""

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
"""The receiving end, whoever called."""

TABLES: Final[Mapping[str, Table]] = {"Responder": RESPONDER, "Sender": SENDER, "Receiver": RECEIVER}
"""All tables by machine name."""

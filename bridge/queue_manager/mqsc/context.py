"""What every command handler works with: the queue manager, those who run channels, the time, and the reply."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol, TypeAlias

from mqbridge.bridge.queue_manager.control import ChannelControl, CommandServerControl, ControlError
from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.bridge.queue_manager.objects import Change, ObjectError, Objects
from mqbridge.bridge.queue_manager.queues.open_handle import OpenHandle
from mqbridge.bridge.security import Security
from mqbridge.bridge.store.interface import Operation
from mqbridge.protocol.constants import MQRC

from .messages import nothing_found
from .parser import Command
from .replies import CommandReply
from .source import MQSCSyntaxError
from .subscription_target import SubscriptionTarget

if TYPE_CHECKING:
    from mqbridge.bridge.queue_manager.connections import Connections
    from mqbridge.bridge.queue_manager.events import Events
    from mqbridge.bridge.queue_manager.turns import Steps, Turns

Reply: TypeAlias = Callable[[CommandReply], None]
"""Called once with the answer; perhaps after the call that carried the command out has returned."""

REFUSALS: dict[int, str] = {
    MQRC.OBJECT_IN_USE: "AMQ8148",
    MQRC.Q_NOT_EMPTY: "AMQ8143",
    MQRC.UNKNOWN_OBJECT_NAME: "AMQ8147",
}
"""Message id for the reasons with which the queue manager refuses to clear or drop a queue."""


class Counts(Protocol):
    """What is counted for performance events since ``since``."""

    high_depth: int
    enqueued: int
    dequeued: int
    since: float

    def restart(self, depth: int, now: float) -> None:
        """Counts anew."""
        ...


class QueueState(Protocol):
    """Counters of a local queue, as displays show them; times are seconds since the epoch, 0 for never."""

    name: str
    input_count: int
    output_count: int
    last_get: float
    last_put: float

    @property
    def handles(self) -> Sequence[OpenHandle]:
        """Open handles."""
        ...

    @property
    def meter(self) -> Counts | None:
        """What is counted, None where nothing is."""
        ...

    @property
    def depth(self) -> int:
        """CURDEPTH."""
        ...

    @property
    def uncommitted(self) -> int:
        """UNCOM."""
        ...

    @property
    def oldest_message(self) -> float | None:
        """When the first message was put."""
        ...


class CommandTarget(Protocol):
    """What commands need of a queue manager (`QueueManager` has it)."""

    @property
    def turns(self) -> Turns:
        """Works that are done in pieces."""
        ...

    security: Security
    connections: Connections
    events: Events

    @property
    def pubsub(self) -> SubscriptionTarget:
        """Topics and subscriptions."""
        ...

    @property
    def objects(self) -> Objects:
        """The definitions."""
        ...

    def objects_changed(self, now: float) -> None:
        """Takes over what became of the definitions."""
        ...

    def submit(self, operations: Sequence[Operation], then: Callable[[MQError | None], None] | None = None) -> None:
        """Has operations committed and tells the outcome."""
        ...

    def queue(self, name: str) -> QueueState | None:
        """A local queue at run time."""
        ...

    def clear_queue(self, name: str, now: float, then: Callable[[MQError | None], None] | None = None) -> None:
        """Removes all messages; raises `MQError` 2042, 2055."""
        ...

    def drop_queue(self, name: str, *, purge: bool) -> list[Operation]:
        """What takes the messages of a queue out of the store; raises `MQError` 2042, 2055."""
        ...


class Context:
    """One command being carried out: `reply` is filled and handed to `done` once."""

    __slots__ = ("command", "command_server", "control", "done", "manager", "now", "reply", "started")

    def __init__(
        self,
        manager: CommandTarget,
        control: ChannelControl,
        command: Command,
        now: float,
        done: Reply,
        started: float = 0.0,
    ) -> None:
        self.manager = manager
        self.control = control
        self.command = command
        self.now = now
        self.done = done
        self.started = started
        self.command_server: CommandServerControl | None = None
        self.reply = CommandReply(command.text)

    @property
    def objects(self) -> Objects:
        """The definitions of the queue manager."""
        return self.manager.objects

    def answer(self, amq: str, *inserts: object) -> None:
        """Ends the command with one message that it was done."""
        self.reply.add(amq, *inserts)
        self.done(self.reply)

    def refuse(self, amq: str, reason: int, text: str) -> None:
        """Ends the command with one message that it was not done."""
        self.reply.fail(amq, reason, text)
        self.done(self.reply)

    def found_nothing(self, text: str) -> None:
        """Ends a DISPLAY for which there is nothing to show."""
        amq, reason = nothing_found(self.command.noun)
        self.refuse(amq, reason, text)

    def in_turns(self, steps: Steps) -> None:
        """Carries out what may be much; it ends the command."""
        self.manager.turns.begin(self._guarded(steps), self.now)

    def _guarded(self, steps: Steps) -> Steps:
        try:
            yield from steps
        except (MQSCSyntaxError, ObjectError, ControlError, MQError) as error:
            self.done(refusal(self.command.text, error))

    @contextmanager
    def ignoring(self, already: int) -> Iterator[None]:
        """IGNSTATE(YES | NO) of the command: with YES a `ControlError` of the reason ``already`` is no error."""
        ignored = self.command.word("IGNSTATE", ("YES", "NO"), "NO") == "YES"
        try:
            yield
        except ControlError as error:
            if not ignored or error.reason != already:
                raise

    def finish(self, amq: str, *inserts: object) -> Callable[[ControlError | None], None]:
        """A continuation that ends the command: with this message, or with the error it is given."""

        def outcome(error: ControlError | None) -> None:
            if error is None:
                self.answer(amq, *inserts)
            else:
                self.refuse(error.amq, error.reason, str(error))

        return outcome

    def commit(self, changes: Sequence[Change], amq: str, *inserts: object, extra: Sequence[Operation] = ()) -> None:
        """Makes changes durable and answers after that; takes them back if that fails."""
        self.manager.objects_changed(self.now)

        def then(error: MQError | None) -> None:
            if error is None:
                self.answer(amq, *inserts)
                return
            for change in reversed(changes):
                self.objects.undo(change)
            self.manager.objects_changed(self.now)
            self.refuse("AMQ8101", error.reason, f"the change could not be stored: {error}")

        operations = [*extra, *(operation for change in changes for operation in change.operations)]
        if operations:
            self.manager.submit(operations, then)
        else:
            then(None)


def refusal(command_text: str, error: MQSCSyntaxError | ObjectError | ControlError | MQError) -> CommandReply:
    """The reply for a command that ended with an error."""
    reply = CommandReply(command_text)
    if isinstance(error, MQError):
        reply.fail(REFUSALS.get(error.reason, "AMQ8101"), error.reason, str(error))
    else:
        reply.fail(error.amq, error.reason, str(error))
    if isinstance(error, MQSCSyntaxError):
        reply.syntax = True
        reply.offset = error.column - 1 if error.line == 1 else -1
    return reply

"""The context of a command: queue manager, channels, time, and the reply."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeAlias

from mqbridge.bridge.queue_manager.control import ChannelControl, CommandServerControl, ControlError
from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.bridge.queue_manager.objects import Change, ObjectError, Objects
from mqbridge.bridge.store.interface import Operation
from mqbridge.mappings.moment import Time
from mqbridge.protocol.constants import MQRC

from .host import CommandTarget
from .lexer import MQSCSyntaxError
from .messages import nothing_found
from .parser import Command
from .replies import CommandReply

if TYPE_CHECKING:
    from mqbridge.bridge.queue_manager.turns import Steps
    from mqbridge.bridge.queue_manager.units_of_work import Then

Reply: TypeAlias = Callable[[CommandReply], None]
"""Called once with the answer, perhaps after the call that executed the command has returned."""

REFUSALS: dict[int, str] = {
    MQRC.OBJECT_IN_USE: "AMQ8148",
    MQRC.Q_NOT_EMPTY: "AMQ8143",
    MQRC.UNKNOWN_OBJECT_NAME: "AMQ8147",
}
"""Message id by reason code, for refusals to clear or delete a queue."""


class Context:
    """A command during its execution. `done` is called once with the filled `reply`."""

    __slots__ = ("command", "command_server", "control", "done", "manager", "now", "reply", "started")

    def __init__(
        self,
        manager: CommandTarget,
        control: ChannelControl,
        command: Command,
        now: Time,
        done: Reply,
        started: Time = 0.0,
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
        """End the command successfully, with one message."""
        self.reply.add(amq, *inserts)
        self.done(self.reply)

    def refuse(self, amq: str, reason: int, text: str) -> None:
        """End the command with an error message."""
        self.reply.fail(amq, reason, text)
        self.done(self.reply)

    def found_nothing(self, text: str) -> None:
        """End a DISPLAY that has found nothing."""
        amq, reason = nothing_found(self.command.noun)
        self.refuse(amq, reason, text)

    def in_turns(self, steps: Steps) -> None:
        """Run a task in turns that ends the command."""
        self.manager.turns.begin(self._guarded(steps), self.now)

    def _guarded(self, steps: Steps) -> Steps:
        try:
            yield from steps
        except (MQSCSyntaxError, ObjectError, ControlError, MQError) as error:
            self.done(refusal(self.command.text, error))

    @contextmanager
    def ignoring(self, already: int) -> Iterator[None]:
        """Apply IGNSTATE(YES | NO): with YES a `ControlError` with the reason ``already`` is ignored."""
        ignored = self.command.word("IGNSTATE", ("YES", "NO"), "NO") == "YES"
        try:
            yield
        except ControlError as error:
            if not ignored or error.reason != already:
                raise

    def finish(self, amq: str, *inserts: object) -> Callable[[ControlError | None], None]:
        """A continuation that ends the command: with this message, or with a `ControlError`."""

        def outcome(error: ControlError | None) -> None:
            if error is None:
                self.answer(amq, *inserts)
            else:
                self.refuse(error.amq, error.reason, str(error))

        return outcome

    def stored(self, amq: str, *inserts: object, failed: str = "the change could not be stored") -> Then:
        """A continuation that ends the command: with this message, or with ``failed`` and the store's error."""

        def outcome(error: MQError | None) -> None:
            if error is None:
                self.answer(amq, *inserts)
            else:
                self.refuse("AMQ8101", error.reason, f"{failed}: {error}")

        return outcome

    def commit(self, changes: Sequence[Change], amq: str, *inserts: object, extra: Sequence[Operation] = ()) -> None:
        """Commit changes, then answer. If that fails, undo them and refuse."""
        self.manager.objects_changed(self.now)

        stored = self.stored(amq, *inserts)

        def then(error: MQError | None) -> None:
            if error is not None:
                for change in reversed(changes):
                    self.objects.undo(change)
                self.manager.objects_changed(self.now)
            stored(error)

        operations = [*extra, *(operation for change in changes for operation in change.operations)]
        if operations:
            self.manager.submit(operations, then)
        else:
            then(None)


def refusal(command_text: str, error: MQSCSyntaxError | ObjectError | ControlError | MQError) -> CommandReply:
    """The reply of a command that has raised an error."""
    reply = CommandReply(command_text)
    if isinstance(error, MQError):
        reply.fail(REFUSALS.get(error.reason, "AMQ8101"), error.reason, str(error))
    else:
        reply.fail(error.amq, error.reason, str(error))
    if isinstance(error, MQSCSyntaxError):
        reply.syntax = True
        reply.offset = error.column - 1 if error.line == 1 else -1
    return reply

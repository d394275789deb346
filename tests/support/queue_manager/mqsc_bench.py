"""MQSC commands run in a test: on definitions alone, or on any queue manager, with channels that only remember."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from mqbridge.bridge.queue_manager.control import ControlError, Outcome, StatusRow
from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.bridge.queue_manager.mqsc import CommandReply, Commands, MQSCSyntaxError, Row, Source, read_script
from mqbridge.bridge.queue_manager.objects import MQRCCF, Change, Definition, Kind, Objects, define_supplied
from mqbridge.bridge.queue_manager.security_records import security_of
from mqbridge.bridge.queue_manager.turns import Turns
from mqbridge.bridge.queue_manager.units_of_work import PendingCommit
from mqbridge.bridge.store.interface import Operation
from mqbridge.protocol.constants import MQRC

NOW = 1_800_000_000.0
"""2027-01-15 08:00:00 UTC."""


@dataclass
class FakeQueue:
    """Counters of a local queue that a test sets."""

    name: str
    depth: int = 0
    input_count: int = 0
    output_count: int = 0
    uncommitted: int = 0
    last_get: float = 0.0
    last_put: float = 0.0
    oldest_message: float | None = None
    handles: list[Any] = field(default_factory=list)


class PlainSubscriptions:
    """Subscriptions that are definitions and nothing else; nothing is retained."""

    def __init__(self, manager: DefinitionsOnly) -> None:
        self.manager = manager
        self.administration = self

    def define(self, name: str, attributes: Any, now: float, *, like: str, replace: bool) -> PendingCommit | None:
        return self._submit(self.manager.objects.define(Kind.SUB, name, attributes, now, like=like, replace=replace))

    def alter(self, definition: Definition, attributes: Any, now: float) -> PendingCommit | None:
        return self._submit(self.manager.objects.alter(Kind.SUB, definition.name, attributes, now))

    def delete(self, definition: Definition, now: float) -> PendingCommit | None:
        return self._submit(self.manager.objects.delete(Kind.SUB, definition.name))

    def _submit(self, change: Change) -> PendingCommit | None:
        pending = PendingCommit(list(change.operations))

        def outcome(error: MQError | None) -> None:
            if error is not None:
                self.manager.objects.undo(change)
            pending.decided(error)

        self.manager.waiting.append((change.operations, outcome))
        return pending

    def clear_retained(self, topic: str, now: float) -> tuple[int, PendingCommit | None]:
        return 0, None


class DefinitionsOnly:
    """A queue manager that keeps definitions and a table of records, and no messages.

    With `hold` operations wait for `release`; `fail` is the reason with which the next ones fail.
    """

    def __init__(self, name: str = "EARTH", supplied: bool = True) -> None:
        self.objects = Objects(name, NOW)
        self.turns = Turns()
        if supplied:
            define_supplied(self.objects, NOW)
        self.security = security_of(self.objects)
        self.pubsub = PlainSubscriptions(self)
        self.records: dict[bytes, bytes] = {}
        self.state: dict[str, FakeQueue] = {}
        self.hold = False
        self.fail: int | None = None
        self.waiting: list[tuple[Sequence[Operation], Callable[[MQError | None], None] | None]] = []
        self.changes = 0

    def objects_changed(self, now: float) -> None:
        self.changes += 1

    def submit(self, operations: Sequence[Operation], then: Callable[[MQError | None], None] | None = None) -> None:
        self.waiting.append((operations, then))
        if not self.hold:
            self.release()

    def release(self) -> None:
        waiting, self.waiting = self.waiting, []
        for operations, then in waiting:
            error = MQError(self.fail, "the disk is full") if self.fail is not None else None
            if error is None:
                for operation in operations:
                    self._apply(operation)
            if then is not None:
                then(error)

    def _apply(self, operation: Any) -> None:
        if hasattr(operation, "value"):
            self.records[operation.key] = operation.value
        elif hasattr(operation, "key"):
            self.records.pop(operation.key, None)

    def queue(self, name: str) -> FakeQueue | None:
        return self.state.get(name)

    def clear_queue(self, name: str, now: float, then: Callable[[MQError | None], None] | None = None) -> None:
        queue = self.drop_queue(name, purge=True)
        assert queue == []
        if then is not None:
            then(None)

    def drop_queue(self, name: str, *, purge: bool) -> list[Operation]:
        queue = self.state.get(name)
        if queue is not None and queue.handles:
            raise MQError(MQRC.OBJECT_IN_USE, name)
        if queue is not None and (queue.uncommitted or (queue.depth and not purge)):
            raise MQError(MQRC.Q_NOT_EMPTY, name)
        return []


class RememberingControl:
    """Channels and listeners that only remember what they were told; `running` names are active."""

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []
        self.running: set[str] = set()
        self.current: list[StatusRow] = []
        self.saved: list[StatusRow] = []
        self.open: list[StatusRow] = []
        self.programs: list[StatusRow] = []
        self.started: list[StatusRow] = []
        self.pings: list[Outcome] = []

    def start(self, channel: Definition, now: float) -> None:
        if channel.name in self.running:
            raise ControlError("channel is in use", amq="AMQ9514", reason=MQRCCF.CHANNEL_IN_USE)
        self.calls.append(("start", channel.name))

    def stop(
        self, channel: Definition, mode: str, status: str, connection: str, queue_manager: str, now: float
    ) -> None:
        self.calls.append(("stop", channel.name, mode, status, connection, queue_manager))

    def ping(self, channel: Definition, length: int, now: float, outcome: Outcome) -> None:
        self.calls.append(("ping", channel.name, length))
        self.pings.append(outcome)

    def reset(self, channel: Definition, sequence: int, now: float, outcome: Outcome) -> None:
        self.calls.append(("reset", channel.name, sequence))
        outcome(None)

    def resolve(self, channel: Definition, commit: bool, now: float, outcome: Outcome) -> None:
        self.calls.append(("resolve", channel.name, commit))
        outcome(None)

    def refresh_tls(self, now: float) -> None:
        self.calls.append(("refresh tls",))

    def active(self, name: str) -> bool:
        return name in self.running

    def deleted(self, name: str) -> list[Operation]:
        return []

    def statuses(self, saved: bool, now: float) -> list[StatusRow]:
        return self.saved if saved else self.current

    def start_listener(self, listener: Definition, now: float, outcome: Outcome) -> None:
        self.calls.append(("start listener", listener.name, listener.integer("PORT")))
        outcome(None)

    def stop_listener(self, listener: Definition, now: float) -> None:
        if not any(row["LISTENER"] == listener.name for row in self.open):
            raise ControlError("listener is not active", amq="AMQ8731", reason=MQRCCF.LISTENER_STOPPED)
        self.calls.append(("stop listener", listener.name))

    def listeners(self, now: float) -> list[StatusRow]:
        return self.open

    def connections(self, now: float) -> list[StatusRow]:
        return self.programs

    def stop_connection(self, connection: Any, now: float) -> None:
        self.calls.append(("stop connection", connection.id))
        connection.lost(now)

    def start_service(self, service: Definition, now: float) -> None:
        if any(row["SERVICE"] == service.name for row in self.started):
            raise ControlError("service is running", reason=MQRCCF.SERVICE_RUNNING)
        self.calls.append(("start service", service.name))
        self.started.append({"SERVICE": service.name, "STATUS": "RUNNING", "PID": 4711})

    def stop_service(self, service: Definition, now: float) -> None:
        self.calls.append(("stop service", service.name))
        self.started = [row for row in self.started if row["SERVICE"] != service.name]

    def services(self, now: float) -> list[StatusRow]:
        return self.started


class Bench:
    """Runs commands and gives their replies."""

    def __init__(self, manager: Any = None, commit: Callable[[], None] | None = None) -> None:
        self.manager: Any = manager if manager is not None else DefinitionsOnly()
        self.control = RememberingControl()
        self.commands = Commands(self.manager, self.control, NOW)
        self.commit = commit
        self.now = NOW + 60

    @property
    def objects(self) -> Objects:
        return self.manager.objects

    def ask(self, text: str | Source) -> list[CommandReply]:
        """The replies that have come once the command, what it commits, and what it does in turns is done."""
        replies: list[CommandReply] = []
        self.commands.execute(text, self.now, replies.append)
        if isinstance(self.manager, DefinitionsOnly) and not self.manager.hold:
            self.manager.release()
        if self.commit is not None:
            self.commit()
        turns: Turns = self.manager.turns
        while turns.next_timeout() is not None:
            turns.timeout(self.now)
        turns.renew()
        return replies

    def run(self, text: str | Source) -> CommandReply:
        """The one reply of a command."""
        (reply,) = self.ask(text)
        return reply

    def good(self, text: str) -> CommandReply:
        """The reply of a command that must succeed."""
        reply = self.run(text)
        assert reply.ok, reply.responses
        assert reply.reason == 0
        return reply

    def bad(self, text: str, amq: str, reason: int | None = None) -> CommandReply:
        """The reply of a command that must fail with this message."""
        reply = self.run(text)
        assert not reply.ok
        assert [response.amq for response in reply.responses] == [amq], reply.responses
        assert reason is None or reply.reason == reason
        return reply

    def rows(self, text: str) -> list[dict[str, str]]:
        """The rows of a DISPLAY as shown."""
        return [shown(row) for row in self.good(text).rows]

    def names(self, text: str) -> list[str]:
        """The first field of every row of a DISPLAY."""
        return [next(iter(row.values())) for row in self.rows(text)]

    def script(self, text: str) -> list[CommandReply]:
        """The replies to all commands of a script, none of which may be cut wrongly."""
        replies = []
        for source in read_script(text.split("\n")):
            assert not isinstance(source, MQSCSyntaxError), source
            replies.append(self.run(source))
        return replies


def shown(row: Row) -> dict[str, str]:
    return {keyword: cell.text for keyword, cell in row.items()}

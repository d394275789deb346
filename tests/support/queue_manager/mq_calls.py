"""The calls of a program as functions that return and raise, each one request of a session."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mqbridge.bridge.queue_manager import GetOptions, MQError, PutOptions, QueueManager, RetrievedMessage, Waiter
from mqbridge.bridge.queue_manager.calls import requests
from mqbridge.bridge.queue_manager.calls.gets import prepare_get, take
from mqbridge.bridge.queue_manager.calls.handles import close_handle
from mqbridge.bridge.queue_manager.calls.outcomes import Failed, Outcome
from mqbridge.bridge.queue_manager.connections import Connection, ConnectOptions, ForeignHandle
from mqbridge.bridge.queue_manager.getting.waiter import WaitOwner
from mqbridge.bridge.queue_manager.getting.waiting import begin_wait
from mqbridge.bridge.queue_manager.session import Session
from mqbridge.mappings.body import as_bytes
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import MQGMO, MQOT, MQRC

Told = Callable[[Any], object]


def wanted_of(options: GetOptions) -> requests.Wanted:
    return requests.Wanted(
        options.options,
        options.match,
        options.msg_id,
        options.correl_id,
        options.group_id,
        options.msg_seq_number,
        options.offset,
        options.token,
        options.max_length,
        options.gmo_version,
        options.md_version,
        options.encoding,
        options.ccsid,
        options.asks_again,
    )


class MqCalls:
    """A program's calls. ``connection``: what the queue manager knows of it. A call that ends later tells ``then``."""

    def __init__(self, manager: QueueManager, options: ConnectOptions, now: float) -> None:
        options.program = self if options.program is None else options.program
        self.session = Session(manager, options, now)
        self.connection: Connection = self.session._connection
        self._tag = 0
        self._then: dict[int, Told | None] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self.connection, name)

    def _ask(self, kind: Any, now: float, *arguments: Any, then: Told | None = None, **more: Any) -> Any:
        """Makes a request: its outcome, None where ``then`` is told later. Raises `MQError`."""
        self._tag += 1
        outcome = self.session.submit(kind(self._tag, *arguments, **more), now)
        if isinstance(outcome, Failed):
            raise outcome.error()
        if outcome is None:
            self._then[self._tag] = then
        elif then is not None:
            then(outcome)
        return outcome

    def completed(self, now: float) -> None:
        for tag, outcome in self.session.completions():
            then = self._then.pop(tag, None)
            if then is not None:
                then(outcome)

    def connection_stopped(self, now: float) -> None:
        self.session.lost(now)

    # Handles

    def open(self, name: str, object_q_mgr_name: str = "", *, options: int, now: float, **more: Any) -> int:
        more.setdefault("object_type", int(MQOT.Q))
        return int(self._ask(requests.Open, now, name, object_q_mgr_name, int(options), **more).hobj)

    def close(self, hobj: int, options: int, now: float) -> int:
        """Closes a handle, without another try behind what is on its way."""
        return close_handle(self.connection, hobj, int(options), now)

    def add(self, opened: ForeignHandle) -> int:
        self.connection.enter(0)
        return self.connection.handles.add(opened)

    def inquire(self, hobj: int, selectors: Sequence[int], ints: int, chars: int) -> Any:
        return self._ask(requests.Inquire, 0.0, hobj, tuple(selectors), ints, chars)

    def set(
        self,
        hobj: int,
        selectors: Sequence[int],
        integers: Sequence[int],
        characters: Sequence[str],
        now: float,
        then: Told | None = None,
    ) -> None:
        self._ask(requests.Set, now, hobj, tuple(selectors), tuple(integers), tuple(characters), then=stored(then))

    # Messages

    def put(
        self,
        hobj: int,
        message: Message,
        options: PutOptions,
        now: float,
        then: Told | None = None,
        *,
        context: int = 0,
    ) -> int:
        return self._put(requests.Put, (hobj,), message, options, now, then, context=context)

    def put1(
        self,
        name: str,
        manager: str,
        message: Message,
        options: PutOptions,
        now: float,
        then: Told | None = None,
        **more: Any,
    ) -> int:
        return self._put(requests.PutOne, (name, manager), message, options, now, then, **more)

    def _put(
        self,
        kind: Any,
        where: tuple[Any, ...],
        message: Message,
        options: PutOptions,
        now: float,
        then: Told | None,
        **more: Any,
    ) -> int:
        bits = int(options.options)
        warning = []

        def placed(outcome: Outcome) -> None:
            if not isinstance(outcome, Failed):
                message.raw_md = outcome.descriptor  # type: ignore[union-attr]
                warning.append(outcome.reason)  # type: ignore[union-attr]
            if then is not None and not bits & (_SYNCPOINT | _ASYNC):
                then(outcome.error() if isinstance(outcome, Failed) else None)

        message_body = message.body
        self._ask(
            kind,
            now,
            *where,
            message.raw_md,
            message_body,
            bits,
            message.order,
            message.ccsid,
            then=placed,
            delay=options.delay,
            **more,
        )
        return warning[0] if warning else 0

    def put1_list(
        self,
        names: Sequence[tuple[str, str]],
        messages: Sequence[Message],
        options: PutOptions,
        now: float,
        then: Told,
        *,
        open_options: int,
    ) -> None:
        first = messages[0]
        self._ask(
            requests.PutOneList,
            now,
            tuple(names),
            tuple(message.raw_md for message in messages),
            first.body,
            int(options.options),
            first.order,
            first.ccsid,
            then=lambda outcome: then(outcome.outcome),
        )

    def status(self, status_type: int = 0) -> Any:
        return self._ask(requests.Stat, 0.0, status_type)

    def get(self, hobj: int, options: GetOptions, now: float, *, held: bool = False) -> RetrievedMessage | None:
        """The next message, which has arrived unless it is ``held``; None where there is none."""
        prepared = prepare_get(self.connection, hobj, wanted_of(options))
        prepared.options = prepared.options.copy()
        prepared.options.in_turns, prepared.options.search = options.in_turns, options.search
        got = take(self.connection, hobj, prepared, now)
        if got is not None and not held and got.reason != MQRC.TRUNCATED_MSG_FAILED:
            got.message.body = as_bytes(got.message.body)
            self.arrived([got.token], now)
        return got

    def arrived(self, tokens: Sequence[bytes], now: float) -> None:
        self._ask(requests.Settle, now, tuple(tokens))

    def put_back(self, tokens: Sequence[bytes], now: float) -> None:
        self._ask(requests.Settle, now, (), tuple(tokens))

    # Waiting

    def wait(self, hobj: int, options: GetOptions, until: float | None, owner: WaitOwner | Any, now: float) -> Waiter:
        connection = self.connection
        connection.enter(options.options & MQGMO.FAIL_IF_QUIESCING)
        prepared = prepare_get(connection, hobj, wanted_of(options))
        waiter = Waiter(owner, prepared.options, until, handle=prepared.handle)
        begin_wait(connection.core, prepared.handle.target, waiter, now)
        connection.waiters[waiter] = hobj
        return waiter

    def awakened(self, waiter: Waiter, reason: int, now: float) -> RetrievedMessage | None:
        hobj = self.connection.waiters.pop(waiter, 0)
        if reason:
            raise MQError(reason, waiter.queue)
        got = self.get(hobj, waiter.options, now)
        if got is not None:
            return got
        if waiter.until is not None and waiter.until <= now:
            raise MQError(MQRC.NO_MSG_AVAILABLE, waiter.queue)
        assert waiter.handle is not None
        begin_wait(self.connection.core, waiter.handle.target, waiter, now)
        self.connection.waiters[waiter] = hobj
        return None

    # Units of work

    def begin(self) -> None:
        self._ask(requests.Begin, 0.0)

    def commit(self, now: float, then: Told | None = None) -> None:
        self._decide(requests.Commit, now, then)

    def backout(self, now: float) -> None:
        self._ask(requests.Backout, now)

    def disconnect(self, now: float, then: Told | None = None) -> None:
        self._decide(requests.Disconnect, now, then)

    def _decide(self, kind: Any, now: float, then: Told | None) -> None:
        try:
            self._ask(kind, now, then=stored(then))
        except MQError as error:
            if error.reason != MQRC.BACKED_OUT or then is None:
                raise
            then(error)

    def lost(self, now: float) -> None:
        self.session.lost(now)


_SYNCPOINT, _ASYNC = 0x2, 0x10000


def stored(then: Told | None) -> Told | None:
    """Tells ``then`` None, or why the store has refused."""
    if then is None:
        return None
    return lambda outcome: then(outcome.error() if isinstance(outcome, Failed) else None)

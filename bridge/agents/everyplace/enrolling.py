"""Enrolling a device: its entry on the store-and-forward queue, its names in MQ, then its key (mqe.md 19)."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from typing import Any, Final, Protocol

from mqbridge.bridge.everyplace.changes import Change
from mqbridge.bridge.everyplace.definitions import queue_properties as rows
from mqbridge.bridge.everyplace.definitions.queue_definition import QueueDefinition
from mqbridge.bridge.everyplace.definitions.queue_kinds import QueueKind
from mqbridge.bridge.everyplace.queue_manager import QueueManager
from mqbridge.bridge.everyplace.queues.queue import Queue
from mqbridge.bridge.queue_manager import MQError
from mqbridge.bridge.queue_manager import QueueManager as MqQueueManager
from mqbridge.bridge.queue_manager.mqsc import CommandReply
from mqbridge.bridge.queue_manager.objects import Kind
from mqbridge.bridge.security.users import ADMINISTRATORS, CHANNEL_USER, EVERYBODY_ELSE
from mqbridge.bridge.store.interface import Operation
from mqbridge.mappings.moment import Time
from mqbridge.protocol.everyplace.calls import Done, Outcome, Refused
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.names import Address, check_name
from mqbridge.protocol.everyplace.token import Token

from .bridge_objects import BridgeObjects
from .defaults import define_listener
from .enrolments import Enrolments
from .mq_side import transmission_queue

DEVICES: Final = "DEVICES"
"""The store-and-forward queue that is made where there is none."""
_NOBODY: Final = (ADMINISTRATORS, CHANNEL_USER, EVERYBODY_ELSE)
Then = Callable[["Token | Refused | None"], None]
"""Gets the token, None for a device with a certificate, or why it is not enrolled."""


class Commands(Protocol):
    """MQSC commands of the queue manager of MQ."""

    def execute(self, text: str, now: Time, then: Callable[[CommandReply], None], /) -> None:
        """Execute a command."""
        ...


class Enrolling:
    """Enrols devices at the gateway ``manager``. ``wake``: asks for a turn of its agent. ``bridges``: None without a
    bridge."""

    def __init__(
        self,
        manager: QueueManager,
        mq: MqQueueManager,
        commands: Commands,
        enrolments: Enrolments,
        source: random.Random,
        wake: Callable[[], None],
        bridges: BridgeObjects | None = None,
    ) -> None:
        self._manager = manager
        self._mq = mq
        self._commands = commands
        self._enrolments = enrolments
        self._random = source
        self._wake = wake
        self._bridges = bridges
        self.follow()

    def enrol(
        self,
        name: str,
        fingerprint: bytes,
        date: float,
        now: Time,
        then: Then,
        *,
        by_key: bool = True,
        front: bool = False,
    ) -> None:
        """Enrol a device, or enrol it again: then its earlier key is worth nothing.

        ``fingerprint``: of the gateway's public key, or, with ``front``, of that of the web server that ends TLS in
        front of it. ``date``: seconds since 1970; ``now``: by the steady clock.
        """
        try:
            self._check(name)
        except EveryplaceError as error:
            then(Refused(error.code, error.text))
            return
        self._steps(
            [
                self._define_queue,
                partial(self._add_entry, name),
                partial(self._define_transmission_queue, now),
                self._define_listener,
                partial(self._define_alias, name, now),
            ],
            lambda refused: (
                then(refused)
                if refused is not None
                else self._make_key(name, fingerprint, date, then, by_key=by_key, front=front)
            ),
        )

    def revoke(self, name: str, then: Callable[[Refused | None], None]) -> None:
        """Let a device connect no more."""
        try:
            operations = self._enrolments.revoke(name)
        except EveryplaceError as error:
            then(Refused(error.code, error.text))
            return
        self._write(operations, then)

    def proved(self, name: str, incarnation: bytes) -> None:
        """A device has proved its name; at the first time, its key becomes its own. Raises `EveryplaceError`
        AUTHENTICATE if the key is another queue manager's."""
        operations = self._enrolments.connected(name, incarnation)
        if operations:
            self._mq.submit(operations)

    def follow(self) -> None:
        """Let the authorities know who is a device, and who is none any more."""
        authorities = self._mq.security.authorities
        for each in self._enrolments:
            if each.revoked:
                authorities.dismiss_device(each.name)
            else:
                authorities.admit_device(each.name)

    # Steps

    def _steps(
        self, steps: list[Callable[[Callable[[Refused | None], None]], None]], then: Callable[[Refused | None], None]
    ) -> None:
        """Do steps in order, until one is refused."""
        if not steps:
            then(None)
            return
        first, *rest = steps
        first(lambda refused: then(refused) if refused is not None else self._steps(rest, then))
        self._wake()

    def _check(self, name: str) -> None:
        """Raise `EveryplaceError` for a name that is somebody else's."""
        check_name(name, "queue manager", for_mq=True)
        manager = self._manager
        if name in (manager.name, self._mq.name):
            raise EveryplaceError(Code.NOT_ALLOWED, f"{name} is this queue manager")
        if name in manager.connections or name in manager.aliases():
            raise EveryplaceError(Code.NOT_ALLOWED, f"a connection leads to {name} already")
        users = self._mq.security.users
        taken = {each.name.lower() for each in users} | {group.lower() for each in users for group in each.groups}
        if name.lower() in taken or name.lower() in _NOBODY:
            raise EveryplaceError(Code.NOT_ALLOWED, f"{name} is a user or group, whose authorities it would have")
        found = self._mq.objects.find(Kind.QREMOTE, name)
        if found is not None and found.text("XMITQ") != transmission_queue(manager.name):
            raise EveryplaceError(Code.NOT_ALLOWED, f"remote queue {name} of {self._mq.name} leads elsewhere")

    def _define_queue(self, then: Callable[[Refused | None], None]) -> None:
        if self._queue() is not None:
            then(None)
            return
        definition = QueueDefinition(QueueKind.STORE_AND_FORWARD, Address(DEVICES, self._manager.name))
        self._manager.define_queue(definition, _only_refused(then))

    def _queue(self) -> Queue | None:
        """The store-and-forward queue for devices: `DEVICES`, else the first."""
        found = [each for each in self._manager.queues if each.kind is QueueKind.STORE_AND_FORWARD]
        own = [each for each in found if each.owner == self._manager.name]
        return min(own, key=lambda each: (each.name != DEVICES, each.name), default=None)

    def _add_entry(self, name: str, then: Callable[[Refused | None], None]) -> None:
        if any(name in each.entries for each in self._manager.queues):
            then(None)
            return
        queue = self._queue()
        assert queue is not None, "it was defined"
        refused: list[EveryplaceError] = []

        def add() -> Change[Any]:
            change = self._manager.objects.queues.change_names(queue, rows.ENTRIES, [name], add=True)
            refused.extend(each for each in change.result if each is not None)
            return change

        def added(outcome: Outcome) -> None:
            if refused:
                then(Refused(refused[0].code, refused[0].text))
            else:
                _only_refused(then)(outcome)

        self._manager.define(add, added)

    def _define_transmission_queue(self, now: Time, then: Callable[[Refused | None], None]) -> None:
        queue = transmission_queue(self._manager.name)
        found = self._mq.objects.find(Kind.QLOCAL, queue)
        if found is not None:
            then(None)
            return
        text = f"DEFINE QLOCAL('{queue}') USAGE(XMITQ) DESCR('For devices of Everyplace')"
        self._commands.execute(text, now, _replied(then))

    def _define_listener(self, then: Callable[[Refused | None], None]) -> None:
        if self._bridges is None:
            then(None)
            return
        queue = transmission_queue(self._manager.name)
        define_listener(self._bridges, self._mq.name, queue, lambda outcome: _only_refused(then)(outcome or Done()))

    def _define_alias(self, name: str, now: Time, then: Callable[[Refused | None], None]) -> None:
        """Define the queue manager alias by which programs of MQ reach the device's queues (E-424)."""
        if self._mq.objects.find(Kind.QREMOTE, name) is not None:
            then(None)
            return
        xmitq = transmission_queue(self._manager.name)
        text = f"DEFINE QREMOTE('{name}') RNAME(' ') RQMNAME('{name}') XMITQ('{xmitq}') DESCR('A device of Everyplace')"
        self._commands.execute(text, now, _replied(then))

    def _make_key(self, name: str, fingerprint: bytes, date: float, then: Then, *, by_key: bool, front: bool) -> None:
        token = Token.make(self._random, fingerprint) if by_key else None
        code, key = (token.code, token.key(name)) if token is not None else (b"", b"")
        try:
            seen = fingerprint if front else b""
            operations = self._enrolments.enrol(name, code, key, int(date * 1000), seen)
        except EveryplaceError as error:
            then(Refused(error.code, error.text))
            return
        self._write(operations, lambda refused: then(token if refused is None else refused))

    def _write(self, operations: list[Operation], then: Callable[[Refused | None], None]) -> None:
        def written(error: MQError | None) -> None:
            then(None if error is None else Refused(Code.STORE, f"the store says: {error}"))

        self.follow()
        self._mq.submit(operations, written)


def _only_refused(then: Callable[[Refused | None], None]) -> Callable[[Outcome], None]:
    return lambda outcome: then(outcome if isinstance(outcome, Refused) else None)


def _replied(then: Callable[[Refused | None], None]) -> Callable[[CommandReply], None]:
    def replied(reply: CommandReply) -> None:
        text = reply.responses[-1].line if reply.responses else "the command failed"
        then(None if reply.ok else Refused(Code.BRIDGE_MQ_REFUSED, text))

    return replied

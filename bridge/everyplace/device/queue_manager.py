"""A device queue manager as programs use it: blocking calls, from any thread.

with QueueManager.open("moon.mqe") as moon:
    moon.put("ORDERS@SATURN", "two apples")      # on disk when it returns, whatever the network does
    reply = moon.wait("REPLIES", timeout=60)
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final

from mqbridge.bridge.everyplace.effects import Alarm
from mqbridge.bridge.everyplace.queue_manager import QueueManager as Rules
from mqbridge.bridge.everyplace.registry import Registry
from mqbridge.bridge.store.sqlite import SqliteStore
from mqbridge.protocol.everyplace.body import Encoded
from mqbridge.protocol.everyplace.calls import (
    Browse,
    BrowseAndLock,
    Browsed,
    ConfirmGet,
    ConfirmPut,
    Delete,
    Get,
    Got,
    Outcome,
    Put,
    Undo,
    Unlock,
)
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.field_types import FieldType
from mqbridge.protocol.everyplace.fields import Fields
from mqbridge.protocol.everyplace.message import Message
from mqbridge.protocol.everyplace.mq_style import DATA, MQ_STYLE, text_message
from mqbridge.protocol.everyplace.names import Address
from mqbridge.protocol.everyplace.uid import MessageUid

from .definitions import Definitions
from .device_file import Gateway, create_file, open_file
from .engine import Engine
from .events import Events
from .offline import Offline
from .options import Options
from .outside import Outside
from .rules import rules_for
from .viewing import View

if TYPE_CHECKING:
    from pathlib import Path

    from mqbridge.bridge.everyplace.network.status import PartnerStatus
    from mqbridge.bridge.everyplace.queues.message_event import MessageEvent

    from .carrier import Carrier
    from .protection import Protection

EARLIEST: Final = 1_735_689_600
"""The year 2025, in seconds since 1970: a clock that says less is that of a device without battery (E-087)."""
CALL_TIMEOUT: Final = 30.0
"""Seconds that a call waits for the answer of another queue manager."""


class QueueManager:
    """An open device queue manager. ``definitions``: of its queues, connections and listeners. ``events``: listeners on
    its queues. ``view``: what is there.

    An address is ``QUEUE@QM``, or ``QUEUE`` for one of its own queues. A filter is a fields object or a mapping of
    names to values; None means any message. All calls raise `EveryplaceError`; `NoMatchingMessage` where a queue has
    none.
    """

    def __init__(self, engine: Engine, options: Options) -> None:
        self._engine = engine
        self.definitions = Definitions(engine)
        self.events = Events(engine, options.failed)
        self.view = View(engine)
        self._outside = Outside(engine.manager.name, options)
        self._carrier: Carrier | None = None
        if options.connect:
            from .connecting import make_carrier

            self._carrier = make_carrier(engine, options, self._outside)
            engine.follower = self._carrier
            self._carrier.start()
        else:
            engine.follower = Offline(engine.manager, self._outside, engine.clock)
        if engine.clock() < EARLIEST:
            text = "the clock has not been set: messages that expire, and UIDs, begin in the past; nothing is corrected"
            self._outside.perform(Alarm(engine.manager.name, text))

    @classmethod
    def create(cls, path: str | Path, name: str, gateway: Gateway | None = None, **options: Any) -> QueueManager:
        """Create a queue manager with the four standard queues in a new file, and open it as `open` does."""
        pin = options.pop("pin", "")
        create_file(path, name, gateway)
        opened = cls.open(path, **options)
        if pin:
            opened.protection.create(pin)
        return opened

    @classmethod
    def open(cls, path: str | Path, **options: Any) -> QueueManager:
        """Open the file of a queue manager, which is then locked for other processes.

        ``options``: those of `options.Options`; ``connect=False`` for puts that wait on disk.
        """
        found = Options(**options)
        store = open_file(path)
        try:
            return cls(Engine(store, _rules(store, found)), found)
        except BaseException:
            store.close()
            raise

    @property
    def name(self) -> str:
        """Its name."""
        return self._engine.manager.name

    @property
    def protection(self) -> Protection:
        """Its private registry, and messages that only one receiver can read (E-225, E-440)."""
        from .protection import Protection

        return Protection(self._engine)

    # Putting

    def put(
        self, address: str | Address, message: Fields | Mapping[str, Any] | str | bytes, *, confirm: int = 0
    ) -> MessageUid:
        """Put a message, and return its UID when it is on disk (E-170).

        ``message``: a message, which gets its UID; values by name; or text or bytes for MQ programs. ``confirm``: see
        `unique_value`; the message stays hidden until `confirm_put` (E-172).
        """
        whole = as_message(message)
        self._call(Put(self._address(address), whole, confirm))
        uid = whole.uid
        assert uid is not None
        return uid

    def confirm_put(self, address: str | Address, uid: MessageUid) -> None:
        """Make a message visible that was put with a confirm id (E-196)."""
        self._call(ConfirmPut(self._address(address), uid))

    # Getting

    def get(
        self, address: str | Address, wanted: Fields | Mapping[str, Any] | None = None, *, confirm: int = 0
    ) -> Message:
        """Get and remove the first message that fits; with a confirm id, hide it until `confirm_get` (E-173)."""
        outcome = self._call(Get(self._address(address), as_fields(wanted), confirm))
        assert isinstance(outcome, Got)
        return outcome.message

    def confirm_get(self, address: str | Address, uid: MessageUid) -> None:
        """Remove a message that was got with a confirm id (E-200)."""
        self._call(ConfirmGet(self._address(address), uid))

    def wait(
        self,
        address: str | Address,
        wanted: Fields | Mapping[str, Any] | None = None,
        *,
        timeout: float = 60.0,
        confirm: int = 0,
    ) -> Message:
        """Get the first message that fits, as soon as there is one (E-210).

        ``timeout``: seconds; then `NoMatchingMessage`. A queue of another queue manager is asked every second.
        """
        engine = self._engine
        get = Get(self._address(address), as_fields(wanted), confirm)
        milliseconds = int(timeout * 1000)

        def start(then: Callable[[Outcome], None]) -> None:
            engine.manager.programs.wait(get, milliseconds, then, engine.clock())

        outcome = engine.ask(start, timeout + CALL_TIMEOUT)
        assert isinstance(outcome, Got)
        return outcome.message

    def listen(
        self,
        address: str | Address,
        call: Callable[[MessageEvent], None],
        wanted: Fields | Mapping[str, Any] | None = None,
    ) -> Callable[[], None]:
        """Have ``call`` called, in a thread of its own, for each message that comes to an own queue and fits (E-205).

        Another program may get the message first (E-207). Returns what ends the listening.
        """
        listener = self.events.listen(self._address(address), as_fields(wanted), call)
        return lambda: self.events.remove(listener)

    def browse(
        self, address: str | Address, wanted: Fields | Mapping[str, Any] | None = None, *, uids_only: bool = False
    ) -> Sequence[Message]:
        """Return all messages that fit, which stay; ``uids_only``: just the fields of their UIDs (E-174)."""
        return _browsed(self._call(Browse(self._address(address), as_fields(wanted), uids_only))).messages

    def browse_and_lock(
        self, address: str | Address, wanted: Fields | Mapping[str, Any] | None = None, *, confirm: int = 0
    ) -> Browsed:
        """Return all messages that fit, and the lock id that now shows them to this caller alone (E-175)."""
        return _browsed(self._call(BrowseAndLock(self._address(address), as_fields(wanted), confirm)))

    def unlock(self, address: str | Address, uid: MessageUid, lock: int) -> None:
        """Unlock a message."""
        self._call(Unlock(self._address(address), uid, lock))

    def delete(self, address: str | Address, uid: MessageUid, *, lock: int = 0) -> None:
        """Remove a message without getting it; ``lock``: its lock id, if it is locked (E-178)."""
        self._call(Delete(self._address(address), uid, lock))

    def undo(self, address: str | Address, confirm: int) -> None:
        """Restore what was before the operations with a confirm id (E-153)."""
        self._call(Undo(self._address(address), confirm))

    # Connections

    def trigger(self) -> None:
        """Send and pull everything that waits, now (E-211)."""
        self._online().trigger()

    def status(self) -> Sequence[PartnerStatus]:
        """Return a row for each queue manager that was seen, or for which something waits."""
        with self._engine.lock:
            return self._online().network.status()

    def _online(self) -> Carrier:
        if self._carrier is None:
            raise EveryplaceError(Code.NOT_ALLOWED, f"queue manager {self.name} is open without connections")
        return self._carrier

    # Life

    @property
    def idle(self) -> bool:
        """Whether nothing can be sent, pulled or asked at others now: nothing waits, or they refuse who this is."""
        with self._engine.lock:
            return self._carrier is None or self._carrier.idle

    def close(self, quiesce: float = 0.0) -> None:
        """End it. Messages stay on disk.

        ``quiesce``: seconds in which nothing new begins, and what is under way may end (E-234, E-235).
        """
        if quiesce:
            self._engine.end_life(quiesce)
        if self._carrier is not None:
            self._carrier.stop()
        self._engine.end_life(0.0)
        self.events.close()
        self._engine.close()
        self._outside.close()

    def __enter__(self) -> QueueManager:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # Parts

    def _address(self, address: str | Address) -> Address:
        return address if isinstance(address, Address) else Address.parse(address, self.name)

    def _call(self, call: Any) -> Outcome:
        return self._engine.call(call, CALL_TIMEOUT)


def unique_value() -> int:
    """Return a new confirm id (E-181)."""
    return random.SystemRandom().getrandbits(62) + 1


def _rules(store: SqliteStore, options: Options) -> Rules:
    """Return the queue manager of a store. Raises `EveryplaceError`."""
    registry = Registry(store).manager()
    if registry is None:
        return Rules(store, random.SystemRandom())
    plug_ins = options.plug_ins or rules_for(store)
    if not options.pin:
        return Rules(store, random.SystemRandom(), plug_ins)
    from .protection import open_security

    security = open_security(store, registry.get("name"), registry.get("incarnation"), options.pin)
    return Rules(store, random.SystemRandom(), plug_ins, security)


def _browsed(outcome: Outcome) -> Browsed:
    assert isinstance(outcome, Browsed)
    return outcome


def as_message(value: Fields | Mapping[str, Any] | str | bytes) -> Message:
    """Return what a program puts as a message. Raises `EveryplaceError` TYPE, SYNTAX."""
    if isinstance(value, Message):
        return value
    if isinstance(value, str):
        return text_message(value)
    if isinstance(value, bytes):
        return Message(MQ_STYLE, {DATA: Encoded(FieldType.BYTE_ARRAY, value or None)})
    return Message.of(value if isinstance(value, Fields) else as_fields(value))


def as_fields(values: Fields | Mapping[str, Any] | None) -> Fields:
    """Return values by name as a fields object; a filter as such. Raises `EveryplaceError` TYPE, SYNTAX."""
    if isinstance(values, Fields):
        return values
    found = Fields()
    for name, value in (values or {}).items():
        found.put(name, value)
    return found

"""Carriers: what moves messages beside the channels, such as routes and links, and their registry in the gateway."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from mqbridge.bridge.agents.gateway.timers import Timers
from mqbridge.bridge.queue_manager import QueueManager
from mqbridge.mappings.moment import Time
from mqbridge.protocol.constants import MQMODE
from mqbridge.protocol.errors import MQBridgeError

from .effects import Effect


class CarrierError(MQBridgeError):
    """A carrier cannot be registered: its kind and name are taken."""


class CarrierState(Enum):
    """State of a carrier, in the words of DISPLAY CHSTATUS."""

    STOPPED = "STOPPED"
    """Not started, or stopped by an operator or by a fault that does not go away by itself."""
    STARTING = "STARTING"
    RUNNING = "RUNNING"
    RETRYING = "RETRYING"
    """Waits until it tries again; ``detail`` of its status says for what."""
    STOPPING = "STOPPING"
    """Ends the work in progress."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CarrierStatus:
    """A row of ``mqbridge routes``.

    ``source``, ``target``: queues, topics or addresses, as configured; several are separated by commas. ``carried``:
    messages committed since the start of the queue manager. ``dropped``: those that a step has dropped. ``failed``:
    those moved to an error or dead-letter queue. ``since``: time of the last change of the state. ``detail``: what a
    carrier waits for, or why it is stopped; blank otherwise. ``user``: its ``mcauser``, blank for the queue manager's
    own authority.
    """

    name: str
    kind: str
    state: CarrierState
    source: str
    target: str
    carried: int = 0
    dropped: int = 0
    failed: int = 0
    since: Time = 0.0
    detail: str = ""
    user: str = ""


class Carrier(Protocol):
    """What moves messages beside the channels.

    It has sessions of its own, sets its deadlines by `CarrierHost.timers`, and asks for side effects by
    `CarrierHost.emit`.
    """

    @property
    def name(self) -> str:
        """Its name in the configuration."""
        ...

    @property
    def kind(self) -> str:
        """``route``, ``link``, ``partner``, ``everyplace``, ``myopenq`` or ``sender``."""
        ...

    @property
    def quiet(self) -> bool:
        """Whether it is stopped, with no work of its own in progress."""
        ...

    def status(self, now: Time) -> CarrierStatus:
        """Its state and counts."""
        ...

    def start(self, now: Time) -> None:
        """Start it; does nothing if it is started. Failures show in its state and in the log."""
        ...

    def stop(self, mode: MQMODE, now: Time) -> None:
        """Stop it: MQMODE.QUIESCE ends the unit of work in progress first, FORCE backs it out; does nothing if it is
        stopped."""
        ...

    def timeout(self, now: Time) -> None:
        """A deadline that it has set with `CarrierHost.timers` has passed."""
        ...


class CarrierHost(Protocol):
    """What carriers need from outside. ``now``: time of the last call from outside. ``ChannelManager`` is one."""

    manager: QueueManager
    timers: Timers
    now: Time

    def log(self, amq: str, *inserts: str | int) -> None:
        """Log an operator message."""
        ...

    def emit(self, effect: Effect) -> None:
        """Ask the driver for a side effect."""
        ...


class Carriers:
    """The carriers of a gateway, in the order of the configuration, those made later behind them."""

    __slots__ = ("_carriers", "_host")

    def __init__(self, host: CarrierHost) -> None:
        self._host = host
        self._carriers: dict[tuple[str, str], Carrier] = {}

    def add(self, carrier: Carrier) -> None:
        """Register a carrier; `start_all` or `Carrier.start` starts it. Raises `CarrierError` if its kind and name
        are taken."""
        key = carrier.kind, carrier.name
        if key in self._carriers:
            raise CarrierError(f"there are two {carrier.kind}s {carrier.name}")
        self._carriers[key] = carrier

    def remove(self, carrier: Carrier) -> None:
        """Forget a carrier, which has been stopped."""
        del self._carriers[carrier.kind, carrier.name]

    def named(self, name: str, kind: str = "") -> list[Carrier]:
        """Return the carriers of this name, of one kind if it is given."""
        return [each for each in self if each.name == name and kind in ("", each.kind)]

    def __iter__(self) -> Iterator[Carrier]:
        return iter(list(self._carriers.values()))

    def __len__(self) -> int:
        return len(self._carriers)

    @property
    def quiet(self) -> bool:
        """Whether all are stopped, with no work in progress."""
        return all(each.quiet for each in self)

    def start_all(self, now: Time) -> None:
        """Start all, when the queue manager has started."""
        self._host.now = now
        for each in self:
            each.start(now)

    def stop_all(self, mode: MQMODE, now: Time) -> None:
        """Stop all, because the queue manager ends."""
        self._host.now = now
        for each in self:
            each.stop(mode, now)

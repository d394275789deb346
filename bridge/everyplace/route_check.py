"""Whether all parts of a route are there, and what mends it (E-330).

Pure: it looks at definitions, of this queue manager and of the others that are known.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from mqbridge.protocol.everyplace.endpoints import DEFAULT_PORT
from mqbridge.protocol.everyplace.errors import EveryplaceError
from mqbridge.protocol.everyplace.names import Address

from .definitions.connection_definition import ConnectionDefinition, first_hop
from .definitions.listener_definition import ListenerDefinition
from .definitions.queue_definition import QueueDefinition
from .definitions.queue_kinds import QueueKind
from .objects.connections import aliases_of
from .objects.objects import Objects
from .resolution import QueueTable, real_name

MAX_HOPS: Final = 32


@dataclass(frozen=True, slots=True)
class Definitions:
    """What is known of one queue manager."""

    name: str
    queues: Iterable[QueueDefinition] = ()
    connections: Mapping[str, ConnectionDefinition] = field(default_factory=dict)
    listeners: Mapping[str, ListenerDefinition] = field(default_factory=dict)

    @classmethod
    def of(cls, name: str, objects: Objects) -> Definitions:
        """Return those of a queue manager at work."""
        queues = [each.definition for each in objects.queues.table]
        return cls(name, queues, objects.connections.table, objects.listeners.table)

    def table(self) -> QueueTable[QueueDefinition]:
        """Return the queues by name. Raises `EveryplaceError` for two of one name."""
        found: QueueTable[QueueDefinition] = QueueTable()
        for each in self.queues:
            found.add(each)
        return found


class Missing(NamedTuple):
    """The first part that is missing. ``at``: the queue manager. ``words``: commands that mend it there."""

    at: str
    text: str
    words: tuple[str, ...] = ()


class Route(NamedTuple):
    """``steps``: the way of a message as far as it goes, in words. ``missing``: None if it arrives, or if the rest of
    the way is not known here (``unknown`` is the queue manager then)."""

    steps: tuple[str, ...]
    missing: Missing | None = None
    unknown: str = ""

    def text(self) -> str:
        """Return it as lines."""
        lines = list(self.steps)
        if self.missing is not None:
            lines.append(f"missing at {self.missing.at}: {self.missing.text}")
            lines += [f"  {each}" for each in self.missing.words]
        elif self.unknown:
            lines.append(f"the rest is not known here: check it at {self.unknown}")
        else:
            lines.append("all parts are there")
        return "\n".join(lines)


class _Broken(Exception):
    def __init__(self, missing: Missing) -> None:
        super().__init__(missing.text)
        self.missing: Missing = missing


def check_route(address: Address, start: str, known: Mapping[str, Definitions]) -> Route:
    """Follow a message that is put at ``start``; ``known``: definitions by queue manager."""
    walk = _Walk(known)
    try:
        walk.follow(address, start)
    except _Broken as broken:
        return Route(tuple(walk.steps), broken.missing)
    return Route(tuple(walk.steps), None, walk.unknown)


class _Walk:
    def __init__(self, known: Mapping[str, Definitions]) -> None:
        self._known = known
        self.steps: list[str] = []
        self.unknown = ""
        self._stored = False
        """Whether a queue before this one has stored the message, so that it comes by transfer."""

    def follow(self, address: Address, start: str) -> None:
        """Follow the message to its end. Raises `_Broken`."""
        at, seen = start, set()
        for _ in range(MAX_HOPS):
            here = self._known.get(at)
            if here is None:
                self.unknown = at
                return
            if (at, address) in seen:
                raise _Broken(Missing(at, f"the route of {address} comes back here"))
            seen.add((at, address))
            following = self._step(here, address)
            if following is None:
                return
            at, address = following
        raise _Broken(Missing(at, f"the route of {address} has more than {MAX_HOPS} hops"))

    def _step(self, here: Definitions, address: Address) -> tuple[str, Address] | None:
        """Return the next queue manager and the address there; None at the end."""
        aliases = aliases_of(here.name, here.connections)
        try:
            real = Address(address.queue, real_name(address.queue_manager, aliases))
            found = here.table().find(real)
        except EveryplaceError as error:
            raise _Broken(Missing(here.name, error.text)) from None
        if real != address:
            self.steps.append(f"{here.name}: {address.queue_manager} is an alias of {real.queue_manager}")
        if found is None:
            return self._discovered(here, real), real
        queue, there = found
        if there != real:
            self.steps.append(f"{here.name}: {real.queue} is an alias of {queue.name}")
        self.steps.append(f"{here.name}: {_kind(queue)} queue {queue.address}")
        if queue.kind in (QueueKind.LOCAL, QueueKind.ADMINISTRATION, QueueKind.MQ_BRIDGE):
            return None
        if queue.kind is QueueKind.HOME_SERVER:
            raise _Broken(Missing(here.name, f"{queue.address} pulls messages, and takes none"))
        if queue.kind is QueueKind.STORE_AND_FORWARD:
            self._stored = True
            if queue.owner == here.name:
                return self._pulled(here, there.queue_manager), there
            return self._hop(here, queue.owner), there
        if queue.synchronous and self._stored:
            text = f"{queue.address} is synchronous, and takes nothing that comes by transfer"
            raise _Broken(Missing(here.name, text, _anew(queue.address)))
        self._stored = self._stored or not queue.synchronous
        return self._hop(here, queue.owner), there

    def _discovered(self, here: Definitions, address: Address) -> str:
        if address.queue_manager == here.name:
            text = f"there is no queue {address.queue}, and no alias of one"
            raise _Broken(Missing(here.name, text, (f"create local {address.queue}",)))
        hop = first_hop(address.queue_manager, dict(here.connections))
        create = f"create remote {address} --mode asynchronous"
        if hop is None or not hop.adapter:
            text = f"no queue, entry or connection leads to {address}"
            raise _Broken(Missing(here.name, text, (create, _connect(address.queue_manager))))
        if self._stored:
            text = f"{address} is not defined, and takes nothing that comes by transfer"
            raise _Broken(Missing(here.name, text, (create,)))
        self.steps.append(f"{here.name}: {address} is discovered")
        return self._hop(here, address.queue_manager)

    def _hop(self, here: Definitions, queue_manager: str) -> str:
        """Return the queue manager to which a connection leads."""
        try:
            connection = first_hop(queue_manager, dict(here.connections))
        except EveryplaceError as error:
            raise _Broken(Missing(here.name, error.text)) from None
        if connection is None or not connection.adapter:
            via = here.connections.get(queue_manager)
            name = queue_manager if via is None or not via.via else _last(queue_manager, here.connections)
            raise _Broken(Missing(here.name, f"no connection leads to {name}", (_connect(name),)))
        over = "" if connection.name == queue_manager else f", for {queue_manager}"
        self.steps.append(f"{here.name}: connection {connection.name}{over} ({connection.adapter})")
        self._check_listener(connection.name, connection.adapter)
        return connection.name

    def _check_listener(self, name: str, adapter: str) -> None:
        there = self._known.get(name)
        if there is None:
            return
        fitting = [each for each in there.listeners.values() if each.adapter == adapter]
        if not fitting:
            create = f"create listener {adapter.upper()} --adapter {adapter} --endpoint :{DEFAULT_PORT}"
            words = create, f"start listener {adapter.upper()}"
            raise _Broken(Missing(name, f"no listener for {adapter}", words))
        if not any(each.started for each in fitting):
            raise _Broken(Missing(name, "the listener does not run", (f"start listener {fitting[0].name}",)))

    def _pulled(self, here: Definitions, target: str) -> str:
        """Return the queue manager that pulls what waits for it."""
        self.steps.append(f"{here.name}: waits until {target} pulls it")
        there = self._known.get(target)
        if there is None:
            return target
        if not any(each.kind is QueueKind.HOME_SERVER and each.owner == here.name for each in there.queues):
            text = f"no home-server queue pulls from {here.name}"
            raise _Broken(Missing(target, text, (f"create home-server HOME@{here.name}",)))
        self._hop(there, here.name)
        return target


def _kind(queue: QueueDefinition) -> str:
    if queue.kind is not QueueKind.REMOTE:
        return str(queue.kind.value)
    return f"{'synchronous' if queue.synchronous else 'asynchronous'} remote"


def _anew(address: Address) -> tuple[str, ...]:
    return (f"update remote {address} --mode asynchronous",)


def _connect(queue_manager: str) -> str:
    return f"create connection {queue_manager} --adapter tcp --endpoint HOST:{DEFAULT_PORT}"


def _last(name: str, connections: Mapping[str, ConnectionDefinition]) -> str:
    """Return the connection at the end of a chain, which is missing."""
    for _ in range(MAX_HOPS):
        found = connections.get(name)
        if found is None or not found.via:
            return name
        name = found.via
    return name

"""The gateway of the configuration: a queue manager of Everyplace, its agent, listeners and enrolments."""

from __future__ import annotations

import random
import secrets
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from twisted.internet.defer import Deferred

from mqbridge.bridge.agents.everyplace.agent import EveryplaceAgent
from mqbridge.bridge.agents.everyplace.bridge import Bridge
from mqbridge.bridge.agents.everyplace.bridge_aliases import queue_behind
from mqbridge.bridge.agents.everyplace.defaults import define_defaults
from mqbridge.bridge.agents.everyplace.desk import Desk
from mqbridge.bridge.agents.everyplace.enrolling import Enrolling
from mqbridge.bridge.agents.everyplace.enrolments import Enrolments
from mqbridge.bridge.agents.everyplace.gateway_credentials import GatewayCredentials
from mqbridge.bridge.agents.everyplace.owner import Owner
from mqbridge.bridge.agents.gateway.gateway import Gateway
from mqbridge.bridge.config import Configuration, EveryplaceAccessSettings, EveryplaceSettings
from mqbridge.bridge.endpoints.driver import Driver
from mqbridge.bridge.endpoints.everyplace.endpoint import EveryplaceEndpoint
from mqbridge.bridge.endpoints.everyplace.http_lines import ID_BYTES
from mqbridge.bridge.endpoints.everyplace.mq_connections import foreign_programs
from mqbridge.bridge.endpoints.everyplace.outgoing import Outgoing
from mqbridge.bridge.endpoints.everyplace.places import Place, place_of
from mqbridge.bridge.everyplace.access import AccessList, Grant
from mqbridge.bridge.everyplace.creation import create
from mqbridge.bridge.everyplace.definitions.queue_kinds import Operation
from mqbridge.bridge.everyplace.network.network import Network
from mqbridge.bridge.everyplace.queue_manager import QueueManager
from mqbridge.bridge.everyplace.registry import Registry
from mqbridge.bridge.everyplace.secrets import Secrets
from mqbridge.bridge.everyplace.transfer.lane_records import INCARNATION
from mqbridge.bridge.queue_manager import MQError
from mqbridge.bridge.queue_manager.mqsc import Commands
from mqbridge.bridge.security import is_host_name
from mqbridge.bridge.security.tls import TlsOffer, allowed
from mqbridge.bridge.store.interface import Operation as StoreOperation
from mqbridge.bridge.store.interface import Store
from mqbridge.bridge.tls import TlsSession
from mqbridge.mappings.moment import date_of
from mqbridge.protocol.everyplace.errors import EveryplaceError
from mqbridge.protocol.everyplace.names import check_name

from .channel_keys import ChannelKeys
from .errors import WRONG_CONFIGURATION, StartError
from .everyplace_defined import DefinedListeners
from .everyplace_definitions import apply_definitions
from .everyplace_listeners import EveryplaceListener, check_listeners, open_listener
from .everyplace_plug_ins import load_everyplace_plug_ins
from .everyplace_security import EveryplaceSecurity

_OPERATIONS: Final = {
    "get": Operation.GET | Operation.CONFIRM_GET,
    "browse": Operation.BROWSE,
    "lock": Operation.LOCK,
    "delete": Operation.DELETE,
}
_CIPHERS: Final = "ANY_TLS12_OR_HIGHER"


class Everyplace:
    """The gateway of one queue manager. Raises `StartError` for one that cannot be."""

    def __init__(self, configuration: Configuration, settings: EveryplaceSettings) -> None:
        self._configuration = configuration
        self._settings = settings
        self._endpoint: EveryplaceEndpoint | None = None
        self._behind: Callable[[str], str | None] | None = None
        self.listeners: list[EveryplaceListener] = []
        try:
            check_name(settings.name, "queue manager", for_mq=True)
        except EveryplaceError as error:
            raise StartError(str(settings.place.error("name", error.text)), WRONG_CONFIGURATION) from error
        check_listeners(settings)
        self._security = EveryplaceSecurity(settings)

    def create(self, store: Store, now: float) -> list[StoreOperation]:
        """Return what makes the queue manager at the first start; nothing at later ones. Raises `StartError`."""
        name = self._settings.name
        try:
            found = Registry(store).manager()
            if found is None:
                return create(store, name, secrets.token_bytes(INCARNATION), created=int(date_of(now) * 1000))
        except EveryplaceError as error:
            raise StartError(f"the gateway's registry cannot be read: {error}") from error
        if found.get("name") != name:
            text = f"the gateway in this data folder is {found.get('name')}, not {name}"
            hint = "its devices know it by that name"
            raise StartError(str(self._settings.place.error("name", text, hint)), WRONG_CONFIGURATION)
        return []

    async def open(
        self,
        gateway: Gateway,
        driver: Driver,
        commands: Commands,
        keys: ChannelKeys,
        listen: Callable[[Callable[[str], Any], str], Any],
    ) -> None:
        """Make the gateway, register its agent, and open its listeners. Raises `StartError`."""
        host, store = gateway.channel_manager, gateway.manager.store
        new = self.create(store, driver.now())
        await _stored(gateway, driver, new)
        await _stored(gateway, driver, self._security.create(store))
        source = random.SystemRandom()
        owner, plug_ins = Owner(host), load_everyplace_plug_ins()
        try:
            manager = QueueManager(store, source, plug_ins, self._security.open(store))
            manager.guard(AccessList(map(_grant, self._settings.access)))
            enrolments = Enrolments(store, manager.security)
            bridge = Bridge(manager, owner, store, plug_ins, source)
        except EveryplaceError as error:
            raise StartError(f"the gateway's registry cannot be read: {error}") from error
        kept = Secrets(store, manager.security)
        agent = EveryplaceAgent(
            host,
            manager,
            lambda agent: Network(
                manager,
                GatewayCredentials(enrolments, kept, source, lambda: date_of(driver.now()), agent),
                source,
                None,
                bridge,
            ),
            bridge,
        )
        owner.wake = agent.wake

        def settle() -> None:
            agent.wake()
            driver.pump()

        owner.foreign = foreign_programs(
            driver.reactor,
            driver.now,
            lambda: secrets.token_bytes(12),
            settle,
            keys.contexts,
            self._configuration.tls.outbound_sni,
        )
        enrolling = Enrolling(manager, gateway.manager, commands, enrolments, source, agent.wake, bridge.objects)
        agent.first_proof = enrolling.proved
        outgoing = Outgoing(driver.reactor, partial(place_of, secrets=kept), partial(_call, keys))
        self._behind = partial(queue_behind, manager, gateway.manager.name)
        self._endpoint = EveryplaceEndpoint(driver, agent, outgoing, lambda: secrets.token_hex(ID_BYTES))
        driver.serve_everyplace = self._endpoint.serve
        agent.desk = Desk(agent, enrolling, enrolments, gateway.manager)
        agent.desk.addresses = self._addresses
        agent.desk.connections = bridge.connections
        gateway.carriers.add(agent)
        if new:
            define_defaults(manager, bridge.objects, gateway.manager.name)
            agent.wake()
        defined = DefinedListeners(self._endpoint, keys, manager.tell)
        self._endpoint.listening = defined.perform
        for each in manager.listeners.values():
            defined.start(each)
        await apply_definitions(self._settings, store, driver, agent.desk.administering)
        await self._listen(listen, driver, keys)

    def queue_behind(self, alias: str) -> str | None:
        """The queue of MQ that a name or alias of a bridge queue means; None for none."""
        return None if self._behind is None else self._behind(alias)

    @property
    def ready(self) -> dict[str, str]:
        """The addresses of its listeners by name, for the ready file."""
        return {name: address for name, address, _ in self._addresses("")}

    def _addresses(self, host: str) -> list[tuple[str, str, bytes]]:
        """Name, address and fingerprint of each listener. ``host``: by which devices reach this machine; blank: where
        it listens."""
        found = [(each.settings.name, each.address(host or each.host), each.fingerprint) for each in self.listeners]
        return found if host else [(name, address, b"") for name, address, _ in found]

    async def _listen(
        self, listen: Callable[[Callable[[str], Any], str], Any], driver: Driver, keys: ChannelKeys
    ) -> None:
        """Open the listeners. Raises `StartError`."""
        assert self._endpoint is not None
        for each in self._settings.listeners:
            found = await open_listener(self._endpoint, each, keys, self._configuration, listen)
            self.listeners.append(found)
            driver.log("AMQ5122", (self._settings.name, each.name, str(found)))

    async def close(self) -> None:
        """Close the listeners."""
        if self._endpoint is not None:
            for name in list(self._endpoint.doors):
                await self._endpoint.close_door(name)

    def stop(self) -> None:
        """Close what is open at once."""
        if self._endpoint is not None:
            self._endpoint.stop()


def _call(keys: ChannelKeys, place: Place) -> TlsSession:
    """A session with another gateway, whose certificate must be for its host, or be the one that the token of the
    enrolment there names. Raises `TlsError`."""
    name = place.host.rstrip(".") if is_host_name(place.host) else ""
    offer = TlsOffer(allowed(_CIPHERS), "", "", name, own_certificate=place.certified)
    return keys.contexts.call(offer, place.host, place.knows if place.fingerprint else None)


def _grant(settings: EveryplaceAccessSettings) -> Grant:
    operations = Operation(0)
    for each in settings.allow:
        operations |= _OPERATIONS[each]
    return Grant(settings.queue, operations, frozenset(settings.devices))


async def _stored(gateway: Gateway, driver: Driver, operations: list[StoreOperation]) -> None:
    """Have rows written. Raises `StartError`."""
    if operations:
        stored: Deferred[MQError | None] = Deferred()
        gateway.manager.submit(operations, stored.callback)
        driver.pump()
        error = await stored
        if error is not None:
            raise StartError(f"the gateway cannot be stored: {error}")

"""The REST endpoints of a queue manager: the one that the commands use, and the one for users of other machines.

A Unix socket of ``[admin]`` belongs to the operator, who may do everything. At a port, and at ``[web]``, users
authenticate; plain HTTP is only for this machine.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, Final

from twisted.internet.defer import maybeDeferred

from mqbridge.bridge.admin import AdminContext, AdminFactory, Authentication
from mqbridge.bridge.config import Configuration
from mqbridge.bridge.endpoints.addresses import is_tcp
from mqbridge.bridge.endpoints.driver import Driver
from mqbridge.bridge.endpoints.opening import open_endpoint, with_backlog
from mqbridge.bridge.endpoints.tls_factories import TlsServerFactory
from mqbridge.bridge.endpoints.tls_sessions import NoTls
from mqbridge.bridge.inputs.http import DoorSettings
from mqbridge.bridge.program_name import program
from mqbridge.bridge.queue_manager import QueueManager
from mqbridge.bridge.queue_manager.mqsc import Commands
from mqbridge.bridge.security import WebLogins, WebRoles, is_loopback
from mqbridge.bridge.security.tls import TlsOffer, allowed
from mqbridge.bridge.service.discovery import AdminAddress, admin_place
from mqbridge.bridge.tls import TlsError

from .errors import WRONG_CONFIGURATION, StartError

_PLAIN: Final = "passwords would pass in clear; use TLS ([web]), or listen on 127.0.0.1"
_CIPHERS: Final = "ANY_TLS12_OR_HIGHER"
"""What is offered, as an alias of SSLCIPH."""


class RestDoor:
    """One open endpoint. ``scheme``: ``http`` or ``https``."""

    def __init__(self, factory: AdminFactory, place: AdminAddress, scheme: str) -> None:
        self.factory = factory
        self.port: Any = None
        self._place = place
        self._scheme = scheme

    @property
    def local(self) -> bool:
        """Whether only programs on this machine can reach it."""
        address = self.port.getHost()
        return not is_tcp(address) or is_loopback(address.host)

    @property
    def url(self) -> str:
        """Its address, for `parse_url`."""
        if self._place.socket is not None:
            return f"unix:{self._place.socket}"
        address = self.port.getHost()
        if not is_tcp(address):
            return f"unix:{os.fsdecode(address.name)}"
        host = f"[{address.host}]" if ":" in address.host else address.host
        return f"{self._scheme}://{host}:{address.port}"

    async def close(self) -> None:
        """Close the port, and remove what was made for it."""
        guard = self.factory.context.driver.descriptor_guard
        if self.port in guard.ports:
            guard.ports.remove(self.port)
        if self.port is not None:
            await maybeDeferred(self.port.stopListening)
        self._place.remove()


class RestDoors:
    """The endpoints of one queue manager. ``listen(open, endpoint)`` awaits the port that ``open`` returns, with
    failures as `StartError`."""

    def __init__(
        self,
        configuration: Configuration,
        manager: QueueManager,
        commands: Commands,
        driver: Driver,
        listen: Callable[[Callable[[str], Any], str], Any],
    ) -> None:
        self._configuration = configuration
        self._manager = manager
        self._commands = commands
        self._driver = driver
        self._listen = listen
        web = configuration.web
        self._roles = WebRoles(web.administrators, web.readers)
        self.admin: RestDoor | None = None
        self.web: RestDoor | None = None
        self.inputs: dict[str, RestDoor] = {}
        """Those of HTTP inputs, by route."""

    async def open(self) -> None:
        """Open both. Raises `StartError`."""
        configuration = self._configuration
        place = admin_place(configuration.admin_endpoint)
        if place.socket is not None:
            factory = AdminFactory(self._context(None), self._driver.reactor, configuration.admin.hosts)
            self.admin = door = RestDoor(factory, place, "http")
            await self._start(door, factory, place.endpoint)
        else:
            self.admin = await self._open(place, configuration.admin.hosts, plain=True)
        if configuration.web.endpoint is not None:
            place = admin_place(configuration.web.endpoint)
            self.web = await self._open(place, configuration.web.hosts, plain=configuration.web.plain)
            self._driver.log("AMQ5090", (self.web.url,))

    async def _open(self, place: AdminAddress, hosts: list[str], *, plain: bool) -> RestDoor:
        """Open an endpoint for users. ``plain``: without TLS, if only this machine can reach it."""
        web = self._configuration.web
        factory = AdminFactory(self._users(plain), self._driver.reactor, hosts, web.origins)
        door = await self._opened(place, factory, plain=plain, certificate=web.certificate or "")
        if plain and not door.local:
            await door.close()
            raise StartError(f"{place.endpoint} is reached by other machines: {_PLAIN}", WRONG_CONFIGURATION)
        if plain and is_tcp(door.port.getHost()):
            self._driver.log("AMQ5041", (door.url,))
        if not len(self._manager.security.users):
            self._driver.log("AMQ5092", (door.url,))
        return door

    async def open_for_input(self, route: str, wanted: DoorSettings) -> RestDoor:
        """Open the endpoint of an HTTP input, which closes with the others. Raises `StartError`."""
        place = admin_place(wanted.endpoint)
        context = self._users(wanted.plain)
        factory = AdminFactory(context, self._driver.reactor, wanted.hosts, find_route=wanted.find_route)
        door = await self._opened(place, factory, plain=wanted.plain, certificate=wanted.certificate)
        self.inputs[route] = door
        self._driver.log("AMQ5109", (route, door.url))
        return door

    def _users(self, plain: bool) -> AdminContext:
        """The context of an endpoint for users."""
        web = self._configuration.web
        logins = WebLogins(web.login_time, web.logins)
        return self._context(Authentication(self._driver, self._roles, logins, secure=not plain))

    async def _opened(self, place: AdminAddress, factory: AdminFactory, *, plain: bool, certificate: str) -> RestDoor:
        """Listen, with or without TLS. Raises `StartError`."""
        door = RestDoor(factory, place, "http" if plain else "https")
        try:
            inside = factory if plain else self._inside_tls(factory, place.endpoint, certificate)
            await self._start(door, inside, place.endpoint)
        except BaseException:
            await door.close()
            raise
        self._driver.descriptor_guard.ports.append(door.port)
        return door

    def _inside_tls(self, factory: AdminFactory, endpoint: str, certificate: str) -> TlsServerFactory:
        """Return the factory to listen with. Raises `StartError` if there is no certificate that can be used."""
        driver = self._driver
        sessions = driver.tls or NoTls()
        offer = TlsOffer(allowed(_CIPHERS), certificate)
        try:
            sessions.serve(offer)
        except TlsError as error:
            raise StartError(
                f"{endpoint} has no certificate: {error}. Make one with '{program()} certificate create', or serve "
                "plain HTTP on 127.0.0.1 (plain = true)",
                WRONG_CONFIGURATION,
            ) from error
        timeout = self._configuration.channels.handshake_timeout
        return TlsServerFactory(driver.reactor, factory, lambda: sessions.serve(offer), timeout)

    async def _start(self, door: RestDoor, factory: Any, endpoint: str) -> None:
        door.port = await self._listen(
            lambda text: open_endpoint(self._driver.reactor, with_backlog(text), factory), endpoint
        )

    def _context(self, users: Authentication | None) -> AdminContext:
        return AdminContext(self._manager, self._commands, self._driver, users)

    @property
    def _open_doors(self) -> list[RestDoor]:
        return [
            each for each in (self.admin, self.web, *self.inputs.values()) if each is not None and each.port is not None
        ]

    @property
    def addresses(self) -> dict[str, str | dict[str, str]]:
        """The addresses of the open endpoints, for the ready file: ``admin``, ``web``, and by route ``inputs``."""
        found: dict[str, str | dict[str, str]] = {
            name: door.url for name, door in (("admin", self.admin), ("web", self.web)) if door in self._open_doors
        }
        if self.inputs:
            found["inputs"] = {route: door.url for route, door in self.inputs.items()}
        return found

    # End

    @property
    def quiet(self) -> bool:
        """Whether no request is in progress and all responses have been taken."""
        return all(door.factory.quiet for door in self._open_doors)

    def quiesce(self, on_end: Callable[[], None]) -> None:
        """Refuse new requests; ``on_end`` is called whenever a request or connection has ended."""
        for door in self._open_doors:
            door.factory.quiesce(on_end)

    def force(self) -> None:
        """Abort all connections; open units are backed out."""
        for door in self._open_doors:
            door.factory.force()

    async def close(self) -> None:
        """Close the ports."""
        for door in self._open_doors:
            await door.close()

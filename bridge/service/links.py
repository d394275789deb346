"""Links of the configuration: read, checked, registered, and connected to their providers."""

from __future__ import annotations

import errno
import random
import socket
from collections.abc import Callable
from time import monotonic
from typing import Any, Final

from mqbridge.bridge.agents.gateway.effects import AbandonProvider, ConnectToProvider, SendToProvider
from mqbridge.bridge.agents.gateway.gateway import Gateway
from mqbridge.bridge.agents.linking.effects import ProviderUser
from mqbridge.bridge.agents.linking.in_doubt import queues_in_doubt
from mqbridge.bridge.agents.linking.jms_mapping import JmsMapping
from mqbridge.bridge.agents.linking.link import Link
from mqbridge.bridge.agents.linking.provider import Lost, ProviderEvent
from mqbridge.bridge.agents.linking.settings import (
    Duplicates,
    LinkSettings,
    LinkSettingsError,
    ReceiveEnd,
    SendEnd,
)
from mqbridge.bridge.config import ConfigError, Configuration
from mqbridge.bridge.config import LinkSettings as ConfiguredLink
from mqbridge.bridge.endpoints.driver import Driver
from mqbridge.bridge.tls import CertificateSource

from .errors import WRONG_CONFIGURATION, StartError

MAX_PASSWORD: Final = 4096
"""Bytes that are read of a file with a password."""
_COPIED: Final = ("window", "id_cache", "batch", "credit", "reply_expiry", "retry_interval", "longest_retry")
"""Keys that mean the same to the link's logic."""
_MISSING: Final = "needs the AMQP engine python-qpid-proton, which is not installed"
_INSTALL: Final = "install mqbridge[amqp]; it is compiled, so a C compiler and the headers of Python are needed"


class Links:
    """The links of one queue manager. Raises `StartError` for those that cannot be.

    `open` gets what returns the key repository of the queue manager.
    """

    def __init__(self, configuration: Configuration, reactor: Any) -> None:
        self._reactor = reactor
        self._name = configuration.queue_manager.name
        self._configured = configuration.links
        self._settings: list[LinkSettings] = []
        self._providers: dict[str, _Provider] = {}
        self._sockets: dict[str, Any] = {}
        self._links: list[Link] = []
        names: set[str] = set()
        for each in self._configured:
            try:
                if each.name in names:
                    raise each.place.error("name", f"there are two links {each.name!r}")
                names.add(each.name)
                self._providers[each.name] = _Provider(each)
                self._settings.append(_link_settings(each))
            except ConfigError as error:
                raise StartError(str(error), WRONG_CONFIGURATION) from error

    def make(self, gateway: Gateway) -> None:
        """Make the links, which hold their messages in doubt from now on: before any program can get messages. Raises
        `StoreDamaged`."""
        host = gateway.channel_manager
        configured = {each.name for each in self._settings}
        for name, queue in sorted(queues_in_doubt(host.manager.store)):
            if name not in configured:
                host.log("AMQ5067", name, queue)
        self._links = [Link(each, host, JmsMapping(each.name), random.SystemRandom()) for each in self._settings]

    def open(self, gateway: Gateway, driver: Driver, repository: Callable[[], CertificateSource]) -> None:
        """Register them with a gateway whose objects are defined, and join them to sockets."""
        if not self._links:
            return
        for provider in self._providers.values():
            provider.repository = repository
        driver.provider_effect = lambda effect: self._perform(driver, effect)
        for link in self._links:
            gateway.carriers.add(link)

    def _perform(self, driver: Driver, effect: ConnectToProvider | AbandonProvider | SendToProvider) -> None:
        link = effect.link
        if isinstance(effect, ConnectToProvider):
            self._connect(driver, link)
        elif isinstance(effect, AbandonProvider):
            found = self._sockets.pop(link.name, None)
            if found is not None:
                found.abort()
        else:
            found = self._sockets.get(link.name)
            if found is not None and found.connection is effect.connection:
                # Events must not reach the link while the gateway is pumped.
                self._reactor.callLater(0, found.flush)

    def _connect(self, driver: Driver, link: ProviderUser) -> None:
        from mqbridge.bridge.links.socket import ProviderSocket

        provider = self._providers[link.name]

        def happened(events: list[ProviderEvent]) -> None:
            if self._sockets.get(link.name) is made:
                driver.gateway.channel_manager.now = now = driver.now()
                link.receive(events, now)
                driver.pump()

        try:
            settings = provider.connection_settings(f"{self._name}.{link.name}")
        except OSError as error:
            reason = f"the password cannot be read: {error.strerror}"
            self._reactor.callLater(0, self._fail, driver, link, reason)
            return
        connection = provider.connection(settings, monotonic())
        made = self._sockets[link.name] = ProviderSocket(self._reactor, connection, monotonic, happened)
        link.connected(connection, driver.now())
        made.connect(provider.place, provider.keys())

    def _fail(self, driver: Driver, link: ProviderUser, reason: str) -> None:
        link.receive([Lost(reason)], driver.now())
        driver.pump()

    def stop(self) -> None:
        """Close what is open."""
        sockets, self._sockets = self._sockets, {}
        for each in sockets.values():
            each.abort()


class _Provider:
    """Where and as whom a link connects. Raises `ConfigError`."""

    def __init__(self, link: ConfiguredLink) -> None:
        try:
            from mqbridge.bridge.links.connection import AmqpConnection
            from mqbridge.bridge.links.places import read_place
            from mqbridge.bridge.links.settings import ConnectionSettings
        except ImportError as error:
            raise link.place.error("", f"link {link.name!r} {_MISSING}", _INSTALL) from error
        self._link = link
        self._make = ConnectionSettings
        self.connection = AmqpConnection
        self.repository: Callable[[], CertificateSource] | None = None
        try:
            self.place = read_place(link.endpoint)
        except ValueError as error:
            raise link.place.error("endpoint", str(error)) from error
        if link.certificate and link.trusted is None:
            raise link.place.error("certificate", "a certificate is for TLS", "name the authorities by 'trusted'")
        if link.trusted is not None and self.place.path is not None:
            raise link.place.error("trusted", "there is no TLS over a Unix socket")
        if (link.user is None) != (link.password_file is None):
            key = "user" if link.user else "password_file"
            raise link.place.error(key, "'user' and 'password_file' need each other")
        overheard = link.trusted is None and not self.place.on_this_machine
        if link.user is not None and overheard and not link.plain_password:
            hint = "use TLS by 'trusted', or allow it by plain_password = true"
            raise link.place.error("user", "the password would go over the network in plain text", hint)
        if link.password_file is not None:
            try:
                _password(link)
            except (OSError, ValueError) as error:
                raise link.place.error("password_file", f"no password: {error}") from error

    def connection_settings(self, container: str) -> Any:
        """Settings of a new connection; the password is read again. Raises `OSError`."""
        link = self._link
        mechanism = "PLAIN" if link.user else "EXTERNAL" if link.certificate else "ANONYMOUS"
        try:
            password = _password(link)
        except ValueError as error:
            raise OSError(errno.EINVAL, str(error)) from error
        return self._make(
            container=f"{container}@{socket.gethostname()}",
            host=self.place.host or "localhost",
            mechanism=mechanism,
            user=link.user or "",
            password=password,
            max_message=link.max_message,
            idle_timeout=link.idle_timeout,
        )

    def keys(self) -> Any:
        """Keys for TLS; None without it."""
        from mqbridge.bridge.links.keys import LinkKeys

        link = self._link
        if link.trusted is None:
            return None
        assert self.repository is not None
        return LinkKeys(self.repository, link.certificate or "", link.trusted)


def _password(link: ConfiguredLink) -> str:
    """The first line of the file of the password. Raises `OSError`, and `ValueError` if there is none."""
    if link.password_file is None:
        return ""
    with link.password_file.open("rb") as file:
        lines = file.read(MAX_PASSWORD).decode().splitlines()
    if not lines or not lines[0]:
        raise ValueError("the first line of the file is empty")
    return lines[0]


def _link_settings(link: ConfiguredLink) -> LinkSettings:
    try:
        return LinkSettings(
            name=link.name,
            send=tuple(SendEnd(each.queue, each.address) for each in link.send),
            receive=tuple(ReceiveEnd(each.address, each.queue) for each in link.receive),
            duplicates=Duplicates(link.duplicates),
            mcauser=link.mcauser or "",
            reply_queue=link.reply_queue or "",
            reply_address=link.reply_address or "",
            **{key: getattr(link, key) for key in _COPIED},
        )
    except LinkSettingsError as error:
        raise link.place.error(error.key, f"link {link.name!r}: {error}") from error

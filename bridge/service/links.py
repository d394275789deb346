"""Links of the configuration: read, checked, registered, and joined to what connects them."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from mqbridge.bridge.agents.gateway.gateway import Gateway
from mqbridge.bridge.agents.linking.in_doubt import queues_in_doubt
from mqbridge.bridge.agents.linking.jms_mapping import JmsMapping
from mqbridge.bridge.agents.linking.link import Link
from mqbridge.bridge.agents.linking.rings import Location, find_ring
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
from mqbridge.bridge.links.access import Access, PasswordFileError
from mqbridge.bridge.links.places import Place, read_place
from mqbridge.bridge.tls import CertificateSource

from .errors import WRONG_CONFIGURATION, StartError

if TYPE_CHECKING:
    from mqbridge.bridge.links.providers import Providers

_COPIED: Final = ("window", "id_cache", "batch", "credit", "reply_expiry", "retry_interval", "longest_retry")
"""Keys that mean the same to the link's logic."""
_MISSING: Final = "needs the AMQP engine python-qpid-proton, which is not installed"
_INSTALL: Final = "install mqbridge[amqp]; it is compiled, so a C compiler and the headers of Python are needed"


class Links:
    """The links of one queue manager. Raises `StartError` for those that cannot be."""

    def __init__(self, configuration: Configuration) -> None:
        self._name = configuration.queue_manager.name
        self._settings: list[LinkSettings] = []
        self._accesses: dict[str, Access] = {}
        self._links: list[Link] = []
        self._engine: type[Providers] | None = None
        self._providers: Providers | None = None
        for each in configuration.links:
            try:
                if each.name in self._accesses:
                    raise each.place.error("name", f"there are two links {each.name!r}")
                self._engine = _engine(each)
                self._accesses[each.name] = _access(each)
                self._settings.append(_link_settings(each))
            except ConfigError as error:
                raise StartError(str(error), WRONG_CONFIGURATION) from error
        self._check_rings(configuration)

    def _check_rings(self, configuration: Configuration) -> None:
        endpoints = [each.endpoint for each in configuration.links]
        ring = find_ring(zip(endpoints, self._settings, strict=True))
        for link in configuration.links if ring else ():
            if any(Location("", each.queue) in ring for each in link.send):
                error = link.place.error("send", f"messages go round: {' → '.join(place.name for place in ring)}")
                raise StartError(str(error), WRONG_CONFIGURATION)

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
        """Register them with a gateway whose objects are defined, and join them to sockets.

        ``repository``: returns the key repository of the queue manager.
        """
        if self._engine is None:
            return
        self._providers = self._engine(driver, self._name, self._accesses, repository)
        driver.provider_effect = self._providers.perform
        for link in self._links:
            gateway.carriers.add(link)

    def stop(self) -> None:
        """Close what is open."""
        if self._providers is not None:
            self._providers.stop()


def _engine(link: ConfiguredLink) -> type[Providers]:
    """What connects links. Raises `ConfigError` where the AMQP engine is not installed."""
    try:
        from mqbridge.bridge.links.providers import Providers
    except ImportError as error:
        raise link.place.error("", f"link {link.name!r} {_MISSING}", _INSTALL) from error
    return Providers


def _access(link: ConfiguredLink) -> Access:
    """Where and as whom a link connects. Raises `ConfigError`."""
    try:
        place = read_place(link.endpoint)
    except ValueError as error:
        raise link.place.error("endpoint", str(error)) from error
    _check_security(link, place)
    access = Access(
        place=place,
        max_message=link.max_message,
        idle_timeout=link.idle_timeout,
        user=link.user or "",
        password_file=link.password_file,
        certificate=link.certificate or "",
        trusted=link.trusted,
    )
    try:
        access.password()
    except PasswordFileError as error:
        raise link.place.error("password_file", f"no password: {error}") from error
    return access


def _check_security(link: ConfiguredLink, place: Place) -> None:
    if link.certificate and link.trusted is None:
        raise link.place.error("certificate", "a certificate is for TLS", "name the authorities by 'trusted'")
    if link.trusted is not None and place.path is not None:
        raise link.place.error("trusted", "there is no TLS over a Unix socket")
    if (link.user is None) != (link.password_file is None):
        key = "user" if link.user else "password_file"
        raise link.place.error(key, "'user' and 'password_file' need each other")
    overheard = link.trusted is None and not place.on_this_machine
    if link.user is not None and overheard and not link.plain_password:
        hint = "use TLS by 'trusted', or allow it by plain_password = true"
        raise link.place.error("user", "the password would go over the network in plain text", hint)


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

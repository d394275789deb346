"""Partners of the configuration: read, checked, registered, and joined to sockets."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from mqbridge.bridge.agents.gateway.gateway import Gateway
from mqbridge.bridge.agents.partner.guarantees import check_script, speaks_first
from mqbridge.bridge.agents.partner.in_doubt import partners_in_doubt
from mqbridge.bridge.agents.partner.partner import Partner
from mqbridge.bridge.agents.partner.settings import PartnerSettings, PartnerSettingsError
from mqbridge.bridge.config import ConfigError, Configuration
from mqbridge.bridge.config import PartnerSettings as ConfiguredPartner
from mqbridge.bridge.config.protocol_files import SHIPPED, load_protocol, shipped_protocol
from mqbridge.bridge.endpoints.addresses import is_tcp
from mqbridge.bridge.endpoints.driver import Driver
from mqbridge.bridge.endpoints.host_connections import HostConnections, Reach
from mqbridge.bridge.endpoints.opening import require_kind
from mqbridge.bridge.links.keys import LinkKeys
from mqbridge.bridge.links.places import read_place
from mqbridge.bridge.security import is_loopback
from mqbridge.bridge.security.tls import TlsOffer, allowed
from mqbridge.bridge.tls import KeyRepository, TlsContexts, TlsError
from mqbridge.bridge.tls.listener_files import ListenerFiles
from mqbridge.mappings.templates import Protocol, TemplateError, Value

from .errors import WRONG_CONFIGURATION, StartError

_COPIED: Final = ("ccsid", "sessions", "remember", "retry_interval", "longest_retry")
"""Keys that mean the same to the partner's logic."""
_CIPHERS: Final = "ANY_TLS12_OR_HIGHER"
_Stamp = tuple[int, int]


class Description:
    """The description of a protocol, read again when its file has changed (M-174)."""

    def __init__(self, name: str, folder: Path) -> None:
        """Raises `TemplateError`."""
        self.file = None if name in SHIPPED else folder / name
        self._stamp = self._now()
        self.protocol: Protocol = shipped_protocol(name) if self.file is None else load_protocol(self.file)

    def changed(self) -> bool:
        """Read the file again if it has changed; whether it has. Raises `TemplateError`, once for a change."""
        stamp = self._now()
        if self.file is None or stamp is None or stamp == self._stamp:
            return False
        self._stamp = stamp
        self.protocol = load_protocol(self.file)
        return True

    def _now(self) -> _Stamp | None:
        if self.file is None:
            return None
        try:
            found = os.stat(self.file)
        except OSError:
            return None
        return found.st_mtime_ns, found.st_size


class Partners:
    """The partners of one queue manager. Raises `StartError` for those that cannot be."""

    def __init__(self, configuration: Configuration) -> None:
        self._configured = {each.name: each for each in configuration.partners}
        self._crl = configuration.tls.crl == "required"
        self._settings: dict[str, PartnerSettings] = {}
        self._descriptions: dict[str, Description] = {}
        self._partners: dict[str, Partner] = {}
        self._connections: HostConnections | None = None
        self._listening: list[dict[str, str | int]] = []
        folder = configuration.source.parent if configuration.source is not None else Path()
        for each in configuration.partners:
            try:
                self._read(each, folder)
            except ConfigError as error:
                raise StartError(str(error), WRONG_CONFIGURATION) from error

    def _read(self, each: ConfiguredPartner, folder: Path) -> None:
        if each.name in self._settings:
            raise each.place.error("name", f"there are two partners {each.name!r}")
        try:
            description = Description(each.protocol, folder)
        except TemplateError as error:
            raise each.place.error("protocol", f"partner {each.name!r}: {error}") from error
        try:
            settings = _partner_settings(each)
            check_script(description.protocol, settings)
        except PartnerSettingsError as error:
            raise each.place.error(error.key, f"partner {each.name!r}: {error}") from error
        _check_endpoint(each)
        if settings.role == "responder" and each.certificate and speaks_first(description.protocol, settings):
            problem = f"partner {each.name!r}: inside TLS the caller speaks first, but the script sends before"
            raise each.place.error("certificate", problem)
        self._settings[each.name] = settings
        self._descriptions[each.name] = description

    @property
    def ready(self) -> dict[str, list[dict[str, str | int]]]:
        """Name, host and port of each partner that is awaited, for the ready file."""
        return {"partners": self._listening} if self._listening else {}

    def make(self, gateway: Gateway) -> None:
        """Make the partners, which hold their messages in doubt from now on: before any program can get messages.
        Raises `StoreDamaged`."""
        host = gateway.channel_manager
        for name, queue in sorted(partners_in_doubt(host.manager.store)):
            if name not in self._settings:
                host.log("AMQ5087", name, queue)
        for name, settings in self._settings.items():
            protocol = self._descriptions[name].protocol
            self._partners[name] = Partner(settings, protocol, host, random.SystemRandom())

    async def open(
        self,
        gateway: Gateway,
        driver: Driver,
        repository: Callable[[], KeyRepository],
        listen: Callable[[Callable[[str], Any], str], Any],
    ) -> None:
        """Register them with a gateway whose objects are defined, and open the ports of those that are called.

        ``repository``: returns the key repository of the queue manager. ``listen``: awaits what opens an endpoint
        string, with failures as `StartError`. Raises `StartError`.
        """
        if not self._partners:
            return
        reaches = {
            name: _reach(each, repository) for name, each in self._configured.items() if each.role == "initiator"
        }
        self._connections = connections = HostConnections(driver, reaches, self._prepare)
        driver.host_effect = connections.perform
        for name, partner in self._partners.items():
            gateway.carriers.add(partner)
            each = self._configured[name]
            if each.role == "responder":
                await self._listen(connections, partner, each, repository, listen)

    async def _listen(
        self,
        connections: HostConnections,
        partner: Partner,
        each: ConfiguredPartner,
        repository: Callable[[], KeyRepository],
        listen: Callable[[Callable[[str], Any], str], Any],
    ) -> None:
        make_session = None
        if each.certificate is not None:
            source = ListenerFiles(repository, None, None, each.trusted)
            contexts = TlsContexts(source, each.certificate, self._crl)
            offer = TlsOffer(allowed(_CIPHERS), each.certificate)

            def make_session() -> Any:
                return contexts.serve(offer)

            try:
                make_session()
            except TlsError as error:
                wrong = each.place.error("certificate", f"partner {each.name!r} has no certificate: {error}")
                raise StartError(str(wrong), WRONG_CONFIGURATION) from error
        port = await listen(lambda text: connections.listen(partner, text, make_session), each.endpoint)
        address = port.getHost()
        host, number = (address.host, address.port) if is_tcp(address) else (each.endpoint, 0)
        if is_tcp(address) and not is_loopback(host) and make_session is None and not each.plain:
            hint = "use TLS by 'certificate', or allow it by plain = true"
            wrong = each.place.error("endpoint", f"partner {each.name!r} could be called by any machine", hint)
            raise StartError(str(wrong), WRONG_CONFIGURATION)
        self._listening.append({"name": each.name, "host": host, "port": number})

    def _prepare(self, name: str) -> None:
        """A session begins: it follows the description as it is now, if that is right."""
        description, partner = self._descriptions[name], self._partners[name]
        try:
            if description.changed():
                partner.use(description.protocol)
        except (TemplateError, PartnerSettingsError) as error:
            partner.warn("AMQ5089", str(error))

    async def close(self) -> None:
        """Close the ports."""
        if self._connections is not None:
            await self._connections.close()

    def stop(self) -> None:
        """Give up what is open."""
        if self._connections is not None:
            self._connections.stop()


def _partner_settings(each: ConfiguredPartner) -> PartnerSettings:
    for key, value in each.own.items():
        if not isinstance(value, str | int | float) or isinstance(value, bool):
            raise PartnerSettingsError("values", f"{key!r} is neither text nor a number")
    values: dict[str, Value] = dict(each.own)
    return PartnerSettings(
        name=each.name,
        role="initiator" if each.role == "initiator" else "responder",
        send=each.send or "",
        receive=each.receive or "",
        values=values,
        format=each.format or "",
        certified=each.role == "responder" and each.trusted is not None,
        mcauser=each.mcauser or "",
        **{key: getattr(each, key) for key in _COPIED},
    )


def _check_endpoint(each: ConfiguredPartner) -> None:
    initiator = each.role == "initiator"
    try:
        if initiator:
            place = read_place(each.endpoint)
            if each.trusted is not None and place.path is not None:
                raise each.place.error("trusted", "there is no TLS over a Unix socket")
        else:
            require_kind(each.endpoint)
    except ValueError as error:
        raise each.place.error("endpoint", str(error)) from error
    if initiator and each.certificate is not None and each.trusted is None:
        raise each.place.error("certificate", "a certificate is for TLS", "name the authorities by 'trusted'")
    if not initiator and each.trusted is not None and each.certificate is None:
        raise each.place.error("trusted", "authorities are for TLS", "name our certificate by 'certificate'")


def _reach(each: ConfiguredPartner, repository: Callable[[], KeyRepository]) -> Reach:
    place = read_place(each.endpoint)
    if each.trusted is None:
        return Reach(place.endpoint)
    keys = LinkKeys(repository, each.certificate or "", each.trusted)
    return Reach(place.endpoint, lambda: keys.session(place.host))

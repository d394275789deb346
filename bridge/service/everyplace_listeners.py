"""Listeners of the gateway: checked against the configuration, and opened with their certificates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from mqbridge.bridge.config import Configuration, EveryplaceListenerSettings, EveryplaceSettings
from mqbridge.bridge.endpoints.addresses import is_tcp
from mqbridge.bridge.endpoints.everyplace.endpoint import ENCRYPTED, Door, EveryplaceEndpoint
from mqbridge.bridge.endpoints.opening import require_kind
from mqbridge.bridge.everyplace.definitions.listener_definition import ListenerDefinition
from mqbridge.bridge.program_name import program
from mqbridge.bridge.security import is_loopback
from mqbridge.bridge.security.tls import TlsOffer, allowed
from mqbridge.bridge.tls import TlsContexts, TlsError, TlsSession
from mqbridge.bridge.tls.listener_files import ListenerFiles
from mqbridge.protocol.everyplace.authenticators import CERTIFICATE, NONE
from mqbridge.protocol.everyplace.errors import EveryplaceError
from mqbridge.protocol.everyplace.names import check_name
from mqbridge.protocol.everyplace.token import NO_FINGERPRINT, fingerprint_of

from .channel_keys import ChannelKeys
from .errors import WRONG_CONFIGURATION, StartError

_CIPHERS: Final = "ANY_TLS12_OR_HIGHER"
_SCHEMES: Final = {"tcp": "mqe", "tls": "mqes", "http": "http", "https": "https"}
"""Of the addresses that devices are given, by adapter."""


@dataclass(frozen=True, slots=True)
class EveryplaceListener:
    """An open listener. ``fingerprint``: of the public key that devices see there."""

    settings: EveryplaceListenerSettings
    door: Door
    host: str
    port: int
    fingerprint: bytes = NO_FINGERPRINT

    def address(self, host: str) -> str:
        """The address that devices are given. ``host``: the name of this machine."""
        scheme = _SCHEMES[self.settings.adapter]
        path = self.settings.path if scheme.startswith("http") else ""
        return f"{scheme}://{f'[{host}]' if ':' in host else host}:{self.port}{path}"

    def __str__(self) -> str:
        return f"{self.host}({self.port})" if self.port else self.host


def check_listeners(settings: EveryplaceSettings) -> None:
    """Check what can be checked before anything is open. Raises `StartError`."""
    names: set[str] = set()
    for each in settings.listeners:
        encrypted = each.adapter in ENCRYPTED
        try:
            check_name(each.name, "listener")
        except EveryplaceError as error:
            raise _wrong(each, "name", error.text) from error
        for wrong, key, text in (
            (each.name in names, "name", f"there are two listeners {each.name!r}"),
            (each.key is not None and each.certificate is None, "key", "a key belongs to a certificate"),
            (not encrypted and each.key is not None, "key", f"a key is for TLS, which {each.adapter} does not use"),
            (
                not encrypted and each.authenticator == CERTIFICATE,
                "authenticator",
                f"a certificate proves something in TLS, which {each.adapter} does not use",
            ),
            (
                not encrypted and each.authorities is not None,
                "authorities",
                f"authorities are for TLS, which {each.adapter} does not use",
            ),
        ):
            if wrong:
                raise _wrong(each, key, text)
        names.add(each.name)
        try:
            require_kind(each.endpoint)
        except ValueError as error:
            raise _wrong(each, "endpoint", str(error)) from error


async def open_listener(
    endpoint: EveryplaceEndpoint,
    settings: EveryplaceListenerSettings,
    keys: ChannelKeys,
    configuration: Configuration,
    listen: Callable[[Callable[[str], Any], str], Any],
) -> EveryplaceListener:
    """Open a listener. ``listen``: awaits what opens an endpoint string, with failures as `StartError`.

    Raises `StartError`, also for one that strangers could reach.
    """
    definition = ListenerDefinition(
        settings.name,
        settings.adapter,
        settings.endpoint,
        settings.path,
        int(settings.timeout * 1000),
        settings.max or configuration.channels.max,
        settings.authenticator,
    )
    make_session, fingerprint = None, NO_FINGERPRINT
    if settings.adapter in ENCRYPTED:
        contexts, offer = _contexts(settings, keys, configuration)

        def make_session() -> TlsSession:
            return contexts.serve(offer)

        try:
            make_session()
            certificate = contexts.certificate(offer.label).der
        except TlsError as error:
            hint = f"make one with '{program()} certificate create', or name 'certificate' and 'key'"
            raise _wrong(
                settings, "certificate", f"listener {settings.name!r} has no certificate: {error}", hint
            ) from (error)
        fingerprint = fingerprint_of(certificate)
    door = await listen(
        lambda text: endpoint.listen(definition, text, make_session, fingerprint if make_session else b""),
        settings.endpoint,
    )
    address = door.port.getHost()
    host, port = (address.host, address.port) if is_tcp(address) else (f"unix:{settings.endpoint}", 0)
    if is_tcp(address) and not is_loopback(host):
        try:
            _require_protection(settings)
        except StartError:
            await endpoint.close_door(settings.name)
            raise
    return EveryplaceListener(settings, door, host, port, fingerprint)


def _require_protection(settings: EveryplaceListenerSettings) -> None:
    """Raise `StartError` for a listener that other machines reach without TLS and authenticator."""
    where = f"listener {settings.name!r} is reached by other machines"
    if settings.adapter not in ENCRYPTED:
        secure = "https" if settings.adapter == "http" else "tls"
        hint = f'write adapter = "{secure}", or listen on this machine alone: {_local(settings.endpoint)}'
        raise _wrong(settings, "adapter", f"{where}, and what passes could be read and changed", hint)
    if settings.authenticator == NONE:
        hint = f'write authenticator = "key", or listen on this machine alone: {_local(settings.endpoint)}'
        raise _wrong(settings, "authenticator", f"{where}, and everybody could be any device", hint)


def _local(endpoint: str) -> str:
    """An endpoint string on the loopback interface, as it is typed."""
    kind, _, rest = endpoint.partition(":")
    return f'endpoint = "{kind}:{rest.partition(":")[0]}:interface={"::1" if kind == "tcp6" else "127.0.0.1"}"'


def _contexts(
    settings: EveryplaceListenerSettings, keys: ChannelKeys, configuration: Configuration
) -> tuple[TlsContexts, TlsOffer]:
    """What makes the sessions of a listener: the queue manager's keys, or its own."""
    file = Path(settings.certificate) if settings.certificate is not None and settings.key is not None else None
    label = "" if file is not None else settings.certificate or ""
    offer = TlsOffer(allowed(_CIPHERS), label)
    if file is None and settings.authorities is None:
        return keys.contexts, offer
    base = configuration.source.parent if configuration.source is not None else Path()
    source = ListenerFiles(
        lambda: keys.repository, None if file is None else base / file, settings.key, settings.authorities
    )
    contexts = TlsContexts(
        source, file.stem.lower() if file is not None else keys.label, configuration.tls.crl == "required"
    )
    keys.others.append(contexts)
    return contexts, offer


def _wrong(settings: EveryplaceListenerSettings, key: str, problem: str, hint: str = "") -> StartError:
    return StartError(str(settings.place.error(key, problem, hint)), WRONG_CONFIGURATION)

"""Listeners that administration has defined: opened when they are started, and with the gateway (E-231, E-261)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from twisted.internet.defer import Deferred
from twisted.internet.endpoints import quoteStringArgument
from twisted.python.failure import Failure

from mqbridge.bridge.endpoints.addresses import is_tcp
from mqbridge.bridge.endpoints.everyplace.endpoint import ENCRYPTED, STREAMS, Door, EveryplaceEndpoint
from mqbridge.bridge.everyplace.definitions.listener_definition import ListenerDefinition
from mqbridge.bridge.everyplace.effects import Alarm, StartListener, StopListener
from mqbridge.bridge.security import is_loopback
from mqbridge.bridge.security.tls import TlsOffer, allowed
from mqbridge.bridge.tls import TlsError, TlsSession
from mqbridge.protocol.everyplace.authenticators import NONE
from mqbridge.protocol.everyplace.endpoints import DEFAULT_PORT
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.http_requests import DEFAULT_PATH
from mqbridge.protocol.everyplace.token import fingerprint_of

from .channel_keys import ChannelKeys

_CIPHERS: Final = "ANY_TLS12_OR_HIGHER"
_ADAPTERS: Final = (*STREAMS, "http", "https")


class DefinedListeners:
    """Opens and closes them. ``tell``: takes alarms of those that cannot be opened. Their certificate is the queue
    manager's own."""

    def __init__(self, endpoint: EveryplaceEndpoint, keys: ChannelKeys, tell: Callable[[Alarm], None]) -> None:
        self._endpoint = endpoint
        self._keys = keys
        self._tell = tell

    def perform(self, effect: StartListener | StopListener) -> None:
        """Open or close one."""
        if isinstance(effect, StopListener):
            Deferred.fromCoroutine(self._endpoint.close_door(effect.name))
        else:
            self.start(effect.definition)

    def start(self, definition: ListenerDefinition) -> None:
        """Open one; an alarm tells if it cannot be."""
        Deferred.fromCoroutine(self._open(definition)).addErrback(self._failed, definition.name)

    def _failed(self, failure: Failure, name: str) -> None:
        error = failure.value
        text = error.text if isinstance(error, EveryplaceError) else failure.getErrorMessage()
        self._tell(Alarm(name, f"listener {name} cannot be opened: {text}"))

    async def _open(self, definition: ListenerDefinition) -> None:
        if definition.adapter not in _ADAPTERS:
            text = f"a gateway listens by {', '.join(_ADAPTERS)}, not {definition.adapter}"
            raise EveryplaceError(Code.CON_ADAPTER_REQUIRED, text)
        if definition.name in self._endpoint.doors:
            raise EveryplaceError(Code.ACTIVE, "a listener of this name is open")
        make_session, binding = None, b""
        if definition.adapter in ENCRYPTED:
            offer = TlsOffer(allowed(_CIPHERS))

            def make_session() -> TlsSession:
                return self._keys.contexts.serve(offer)

            try:
                binding = fingerprint_of(self._keys.contexts.certificate().der)
            except TlsError as error:
                raise EveryplaceError(Code.AUTHENTICATE, str(error)) from error
        known = ListenerDefinition(
            definition.name,
            definition.adapter,
            definition.endpoint,
            definition.path or DEFAULT_PATH,
            definition.timeout,
            definition.max_channels,
            definition.authenticator,
        )
        door = await self._endpoint.listen(known, endpoint_of(definition), make_session, binding)
        await self._require_protection(definition, door)

    async def _require_protection(self, definition: ListenerDefinition, door: Door) -> None:
        address: Any = door.port.getHost()
        if not is_tcp(address) or is_loopback(address.host):
            return
        if definition.adapter not in ENCRYPTED or definition.authenticator == NONE:
            await self._endpoint.close_door(definition.name)
            text = f"other machines reach {address.host}, so it needs TLS (tls, https) and an authenticator"
            raise EveryplaceError(Code.CHNL_ATTRIBUTES, text)


def endpoint_of(definition: ListenerDefinition) -> str:
    """Return the Twisted endpoint string of ``host:port``. Raises `EveryplaceError`."""
    host, _, port = definition.endpoint.rpartition(":")
    port = port or str(DEFAULT_PORT)
    if not (port.isascii() and port.isdigit() and int(port) < 1 << 16):
        raise EveryplaceError(
            Code.ADAPTER_MISSING_REMOTE_ADDRESS, f"{definition.endpoint!r} is no address; HOST:PORT is expected"
        )
    return f"tcp:{port}" + (f":interface={quoteStringArgument(host.strip('[]'))}" if host else "")

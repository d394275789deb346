"""Where the connections of a gateway lead, and with what: made of a definition and its secrets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from mqbridge.bridge.everyplace.definitions.connection_definition import ConnectionDefinition
from mqbridge.bridge.everyplace.secrets import FINGERPRINT, Secrets
from mqbridge.protocol.everyplace.authenticators import CERTIFICATE
from mqbridge.protocol.everyplace.endpoints import authority, parse_endpoint
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.token import fingerprint_of

ADAPTERS = ("tcp", "tls", "http", "https")
SECURED = ("tls", "https")


class Values:
    """Properties of an adapter (`protocol.everyplace.http_login.Values`)."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self._values = values

    def get(self, name: str, /) -> str:
        """Return a property, empty without."""
        return self._values.get(name, "")


class Place(NamedTuple):
    """One other gateway. ``fingerprint``: of the key of its certificate, empty if authorities decide. ``certified``:
    the own certificate is needed there."""

    adapter: str
    host: str
    port: int
    path: str
    properties: Values
    fingerprint: bytes = b""
    certified: bool = False
    ask: None = None

    @property
    def secured(self) -> bool:
        """Whether it is reached inside TLS."""
        return self.adapter in SECURED

    def knows(self, certificate: bytes) -> bool:
        """Whether a certificate, as DER, is the one that the token of the enrolment names."""
        try:
            return fingerprint_of(certificate) == self.fingerprint
        except EveryplaceError:
            return False

    def __str__(self) -> str:
        return f"{self.adapter}://{authority(self.host, self.port)}{self.path}"


def place_of(definition: ConnectionDefinition, secrets: Secrets) -> Place:
    """Return where a connection leads. Raises `EveryplaceError` for an adapter or address that cannot be, and where
    secrets cannot be read."""
    if definition.adapter not in ADAPTERS:
        raise EveryplaceError(
            Code.CON_ADAPTER_REQUIRED,
            f"connection {definition.name}: a gateway calls over {', '.join(ADAPTERS)}, not {definition.adapter}",
        )
    host, port = parse_endpoint(definition.endpoint)
    values = ({"user": definition.user} if definition.user else {}) | secrets.properties(definition.name)
    return Place(
        definition.adapter,
        host,
        port,
        definition.path,
        Values(values),
        secrets.value(definition.name, FINGERPRINT),
        definition.authenticator == CERTIFICATE,
    )

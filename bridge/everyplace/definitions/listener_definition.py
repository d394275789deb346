"""The definition of a listener: where other queue managers reach this one (mqe.md 13, E-260)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from mqbridge.protocol.everyplace.endpoints import DEFAULT_PORT
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.fields import Fields
from mqbridge.protocol.everyplace.names import check_name

from .properties import ASCII, BOOLEAN, INT, TEXT, Alterable, Property, by_field, read_row, write_row

TYPE_NAME: Final = "listener"
DEFAULT_TIMEOUT: Final = 300_000
"""Milliseconds after which a connection that says nothing is closed."""
_NEVER: Final = Alterable.NEVER

NAME: Final = Property("admname", "Admin_Name", ASCII, "", alterable=_NEVER, attribute="name")
ADAPTER: Final = Property("lad", "Listener_Adapter", ASCII, "tcp", attribute="adapter")
ENDPOINT: Final = Property("lep", "Listener_Endpoint", ASCII, f":{DEFAULT_PORT}", attribute="endpoint")
PATH: Final = Property("lpa", "Listener_Path", ASCII, "", attribute="path")
TIMEOUT: Final = Property("lto", "Listener_Timeout", INT, DEFAULT_TIMEOUT, attribute="timeout")
MAX_CHANNELS: Final = Property("lmc", "Listener_MaxChannels", INT, 0, attribute="max_channels")
AUTHENTICATOR: Final = Property("lau", "Listener_Authenticator", ASCII, "", attribute="authenticator")
CERTIFICATE: Final = Property("lce", "Listener_Certificate", TEXT, "", attribute="certificate")
KEY: Final = Property("lke", "Listener_Key", TEXT, "", attribute="key", secret=True)
AUTHORITIES: Final = Property("lca", "Listener_Authorities", TEXT, "", attribute="authorities")
DESCRIPTION: Final = Property("ld", "Listener_Description", TEXT, "", attribute="description")
STARTED: Final = Property(
    "lst", "Listener_Started", BOOLEAN, default=False, alterable=Alterable.READ_ONLY, attribute="started"
)

PROPERTIES: Final = (
    NAME,
    ADAPTER,
    ENDPOINT,
    PATH,
    TIMEOUT,
    MAX_CHANNELS,
    AUTHENTICATOR,
    CERTIFICATE,
    KEY,
    AUTHORITIES,
    DESCRIPTION,
    STARTED,
)
BY_FIELD: Final = by_field(PROPERTIES)


@dataclass(frozen=True, slots=True)
class ListenerDefinition:
    """A listener (E-260).

    ``adapter``: tcp, tls, http, https or one by entry point. ``endpoint``: ``host:port``, every address without a host.
    ``path``: of HTTP. ``timeout``: milliseconds after which a silent connection is closed, 0 for never (E-259).
    ``max_channels``: most connections at once, 0 for no limit. ``authenticator``: certificate, key, none.
    ``certificate``, ``key``, ``authorities``: PEM texts. ``started``: whether it runs; a new one does not, until it is
    started or the queue manager is (E-261).
    """

    name: str
    adapter: str = "tcp"
    endpoint: str = f":{DEFAULT_PORT}"
    path: str = ""
    timeout: int = DEFAULT_TIMEOUT
    max_channels: int = 0
    authenticator: str = ""
    certificate: str = ""
    key: str = field(default="", repr=False)
    authorities: str = ""
    description: str = ""
    started: bool = False

    def __post_init__(self) -> None:
        check_name(self.name, "listener")
        if not self.adapter:
            raise EveryplaceError(Code.CON_ADAPTER_REQUIRED, f"listener {self.name} has no adapter")
        for row, value in ((TIMEOUT, self.timeout), (MAX_CHANNELS, self.max_channels)):
            if value < 0:
                raise row.invalid(f"{value} is too small")

    def fields(self) -> Fields:
        """Return it as a fields object, for the registry."""
        return write_row(TYPE_NAME, PROPERTIES, self)

    @classmethod
    def read(cls, fields: Fields) -> ListenerDefinition:
        """Return the definition of a row of the registry. Raises `EveryplaceError`."""
        return cls(**read_row(fields, PROPERTIES))

"""The definition of a connection: how another queue manager is reached, or what its name stands for (mqe.md 13)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.fields import Fields
from mqbridge.protocol.everyplace.names import check_name

from .properties import ASCII, BOOLEAN, NAMES, TEXT, Alterable, Property, by_field, read_row, write_row

TYPE_NAME: Final = "connection"
MAX_VIA: Final = 16
"""Most connections that lead over each other."""

NAME: Final = Property("admname", "Admin_Name", ASCII, "", alterable=Alterable.NEVER, attribute="name")
ADAPTER: Final = Property("cad", "Con_Adapter", ASCII, "", attribute="adapter")
ENDPOINT: Final = Property("cep", "Con_Endpoint", ASCII, "", attribute="endpoint")
PATH: Final = Property("cpa", "Con_Path", ASCII, "", attribute="path")
VIA: Final = Property("cvi", "Con_Via", ASCII, "", attribute="via")
ALIASES: Final = Property("cal", "Con_Aliases", NAMES, (), attribute="aliases")
TO_MQ: Final = Property("cmq", "Con_ToMQ", BOOLEAN, default=False, attribute="to_mq")
USER: Final = Property("cus", "Con_User", TEXT, "", attribute="user")
DESCRIPTION: Final = Property("cd", "Con_Description", TEXT, "", attribute="description")
AUTHENTICATOR: Final = Property("cau", "Con_Authenticator", ASCII, "", attribute="authenticator")
CRYPTOR: Final = Property("ccr", "Con_Cryptor", ASCII, "", attribute="cryptor")
COMPRESSOR: Final = Property("cco", "Con_Compressor", ASCII, "", attribute="compressor")
TOKEN: Final = Property("ctk", "Con_Token", ASCII, "", attribute="token", secret=True)
SETTINGS: Final = Property("cpr", "Con_Properties", NAMES, (), attribute="properties", secret=True)

PROPERTIES: Final = (
    NAME,
    ADAPTER,
    ENDPOINT,
    PATH,
    VIA,
    ALIASES,
    TO_MQ,
    USER,
    DESCRIPTION,
    AUTHENTICATOR,
    CRYPTOR,
    COMPRESSOR,
    TOKEN,
    SETTINGS,
)
BY_FIELD: Final = by_field(PROPERTIES)
SECRETS: Final = (TOKEN, SETTINGS)
"""Rows whose values are kept apart (`secrets`)."""


@dataclass(frozen=True, slots=True)
class ConnectionDefinition:
    """A connection, named after the queue manager to which it leads (E-251).

    ``adapter``: tcp, tls, http, https or one by entry point. ``endpoint``: ``host:port``. ``path``: of HTTP (E-303).
    ``via``: the connection over which it leads instead (E-254, E-322). ``aliases``: other names of the queue manager;
    a definition without adapter and without via makes its name an alias of this queue manager (E-255). ``to_mq``: the
    bridge reaches it. ``token``: of the enrolment at its other end; ``properties``: of the adapter, ``name=value``:
    both are given when it is defined or changed, and are not kept in the definition.
    """

    name: str
    adapter: str = ""
    endpoint: str = ""
    path: str = ""
    via: str = ""
    aliases: tuple[str, ...] = ()
    to_mq: bool = False
    user: str = ""
    description: str = ""
    authenticator: str = ""
    cryptor: str = ""
    compressor: str = ""
    token: str = field(default="", repr=False)
    properties: tuple[str, ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        check_name(self.name, "connection")
        for alias in self.aliases:
            check_name(alias, "alias")
        if self.via and (self.adapter or self.endpoint or self.to_mq):
            raise EveryplaceError(
                Code.ADMIN_INVALID_FIELD, f"connection {self.name} leads over {self.via}, so it has no adapter"
            )
        if bool(self.adapter) != bool(self.endpoint):
            raise EveryplaceError(
                Code.CON_ADAPTER_REQUIRED, f"connection {self.name}: an adapter and an address belong together"
            )

    @property
    def is_own_name(self) -> bool:
        """Whether it makes its name stand for this queue manager."""
        return not (self.adapter or self.via or self.to_mq)

    def fields(self) -> Fields:
        """Return it as a fields object, for the registry."""
        return write_row(TYPE_NAME, PROPERTIES, self)

    @classmethod
    def read(cls, fields: Fields) -> ConnectionDefinition:
        """Return the definition of a row of the registry. Raises `EveryplaceError`."""
        return cls(**read_row(fields, PROPERTIES))


def first_hop(name: str, connections: dict[str, ConnectionDefinition]) -> ConnectionDefinition | None:
    """Return the connection that reaches a queue manager, over those that lead over others (E-322).

    None if there is none, or a chain ends nowhere. Raises `EveryplaceError` ALIAS_CYCLE for one that leads back.
    """
    for _ in range(MAX_VIA):
        found = connections.get(name)
        if found is None or not found.via:
            return found
        name = found.via
    raise EveryplaceError(Code.ALIAS_CYCLE, f"more than {MAX_VIA} connections lead over each other to {name}")

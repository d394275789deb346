"""The connections of a device put together: its network, adapters and credentials."""

from __future__ import annotations

import random

from mqbridge.bridge.everyplace import secrets
from mqbridge.bridge.everyplace.definitions.connection_definition import ConnectionDefinition
from mqbridge.bridge.everyplace.network.network import Network
from mqbridge.protocol.everyplace.endpoints import parse_endpoint

from .adapters.interface import Adapter, Place, Properties
from .adapters.table import AdapterTable
from .carrier import Carrier
from .credentials import DeviceCredentials
from .engine import Engine
from .listening import Listeners
from .options import Options
from .outside import Outside

_FILES = {"certificate": secrets.CERTIFICATE, "key": secrets.PRIVATE_KEY, "authorities": secrets.AUTHORITIES}
"""Properties whose values a device may keep in its file."""


def make_carrier(engine: Engine, options: Options, outside: Outside) -> Carrier:
    """Return what carries bytes for a queue manager."""
    adapters = AdapterTable(options.adapters)
    kept = secrets.Secrets(engine.store, engine.manager.security)
    network = Network(engine.manager, DeviceCredentials(kept), random.SystemRandom(), options.network)

    def make_adapter(definition: ConnectionDefinition) -> Adapter:
        return adapters.find(definition.adapter).initiator(place_of(definition, kept, options))

    return Carrier(engine, network, make_adapter, Listeners(adapters), outside)


def place_of(definition: ConnectionDefinition, secret: secrets.Secrets, options: Options) -> Place:
    """Return where a connection leads, and with what. Raises `EveryplaceError`."""
    host, port = parse_endpoint(definition.endpoint)
    kept = secret.properties(definition.name)
    kept |= {name: value.decode() for name, row in _FILES.items() if (value := secret.value(definition.name, row))}
    if definition.user:
        kept["user"] = definition.user
    fingerprint = secret.value(definition.name, secrets.FINGERPRINT)
    properties = Properties({**kept, **options.properties}, definition.name)
    return Place(definition.adapter, host, port, definition.path, definition.name, properties, fingerprint, options.ask)

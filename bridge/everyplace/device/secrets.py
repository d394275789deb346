"""What a device keeps of its connections that nobody else may see, in its file: keys, fingerprints, places of keys.

This is where a private registry under a PIN comes in (E-225): the rows are then sealed by the store.
"""

from __future__ import annotations

from typing import Final

from mqbridge.bridge.store.interface import Operation, PutRecord, RemoveRecord, Store

TABLE: Final = "everyplace-secrets"
KEY: Final = "key"
"""Of the authenticator `key`."""
FINGERPRINT: Final = "fingerprint"
"""Of the public key of the other end's certificate."""
CERTIFICATE: Final = "certificate"
"""Path of the own certificate; ``private-key`` of its key, if that is in another file."""
PRIVATE_KEY: Final = "private-key"
AUTHORITIES: Final = "authorities"
"""Path of the certificates that sign those of other ends."""


def secret(store: Store, connection: str, name: str) -> bytes:
    """Return a secret of a connection, empty if there is none."""
    return store.record(TABLE, _key(connection, name)) or b""


def put_secret(connection: str, name: str, value: bytes) -> Operation:
    """Return what keeps a secret; an empty one is removed."""
    key = _key(connection, name)
    return PutRecord(TABLE, key, value) if value else RemoveRecord(TABLE, key)


def _key(connection: str, name: str) -> bytes:
    return f"{connection}\0{name}".encode("ascii")

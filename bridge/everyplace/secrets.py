"""What a queue manager keeps of its connections that nobody else may see: keys, fingerprints, places of keys.

Where there is a private registry, each is encrypted (E-225), and none that is not is believed.
"""

from __future__ import annotations

from typing import Final

from mqbridge.bridge.store.interface import Operation, PutRecord, RemoveRecord, Store, StoreError
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.token import NO_FINGERPRINT, Token

from .security.security import Security

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
PROPERTIES: Final = "properties"
"""Of the adapter, ``name=value`` in lines."""


class Secrets:
    """The secrets in a store. Both raise `EveryplaceError` where they are encrypted and no PIN was given."""

    def __init__(self, store: Store, security: Security) -> None:
        self._store = store
        self._security = security

    def value(self, connection: str, name: str) -> bytes:
        """Return a secret of a connection, empty if there is none. Raises `EveryplaceError` STORE if it was changed."""
        try:
            kept = self._store.record(TABLE, _key(connection, name))
        except StoreError as error:
            raise EveryplaceError(Code.STORE, f"the {_what(connection, name)} cannot be read: {error}") from None
        return self._security.unseal(_what(connection, name), kept) if kept else b""

    def properties(self, connection: str) -> dict[str, str]:
        """Return the properties of a connection's adapter. Raises as `value` does."""
        lines = self.value(connection, PROPERTIES).decode().split("\n")
        return {name: value for name, equals, value in (each.partition("=") for each in lines) if equals}

    def keep(self, connection: str, name: str, value: bytes) -> Operation:
        """Return what keeps a secret; an empty one is removed. Raises `EveryplaceError` NOT_ALLOWED where it would not
        be encrypted as the others are."""
        from .security import private_registry  # few devices have one

        if value and self._security.registry is None and private_registry.exists(self._store):
            text = f"the {_what(connection, name)} is to be encrypted; give the PIN of the private registry"
            raise EveryplaceError(Code.NOT_ALLOWED, text)
        return put_secret(connection, name, self._security.seal(_what(connection, name), value) if value else b"")

    def moved_to(self, later: Security) -> list[Operation]:
        """Return what keeps all of them as another security does."""
        found: list[Operation] = []
        for key, kept in self._store.records(TABLE):
            connection, _, name = key.decode("ascii").partition("\0")
            what = _what(connection, name)
            found.append(PutRecord(TABLE, key, later.seal(what, self._security.unseal(what, kept))))
        return found


def of_token(token: Token | None, own: str) -> dict[str, bytes]:
    """Return the secrets of a connection that the token is for which its other end has given the queue manager ``own``;
    without a token they are empty."""
    if token is None:
        return {KEY: b"", FINGERPRINT: b""}
    return {KEY: token.key(own), FINGERPRINT: b"" if token.fingerprint == NO_FINGERPRINT else token.fingerprint}


def put_secret(connection: str, name: str, value: bytes) -> Operation:
    """Return what keeps a secret as it is; an empty one is removed."""
    key = _key(connection, name)
    return PutRecord(TABLE, key, value) if value else RemoveRecord(TABLE, key)


def _key(connection: str, name: str) -> bytes:
    return f"{connection}\0{name}".encode("ascii")


def _what(connection: str, name: str) -> str:
    return f"{name} of connection {connection}"

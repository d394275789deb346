"""Attributes: what protection a queue demands, and what a channel gives (E-441, E-249)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from mqbridge.bridge.everyplace.definitions import queue_properties as rows
from mqbridge.bridge.everyplace.definitions.connection_definition import ConnectionDefinition
from mqbridge.bridge.everyplace.definitions.queue_definition import QueueDefinition
from mqbridge.protocol.everyplace.authenticators import CERTIFICATE, KEY, NONE
from mqbridge.protocol.everyplace.compressors import ZLIB, ZLIB_STREAM
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError

AES_GCM: Final = "aes-gcm"
"""Cryptor of queues: messages at rest."""
TLS: Final = "tls"
"""Cryptor of channels."""
AUTHENTICATORS: Final = (NONE, KEY, CERTIFICATE)
"""Weakest first."""
COMPRESSORS: Final = (ZLIB, ZLIB_STREAM)
_PLAIN: Final = ("tcp", "http")
_INSTEAD: Final = {
    "xor": f"{AES_GCM} on a queue, tls on a connection",
    "des": f"{AES_GCM} on a queue, tls on a connection",
    "3des": f"{AES_GCM} on a queue, tls on a connection",
    "triple-des": f"{AES_GCM} on a queue, tls on a connection",
    "rc4": f"{AES_GCM} on a queue, tls on a connection",
    "mars": f"{AES_GCM} on a queue, tls on a connection",
    "rle": f"{ZLIB} on a queue, {ZLIB_STREAM} on a connection",
    "lzw": f"{ZLIB} on a queue, {ZLIB_STREAM} on a connection",
    "gzip": f"{ZLIB} on a queue, {ZLIB_STREAM} on a connection",
}
"""Names of IBM's that protect or compress nothing by now, and what stands for them (E-447)."""


@dataclass(frozen=True, slots=True)
class Attribute:
    """``authenticator``, ``cryptor``, ``compressor``: names, empty for none. ``target``: the queue manager for which
    it is meant, empty for any. Keys are no part of it: they are in the private registry."""

    authenticator: str = ""
    cryptor: str = ""
    compressor: str = ""
    target: str = ""

    def proves(self, wanted: str) -> bool:
        """Whether its authenticator is as strong as another; one that is not known is as strong as itself alone."""
        given = self.authenticator
        if not wanted or given == wanted:
            return True
        if given not in AUTHENTICATORS or wanted not in AUTHENTICATORS:
            return False
        return AUTHENTICATORS.index(given) >= AUTHENTICATORS.index(wanted)

    def __str__(self) -> str:
        parts = [part for part in (self.authenticator, self.cryptor, self.compressor) if part]
        return ", ".join(parts) or "no protection"


def attribute_of(definition: QueueDefinition) -> Attribute:
    """Return what a queue demands: of channels, and for messages at rest."""
    value = definition.value
    return Attribute(value(rows.AUTHENTICATOR), value(rows.CRYPTOR), value(rows.COMPRESSOR), definition.owner)


def check_connection(definition: ConnectionDefinition) -> None:
    """Check what a connection is to give (E-249). Raises `EveryplaceError` NOT_SUPPORTED for names that are not known,
    CHNL_ATTRIBUTES for encryption over an adapter that has none."""
    check_known("authenticator", definition.authenticator, AUTHENTICATORS)
    check_known("cryptor", definition.cryptor, (TLS,))
    check_known("compressor", definition.compressor, COMPRESSORS)
    if definition.cryptor and definition.adapter in _PLAIN:
        raise EveryplaceError(
            Code.CHNL_ATTRIBUTES, f"connection {definition.name} with {definition.cryptor}: use adapter tls or https"
        )


def check_known(what: str, name: str, known: tuple[str, ...]) -> None:
    """Check a name in a definition. Raises `EveryplaceError` NOT_SUPPORTED, which names what to use (E-447)."""
    if not name or name in known:
        return
    word = name.rpartition(".")[2].removeprefix("MQe").removesuffix("Cryptor").removesuffix("Compressor").lower()
    instead = _INSTEAD.get(word)
    hint = f"use {instead}" if instead else f"there are: {', '.join(known)}"
    raise EveryplaceError(Code.NOT_SUPPORTED, f"{what} {name[:60]} is not supported; {hint}")

"""Keys of queue managers with which programs protect messages from end to end (E-440)."""

from __future__ import annotations

import hashlib
import random
from dataclasses import dataclass, field

from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.field_types import FieldType
from mqbridge.protocol.everyplace.fields import Fields
from mqbridge.protocol.everyplace.names import check_name

from .cryptography import KEY, Cryptography


@dataclass(frozen=True, slots=True)
class PublicKeys:
    """What others must know of a queue manager: its name, and its public keys of X25519 and Ed25519."""

    name: str
    exchange: bytes
    signing: bytes

    def __post_init__(self) -> None:
        check_name(self.name, "queue manager")
        if len(self.exchange) != KEY or len(self.signing) != KEY:
            raise EveryplaceError(Code.SYNTAX, f"the public keys of {self.name} do not have {KEY} bytes")

    @property
    def fingerprint(self) -> str:
        """What two people compare before they trust the keys: 32 hexadecimal digits in groups."""
        text = hashlib.sha256(self.name.encode("ascii") + b"\0" + self.exchange + self.signing).hexdigest()[:32]
        return "-".join(text[at : at + 4] for at in range(0, len(text), 4))

    def __str__(self) -> str:
        return f"{self.name}:{self.exchange.hex()}:{self.signing.hex()}"

    @classmethod
    def parse(cls, text: str) -> PublicKeys:
        """Read ``NAME:exchange key:signing key`` in hexadecimal digits. Raises `EveryplaceError` SYNTAX."""
        try:
            name, exchange, signing = text.strip().split(":")
            return cls(name, bytes.fromhex(exchange), bytes.fromhex(signing))
        except ValueError:
            raise EveryplaceError(Code.SYNTAX, f"{text[:60]!r} is no NAME:key:key") from None


@dataclass(frozen=True, slots=True)
class ProgramKeys:
    """Both halves of the keys of one queue manager."""

    public: PublicKeys
    exchange: bytes = field(repr=False)
    signing: bytes = field(repr=False)

    @classmethod
    def new(cls, name: str, library: Cryptography, source: random.Random) -> ProgramKeys:
        """Make keys. ``source``: a random one that nobody can guess."""
        exchange = library.exchange_pair(source.randbytes(KEY))
        signing = library.signing_pair(source.randbytes(KEY))
        return cls(PublicKeys(name, exchange.public, signing.public), exchange.private, signing.private)

    def fields(self) -> Fields:
        """Return them as a fields object, for the private registry."""
        found = Fields()
        found.put("public", str(self.public), FieldType.ASCII)
        found.put("exchange", self.exchange, FieldType.UNTYPED)
        found.put("signing", self.signing, FieldType.UNTYPED)
        return found

    @classmethod
    def read(cls, fields: Fields) -> ProgramKeys:
        """Return the keys of a fields object. Raises `EveryplaceError`."""
        public = PublicKeys.parse(fields.get("public", FieldType.ASCII))
        return cls(public, fields.get("exchange", FieldType.UNTYPED), fields.get("signing", FieldType.UNTYPED))

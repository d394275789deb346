"""Who may connect to a gateway: its enrolled devices, and other gateways (mqe.md 19, E-440).

A device has one enrolment, by a key or by a certificate. A new key must be used within `VALID` milliseconds by the
device that it is for; it then belongs to that device's queue manager for good. The gateway keeps the key itself, since
a proof by HMAC cannot be checked without it, and never shows it; the token from which it was made is not kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from mqbridge.bridge.everyplace.security.security import Security
from mqbridge.bridge.store.interface import Operation, PutRecord, RemoveRecord, Store
from mqbridge.protocol.everyplace.dump import dump, restore
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.field_types import FieldType
from mqbridge.protocol.everyplace.fields import Fields
from mqbridge.protocol.everyplace.names import check_name

TABLE: Final = "everyplace-devices"
VALID: Final = 3_600_000
"""Milliseconds within which a token must be used."""
MAX_DEVICES: Final = 1_000_000
_BYTES: Final = ("code", "key", "incarnation", "front")


@dataclass(frozen=True, slots=True)
class Enrolment:
    """One device. ``key``: as it is kept; empty for one that has a certificate. ``code``: of its token. ``until``:
    milliseconds since 1970 until which it must have connected first; 0 once it has. ``incarnation``: the mark of the
    queue manager that has, empty before. ``revoked``: it may not connect until it is enrolled again. ``front``:
    fingerprint of the web server that ends TLS in front of the gateway, empty without one."""

    name: str
    code: bytes = b""
    key: bytes = field(default=b"", repr=False)
    until: int = 0
    incarnation: bytes = b""
    revoked: bool = False
    front: bytes = b""

    @property
    def state(self) -> str:
        """A word for displays."""
        if self.revoked:
            return "revoked"
        return "waits for its first connection" if self.until else "enrolled"

    def write(self) -> PutRecord:
        """Return the operation that writes it."""
        found = Fields()
        found.put("name", self.name, FieldType.ASCII)
        found.put("until", self.until, FieldType.LONG)
        for name in _BYTES:
            data = getattr(self, name)
            if data:
                found.put(name, data, FieldType.UNTYPED)
        if self.revoked:
            found.put("revoked", value=True, kind=FieldType.BOOLEAN)
        return PutRecord(TABLE, self.name.encode("ascii"), dump(found))

    @classmethod
    def read(cls, data: bytes) -> Enrolment:
        """Return the enrolment of a row. Raises `EveryplaceError`."""
        found = restore(data)

        def of(name: str) -> bytes:
            return bytes(found.get(name, FieldType.UNTYPED)) if name in found else b""

        return cls(
            found.get("name", FieldType.ASCII),
            of("code"),
            of("key"),
            found.get("until", FieldType.LONG),
            of("incarnation"),
            "revoked" in found,
            of("front"),
        )


class Enrolments:
    """The enrolments of one gateway, by name. What changes them returns operations for the store, and counts at once:
    whoever asks for a change is told when it is on disk. ``security``: encrypts keys where there is a private
    registry (E-225)."""

    def __init__(self, store: Store, security: Security | None = None) -> None:
        self._security = security or Security()
        self._found: dict[str, Enrolment] = {}
        for _, data in store.records(TABLE):
            enrolment = Enrolment.read(data)
            self._found[enrolment.name] = enrolment

    def __iter__(self) -> Iterator[Enrolment]:
        return iter(sorted(self._found.values(), key=lambda each: each.name))

    def __len__(self) -> int:
        return len(self._found)

    def find(self, name: str) -> Enrolment | None:
        """Return the enrolment of a device; None if it was never enrolled."""
        return self._found.get(name)

    def key_of(self, enrolment: Enrolment) -> bytes:
        """Return the key of a device, empty for one that has a certificate. Raises `EveryplaceError` NOT_ALLOWED where
        it is encrypted and no PIN was given, STORE if it was changed, or is not encrypted and should be."""
        return self._security.unseal(_what(enrolment.name), enrolment.key) if enrolment.key else b""

    def moved_to(self, later: Security) -> list[Operation]:
        """Return what keeps all keys as another security does."""
        found: list[Operation] = []
        for each in self:
            if each.key:
                found.append(replace(each, key=later.seal(_what(each.name), self.key_of(each))).write())
        return found

    def enrol(
        self, name: str, code: bytes = b"", key: bytes = b"", now: int = 0, front: bytes = b""
    ) -> list[Operation]:
        """Enrol a device, in place of an earlier enrolment, whose key is worth nothing from now on.

        ``now``: milliseconds since 1970. ``front``: see `Enrolment`. Raises `EveryplaceError` SYNTAX or TOO_LONG for a
        name that MQ cannot have, CHNL_LIMIT.
        """
        check_name(name, "queue manager", for_mq=True)
        if len(self) >= MAX_DEVICES and name not in self._found:
            raise EveryplaceError(Code.CHNL_LIMIT, f"{MAX_DEVICES} devices are enrolled already")
        kept = self._security.seal(_what(name), key) if key else b""
        return self._keep(Enrolment(name, code, kept, now + VALID if key else 0, front=front))

    def revoke(self, name: str) -> list[Operation]:
        """Let a device connect no more; its key is forgotten. Raises `EveryplaceError` NOT_FOUND."""
        return self._keep(replace(self._known(name), key=b"", until=0, revoked=True))

    def connected(self, name: str, incarnation: bytes) -> list[Operation]:
        """A caller has proved its name, as its listener demands; at the first time, a device's key becomes its own.

        Raises `EveryplaceError` AUTHENTICATE if the key is another queue manager's.
        """
        known = self._found.get(name)
        if known is None or not known.key or known.incarnation == incarnation:
            return []
        if known.incarnation:
            text = f"the token of {name} was used before, by another queue manager; enrol it again"
            raise EveryplaceError(Code.AUTHENTICATE, text)
        return self._keep(replace(known, until=0, incarnation=incarnation))

    def forget(self, name: str) -> list[Operation]:
        """Remove an enrolment, if there is one."""
        return [] if self._found.pop(name, None) is None else [RemoveRecord(TABLE, name.encode("ascii"))]

    def admitted(self, name: str, now: int) -> Enrolment:
        """Return the enrolment of a device that may prove its name. Raises `EveryplaceError` AUTHENTICATE."""
        found = self._found.get(name)
        if found is None or found.revoked:
            why = "is not enrolled" if found is None else "is revoked"
            raise EveryplaceError(Code.AUTHENTICATE, f"{name} {why}")
        if found.until and now > found.until:
            raise EveryplaceError(Code.AUTHENTICATE, f"the token of {name} was not used in time; enrol it again")
        return found

    def _known(self, name: str) -> Enrolment:
        found = self._found.get(name)
        if found is None:
            raise EveryplaceError(Code.NOT_FOUND, f"{name} is not enrolled")
        return found

    def _keep(self, enrolment: Enrolment) -> list[Operation]:
        self._found[enrolment.name] = enrolment
        return [enrolment.write()]


def _what(name: str) -> str:
    return f"key of device {name}"

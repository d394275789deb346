"""The security of one queue manager: which definitions it can keep, and how its queues keep messages (mqe.md 19)."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Final

from mqbridge.bridge.everyplace.definitions import queue_properties as rows
from mqbridge.bridge.everyplace.definitions.queue_definition import QueueDefinition
from mqbridge.bridge.everyplace.definitions.queue_kinds import QueueKind
from mqbridge.protocol.everyplace.compressors import ZLIB
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError

from .at_rest import MARK, PLAIN, AtRest, Encryption, Protected, Unreadable
from .attribute_rules import AttributeRule, require, rule_named
from .attributes import AES_GCM, AUTHENTICATORS, Attribute, attribute_of, check_known
from .cryptography import Cryptography, required

if TYPE_CHECKING:
    from .private_registry import PrivateRegistry

OF_QUEUE_MANAGER, OF_QUEUE = 1, 2
"""Values of Queue_TargetRegistry besides 0, none: whose key a queue has (E-123)."""
_STORED: Final = frozenset({QueueKind.LOCAL, QueueKind.REMOTE, QueueKind.STORE_AND_FORWARD, QueueKind.ADMINISTRATION})


class Security:
    """``library``: None where none is installed. ``registry``: None where there is none or no PIN was given.
    ``random``: of nonces; nobody can guess it. ``channels``: what the connections of partners give, by name."""

    def __init__(
        self,
        library: Cryptography | None = None,
        registry: PrivateRegistry | None = None,
        random: random.Random | None = None,
    ) -> None:
        self.library = library
        self.registry = registry
        self.channels: dict[str, Attribute] = {}
        self._random = random

    def unlock(self, library: Cryptography, registry: PrivateRegistry, random: random.Random) -> None:
        """Take the private registry that has just been made."""
        self.library, self.registry, self._random = library, registry, random

    def check(self, definition: QueueDefinition) -> None:
        """Check that this queue manager can protect a queue as its definition demands.

        Raises `EveryplaceError` NOT_SUPPORTED for names that are not known and where the library is missing,
        NOT_ALLOWED without private registry (E-446), NOT_FOUND for a rule that is not registered.
        """
        wanted = attribute_of(definition)
        check_known("authenticator", wanted.authenticator, AUTHENTICATORS)
        check_known("cryptor", wanted.cryptor, (AES_GCM,))
        check_known("compressor", wanted.compressor, (ZLIB,))
        if (wanted.authenticator or wanted.cryptor) and not (
            definition.kind is QueueKind.REMOTE and definition.synchronous
        ):
            what = f"queue {definition.address} with {wanted}"
            required(self.library, what)
            if self.registry is None:
                raise EveryplaceError(Code.NOT_ALLOWED, f"{what} needs a private registry, which has a PIN")

    def at_rest(self, definition: QueueDefinition) -> AtRest:
        """Return how a queue keeps its messages (E-095)."""
        wanted = attribute_of(definition)
        if definition.kind not in _STORED or not (wanted.cryptor or wanted.compressor):
            return PLAIN
        if not wanted.cryptor:
            return Protected(compressing=True, encryption=None)
        if self.library is None or self.registry is None or self._random is None:
            return Unreadable(f"{definition.address} is encrypted; give the PIN of the private registry")
        queue = str(definition.address)
        own = definition.value(rows.TARGET_REGISTRY) == OF_QUEUE
        key = self.registry.key_of(f"at rest\0{queue}" if own else "at rest")
        encryption = Encryption(self.library, key, queue, self._random)
        return Protected(compressing=bool(wanted.compressor), encryption=encryption)

    def seal(self, what: str, value: bytes) -> bytes:
        """Return a secret as it is kept: encrypted where there is a private registry. ``what``: its name."""
        encryption = self._encryption("secrets")
        return value if encryption is None else MARK + encryption.seal(what, MARK, value)

    def unseal(self, what: str, kept: bytes) -> bytes:
        """Return a secret. Raises `EveryplaceError` STORE if it was changed, NOT_ALLOWED where no PIN was given."""
        encryption = self._encryption("secrets")
        if encryption is None:
            if kept.startswith(MARK):
                raise EveryplaceError(
                    Code.NOT_ALLOWED, f"the {what} is encrypted; give the PIN of the private registry"
                )
            return kept
        return encryption.open(what, MARK, kept[len(MARK) :] if kept.startswith(MARK) else b"")

    def part_at_rest(self, offset: int) -> Protected | None:
        """Return how a part of a long message is kept at a queue manager with a private registry; None without one.

        ``offset``: of the part, to which it is bound.
        """
        encryption = self._encryption("parts", f"part {offset}")
        return None if encryption is None else Protected(compressing=False, encryption=encryption)

    def _encryption(self, purpose: str, name: str = "") -> Encryption | None:
        if self.library is None or self.registry is None or self._random is None:
            return None
        return Encryption(self.library, self.registry.key_of(purpose), name or purpose, self._random)

    def require_channel(self, definition: QueueDefinition, partner: str) -> None:
        """Raise `EveryplaceError` CHNL_ATTRIBUTES where a message came over a channel that does not meet the need of
        the queue that is to keep it (E-443). A partner without channel, such as a home-server queue, is not tested."""
        channel = self.channels.get(partner)
        if channel is not None and definition.demands:
            require(rule_of(definition), channel, attribute_of(definition), f"queue {definition.address}")


def rule_of(definition: QueueDefinition) -> AttributeRule:
    """Return the attribute rule of a queue; the default one for an empty or unknown name (E-257)."""
    return rule_named(definition.value(rows.ATTRIBUTE_RULE))

"""The private registry of a device queue manager, and messages that only one receiver can read (E-225, E-440)."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from mqbridge.bridge.everyplace.changes import Change
from mqbridge.bridge.everyplace.ciphers import library
from mqbridge.bridge.everyplace.secrets import Secrets
from mqbridge.bridge.everyplace.security import private_registry
from mqbridge.bridge.everyplace.security.cryptography import Cryptography, required
from mqbridge.bridge.everyplace.security.private_registry import PrivateRegistry
from mqbridge.bridge.everyplace.security.program_keys import PublicKeys
from mqbridge.bridge.everyplace.security.security import Security
from mqbridge.bridge.everyplace.security.wrapping import Unwrapped, unwrap, wrap
from mqbridge.bridge.store.interface import Operation, Store
from mqbridge.protocol.everyplace.calls import Done, Outcome, Refused
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.message import Message

if TYPE_CHECKING:
    from collections.abc import Callable

    from .engine import Engine

_PRIVATE = "a private registry"


def open_security(store: Store, name: str, incarnation: bytes, pin: str) -> Security:
    """Return the security of a queue manager.

    Raises `EveryplaceError` NOT_SUPPORTED where the package is missing, NOT_FOUND without private registry,
    REGISTRY_WRONG_PIN.
    """
    found = required(library(), _PRIVATE)
    opened = private_registry.open_registry(store, name, incarnation, pin, found)
    return Security(found, opened, random.SystemRandom())


class Protection:
    """What a program may do with the keys of its queue manager. All raise `EveryplaceError`."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._random = random.SystemRandom()

    def create(self, pin: str) -> None:
        """Make a private registry under a PIN; it takes the secrets of connections, and queues can be protected.

        NOT_ALLOWED if there is one.
        """
        engine, found = self._engine, required(library(), _PRIVATE)
        manager = engine.manager
        if private_registry.exists(engine.store):
            raise EveryplaceError(Code.NOT_ALLOWED, f"{manager.name} has a private registry; open it with its PIN")
        made, row = private_registry.make(engine.store, manager.name, manager.incarnation, pin, found, self._random)
        later = Security(found, made, self._random)
        self._write(row, *Secrets(engine.store, manager.security).moved_to(later))
        with engine.lock:
            manager.security.unlock(found, made, self._random)

    def change_pin(self, old: str, new: str) -> None:
        """Let another PIN open the private registry. REGISTRY_WRONG_PIN, SYNTAX for the new one."""
        manager = self._engine.manager
        self._write(
            private_registry.change_pin(
                self._engine.store,
                manager.name,
                manager.incarnation,
                (old, new),
                required(library(), _PRIVATE),
                self._random,
            )
        )

    @property
    def public_keys(self) -> PublicKeys:
        """What others must trust so that they can write to this queue manager, and believe what it signs."""
        return self._open()[1].keys.public

    def trust(self, keys: PublicKeys | str) -> None:
        """Believe what a queue manager signs. Compare `PublicKeys.fingerprint` with its owner before."""
        self._write(self._open()[1].trust(PublicKeys.parse(keys) if isinstance(keys, str) else keys))

    def wrap(self, message: Message, receiver: str) -> Message:
        """Return a message to be put in place of another, that only the programs of one queue manager can read.

        The message gets its UID. NOT_FOUND for a receiver whose keys are not trusted.
        """
        found, registry = self._open()
        keys = registry.known(receiver)
        if keys is None:
            raise EveryplaceError(Code.NOT_FOUND, f"the keys of {receiver} are not known; trust them first")
        engine = self._engine
        with engine.lock:
            engine.require_open()
            operations = engine.manager.identify(message, engine.clock())
            if operations:
                engine.manager.submit(Change(None, operations), lambda _: None)
        engine.settle()
        return wrap(message, registry.keys, keys, found, self._random)

    def unwrap(self, message: Message) -> Unwrapped:
        """Return the message that was wrapped for this queue manager, and whose signature it has.

        NOT_FOUND for one that is not wrapped, AUTHENTICATE for one that was changed, copied under another UID, is for
        somebody else, or of a sender who is not trusted.
        """
        found, registry = self._open()
        return unwrap(message, registry.keys, registry.known, found)

    def _open(self) -> tuple[Cryptography, PrivateRegistry]:
        security = self._engine.manager.security
        if security.library is None or security.registry is None:
            raise EveryplaceError(Code.NOT_ALLOWED, f"{self._engine.manager.name} was opened without the PIN")
        return security.library, security.registry

    def _write(self, *rows: Operation) -> None:
        def start(then: Callable[[Outcome], None]) -> None:
            self._engine.manager.submit(
                Change(None, list(rows)),
                lambda done: then(Done() if done else Refused(Code.STORE, "the private registry cannot be written")),
            )

        self._engine.ask(start)

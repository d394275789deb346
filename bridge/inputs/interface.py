"""What an input is, and what it gets of its route.

A plug-in offers a factory as an entry point of the group ``mqbridge.inputs``, under the name that ``kind`` has in the
configuration: ``input = { kind = "files", folder = "incoming" }``. It is called with the other keys and the sink of the
route; the input that it returns runs in the queue manager's process, in its one thread, and must not block it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from mqbridge.bridge.agents.routing.taken import Taken
from mqbridge.bridge.client.message import Message
from mqbridge.protocol.errors import MQBridgeError


class InputError(MQBridgeError):
    """Settings of an input that cannot be. ``key``: of the table, blank for the table."""

    def __init__(self, key: str, text: str) -> None:
        super().__init__(text)
        self.key = key


class Sink(Protocol):
    """The route of an input. ``folder``: that of the configuration, where relative paths start."""

    folder: Path

    def offer(
        self, message: Message, identity: bytes, then: Callable[[Taken], None], mark: bytes = b""
    ) -> Callable[[], None]:
        """Offer a message; ``then`` is called once, when it is on disk or not taken.

        ``identity``: up to 64 bytes that no other message of this input ever has. It is kept with the message, until
        `forget`: so a message that is offered again after a crash is not put again, nor one that waits already. Blank:
        it is put as often as it is offered. ``mark``: what `identities` returns with it, such as a time. Returns a
        function that takes the offer back, unless it is being committed: ``then`` is called with Taken.NOT.
        """
        ...

    def forget(self, identity: bytes) -> None:
        """Forget the identity of a message that cannot be offered again, because it is gone for good."""
        ...

    def identities(self) -> Mapping[bytes, bytes]:
        """Return the identities that are kept, and their marks; at its start an input forgets those of messages that
        are gone."""
        ...

    def later(self, seconds: float, call: Callable[[], None]) -> Callable[[], None]:
        """Call a function after some time. Returns a function that prevents it."""
        ...

    def problem(self, text: str) -> None:
        """Log a problem for the operator (AMQ5108)."""
        ...


class Input(Protocol):
    """An input."""

    def start(self) -> Awaitable[None] | None:
        """Begin to offer messages; what is returned, if anything, is awaited. Raises `InputError` if that cannot be."""
        ...

    def stop(self) -> None:
        """Offer no more; what was offered may still be answered."""
        ...


InputFactory: TypeAlias = Callable[[Mapping[str, Any], Sink], Input]
"""Makes an input of its settings. Raises `InputError`."""

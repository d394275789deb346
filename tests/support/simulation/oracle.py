"""What must be true at the end: every persistent message exactly once, in order; fast ones at most once.

A message whose loss was said, when a damaged disk was repaired, may be missing; no other may.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING

from mqbridge.bridge.queue_manager import GetOptions, MQError

if TYPE_CHECKING:
    from .node import Node

DLH_LENGTH = 172
_BODY = re.compile(rb"[A-Z]+ \d{5} \d+ (persistent|fast) (ordered|astray) \.*")


class Oracle:
    """Knows of every message what its program was told."""

    def __init__(self) -> None:
        self.fate: dict[bytes, str] = {}
        """``unknown`` (asked, not answered), ``committed`` or ``refused``."""
        self.asked_at: dict[bytes, int] = {}
        self.answered_at: dict[bytes, int] = {}
        self.said: set[bytes] = set()
        """Messages that a repair said to be lost."""
        self._count = 0

    def repaired(self, lost: list[bytes]) -> None:
        """A repair has said that these are lost: descriptor and headers, with a message within."""
        for data in lost:
            self.said.update(match[0] for match in _BODY.finditer(data))

    def body(self, source: str, number: int, index: int, persistent: bool, *, ordered: bool, length: int) -> bytes:
        word = "persistent" if persistent else "fast"
        where = "ordered" if ordered else "astray"
        return f"{source} {number:05d} {index} {word} {where} ".encode().ljust(length, b".")

    def asked(self, body: bytes) -> None:
        self.fate[body] = "unknown"
        self._count += 1
        self.asked_at[body] = self._count

    def refused(self, body: bytes) -> None:
        self.fate[body] = "refused"

    def answered(self, bodies: list[bytes]) -> Callable[[MQError | None], None]:
        def then(error: MQError | None) -> None:
            self._count += 1
            for body in bodies:
                self.fate[body] = "committed" if error is None else "refused"
                self.answered_at[body] = self._count

        return then

    def check(self, nodes: dict[str, Node]) -> list[str]:
        """Compares what lies on target and dead-letter queues with what the programs were told."""
        problems: list[str] = []
        arrived = {name: [message.data for message in drain(node, "TARGET")] for name, node in nodes.items()}
        astray = [self.original(message.data) for node in nodes.values() for message in drain(node, "DLQ")]
        counts = Counter([*astray, *itertools.chain(*arrived.values())])
        for body, fate in self.fate.items():
            count, words = counts.pop(body, 0), body.split()
            name = b" ".join(words[:5]).decode()
            if count > 1:
                problems.append(f"{name}: arrived {count} times")
            if fate == "refused" and count:
                problems.append(f"{name}: refused, and arrived")
            if fate == "committed" and words[3] == b"persistent" and not count and body not in self.said:
                problems.append(f"{name}: committed, and lost")
        problems.extend(f"{body[:40]!r} came from nowhere" for body in counts)
        for name, bodies in arrived.items():
            problems.extend(self._disorder(name, bodies))
        return problems

    def original(self, dead: bytes) -> bytes:
        """The data of a message on a dead-letter queue as they were put."""
        return dead[DLH_LENGTH:]

    def _disorder(self, target: str, bodies: list[bytes]) -> list[str]:
        """Messages of one kind and source that overtook one whose put was answered before they were put."""
        problems = []
        kinds: dict[tuple[bytes, bytes], list[bytes]] = {}
        for body in bodies:
            words = body.split()
            kinds.setdefault((words[0], words[3]), []).append(body)
        for own in kinds.values():
            latest = own[0]
            for body in own:
                answered = self.answered_at.get(body)
                if answered is not None and answered < self.asked_at.get(latest, 0):
                    problems.append(f"at {target}: {latest[:40]!r} overtook {body[:40]!r}")
                    break
                if self.asked_at.get(body, 0) > self.asked_at.get(latest, 0):
                    latest = body
        return problems


def drain(node: Node, queue: str) -> list:  # type: ignore[type-arg]
    """All messages of a queue, in order."""
    source = node.manager.local_queue(queue)
    found = []
    while (got := node.manager.get(source, GetOptions(), None, node.clock.now)) is not None:
        found.append(got.message)
    return found

"""What is known of other queue managers: for operators, and of their clocks (E-087)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from mqbridge.bridge.everyplace.definitions.queue_kinds import QueueKind
from mqbridge.bridge.everyplace.queue_manager import QueueManager

from .alarms import Alarms
from .called_line import CalledLine
from .partner import Contact, Partner


@dataclass(frozen=True, slots=True)
class PartnerStatus:
    """One queue manager. ``last_seen``: seconds since the epoch, 0 for never. ``connected``: calls, called, both or
    empty. ``waiting``: messages for it. ``clock_offset``: seconds that its clock is ahead. ``blocks``: why something
    does not go on."""

    name: str
    connected: str = ""
    last_seen: float = 0.0
    waiting: int = 0
    clock_offset: float = 0.0
    blocks: tuple[str, ...] = ()


@dataclass(slots=True)
class _Sighting:
    """``offset``: seconds."""

    last_seen: float = 0.0
    offset: float = 0.0


@dataclass(slots=True)
class Sightings:
    """When others were seen, and what their clocks said. ``most``: seconds of difference from which on it is an
    alarm; nothing is corrected."""

    alarms: Alarms
    most: float
    _seen: dict[str, _Sighting] = field(default_factory=dict)

    def heard(self, name: str, time: int, now: float) -> None:
        """Another end has said what time it is, in milliseconds since 1970."""
        offset = time / 1000 - now
        self._seen[name] = _Sighting(now, offset)
        key = ("clock", name)
        if abs(offset) <= self.most:
            self.alarms.clear(key)
        elif not self.alarms.text(key):
            word = "ahead" if offset > 0 else "behind"
            self.alarms.raise_for(key, name, f"the clock of {name} is {abs(offset):.1f} seconds {word} of this one")

    def left(self, name: str, when: float) -> None:
        """Its connection is over."""
        self._seen.setdefault(name, _Sighting()).last_seen = when

    def rows(
        self, manager: QueueManager, partners: Mapping[str, Partner], callers: Mapping[str, CalledLine]
    ) -> list[PartnerStatus]:
        """Return a row for each queue manager that was seen, is called, or has an entry."""
        waiting = _waiting(manager)
        found = []
        for name in sorted({*self._seen, *partners, *callers, *waiting}):
            seen = self._seen.get(name, _Sighting())
            partner, caller = partners.get(name), callers.get(name)
            words = ["called"] if partner is not None and partner.contact is Contact.READY else []
            last_seen = seen.last_seen
            if caller is not None:
                words.append("calls")
                last_seen = max(last_seen, caller.heard)
            blocks = [] if partner is None else partner.blocks()
            blocks += [text for kind in ("caller", "clock") if (text := self.alarms.text((kind, name)))]
            found.append(
                PartnerStatus(name, " ".join(words), last_seen, waiting.get(name, 0), seen.offset, tuple(blocks))
            )
        return found


def _waiting(manager: QueueManager) -> dict[str, int]:
    """Count the messages that wait for each queue manager."""
    found: dict[str, int] = {}
    for queue in manager.queues:
        if queue.messages is None or queue.kind not in (QueueKind.REMOTE, QueueKind.STORE_AND_FORWARD):
            continue
        if queue.kind is QueueKind.REMOTE:
            found[queue.owner] = found.get(queue.owner, 0) + len(queue.messages)
            continue
        for entry in queue.entries:
            found.setdefault(entry, 0)
        for message in queue.messages.held.list:
            if message.target is not None:
                target = message.target.queue_manager
                found[target] = found.get(target, 0) + 1
    return found

"""What operators see of other queue managers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mqbridge.bridge.everyplace.definitions.queue_kinds import QueueKind
from mqbridge.bridge.everyplace.queue_manager import QueueManager

from .context import Context
from .partner import Contact, Partner

if TYPE_CHECKING:
    from .called_line import CalledLine


@dataclass(frozen=True, slots=True)
class PartnerStatus:
    """One queue manager. ``last_seen``: seconds since the epoch, 0 for never. ``connected``: called, calls, both or
    empty. ``waiting``: messages for it. ``clock_offset``: seconds that its clock is ahead. ``blocks``: why something
    does not go on."""

    name: str
    connected: str = ""
    last_seen: float = 0.0
    waiting: int = 0
    clock_offset: float = 0.0
    blocks: tuple[str, ...] = ()


def partner_rows(
    context: Context, partners: Mapping[str, Partner], callers: Mapping[str, CalledLine]
) -> list[PartnerStatus]:
    """Return a row for each queue manager that was seen, is called, or for which messages are kept."""
    waiting = _waiting(context.manager)
    found = []
    for name in sorted({*context.sightings, *partners, *callers, *waiting}):
        seen = context.sightings.of(name)
        partner, caller = partners.get(name), callers.get(name)
        words = ["called"] if partner is not None and partner.contact is Contact.READY else []
        last_seen = seen.last_seen
        if caller is not None:
            words.append("calls")
            last_seen = max(last_seen, caller.heard)
        blocks = [] if partner is None else partner.blocks()
        blocks += [text for kind in ("caller", "clock") if (text := context.alarms.text((kind, name)))]
        found.append(PartnerStatus(name, " ".join(words), last_seen, waiting.get(name, 0), seen.offset, tuple(blocks)))
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

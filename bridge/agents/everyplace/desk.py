"""What operators ask of a gateway, and its answers as values for JSON."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any, Final, TypeAlias

from mqbridge.bridge.everyplace.definitions.queue_kinds import QueueKind
from mqbridge.bridge.everyplace.network.status import PartnerStatus
from mqbridge.bridge.everyplace.route_check import Definitions, check_route
from mqbridge.bridge.queue_manager import QueueManager
from mqbridge.mappings.moment import Time, date_of
from mqbridge.protocol.everyplace.calls import Outcome, Refused
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.names import Address
from mqbridge.protocol.everyplace.token import Token, code_name

from .administering import Administering
from .agent import EveryplaceAgent
from .as_created import configured, device
from .enrolling import Enrolling
from .enrolments import Enrolment, Enrolments
from .mq.way import destination

Document: TypeAlias = "dict[str, Any]"
Front: TypeAlias = "tuple[str, bytes]"
"""Address of a web server, and fingerprint of its public key."""
Then: TypeAlias = "Callable[[Document | Refused], None]"
_MILLISECONDS: Final = 1000


class Desk:
    """What the REST interface calls. ``mq``: the queue manager of MQ in this process. ``addresses``: returns, by name
    of the listeners, the addresses that devices are given and the fingerprints that they check. ``connections``:
    returns a row for each client connection of the bridge to a queue manager elsewhere."""

    def __init__(self, agent: EveryplaceAgent, enrolling: Enrolling, enrolments: Enrolments, mq: QueueManager) -> None:
        self.agent = agent
        self._enrolling = enrolling
        self._enrolments = enrolments
        self._mq = mq
        self.administering = Administering(agent)
        self.addresses: Callable[[str], list[tuple[str, str, bytes]]] = lambda _: []
        self.connections: Callable[[], list[dict[str, str]]] = list

    # Devices

    def enrol(
        self, name: str, host: str, now: Time, then: Then, *, by_key: bool = True, front: Front | None = None
    ) -> None:
        """Enrol a device. ``host``: the name by which devices reach this machine. ``front``: a web server that they
        reach instead, which ends TLS."""
        addresses = [("", *front)] if front is not None else self.addresses(host)
        if not addresses:
            then(Refused(Code.NOT_FOUND, f"{self.agent.name} has no listener that a device could reach"))
            return
        _, address, fingerprint = addresses[0]

        def enrolled(found: Token | Refused | None) -> None:
            if isinstance(found, Refused):
                then(found)
                return
            connections = self.agent.manager.connections.values()
            document: Document = {
                "device": name,
                "gateway": address,
                "gateway_name": self.agent.name,
                "behind": sorted(each.name for each in connections if each.to_mq),
                "by": "key" if found else "certificate",
            }
            if found is not None:
                known = self._enrolments.find(name)
                until = 0 if known is None else known.until
                document |= {"token": found.text(), "until": _time(until / _MILLISECONDS)}
            then(document)

        self._enrolling.enrol(name, fingerprint, date_of(now), now, enrolled, by_key=by_key, front=front is not None)

    def revoke(self, name: str, then: Then) -> None:
        """Let a device connect no more, and end its connection."""

        def revoked(refused: Refused | None) -> None:
            if refused is None:
                self.agent.network.disconnect(name, EveryplaceError(Code.AUTHENTICATE, f"{name} is revoked"))
                self.agent.wake()
            then(refused or {"device": name, "state": "revoked"})

        self._enrolling.revoke(name, revoked)

    def readmit(self, name: str, then: Then) -> None:
        """Let the held lanes of a device or another gateway go on."""

        def readmitted(outcome: Outcome) -> None:
            then(outcome if isinstance(outcome, Refused) else {"device": name, "state": "readmitted"})

        self.agent.network.readmit(name, readmitted)
        self.agent.wake()

    # Administration

    def administer(self, target: str, words: Sequence[str], now: Time, then: Then) -> None:
        """Send an administration message, written as a command, to a device or to the gateway itself."""

        def sent(number: int | Refused) -> None:
            if isinstance(number, Refused):
                then(number)
                return
            connected = target == self.agent.name or any(
                each.name == target and each.connected for each in self.agent.network.status()
            )
            then({"request": number, "target": target, "connected": connected})

        self.administering.ask(target, words, now, sent)

    def replies(self, now: Time, then: Then) -> None:
        """Give the replies that have come."""
        self.administering.replies(now, lambda found: then(found if isinstance(found, Refused) else {"replies": found}))

    def forget_reply(self, number: int, now: Time, then: Then) -> None:
        """Delete a reply."""
        self.administering.forget(number, now, lambda refused: then(refused or {"request": number}))

    # Displays

    def status(self, now: Time) -> Document:
        """Return the gateway, its queues and a row for each device and other queue manager."""
        agent = self.agent
        partners = {each.name: each for each in agent.network.status()}
        enrolments = {each.name: each for each in self._enrolments}
        devices = [_row(name, enrolments.get(name), partners.get(name)) for name in sorted({*partners, *enrolments})]
        return {
            "gateway": agent.name,
            "state": agent.status(now).state.value,
            "events": dict(sorted(agent.events.items())),
            "listeners": [{"name": name, "address": address} for name, address, _ in self.addresses("")],
            "connections": self.connections(),
            "devices": devices,
        }

    def check(self, address: str, origin: str) -> Document | Refused:
        """Say how a message of a device, or of this queue manager, would go, or what is missing (E-330)."""
        manager = self.agent.manager
        try:
            wanted = Address.parse(address, manager.name)
            if origin and origin != manager.name and self._enrolments.find(origin) is None:
                raise EveryplaceError(Code.NOT_FOUND, f"{origin} is not enrolled")
        except EveryplaceError as error:
            return {"address": address, "valid": False, "lines": [f"{manager.name}: {error.text}"]}
        known = {manager.name: configured(Definitions.of(manager.name, manager.objects))}
        start, taken = origin or manager.name, ""
        if start != manager.name:
            behind = sorted(name for name, each in manager.connections.items() if each.to_mq)
            taken = f"{start}: taken as it was created"
            if wanted.queue_manager not in (*behind, manager.name, start):
                behind.append(wanted.queue_manager)
                taken += f", and with a way to {wanted.queue_manager} over {manager.name}"
            known[start] = device(start, manager.name, behind)
        route = check_route(wanted, start, known)
        lines = route.text().split("\n")
        if taken:
            lines.insert(0, taken)
        missing = "" if route.missing is not None else self._missing_in_mq(wanted)
        if missing:
            return {"address": address, "valid": False, "lines": [*lines[:-1], missing]}
        return {"address": address, "valid": route.missing is None, "lines": lines}

    def _missing_in_mq(self, address: Address) -> str:
        """Return what is missing of a way to MQ, as far as it can be seen from here."""
        manager = self.agent.manager
        try:
            queue, resolved = manager.resolve(address)
        except EveryplaceError:
            return ""
        if queue.kind is not QueueKind.MQ_BRIDGE:
            return ""
        if self.agent.mq is None:
            return f"{manager.name} has no bridge"
        name, elsewhere = destination(queue.definition, resolved, self._mq.name)
        if elsewhere or self._mq.objects.queue(name) is not None:
            return ""
        return f"missing at {self._mq.name}: there is no queue {name}"


def _row(name: str, enrolment: Enrolment | None, partner: PartnerStatus | None) -> Document:
    seen = 0.0 if partner is None else partner.last_seen
    return {
        "name": name,
        "enrolment": "none" if enrolment is None else enrolment.state,
        "token": "" if enrolment is None or not enrolment.code else code_name(enrolment.code),
        "connected": "" if partner is None else partner.connected,
        "last_seen": _time(seen),
        "waiting": 0 if partner is None else partner.waiting,
        "clock_offset": 0.0 if partner is None else round(partner.clock_offset, 3),
        "blocks": [] if partner is None else list(partner.blocks),
    }


def _time(seconds: float) -> str:
    """A time for people and programs; blank for never."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds") if seconds else ""

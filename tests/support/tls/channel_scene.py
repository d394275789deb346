"""Two queue managers with channels between them whose ends want different things of TLS."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, replace
from pathlib import Path

from mqbridge.protocol.constants import MQRQ, StatusCode
from support.processes.ports import free_port
from support.processes.running_service import RunningService, wait_for
from support.tls.authority import Authority
from support.tls.client_scene import EVENTS, RECORDED, qualifiers, told_statuses

_COMPLAINT = re.compile(r"(AMQ\d{4})[EWS]")
_CONSEQUENCES = {"AMQ9999", "AMQ9209", "AMQ9202"}
"""What is logged after the reason: the end of a channel, of a connection, of an attempt."""


@dataclass(frozen=True, slots=True)
class Refused:
    """What is seen at both ends: STATUS of the sender, the first complaint in each log and the qualifier of each event,
    and the status that the caller was told."""

    stays: str
    calling: str
    answering: str
    calling_event: MQRQ | None = None
    answering_event: MQRQ | None = None
    status: StatusCode | None = None


@dataclass(frozen=True, slots=True)
class ChannelRow:
    """A sender at EARTH and a receiver at SATURN, with what they say of TLS, and what comes of it."""

    case: str
    sender: str
    receiver: str
    seen: Refused


class ChannelScene:
    """EARTH, which has no certificate by default, and SATURN, which has. Both have certificates labelled ``app``,
    ``blocked``, ``expired``, ``revoked`` and ``stranger``, and trust the authority that issued all but the last."""

    def __init__(self, folder: Path, rows: tuple[ChannelRow, ...]) -> None:
        authority, elsewhere = Authority(), Authority("O=Elsewhere,CN=Authority")
        port = free_port()
        self.services: dict[str, RunningService] = {}
        for name in ("EARTH", "SATURN"):
            lines = ["ALTER QMGR SSLEV(ENABLED) CHLEV(EXCEPTION)", "DEFINE QLOCAL(XMIT) USAGE(XMITQ)"]
            for number, row in enumerate(rows):
                if name == "EARTH":
                    lines.append(
                        f"DEFINE CHANNEL(CASE.{number}) CHLTYPE(SDR) XMITQ(XMIT) CONNAME('127.0.0.1({port})') "
                        f"SHORTRTY(1) SHORTTMR(60) {row.sender}"
                    )
                else:
                    lines.append(f"DEFINE CHANNEL(CASE.{number}) CHLTYPE(RCVR) {row.receiver}")
            lines.append("SET CHLAUTH('*') TYPE(SSLPEERMAP) SSLPEER('CN=blocked') USERSRC(NOACCESS)")
            listen = f"tcp:{port if name == 'SATURN' else 0}:interface=127.0.0.1"
            service = RunningService(folder / name, name, mqsc="\n".join(lines) + "\n", listen=listen)
            repository = service.data / "ssl"
            service.data.mkdir(mode=0o700)
            issued = {
                "app": authority.issue(f"O=Space,CN={name}"),
                "blocked": authority.issue("O=Space,CN=blocked"),
                "expired": authority.issue(f"O=Space,CN={name}", valid=(-20, -1)),
                "revoked": authority.issue(f"O=Space,CN={name}", serial=0x7000),
                "stranger": elsewhere.issue(f"O=Space,CN={name}"),
            }
            if name == "SATURN":
                issued["ibmwebspheremqsaturn"] = issued["app"]
            for label, each in issued.items():
                each.save(repository / f"{label}.pem")
            authority.trust_file(repository / "trusted" / "authority.pem")
            (repository / "crl").mkdir()
            (repository / "crl" / "authority.pem").write_bytes(authority.revoke(issued["revoked"]))
            self.services[name] = service
        for service in self.services.values():
            service.start()
        self._rows = rows

    def run(self) -> dict[str, Refused]:
        """Start the senders, one after the other; what is seen, by case."""
        found: dict[str, Refused] = {}
        windows: dict[str, tuple[float, float]] = {}
        for number, row in enumerate(self._rows):
            began = time.time()
            found[row.case] = self._start(f"CASE.{number}", row)
            windows[row.case] = began, time.time()
        time.sleep(RECORDED)
        recordings = self.services["SATURN"].recordings
        assert recordings is not None
        for when, code in told_statuses(recordings):
            for case, (began, ended) in windows.items():
                if began <= when <= ended:
                    found[case] = replace(found[case], status=code)
        return found

    def _start(self, channel: str, row: ChannelRow) -> Refused:
        earth, saturn = self.services["EARTH"], self.services["SATURN"]
        logs = len(earth.log), len(saturn.log)
        earth.mqsc(f"START CHANNEL({channel})")
        stays = wait_for(f"the end of {row.case}", lambda: self._status(channel))
        if row.seen.answering:
            wait_for(f"the log of SATURN, {row.case}", lambda: complaint(saturn.log[logs[1] :]), 10)
        seen = Refused(stays, complaint(earth.log[logs[0] :]), complaint(saturn.log[logs[1] :]))
        earth.mqsc(f"STOP CHANNEL({channel}) MODE(FORCE)")
        return replace(seen, calling_event=event(earth), answering_event=event(saturn))

    def _status(self, channel: str) -> str:
        """STATUS once it has come to rest, blank before."""
        reply = self.services["EARTH"].client.mqsc(f"DISPLAY CHSTATUS({channel}) STATUS")
        text = " ".join(line for entry in reply["commandResponse"] for line in entry["text"])
        found = text.partition("STATUS(")[2].rpartition("STATUS(")[2].partition(")")[0]
        return found if found in ("STOPPED", "RETRYING", "RUNNING") else ""

    def close(self) -> None:
        """End both."""
        for service in self.services.values():
            service.close()


def complaint(log: str) -> str:
    """The first warning or error that says why."""
    return next((found for found in _COMPLAINT.findall(log) if found not in _CONSEQUENCES), "")


def event(service: RunningService) -> MQRQ | None:
    """Take the waiting events; the qualifier of the first that is of TLS or of a blocked channel."""
    found = []
    while (message := service.get(EVENTS)) is not None:
        found += [each for each in qualifiers(message) if each >= MQRQ.SSL_HANDSHAKE_ERROR]
    return found[0] if found else None

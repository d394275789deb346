"""A queue manager with TLS channels of every kind, and IBM's clients with certificates of every kind."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from mqbridge.bridge.security import Cost, User, hash_password
from mqbridge.bridge.security.tls.cipher_specs import ALIASES, CIPHER_SPECS
from mqbridge.bridge.security.users_file import UsersFile
from mqbridge.captures import CapturedSegment, read_segments
from mqbridge.protocol.constants import MQRQ, ControlFlags1, SegmentType, StatusCode
from mqbridge.protocol.structures import parse_status_data
from support.processes.ports import free_port
from support.processes.running_service import RunningService
from support.tls.authority import Authority, Issued
from support.tls.java_client import STORE_PASSWORD, JavaTlsClient, Outcome, key_store, trust_store
from support.tls.refusals import TLS_1_2, TLS_1_3, ClientRow, Told

LABEL = "ibmwebspheremqearth"
EVENTS = "SYSTEM.ADMIN.CHANNEL.EVENT"
PATIENCE = 10.0
PASSWORD = "Wonder-4711"
_COMPLAINT = re.compile(r"(AMQ(?!9209)\d{4})[EWS]")
"""Warnings and errors, but for connections that clients have closed: Java tries its sockets with one."""
RECORDED = 1.3
"""Seconds after which recordings have what was said before."""
SETTLES = 0.3
"""Seconds in which a refusal that has no operator message would have had one."""
MQSC = f"""\
ALTER QMGR SSLEV(ENABLED) CHLEV(ENABLED)
SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('alice') AUTHADD(CONNECT,INQ)
SET AUTHREC PROFILE('**') OBJTYPE(QUEUE) PRINCIPAL('alice') AUTHADD(ALL)
SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('alice') AUTHADD(DSP)
SET AUTHREC PROFILE('@class') OBJTYPE(QUEUE) PRINCIPAL('alice') AUTHADD(CRT)
SET AUTHREC PROFILE('**') OBJTYPE(CHANNEL) PRINCIPAL('alice') AUTHADD(DSP)
DEFINE CHANNEL(PLAIN) CHLTYPE(SVRCONN) MCAUSER('app')
DEFINE CHANNEL(TLS.ANY) CHLTYPE(SVRCONN) MCAUSER('app') SSLCIPH(ANY_TLS12_OR_HIGHER) SSLCAUTH(OPTIONAL)
DEFINE CHANNEL(TLS.12) CHLTYPE(SVRCONN) MCAUSER('app') SSLCIPH({TLS_1_2}) SSLCAUTH(OPTIONAL)
DEFINE CHANNEL(TLS.13) CHLTYPE(SVRCONN) MCAUSER('app') SSLCIPH({TLS_1_3}) SSLCAUTH(OPTIONAL)
DEFINE CHANNEL(TLS.MUTUAL) CHLTYPE(SVRCONN) MCAUSER('app') SSLCIPH(ANY_TLS12_OR_HIGHER) SSLCAUTH(REQUIRED)
DEFINE CHANNEL(TLS.NAMED) CHLTYPE(SVRCONN) MCAUSER('app') SSLCIPH(ANY_TLS12_OR_HIGHER) +
       SSLCAUTH(REQUIRED) SSLPEER('CN=app,O=Space')
DEFINE CHANNEL(TLS.EXPIRED) CHLTYPE(SVRCONN) MCAUSER('app') SSLCIPH(ANY_TLS12_OR_HIGHER) +
       SSLCAUTH(OPTIONAL) CERTLABL(expired)
DEFINE CHANNEL(TLS.BLOCKED) CHLTYPE(SVRCONN) MCAUSER('app') SSLCIPH(ANY_TLS12_OR_HIGHER) SSLCAUTH(REQUIRED)
SET CHLAUTH(TLS.BLOCKED) TYPE(SSLPEERMAP) SSLPEER('CN=app') USERSRC(NOACCESS)
DEFINE CHANNEL(TLS.PASSWORD) CHLTYPE(SVRCONN) SSLCIPH(ANY_TLS12_OR_HIGHER) SSLCAUTH(OPTIONAL)
SET CHLAUTH(TLS.PASSWORD) TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(CHANNEL) CHCKCLNT(REQUIRED)
"""
CIPHERS = {name: f"CIPHER.{number}" for number, name in enumerate((*(each.name for each in CIPHER_SPECS), *ALIASES))}
"""Channel by the CipherSpec or alias that it demands."""


def _cipher_channels() -> str:
    lines = []
    for name, channel in CIPHERS.items():
        label = " CERTLABL(curve)" if "ECDSA" in name else ""
        lines.append(
            f"DEFINE CHANNEL({channel}) CHLTYPE(SVRCONN) MCAUSER('app') SSLCIPH({name}) SSLCAUTH(OPTIONAL){label}"
        )
    return "\n".join(lines) + "\n"


def add_user(service: RunningService, name: str, password: str) -> None:
    """As ``mqbridge user add``, with a hash that costs less."""
    user = User(name, hash_password(password, name.encode().ljust(16, b"."), Cost(10, 8, 1)))
    UsersFile(service.data / "users").change(lambda users: users.added(user))


class ClientScene:
    """The queue manager EARTH and the stores of its clients. ``authority`` has issued all certificates but those of
    ``stranger``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.authority, self.stranger = Authority(), Authority("O=Elsewhere,CN=Authority")
        app = self.authority.issue("O=Space,CN=app")
        revoked = self.authority.issue("O=Space,CN=revoked")
        keys: dict[str, Issued] = {
            "app": app,
            "other": self.authority.issue("O=Space,CN=other"),
            "expired": self.authority.issue("O=Space,CN=app", valid=(-20, -1)),
            "revoked": revoked,
            "stranger": self.stranger.issue("O=Space,CN=app"),
        }
        self.files = {name: key_store(folder / f"{name}.p12", issued) for name, issued in keys.items()}
        self.files["trusted"] = trust_store(folder / "trusted.p12", self.authority.certificate)
        self.files["mistrusted"] = trust_store(folder / "mistrusted.p12", self.stranger.certificate)
        self.service = RunningService(
            folder / "EARTH",
            mqsc=MQSC + _cipher_channels(),
            listen=f"tcp:{free_port()}:interface=127.0.0.1",
            options=("--store", "memory"),
        )
        repository = self.service.data / "ssl"
        self.service.data.mkdir(mode=0o700)
        self.authority.issue("O=Space,CN=EARTH").save(repository / f"{LABEL}.pem")
        self.authority.issue("O=Space,CN=EARTH", curve=True).save(repository / "curve.pem")
        self.authority.issue("O=Space,CN=EARTH", valid=(-20, -1)).save(repository / "expired.pem")
        self.authority.trust_file(repository / "trusted" / "authority.pem")
        (repository / "crl").mkdir()
        (repository / "crl" / "authority.pem").write_bytes(self.authority.revoke(revoked))
        self.service.start()
        add_user(self.service, "alice", PASSWORD)
        self._log = 0
        self.windows: dict[str, tuple[float, float]] = {}

    @property
    def options(self) -> list[str]:
        """Options of a JVM that trusts the authority."""
        store = f"-Djavax.net.ssl.trustStore={self.files['trusted']}"
        return [store, f"-Djavax.net.ssl.trustStorePassword={STORE_PASSWORD.decode()}"]

    def connect(self, java: JavaTlsClient, channel: str, **wish: str) -> Outcome:
        """Let a client connect, put a message and get it."""
        named = {key: self.files[value] if key in ("trust", "key") else value for key, value in wish.items()}
        if "key" in named:
            named.setdefault("trust", self.files["trusted"])
        usual = {"manager": "EARTH", "queue": "DEV.QUEUE.1", "text": "hello"}
        return java.connect(port=self.service.port, channel=channel, **(usual | named))

    def refused(self, java: JavaTlsClient, row: ClientRow) -> Told:
        """What is told when a client tries to come in; the status is found later, by `statuses`."""
        began = time.time()
        self._log = len(self.service.log)
        self._events()
        outcome = self.connect(java, row.channel, **row.wish)
        amq = self._logged(bool(row.told.amq))
        events = self._events(bool(row.told.event))
        self.windows[row.case] = began, time.time()
        return Told(outcome.reason, None, amq, events[0] if events else None)

    def _logged(self, expected: bool) -> str:
        """The id of the first warning or error in the log since the attempt began."""
        until = time.monotonic() + (PATIENCE if expected else SETTLES)
        while time.monotonic() < until:
            if found := _COMPLAINT.search(self.service.log, self._log):
                return found[1]
            time.sleep(0.02)
        return ""

    def _events(self, expected: bool = False) -> list[MQRQ]:
        """Take the qualifiers of waiting events."""
        found: list[MQRQ] = []
        until = time.monotonic() + PATIENCE
        while True:
            while (message := self.service.get(EVENTS)) is not None:
                found += qualifiers(message)
            if found or not expected or time.monotonic() > until:
                return found
            time.sleep(0.02)

    def with_statuses(self, told: dict[str, Told]) -> dict[str, Told]:
        """The same with the statuses that partners were told, from the recordings of the queue manager."""
        time.sleep(RECORDED)
        found = dict(told)
        assert self.service.recordings is not None
        for when, code in told_statuses(self.service.recordings):
            for case, (began, ended) in self.windows.items():
                if began <= when <= ended and case in found:
                    found[case] = replace(found[case], status=code)
        return found

    def close(self) -> None:
        """End everything."""
        self.service.close()


def qualifiers(message: dict[str, object]) -> Iterator[MQRQ]:
    """The reason qualifiers in an event message in the JSON form."""
    headers = message["headers"]
    assert isinstance(headers, list)
    for header in headers:
        if header.get("names", {}).get("Parameter") == "MQIACF_REASON_QUALIFIER":
            yield MQRQ(header["fields"]["Value"])


def told_statuses(folder: Path) -> Iterator[tuple[float, StatusCode]]:
    """Time and code of each error segment in recordings."""
    for capture in sorted(folder.iterdir()):
        for item in read_segments(capture):
            if isinstance(item, CapturedSegment) and item.segment.type == SegmentType.STATUS_DATA:
                body = parse_status_data(item.segment.body, item.segment.order)
                if body is not None and item.segment.flags1 & ControlFlags1.ERROR:
                    yield item.time, StatusCode(body.record.code)

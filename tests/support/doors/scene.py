"""A queue manager MARS that anybody may connect to who passes its doors, and callers with credentials of every kind.

Every user has the authority to connect (group ``nobody`` too), so who is refused was refused by the door.
"""

from __future__ import annotations

import socket
import ssl
import time
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from mqbridge.bridge.endpoints.recording import RecordingTap
from mqbridge.bridge.operator_messages import operator_message
from mqbridge.bridge.queue_manager import Cursor, GetOptions
from mqbridge.bridge.queue_manager.mqsc import CommandReply, Commands
from mqbridge.bridge.queue_manager.objects import define_supplied
from mqbridge.bridge.security.users_file import UsersFile
from mqbridge.bridge.tls import KeyRepository, TlsContexts
from mqbridge.captures.recording.capture_folder import CaptureFolder
from mqbridge.protocol.constants import MQGMO, SegmentType, StatusCode
from support.channels import playbook
from support.channels.socket_partner import SocketPartner
from support.clients.socket_program import connected
from support.doors.credentials import Credentials, SigningClient
from support.processes.endpoint_host import EndpointHost
from support.queue_manager.direct_calls import browse
from support.queue_manager.security_records import people
from support.tls.authority import Authority, Issued
from support.tls.endpoints import PartnerSocket

LABEL = "ibmwebspheremqmars"
LONG = "x" * 64
PASSWORDS = {"alice": "wonderland", "bob": "builder-4711", "anne": "of-the-shire", LONG: "long-and-secret"}
GROUPS = {"anne": ("mqm",)}
"""The users; anne is an administrator."""
ALIASES = "SSLCIPH(ANY_TLS12_OR_HIGHER)"
NAMED = "SSLPEER('CN=app,O=Space')"
SCRIPT = f"""
ALTER AUTHINFO(DEV.AUTHINFO) AUTHTYPE(IDPWOS) CHCKCLNT(REQUIRED) ADOPTCTX(YES) FAILDLAY(0)
SET AUTHREC OBJTYPE(QMGR) GROUP('nobody') AUTHADD(CONNECT)
SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('alice') AUTHADD(CONNECT)
SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('bob') AUTHADD(CONNECT)
SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('{LONG}') AUTHADD(CONNECT)
DEFINE CHANNEL(PLAIN) CHLTYPE(SVRCONN)
DEFINE CHANNEL(TLS) CHLTYPE(SVRCONN) {ALIASES} SSLCAUTH(OPTIONAL)
DEFINE CHANNEL(TLS.MUTUAL) CHLTYPE(SVRCONN) {ALIASES} SSLCAUTH(REQUIRED)
DEFINE CHANNEL(TLS.NAMED) CHLTYPE(SVRCONN) {ALIASES} SSLCAUTH(REQUIRED) {NAMED}
DEFINE CHANNEL(TLS.MAPPED) CHLTYPE(SVRCONN) {ALIASES} SSLCAUTH(OPTIONAL)
DEFINE CHANNEL(TO.PLAIN) CHLTYPE(RCVR)
DEFINE CHANNEL(TO.OWN.USER) CHLTYPE(RCVR) MCAUSER('alice')
DEFINE CHANNEL(TO.TLS) CHLTYPE(RCVR) {ALIASES} SSLCAUTH(OPTIONAL)
DEFINE CHANNEL(TO.TLS.MUTUAL) CHLTYPE(RCVR) {ALIASES} SSLCAUTH(REQUIRED)
DEFINE CHANNEL(TO.TLS.NAMED) CHLTYPE(RCVR) {ALIASES} SSLCAUTH(REQUIRED) {NAMED} MCAUSER('alice')
DEFINE CHANNEL(TO.TLS.MAPPED) CHLTYPE(RCVR) {ALIASES} SSLCAUTH(OPTIONAL)
SET CHLAUTH('*TLS.MAPPED') TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(NOACCESS)
SET CHLAUTH('*TLS.MAPPED') TYPE(SSLPEERMAP) SSLPEER('CN=app') SSLCERTI('O=Tests') MCAUSER('bob')
SET CHLAUTH('*TLS.MAPPED') TYPE(SSLPEERMAP) SSLPEER('CN=other') USERSRC(NOACCESS)
SET CHLAUTH('*TLS.MAPPED') TYPE(SSLPEERMAP) SSLPEER('CN=third') SSLCERTI('O=Elsewhere') MCAUSER('bob')
"""
UNTOLD = ("AMQ9001", "AMQ9002", "AMQ9208", "AMQ9209", "AMQ5045", "AMQ5543")
"""Operator messages about starts and ends, and those that are written once."""
TRANSPORTS = ("plain", "TLS", "Unix socket")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a call. ``user``: as whom it came in, blank if it did not. ``reason``: of MQCONN. ``status``: of the
    last segment of ours, if it was an error. ``lines``: ids of the operator messages."""

    user: str = ""
    reason: int = 0
    status: StatusCode | None = None
    lines: tuple[str, ...] = ()


class HandshakeFailed(Exception):
    """TLS did not come about, or ended before an answer."""


class CredentialScene:
    """MARS on a port and a Unix socket, with TLS; everything is recorded below ``folder``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.host = EndpointHost()
        self.thread = self.host.thread
        self.authority, self.stranger = Authority(), Authority("O=Elsewhere,CN=Authority")
        self.issued = self._issue()
        self.host.driver.tls = self._contexts()
        self._recordings = CaptureFolder(folder / "recordings", "MARS", file_size=1 << 30, file_time=1e9, keep=1 << 30)
        reactor = self.thread.reactor
        self.host.driver.tap = self.tap = self.host.call(RecordingTap, self._recordings, reactor, time.time)
        self.socket = folder / "door"
        self.host.call(self.host.listeners.listen, f"unix:{self.socket}:mode=600")
        self.host.call(define_supplied, self.host.manager.objects, time.time())
        self.host.call(self.host.manager.objects_changed, time.time())
        self.security = self.host.manager.security
        self.users = UsersFile(folder / "users")
        self.with_users(**PASSWORDS)
        self.security.reload = self.users.changed
        self.commands = Commands(self.host.manager, self.host.control, time.time())
        for line in filter(None, SCRIPT.splitlines()):
            reply = self.types(line)
            assert reply.ok, (line, reply.responses)

    def _issue(self) -> dict[str, Issued]:
        issue = self.authority.issue
        return {
            "right": issue("O=Space,CN=app", curve=True),
            "of another subject": issue("O=Space,CN=other", curve=True),
            "of a third subject": issue("O=Space,CN=third", curve=True),
            "odd case": issue("O=space,CN=APP", curve=True),
            "longer name": issue("O=Space,CN=app2", curve=True),
            "padded": issue("O=Space,CN=app ", curve=True),
            "unicode": issue("O=Space,CN=\uff41pp", curve=True),
            "with a zero": issue("O=Space,CN=app\0.other", curve=True),
            "with two names": issue("O=Space,CN=app,CN=other", curve=True),
            "with a name inside": issue("O=Space,CN=other/CN=app", curve=True),
            "expired": issue("O=Space,CN=app", curve=True, valid=(-20, -1)),
            "not valid yet": issue("O=Space,CN=app", curve=True, valid=(5, 20)),
            "revoked": issue("O=Space,CN=app", curve=True),
            "of another authority": self.stranger.issue("O=Space,CN=app", curve=True),
            "of an authority of the same name": Authority().issue("O=Space,CN=app", curve=True),
        }

    def _contexts(self) -> TlsContexts:
        keys = self.folder / "ssl"
        self.authority.trust_file(keys / "trusted" / "authority.pem")
        self.authority.issue("O=Space,CN=MARS", curve=True).save(keys / f"{LABEL}.pem")
        (keys / "crl").mkdir()
        (keys / "crl" / "authority.pem").write_bytes(self.authority.revoke(self.issued["revoked"]))
        for number, issued in enumerate(self.issued.values()):
            issued.save(self.folder / "callers" / f"{number}.pem")
        self.authority.trust_file(self.folder / "callers" / "trusted.pem")
        return TlsContexts(KeyRepository(keys), LABEL)

    def with_users(self, **passwords: str) -> None:
        """Write the file of users, as commands do while the queue manager runs."""
        groups = {name: of for name, of in GROUPS.items() if name in passwords}
        self.users.change(lambda _: people(groups, **passwords))

    def types(self, command: str) -> CommandReply:
        """The reply to an MQSC command."""
        replies: list[CommandReply] = []
        self.host.call(self.commands.execute, command, time.time(), replies.append)
        self.thread.until(lambda: replies, command)
        return replies[0]

    def close(self) -> None:
        """End everything."""
        self.thread.call(self.tap.close)
        self.host.close()

    # What is left of a call

    @property
    def log(self) -> list[str]:
        """The lines for the operator, as they are written."""
        return [f"{line[0]} {operator_message(line[0], line[1:]).text}" for line in self.host.log]

    def settled(self) -> None:
        """Wait until no connection is left and all passwords are checked; forget failures."""
        self.thread.until(lambda: not self.host.driver.protocols, "the end of all connections")
        self.host.call(self.security.authenticator.throttle._records.clear)

    def messages(self, queue: str) -> list[bytes]:
        """The data of all messages of a queue."""
        manager, cursor, found = self.host.manager, Cursor(), list[bytes]()
        source, options = manager.local_queue(queue), GetOptions(MQGMO.BROWSE_NEXT)
        while (got := self.host.call(browse, manager, source, cursor, options, time.time())) is not None:
            found.append(got.message.data)
        return found

    def recorded(self) -> bytes:
        """All that was recorded so far."""
        self.thread.call(self._recordings.tick, time.time())
        return b"".join(file.read_bytes() for file in sorted((self.folder / "recordings").iterdir()))

    # Callers

    def call(self, transport: str, certificate: str = "", server_name: str | None = None) -> socket.socket:
        """A connection; raises `HandshakeFailed`."""
        plain = connected(self.socket if "Unix" in transport else self.host.port)
        if "TLS" not in transport:
            return plain
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.sslsocket_class = PartnerSocket
        context.check_hostname = False
        context.load_verify_locations(self.folder / "callers" / "trusted.pem")
        if certificate:
            number = list(self.issued).index(certificate)
            context.load_cert_chain(self.folder / "callers" / f"{number}.pem")
        try:
            return context.wrap_socket(plain, server_hostname=server_name)
        except (ssl.SSLError, OSError) as error:
            plain.close()
            raise HandshakeFailed from error

    def comes_in(
        self,
        transport: str,
        channel: str,
        credentials: Credentials | None = None,
        *,
        certificate: str = "",
        stated: str = "joe",
    ) -> Outcome:
        """A client calls, states the user of its system, signs on, and asks to be connected."""
        before = len(self.host.log)
        outcome = Outcome()
        try:
            with closing(self.call(transport, certificate)) as made:
                outcome = self._signs_on(made, channel, credentials, stated)
        except (HandshakeFailed, ssl.SSLError, ConnectionError):
            pass
        return self._with_lines(outcome, before)

    def _signs_on(self, made: socket.socket, channel: str, credentials: Credentials | None, stated: str) -> Outcome:
        answer = SigningClient(made).signs_on(channel, credentials, stated.encode())
        if answer.type != SegmentType.MQCONN_REPLY:
            return Outcome(status=answer.code)
        if answer.outcome[1]:
            return Outcome(reason=answer.outcome[1])
        (row,) = self.host.call(self.host.control.statuses, False, time.time())
        return Outcome(str(row["MCAUSER"]))

    def opens_channel(
        self, transport: str, channel: str, *, certificate: str = "", partner: str = "VENUS", first: bytes = b""
    ) -> Outcome:
        """A sender calls. ``first``: what it says before anything else."""
        before = len(self.host.log)
        outcome = Outcome()
        try:
            with SocketPartner(self.call(transport, certificate)) as venus:
                venus.send(first, playbook.initial_data(channel_name=channel, q_mgr_name=partner))
                answer = venus.next()
                if answer is not None and answer.type == SegmentType.STATUS_DATA:
                    outcome = Outcome(status=answer.code)
                elif answer is not None and not answer.flags:
                    (row,) = self.host.call(self.host.control.statuses, False, time.time())
                    outcome = Outcome(str(row["MCAUSER"]))
        except (HandshakeFailed, ssl.SSLError, ConnectionError):
            pass
        return self._with_lines(outcome, before)

    def _with_lines(self, outcome: Outcome, before: int) -> Outcome:
        self.settled()
        told = tuple(line[0] for line in self.host.log[before:] if line[0] not in UNTOLD)
        return replace(outcome, lines=told)

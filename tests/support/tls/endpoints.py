"""A queue manager with TLS behind real sockets, and Python's own `ssl` as its partner."""

from __future__ import annotations

import socket
import ssl
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from mqbridge.bridge.tls import KeyRepository, TlsContexts
from support.channels.playbook import initial_data
from support.channels.socket_partner import PATIENCE, SocketPartner
from support.processes.endpoint_host import EndpointHost

from .authority import Authority

LABEL = "ibmwebspheremqmars"
ANY = "ANY_TLS12_OR_HIGHER"


class PartnerSocket(ssl.SSLSocket):
    """Closes itself when it is forgotten: Python forgets it open where the peer goes before the handshake begins."""

    def __del__(self) -> None:
        self.close()


@dataclass(eq=False)
class Estate:
    """An authority, the key repository of MARS below ``folder``, and what partners need."""

    folder: Path
    name: str = "O=Tests,CN=Authority"

    @cached_property
    def authority(self) -> Authority:
        return Authority(self.name)

    def contexts(self, name: str = "O=Space,CN=MARS", *, trusted: Authority | None = None) -> TlsContexts:
        """Sessions of MARS."""
        (trusted or self.authority).trust_file(self.folder / "ssl" / "trusted" / "authority.pem")
        self.authority.issue(name, curve=True).save(self.folder / "ssl" / f"{LABEL}.pem")
        return TlsContexts(KeyRepository(self.folder / "ssl"), LABEL)

    def client(self, name: str = "", *, version: str = "1.3", trusted: Authority | None = None) -> ssl.SSLContext:
        """Python's context of a caller, with a certificate if it has a name."""
        return self._context(ssl.PROTOCOL_TLS_CLIENT, name, version, trusted)

    def server(
        self, name: str = "O=Space,CN=VENUS", *, version: str = "1.3", required: bool = False,
        trusted: Authority | None = None,
    ) -> ssl.SSLContext:  # fmt: skip
        """Python's context of a called end; ``required``: the caller must send a certificate."""
        context = self._context(ssl.PROTOCOL_TLS_SERVER, name, version, trusted)
        context.verify_mode = ssl.CERT_REQUIRED if required else ssl.CERT_NONE
        return context

    def _context(self, protocol: int, name: str, version: str, trusted: Authority | None) -> ssl.SSLContext:
        context = ssl.SSLContext(protocol)
        context.sslsocket_class = PartnerSocket
        context.check_hostname = False
        context.load_verify_locations((trusted or self.authority).trust_file(self.folder / "partner" / "trusted.pem"))
        context.minimum_version = context.maximum_version = (
            ssl.TLSVersion.TLSv1_3 if version == "1.3" else ssl.TLSVersion.TLSv1_2
        )
        if name:
            context.load_cert_chain(self.authority.issue(name, curve=True).save(self.folder / "partner" / "own.pem"))
        return context


def tls_receiver(host: EndpointHost, name: str = "VENUS.TO.MARS", **attributes: str) -> None:
    """A receiver channel of MARS that requires TLS."""
    host.receiver(name, **{"SSLCIPH": ANY, "SSLCAUTH": "OPTIONAL", **attributes})


def tls_socket(port: int, context: ssl.SSLContext, server_name: str | None = None) -> ssl.SSLSocket:
    """A connection to a port of this machine whose handshake is over."""
    plain = socket.create_connection(("127.0.0.1", port), PATIENCE)
    return context.wrap_socket(plain, server_hostname=server_name, suppress_ragged_eofs=False)


def call_tls(
    port: int, context: ssl.SSLContext, *, channel: str = "VENUS.TO.MARS", start: bool = True
) -> SocketPartner:
    """A partner inside TLS, which starts the channel as its sender does."""
    partner = SocketPartner(tls_socket(port, context))
    if start:
        partner.send(initial_data(channel_name=channel))
        answer = partner.next()
        if answer is None or answer.flags:
            partner.socket.close()
            raise AssertionError(f"the channel does not start: {answer}")
    return partner

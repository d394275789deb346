"""Artemis with several doors: in plain text, inside TLS, and inside TLS with certificates of its callers."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from support.processes.artemis import Artemis
from support.processes.ports import free_port
from support.tls.authority import Authority
from support.tls.java_client import STORE_PASSWORD, key_store, trust_store

READER, READER_PASSWORD = "reader", "another word"
IDLE = 1.0
"""Seconds without a frame after which it gives up a caller; it asks for one in half of them."""
CLOSED = "closed.q"
"""An address that does not exist and is not made."""
_MODULE = "org.apache.activemq.artemis.spi.core.security.jaas"
_LOGIN = f"""
activemq {{
   {_MODULE}.PropertiesLoginModule sufficient
       org.apache.activemq.jaas.properties.user="artemis-users.properties"
       org.apache.activemq.jaas.properties.role="artemis-roles.properties";
   {_MODULE}.GuestLoginModule sufficient
       credentialsInvalidate=true
       org.apache.activemq.jaas.guest.user="guest"
       org.apache.activemq.jaas.guest.role="amq";
}};
certificates {{
   {_MODULE}.TextFileCertificateLoginModule required
       org.apache.activemq.jaas.textfiledn.user="cert-users.properties"
       org.apache.activemq.jaas.textfiledn.role="cert-roles.properties";
}};
"""
_CLOSED_SETTING = """<address-setting match="closed.#">
            <auto-create-queues>false</auto-create-queues>
            <auto-create-addresses>false</auto-create-addresses>
         </address-setting>"""


class GuardedArtemis:
    """``broker``: the broker. Its users: USER of `artemis` and nobody may do all, READER nothing; a certificate whose
    name has MARS is that of a user who may do all. ``tls_port`` has TLS, ``mutual_port`` takes SASL EXTERNAL alone."""

    def __init__(self, folder: Path, authority: Authority) -> None:
        self.broker = Artemis(folder, queues=("stock.q",))
        self.tls_port, self.mutual_port = free_port(), free_port()
        etc = folder / "etc"
        keys = key_store(etc / "keys.p12", authority.issue("CN=provider"))
        trusted = trust_store(etc / "trusted.p12", authority.certificate)
        word = STORE_PASSWORD.decode()
        tls = f"sslEnabled=true;keyStoreType=PKCS12;keyStorePath={keys};keyStorePassword={word}"
        clients = f"needClientAuth=true;trustStoreType=PKCS12;trustStorePath={trusted};trustStorePassword={word}"
        amqp = f"protocols=AMQP;amqpIdleTimeout={IDLE * 1000:.0f}"
        acceptors = [
            f'<acceptor name="tls">tcp://127.0.0.1:{self.tls_port}?{amqp};{tls}</acceptor>',
            f'<acceptor name="mutual">tcp://127.0.0.1:{self.mutual_port}?{amqp};{tls};{clients};'
            f"saslMechanisms=EXTERNAL;securityDomain=certificates</acceptor>",
        ]
        file = etc / "broker.xml"
        text = file.read_text(encoding="utf-8")
        text = text.replace("<acceptors>", "<acceptors>\n" + "\n".join(acceptors), 1)
        text = text.replace("<address-settings>", f"<address-settings>\n{_CLOSED_SETTING}", 1)
        text = text.replace(f"{self.broker.port}?", f"{self.broker.port}?amqpIdleTimeout={IDLE * 1000:.0f};", 1)
        file.write_text(text, encoding="utf-8")
        (etc / "login.config").write_text(_LOGIN, encoding="utf-8")
        (etc / "cert-users.properties").write_text("mars=/.*MARS.*/\n", encoding="utf-8")
        (etc / "cert-roles.properties").write_text("amq=mars\n", encoding="utf-8")
        for name, line in (("users", f"{READER} = {READER_PASSWORD}"), ("roles", f"readers = {READER}")):
            with (etc / f"artemis-{name}.properties").open("a", encoding="utf-8") as lines:
                lines.write(f"\n{line}\n")

    def freeze(self) -> None:
        """Stop its process where it is."""
        os.kill(self.broker.pid, signal.SIGSTOP)

    def thaw(self) -> None:
        """Let it go on."""
        os.kill(self.broker.pid, signal.SIGCONT)

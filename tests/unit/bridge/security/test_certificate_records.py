"""SSLPEERMAP records: whose certificate they match, and what goes first (channels.md 14, tls.md T-11)."""

from __future__ import annotations

from typing import Any

import pytest

from mqbridge.bridge.security import Caller, ChannelRules, Security
from mqbridge.bridge.security.tls import PeerCertificate, certificate_called
from mqbridge.protocol.constants import MQRC
from support.queue_manager.security_records import Row, Rows, authority, people, rule

pytestmark = [pytest.mark.spec("channels.md 14"), pytest.mark.spec("tls.md T-11")]

MARS = certificate_called("SERIALNUMBER=2A,CN=MARS,OU=Planets,O=Space", "CN=Authority,O=Space")


def client(certificate: PeerCertificate | None = MARS, address: str = "10.0.0.1") -> Caller:
    return Caller("APP", address, client=True, user="joe", certificate=certificate)


def partner(certificate: PeerCertificate | None = MARS) -> Caller:
    return Caller("TO.US", "10.0.0.1", queue_manager="QM1", certificate=certificate)


def peer(profile: str, peer_name: str, user: str = "mapped", **matched: Any) -> Row:
    return rule(profile, "SSLPEERMAP", SSLPEER=peer_name, MCAUSER=user, **matched)


def outcome(rows: list[Row], caller: Caller) -> str | None:
    """The user that the channel runs as, None where it is refused."""
    admission = ChannelRules(rows).admit(caller, "own", people().is_privileged)
    return admission.user if admission.allowed else None


@pytest.mark.parametrize(
    ("row", "caller", "expected"),
    [
        (peer("*", "CN=MARS"), client(), "mapped"),
        (peer("*", "CN=MARS"), partner(), "mapped"),
        (peer("*", "CN=mars,O=S*"), client(), "mapped"),
        (peer("*", "SERIALNUMBER=2a"), client(), "mapped"),
        (peer("*", "CN=VENUS"), client(), "own"),
        (peer("*", "CN=MARS,L=London"), client(), "own"),
        (peer("TO.*", "CN=MARS"), client(), "own"),
        (peer("*", "CN=*"), client(None), "own"),
        (peer("*", "CN=*"), partner(None), "own"),
        (peer("*", "CN=MARS", SSLCERTI="CN=Authority"), client(), "mapped"),
        (peer("*", "CN=MARS", SSLCERTI="O=Space,CN=*"), client(), "mapped"),
        (peer("*", "CN=MARS", SSLCERTI="CN=Other"), client(), "own"),
        (peer("*", "CN=MARS", SSLCERTI="SERIALNUMBER=2A"), client(), "own"),
        (peer("*", "CN=MARS", ADDRESS="10.*"), client(), "mapped"),
        (peer("*", "CN=MARS", ADDRESS="11.*"), client(), "own"),
        (rule("*", "SSLPEERMAP", SSLPEER="CN=MARS", USERSRC="NOACCESS"), client(), None),
        (rule("*", "SSLPEERMAP", SSLPEER="CN=MARS", USERSRC="NOACCESS", WARN="YES"), client(), "own"),
        (rule("*", "SSLPEERMAP", SSLPEER="CN=MARS", USERSRC="CHANNEL"), client(), "own"),
        (peer("*", "malformed"), client(), "own"),
        (peer("*", "CN=MARS", SSLCERTI="malformed"), client(), "own"),
        (peer("*", ""), client(), "own"),
    ],
)
def test_one_record(row: Row, caller: Caller, expected: str | None) -> None:
    assert outcome([row], caller) == expected


@pytest.mark.parametrize(
    ("first", "second", "caller"),
    [
        # by kind, whatever the profile
        (peer("*", "O=*", "1"), rule("APP", "USERMAP", CLNTUSER="joe", MCAUSER="2"), client()),
        (peer("*", "O=*", "1"), rule("TO.US", "QMGRMAP", QMNAME="QM1", MCAUSER="2"), partner()),
        (peer("*", "O=*", "1"), rule("APP", "ADDRESSMAP", ADDRESS="10.0.0.1", MCAUSER="2"), client()),
        # by profile, whatever the certificate
        (peer("APP", "O=*", "1"), peer("A*", "SERIALNUMBER=2A", "2"), client()),
        # by SSLPEER, whatever SSLCERTI and the address
        (peer("*", "SERIALNUMBER=2A", "1"), peer("*", "CN=MARS,O=Space", "2", SSLCERTI="CN=*"), client()),
        (peer("*", "CN=MARS", "1"), peer("*", "CN=MAR*,O=Space", "2", ADDRESS="10.0.0.1"), client()),
        (peer("*", "CN=MARS,O=Space", "1"), peer("*", "CN=MARS", "2", SSLCERTI="CN=Authority"), client()),
        (peer("*", "OU=Planets", "1"), peer("*", "O=Space", "2"), client()),
        # a record with SSLCERTI before one without, then the more specific
        (peer("*", "CN=MARS", "1", SSLCERTI="O=*"), peer("*", "CN=MARS", "2", ADDRESS="10.0.0.1"), client()),
        (peer("*", "CN=MARS", "1", SSLCERTI="CN=Authority"), peer("*", "CN=MARS", "2", SSLCERTI="CN=A*"), client()),
        # then by address
        (peer("*", "CN=MARS", "1", ADDRESS="10.0.0.1"), peer("*", "CN=MARS", "2", ADDRESS="10.*"), client()),
        (peer("*", "CN=MARS", "1", ADDRESS="10.*"), peer("*", "CN=MARS", "2"), client()),
    ],
)
def test_the_more_specific_of_two_records_decides(first: Row, second: Row, caller: Caller) -> None:
    assert outcome([first, second], caller) == "1"
    assert outcome([second, first], caller) == "1"
    assert outcome([second], caller) == "2"


def test_disabled_records_map_nobody() -> None:
    rules = ChannelRules([peer("*", "CN=*")], enabled=False)
    assert rules.mapping(client()) is None


def test_a_refusal_names_the_certificate_and_the_record() -> None:
    row = rule("*", "SSLPEERMAP", SSLPEER="CN=mars", SSLCERTI="O=Space", USERSRC="NOACCESS")
    ((amq, inserts),) = ChannelRules([row]).admit(client(), "own", people().is_privileged).log
    assert amq == "AMQ9777"
    assert "with certificate SERIALNUMBER=2A," in str(inserts[2])
    assert inserts[3] == "CHLAUTH(*) TYPE(SSLPEERMAP) SSLPEER(CN=mars) SSLCERTI(O=Space)"


@pytest.mark.parametrize(
    ("row", "certificate", "reason", "user"),
    [
        (peer("APP", "CN=MARS", "rover"), MARS, 0, "rover"),
        (peer("APP", "CN=MARS", "rover"), None, 0, "joe"),
        (peer("APP", "CN=VENUS", "rover"), MARS, 0, "joe"),
        (rule("APP", "SSLPEERMAP", SSLPEER="CN=MARS", USERSRC="NOACCESS"), MARS, MQRC.NOT_AUTHORIZED, "joe"),
        (peer("APP", "CN=MARS", "rover", CHCKCLNT="REQUIRED"), MARS, MQRC.NOT_AUTHORIZED, "rover"),
    ],
)
def test_clients(row: Row, certificate: PeerCertificate | None, reason: int, user: str) -> None:
    rows = Rows([row], [authority("self", "QMGR", "@nobody", "CONNECT")], Row("EARTH", {"CHLAUTH": "ENABLED"}))
    security = Security(rows.definitions())
    entry = security.connect_client(Row("APP", {}), client(certificate), None, "amqsput", 0.0)
    assert (entry.reason, entry.user) == (reason, user)

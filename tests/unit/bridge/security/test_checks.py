"""What `mqbridge check` finds: each rule beside the nearest case that it leaves alone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from mqbridge.bridge.security.checks import (
    AdminDoor,
    CertificateFact,
    Estate,
    InputDoor,
    ListeningAddress,
    Record,
    RevocationFact,
    WebDoor,
    entrances,
    findings,
)
from mqbridge.bridge.security.users import Users
from support.queue_manager.security_records import people

pytestmark = pytest.mark.spec("channels.md 14")

NOW = 1_800_000_000.0
DAY = 86400.0
HERE = ListeningAddress("127.0.0.1:1414", "127.0.0.1", True)
ANYWHERE = ListeningAddress("*:1414", "", False)


def record(name: str, **attributes: Any) -> Record:
    return Record(name, attributes)


def channel(name: str = "APP", kind: str = "SVRCONN", **attributes: Any) -> Record:
    return record(name, CHLTYPE=kind, **attributes)


def rule(name: str, kind: str, **attributes: Any) -> Record:
    return record(name, TYPE=kind, **attributes)


def certificate(role: str = "own", label: str = "ours", days: float = 300, **more: Any) -> CertificateFact:
    known: dict[str, Any] = {"subject": f"CN={label}", "not_after": NOW + days * DAY, "key": "RSA", **more}
    return CertificateFact(label, role, **known)


ASKED = record("AUTH", AUTHTYPE="IDPWOS", CHCKCLNT="REQUIRED")
SOUND = Estate(
    now=NOW,
    queue_manager=record("EARTH", CHLAUTH="ENABLED", CONNAUTH="AUTH"),
    channels=(channel(SSLCIPH="ANY_TLS12_OR_HIGHER", MCAUSER="app"),),
    authentications=(ASKED,),
    listeners=(ANYWHERE,),
    admin=AdminDoor("unix:admin.sock", True),
    users=people({"app": ()}),
    default_label="ours",
    certificates=(certificate(), certificate("trusted", "theirs")),
)


def changed(**attributes: Any) -> Record:
    """The channel of `SOUND` with other attributes."""
    return channel(**{"SSLCIPH": "ANY_TLS12_OR_HIGHER", "MCAUSER": "app", **attributes})


def told(**changes: Any) -> list[str]:
    return [str(each) for each in findings(replace(SOUND, **changes))]


def test_a_sound_queue_manager_has_no_findings() -> None:
    assert told() == []


CERTIFICATES: dict[str, tuple[dict[str, Any], str]] = {
    "expires": (
        {"certificates": (certificate(days=29.5), certificate("trusted", "t"))},
        "certificate ours: it expires in 29 days; mqbridge certificate request --label ours",
    ),
    "one day": (
        {"certificates": (certificate(days=1.5), certificate("trusted", "t"))},
        "certificate ours: it expires in 1 day;",
    ),
    "expired": (
        {"certificates": (certificate(days=-0.5), certificate("trusted", "t"))},
        "certificate ours: it has expired",
    ),
    "not yet": (
        {"certificates": (certificate(not_before=NOW + 1), certificate("trusted", "t"))},
        "certificate ours: it is not valid yet",
    ),
    "trusted expires": (
        {"certificates": (certificate(), certificate("trusted", "t", 6))},
        "trusted certificate CN=t: it expires in 6 days; trust the next one",
    ),
    "above expires": (
        {
            "certificates": (
                certificate(),
                certificate("above", "ours", 6, subject="CN=Between"),
                certificate("trusted"),
            )
        },
        "certificate CN=Between above ours: it expires in 6 days; ask its authority",
    ),
    "authority expires": (
        {"certificates": (certificate(), certificate("authority", "authority", 6), certificate("trusted"))},
        "own authority: it expires in 6 days; make another authority",
    ),
    "unusable": (
        {"certificates": (certificate(problem="others may read it"), certificate("trusted", "t"))},
        "certificate ours: others may read it",
    ),
    "incomplete": (
        {"certificates": (certificate(missing_issuer="CN=Root"), certificate("trusted", "t"))},
        "certificate ours: the certificate of its issuer CN=Root is missing",
    ),
    "missing": (
        {"certificates": (certificate("trusted", "t"),)},
        "channel APP: it has SSLCIPH(ANY_TLS12_OR_HIGHER), but there is no certificate ours; mqbridge certificate",
    ),
    "label of the channel": (
        {"channels": (changed(CERTLABL="Other"),)},
        "there is no certificate other; mqbridge certificate create --label other",
    ),
    "needs RSA": (
        {
            "channels": (changed(SSLCIPH="ECDHE_RSA_AES_256_GCM_SHA384"),),
            "certificates": (certificate(key="ECDSA"), certificate("trusted", "t")),
        },
        "needs an RSA key, and that of ours is ECDSA; mqbridge certificate create --label ours --key rsa --replace",
    ),
    "needs ECDSA": (
        {"channels": (changed(SSLCIPH="ECDHE_ECDSA_AES_256_GCM_SHA384"),)},
        "needs an ECDSA key, and that of ours is RSA; mqbridge certificate create --label ours --key ec --replace",
    ),
    "nobody trusted": (
        {"channels": (changed(SSLCAUTH="REQUIRED"),), "certificates": (certificate(),)},
        "channel APP: it requires the partner's certificate, and none is trusted",
    ),
    "nobody trusted to call": (
        {"channels": (channel("TO.MARS", "SDR", SSLCIPH="ANY_TLS13"),), "certificates": (certificate(),)},
        "channel TO.MARS: it requires the partner's certificate, and none is trusted",
    ),
    "repository": (
        {"repository_problem": "the key repository ssl does not exist", "certificates": ()},
        "certificates: the key repository ssl does not exist",
    ),
    "list expired": (
        {"revocations": (RevocationFact("CN=Root", NOW),)},
        "revocation list of CN=Root: it has expired, so the certificates of its issuer are refused",
    ),
    "list expires": (
        {"revocations": (RevocationFact("CN=Root", NOW + DAY - 1),)},
        "revocation list of CN=Root: it expires within a day",
    ),
    "no list": ({"issuers_without_list": ("CN=Root",)}, "revocation lists: CN=Root has none"),
}
DOORS: dict[str, tuple[dict[str, Any], str]] = {
    "users unreadable": ({"users": None, "users_problem": "users: line 1 is wrong"}, "users: users: line 1 is wrong"),
    "no users": ({"users": Users()}, "users: clients need a password, and there is no user; mqbridge user add NAME"),
    "rules off": (
        {"queue_manager": record("EARTH", CHLAUTH="DISABLED", CONNAUTH="AUTH")},
        "channel authentication: no CHLAUTH record counts",
    ),
    "no CONNAUTH object": ({"authentications": ()}, "users: CONNAUTH names AUTH, which does not exist"),
    "host name": (
        {"channel_rules": (rule("APP", "ADDRESSMAP", ADDRESS="mars.example", USERSRC="NOACCESS"),)},
        "a host name matches nobody; give addresses",
    ),
    "plain": (
        {"channels": (channel(MCAUSER="app"),)},
        "channel APP: clients from anywhere send passwords and messages in clear; ALTER CHANNEL('APP') "
        "CHLTYPE(SVRCONN) SSLCIPH(ANY_TLS12_OR_HIGHER)",
    ),
    "unproved": (
        {"queue_manager": record("EARTH", CHLAUTH="ENABLED")},
        "channel APP: clients from anywhere enter without password or certificate",
    ),
    "unproved from one address": (
        {
            "queue_manager": record("EARTH", CHLAUTH="ENABLED"),
            "channel_rules": (
                rule("APP", "ADDRESSMAP", ADDRESS="10.*", USERSRC="CHANNEL"),
                rule("*", "ADDRESSMAP", ADDRESS="*", USERSRC="NOACCESS"),
            ),
        },
        "channel APP: clients from 10.* enter without password or certificate",
    ),
    "partners": (
        {"channels": (channel("TO.US", "RCVR", SSLCIPH="ANY_TLS13", SSLCAUTH="OPTIONAL"),)},
        "channel TO.US: any queue manager may open it, as mca",
    ),
    "plain partners": (
        {"channels": (channel("TO.US", "RCVR", MCAUSER="x"),)},
        "channel TO.US: queue managers from anywhere send messages in clear",
    ),
    "administrators": (
        {
            "channels": (changed(MCAUSER="mqm"),),
            "listeners": (HERE,),
            "authentications": (),
            "queue_manager": record("EARTH", CHLAUTH="ENABLED"),
        },
        "channel APP: clients from anywhere act as mqm, an administrator, without password or certificate",
    ),
    "admin socket": (
        {"admin": AdminDoor("unix:admin.sock", True, True, 0o666)},
        "admin endpoint: others than its owner may use unix:admin.sock (mode 666)",
    ),
    "admin port": (
        {"admin": AdminDoor("*:9080", False, False)},
        "admin endpoint: *:9080 can be reached from other machines, in clear",
    ),
    "web plain": (
        {"web": WebDoor("*:9443", False, plain=True)},
        "web endpoint: *:9443 can be reached in clear; remove plain = true from [web]",
    ),
    "web without certificate": (
        {"web": WebDoor("*:9443", False, "Web")},
        "web endpoint: there is no certificate web; mqbridge certificate create --label web",
    ),
    "input for anybody": (
        {"inputs": (InputDoor("orders", "*:8080", False),)},
        "input of route orders: anybody may send messages to *:8080; name users in place of anonymous = true",
    ),
    "plain input": (
        {"inputs": (InputDoor("orders", "*:8080", False, ("shop",), plain=True),)},
        "input of route orders: *:8080 can be reached in clear; remove plain = true from its input",
    ),
    "open folder": (
        {"open_places": (("data", "chmod 700 data"),)},
        "data: others than its owner may read it; chmod 700",
    ),
    "key log": ({"key_log": "keys.log"}, "[tls] key_log: whoever reads keys.log can decrypt all traffic"),
    "recorded passwords": ({"recorded_passwords": "pcap"}, "[record] passwords: captures in pcap have passwords"),
}


@pytest.mark.parametrize("case", [*CERTIFICATES, *DOORS])
def test_what_is_wrong_is_found_with_what_to_do(case: str) -> None:
    changes, expected = (CERTIFICATES | DOORS)[case]
    found = told(**changes)
    assert [line for line in found if expected in line] != [], found


ALONE: dict[str, dict[str, Any]] = {
    "thirty days": {"certificates": (certificate(days=30), certificate("trusted", "t"))},
    "a complete chain": {"certificates": (certificate(), certificate("above", "ours"), certificate("trusted", "t"))},
    "ECDSA for any CipherSpec": {"certificates": (certificate(key="ECDSA"), certificate("trusted", "t"))},
    "a caller needs no certificate": {
        "channels": (channel("TO.MARS", "SDR", SSLCIPH="ANY_TLS13"),),
        "certificates": (certificate("trusted", "t"),),
    },
    "no TLS, no repository": {
        "channels": (),
        "certificates": (),
        "repository_problem": "the key repository ssl does not exist",
    },
    "a list with time": {"revocations": (RevocationFact("CN=Root", NOW + DAY), RevocationFact("CN=Endless"))},
    "this machine only": {
        "channels": (channel(MCAUSER="app"), channel("TO.US", "RCVR")),
        "listeners": (HERE,),
        "users": Users(),
        "authentications": (record("AUTH", AUTHTYPE="IDPWOS", CHCKCLNT="ASQMGR"),),
    },
    "a certificate instead of a password": {
        "queue_manager": record("EARTH", CHLAUTH="ENABLED"),
        "channels": (changed(SSLCAUTH="REQUIRED"),),
    },
    "a record that asks for the password": {
        "queue_manager": record("EARTH", CHLAUTH="ENABLED", CONNAUTH="AUTH"),
        "authentications": (record("AUTH", AUTHTYPE="IDPWOS", CHCKCLNT="OPTIONAL"),),
        "channel_rules": (rule("APP", "ADDRESSMAP", ADDRESS="*", USERSRC="CHANNEL", CHCKCLNT="REQUIRED"),),
    },
    "closed to all": {
        "channels": (channel(MCAUSER="app"),),
        "channel_rules": (rule("APP", "ADDRESSMAP", ADDRESS="*", USERSRC="NOACCESS"),),
    },
    "plain from this machine": {
        "channels": (channel(MCAUSER="app"),),
        "channel_rules": (
            rule("APP", "ADDRESSMAP", ADDRESS="127.0.0.1", USERSRC="CHANNEL"),
            rule("APP", "ADDRESSMAP", ADDRESS="*", USERSRC="NOACCESS"),
        ),
    },
    "partners with certificates": {
        "channels": (channel("TO.US", "RCVR", SSLCIPH="ANY_TLS13", SSLCAUTH="REQUIRED"),),
    },
    "administrators are blocked": {
        "channels": (changed(MCAUSER="mqm"),),
        "channel_rules": (rule("*", "BLOCKUSER", USERLIST=("*MQADMIN",)),),
        "queue_manager": record("EARTH", CHLAUTH="ENABLED"),
    },
    "an admin port of this machine": {"admin": AdminDoor("127.0.0.1:9080", False, True)},
    "web with the default certificate": {"web": WebDoor("*:9443", False)},
    "inputs of this machine and of users": {
        "inputs": (InputDoor("a", "127.0.0.1:1", True, plain=True), InputDoor("b", "*:2", False, ("shop",))),
    },
    "plain web of this machine": {
        "web": WebDoor("127.0.0.1:9080", True, plain=True),
        "certificates": (certificate(), certificate("trusted", "t")),
    },
}


@pytest.mark.parametrize("case", ALONE)
def test_what_is_in_order_is_left_alone(case: str) -> None:
    assert told(**ALONE[case]) == []


def ways(*channels: Record, rules: tuple[Record, ...] = (), **changes: Any) -> list[str]:
    estate = replace(SOUND, channels=channels, channel_rules=rules, **changes)
    return [f"{each.channel} {each}" for each in entrances(estate)]


def test_entrances_come_in_the_order_of_decision() -> None:
    rules = (
        rule("APP", "ADDRESSMAP", ADDRESS="*", USERSRC="NOACCESS"),
        rule("APP", "USERMAP", CLNTUSER="joe", ADDRESS="10.*", USERSRC="MAP", MCAUSER="joseph"),
        rule("APP", "QMGRMAP", QMNAME="MARS", USERSRC="MAP", MCAUSER="mars"),
        rule("*", "ADDRESSMAP", ADDRESS="10.1.1.1", USERSRC="CHANNEL", CHCKCLNT="REQUIRED"),
        rule("*", "BLOCKUSER", USERLIST=("*MQADMIN",)),
    )
    assert ways(channel(), rules=rules) == [
        "APP clients of user joe from 10.*: as joseph, password, no TLS "
        "(CHLAUTH(APP) TYPE(USERMAP) CLNTUSER(joe) ADDRESS(10.*))",
        "APP clients from anywhere: refused by CHLAUTH(APP) TYPE(ADDRESSMAP) ADDRESS(*)",
    ]


def test_whoever_no_record_means_enters_as_the_channel_says() -> None:
    assert ways(
        channel(SSLCIPH="ANY", SSLCAUTH="OPTIONAL"),
        channel("TO.US", "RCVR"),
        channel("FROM.US", "SDR"),
        channel("SERVER", "SVR"),
        rules=(rule("*", "BLOCKUSER", USERLIST=("*MQADMIN", "eve")),),
    ) == [
        "APP clients from anywhere: as the user that it states, but not *MQADMIN, eve, password, TLS ANY, "
        "certificate optional",
        "SERVER queue managers from anywhere: as the queue manager, no TLS",
        "TO.US queue managers from anywhere: as mca, no TLS",
    ]


@pytest.mark.parametrize(
    ("check", "acting"),
    [
        ("REQUIRED", "as the user of the password, but not *MQADMIN, password, no TLS"),
        ("OPTIONAL", "as the user of the password, else as app, but not *MQADMIN, password checked if given, no TLS"),
        ("NONE", "as app, no password, no TLS"),
    ],
)
def test_who_gives_a_password_acts_as_its_user_where_it_is_adopted(check: str, acting: str) -> None:
    asked = record("AUTH", AUTHTYPE="IDPWOS", CHCKCLNT=check, ADOPTCTX="YES")
    rules = (rule("*", "BLOCKUSER", USERLIST=("*MQADMIN",)),)
    found = ways(channel(MCAUSER="app"), rules=rules, authentications=(asked,))
    assert found == [f"APP clients from anywhere: {acting}"]


def test_records_for_certificates_count_inside_tls_only() -> None:
    rules = (
        rule("*", "SSLPEERMAP", SSLPEER="CN=app", USERSRC="MAP", MCAUSER="joe"),
        rule("*", "ADDRESSMAP", ADDRESS="*", USERSRC="NOACCESS"),
    )
    refused = "clients from anywhere: refused by CHLAUTH(*) TYPE(ADDRESSMAP) ADDRESS(*)"
    assert ways(channel("PLAIN"), rules=rules) == [f"PLAIN {refused}"]
    first, last = ways(channel("INSIDE", SSLCIPH="ANY"), rules=rules)
    said = "INSIDE clients with certificate CN=app from anywhere: as joe, password, TLS ANY, certificate required"
    assert first.startswith(said)
    assert last == f"INSIDE {refused}"


@pytest.mark.parametrize(
    ("value", "text", "texts", "integer"),
    [("x", "x", ("x",), 0), (("a", "b"), "", ("a", "b"), 0), (5, "5", ("5",), 5), ("", "", (), 0)],
)
def test_a_displayed_record_reads_like_a_definition(
    value: Any, text: str, texts: tuple[str, ...], integer: int
) -> None:
    found = Record("X", {"WORD": value})
    assert (found.text("WORD"), found.texts("WORD"), found.integer("WORD")) == (text, texts, integer)
    assert (found.text("NONE"), found.texts("NONE"), found.integer("NONE")) == ("", (), 0)

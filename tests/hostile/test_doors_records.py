"""Doors and the records of CHLAUTH, and what CONNAUTH asks of clients: who comes in as whom, or is told what.

The callers of test_doors_credentials.py, on sockets; inside TLS all show a certificate of CN=app.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace

import pytest

from mqbridge.protocol.constants import MQRC, StatusCode
from support.doors.credentials import Credentials
from support.doors.scene import TRANSPORTS, CredentialScene, Outcome

pytestmark = [pytest.mark.spec("channels.md 14"), pytest.mark.spec("channels.md 15"), pytest.mark.faulty_traffic]

NO = int(MQRC.NOT_AUTHORIZED)
RIGHT = Credentials(b"alice", b"wonderland")
ADMINISTRATOR = Credentials(b"anne", b"of-the-shire")
DOORS = {
    "client": ("plain", "PLAIN"),
    "client inside TLS": ("TLS", "TLS"),
    "client by a Unix socket": ("Unix socket", "PLAIN"),
    "channel": ("plain", "TO.PLAIN"),
    "channel with MCAUSER": ("plain", "TO.OWN.USER"),
    "channel inside TLS": ("TLS", "TO.TLS"),
    "channel by a Unix socket": ("Unix socket", "TO.PLAIN"),
}
OWN = {door: "alice" if door.startswith("client") or door.endswith("MCAUSER") else "mca" for door in DOORS}
"""As whom a caller comes in at each door if no record is about it: clients are alice, by their password."""
CLIENTS = [door for door in DOORS if door.startswith("client")]
CHANNELS = [door for door in DOORS if door.startswith("channel")]
TLS = [door for door in DOORS if "TLS" in door]
EVERYWHERE = list(DOORS)


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CredentialScene]:
    """MARS, where a right password is required and its user adopted."""
    with closing(CredentialScene(tmp_path_factory.mktemp("doors"))) as made:
        yield made


@contextmanager
def record(scene: CredentialScene, profile: str, text: str) -> Iterator[None]:
    """A record of CHLAUTH that there is meanwhile."""
    kind = text.split(" ")[0]
    assert scene.types(f"SET CHLAUTH('{profile}') {text}").ok
    try:
        yield
    finally:
        assert scene.types(f"SET CHLAUTH('{profile}') {kind} ACTION(REMOVEALL)").ok


def calls(scene: CredentialScene, door: str) -> Outcome:
    """Call at a door, with the right password and certificate."""
    transport, channel = DOORS[door]
    certificate = "right" if transport == "TLS" else ""
    if door in CLIENTS:
        return scene.comes_in(transport, channel, RIGHT, certificate=certificate)
    return scene.opens_channel(transport, channel, certificate=certificate)


MATTERS: dict[str, tuple[list[str], str]] = {
    "TYPE(USERMAP) CLNTUSER('alice') USERSRC(NOACCESS)": (CLIENTS, ""),
    "TYPE(USERMAP) CLNTUSER('al*') USERSRC(NOACCESS)": (CLIENTS, ""),
    "TYPE(USERMAP) CLNTUSER('alice') MCAUSER('bob')": (CLIENTS, "bob"),
    "TYPE(USERMAP) CLNTUSER('Alice') USERSRC(NOACCESS)": ([], ""),
    "TYPE(USERMAP) CLNTUSER('joe') USERSRC(NOACCESS)": ([], ""),
    "TYPE(USERMAP) CLNTUSER('alice') ADDRESS('10.*') USERSRC(NOACCESS)": ([], ""),
    "TYPE(QMGRMAP) QMNAME('VENUS') USERSRC(NOACCESS)": (CHANNELS, ""),
    "TYPE(QMGRMAP) QMNAME('V*') ADDRESS('127.*') USERSRC(NOACCESS)": (CHANNELS, ""),
    "TYPE(QMGRMAP) QMNAME('VENUS') MCAUSER('bob')": (CHANNELS, "bob"),
    "TYPE(QMGRMAP) QMNAME('venus') USERSRC(NOACCESS)": ([], ""),
    "TYPE(QMGRMAP) QMNAME('alice') USERSRC(NOACCESS)": ([], ""),
    "TYPE(ADDRESSMAP) ADDRESS('127.0.0.1') USERSRC(NOACCESS)": (EVERYWHERE, ""),
    "TYPE(ADDRESSMAP) ADDRESS('127.0.0.0-9') USERSRC(NOACCESS)": (EVERYWHERE, ""),
    "TYPE(ADDRESSMAP) ADDRESS('*') MCAUSER('bob')": (EVERYWHERE, "bob"),
    "TYPE(ADDRESSMAP) ADDRESS('127.0.0.2') USERSRC(NOACCESS)": ([], ""),
    "TYPE(ADDRESSMAP) ADDRESS('::1') USERSRC(NOACCESS)": ([], ""),
    "TYPE(SSLPEERMAP) SSLPEER('CN=app') USERSRC(NOACCESS)": (TLS, ""),
    "TYPE(SSLPEERMAP) SSLPEER('CN=*') SSLCERTI('O=Tests') USERSRC(NOACCESS)": (TLS, ""),
    "TYPE(SSLPEERMAP) SSLPEER('O=Space') MCAUSER('bob')": (TLS, "bob"),
    "TYPE(SSLPEERMAP) SSLPEER('CN=other') USERSRC(NOACCESS)": ([], ""),
    "TYPE(SSLPEERMAP) SSLPEER('CN=app') SSLCERTI('O=Elsewhere') USERSRC(NOACCESS)": ([], ""),
    "TYPE(SSLPEERMAP) SSLPEER('CN=app') ADDRESS('10.*') USERSRC(NOACCESS)": ([], ""),
    "TYPE(BLOCKUSER) USERLIST('alice')": (CLIENTS, ""),
    "TYPE(BLOCKUSER) USERLIST('joe','bob','alice')": (CLIENTS, ""),
    "TYPE(BLOCKUSER) USERLIST('Alice','joe','*MQADMIN')": ([], ""),
}
"""Records, at which doors they matter, and as whom a caller then comes in; blank: it does not."""
REFUSING = [text for text, (where, user) in MATTERS.items() if where and not user]


def refused(door: str, text: str) -> Outcome:
    """What a caller is told whom such a record refuses."""
    amq = "AMQ9776" if "BLOCKUSER" in text else "AMQ9777"
    if door in CLIENTS:
        return Outcome(reason=NO, lines=(amq,))
    return Outcome(status=StatusCode.SECURITY_FAILURE, lines=(amq,))


@pytest.mark.parametrize("door", DOORS)
def test_without_a_record_nobody_is_asked_but_for_a_password(scene: CredentialScene, door: str) -> None:
    assert calls(scene, door) == Outcome(OWN[door])


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("text", MATTERS)
def test_a_record(scene: CredentialScene, door: str, text: str) -> None:
    where, user = MATTERS[text]
    with record(scene, DOORS[door][1], text):
        if door not in where:
            assert calls(scene, door) == Outcome(OWN[door])
        else:
            assert calls(scene, door) == (Outcome(user) if user else refused(door, text))


@pytest.mark.parametrize("door", DOORS)
def test_the_record_that_is_displayed_is_the_one_that_decides(scene: CredentialScene, door: str) -> None:
    channel = DOORS[door][1]
    about = "CLNTUSER('alice')" if door in CLIENTS else "QMNAME('VENUS')"
    if door in TLS:
        about += " SSLPEER('CN=app,O=Space') SSLCERTI('CN=Authority,O=Tests')"
    for text, (where, user) in MATTERS.items():
        with record(scene, channel, text):
            reply = scene.types(f"DISPLAY CHLAUTH('{channel}') MATCH(RUNCHECK) ADDRESS('127.0.0.1') {about} ALL")
        if door not in where:
            assert [response.amq for response in reply.responses] == ["AMQ9783"], text
            assert f"MCAUSER('{OWN[door]}')" in reply.responses[0].text
            continue
        (row,) = reply.rows
        assert row["TYPE"].text == text.removeprefix("TYPE(").partition(")")[0]
        assert (row["MCAUSER"].text if "MCAUSER" in row else "") == user


@pytest.mark.parametrize("door", DOORS)
def test_records_that_warn_and_those_that_are_disabled(scene: CredentialScene, door: str) -> None:
    for text in REFUSING:
        expected = Outcome(OWN[door])
        if door in MATTERS[text][0]:
            expected = replace(expected, lines=refused(door, text).lines)
        with record(scene, DOORS[door][1], f"{text} WARN(YES)"):
            assert calls(scene, door) == expected
    assert scene.types("ALTER QMGR CHLAUTH(DISABLED)").ok
    try:
        for text in REFUSING:
            with record(scene, DOORS[door][1], text):
                assert calls(scene, door) == Outcome(OWN[door])
    finally:
        assert scene.types("ALTER QMGR CHLAUTH(ENABLED)").ok


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("TYPE(BLOCKADDR) ADDRLIST('127.0.0.1')", Outcome(lines=("AMQ9777",))),
        ("TYPE(BLOCKADDR) ADDRLIST('10.*','127.*')", Outcome(lines=("AMQ9777",))),
        ("TYPE(BLOCKADDR) ADDRLIST('127.*') WARN(YES)", None),
        ("TYPE(BLOCKADDR) ADDRLIST('10.*','127.0.0.2')", Outcome()),
    ],
)
def test_blocked_addresses_are_heard_at_no_door(
    scene: CredentialScene, door: str, text: str, outcome: Outcome | None
) -> None:
    with record(scene, "*", text):
        seen = calls(scene, door)
    if outcome is None:
        assert seen == Outcome(OWN[door], lines=("AMQ9777",))
    else:
        assert seen == (outcome if outcome.lines else Outcome(OWN[door]))


# What CONNAUTH asks


CHECKS = ("NONE", "OPTIONAL", "REQDADM", "REQUIRED")
GIVEN: dict[str, tuple[Credentials | None, str]] = {
    "none": (None, "bob"),
    "wrong": (Credentials(b"alice", b"guessed"), "bob"),
    "right": (RIGHT, "bob"),
    "none of an administrator": (None, "anne"),
    "wrong of an administrator": (Credentials(b"anne", b"guessed"), "bob"),
    "right of an administrator": (ADMINISTRATOR, "bob"),
    "right beside an administrator": (RIGHT, "anne"),
}
"""User and password, and the user of the system that the client states."""


def expected(check: str, adopts: bool, given: str, administrators: bool) -> Outcome:
    """What is said by docs/security.md, Passwords of clients."""
    credentials, stated = GIVEN[given]
    counts = credentials is not None and check != "NONE"
    user = credentials.user.decode() if counts and adopts and credentials is not None else stated
    right = credentials in (RIGHT, ADMINISTRATOR)
    if counts and not right:
        cause = "AMQ5541" if check == "REQDADM" and user == "anne" else "AMQ5542"
        return Outcome(reason=NO, lines=("AMQ5534", cause))
    if user == "anne" and not administrators:
        return Outcome(reason=NO, lines=("AMQ9776",))
    if credentials is None and (check == "REQUIRED" or (check == "REQDADM" and user == "anne")):
        return Outcome(reason=NO, lines=("AMQ5540", "AMQ5541" if check == "REQDADM" else "AMQ5542"))
    return Outcome(user)


@contextmanager
def authentication(scene: CredentialScene, check: str, adopts: bool) -> Iterator[None]:
    """Another CONNAUTH meanwhile; blank: none."""
    word = "YES" if adopts else "NO"
    if check:
        text = "ALTER AUTHINFO(DEV.AUTHINFO) AUTHTYPE(IDPWOS) CHCKCLNT({}) ADOPTCTX({})"
        assert scene.types(text.format(check, word)).ok
    else:
        assert scene.types("ALTER QMGR CONNAUTH(' ')").ok
    try:
        yield
    finally:
        assert scene.types("ALTER AUTHINFO(DEV.AUTHINFO) AUTHTYPE(IDPWOS) CHCKCLNT(REQUIRED) ADOPTCTX(YES)").ok
        assert scene.types("ALTER QMGR CONNAUTH(DEV.AUTHINFO)").ok


@pytest.mark.parametrize("administrators", [False, True], ids=["administrators blocked", "not blocked"])
@pytest.mark.parametrize("adopts", [False, True], ids=["ADOPTCTX(NO)", "ADOPTCTX(YES)"])
@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("given", GIVEN)
def test_what_is_asked_of_a_client(
    scene: CredentialScene, check: str, adopts: bool, given: str, administrators: bool
) -> None:
    credentials, stated = GIVEN[given]
    outcome = expected(check, adopts, given, administrators)
    nobody = "TYPE(BLOCKUSER) USERLIST('nothing')"  # instead of the general list
    with authentication(scene, check, adopts):
        transport = TRANSPORTS[(CHECKS.index(check) + adopts + list(GIVEN).index(given)) % len(TRANSPORTS)]
        channel = "TLS" if transport == "TLS" else "PLAIN"
        if not administrators:
            assert scene.comes_in(transport, channel, credentials, stated=stated) == outcome
            return
        with record(scene, channel, nobody):
            assert scene.comes_in(transport, channel, credentials, stated=stated) == outcome


@pytest.mark.parametrize("adopts", [False, True], ids=["ADOPTCTX(NO)", "ADOPTCTX(YES)"])
@pytest.mark.parametrize("check", ["", *CHECKS])
@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_record_asks_for_passwords(scene: CredentialScene, transport: str, check: str, adopts: bool) -> None:
    """CHCKCLNT of a record makes CONNAUTH stricter, never more lenient."""
    channel = "TLS" if transport == "TLS" else "PLAIN"
    cause = "AMQ5542" if check == "REQUIRED" else "AMQ9790"
    user = "alice" if check and adopts else "bob"
    text = "TYPE(ADDRESSMAP) ADDRESS('127.*') USERSRC(CHANNEL) CHCKCLNT(REQUIRED)"
    with authentication(scene, check, adopts), record(scene, channel, text):
        assert scene.comes_in(transport, channel, RIGHT, stated="bob") == Outcome(user)
        missing = scene.comes_in(transport, channel, stated="bob")
        assert missing == Outcome(reason=NO, lines=("AMQ5540", cause))
        wrong = scene.comes_in(transport, channel, Credentials(b"alice", b"guessed"), stated="bob")
        assert wrong == Outcome(reason=NO, lines=("AMQ5534", cause))


@pytest.mark.parametrize("word", ["ASQMGR", "REQDADM"])
def test_a_record_takes_no_password_away(scene: CredentialScene, word: str) -> None:
    text = f"TYPE(ADDRESSMAP) ADDRESS('127.*') USERSRC(CHANNEL) CHCKCLNT({word})"
    for transport in TRANSPORTS:
        channel = "TLS" if transport == "TLS" else "PLAIN"
        with record(scene, channel, text):
            assert scene.comes_in(transport, channel, stated="bob").lines == ("AMQ5540", "AMQ5542")


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_mapped_user_is_blocked_like_any_other(scene: CredentialScene, transport: str) -> None:
    """Neither a certificate nor an address makes an administrator of anybody."""
    channel = "TLS" if transport == "TLS" else "PLAIN"
    texts = ["TYPE(ADDRESSMAP) ADDRESS('*') MCAUSER('anne')", "TYPE(USERMAP) CLNTUSER('alice') MCAUSER('mqm')"]
    for text in texts + ["TYPE(SSLPEERMAP) SSLPEER('CN=app') MCAUSER('anne')"] * (transport == "TLS"):
        with record(scene, channel, text):
            seen = scene.comes_in(transport, channel, RIGHT, certificate="right" if transport == "TLS" else "")
        assert seen == Outcome(reason=NO, lines=("AMQ9776",))


def test_an_event_tells_of_a_blocked_user_once_its_password_was_right(scene: CredentialScene) -> None:
    events = "SYSTEM.ADMIN.CHANNEL.EVENT"
    assert scene.types("ALTER QMGR CHLEV(EXCEPTION)").ok
    try:
        before = len(scene.messages(events))
        scene.comes_in("plain", "PLAIN", Credentials(b"anne", b"guessed"))
        assert len(scene.messages(events)) == before
        scene.comes_in("plain", "PLAIN", ADMINISTRATOR)
        (event,) = scene.messages(events)[before:]
        assert b"anne" in event
    finally:
        assert scene.types("ALTER QMGR CHLEV(DISABLED)").ok

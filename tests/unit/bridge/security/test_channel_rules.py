"""Channel authentication row by row: what matches, what goes first, what comes of it (channels.md 14)."""

from __future__ import annotations

from typing import Any

import pytest

from mqbridge.bridge.security import Caller, ChannelRules, Security, matches_address
from mqbridge.bridge.security.addresses import address_specificity, is_host_name, is_loopback
from support.queue_manager.security_records import Row, Rows, people, rule

pytestmark = [pytest.mark.spec("channels.md 14"), pytest.mark.spec("channels.md 20.17")]

SUPPLIED = [
    rule("*", "BLOCKUSER", USERLIST=("*MQADMIN",)),
    rule("SYSTEM.*", "ADDRESSMAP", ADDRESS="*", USERSRC="NOACCESS"),
    rule("SYSTEM.ADMIN.SVRCONN", "ADDRESSMAP", ADDRESS="*", USERSRC="CHANNEL"),
]


def client(channel: str = "APP", user: str = "joe", address: str = "10.0.0.1") -> Caller:
    return Caller(channel, address, client=True, user=user)


def partner(channel: str = "TO.US", queue_manager: str = "QM1", address: str = "10.0.0.1") -> Caller:
    return Caller(channel, address, queue_manager=queue_manager)


def outcome(rows: list[Row], caller: Caller, own: str = "own") -> str | None:
    """The user that the channel runs as, None where it is refused."""
    admission = ChannelRules(rows).admit(caller, own, people({"alice": ("mqm",)}).is_privileged)
    return admission.user if admission.allowed else None


@pytest.mark.parametrize(
    ("pattern", "address", "expected"),
    [
        ("*", "10.0.0.1", True),
        ("", "10.0.0.1", True),
        ("10.0.0.1", "10.0.0.1", True),
        ("10.0.0.1", "10.0.0.11", False),
        ("10.0.0.*", "10.0.0.255", True),
        ("10.0.*", "10.0.77.1", True),
        ("10.*.0.1", "10.9.0.1", True),
        ("10.*.0.1", "10.9.1.1", False),
        ("10.0.0.1-9", "10.0.0.9", True),
        ("10.0.0.1-9", "10.0.0.10", False),
        ("10.0-1.*", "10.1.3.4", True),
        ("10.0-1.*", "10.2.3.4", False),
        ("10.0.0", "10.0.0.1", False),
        ("10.*", "11.0.0.1", False),
        ("10.0.0.1", "::ffff:10.0.0.1", True),
        ("::1", "0:0:0:0:0:0:0:1", True),
        ("2001:db8:*", "2001:db8:1:2:3:4:5:6", True),
        ("2001:db8::*", "2001:db8::7", True),
        ("2001:db8::*", "2001:db8::1:7", False),
        ("2001:db8:0-f:*", "2001:db8:c::1", True),
        ("2001:db8:0-f:*", "2001:db8:10::1", False),
        ("2001:DB8::1", "2001:db8::1", True),
        ("fe80::1", "fe80::1%eth0", True),
        ("10.*", "2001:db8::1", False),
        ("::*", "10.0.0.1", False),
    ],
)
def test_addresses(pattern: str, address: str, expected: bool) -> None:
    assert matches_address(pattern, address) is expected


@pytest.mark.parametrize(
    ("pattern", "names", "expected"),
    [
        ("mars.example.org", ("mars.example.org",), True),
        ("Mars.Example.ORG", ("mars.example.org",), True),
        ("*.example.org", ("a", "mars.example.org"), True),
        ("*.example.org", ("mars.example.com",), False),
        ("mars", (), False),
    ],
)
def test_host_names(pattern: str, names: tuple[str, ...], expected: bool) -> None:
    assert is_host_name(pattern)
    assert matches_address(pattern, "10.0.0.1", names) is expected


def test_addresses_from_the_most_specific_to_the_least() -> None:
    order = [
        "10.0.0.1", "10.0.0.1-9", "10.0.0.1-99", "10.0.0.*", "10.0.*.1", "10.0.*", "10.0-1.*", "10.*", "9-10.*",
        "mars.example.org", "*.example.org", "*",
    ]  # fmt: skip
    assert sorted(sorted(order), key=address_specificity) == order


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("127.0.0.1", True), ("127.1.2.3", True), ("::1", True), ("::ffff:127.0.0.1", True), ("localhost", True),
        ("0.0.0.0", False), ("::", False), ("10.0.0.1", False), ("host", False), ("", False),
    ],
)  # fmt: skip
def test_loopback(address: str, expected: bool) -> None:
    assert is_loopback(address) is expected


@pytest.mark.parametrize(
    ("rows", "caller", "expected"),
    [
        # No record decides.
        ([], client(), "own"),
        ([rule("B", "ADDRESSMAP", ADDRESS="*", USERSRC="NOACCESS")], client(), "own"),
        # USERSRC
        ([rule("APP", "ADDRESSMAP", ADDRESS="*", MCAUSER="mapped")], client(), "mapped"),
        ([rule("APP", "ADDRESSMAP", ADDRESS="*", USERSRC="CHANNEL")], client(), "own"),
        ([rule("APP", "ADDRESSMAP", ADDRESS="*", USERSRC="NOACCESS")], client(), None),
        # What each type matches on.
        ([rule("A*", "USERMAP", CLNTUSER="joe", MCAUSER="u")], client(), "u"),
        ([rule("A*", "USERMAP", CLNTUSER="joe", MCAUSER="u")], client(user="JOE"), "own"),
        ([rule("*", "USERMAP", CLNTUSER="*", MCAUSER="u")], client(), "u"),
        ([rule("*", "USERMAP", CLNTUSER="*", MCAUSER="u")], partner(), "own"),
        ([rule("TO.*", "QMGRMAP", QMNAME="QM*", MCAUSER="u")], partner(), "u"),
        ([rule("TO.*", "QMGRMAP", QMNAME="QM2", MCAUSER="u")], partner(), "own"),
        ([rule("*", "QMGRMAP", QMNAME="*", MCAUSER="u")], client(), "own"),
        ([rule("*", "SSLPEERMAP", SSLPEER="CN=*", MCAUSER="u")], client(), "own"),
        ([rule("A*", "USERMAP", CLNTUSER="joe", ADDRESS="10.*", MCAUSER="u")], client(), "u"),
        ([rule("A*", "USERMAP", CLNTUSER="joe", ADDRESS="11.*", MCAUSER="u")], client(), "own"),
        ([rule("TO.*", "QMGRMAP", QMNAME="*", ADDRESS="11.*", MCAUSER="u")], partner(), "own"),
    ],
)
def test_one_record(rows: list[Row], caller: Caller, expected: str | None) -> None:
    assert outcome(rows, caller) == expected


def mapped(profile: str, kind: str, user: str, **matched: Any) -> Row:
    return rule(profile, kind, MCAUSER=user, **matched)


@pytest.mark.parametrize(
    ("first", "second", "caller"),
    [
        # by kind, whatever the profile
        (mapped("*", "USERMAP", "1", CLNTUSER="*"), mapped("APP", "ADDRESSMAP", "2", ADDRESS="10.0.0.1"), client()),
        (mapped("*", "QMGRMAP", "1", QMNAME="*"), mapped("TO.US", "ADDRESSMAP", "2", ADDRESS="10.0.0.1"), partner()),
        # inside a kind by profile, whatever the rest
        (mapped("APP", "USERMAP", "1", CLNTUSER="*"), mapped("AP*", "USERMAP", "2", CLNTUSER="joe"), client()),
        (mapped("AP*", "ADDRESSMAP", "1", ADDRESS="*"), mapped("A*", "ADDRESSMAP", "2", ADDRESS="10.0.0.1"), client()),
        (mapped("A*", "ADDRESSMAP", "1", ADDRESS="*"), mapped("*", "ADDRESSMAP", "2", ADDRESS="10.0.0.1"), client()),
        (mapped("A*P", "ADDRESSMAP", "1", ADDRESS="*"), mapped("A*", "ADDRESSMAP", "2", ADDRESS="10.0.0.1"), client()),
        (mapped("AP*", "ADDRESSMAP", "1", ADDRESS="*"), mapped("*PP", "ADDRESSMAP", "2", ADDRESS="10.0.0.1"), client()),
        # inside a profile by user or queue manager
        (
            mapped("APP", "USERMAP", "1", CLNTUSER="joe"),
            mapped("APP", "USERMAP", "2", CLNTUSER="*", ADDRESS="10.0.0.1"),
            client(),
        ),
        (mapped("*", "QMGRMAP", "1", QMNAME="QM1"), mapped("*", "QMGRMAP", "2", QMNAME="QM*", ADDRESS="*"), partner()),
        # then by address
        (mapped("*", "ADDRESSMAP", "1", ADDRESS="10.0.0.1"), mapped("*", "ADDRESSMAP", "2", ADDRESS="10.*"), client()),
        (
            mapped("*", "USERMAP", "1", CLNTUSER="joe", ADDRESS="10.*"),
            mapped("*", "USERMAP", "2", CLNTUSER="joe"),
            client(),
        ),
    ],
)
def test_the_more_specific_of_two_records_decides(first: Row, second: Row, caller: Caller) -> None:
    assert outcome([first, second], caller) == "1"
    assert outcome([second, first], caller) == "1"
    assert outcome([second], caller) == "2"


@pytest.mark.parametrize(
    ("caller", "own", "expected"),
    [
        (client(), "joe", "joe"),
        (client(), "mqm", None),
        (client(user="alice"), "alice", None),  # of group mqm
        (client("SYSTEM.DEF.SVRCONN"), "joe", None),
        (client("SYSTEM.ADMIN.SVRCONN"), "joe", "joe"),
        (client("SYSTEM.ADMIN.SVRCONN"), "mqm", None),
        (partner("SYSTEM.DEF.RECEIVER"), "", None),
        (partner(), "", ""),
        (partner(), "mqm", "mqm"),  # BLOCKUSER is for server connections
    ],
)
def test_the_supplied_records(caller: Caller, own: str, expected: str | None) -> None:
    assert outcome(SUPPLIED, caller, own) == expected


def test_a_user_is_blocked_after_it_was_mapped() -> None:
    rows = [mapped("*", "ADDRESSMAP", "guest", ADDRESS="*"), rule("APP", "BLOCKUSER", USERLIST=("guest",))]
    assert outcome(rows, client(), "joe") is None
    rows[1].attributes["USERLIST"] = ("joe",)
    assert outcome(rows, client(), "joe") == "guest"


def test_a_list_of_blocked_users_for_one_channel_takes_the_place_of_that_for_all() -> None:
    own = rule("ADMIN", "BLOCKUSER", USERLIST=("nobody",))
    assert outcome([*SUPPLIED, own], client("ADMIN"), "mqm") == "mqm"
    assert outcome([*SUPPLIED, own], client("ADMIN"), "nobody") is None
    assert outcome([*SUPPLIED, own], client("OTHER"), "mqm") is None


@pytest.mark.parametrize(
    ("row", "amq"),
    [
        (rule("APP", "ADDRESSMAP", ADDRESS="*", USERSRC="NOACCESS"), "AMQ9777"),
        (rule("APP", "BLOCKUSER", USERLIST=("own",)), "AMQ9776"),
    ],
)
def test_a_record_that_warns_only_tells(row: Row, amq: str) -> None:
    for warn, expected in (("NO", None), ("YES", "own")):
        row.attributes["WARN"] = warn
        assert outcome([row], client()) == expected
        admission = ChannelRules([row]).admit(client(), "own", people().is_privileged)
        ((logged, inserts),) = admission.log
        assert logged == amq
        assert inserts[0] == "APP"
        assert ("only warns" in str(inserts[-1])) is (warn == "YES")


def test_addresses_are_blocked_before_the_channel_is_known() -> None:
    rows = Rows([rule("*", "BLOCKADDR", ADDRLIST=("10.0.0.*", "evil.example.org"))])
    security = Security(rows.definitions())
    assert security.blocks_address("10.0.0.7")[0]
    assert security.blocks_address("10.0.1.7") == (False, [])
    assert security.blocks_address("10.0.1.7", ("evil.example.org",))[0]
    rows.channel_rules[0].attributes["WARN"] = "YES"
    blocked, log = security.blocks_address("10.0.0.7")
    assert (blocked, [amq for amq, _ in log]) == (False, ["AMQ9777"])


def test_nothing_decides_while_the_records_are_disabled() -> None:
    rows = Rows([*SUPPLIED, rule("*", "BLOCKADDR", ADDRLIST=("*",))])
    security = Security(rows.definitions())
    channel = Row("SYSTEM.DEF.RECEIVER", {"MCAUSER": "u"})
    assert not security.message_channel(channel, partner("SYSTEM.DEF.RECEIVER")).allowed
    rows.queue_manager.attributes["CHLAUTH"] = "DISABLED"
    security.definitions_changed()
    assert security.message_channel(channel, partner("SYSTEM.DEF.RECEIVER")).user == "u"
    assert not security.blocks_address("10.0.0.1")[0]


def test_new_records_count_from_the_next_caller_on() -> None:
    rows = Rows([])
    security = Security(rows.definitions())
    channel = Row("TO.US", {"MCAUSER": ""})
    assert security.message_channel(channel, partner()).allowed
    rows.channel_rules.append(rule("*", "QMGRMAP", QMNAME="QM1", USERSRC="NOACCESS"))
    security.definitions_changed()
    assert not security.message_channel(channel, partner()).allowed


def test_host_names_are_needed_where_a_record_is_about_one() -> None:
    assert not ChannelRules(SUPPLIED).needs_host_names
    named = [rule("*", "QMGRMAP", QMNAME="*", ADDRESS="mars", USERSRC="NOACCESS")]
    assert ChannelRules(named).needs_host_names
    assert not ChannelRules(named, enabled=False).needs_host_names
    caller = Caller("TO.US", "10.0.0.1", queue_manager="QM1", host_names=("mars",))
    assert outcome(named, caller) is None

"""A client comes in: CHLAUTH, then CONNAUTH, then its authority to connect (channels.md 15 and 20.18)."""

from __future__ import annotations

from typing import Any

import pytest

from mqbridge.bridge.security import Authenticator, Caller, Credentials, Entry, Instances, Security, UserError, Users
from mqbridge.protocol.constants import MQRC
from support.queue_manager.security_records import Row, Rows, authentication, authority, people, rule

pytestmark = [pytest.mark.spec("channels.md 15"), pytest.mark.spec("channels.md 20.18")]

NOW = 1_800_000_000.0
EVERYBODY = [authority("self", "QMGR", name, "CONNECT") for name in ("alice", "bob", "joe", "app", "mqm", "guest")]
GROUPS = {"bob": ("mqm",)}
GIVEN = {
    "none": None,
    "right": Credentials("alice", "wonderland"),
    "wrong": Credentials("alice", "no"),
    "right admin": Credentials("bob", "builder"),
    "wrong admin": Credentials("bob", "no"),
    "stranger": Credentials("carol", "wonderland"),
}


def door(check: str, *rules: Row, **attributes: Any) -> Security:
    rows = Rows(list(rules), list(EVERYBODY), authentications={"A": authentication(check, **attributes)})
    security = Security(rows.definitions(), Authenticator(b"k" * 32))
    security.take_users(people(GROUPS))
    return security


def comes(
    security: Security, given: str = "none", *, user: str = "joe", own: str = "", address: str = "10.0.0.1"
) -> Entry:
    channel = Row("APP", {"MCAUSER": own})
    entry = security.connect_client(channel, Caller("APP", address, True, user), GIVEN[given], "amqsput", NOW)
    if entry.reason is None:
        assert entry.attempt is not None
        security.proceed(entry, entry.attempt.matches(), NOW)
    return entry


def amqs(entry: Entry) -> list[str]:
    return [amq for amq, _ in entry.take_log()]


@pytest.mark.parametrize(
    ("check", "given", "user", "runs_as", "log"),
    [
        ("NONE", "none", "joe", "joe", []),
        ("NONE", "wrong", "joe", "joe", []),
        ("NONE", "right", "joe", "joe", []),
        ("OPTIONAL", "none", "joe", "joe", []),
        ("OPTIONAL", "right", "joe", "alice", []),
        ("OPTIONAL", "wrong", "joe", None, ["AMQ5534", "AMQ5542"]),
        ("OPTIONAL", "stranger", "joe", None, ["AMQ5534", "AMQ5542"]),
        ("OPTIONAL", "none", "mqm", "mqm", []),
        ("REQUIRED", "none", "joe", None, ["AMQ5540", "AMQ5542"]),
        ("REQUIRED", "right", "joe", "alice", []),
        ("REQUIRED", "wrong", "joe", None, ["AMQ5534", "AMQ5542"]),
        ("REQUIRED", "none", "mqm", None, ["AMQ5540", "AMQ5542"]),
        ("REQUIRED", "right admin", "joe", "bob", []),
        ("REQDADM", "none", "joe", "joe", []),
        ("REQDADM", "none", "mqm", None, ["AMQ5540", "AMQ5541"]),
        ("REQDADM", "none", "bob", None, ["AMQ5540", "AMQ5541"]),
        ("REQDADM", "right", "joe", "alice", []),
        ("REQDADM", "right admin", "bob", "bob", []),
        ("REQDADM", "wrong", "joe", None, ["AMQ5534", "AMQ5542"]),
    ],
)
def test_each_kind_of_check(check: str, given: str, user: str, runs_as: str | None, log: list[str]) -> None:
    entry = comes(door(check), given, user=user)
    assert entry.reason == (0 if runs_as is not None else MQRC.NOT_AUTHORIZED)
    assert runs_as is None or entry.user == runs_as
    assert amqs(entry) == log


@pytest.mark.parametrize(("given", "delayed"), [("none", True), ("wrong", True), ("right", False)])
def test_a_refusal_is_told_after_a_delay(given: str, delayed: bool) -> None:
    entry = comes(door("REQUIRED", FAILDLAY=7), given)
    assert entry.answer_at == NOW + (7 if delayed else 0)


def test_user_and_stranger_are_refused_alike() -> None:
    first, second = comes(door("REQUIRED"), "wrong"), comes(door("REQUIRED"), "stranger")
    assert (first.reason, first.answer_at, amqs(first)) == (second.reason, second.answer_at, amqs(second))


@pytest.mark.parametrize(
    ("adopts", "own", "runs_as"), [("YES", "app", "alice"), ("NO", "app", "app"), ("NO", "", "joe")]
)
def test_who_gave_the_password_is_the_user_if_so_set(adopts: str, own: str, runs_as: str) -> None:
    assert comes(door("REQUIRED", ADOPTCTX=adopts), "right", own=own).user == runs_as


@pytest.mark.parametrize(
    ("own", "user", "runs_as"), [("app", "joe", "app"), ("", "joe", "joe"), ("", "", "nobody"), ("app", "", "app")]
)
def test_without_a_password_the_channel_or_the_client_says_who(own: str, user: str, runs_as: str) -> None:
    assert comes(door("NONE"), user=user, own=own).user == runs_as


def test_nobody_may_not_connect() -> None:
    entry = comes(door("NONE"), user="")
    assert (entry.reason, amqs(entry)) == (MQRC.NOT_AUTHORIZED, ["AMQ8077", "AMQ9557"])


MAP = {"MCAUSER": "guest"}


@pytest.mark.parametrize(
    ("rules", "given", "runs_as"),
    [
        ([rule("*", "USERMAP", CLNTUSER="joe", **MAP)], "none", "guest"),
        ([rule("*", "USERMAP", CLNTUSER="joe", **MAP)], "right", "alice"),  # the rules see who gave the password
        ([rule("*", "USERMAP", CLNTUSER="alice", **MAP)], "right", "guest"),
        ([rule("*", "USERMAP", CLNTUSER="alice", **MAP)], "none", "joe"),
        ([rule("*", "ADDRESSMAP", ADDRESS="*", **MAP)], "right", "guest"),
        ([rule("*", "ADDRESSMAP", ADDRESS="*", USERSRC="NOACCESS")], "right", None),
        (
            [
                rule("*", "ADDRESSMAP", ADDRESS="*", USERSRC="NOACCESS"),
                rule("*", "USERMAP", CLNTUSER="alice", USERSRC="CHANNEL"),
            ],
            "right",
            "alice",
        ),
        ([rule("*", "BLOCKUSER", USERLIST=("alice",))], "right", None),
        ([rule("*", "BLOCKUSER", USERLIST=("joe",))], "right", "alice"),
        ([rule("*", "BLOCKUSER", USERLIST=("joe",))], "none", None),
        ([rule("*", "BLOCKUSER", USERLIST=("*MQADMIN",))], "right admin", None),
    ],
)
def test_channel_records_and_passwords_together(rules: list[Row], given: str, runs_as: str | None) -> None:
    entry = comes(door("OPTIONAL", *rules), given)
    assert (entry.user if entry.reason == 0 else None) == runs_as


@pytest.mark.parametrize(
    ("check", "word", "given", "comes_in", "log"),
    [
        ("OPTIONAL", "ASQMGR", "none", True, []),
        ("OPTIONAL", "REQUIRED", "none", False, ["AMQ5540", "AMQ9790"]),
        ("NONE", "REQUIRED", "none", False, ["AMQ5540", "AMQ9790"]),
        ("NONE", "REQUIRED", "wrong", False, ["AMQ5534", "AMQ9790"]),
        ("NONE", "REQUIRED", "right", True, []),
        ("ASQMGR", "REQUIRED", "none", False, ["AMQ5540", "AMQ9790"]),
        ("REQUIRED", "REQDADM", "none", False, ["AMQ5540", "AMQ5542"]),
        ("OPTIONAL", "REQDADM", "none", True, []),
    ],
)
def test_a_channel_record_asks_for_more_and_never_for_less(
    check: str, word: str, given: str, comes_in: bool, log: list[str]
) -> None:
    entry = comes(door(check, rule("*", "ADDRESSMAP", ADDRESS="*", USERSRC="CHANNEL", CHCKCLNT=word)), given)
    assert (entry.reason == 0) is comes_in
    assert amqs(entry) == log


@pytest.mark.parametrize(
    ("exposed", "given", "comes_in"),
    [(False, "none", True), (False, "wrong", True), (True, "none", False), (True, "right", True)],
)
def test_asqmgr_asks_for_a_password_once_others_can_reach_us(exposed: bool, given: str, comes_in: bool) -> None:
    security = door("ASQMGR")
    security.exposed = exposed
    assert (comes(security, given, address="127.0.0.1").reason == 0) is comes_in


@pytest.mark.parametrize(
    ("check", "users", "lacks"),
    [
        ("ASQMGR", Users(), True),
        ("ASQMGR", people(), False),
        ("NONE", Users(), False),
        ("REQUIRED", Users(), True),
        ("OPTIONAL", Users(), True),
        ("REQUIRED", people(), False),
    ],
)
def test_when_clients_of_other_machines_lack_a_user(check: str, users: Users, lacks: bool) -> None:
    security = door(check)
    security.take_users(users)
    assert security.lacks_users() is lacks


def test_no_connauth_asks_nobody() -> None:
    rows = Rows(authorities=list(EVERYBODY))
    rows.queue_manager.attributes["CONNAUTH"] = ""
    assert comes(Security(rows.definitions()), "wrong").user == "joe"


BLOCKS_ADMINISTRATORS = [rule("*", "BLOCKUSER", USERLIST=("*MQADMIN",))]
CLOSED = rule("*", "ADDRESSMAP", ADDRESS="*", USERSRC="NOACCESS")
KNOWS_ALICE = [CLOSED, rule("*", "USERMAP", CLNTUSER="alice")]
SHUTS_ALICE_OUT = [rule("*", "USERMAP", CLNTUSER="alice", USERSRC="NOACCESS")]


@pytest.mark.parametrize("adopts", ["YES", "NO"])
@pytest.mark.parametrize("rules", [BLOCKS_ADMINISTRATORS, KNOWS_ALICE, SHUTS_ALICE_OUT], ids=["BLOCKUSER", "map", "no"])
def test_records_about_users_tell_guessers_nothing(rules: list[Row], adopts: str) -> None:
    """Who has a record, and who is privileged, is known no sooner and by no other answer."""
    told = set()
    for given in ("wrong", "wrong admin", "stranger"):
        entry = comes(door("REQUIRED", *rules, ADOPTCTX=adopts), given)
        told.add((entry.reason, entry.answer_at, entry.attempt is None, *amqs(entry)))
    assert told == {(int(MQRC.NOT_AUTHORIZED), NOW + 1, False, "AMQ5534", "AMQ5542")}


@pytest.mark.parametrize(
    ("rules", "given", "amq"),
    [
        (BLOCKS_ADMINISTRATORS, "right admin", "AMQ9776"),
        (KNOWS_ALICE, "right admin", "AMQ9777"),
        (SHUTS_ALICE_OUT, "right", "AMQ9777"),
    ],
)
def test_with_the_right_password_a_user_is_blocked_as_late_as_with_a_wrong_one(
    rules: list[Row], given: str, amq: str
) -> None:
    entry = comes(door("REQUIRED", *rules), given)
    assert (entry.reason, entry.answer_at, amqs(entry)) == (MQRC.NOT_AUTHORIZED, NOW + 1, [amq])
    assert [block.warning for block in entry.take_blocks()] == [False]
    assert entry.take_blocks() == []


@pytest.mark.parametrize("given", ["wrong", "right", "stranger"])
def test_who_is_refused_whatever_the_user_costs_no_hash(given: str) -> None:
    entry = comes(door("REQUIRED", CLOSED), given)
    assert (entry.attempt, entry.answer_at, amqs(entry)) == (None, NOW, ["AMQ9777"])


@pytest.mark.parametrize("object_", [None, authentication("OPTIONAL", AUTHTYPE="IDPWLDAP")])
def test_a_check_that_cannot_be_made_lets_nobody_in(object_: Row | None) -> None:
    rows = Rows(authorities=list(EVERYBODY), authentications={"A": object_} if object_ else {})
    security = Security(rows.definitions())
    for given in ("right", "none"):
        entry = comes(security, given)
        assert entry.reason == MQRC.NOT_AUTHORIZED
        assert amqs(entry)[0] == "AMQ9557"


def test_a_user_without_authority_does_not_connect() -> None:
    security = door("REQUIRED")
    security.authorities.take([])
    entry = comes(security, "right")
    assert (entry.reason, amqs(entry)) == (MQRC.NOT_AUTHORIZED, ["AMQ8077", "AMQ9557"])


def test_many_conversations_cost_one_hash() -> None:
    security = door("REQUIRED")
    assert comes(security, "right").reason == 0
    entry = security.connect_client(Row("APP", {}), Caller("APP", "10.0.0.1", True), GIVEN["right"], "x", NOW)
    assert (entry.reason, entry.user) == (0, "alice")


def test_users_are_looked_at_again_when_the_file_has_changed() -> None:
    security = door("REQUIRED")
    fresh = [people(carol="wonderland")]
    security.reload = lambda: fresh.pop() if fresh else None
    assert comes(security, "stranger").user == "carol"
    assert comes(security, "right").reason == MQRC.NOT_AUTHORIZED


def test_a_file_that_cannot_be_read_holds_nobody() -> None:
    security = door("REQUIRED")

    def reload() -> Users | None:
        raise UserError("users, line 1: not name:groups:hash")

    security.reload = reload
    entry = comes(security, "right")
    assert entry.reason == MQRC.NOT_AUTHORIZED
    assert amqs(entry)[0] == "AMQ5539"


def test_a_thousand_wrong_passwords_disturb_no_other_address() -> None:
    security = door("REQUIRED")
    for _ in range(1000):
        assert comes(security, "wrong").reason == MQRC.NOT_AUTHORIZED
    other = security.connect_client(Row("APP", {}), Caller("APP", "10.0.0.2", True), GIVEN["right admin"], "x", NOW)
    assert other.attempt is not None
    assert other.attempt.not_before == NOW


@pytest.mark.parametrize(
    ("check", "reason", "log"),
    [
        ("NONE", 0, []),
        ("OPTIONAL", MQRC.NOT_AUTHORIZED, ["AMQ5544", "AMQ5542"]),
        ("REQUIRED", MQRC.NOT_AUTHORIZED, ["AMQ5544", "AMQ5542"]),
    ],
)
def test_a_protected_password_is_no_wrong_one_and_no_right_one(check: str, reason: int, log: list[str]) -> None:
    security = door(check, FAILDLAY=2)
    caller = Caller("APP", "10.0.0.1", True, "joe")
    given = Credentials("alice", "wonderland", protected=True)
    entry = security.connect_client(Row("APP", {}), caller, given, "amqsput", NOW)
    assert (entry.reason, amqs(entry)) == (reason, log)
    assert entry.attempt is None
    assert entry.answer_at == NOW + (2 if reason else 0)
    assert len(security.authenticator.throttle) == 0, "nobody guessed"


def test_a_password_is_in_no_representation() -> None:
    assert "wonderland" not in repr(GIVEN)
    assert "wonderland" not in repr(comes(door("REQUIRED"), "right"))


@pytest.mark.spec("channels.md 4")
@pytest.mark.parametrize(
    ("most", "most_of_address", "entered"),
    [(9, 9, [None] * 4), (3, 9, [None, None, None, "AMQ9489"]), (9, 2, [None, None, "AMQ9490", None])],
)
def test_instances(most: int, most_of_address: int, entered: list[str | None]) -> None:
    instances = Instances()
    found = [
        instances.enter("APP", address, most, most_of_address)
        for address in ("10.0.0.1", "::ffff:10.0.0.1", "10.0.0.1", "10.0.0.2")
    ]
    assert [None if line is None else line[0] for line in found] == entered
    assert instances.enter("OTHER", "10.0.0.1", 1, 1) is None
    instances.leave("APP", "10.0.0.1")
    assert instances.enter("APP", "10.0.0.1", most, most_of_address) is None


def test_an_instance_that_may_not_run_at_all() -> None:
    instances = Instances()
    assert instances.enter("APP", "10.0.0.1", 0, 5) == ("AMQ9489", ("APP", 0, "10.0.0.1"))
    assert instances.count("APP") == 0


@pytest.mark.parametrize(
    ("check", "exposed", "rules", "expected"),
    [
        ("NONE", True, [], False),
        ("ASQMGR", False, [], False),
        ("ASQMGR", True, [], True),
        ("OPTIONAL", False, [], True),
        ("NONE", False, [rule("A*", "ADDRESSMAP", ADDRESS="*", USERSRC="CHANNEL", CHCKCLNT="REQUIRED")], True),
        ("NONE", False, [rule("B*", "ADDRESSMAP", ADDRESS="*", USERSRC="CHANNEL", CHCKCLNT="REQUIRED")], False),
        ("NONE", False, [rule("A*", "ADDRESSMAP", ADDRESS="*", USERSRC="CHANNEL", CHCKCLNT="ASQMGR")], False),
    ],
)
def test_whether_a_password_may_be_looked_at(check: str, exposed: bool, rules: list[Row], expected: bool) -> None:
    security = door(check, *rules)
    security.exposed = exposed
    assert security.may_check_passwords("APP") is expected

"""Authorities: who has which, what calls and commands need, row by row."""

from __future__ import annotations

import pytest

from mqbridge.bridge.security import (
    Authorities,
    OpenedObject,
    Security,
    Users,
    check_close,
    check_command,
    check_connect,
    check_open,
    check_topic,
    needed_for_command,
    options_of_put1,
)
from mqbridge.protocol.constants import MQCO, MQOO, MQPMO
from support.queue_manager.security_records import Row, Rows, authority, people

GROUPS = {"alice": ("mqm",), "bob": ("clients", "readers")}


def book(*rows: Row) -> Authorities:
    authorities = Authorities(people(GROUPS))
    authorities.take(rows)
    return authorities


def missing(denial: object) -> tuple[str, ...]:
    return () if denial is None else denial.missing  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("rows", "user", "held"),
    [
        ([], "bob", set()),
        ([authority("A.B", "QUEUE", "bob", "PUT")], "bob", {"PUT"}),
        ([authority("A.B", "QUEUE", "bob", "PUT")], "carol", set()),
        ([authority("A.B", "TOPIC", "bob", "PUB")], "bob", set()),
        ([authority("**", "QUEUE", "@clients", "PUT")], "bob", {"PUT"}),
        (
            [authority("**", "QUEUE", "@clients", "PUT"), authority("A.*", "QUEUE", "@readers", "GET")],
            "bob",
            {"PUT", "GET"},
        ),
        ([authority("**", "QUEUE", "@clients", "PUT"), authority("A.B", "QUEUE", "bob", "INQ")], "bob", {"PUT", "INQ"}),
        ([authority("A.*", "QUEUE", "bob", "PUT"), authority("A.B", "QUEUE", "bob")], "bob", set()),
        ([authority("A.**", "QUEUE", "bob", "PUT"), authority("A.?", "QUEUE", "bob", "GET")], "bob", {"GET"}),
        ([authority("**", "QUEUE", "@nobody", "PUT")], "carol", {"PUT"}),
        ([authority("**", "QUEUE", "@nobody", "PUT")], "bob", set()),
    ],
)  # fmt: skip
def test_what_a_user_has_for_a_queue(rows: list[Row], user: str, held: set[str]) -> None:
    assert book(*rows).held(user, "QUEUE", "A.B") == held


@pytest.mark.parametrize(
    ("profile", "name", "means"),
    [
        ("AB.?D", "AB.CD", True), ("AB.?D", "AB.CCD", False), ("AB.?D", "AB..D", False),
        ("ABC.*.JKL", "ABC.DEF.JKL", True), ("ABC.*.JKL", "ABC.JKL", False), ("ABC.*.JKL", "ABC.D.E.JKL", False),
        ("ABC.DE*.JKL", "ABC.DE.JKL", True), ("ABC.DE*.JKL", "ABC.DEGH.JKL", True), ("A*", "AB.C", False),
        ("**", "ANY.THING", True), ("**.JKL", "JKL", True), ("**.JKL", "A.B.JKL", True), ("A.**", "A", True),
        ("A.**", "A.B.C", True), ("A.**", "AB", False), ("A.**.C", "A.C", True), ("A.**.C", "A.X.Y.C", True),
        ("SYSTEM.**", "SYSTEM..X", True), ("SYSTEM.**", "SYSTEM.", True), ("A.B", "a.b", False),
    ],
)  # fmt: skip
def test_what_a_profile_means(profile: str, name: str, means: bool) -> None:
    assert book(authority(profile, "QUEUE", "bob", "PUT")).held("bob", "QUEUE", name) == ({"PUT"} if means else set())


@pytest.mark.parametrize("user", ["mqm", "alice"])
def test_administrators_may_do_everything(user: str) -> None:
    authorities = book()
    assert (
        check_open(authorities, user, OpenedObject("SYSTEM.X"), MQOO.SET | MQOO.SET_ALL_CONTEXT | MQOO.OUTPUT) is None
    )
    assert check_command(authorities, user, "DELETE", "QLOCAL", "A.B") is None
    assert check_topic(authorities, user, ["T"], "SUB") is None


@pytest.mark.parametrize(
    ("options", "queue", "manager"),
    [
        (MQOO.INPUT_SHARED, {"GET"}, set()),
        (MQOO.INPUT_AS_Q_DEF | MQOO.SAVE_ALL_CONTEXT, {"GET"}, set()),
        (MQOO.INPUT_EXCLUSIVE, {"GET"}, set()),
        (MQOO.BROWSE, {"BROWSE"}, set()),
        (MQOO.OUTPUT, {"PUT"}, set()),
        (MQOO.INQUIRE | MQOO.FAIL_IF_QUIESCING, {"INQ"}, set()),
        (MQOO.SET, {"SET"}, set()),
        (MQOO.OUTPUT | MQOO.PASS_IDENTITY_CONTEXT, {"PUT", "PASSID"}, set()),
        (MQOO.OUTPUT | MQOO.PASS_ALL_CONTEXT, {"PUT", "PASSALL"}, set()),
        (MQOO.OUTPUT | MQOO.SET_IDENTITY_CONTEXT, {"PUT", "SETID"}, {"SETID"}),
        (MQOO.OUTPUT | MQOO.SET_ALL_CONTEXT, {"PUT", "SETALL"}, {"SETALL"}),
        (MQOO.OUTPUT | MQOO.INPUT_SHARED | MQOO.BROWSE | MQOO.INQUIRE, {"PUT", "GET", "BROWSE", "INQ"}, set()),
    ],
)
@pytest.mark.spec("mqi.md 2")
def test_what_an_open_needs_and_no_more(options: int, queue: set[str], manager: set[str]) -> None:
    rows = [authority("Q", "QUEUE", "bob", *queue)]
    if manager:
        assert missing(check_open(book(*rows), "bob", OpenedObject("Q"), options)) == tuple(sorted(manager))
        rows.append(authority("self", "QMGR", "bob", *manager))
    assert check_open(book(*rows), "bob", OpenedObject("Q"), options) is None
    for word in queue:
        rows[0] = authority("Q", "QUEUE", "bob", *(queue - {word}))
        assert missing(check_open(book(*rows), "bob", OpenedObject("Q"), options)) == (word,)


def test_a_transmission_queue_is_not_opened_by_everybody_who_may_put() -> None:
    rows = [authority("X", "QUEUE", "bob", "PUT")]
    opened = OpenedObject("X", transmission=True)
    assert check_open(book(*rows), "bob", OpenedObject("X", queue_manager="FAR"), MQOO.OUTPUT) is None
    assert missing(check_open(book(*rows), "bob", opened, MQOO.OUTPUT)) == ("SETID",)
    rows = [authority("X", "QUEUE", "bob", "PUT", "SETID"), authority("self", "QMGR", "bob", "SETID")]
    assert check_open(book(*rows), "bob", opened, MQOO.OUTPUT) is None


@pytest.mark.parametrize(
    ("rows", "allowed"),
    [
        ([], False),
        ([authority("FAR", "RQMNAME", "bob", "PUT")], True),
        ([authority("X", "QUEUE", "bob", "PUT")], True),
        ([authority("X", "QUEUE", "bob", "PUT"), authority("FAR", "RQMNAME", "bob")], False),
    ],
)
def test_a_queue_at_another_queue_manager(rows: list[Row], allowed: bool) -> None:
    denial = check_open(book(*rows), "bob", OpenedObject("X", queue_manager="FAR"), MQOO.OUTPUT)
    assert (denial is None) is allowed


@pytest.mark.spec("mqi.md 2")
def test_another_users_authority() -> None:
    rows = [authority("Q", "QUEUE", "carol", "PUT")]
    options = MQOO.OUTPUT | MQOO.ALTERNATE_USER_AUTHORITY
    assert missing(check_open(book(*rows), "bob", OpenedObject("Q"), options, "carol")) == ("ALTUSR",)
    rows.append(authority("self", "QMGR", "bob", "ALTUSR"))
    assert check_open(book(*rows), "bob", OpenedObject("Q"), options, "carol") is None
    denial = check_open(book(*rows), "bob", OpenedObject("Q"), options, "dave")
    assert denial is not None
    assert (denial.user, denial.missing) == ("dave", ("PUT",))


@pytest.mark.parametrize(
    ("asked", "needed"),
    [
        (MQPMO.NONE, {"PUT"}),
        (MQPMO.PASS_IDENTITY_CONTEXT, {"PUT", "PASSID"}),
        (MQPMO.PASS_ALL_CONTEXT, {"PUT", "PASSALL"}),
        (MQPMO.SET_IDENTITY_CONTEXT, {"PUT", "SETID"}),
        (MQPMO.SET_ALL_CONTEXT | MQPMO.SYNCPOINT, {"PUT", "SETALL"}),
    ],
)
def test_put1_needs_what_its_open_would(asked: int, needed: set[str]) -> None:
    manager = authority("self", "QMGR", "bob", "SETID", "SETALL")
    denial = check_open(book(manager), "bob", OpenedObject("Q"), options_of_put1(asked))
    assert set(missing(denial)) == needed
    assert options_of_put1(MQPMO.ALTERNATE_USER_AUTHORITY) & MQOO.ALTERNATE_USER_AUTHORITY


@pytest.mark.parametrize("kind", ["PROCESS", "NAMELIST", "QMGR"])
def test_other_objects_are_inquired(kind: str) -> None:
    name = "self" if kind == "QMGR" else "X"
    assert missing(check_open(book(), "bob", OpenedObject("X", kind), MQOO.INQUIRE)) == ("INQ",)
    rows = [authority(name, kind, "bob", "INQ")]
    assert check_open(book(*rows), "bob", OpenedObject("X", kind), MQOO.INQUIRE) is None


PATH = ["NEWS.SPORT", "NEWS", "SYSTEM.BASE.TOPIC"]


@pytest.mark.parametrize(
    ("rows", "allowed"),
    [
        ([], False),
        ([authority("NEWS.SPORT", "TOPIC", "bob", "SUB")], True),
        ([authority("NEWS", "TOPIC", "bob", "SUB")], True),
        ([authority("SYSTEM.BASE.TOPIC", "TOPIC", "bob", "SUB")], True),
        ([authority("SYSTEM.BASE.TOPIC", "TOPIC", "bob", "PUB")], False),
        ([authority("NEWS", "TOPIC", "bob", "PUB"), authority("SYSTEM.BASE.TOPIC", "TOPIC", "bob", "SUB")], True),
        ([authority("NEWS", "TOPIC", "bob"), authority("SYSTEM.BASE.TOPIC", "TOPIC", "bob", "SUB")], False),
        ([authority("NEWS.**", "TOPIC", "bob"), authority("SYSTEM.BASE.TOPIC", "TOPIC", "bob", "SUB")], False),
    ],
)
@pytest.mark.spec("mqi.md 17")
def test_topics_are_asked_from_the_nearest_object_to_the_root(rows: list[Row], allowed: bool) -> None:
    denial = check_topic(book(*rows), "bob", PATH, "SUB")
    assert (denial is None) is allowed
    assert denial is None or denial.log == ("AMQ8077", ("bob", "NEWS.SPORT", "TOPIC", "sub"))


def test_context_and_other_users_at_topics() -> None:
    rows = [authority("NEWS", "TOPIC", "bob", "PUB")]
    assert missing(check_topic(book(*rows), "bob", PATH, "PUB", MQOO.PASS_ALL_CONTEXT)) == ("PASSALL",)
    assert missing(check_topic(book(*rows), "bob", PATH, "PUB", MQOO.SET_ALL_CONTEXT)) == ("SETALL",)
    options = int(MQOO.ALTERNATE_USER_AUTHORITY)
    assert missing(check_topic(book(*rows), "bob", PATH, "PUB", options, "carol")) == ("ALTUSR",)
    rows.append(authority("self", "QMGR", "bob", "ALTUSR"))
    assert missing(check_topic(book(*rows), "bob", PATH, "PUB", options, "carol")) == ("PUB",)


def test_connecting_and_deleting_at_close() -> None:
    assert missing(check_connect(book(), "bob")) == ("CONNECT",)
    assert check_connect(book(authority("self", "QMGR", "@clients", "CONNECT")), "bob") is None
    assert check_close(book(), "bob", "Q", MQCO.NONE) is None
    assert missing(check_close(book(), "bob", "Q", MQCO.DELETE)) == ("DLT",)
    assert missing(check_close(book(), "bob", "Q", MQCO.DELETE_PURGE)) == ("DLT",)


@pytest.mark.parametrize(
    ("verb", "noun", "needed"),
    [
        ("DEFINE", "QLOCAL", [("QUEUE", "@class", "CRT")]),
        ("ALTER", "QALIAS", [("QUEUE", "X", "CHG")]),
        ("DELETE", "QREMOTE", [("QUEUE", "X", "DLT")]),
        ("DISPLAY", "QUEUE", [("QUEUE", "X", "DSP")]),
        ("DISPLAY", "QSTATUS", [("QUEUE", "X", "DSP")]),
        ("CLEAR", "QLOCAL", [("QUEUE", "X", "CLR")]),
        ("START", "CHANNEL", [("CHANNEL", "X", "CTRL")]),
        ("STOP", "CHANNEL", [("CHANNEL", "X", "CTRL")]),
        ("PING", "CHANNEL", [("CHANNEL", "X", "CTRL")]),
        ("RESET", "CHANNEL", [("CHANNEL", "X", "CTRLX")]),
        ("RESOLVE", "CHANNEL", [("CHANNEL", "X", "CTRLX")]),
        ("START", "LISTENER", [("LISTENER", "X", "CTRL")]),
        ("DISPLAY", "QMGR", [("QMGR", "self", "DSP")]),
        ("PING", "QMGR", [("QMGR", "self", "DSP")]),
        ("ALTER", "QMGR", [("QMGR", "self", "CHG")]),
        ("SET", "CHLAUTH", [("QMGR", "self", "CHG")]),
        ("SET", "AUTHREC", [("QMGR", "self", "CHG")]),
        ("DELETE", "AUTHREC", [("QMGR", "self", "CHG")]),
        ("DISPLAY", "AUTHREC", [("QMGR", "self", "DSP")]),
        ("REFRESH", "SECURITY", [("QMGR", "self", "CHG")]),
        ("START", "CHINIT", [("QMGR", "self", "CTRL")]),
    ],
)
@pytest.mark.spec("channels.md 17.2")
def test_what_commands_need(verb: str, noun: str, needed: list[tuple[str, str, str]]) -> None:
    assert needed_for_command(verb, noun, "X") == needed
    for kind, profile, word in needed:
        assert missing(check_command(book(), "bob", verb, noun, "X")) == (word,)
        assert check_command(book(authority(profile, kind, "bob", word)), "bob", verb, noun, "X") is None


def test_define_that_replaces_or_copies_needs_more() -> None:
    rows = [authority("@class", "QUEUE", "bob", "CRT")]
    assert missing(check_command(book(*rows), "bob", "DEFINE", "QLOCAL", "X", replace=True)) == ("CHG",)
    assert missing(check_command(book(*rows), "bob", "DEFINE", "QLOCAL", "X", like="Y")) == ("DSP",)
    rows = [authority("**", "QUEUE", "bob", "CRT")]
    assert missing(check_command(book(*rows), "bob", "DEFINE", "QLOCAL", "X")) == ("CRT",)


def test_a_dynamic_queue_belongs_to_who_made_it() -> None:
    authorities = book()
    authorities.own("DYN.1", "bob")
    assert check_open(authorities, "bob", OpenedObject("DYN.1"), MQOO.INPUT_SHARED | MQOO.OUTPUT) is None
    assert check_open(authorities, "carol", OpenedObject("DYN.1"), MQOO.INPUT_SHARED) is not None
    authorities.disown("DYN.1")
    assert check_open(authorities, "bob", OpenedObject("DYN.1"), MQOO.INPUT_SHARED) is not None


def test_changes_of_records_and_groups_count_at_once() -> None:
    rows = Rows(authorities=[authority("Q", "QUEUE", "@clients", "PUT")])
    security = Security(rows.definitions())
    assert security.authorities.held("bob", "QUEUE", "Q") == set()
    security.take_users(people(GROUPS))
    assert security.authorities.held("bob", "QUEUE", "Q") == {"PUT"}
    rows.authorities.clear()
    security.definitions_changed()
    assert security.authorities.held("bob", "QUEUE", "Q") == set()


def test_the_denial_tells_the_operator_what_is_missing() -> None:
    denial = check_open(book(), "bob", OpenedObject("Q"), MQOO.OUTPUT | MQOO.INQUIRE)
    assert denial is not None
    assert denial.log == ("AMQ8077", ("bob", "Q", "QUEUE", "inq, put"))
    assert str(denial) == "user 'bob' has no authority inq, put for QUEUE Q"


@pytest.mark.spec("client-observed.md O-016")
def test_everybody_may_look_for_policies() -> None:
    authorities = Authorities()
    policies = OpenedObject("SYSTEM.PROTECTION.POLICY.QUEUE")
    assert check_open(authorities, "joe", policies, MQOO.BROWSE) is None
    assert check_open(authorities, "joe", policies, MQOO.BROWSE | MQOO.INPUT_SHARED) is not None


@pytest.mark.parametrize("kind", ["QMGR", "PROCESS"])
def test_as_another_user_other_objects_are_inquired_as_that_user(kind: str) -> None:
    name = "self" if kind == "QMGR" else "P"
    authorities = Authorities()
    authorities.take([authority("self", "QMGR", "joe", "ALTUSR", "INQ"), authority("P", "PROCESS", "joe", "INQ")])
    options = MQOO.INQUIRE | MQOO.ALTERNATE_USER_AUTHORITY
    denial = check_open(authorities, "joe", OpenedObject(name, kind), options, "ann")
    assert denial is not None
    assert (denial.user, denial.missing) == ("ann", ("INQ",))


def test_each_change_of_records_or_users_begins_a_new_generation() -> None:
    authorities = Authorities()
    seen = [authorities.generation]
    authorities.take([])
    seen.append(authorities.generation)
    authorities.take_users(Users())
    seen.append(authorities.generation)
    assert len(set(seen)) == 3


def test_devices_are_principals_of_their_group() -> None:
    found = book(authority("**", "QUEUE", "@devices", "PUT"), authority("**", "QUEUE", "@nobody", "GET"))
    assert found.held("MOON", "QUEUE", "ORDERS") == {"GET"}
    before = found.generation
    found.admit_device("MOON")
    assert found.generation > before
    assert found.held("MOON", "QUEUE", "ORDERS") == {"PUT"}
    assert found.held("MARS", "QUEUE", "ORDERS") == {"GET"}
    found.take([authority("ORDERS", "QUEUE", "MOON", "INQ"), authority("ORDERS", "QUEUE", "@devices", "PUT")])
    assert found.held("MOON", "QUEUE", "ORDERS") == {"INQ", "PUT"}


def test_a_device_that_was_dismissed_has_the_authorities_of_its_group_no_more() -> None:
    found = book(authority("**", "QUEUE", "@devices", "PUT"))
    found.admit_device("MOON")
    assert found.held("MOON", "QUEUE", "ORDERS") == {"PUT"}
    before = found.generation
    found.dismiss_device("MOON")
    assert found.generation > before
    assert found.held("MOON", "QUEUE", "ORDERS") == set()
    found.dismiss_device("MOON")
    assert found.generation == before + 1


def test_a_user_who_has_the_name_of_a_device_keeps_its_groups() -> None:
    found = book(authority("**", "QUEUE", "@clients", "GET"), authority("**", "QUEUE", "@devices", "PUT"))
    found.admit_device("bob")
    assert found.held("bob", "QUEUE", "ORDERS") == {"GET", "PUT"}
    found.dismiss_device("bob")
    assert found.held("bob", "QUEUE", "ORDERS") == {"GET"}

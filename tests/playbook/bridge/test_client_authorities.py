"""What the program of a client may do, call by call: what SET AUTHREC gives, and 2035 with a line for the operator
otherwise (mqi.md 2, 17; docs/security.md)."""

from __future__ import annotations

import pytest

from mqbridge.protocol.constants import MQCO, MQOO, MQOT, MQPMO, MQRC
from support.clients.door import ACCESS, NO, OBJECTS, Door, as_app, denied, guest_with, may, may_not

pytestmark = [pytest.mark.spec("mqi.md 1"), pytest.mark.spec("mqi.md 2")]

CONTEXT = ("PASSID", "PASSALL", "SETID", "SETALL")


# Queues


@pytest.mark.parametrize("authority", ACCESS)
def test_each_access_asks_for_its_authority(authority: str) -> None:
    needed = {authority} | ({"PUT"} if authority in CONTEXT else set())
    others = set(ACCESS) - {authority}
    guest = guest_with(may("joe", "TARGET", *others), may("joe", "", "SETID", "SETALL", kind="QMGR"))
    assert guest.open("TARGET", ACCESS[authority]) == (-1, NO)
    assert denied(guest) == [f"joe TARGET QUEUE {authority.lower()}"]
    guest.door.mars.types(may_not("joe", "TARGET", *others))
    guest.door.mars.types(may("joe", "TARGET", *needed))
    assert guest.open("TARGET", ACCESS[authority])[1] == 0
    assert denied(guest) == []


@pytest.mark.parametrize("authority", ["SETID", "SETALL"])
def test_to_set_context_the_queue_manager_is_asked_as_well(authority: str) -> None:
    guest = guest_with(may("joe", "TARGET", *ACCESS))
    assert guest.open("TARGET", ACCESS[authority])[1] == NO
    assert denied(guest) == [f"joe self QMGR {authority.lower()}"]
    guest.door.mars.types(may("joe", "", authority, kind="QMGR"))
    assert guest.open("TARGET", ACCESS[authority])[1] == 0


def test_all_that_is_asked_for_is_needed() -> None:
    guest = guest_with(may("joe", "TARGET", "PUT", "GET"))
    guest.opens("TARGET", MQOO.OUTPUT | MQOO.INPUT_AS_Q_DEF)
    assert guest.open("TARGET", MQOO.OUTPUT | MQOO.INPUT_AS_Q_DEF | MQOO.BROWSE)[1] == NO


@pytest.mark.parametrize(("name", "reason"), [("NOT.THERE", 2085), ("TARGET", NO)])
def test_a_name_that_means_nothing_is_told_first(name: str, reason: int) -> None:
    assert guest_with().open(name, MQOO.OUTPUT)[1] == reason


@pytest.mark.parametrize("options", [0, MQOO.INPUT_SHARED | MQOO.INPUT_EXCLUSIVE, MQOO.INQUIRE | MQOO.SET_ALL_CONTEXT])
def test_wrong_options_are_told_first(options: int) -> None:
    assert guest_with().open("TARGET", options)[1] == MQRC.OPTIONS_ERROR


def test_the_operator_is_told_once_of_a_program_that_asks_on_and_on() -> None:
    guest = guest_with()
    for _ in range(5):
        assert guest.open("TARGET", MQOO.OUTPUT)[1] == NO
        assert guest.put1("TARGET") == NO
        assert guest.open("VENUS", MQOO.INPUT_SHARED)[1] == NO
    assert denied(guest) == ["joe TARGET QUEUE put", "joe VENUS QUEUE get"]
    guest.door.mars.types(may("joe", "TARGET", "GET"))
    assert guest.open("TARGET", MQOO.OUTPUT)[1] == NO
    assert denied(guest) == ["joe TARGET QUEUE put"], "something has changed"
    assert guest.door.connected().open("TARGET", MQOO.OUTPUT)[1] == NO
    assert denied(guest) == ["joe TARGET QUEUE put"], "another program"


def test_what_was_opened_stays_open_and_the_next_open_is_asked_again() -> None:
    guest = guest_with(may("joe", "TARGET", "PUT"))
    handle = guest.opens("TARGET", MQOO.OUTPUT)
    guest.door.mars.types(may_not("joe", "TARGET", "PUT"))
    assert guest.client.puts(b"still", handle).outcome == (0, 0)
    assert guest.open("TARGET", MQOO.OUTPUT)[1] == NO


@pytest.mark.parametrize(("profile", "reason"), [("ALIAS", 0), ("TARGET", NO)])
def test_an_alias_is_asked_about_by_its_own_name(profile: str, reason: int) -> None:
    assert guest_with(may("joe", profile, "PUT")).open("ALIAS", MQOO.OUTPUT)[1] == reason


@pytest.mark.parametrize(
    ("commands", "name", "manager", "reason"),
    [
        ([may("joe", "FAR", "PUT")], "FAR", "", 0),
        ([may("joe", "VENUS", "PUT")], "FAR", "", NO),
        ([may("joe", "VENUS", "PUT")], "ANY", "VENUS", 0),
        ([may("joe", "VENUS", "PUT", kind="RQMNAME")], "ANY", "VENUS", 0),
        ([], "ANY", "VENUS", NO),
        ([may("joe", "VENUS", "PUT")], "VENUS", "", NO),
        ([may("joe", "VENUS", "PUT", "SETID"), may("joe", "", "SETID", kind="QMGR")], "VENUS", "", 0),
    ],
)
def test_queues_of_others(commands: list[str], name: str, manager: str, reason: int) -> None:
    guest = guest_with(*commands)
    assert guest.open(name, MQOO.OUTPUT, object_q_mgr_name=manager)[1] == reason
    # On a transmission queue itself the data are wrong, but that is told to those alone who may put there.
    assert (guest.put1(name, object_q_mgr_name=manager) == NO) is (reason == NO)


# MQPUT1


def test_put1_asks_each_time_what_an_open_would() -> None:
    guest = guest_with(may("joe", "TARGET", "PUT"))
    assert guest.put1("TARGET") == 0
    assert guest.put1("TARGET", MQPMO.SET_ALL_CONTEXT) == NO
    assert guest.put1("NOT.THERE") == 2085
    guest.door.mars.types(may_not("joe", "TARGET", "PUT"))
    assert guest.put1("TARGET") == NO
    guest.door.mars.types(may("joe", "TARGET", "PUT"))
    assert guest.put1("TARGET") == 0
    guest.door.mars.types("SET AUTHREC PROFILE(TARGET) OBJTYPE(QUEUE) GROUP('nobody') AUTHADD(GET)")
    assert guest.put1("TARGET") == 0


def test_put1_through_an_alias_that_is_made_again_asks_again() -> None:
    guest = guest_with(may("joe", "ALIAS", "PUT"), may("joe", "NEWS", "DSP", kind="TOPIC"))
    assert guest.put1("ALIAS") == 0
    guest.door.mars.types("DELETE QALIAS(ALIAS)")
    guest.door.mars.types("DEFINE QALIAS(ALIAS) TARGTYPE(TOPIC) TARGET(NEWS)")
    assert guest.put1("ALIAS") == NO


# Another user


def test_as_another_user_that_user_is_asked_about_the_object() -> None:
    guest = guest_with(may("alice", "TARGET", "PUT"))
    options = MQOO.OUTPUT | MQOO.ALTERNATE_USER_AUTHORITY
    assert guest.open("TARGET", options, alternate_user_id="alice")[1] == NO
    assert denied(guest) == ["joe self QMGR altusr"]
    guest.door.mars.types(may("joe", "", "ALTUSR", kind="QMGR"))
    assert guest.open("TARGET", options, alternate_user_id="alice")[1] == 0
    assert guest.put1("TARGET", MQPMO.ALTERNATE_USER_AUTHORITY, alternate_user_id="alice") == 0
    assert guest.open("TARGET", options, alternate_user_id="ann")[1] == NO
    assert guest.open("TARGET", options, alternate_user_id="")[1] == NO
    assert guest.open("TARGET", MQOO.OUTPUT, alternate_user_id="alice")[1] == NO, "not asked for"
    assert guest.put1("TARGET", alternate_user_id="alice") == NO


# Dynamic queues


@pytest.mark.parametrize("model", ["TEMPORARY", "PERMANENT"])
def test_a_dynamic_queue_is_its_makers(model: str) -> None:
    guest = guest_with(may("joe", model, "GET"), may("alice", model, "GET"))
    assert guest.open(model, MQOO.INPUT_SHARED | MQOO.OUTPUT, dynamic_q_name="MINE.*")[1] == NO
    assert guest.door.mars.rows("DISPLAY QLOCAL(MINE.*)") == [], "nothing is made"
    guest.opens(model, MQOO.INPUT_SHARED, dynamic_q_name="MINE.1")
    handle = guest.opens("MINE.1", MQOO.OUTPUT | MQOO.SET | MQOO.INQUIRE)
    assert guest.put1("MINE.1") == 0
    other = guest.door.connected("alice")
    assert other.open("MINE.1", MQOO.OUTPUT)[1] == NO
    assert guest.close(handle) == 0


def test_a_permanent_one_is_deleted_by_whoever_may() -> None:
    guest = guest_with(may("joe", "PERMANENT", "GET"), may("alice", "MINE.1", "PUT"))
    handle = guest.opens("PERMANENT", MQOO.INPUT_SHARED, dynamic_q_name="MINE.1")
    assert guest.close(handle) == 0
    other = guest.door.connected("alice")
    handle = other.opens("MINE.1", MQOO.OUTPUT)
    assert other.close(handle, MQCO.DELETE_PURGE) == NO
    assert denied(guest) == ["alice MINE.1 QUEUE dlt"]
    guest.door.mars.types(may("alice", "MINE.1", "DLT"))
    assert other.close(handle, MQCO.DELETE_PURGE) == 0


def test_a_permanent_one_is_its_makers_after_a_restart_too_until_it_is_deleted() -> None:
    door = Door(*OBJECTS, may("joe", "PERMANENT", "GET"))
    assert door.connected().open("PERMANENT", MQOO.INPUT_SHARED, dynamic_q_name="MINE.1")[1] == 0
    assert door.connected("alice").put1("MINE.1") == NO
    door.mars.restart()
    guest = door.connected()
    assert guest.put1("MINE.1") == 0
    handle = guest.opens("MINE.1", MQOO.OUTPUT)
    assert guest.close(handle, MQCO.DELETE_PURGE) == 0
    door.mars.types("DEFINE QLOCAL(MINE.1)")
    assert guest.put1("MINE.1") == NO


@pytest.mark.parametrize(("option", "reason"), [("", NO), ("AUTHREC(YES)", NO), ("AUTHREC(NO)", 0)])
def test_records_of_a_queue_go_with_it(option: str, reason: int) -> None:
    guest = guest_with(
        may("joe", "TARGET", "PUT"), "SET AUTHREC PROFILE(TARGET) OBJTYPE(TOPIC) GROUP('a') AUTHADD(SUB)"
    )
    guest.door.mars.types(f"DELETE QLOCAL(TARGET) {option}")
    guest.door.mars.types("DEFINE QLOCAL(TARGET)")
    assert guest.put1("TARGET") == reason
    assert guest.door.mars.rows("DISPLAY AUTHREC PROFILE(TARGET) OBJTYPE(TOPIC)"), "a record of another object"


def test_a_name_that_was_a_dynamic_queue_is_nobodys_afterwards() -> None:
    guest = guest_with(may("joe", "TEMPORARY", "GET"))
    handle = guest.opens("TEMPORARY", MQOO.INPUT_SHARED, dynamic_q_name="MINE.1")
    assert guest.put1("MINE.1") == 0
    assert guest.close(handle) == 0
    guest.door.mars.types("DEFINE QLOCAL(MINE.1)")
    assert guest.put1("MINE.1") == NO


@pytest.mark.spec("client-observed.md O-016")
def test_everybody_may_look_for_policies_as_clients_do_before_they_put() -> None:
    guest = guest_with()
    assert guest.open("SYSTEM.PROTECTION.POLICY.QUEUE", MQOO.BROWSE)[1] == 0
    assert guest.open("SYSTEM.PROTECTION.POLICY.QUEUE", MQOO.BROWSE | MQOO.OUTPUT)[1] == NO


# Other objects


@pytest.mark.parametrize(
    ("kind", "name", "object_type"),
    [(MQOT.Q_MGR, "", "QMGR"), (MQOT.PROCESS, "PROGRAM", "PROCESS"), (MQOT.NAMELIST, "LIST", "NAMELIST")],
)
def test_to_inquire_other_objects(kind: MQOT, name: str, object_type: str) -> None:
    guest = guest_with()
    assert guest.open(name, MQOO.INQUIRE, kind=kind)[1] == NO
    assert denied(guest) == [f"joe {name or 'self'} {object_type} inq"]
    guest.door.mars.types(may("joe", name, "INQ", kind=object_type))
    guest.opens(name, MQOO.INQUIRE, kind=kind)
    alternate = MQOO.INQUIRE | MQOO.ALTERNATE_USER_AUTHORITY
    guest.door.mars.types(may("joe", "", "ALTUSR", kind="QMGR"))
    assert guest.open(name, alternate, kind=kind, alternate_user_id="alice")[1] == NO
    guest.door.mars.types(may("alice", name, "INQ", kind=object_type))
    assert guest.open(name, alternate, kind=kind, alternate_user_id="alice")[1] == 0


# The user of the supplied channel


@pytest.mark.parametrize(
    ("name", "options", "allowed"),
    [
        ("TARGET", MQOO.OUTPUT | MQOO.INPUT_SHARED | MQOO.BROWSE | MQOO.INQUIRE, True),
        ("FAR", MQOO.OUTPUT, True),
        ("DEV.QUEUE.1", MQOO.OUTPUT | MQOO.PASS_ALL_CONTEXT, True),
        ("TARGET", MQOO.SET, False),
        ("TARGET", MQOO.OUTPUT | MQOO.SET_ALL_CONTEXT, False),
        ("SYSTEM.DEFAULT.MODEL.QUEUE", MQOO.INPUT_SHARED | MQOO.SET, True),
        ("SYSTEM.ADMIN.COMMAND.QUEUE", MQOO.OUTPUT, True),
        ("SYSTEM.ADMIN.COMMAND.QUEUE", MQOO.INPUT_SHARED, False),
        ("SYSTEM.PROTECTION.POLICY.QUEUE", MQOO.BROWSE, True),
        ("SYSTEM.AUTH.DATA.QUEUE", MQOO.BROWSE, False),
    ],
)
def test_what_app_may(name: str, options: int, allowed: bool) -> None:
    assert (as_app().open(name, options)[1] == 0) is allowed

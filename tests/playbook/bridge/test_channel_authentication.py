"""Message channels refused and mapped by channel authentication, and the authority to put (channels.md 7.4, 14)."""

from __future__ import annotations

import pytest

from mqbridge.protocol.constants import MQRC, SegmentType, StatusCode
from support.channels.partner import Partner, calls, calls_as_sender
from support.channels.playbook import L1, THEY, end_of_batch, initial_data, message
from support.gateway.stage import RECEIVER, Stage, Station, earth_and_saturn

pytestmark = [pytest.mark.spec("channels.md 14"), pytest.mark.spec("channels.md 20.17")]

L2 = b"\x22" * 8
MARS = """
    DEFINE QLOCAL(TARGET)
    DEFINE QLOCAL(OTHER)
    DEFINE QLOCAL(DLQ)
    ALTER QMGR DEADQ(DLQ)
    DEFINE CHANNEL(VENUS.TO.MARS) CHLTYPE(RCVR) {channel}
"""
MAY_PUT = """
    SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('fred') AUTHADD(CONNECT,SETALL)
    SET AUTHREC PROFILE(TARGET) OBJTYPE(QUEUE) PRINCIPAL('fred') AUTHADD(PUT,SETALL)
    SET AUTHREC PROFILE(DLQ) OBJTYPE(QUEUE) PRINCIPAL('fred') AUTHADD(PUT)
"""


def mars(*commands: str, channel: str = "") -> tuple[Stage, Station]:
    stage = Stage()
    station = stage.station("MARS", MARS.format(channel=channel))
    for command in commands:
        station.types_all(command)
    return stage, station


def to(queue: str, manager: str = "MARS", *, user: str = "", number: int = 1, luwid: bytes = L1) -> bytes:
    """A message for a queue, with a user in its context."""
    names = {"xqh_remote_q_name": queue, "xqh_remote_q_mgr_name": manager}
    fields = {keyword: name.encode().ljust(48) for keyword, name in names.items()}
    return message(number, luwid=luwid, md_user_identifier=user.encode().ljust(12), **fields)


def says_hello(stage: Stage, address: str = "10.0.0.7") -> Partner:
    return calls(stage, "MARS", initial_data(), address=address)


NO_ACCESS = [
    "SET CHLAUTH('VENUS.TO.MARS') TYPE(ADDRESSMAP) ADDRESS('10.0.0.*') USERSRC(NOACCESS)",
    "SET CHLAUTH('*') TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(NOACCESS)",
    "SET CHLAUTH('VENUS.*') TYPE(QMGRMAP) QMNAME('VENUS') USERSRC(NOACCESS)",
    "SET CHLAUTH('*') TYPE(QMGRMAP) QMNAME('V*') ADDRESS('10.*') USERSRC(NOACCESS)",
]


@pytest.mark.parametrize("record", NO_ACCESS)
def test_a_partner_without_access_is_refused(record: str) -> None:
    stage, station = mars(record)
    partner = says_hello(stage)
    partner.is_refused(StatusCode.SECURITY_FAILURE)
    assert record.split("'")[1] in station.logged("AMQ9777")[0]
    assert station.status("VENUS.TO.MARS") == "INACTIVE"


@pytest.mark.parametrize("record", NO_ACCESS)
def test_a_record_that_warns_lets_it_in_and_tells(record: str) -> None:
    stage, station = mars(record + " WARN(YES)")
    partner = says_hello(stage)
    assert partner.hears_one(SegmentType.INITIAL_DATA).flags == 0
    assert "only warns" in station.logged("AMQ9777")[0]


@pytest.mark.parametrize(
    "record",
    [
        "SET CHLAUTH('VENUS.TO.MARS') TYPE(ADDRESSMAP) ADDRESS('10.0.1.*') USERSRC(NOACCESS)",
        "SET CHLAUTH('VENUS.TO') TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(NOACCESS)",
        "SET CHLAUTH('*') TYPE(QMGRMAP) QMNAME('EARTH') USERSRC(NOACCESS)",
        "SET CHLAUTH('*') TYPE(USERMAP) CLNTUSER('*') USERSRC(NOACCESS)",
        "SET CHLAUTH('*') TYPE(BLOCKUSER) USERLIST('VENUS')",
    ],
)
def test_records_about_others_do_not_matter(record: str) -> None:
    stage, _ = mars(record)
    assert says_hello(stage).hears_one(SegmentType.INITIAL_DATA).flags == 0


def test_the_more_specific_record_opens_what_the_other_shuts() -> None:
    stage, station = mars(NO_ACCESS[1], "SET CHLAUTH('VENUS.*') TYPE(ADDRESSMAP) ADDRESS('10.0.0.7') USERSRC(CHANNEL)")
    partner = says_hello(stage)
    assert partner.hears_one(SegmentType.INITIAL_DATA).flags == 0
    partner.hangs_up()
    says_hello(stage, "10.0.0.8").is_refused(StatusCode.SECURITY_FAILURE)
    station.types("ALTER QMGR CHLAUTH(DISABLED)")
    assert says_hello(stage, "10.0.0.8").hears_one(SegmentType.INITIAL_DATA).flags == 0


def test_channels_of_the_system_take_nobody() -> None:
    stage, station = mars()
    calls(stage, "MARS", initial_data(channel_name="SYSTEM.DEF.RECEIVER")).is_refused(StatusCode.SECURITY_FAILURE)
    (line,) = station.logged("AMQ9777")
    assert "CHLAUTH(SYSTEM.*)" in line


def test_a_blocked_address_is_not_even_heard() -> None:
    stage, station = mars("SET CHLAUTH('*') TYPE(BLOCKADDR) ADDRLIST('10.0.0.7','10.9.*')")
    partner = says_hello(stage)
    assert partner.hears() == []
    assert partner.gone
    assert "BLOCKADDR" in station.logged("AMQ9777")[0]
    assert says_hello(stage, "10.0.0.8").hears_one(SegmentType.INITIAL_DATA).flags == 0


def test_a_channel_that_is_not_defined_is_that_and_no_more() -> None:
    stage, _ = mars(NO_ACCESS[1])
    calls(stage, "MARS", initial_data(channel_name="NOT.THERE")).is_refused(StatusCode.NO_CHANNEL)


def test_the_partner_that_is_refused_keeps_its_messages_and_stops() -> None:
    stage, earth, saturn = earth_and_saturn(start=False)
    saturn.types("SET CHLAUTH('EARTH.SATURN') TYPE(QMGRMAP) QMNAME('EARTH') USERSRC(NOACCESS)")
    earth.put("FAR")
    earth.types("START CHANNEL(EARTH.SATURN)")
    stage.wait_until(lambda: earth.status("EARTH.SATURN") != "STARTING" and earth.logged("AMQ9546"))
    assert earth.depth("SATURN") == 1
    saturn.types("SET CHLAUTH('EARTH.SATURN') TYPE(QMGRMAP) QMNAME('EARTH') ACTION(REMOVE)")
    earth.types("START CHANNEL(EARTH.SATURN)")
    stage.wait_until(lambda: saturn.depth("TARGET") == 1)


def test_channels_that_we_start_ourselves_are_not_asked() -> None:
    stage, earth, _ = earth_and_saturn(start=False)
    earth.types("SET CHLAUTH('*') TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(NOACCESS)")
    earth.types("START CHANNEL(EARTH.SATURN)")
    stage.wait_until(lambda: earth.status("EARTH.SATURN") == "RUNNING")


# Who the channel runs as


@pytest.mark.parametrize(
    ("channel", "record", "user"),
    [
        ("", "", "mca"),
        ("MCAUSER('fred')", "", "fred"),
        ("", "SET CHLAUTH('*') TYPE(QMGRMAP) QMNAME('VENUS') MCAUSER('fred')", "fred"),
        ("MCAUSER('ann')", "SET CHLAUTH('*') TYPE(ADDRESSMAP) ADDRESS('10.*') MCAUSER('fred')", "fred"),
        ("MCAUSER('fred')", "SET CHLAUTH('*') TYPE(ADDRESSMAP) ADDRESS('10.*') USERSRC(CHANNEL)", "fred"),
    ],
)
def test_the_user_of_a_channel(channel: str, record: str, user: str) -> None:
    stage, station = mars(MAY_PUT, record, channel=channel)
    partner = calls_as_sender(stage, address="10.0.0.7")
    assert station.row("VENUS.TO.MARS")["MCAUSER"] == user
    partner.sends_batch(1, luwid=L1)
    assert station.depth("TARGET") == 1


def test_a_user_who_may_not_connect_runs_no_channel() -> None:
    stage, station = mars(channel="MCAUSER('fred')")
    says_hello(stage).is_refused(StatusCode.SECURITY_FAILURE)
    assert station.logged("AMQ8077") == ["fred self QMGR connect"]
    assert station.logged("AMQ9557")


@pytest.mark.spec("channels.md 7.4")
def test_what_the_user_may_not_put_goes_to_the_dead_letters() -> None:
    stage, station = mars(MAY_PUT, channel="MCAUSER('fred')")
    partner = calls_as_sender(stage)
    partner.says(message(1, luwid=L1), to("OTHER", number=2), end_of_batch(L1))
    assert (station.depth("TARGET"), station.depth("OTHER"), station.depth("DLQ")) == (1, 0, 1)
    assert station.logged("AMQ8077") == ["fred OTHER QUEUE put, setall"]
    dead = station.got("DLQ")
    assert int.from_bytes(dead.data[8:12], "little") == MQRC.NOT_AUTHORIZED
    station.types("SET AUTHREC PROFILE(OTHER) OBJTYPE(QUEUE) PRINCIPAL('fred') AUTHADD(PUT,SETALL)")
    partner.says(to("OTHER", number=3, luwid=L2), end_of_batch(L2))
    assert station.depth("OTHER") == 1


def test_setting_context_is_asked_of_the_queue_manager_too() -> None:
    stage, station = mars(MAY_PUT, channel="MCAUSER('fred')")
    station.types("SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('fred') AUTHRMV(SETALL)")
    calls_as_sender(stage).sends_batch(1, luwid=L1)
    assert (station.depth("TARGET"), station.depth("DLQ")) == (0, 1)
    assert station.logged("AMQ8077") == ["fred self QMGR setall"]


@pytest.mark.spec("channels.md 7.4")
@pytest.mark.parametrize(("user", "arrives"), [("ann", True), ("bob", False), ("", False), ("mqm", True)])
def test_the_user_in_the_message_is_asked_with_putaut_ctx(user: str, arrives: bool) -> None:
    stage, station = mars(
        "SET AUTHREC PROFILE(TARGET) OBJTYPE(QUEUE) PRINCIPAL('ann') AUTHADD(PUT)", channel="PUTAUT(CTX)"
    )
    partner = calls_as_sender(stage)
    partner.says(to("TARGET", user=user), end_of_batch(L1))
    assert (station.depth("TARGET"), station.depth("DLQ")) == ((1, 0) if arrives else (0, 1))


def test_with_putaut_ctx_the_channels_user_needs_to_stand_in_for_others() -> None:
    stage, station = mars(
        MAY_PUT,
        "SET AUTHREC PROFILE(TARGET) OBJTYPE(QUEUE) PRINCIPAL('ann') AUTHADD(PUT)",
        channel="PUTAUT(CTX) MCAUSER('fred')",
    )
    partner = calls_as_sender(stage)
    partner.says(to("TARGET", user="ann"), end_of_batch(L1))
    assert station.logged("AMQ8077") == ["fred self QMGR altusr"]
    station.types("SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('fred') AUTHADD(ALTUSR)")
    partner.says(to("TARGET", user="ann", number=2, luwid=L2), end_of_batch(L2))
    assert (station.depth("TARGET"), station.depth("DLQ")) == (1, 1)


def test_an_alias_is_asked_and_not_the_queue_behind_it() -> None:
    stage, station = mars(
        MAY_PUT,
        "DEFINE QALIAS(ALSO) TARGET(OTHER)\n"
        "SET AUTHREC PROFILE(ALSO) OBJTYPE(QUEUE) PRINCIPAL('fred') AUTHADD(PUT,SETALL)",
        channel="MCAUSER('fred')",
    )
    calls_as_sender(stage).says(to("ALSO"), end_of_batch(L1))
    assert station.depth("OTHER") == 1


ONWARD = """
    DEFINE QLOCAL(X) USAGE(XMITQ)
    DEFINE QREMOTE(PLUTO) RQMNAME(FAR) XMITQ(X)
    DEFINE QREMOTE(THERE) RNAME(Q) RQMNAME(FAR) XMITQ(X)
"""


@pytest.mark.parametrize(
    ("queue", "manager", "record"),
    [
        ("Q", "PLUTO", "PROFILE(X) OBJTYPE(QUEUE)"),
        ("Q", "PLUTO", "PROFILE(PLUTO) OBJTYPE(RQMNAME)"),
        ("Q", "X", "PROFILE(X) OBJTYPE(QUEUE)"),
        ("THERE", "MARS", "PROFILE(THERE) OBJTYPE(QUEUE)"),
    ],
)
def test_what_is_asked_about_messages_that_go_on_to_others(queue: str, manager: str, record: str) -> None:
    for allowed in (False, True):
        stage, station = mars(MAY_PUT, ONWARD, channel="MCAUSER('fred')")
        if allowed:
            words = "PUT" if "RQMNAME" in record else "PUT,SETALL"
            station.types(f"SET AUTHREC {record} PRINCIPAL('fred') AUTHADD({words})")
            if "RQMNAME" in record:
                station.types("SET AUTHREC PROFILE(X) OBJTYPE(QUEUE) PRINCIPAL('fred') AUTHADD(SETALL)")
        partner = calls_as_sender(stage)
        partner.says(to(queue, manager), end_of_batch(L1))
        assert (station.depth("X"), station.depth("DLQ")) == ((1, 0) if allowed else (0, 1))


def test_a_refused_partner_disturbs_nobody() -> None:
    stage, station = mars("SET CHLAUTH('VENUS.*') TYPE(ADDRESSMAP) ADDRESS('10.0.0.8') USERSRC(NOACCESS)")
    partner = calls_as_sender(stage, address="10.0.0.7")
    for _ in range(3):
        says_hello(stage, "10.0.0.8").is_refused(StatusCode.SECURITY_FAILURE)
    partner.sends_batch(1, 2, luwid=L1)
    assert station.depth("TARGET") == 2
    assert partner.writer is THEY


def test_the_receiver_script_of_other_plays_still_takes_everybody() -> None:
    """Without records and without MCAUSER nothing is asked: the channel runs as the queue manager."""
    stage = Stage()
    station = stage.station("MARS", RECEIVER.format(other="VENUS.TO", own="MARS", channel=""))
    calls_as_sender(stage).sends_batch(1, luwid=L1)
    assert station.depth("TARGET") == 1
